"""Which elements a program touches: found by running its loops, not by analysis.

Both branches of a condition on data count as run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fuzzing.program import (
    Affine,
    Binary,
    Choice,
    Convert,
    DataGuard,
    Guard,
    Let,
    Load,
    Loop,
    Node,
    Program,
    Sizes,
    Store,
    Value,
)

PYTHON_OPERATORS = {"mod": "%", "floordiv": "//", "ceildiv": "//"}


class TooLongError(Exception):
    """The program runs more accesses than the tester has time for."""


@dataclass(frozen=True)
class Layout:
    """Where subscripts start and what extents they need.

    `shifts` makes every subscript of an array's dimension non-negative; `extents` are, for each
    of the program's sizes, those that all accesses fit in.
    """

    shifts: dict[str, tuple[int, ...]]
    extents: tuple[dict[str, tuple[int, ...]], ...]

    def largest(self, array: str) -> tuple[int, ...]:
        """Extents that fit for all sizes."""
        return tuple(max(sizes) for sizes in zip(*(e[array] for e in self.extents), strict=True))


def layout_of(program: Program) -> Layout:
    """The layout of a program; raises `TooLongError`."""
    runs = [_Recorder.run(program, dict(sizes)) for sizes in program.sizes]
    shifts: dict[str, tuple[int, ...]] = {}
    for array in program.arrays:
        lows = [run.low[array.name] for run in runs if array.name in run.low]
        shifts[array.name] = tuple(
            max([0, *(-low[dimension] for low in lows)]) for dimension in range(array.rank)
        )
    extents = tuple(
        {
            array.name: tuple(
                high + shift + 1
                for high, shift in zip(
                    run.high.get(array.name, (0,) * array.rank), shifts[array.name], strict=True
                )
            )
            for array in program.arrays
        }
        for run in runs
    )
    return Layout(shifts, tuple({k: _positive(v) for k, v in e.items()} for e in extents))


def is_parallel(program: Program, iterator: str) -> bool:
    """Whether no two iterations of a loop touch one element that one of them writes."""
    return not any(
        _Recorder.run(program, dict(sizes), iterator).conflict for sizes in program.sizes
    )


def _positive(extents: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(max(1, extent) for extent in extents)


@dataclass
class _Recorder:
    watched: str | None
    low: dict[str, list[int]] = field(default_factory=dict)
    high: dict[str, list[int]] = field(default_factory=dict)
    conflict: bool = False
    left: int = 60_000
    _touched: dict[object, tuple[object, bool]] = field(default_factory=dict)

    @staticmethod
    def run(program: Program, sizes: Sizes, watched: str | None = None) -> _Recorder:
        recorder = _Recorder(watched)
        lines = list(_python(program.body, "    ", watched))
        head = f"def run({', '.join(sizes)}, touch, start):"
        source = "\n".join([head, "    here = None", *lines])
        scope: dict[str, Callable[..., None]] = {}
        exec(source, scope)
        scope["run"](**sizes, touch=recorder.touch, start=recorder.start)
        return recorder

    def start(self) -> None:
        """The watched loop begins anew: what earlier runs of it touched is not a conflict."""
        self._touched = {}

    def touch(self, array: str, is_write: bool, iteration: object, *element: int) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLongError
        if array not in self.low:
            self.low[array], self.high[array] = list(element), list(element)
        for dimension, coordinate in enumerate(element):
            self.low[array][dimension] = min(self.low[array][dimension], coordinate)
            self.high[array][dimension] = max(self.high[array][dimension], coordinate)
        if iteration is None:
            return
        before, written = self._touched.setdefault((array, element), (iteration, is_write))
        if before != iteration and (written or is_write):
            self.conflict = True
        self._touched[(array, element)] = (before, written or is_write)


def _expression(expression: Affine) -> str:
    return expression.text(defaultdict(str, {n: n for n in expression.names()}), PYTHON_OPERATORS)


def _python(body: tuple[Node, ...], indent: str, watched: str | None) -> Iterator[str]:
    yield f"{indent}pass"
    deeper = indent + "    "
    for node in body:
        match node:
            case Let(value=value):
                yield from _reads(value, indent)
            case Store():
                yield from _store(node, indent)
            case Loop():
                if node.carried is not None:
                    yield from _reads(node.carried.initial, indent)
                lower = f"max([{', '.join(map(_expression, node.lowers))}])"
                upper = f"min([{', '.join(map(_expression, node.uppers))}])"
                if node.iterator == watched:
                    yield f"{indent}start()"
                yield f"{indent}for {node.iterator} in range({lower}, {upper}, {node.step}):"
                if node.iterator == watched:
                    yield f"{deeper}here = {node.iterator}"
                yield from _python(node.body, deeper, watched)
                if node.carried is not None:
                    yield from _reads(node.carried.yielded, deeper)
                    yield from _store(node.carried.result, indent)
                if node.iterator == watched:
                    yield f"{indent}here = None"
            case Guard():
                tests = " and ".join(f"({_expression(e)}) {sign} 0" for e, sign in node.conditions)
                yield f"{indent}if {tests}:"
                yield from _python(node.body, deeper, watched)
                yield f"{indent}else:"
                yield from _python(node.otherwise, deeper, watched)
            case DataGuard():
                yield from _reads(node.left, indent)
                yield from _reads(node.right, indent)
                yield from _python(node.body, indent, watched)
                yield from _python(node.otherwise, indent, watched)


def _store(store: Store, indent: str) -> Iterator[str]:
    yield from _reads(store.value, indent)
    yield indent + _touch(store.array, True, store.subscripts)


def _reads(value: Value, indent: str) -> Iterator[str]:
    match value:
        case Load():
            yield indent + _touch(value.array, False, value.subscripts)
        case Binary():
            yield from _reads(value.left, indent)
            yield from _reads(value.right, indent)
        case Convert():
            yield from _reads(value.value, indent)
        case Choice():
            for part in (value.left, value.right, value.first, value.second):
                yield from _reads(part, indent)
        case _:
            pass


def _touch(array: str, is_write: bool, subscripts: tuple[Affine, ...]) -> str:
    arguments = [repr(array), str(is_write), "here", *map(_expression, subscripts)]
    return f"touch({', '.join(arguments)})"
