"""Static control programs as small trees: what the random tester makes, shrinks and prints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Sizes = Mapping[str, int]
"""Values of the size parameters."""

FLOATS = ("f64", "f32")
INTEGERS = ("i64", "i32", "i8")


@dataclass(frozen=True)
class Quotient:
    """`coefficient * (inner mod divisor)`, or the same with `floordiv` or `ceildiv`."""

    coefficient: int
    inner: Affine
    operation: str
    divisor: int


@dataclass(frozen=True)
class Affine:
    """A quasi-affine expression over iterators and size parameters, which go by their names."""

    terms: tuple[tuple[int, str], ...] = ()
    quotients: tuple[Quotient, ...] = ()
    constant: int = 0

    def shifted(self, amount: int) -> Affine:
        return Affine(self.terms, self.quotients, self.constant + amount)

    def names(self) -> tuple[str, ...]:
        """The names used, each once."""
        inner = [name for quotient in self.quotients for name in quotient.inner.names()]
        return tuple(dict.fromkeys([name for _, name in self.terms] + inner))

    def text(self, names: Mapping[str, str], operators: Mapping[str, str]) -> str:
        """The expression with its names and its operators as given."""
        parts = [
            names[name] if factor == 1 else f"{names[name]} * {factor}"
            for factor, name in self.terms
        ]
        for quotient in self.quotients:
            inner = quotient.inner.text(names, operators)
            operator = operators[quotient.operation]
            if quotient.operation == "ceildiv" and operator == "//":
                parts.append(f"(-((-({inner})) // {quotient.divisor})) * {quotient.coefficient}")
            else:
                operation = f"(({inner}) {operator} {quotient.divisor})"
                parts.append(f"{operation} * {quotient.coefficient}")
        if self.constant or not parts:
            parts.append(str(self.constant))
        return " + ".join(parts)


@dataclass(frozen=True)
class Array:
    """An array of the function's arguments, or a local one; what fits is found by a trace.

    `dynamic` says for each dimension whether its extent is part of the type.
    """

    name: str
    type: str
    dynamic: tuple[bool, ...]
    local: bool = False

    @property
    def rank(self) -> int:
        return len(self.dynamic)


@dataclass(frozen=True)
class Load:
    type: str
    array: str
    subscripts: tuple[Affine, ...]


@dataclass(frozen=True)
class Constant:
    type: str
    text: str


@dataclass(frozen=True)
class IndexValue:
    """An affine expression as a number of `type`."""

    type: str
    expression: Affine


@dataclass(frozen=True)
class Reference:
    """A value that was computed before: by a `Let`, or carried by a loop."""

    type: str
    name: str


@dataclass(frozen=True)
class Binary:
    type: str
    operation: str
    left: Value
    right: Value


@dataclass(frozen=True)
class Convert:
    type: str
    value: Value


@dataclass(frozen=True)
class Choice:
    """`first` where `left < right`, else `second`; computed in branches or by a select."""

    type: str
    left: Value
    right: Value
    first: Value
    second: Value
    branches: bool


Value = Load | Constant | IndexValue | Reference | Binary | Convert | Choice


@dataclass(frozen=True)
class Let:
    """A value that later nodes of the block may use."""

    name: str
    value: Value


@dataclass(frozen=True)
class Store:
    array: str
    subscripts: tuple[Affine, ...]
    value: Value


@dataclass(frozen=True)
class Carried:
    """A value that a loop carries: its name inside, and where the last one is stored."""

    name: str
    initial: Value
    yielded: Value
    result: Store


@dataclass(frozen=True)
class Loop:
    """`for iterator = max(lowers) to min(uppers) step step`."""

    iterator: str
    lowers: tuple[Affine, ...]
    uppers: tuple[Affine, ...]
    step: int
    body: tuple[Node, ...]
    kind: str = "for"
    carried: Carried | None = None


@dataclass(frozen=True)
class Guard:
    """An affine condition: each expression is zero (`==`) or not negative (`>=`)."""

    conditions: tuple[tuple[Affine, str], ...]
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...]


@dataclass(frozen=True)
class DataGuard:
    """A condition on data: `left < right`."""

    left: Value
    right: Value
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...]


Node = Let | Store | Loop | Guard | DataGuard


@dataclass(frozen=True)
class Program:
    """A function; with `constant` sizes it has no size parameters, but the one size's numbers.

    `sizes` are the values of the size parameters for which it is run.
    """

    arrays: tuple[Array, ...]
    body: tuple[Node, ...]
    sizes: tuple[tuple[tuple[str, int], ...], ...]
    constant: bool
    seed: int

    def array(self, name: str) -> Array:
        return next(array for array in self.arrays if array.name == name)
