"""The common part of the passes that draw pictures."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, missed, nearest, remark
from polyir.dialects.dependence import DependenceKind
from polyir.model.scop import Scop, scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.view.draw import MOST_ARROWS, check_format, draw
from polyir.view.picture import DRAWN_KINDS, MOST_DIMENSIONS, parameter_values, picture_of


@dataclass(frozen=True)
class PicturePass(ModulePass):
    """A pass that writes a picture of each scop to `file`, the second to `file-2`, and so on."""

    file: str = ""
    size: int = 6
    values: tuple[int, ...] = ()
    statements: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()
    kinds: tuple[str, ...] = tuple(kind.value for kind in DRAWN_KINDS)
    arrows: int = MOST_ARROWS

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        if self.file:
            check_format(self.file)
        known = [kind.value for kind in DependenceKind]
        self._check_names("kind of dependences", "kinds", self.kinds, known)
        if self.arrows < 0:
            raise OptionError(f"option 'arrows' of pass '{self.name}' must be at least 0")

    @property
    @abstractmethod
    def shows_order(self) -> bool:
        """Whether points are numbered in execution order, and coloured by tile."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.file:
            raise OptionError(f"pass '{self.name}' requires the option 'file'")
        scops = [scop_of(scop) for scop in analysed_scops(op, self.name, "nothing to draw")]
        if scops:
            self.check_names(scops)
        for number, scop in enumerate(scops, 1):
            self.draw(scop, self._file(number))

    def check_names(self, scops: Sequence[Scop]) -> None:
        """Raise `OptionError` for a statement or an array to draw that no scop has."""
        known = list(dict.fromkeys(each.name for scop in scops for each in scop.statements))
        self._check_names("statement", "statements", self.statements, known)
        arrays = list(dict.fromkeys(name for scop in scops for name in scop.arrays))
        self._check_names("array", "arrays", self.arrays, arrays)

    def _check_names(
        self, what: str, plural: str, names: Sequence[str], known: Sequence[str]
    ) -> None:
        for name in names:
            if name not in known:
                hint = nearest(name, known) or f" ({plural}: {', '.join(known)})"
                raise OptionError(f"pass '{self.name}': there is no {what} '{name}'{hint}")

    def _file(self, number: int) -> str:
        path = Path(self.file)
        return str(path if number == 1 else path.with_stem(f"{path.stem}-{number}"))

    def draw(self, scop: Scop, file: str) -> None:
        """Write the picture of one scop to `file`."""
        assert scop.dependences is not None
        values = parameter_values(scop, self.values, self.size)
        kinds = [DependenceKind(kind) for kind in self.kinds]
        picture = picture_of(scop, scop.dependences, values, self.statements, kinds, self.arrays)
        shown = draw(picture, file, self.shows_order, self.arrows)
        instances = sum(len(panel.instances) for panel in picture.panels)
        drawn = [panel.statement for panel in picture.panels]
        for statement in scop.statements:
            if statement.name not in drawn and (
                not self.statements or statement.name in self.statements
            ):
                why = f"{statement.name} has more than {MOST_DIMENSIONS} iterators"
                missed(self.name, f"not drawn: {why}", scop.op, name="not-drawn")
        total = len(picture.arrows)
        dependences = f"{total}" if shown == total else f"{shown} of {total}"
        summary = f"{instances} instances of {', '.join(drawn)}, {dependences} dependences"
        tiles = f", {picture.tiles} tiles" if self.shows_order and picture.tiles > 1 else ""
        remark(self.name, f"{file}: {summary}{tiles}", scop.op)
