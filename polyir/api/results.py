"""What the methods of trees give besides trees: pictures, checks, comparisons, tables."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import overload

import islpy as isl

from polyir.base.diagnostics import OptionError, PolyirError, nearest
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.model.dependence_text import format_dependences
from polyir.model.distance import common_loops, vectors_of
from polyir.model.scop import Scop
from polyir.schedule.comparison import table
from polyir.sets.pickle import pickled
from polyir.view.svg import Edge, graph_svg


@dataclass(frozen=True)
class Drawing:
    """A picture: its bytes, their format (`"svg"` or `"png"`), and the file, if it was written."""

    data: bytes
    format: str
    file: str | None = None

    def _repr_svg_(self) -> str | None:
        return self.data.decode() if self.format == "svg" else None

    def _repr_png_(self) -> bytes | None:
        return self.data if self.format == "png" else None

    def __repr__(self) -> str:
        where = "" if self.file is None else f" in {self.file}"
        return f"<{self.format} picture{where}>"


@dataclass(frozen=True)
class CheckedSchedule:
    """The result of a successful check: how many dependences the schedule respects."""

    dependences: int

    def __repr__(self) -> str:
        return f"<the schedule respects all {self.dependences} dependences>"


@dataclass(frozen=True)
class Report:
    """A page that shows a whole compilation, in HTML; a notebook shows it in a frame."""

    html: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which a browser opens without a network."""
        Path(path).write_text(self.html, "utf-8")

    def _repr_html_(self) -> str:
        frame = 'sandbox="allow-scripts" style="width: 100%; height: 640px; border: 1px solid"'
        return f'<iframe title="report" {frame} srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f"<report of {len(self.html) // 1000} kB>"


class Graph(str):
    """A graph as text for Graphviz."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class SchedulerComparison:
    """The schedules that all schedulers find: a heading, and a row for each."""

    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __iter__(self) -> Iterator[dict[str, str]]:
        """Each row, by column."""
        return (dict(zip(self.heading, row, strict=True)) for row in self.rows)

    def __str__(self) -> str:
        return "\n".join(table([self.heading, *self.rows]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


@dataclass(frozen=True)
class Domain:
    """The instances of a statement."""

    statement: str
    isl: isl.Set
    _draw: Callable[[tuple[str, ...]], Drawing]

    def __str__(self) -> str:
        return str(self.isl)

    __repr__ = __str__

    def _repr_svg_(self) -> str | None:
        return _svg_or_none(lambda: self._draw((self.statement,)))


class Domains(Mapping[str, Domain]):
    """The instances of each statement, by name."""

    def __init__(self, scop: Scop, draw: Callable[[tuple[str, ...]], Drawing]) -> None:
        self._draw = draw
        self._domains = {each.name: Domain(each.name, each.domain, draw) for each in scop.bodies}

    def __getitem__(self, statement: str) -> Domain:
        return self._domains[_known("statement", statement, self._domains)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._domains)

    def __len__(self) -> int:
        return len(self._domains)

    def __str__(self) -> str:
        return "\n".join(map(str, self._domains.values()))

    __repr__ = __str__

    def _repr_svg_(self) -> str | None:
        return _svg_or_none(lambda: self._draw(()))


def _svg_or_none(draw: Callable[[], Drawing]) -> str | None:
    """A picture for a notebook, which shows the text where there is none."""
    try:
        return draw()._repr_svg_()
    except PolyirError:
        return None


def _known(what: str, name: str, known: Iterable[str]) -> str:
    """`name`, if it is in `known`; else raises `OptionError`."""
    valid = list(known)
    if name not in valid:
        hint = nearest(str(name), valid) or f" (there are: {', '.join(valid) or 'none'})"
        raise OptionError(f"there is no {what} '{name}'{hint}")
    return name


def _unpickled(table: bytes) -> DependenceTable:
    return DependenceTable(*pickle.loads(table))


class DependenceTable(Sequence[Dependence]):
    """The dependences of a static control part, with their distances in the tree in force."""

    def __init__(self, scop: Scop, dependences: Dependences) -> None:
        self._scop = scop
        self._dependences = dependences

    @overload
    def __getitem__(self, index: int) -> Dependence: ...

    @overload
    def __getitem__(self, index: slice) -> DependenceTable: ...

    def __getitem__(self, index: int | slice) -> Dependence | DependenceTable:
        items = self._dependences.items
        return self._with(items[index]) if isinstance(index, slice) else items[index]

    def __len__(self) -> int:
        return len(self._dependences.items)

    @property
    def ordering(self) -> tuple[Dependence, ...]:
        """Those that a schedule must respect: flow, anti and output, and reductions.

        It may turn reductions round.
        """
        return self._dependences.ordering

    def filter(
        self,
        kind: str | None = None,
        array: str | None = None,
        source: str | None = None,
        target: str | None = None,
    ) -> DependenceTable:
        """The dependences of a kind (`"flow"`), through an array, from or to a statement.

        Raises `OptionError` for a name that the table does not have.
        """
        items = self._dependences.items
        statements = [each.name for each in self._scop.bodies]
        if kind is not None:
            _known("kind of dependences", kind, [each.value for each in DependenceKind])
            items = tuple(each for each in items if each.kind.value == kind)
        if array is not None:
            _known("array", array, self._scop.arrays)
            items = tuple(each for each in items if each.array == array)
        if source is not None:
            _known("statement", source, statements)
            items = tuple(each for each in items if each.source == source)
        if target is not None:
            _known("statement", target, statements)
            items = tuple(each for each in items if each.target == target)
        return self._with(items)

    def __copy__(self) -> DependenceTable:
        return self

    def __deepcopy__(self, memo: object) -> DependenceTable:
        """Nothing in a table changes."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (pickled((self._scop, self._dependences)),)

    def _with(self, items: tuple[Dependence, ...]) -> DependenceTable:
        found = Dependences(self._dependences.value_based, items, self._dependences.order)
        return DependenceTable(self._scop, found)

    def __str__(self) -> str:
        return format_dependences(self._scop, self._dependences)

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        edges = [
            Edge(each.source, each.target, each.kind.value, self._label(each)) for each in self
        ]
        return graph_svg([each.name for each in self._scop.bodies], edges)

    def _label(self, dependence: Dependence) -> str:
        vectors = vectors_of(dependence.relation, common_loops(self._scop.schedule, dependence))
        return " ".join([dependence.kind.value, dependence.array, *map(str, vectors)])
