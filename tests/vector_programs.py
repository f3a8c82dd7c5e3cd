"""Programs on vectors: each operation on rows of an array, for a type and a number of lanes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scalar_operations import FLOAT_BINARY, FLOAT_PREDICATES, INTEGER_BINARY, INTEGER_PREDICATES

LENGTH = 64
"""Elements of an operand: a multiple of all numbers of lanes."""

DTYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
}
WIDTHS = {"f32": 32, "f64": 64, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


@dataclass(frozen=True)
class VectorProgram:
    """A function `f(A, B, M, C, n)`: lines in `{a}`, `{b}` and so on give the rows of `C`."""

    element: str
    lanes: int

    @property
    def type(self) -> str:
        return f"vector<{self.lanes}x{self.element}>"

    @property
    def mask(self) -> str:
        return f"vector<{self.lanes}xi1>"

    @property
    def text(self) -> str:
        rows = list(self._rows())
        memory, out = f"memref<{LENGTH}x{self.element}>", f"memref<?x{LENGTH}x{self.element}>"
        lines: list[str] = []
        for number, row in enumerate(rows):
            *before, last = row
            for line in before:
                lines.append("    " + line.replace("$", f"_{number}"))
            value = last.replace("$", f"_{number}")
            lines.append(f"    %r_{number} = {value}")
            lines.append(
                f"    affine.vector_store %r_{number}, %C[{number}, %j] : {out}, {self.type}"
            )
        body = "\n".join(lines)
        return f"""\
func.func @f(%A: {memory}, %B: {memory}, %C: {out}, %n: index, %x: {self.element}, %p: i1) {{
  affine.for %j = 0 to {LENGTH} step {self.lanes} {{
    %a = affine.vector_load %A[%j] : {memory}, {self.type}
    %b = affine.vector_load %B[%j] : {memory}, {self.type}
    %m = arith.{self._less} %a, %b : {self.type}
    %first = vector.create_mask %n : {self.mask}
{body}
  }}
  return
}}
"""

    @property
    def count(self) -> int:
        """The number of rows of `C`."""
        return len(list(self._rows()))

    def shown(self, row: int) -> str:
        """What computes a row of `C`."""
        return "; ".join(list(self._rows())[row])

    @property
    def _is_float(self) -> bool:
        return self.element.startswith("f")

    @property
    def _less(self) -> str:
        return "cmpf olt," if self._is_float else "cmpi slt,"

    def _rows(self) -> Iterator[Sequence[str]]:
        yield from self._arithmetic()
        yield from self._comparisons()
        yield from self._conversions()
        yield from self._lanes()
        yield from self._masks()
        yield from self._carried()

    def _arithmetic(self) -> Iterator[Sequence[str]]:
        # Divisors are not zero: `%d` is 1 where `%b` is.
        if self._is_float:
            for name in FLOAT_BINARY:
                yield (f"arith.{name} %a, %b : {self.type}",)
            yield (f"arith.negf %a : {self.type}",)
            for name in ("absf", "sqrt", "exp", "floor", "ceil", "trunc", "roundeven", "rsqrt"):
                yield (f"math.{name} %a : {self.type}",)
            yield (f"math.copysign %a, %b : {self.type}",)
            yield (f"math.fma %a, %b, %a : {self.type}",)
            yield (
                f"%t$ = arith.mulf %a, %b : {self.type}",
                f"arith.addf %t$, %a : {self.type}",
            )
            return
        for name in INTEGER_BINARY:
            if "div" in name or "rem" in name:
                yield (
                    f"%o$ = arith.constant dense<7> : {self.type}",
                    f"%s$ = arith.andi %b, %o$ : {self.type}",
                    f"%u$ = arith.constant dense<3> : {self.type}",
                    f"%d$ = arith.addi %s$, %u$ : {self.type}",
                    # MLIR's rounded division is wrong for the least number.
                    f"%w$ = arith.constant dense<1> : {self.type}",
                    f"%h$ = arith.shrsi %a, %w$ : {self.type}",
                    f"arith.{name} %h$, %d$ : {self.type}",
                )
            elif name.startswith("sh"):
                yield (
                    f"%o$ = arith.constant dense<7> : {self.type}",
                    f"%s$ = arith.andi %b, %o$ : {self.type}",
                    f"arith.{name} %a, %s$ : {self.type}",
                )
            else:
                yield (f"arith.{name} %a, %b : {self.type}",)
        if self.element != "index":
            for name in ("absi", "ctlz", "cttz", "ctpop"):
                yield (f"math.{name} %a : {self.type}",)

    def _comparisons(self) -> Iterator[Sequence[str]]:
        name = "cmpf" if self._is_float else "cmpi"
        for predicate in FLOAT_PREDICATES if self._is_float else INTEGER_PREDICATES:
            yield (
                f"%m$ = arith.{name} {predicate}, %a, %b : {self.type}",
                f"arith.select %m$, %a, %b : {self.mask}, {self.type}",
            )
        yield (f"arith.select %p, %a, %b : {self.type}",)
        yield (
            f"%e$ = arith.{name} {'oeq' if self._is_float else 'eq'}, %a, %b : {self.type}",
            f"%o$ = arith.ori %m, %e$ : {self.mask}",
            f"%f$ = arith.xori %o$, %first : {self.mask}",
            f"arith.select %f$, %b, %a : {self.mask}, {self.type}",
        )
        yield (
            f"%s$ = arith.select %first, %m, %first : {self.mask}, {self.mask}",
            f"arith.select %s$, %a, %b : {self.mask}, {self.type}",
        )

    def _conversions(self) -> Iterator[Sequence[str]]:
        if self.element in ("i8", "i16", "i32"):
            wide = f"vector<{self.lanes}xi64>"
            for extend in ("extsi", "extui"):
                yield (
                    f"%w$ = arith.{extend} %a : {self.type} to {wide}",
                    f"%v$ = arith.muli %w$, %w$ : {wide}",
                    f"%k$ = arith.constant dense<5> : {wide}",
                    f"%z$ = arith.shrui %v$, %k$ : {wide}",
                    f"arith.trunci %z$ : {wide} to {self.type}",
                )
            double = f"vector<{self.lanes}xf64>"
            for name in ("si", "ui"):
                yield (
                    f"%w$ = arith.{name}tofp %a : {self.type} to {double}",
                    f"%k$ = arith.constant dense<0.25> : {double}",
                    f"%v$ = arith.mulf %w$, %k$ : {double}",
                    f"arith.fpto{name} %v$ : {double} to {self.type}",
                )
            yield (
                f"%w$ = arith.index_cast %a : {self.type} to vector<{self.lanes}xindex>",
                f"%v$ = arith.addi %w$, %w$ : vector<{self.lanes}xindex>",
                f"arith.index_cast %v$ : vector<{self.lanes}xindex> to {self.type}",
            )
        if self.element in ("i8", "i16", "i32", "i64"):
            for extend in ("extsi", "extui"):
                yield (f"arith.{extend} %m : {self.mask} to {self.type}",)
            yield (
                f"%t$ = arith.trunci %a : {self.type} to {self.mask}",
                f"arith.select %t$, %a, %b : {self.mask}, {self.type}",
            )
        if self.element == "f32":
            double = f"vector<{self.lanes}xf64>"
            yield (
                f"%w$ = arith.extf %a : {self.type} to {double}",
                f"%v$ = arith.mulf %w$, %w$ : {double}",
                f"arith.truncf %v$ : {double} to {self.type}",
            )
        if self._is_float:
            integers = f"vector<{self.lanes}xi{WIDTHS[self.element]}>"
            yield (
                f"%w$ = arith.bitcast %a : {self.type} to {integers}",
                f"%k$ = arith.constant dense<1> : {integers}",
                f"%v$ = arith.xori %w$, %k$ : {integers}",
                f"arith.bitcast %v$ : {integers} to {self.type}",
            )

    def _lanes(self) -> Iterator[Sequence[str]]:
        last = self.lanes - 1
        yield (f"vector.broadcast %x : {self.element} to {self.type}",)
        backwards = ", ".join(map(str, reversed(range(self.lanes))))
        yield (f"vector.shuffle %a, %a [{backwards}] : {self.type}, {self.type}",)
        mixed = ", ".join(str(n + self.lanes * (n % 2)) for n in range(self.lanes))
        yield (f"vector.shuffle %a, %b [{mixed}] : {self.type}, {self.type}",)
        half = f"vector<{self.lanes // 2}x{self.element}>"
        low = ", ".join(map(str, range(self.lanes // 2)))
        pair = ", ".join(str((n * 3) % (3 * self.lanes // 2)) for n in range(self.lanes))
        yield (
            f"%h$ = vector.shuffle %a, %b [{low}] : {self.type}, {self.type}",
            f"vector.shuffle %h$, %b [{pair}] : {half}, {self.type}",
        )
        yield (
            f"%y$ = vector.extract %a[{last}] : {self.element} from {self.type}",
            f"vector.insert %y$, %b [0] : {self.element} into {self.type}",
        )
        yield (
            f"%k$ = arith.constant {last} : index",
            f"%y$ = vector.extractelement %b[%k$ : index] : {self.type}",
            f"vector.insertelement %y$, %a[%n : index] : {self.type}",
        )
        numbers = range(self.lanes)
        shown = ", ".join(f"{n}.5" if self._is_float else str(n - 1) for n in numbers)
        yield (f"arith.constant dense<[{shown}]> : {self.type}",)
        if self.element == "index":
            yield (f"vector.step : {self.type}",)

    def _masks(self) -> Iterator[Sequence[str]]:
        memory = f"memref<{LENGTH}x{self.element}>"
        for mask in ("%m", "%first"):
            yield (
                f"vector.maskedload %B[%j], {mask}, %a : {memory}, {self.mask}, {self.type} "
                f"into {self.type}",
            )
            yield (
                f"%t$ = memref.alloca() : memref<{self.lanes}x{self.element}>",
                "%z$ = arith.constant 0 : index",
                f"vector.store %a, %t$[%z$] : memref<{self.lanes}x{self.element}>, {self.type}",
                f"vector.maskedstore %t$[%z$], {mask}, %b : "
                f"memref<{self.lanes}x{self.element}>, {self.mask}, {self.type}",
                f"vector.load %t$[%z$] : memref<{self.lanes}x{self.element}>, {self.type}",
            )
        bits = ", ".join("true" if n % 3 else "false" for n in range(self.lanes))
        yield (
            f"%t$ = arith.constant dense<[{bits}]> : {self.mask}",
            f"arith.select %t$, %a, %b : {self.mask}, {self.type}",
        )

    def _carried(self) -> Iterator[Sequence[str]]:
        add = "addf" if self._is_float else "addi"
        yield (
            f"%s$, %q$ = affine.for %i$ = 0 to 3 iter_args(%v$ = %a, %k$ = %first) -> "
            f"({self.type}, {self.mask}) {{",
            f"  %w$ = arith.{add} %v$, %b : {self.type}",
            f"  %c$ = arith.{self._less} %w$, %b : {self.type}",
            f"  %y$ = arith.select %k$, %w$, %v$ : {self.mask}, {self.type}",
            f"  affine.yield %y$, %c$ : {self.type}, {self.mask}",
            "}",
            f"arith.select %q$, %s$, %b : {self.mask}, {self.type}",
        )
        yield (
            f"%s$ = scf.if %p -> ({self.type}) {{",
            f"  %w$ = arith.{add} %a, %b : {self.type}",
            f"  scf.yield %w$ : {self.type}",
            "} else {",
            f"  scf.yield %b : {self.type}",
            "}",
            f"arith.{add} %s$, %a : {self.type}",
        )

    def arguments(self, seed: int, n: int, p: bool) -> list[object]:
        """Arguments of `f`; the operands have special values, and equal ones."""
        random = np.random.default_rng(seed)
        dtype = DTYPES[self.element]
        operands = [_operand(random, self.element) for _ in range(2)]
        operands[1][::5] = operands[0][::5]
        x = operands[0][3].item()
        return [*operands, np.zeros((self.count, LENGTH), dtype), n, x, p]


def _operand(random: np.random.Generator, element: str) -> NDArray[np.generic]:
    dtype = DTYPES[element]
    if np.issubdtype(dtype, np.floating):
        values = random.normal(scale=50.0, size=LENGTH).astype(dtype)
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-310, 0.5, 1.5, 2.5, -2.5]
        places = random.permutation(LENGTH)[: len(special)]
        values[places] = np.array(special).astype(dtype)
        return values
    limits = np.iinfo(dtype)
    # Arithmetic on indices is assumed not to overflow.
    least, most = (-(2**28), 2**28) if element == "index" else (limits.min, limits.max)
    values = random.integers(least, most, size=LENGTH, dtype=dtype, endpoint=True)
    values[random.permutation(LENGTH)[:3]] = [least, most, 0]
    return values


PROGRAMS = tuple(
    VectorProgram(element, bits // width)
    for element, width in WIDTHS.items()
    for bits in (128, 256, 512)
)
