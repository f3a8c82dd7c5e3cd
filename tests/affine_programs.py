"""Random affine programs, as text in MLIR's syntax."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

from hypothesis import strategies as st

RANKS = {"A": 1, "B": 2, "C": 0}
CONSTRAINTS = (
    *("d0 - 1 >= 0", "s0 - d0 - 2 >= 0", "d0 mod 2 == 0", "d0 - 1 == 0"),
    *("d0 - d1 >= 0", "s0 - d0 - 2 * d1 >= 0", "2 * d0 - d1 - 1 == 0", "s0 - 3 * d0 >= 0"),
)


@dataclass
class Writer:
    """Writes a random program; `values` and `iterators` are what is in scope."""

    draw: st.DrawFn
    values: list[str]
    iterators: list[str]
    numbers: Iterator[int]
    lines: list[str] = field(default_factory=list)

    def inner(self, *iterators: str, values: tuple[str, ...] = ()) -> Writer:
        """A writer for a block inside: what it defines stays there."""
        return Writer(
            self.draw,
            [*self.values, *values],
            [*self.iterators, *iterators],
            self.numbers,
            self.lines,
        )

    def fresh(self) -> str:
        return f"%v{next(self.numbers)}"

    def some_value(self) -> str:
        # Recent values are the interesting ones: drawing 0 gives the last.
        return self.values[-1 - self.draw(st.integers(0, min(3, len(self.values) - 1)))]

    def some_index(self) -> str:
        """A linear subscript."""
        terms = [
            f"{name} * {factor}" if factor != 1 else name
            for name in [*self.iterators, "symbol(%n)"]
            if (factor := self.draw(st.sampled_from([0, 0, 1, 1, -1, 2])))
        ]
        return " + ".join([*terms, str(self.draw(st.integers(-1, 2)))])

    def some_element(self) -> str:
        array = self.draw(st.sampled_from(list(RANKS)))
        shape = "?x" * RANKS[array]
        subscripts = ", ".join(self.some_index() for _ in range(RANKS[array]))
        return f"%{array}[{subscripts}] : memref<{shape}f64>"

    def bound(self) -> str:
        if not self.iterators:
            return self.draw(st.sampled_from(["%n", "3"]))
        iterator = self.draw(st.sampled_from(self.iterators))
        offset = self.draw(st.integers(-1, 1))
        return f"affine_map<(d0) -> (d0 + {offset})>({iterator})"

    def block(self, depth: int) -> None:
        for _ in range(self.draw(st.integers(1, 5))):
            self.operation(depth)

    def operation(self, depth: int) -> None:
        kinds = [self.load, self.load, self.compute, self.store, self.store]
        if depth > 0:
            nested = [self.loop, self.loop, self.carrying_loop, self.conditional, self.choice]
            kinds += [lambda kind=kind: kind(depth - 1) for kind in nested]
            kinds += [self.data_dependent]
        self.draw(st.sampled_from(kinds))()

    def load(self) -> None:
        value = self.fresh()
        self.lines.append(f"{value} = affine.load {self.some_element()}")
        self.values.append(value)

    def compute(self) -> None:
        value = self.fresh()
        self.lines.append(f"{value} = arith.addf {self.some_value()}, {self.some_value()} : f64")
        self.values.append(value)

    def store(self) -> None:
        self.lines.append(f"affine.store {self.some_value()}, {self.some_element()}")

    def loop(self, depth: int) -> None:
        iterator = self.fresh()
        lower = self.draw(st.sampled_from(["0", "1"])) if self.draw(st.booleans()) else self.bound()
        step = self.draw(st.sampled_from(["", "", " step 2"]))
        self.lines.append(f"affine.for {iterator} = {lower} to %n{step} {{")
        self.inner(iterator).block(depth)
        self.lines.append("}")

    def carrying_loop(self, depth: int) -> None:
        iterator, first, second, result = (self.fresh() for _ in range(4))
        self.lines.append(
            f"{result}:2 = affine.for {iterator} = 0 to {self.bound()} iter_args("
            f"{first} = {self.some_value()}, {second} = {self.some_value()}) -> (f64, f64) {{"
        )
        body = self.inner(iterator, values=(first, second))
        body.block(depth)
        self.lines.append(f"affine.yield {body.some_value()}, {body.some_value()} : f64, f64")
        self.lines.append("}")
        self.values += [f"{result}#0", f"{result}#1"]

    def condition(self) -> str:
        iterators = st.sampled_from(self.iterators or ["%n"])
        constraints = self.draw(st.lists(st.sampled_from(CONSTRAINTS), min_size=1, max_size=2))
        operands = f"({self.draw(iterators)}, {self.draw(iterators)})[%n]"
        return f"affine_set<(d0, d1)[s0] : ({', '.join(constraints)})>{operands}"

    def conditional(self, depth: int) -> None:
        self.lines.append(f"affine.if {self.condition()} {{")
        self.inner().block(depth)
        if self.draw(st.booleans()):
            self.lines.append("} else {")
            self.inner().block(depth)
        self.lines.append("}")

    def choice(self, depth: int) -> None:
        result = self.fresh()
        self.lines.append(f"{result} = affine.if {self.condition()} -> f64 {{")
        self._yielding(depth, "affine")
        self.lines.append("} else {")
        self._yielding(depth, "affine")
        self.lines.append("}")
        self.values.append(result)

    def data_dependent(self) -> None:
        condition, result = self.fresh(), self.fresh()
        compared = f"{self.some_value()}, {self.some_value()}"
        self.lines.append(f"{condition} = arith.cmpf olt, {compared} : f64")
        self.lines.append(f"{result} = scf.if {condition} -> (f64) {{")
        self._yielding(0, "scf")
        self.lines.append("} else {")
        self._yielding(0, "scf")
        self.lines.append("}")
        self.values.append(result)

    def _yielding(self, depth: int, dialect: str) -> None:
        body = self.inner()
        body.block(depth)
        self.lines.append(f"{dialect}.yield {body.some_value()} : f64")


@st.composite
def affine_programs(draw: st.DrawFn) -> str:
    """A function on three arrays that returns a value.

    It has loops that carry values, conditions on indices and on data, and values that are used
    far from where they are computed; subscripts may be out of bounds.
    """
    writer = Writer(draw, ["%x"], [], count())
    for _ in range(draw(st.integers(1, 3))):
        writer.operation(3)
    writer.loop(2)
    writer.block(1)
    arguments = ", ".join(f"%{array}: memref<{'?x' * rank}f64>" for array, rank in RANKS.items())
    body = "\n".join(writer.lines)
    return (
        f"func.func @f(%n: index, %x: f64, {arguments}) -> f64 {{\n{body}\n"
        f"return {writer.some_value()} : f64\n}}"
    )
