"""Where the iterations of some loops are: the region that is left of each statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, floor, inf

from polyir.choose.program import Division, Function, Reference
from polyir.choose.regions import Form, Region, Terms, count


class State:
    """The instances of a statement for some values of the loops around, and their tiles."""

    __slots__ = ("known", "pending", "region")

    def __init__(
        self,
        region: Region,
        known: Mapping[tuple[Form, float], float] | None = None,
        pending: tuple[tuple[Function, float], ...] = (),
    ) -> None:
        self.region = region
        self.known = dict(known or {})
        self.pending = pending

    def range(self, function: Function) -> tuple[float, float]:
        """The least and the greatest value of a function."""
        if function.goes_round:
            return 0.0, function.period - 1
        least, most = self.region.range(function.linear)
        for each in function.divisions:
            low, high = self._values(each)
            least, most = least + min(low, high), most + max(low, high)
        if len(function.divisions) > 1:
            low, high = self.region.range(function.smooth)
            step = function.step
            least = max(least, step * ceil((low - function.slack) / step - 1e-6))
            most = min(most, step * floor(high / step + 1e-6))
        return least, most

    def _values(self, division: Division) -> tuple[float, float]:
        fixed = self.known.get((division.form, division.size))
        if fixed is not None:
            return division.factor * fixed, division.factor * fixed
        low, high = self.region.range(division.form)
        first, last = floor(low / division.size + 1e-6), floor(high / division.size + 1e-6)
        return division.factor * first, division.factor * last

    def at(self, function: Function, value: float) -> State:
        """What is left where a function has a value."""
        if not function.divisions:
            if not function.linear.terms:
                return self
            return State(
                self.region.within(function.linear, value, value), self.known, self.pending
            )
        if function.goes_round:
            return State(self._share(function, value), self.known, self.pending)
        state = State(self.region, self.known, (*self.pending, (function, value)))
        state._resolve()
        return state

    def _share(self, function: Function, value: float) -> Region:
        """As many points as have a value of a function that goes round, next to each other."""
        form = function.divisions[0].form
        low, high = self.region.range(form)
        size = (high - low + 1) / function.period
        first = low + size * value
        return self.region.within(form, first, first + size - 1)

    def _resolve(self) -> None:
        """Find the tiles whose number is known now, and restrict the region to them."""
        changed = True
        while changed:
            changed = False
            for function, value in self.pending:
                unknown = [d for d in function.divisions if (d.form, d.size) not in self.known]
                if function.linear.terms or len(unknown) > 1:
                    self.region = self.region.within(function.smooth, value, value + function.slack)
                elif unknown:
                    (last,) = unknown
                    rest = value - function.linear.constant
                    for each in function.divisions:
                        if each is not last:
                            rest -= each.factor * self.known[each.form, each.size]
                    number = round(rest / last.factor)
                    self.known[last.form, last.size] = number
                    first = last.size * number
                    self.region = self.region.within(last.form, first, first + last.size - 1)
                    changed = True
            self.pending = tuple(
                (function, value)
                for function, value in self.pending
                if function.linear.terms
                or any((d.form, d.size) not in self.known for d in function.divisions)
            )


Box = tuple[tuple[float, float], ...]


class Touched:
    """What references touch of one array: boxes that are not counted twice, and their cells.

    `most` is how many elements it has at most: iterations that have local arrays use them again.
    `extents` are those of its last dimensions, as of a `Reference`.
    """

    __slots__ = ("boxes", "extents", "most")

    def __init__(self, most: float = inf, extents: tuple[int, ...] = ()) -> None:
        self.boxes: list[tuple[Box, float, bool]] = []
        self.most = most
        self.extents = extents

    def add(self, box: Box, cells: float, is_written: bool) -> None:
        """Add a box with a number of cells; boxes are joined where that adds nothing."""
        for position, (other, has, written) in enumerate(self.boxes):
            hull = tuple((min(a, c), max(b, d)) for (a, b), (c, d) in zip(box, other, strict=True))
            if _volume(hull) <= (_volume(box) + _volume(other)) * 1.0001:
                share = max(cells / max(1.0, _volume(box)), has / max(1.0, _volume(other)))
                joined = min(cells + has, share * _volume(hull))
                joined = max(joined, cells, has)
                del self.boxes[position]
                self.add(hull, joined, written or is_written)
                return
        self.boxes.append((box, cells, is_written))

    def bytes(self, element: int, line: int) -> tuple[float, float]:
        """The bytes of all lines that are touched, and of those that are written."""
        total = written = 0.0
        for box, cells, is_written in self.boxes:
            row = self._row(box)
            # Rows start anywhere in a line.
            amount = cells / max(row, 1.0) * ((row - 1) * element + line)
            total += amount
            written += amount if is_written else 0.0
        return min(total, self.most * element), min(written, self.most * element)

    def _row(self, box: Box) -> float:
        """How many elements of a box follow each other in memory."""
        widths = [high - low + 1 for low, high in reversed(box)]
        row = widths[0] if widths else 1.0
        for width, inner, extent in zip(widths[1:], widths, reversed(self.extents), strict=False):
            if inner < extent:
                break
            row *= width
        return row


def _volume(box: Box) -> float:
    total = 1.0
    for low, high in box:
        total *= high - low + 1
    return total


def touched(
    states: Mapping[str, State], references: Mapping[str, Iterable[Reference]]
) -> dict[str, tuple[Touched, int]]:
    """What the statements touch of each array, and the bytes of its elements."""
    found: dict[str, tuple[Touched, int]] = {}
    for name, state in states.items():
        # Neighbours, as in stencils, are as many.
        cells: dict[tuple[Terms, ...], float] = {}
        for reference in references[name]:
            if reference.subscripts is None:
                continue
            forms = reference.subscripts
            directions = tuple(form.terms for form in forms)
            if directions not in cells:
                cells[directions] = count(state.region, forms)
            box = tuple(state.region.range(form) for form in forms)
            array, _ = found.setdefault(
                reference.array,
                (Touched(reference.elements, reference.extents), reference.bytes),
            )
            array.add(box, cells[directions], reference.is_write)
    return found


def bytes_touched(
    states: Mapping[str, State], references: Mapping[str, Iterable[Reference]], line: int
) -> tuple[float, float]:
    """The bytes of all cache lines that the statements touch, and of those that they write."""
    total = written = 0.0
    for array, element in touched(states, references).values():
        own, dirty = array.bytes(element, line)
        total, written = total + own, written + dirty
    return total, written
