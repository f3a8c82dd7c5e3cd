"""The function that is tuned: its module, its arguments, and how it is known again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import OptionError, PolyirError, nearest
from polyir.choose.assumed_sizes import default_size as model_size
from polyir.dialects.expected_sizes import without_expectations
from polyir.dialects.scop import scops_in
from polyir.loops.levels import has_equations
from polyir.model.scop import Scop, scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.runtime.data import Value, make_arguments
from polyir.target.mlir import print_module


@dataclass(frozen=True)
class MeasuredFunction:
    """A function of a module, and the arguments that it is measured with.

    `module` is as it was read; `analysed` is a copy with its scops and their dependences.
    """

    module: ModuleOp
    analysed: ModuleOp
    function: str
    arguments: tuple[Value, ...]
    sizes: Mapping[str, int]

    @property
    def scops(self) -> tuple[Scop, ...]:
        """The scops of all functions of the module."""
        return tuple(scop_of(each) for each in scops_in(self.analysed))


def measured_function(
    module: ModuleOp, function: str | None, sizes: Mapping[str, int], default_size: int | None
) -> MeasuredFunction:
    """The only function of a module, or the one of that name, with generated arguments.

    See `make_arguments` for these. Without a `default_size`, it is that of the cost model. Raises
    `PolyirError` if there is nothing to tune.
    """
    name = function_of(module, function).sym_name.data
    analysed = module.clone()
    analysed_scops(analysed, "polyir-tune", "nothing to tune")
    raised = function_of(analysed, name)
    scops = tuple(scop_of(each) for each in scops_in(raised))
    if not scops or any(each.dependences is None for each in scops):
        raise PolyirError(
            f"@{name} has no static control part that can be tuned", name="not-measured"
        )
    default_size = default_size or min(map(model_size, scops))
    arguments = make_arguments(raised, scops, sizes, default_size)
    names = [each.name_hint or f"arg{number}" for number, each in enumerate(raised.args)]
    pairs = zip(names, arguments, strict=True)
    chosen = {name: value for name, value in pairs if isinstance(value, int)}
    return MeasuredFunction(module, analysed, name, arguments, chosen)


def function_of(module: ModuleOp, name: str | None) -> FuncOp:
    """The function of that name, or the only one with a body. Raises `OptionError`."""
    functions = {
        each.sym_name.data: each
        for each in module.ops
        if isinstance(each, FuncOp) and not each.is_declaration
    }
    if not functions:
        hint = "; polyir-opt makes functions of equations" if has_equations(module) else ""
        raise OptionError(f"the module defines no function{hint}")
    if name is None and len(functions) > 1:
        raise OptionError(f"select a function with --function: {', '.join(functions)}")
    wanted = next(iter(functions)) if name is None else name
    if wanted not in functions:
        hint = nearest(wanted, functions) or f"; known functions: {', '.join(functions)}"
        raise OptionError(f"no function named '{wanted}'{hint}")
    return functions[wanted]


def digest_of(module: ModuleOp) -> str:
    """A hash of what a module says: comments, spaces and the names of values do not matter.

    Neither do the sizes that are expected: a pipeline that is known needs none.

    The module is to be as it was read, before any pass.
    """
    copy = module.clone()
    for op in copy.walk():
        if isinstance(op, FuncOp):
            without_expectations(op)
        for result in op.results:
            result.name_hint = None
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    argument.name_hint = None
    text = StringIO()
    print_module(copy, text)
    return hashlib.sha256(text.getvalue().encode()).hexdigest()
