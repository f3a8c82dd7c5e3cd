"""Programs with index arrays: as MLIR, and as Python runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fuzzing.irregular_nodes import (
    TYPES,
    Binary,
    Condition,
    Constant,
    Index,
    Number,
    Run,
    Sum,
    Value,
    Writer,
    subscripts_of,
)


@dataclass(frozen=True)
class Store:
    """An assignment to an element of data."""

    array: str
    places: tuple[Index, ...]
    value: Value
    is_affine: bool = True

    def emit(self, out: Writer) -> None:
        value = self.value.emit(out)
        dialect, subscripts = subscripts_of(self.places, out, self.is_affine)
        out.add(f"{dialect}.store {value}, %{self.array}[{subscripts}] : {TYPES[self.array]}")

    def run(self, run: Run) -> None:
        value = self.value.of(run)
        row, place = run.at(self.array, [each.at(run) for each in self.places])
        row[place] = value


@dataclass(frozen=True)
class Update:
    """An update of an element, whose subscripts are computed once."""

    array: str
    places: tuple[Index, ...]
    operation: str
    value: Value
    is_affine: bool = True

    def emit(self, out: Writer) -> None:
        value = self.value.emit(out)
        dialect, subscripts = subscripts_of(self.places, out, self.is_affine)
        type = TYPES[self.array]
        old = out.value(f"{dialect}.load %{self.array}[{subscripts}] : {type}", "old")
        new = out.value(f"arith.{self.operation} {old}, {value} : {self.value.type}", "new")
        out.add(f"{dialect}.store {new}, %{self.array}[{subscripts}] : {type}")

    def run(self, run: Run) -> None:
        value = self.value.of(run)
        row, place = run.at(self.array, [each.at(run) for each in self.places])
        row[place] = Binary(
            self.operation, Constant(row[place], self.value.type), Constant(value, self.value.type)
        ).of(run)


@dataclass(frozen=True)
class SetIndex:
    """An assignment to an element of an index array."""

    array: str
    place: Index
    value: Index

    def emit(self, out: Writer) -> None:
        value = self.value.emit(out)
        dialect, subscripts = subscripts_of((self.place,), out, True)
        out.add(f"{dialect}.store {value}, %{self.array}[{subscripts}] : {TYPES[self.array]}")

    def run(self, run: Run) -> None:
        value = self.value.at(run)
        row, place = run.at(self.array, [self.place.at(run)])
        row[place] = value


@dataclass(frozen=True)
class If:
    """A conditional."""

    condition: Condition
    then: tuple[Statement, ...]
    other: tuple[Statement, ...] = ()

    def emit(self, out: Writer) -> None:
        out.add(f"scf.if {self.condition.emit(out)} {{")
        emit_all(self.then, out)
        if self.other:
            out.add("} else {")
            emit_all(self.other, out)
        out.add("}")

    def run(self, run: Run) -> None:
        run_all(self.then if self.condition.holds(run) else self.other, run)


@dataclass(frozen=True)
class For:
    """A loop. Its bounds are affine, or `is_scf`; then, they may come out of memory.

    With `parallel`, its iterations are independent.
    """

    counter: str
    lower: Index
    upper: Index
    step: int
    body: tuple[Statement, ...]
    is_scf: bool = False
    parallel: bool = False

    def emit(self, out: Writer) -> None:
        if self.is_scf:
            lower, upper = self.lower.emit(out), self.upper.emit(out)
            kind = f"scf.for %{self.counter} = {lower} to {upper} step %c{self.step}"
        elif self.parallel:
            kind = f"affine.parallel (%{self.counter}) = (0) to ({self.upper.affine})"
        else:
            step = f" step {self.step}" if self.step > 1 else ""
            lower, upper = _bound(self.lower), _bound(self.upper)
            kind = f"affine.for %{self.counter} = {lower} to {upper}{step}"
        out.add(f"{kind} {{")
        emit_all(self.body, out)
        out.add("}")

    def run(self, run: Run) -> None:
        for value in range(self.lower.at(run), self.upper.at(run), self.step):
            run.counters[self.counter] = value
            run_all(self.body, run)
        run.counters.pop(self.counter, None)


def _bound(index: Index) -> str:
    """A bound of an affine loop; what is not a number needs a map, as it may be a counter."""
    if isinstance(index, Sum):
        assert isinstance(index.right, Number)
        sign = f"(d0) -> (d0 {index.sign} {index.right.number})"
        return f"affine_map<{sign}>({index.left.affine})"
    assert index.affine is not None
    return (
        index.affine if isinstance(index, Number) else f"affine_map<(d0) -> (d0)>({index.affine})"
    )


@dataclass(frozen=True)
class Fold:
    """A loop that carries a value, which is stored after it."""

    counter: str
    lower: Index
    upper: Index
    first: Value
    next: Value
    carried: str
    array: str
    place: Index

    def emit(self, out: Writer) -> None:
        lower, upper, first = (each.emit(out) for each in (self.lower, self.upper, self.first))
        result = out.value(
            f"scf.for %{self.counter} = {lower} to {upper} step %c1 "
            f"iter_args(%{self.carried} = {first}) -> (f64) {{",
            "sum",
        )
        out.add(f"scf.yield {self.next.emit(out)} : f64")
        out.add("}")
        dialect, subscripts = subscripts_of((self.place,), out, True)
        out.add(f"{dialect}.store {result}, %{self.array}[{subscripts}] : {TYPES[self.array]}")

    def run(self, run: Run) -> None:
        first = self.first.of(run)
        for value in range(self.lower.at(run), self.upper.at(run)):
            run.counters[self.counter] = value
            run.carried[self.carried] = first
            first = self.next.of(run)
        run.counters.pop(self.counter, None)
        row, place = run.at(self.array, [self.place.at(run)])
        row[place] = first


@dataclass(frozen=True)
class Private:
    """Memory of one element that an iteration has for itself, which is then added somewhere."""

    name: str
    value: Value
    array: str
    place: Index

    def emit(self, out: Writer) -> None:
        out.add(f"%{self.name} = memref.alloca() : memref<1xf64>")
        value = self.value.emit(out)
        out.add(f"affine.store {value}, %{self.name}[0] : memref<1xf64>")
        again = out.value(f"affine.load %{self.name}[0] : memref<1xf64>")
        dialect, subscripts = subscripts_of((self.place,), out, True)
        out.add(f"{dialect}.store {again}, %{self.array}[{subscripts}] : {TYPES[self.array]}")

    def run(self, run: Run) -> None:
        value = self.value.of(run)
        row, place = run.at(self.array, [self.place.at(run)])
        row[place] = value


Statement = Store | Update | SetIndex | If | For | Fold | Private


def emit_all(statements: Sequence[Statement], out: Writer) -> None:
    """Add the MLIR of some statements."""
    for each in statements:
        each.emit(out)


def run_all(statements: Sequence[Statement], run: Run) -> None:
    """Run statements one after the other."""
    for each in statements:
        each.run(run)


ARGUMENTS = ("n", "steps", "flag")


@dataclass(frozen=True)
class Program:
    """A function of a size, a number of steps, a flag, and the `arrays`.

    With `is_exact`, all its numbers are integers that no order of sums rounds.
    """

    seed: int
    arrays: tuple[str, ...]
    body: tuple[Statement, ...]
    is_exact: bool

    def text(self, name: str = "f") -> str:
        """The function as MLIR."""
        out = Writer()
        kinds = {"n": "index", "steps": "index", "flag": "i1", **TYPES}
        parameters = ", ".join(f"%{each}: {kinds[each]}" for each in (*ARGUMENTS, *self.arrays))
        out.add(f"func.func @{name}({parameters}) {{")
        for number in range(4):
            out.add(f"%c{number} = arith.constant {number} : index")
        out.add("%zero = arith.constant 0.0 : f64")
        emit_all(self.body, out)
        out.add("return\n}")
        return "\n".join(out.lines)
