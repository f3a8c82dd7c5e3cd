"""The common part of the passes that draw pictures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.diagnostics import OptionError, missed, nearest, remark
from polyir.model.scop import Scop, scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.view.draw import check_format, draw
from polyir.view.picture import MOST_DIMENSIONS, parameter_values, picture_of


@dataclass(frozen=True)
class PicturePass(ModulePass):
    """A pass that writes a picture of each scop to `file`, the second to `file-2`, and so on."""

    file: str = ""
    size: int = 6
    values: tuple[int, ...] = ()
    statements: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        if self.file:
            check_format(self.file)

    @property
    @abstractmethod
    def shows_order(self) -> bool:
        """Whether points are numbered in execution order, and coloured by tile."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.file:
            raise OptionError(f"pass '{self.name}' requires the option 'file'")
        scops = [scop_of(scop) for scop in analysed_scops(op, self.name, "nothing to draw")]
        if scops:
            self.check_statements(scops)
        for number, scop in enumerate(scops, 1):
            self.draw(scop, self._file(number))

    def check_statements(self, scops: Sequence[Scop]) -> None:
        """Raise `OptionError` for a statement to draw that no scop has."""
        known = list(dict.fromkeys(each.name for scop in scops for each in scop.statements))
        for statement in self.statements:
            if statement not in known:
                hint = nearest(statement, known) or f" (statements: {', '.join(known)})"
                raise OptionError(f"pass '{self.name}': there is no statement '{statement}'{hint}")

    def _file(self, number: int) -> str:
        path = Path(self.file)
        return str(path if number == 1 else path.with_stem(f"{path.stem}-{number}"))

    def draw(self, scop: Scop, file: str) -> None:
        """Write the picture of one scop to `file`."""
        assert scop.dependences is not None
        values = parameter_values(scop, self.values, self.size)
        picture = picture_of(scop, scop.dependences, values, self.statements)
        draw(picture, file, self.shows_order)
        instances = sum(len(panel.instances) for panel in picture.panels)
        drawn = [panel.statement for panel in picture.panels]
        for statement in scop.statements:
            if statement.name not in drawn and (
                not self.statements or statement.name in self.statements
            ):
                why = f"{statement.name} has more than {MOST_DIMENSIONS} iterators"
                missed(self.name, f"not drawn: {why}", scop.op)
        summary = f"{instances} instances of {', '.join(drawn)}, {len(picture.arrows)} dependences"
        tiles = f", {picture.tiles} tiles" if self.shows_order and picture.tiles > 1 else ""
        remark(self.name, f"{file}: {summary}{tiles}", scop.op)
