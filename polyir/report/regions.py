"""What becomes of the regions of a C file, in C."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from xdsl.dialects import gpu
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.frontend.c.layout import line_of_function, words_of
from polyir.frontend.c.translation import TranslatedRegion
from polyir.loops.levels import convert_equations, lower_scops
from polyir.regions.device_regions import KernelFile
from polyir.regions.originals import original_function
from polyir.regions.rank_regions import RankFile
from polyir.regions.source_to_source import (
    TransformedRegion,
    kept_text,
    new_statements,
    region_lines,
    require_no_parameters,
)
from polyir.report.recording import CWriter
from polyir.target.abi import calls_mpi
from polyir.target.c import COptions, c_text
from polyir.target.c.line_origins import LinesOfOperations, made_like, operations_of_lines
from polyir.target.c.region import with_free_names
from polyir.universe import new_context


@dataclass
class RegionsInC:
    """The regions of a file as polyir-cc writes them, after any step.

    `transformed` is what all passes have made of them, which is known when they have ended.
    """

    text: str
    macros: Sequence[str]
    kernels: KernelFile | None
    ranks: RankFile | None
    transformed: tuple[TransformedRegion, ...] = ()

    def writer(self, number: int) -> CWriter:
        """What writes the programs of a region."""
        return partial(self._written, number)

    def _written(self, number: int, module: ModuleOp) -> tuple[str, LinesOfOperations]:
        """The new statements, what they call in the file, and what they call in another one.

        Raises the error for which a region is left as it is.
        """
        item = self.transformed[number]
        if item.error is not None:
            raise item.error
        content = item.region.content
        assert isinstance(content, TranslatedRegion)
        name = content.function.sym_name.data
        function = _function(module, (content.name, name))
        content = replace(content, module=module, function=function)
        item = replace(item, region=replace(item.region, content=content), module=module)
        convert_equations(module)
        lower_scops(new_context(), module)
        require_no_parameters(item.region, content)
        kernels, ranks, other = None, None, ""
        if self.kernels is not None and any(isinstance(op, gpu.LaunchOp) for op in module.walk()):
            assert item.device is not None
            kernels = self.kernels.alone(name)
            kernels.add(module, function, item.device, item.region.location)
            other = kernels.text()
        elif self.ranks is not None and calls_mpi(module):
            ranks, other = self.ranks, c_text(module, COptions())
        new = new_statements(item, self._words, self.macros, kernels=kernels, ranks=ranks)
        head = line_of_function(self.text, item.region.function_line)
        taken = {*self.macros, *self._words}
        original = original_function(item.region, self._lines, head, taken)
        block = region_lines(item.region, new, self._lines, self._kept, original)
        lines = [made_like(line, line.rstrip("\r\n")) for line in block]
        called = (with_free_names(each, self.macros) for each in new.helpers.values())
        helpers = "\n\n".join(each.strip("\n") for each in called)
        for title, text in ((_BEFORE, helpers), (_ELSEWHERE, other)):
            if text:
                lines += ["", title, "", *text.splitlines()]
        return "\n".join((*lines, "")), list(operations_of_lines(lines))

    @cached_property
    def _words(self) -> frozenset[str]:
        return words_of(self.text)

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    @cached_property
    def _kept(self) -> str:
        return kept_text(self._lines, self.transformed)


_BEFORE = "// Before the function that this is in:"
_ELSEWHERE = "// In the other file:"


def _function(module: ModuleOp, names: Container[str]) -> FuncOp:
    """The function of a region, which has one of some names."""
    functions = (op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration)
    return next(op for op in functions if op.sym_name.data in names)
