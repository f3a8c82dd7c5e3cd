"""What a random nest is, and a writer of its C text that declares arrays as people do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log, prod
from random import Random
from typing import Final

STYLES: Final = ("rows", "rows", "flat", "flat", "fixed")
"""How arrays are declared: `T A[n][m]`, `T *restrict A` with `A[i * m + j]`, `T A[100][20]`."""


@dataclass(frozen=True)
class Array:
    """An array argument: its C type, and how many elements it has.

    Integers are below `limit`, floating-point numbers from 0 to 1.
    """

    type: str
    count: int
    limit: int = 100


@dataclass(frozen=True)
class Nest:
    """A C function `kernel` with loops, and the arguments of a call: whole numbers and arrays.

    `work` is about how many operations a call executes. `parameters` are the whole numbers by name.
    """

    kind: str
    text: str
    arguments: tuple[int | Array, ...]
    work: float
    sizes: str
    parameters: Mapping[str, int]


@dataclass
class Writer:
    """Collects the parameters of a function; `style` says how its arrays are declared."""

    random: Random
    style: str
    sizes: dict[str, int] = field(default_factory=dict)
    _arrays: list[tuple[str, Array, tuple[str, ...]]] = field(default_factory=list)
    _extents: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def size(self, name: str, low: int, high: int) -> int:
        """A new size, as likely from 10 to 100 as from 100 to 1000."""
        value = round(exp(self.random.uniform(log(low), log(high))))
        # People like round sizes.
        if value > 16 and self.random.random() < 0.5:
            value = value // 8 * 8
        self.sizes[name] = value
        return value

    def array(self, name: str, type: str, *extents: str, limit: int = 100) -> None:
        """A new array; extents are names of sizes, numbers, or sums such as `n + 2`."""
        count = prod(self.value(extent) for extent in extents)
        self._arrays.append((name, Array(type, count, limit), extents))
        self._extents[name] = extents

    def value(self, extent: str) -> int:
        """The number that an extent is."""
        return sum(self.sizes.get(part) or int(part) for part in extent.split(" + "))

    def at(self, name: str, *indices: str) -> str:
        """An element of an array."""
        extents = self._extents[name]
        if self.style != "flat" or len(extents) == 1:
            return name + "".join(f"[{index}]" for index in indices)
        text = _factor(indices[0])
        for extent, index in zip(extents[1:], indices[1:], strict=True):
            text = f"{_factor(text)} * {_factor(extent)} + {index}"
        return f"{name}[{text}]"

    def nest(self, kind: str, body: str, work: float, before: str = "") -> Nest:
        """The function with a body."""
        parameters = [f"int {name}" for name in self.sizes]
        numbers: list[int | Array] = list(self.sizes.values())
        defines: list[str] = []
        if self.style == "fixed":
            defines = [f"#define {name} {value}" for name, value in self.sizes.items()]
            parameters, numbers = [], []
        for name, array, extents in self._arrays:
            if self.style == "flat" or (len(extents) == 1 and self.style == "rows"):
                parameters.append(f"{array.type} *restrict {name}")
            else:
                parameters.append(
                    f"{array.type} {name}" + "".join(f"[{extent}]" for extent in extents)
                )
            numbers.append(array)
        head = f"void kernel({', '.join(parameters)})"
        sizes = " ".join(f"{name}={value}" for name, value in self.sizes.items())
        text = "\n".join([*defines, before, f"{head} {{", _indented(body), "}", ""]).lstrip()
        known = {} if self.style == "fixed" else self.sizes
        return Nest(kind, text, tuple(numbers), work, f"{self.style} {sizes}", known)


def _factor(text: str) -> str:
    is_closed = text.startswith("(") and ")" not in text[:-1]
    return f"({text})" if " " in text and not is_closed else text


def _indented(body: str) -> str:
    """The body with two spaces a brace."""
    depth, lines = 1, []
    for line in filter(None, map(str.strip, body.splitlines())):
        depth -= line.startswith("}")
        lines.append("  " * depth + line)
        depth += line.count("{") - line.count("}") + line.startswith("}")
    return "\n".join(lines)


def loop(iterator: str, low: str, high: str, body: str) -> str:
    """A loop from `low` to below `high`."""
    return f"for (int {iterator} = {low}; {iterator} < {high}; {iterator}++) {{\n{body}\n}}"


def loops(ranges: Sequence[tuple[str, str, str]], body: str) -> str:
    """Loops around a body, the outermost first."""
    for iterator, low, high in reversed(ranges):
        body = loop(iterator, low, high, body)
    return body
