"""Parts of programs with index arrays: indices, conditions and values.

Each part has `emit`, which adds its MLIR, and a method that does the same in Python, from the
meaning of the part. So what a program computes is known without any compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

TYPES = {
    **dict.fromkeys(("A", "B", "C", "w", "values"), "memref<?xf64>"),
    "M": "memref<?x3xf64>",
    **dict.fromkeys(("K", "L"), "memref<?xi64>"),
    **dict.fromkeys(("p", "q", "r", "rows", "columns"), "memref<?xindex>"),
    "short": "memref<?xi32>",
}
"""The arrays that a program may have."""

COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "slt": lambda a, b: a < b,
    "sge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def wrapped(value: int) -> int:
    """A number as 64 bits hold it."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


OPERATIONS: dict[str, Callable] = {
    "addf": lambda a, b: a + b,
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "addi": lambda a, b: wrapped(a + b),
    "subi": lambda a, b: wrapped(a - b),
    "xori": lambda a, b: a ^ b,
    "andi": lambda a, b: a & b,
}


class Writer:
    """The lines of a module."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def add(self, line: str) -> None:
        """Add a line."""
        self.lines.append(line)

    def value(self, operation: str, name: str = "v") -> str:
        """Add an operation; its result."""
        self._count += 1
        result = f"%{name}{self._count}"
        self.add(f"{result} = {operation}")
        return result


class RunError(Exception):
    """The program cannot be run: it would take too long, or be rounded where it must not."""


@dataclass
class Run:
    """What a program finds in memory: the first elements of each array, of which `used` are."""

    memory: dict[str, list]
    numbers: dict[str, int]
    is_exact: bool
    used: dict[str, int] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    carried: dict[str, float] = field(default_factory=dict)
    steps: int = 0

    def at(self, array: str, places: Sequence[int]) -> tuple[list, int]:
        """A row of an array and a place in it."""
        self.steps += 1
        if self.steps > 20_000:
            raise RunError("too long")
        first = places[0]
        assert 0 <= first < len(self.memory[array]), (array, places)
        self.used[array] = max(self.used.get(array, 0), first + 1)
        if len(places) == 1:
            return self.memory[array], first
        assert 0 <= places[1] < 3
        return self.memory[array][first], places[1]


# Indices


@dataclass(frozen=True)
class Name:
    """A counter, or a number that the function has as an argument.

    Affine operations cannot use the counters of other loops.
    """

    name: str
    is_affine: bool = True

    @property
    def affine(self) -> str | None:
        return f"%{self.name}" if self.is_affine else None

    def emit(self, out: Writer) -> str:
        return f"%{self.name}"

    def at(self, run: Run) -> int:
        counter = run.counters.get(self.name)
        return run.numbers[self.name] if counter is None else counter


@dataclass(frozen=True)
class Number:
    """A constant, below 4."""

    number: int

    @property
    def affine(self) -> str | None:
        return str(self.number)

    def emit(self, out: Writer) -> str:
        return f"%c{self.number}"

    def at(self, run: Run) -> int:
        return self.number


@dataclass(frozen=True)
class Sum:
    """A sum or difference of indices."""

    left: Index
    right: Index
    sign: str = "+"

    @property
    def affine(self) -> str | None:
        left, right = self.left.affine, self.right.affine
        if left is None or right is None or (self.sign == "-" and " " in right):
            return None
        return f"{left} {self.sign} {right}"

    def emit(self, out: Writer) -> str:
        operation = "addi" if self.sign == "+" else "subi"
        left, right = self.left.emit(out), self.right.emit(out)
        return out.value(f"arith.{operation} {left}, {right} : index")

    def at(self, run: Run) -> int:
        right = self.right.at(run)
        return self.left.at(run) + (right if self.sign == "+" else -right)


@dataclass(frozen=True)
class Element:
    """An element of an index array."""

    array: str
    place: Index
    is_affine: bool = True

    affine = None

    def emit(self, out: Writer) -> str:
        value = _load(self.array, (self.place,), out, self.is_affine)
        if self.array == "short":
            return out.value(f"arith.index_cast {value} : i32 to index")
        return value

    def at(self, run: Run) -> int:
        row, place = run.at(self.array, [self.place.at(run)])
        return row[place]


@dataclass(frozen=True)
class Chosen:
    """One of two indices, as a condition says."""

    condition: Condition
    one: Index
    other: Index

    affine = None

    def emit(self, out: Writer) -> str:
        condition = self.condition.emit(out)
        result = out.value(f"scf.if {condition} -> (index) {{", "chosen")
        out.add(f"scf.yield {self.one.emit(out)} : index")
        out.add("} else {")
        out.add(f"scf.yield {self.other.emit(out)} : index")
        out.add("}")
        return result

    def at(self, run: Run) -> int:
        return (self.one if self.condition.holds(run) else self.other).at(run)


Index = Name | Number | Sum | Element | Chosen


def subscripts_of(places: Sequence[Index], out: Writer, is_affine: bool) -> tuple[str, str]:
    """The dialect of an access, and its subscripts."""
    texts = [place.affine for place in places]
    if is_affine and None not in texts:
        return "affine", ", ".join(map(str, texts))
    return "memref", ", ".join([place.emit(out) for place in places])


def _load(array: str, places: Sequence[Index], out: Writer, is_affine: bool) -> str:
    dialect, subscripts = subscripts_of(places, out, is_affine)
    return out.value(f"{dialect}.load %{array}[{subscripts}] : {TYPES[array]}", array)


# Conditions


@dataclass(frozen=True)
class Compared:
    """Whether two indices are so."""

    comparison: str
    left: Index
    right: Index

    def emit(self, out: Writer) -> str:
        left, right = self.left.emit(out), self.right.emit(out)
        return out.value(f"arith.cmpi {self.comparison}, {left}, {right} : index")

    def holds(self, run: Run) -> bool:
        return COMPARISONS[self.comparison](self.left.at(run), self.right.at(run))


@dataclass(frozen=True)
class Positive:
    """Whether an element of floating-point data is above zero."""

    data: Data

    def emit(self, out: Writer) -> str:
        return out.value(f"arith.cmpf ogt, {self.data.emit(out)}, %zero : f64")

    def holds(self, run: Run) -> bool:
        return self.data.of(run) > 0


@dataclass(frozen=True)
class Flag:
    """An argument of the function."""

    name: str = "flag"

    def emit(self, out: Writer) -> str:
        return f"%{self.name}"

    def holds(self, run: Run) -> bool:
        return bool(run.numbers[self.name])


Condition = Compared | Positive | Flag


# Values


@dataclass(frozen=True)
class Data:
    """An element of data."""

    array: str
    places: tuple[Index, ...]
    is_affine: bool = True

    @property
    def type(self) -> str:
        return "i64" if self.array in "KL" else "f64"

    def emit(self, out: Writer) -> str:
        return _load(self.array, self.places, out, self.is_affine)

    def of(self, run: Run) -> float:
        row, place = run.at(self.array, [each.at(run) for each in self.places])
        return row[place]


@dataclass(frozen=True)
class Constant:
    """A constant."""

    number: float
    type: str

    def emit(self, out: Writer) -> str:
        text = f"{self.number:.4f}" if self.type == "f64" else f"{int(self.number)}"
        return out.value(f"arith.constant {text} : {self.type}")

    def of(self, run: Run) -> float:
        return self.number


@dataclass(frozen=True)
class Binary:
    """An operation on two values."""

    operation: str
    left: Value
    right: Value

    @property
    def type(self) -> str:
        return self.left.type

    def emit(self, out: Writer) -> str:
        left, right = self.left.emit(out), self.right.emit(out)
        return out.value(f"arith.{self.operation} {left}, {right} : {self.type}")

    def of(self, run: Run) -> float:
        result = OPERATIONS[self.operation](self.left.of(run), self.right.of(run))
        if run.is_exact and self.type == "f64" and abs(result) >= 1 << 53:
            raise RunError("not exact")
        return result


@dataclass(frozen=True)
class Carried:
    """What the iterations of a loop around carry."""

    name: str
    type = "f64"

    def emit(self, out: Writer) -> str:
        return f"%{self.name}"

    def of(self, run: Run) -> float:
        return run.carried[self.name]


Value = Data | Constant | Binary | Carried
