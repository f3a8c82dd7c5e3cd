"""Loops over index arrays, as MLIR and as Python that says what each instance accesses.

The Python side is written from the source, not from polyir's model of it: it gives the pairs of
instances that depend on each other for given index arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from polyir.dialects.dependence import DependenceKind

SIZE = 4
"""The value of `%n`."""

Instance = tuple[str, tuple[int, ...]]
Pair = tuple[DependenceKind, str, Instance, Instance]
Arrays = Mapping[str, Sequence[int]]

Step = tuple[Instance, Sequence[tuple[str, tuple[int, ...]]], Sequence[tuple[str, tuple[int, ...]]]]
"""An instance, the elements that it reads, the elements that it writes."""


@dataclass(frozen=True)
class Program:
    """The body of `@f`, the facts about its index arrays, and its steps for given arrays.

    `arrays` draws index arrays for which the facts hold.
    """

    body: str
    steps: Callable[[Arrays], Iterator[Step]]
    facts: Mapping[str, str] = field(default_factory=dict)
    arrays: Callable[[Random], Arrays] = lambda random: {
        name: [random.randrange(SIZE) for _ in range(SIZE + 1)] for name in "pq"
    }

    @property
    def text(self) -> str:
        """The module."""

        def argument(name: str) -> str:
            facts = self.facts.get(name)
            attribute = f" {{poly.index_array = #poly.index_array<{facts}>}}" if facts else ""
            return f"%{name}: memref<?xindex>{attribute}"

        return (
            f"func.func @f(%n: index, {argument('p')}, {argument('q')}, %A: memref<?xf64>, "
            f"%B: memref<?xf64>, %M: memref<?x?xf64>) {{\n%one = arith.constant 1 : index\n"
            f"{self.body}\nreturn\n}}"
        )

    def pairs(self, arrays: Arrays) -> set[Pair]:
        """All pairs of different instances, in order, that access one element."""
        found: set[Pair] = set()
        steps = list(self.steps(arrays))
        for number, (source, reads, writes) in enumerate(steps):
            for target, later_reads, later_writes in steps[number + 1 :]:
                for kind, first, second in (
                    (DependenceKind.FLOW, writes, later_reads),
                    (DependenceKind.ANTI, reads, later_writes),
                    (DependenceKind.OUTPUT, writes, later_writes),
                ):
                    shared = set(first) & set(second)
                    found |= {(kind, array, source, target) for array, _ in shared}
        return found


def _copy(arrays: Arrays) -> Iterator[Step]:
    for i in range(SIZE):
        yield ("S0", (i,)), [("A", (arrays["q"][i],))], [("A", (arrays["p"][i],))]


def _shifted(arrays: Arrays) -> Iterator[Step]:
    for i in range(SIZE):
        p = arrays["p"][i]
        yield ("S0", (i,)), [("A", (2 * p + 1,))], [("A", (2 * p,))]


def _nested(arrays: Arrays) -> Iterator[Step]:
    for i in range(SIZE):
        p, q = arrays["p"], arrays["q"]
        yield ("S0", (i,)), [("A", (p[q[i]],))], [("A", (i,))]


def _rows(arrays: Arrays) -> Iterator[Step]:
    for i in range(SIZE):
        for j in range(1, SIZE):
            p = arrays["p"][i]
            yield ("S0", (i, j)), [("M", (p, j - 1))], [("M", (p, j))]


def _two_statements(arrays: Arrays) -> Iterator[Step]:
    for i in range(SIZE):
        yield ("S0", (i,)), [], [("A", (arrays["p"][i],))]
        yield ("S1", (i,)), [("A", (arrays["p"][i + 1],))], [("B", (i,))]


def _scatter(arrays: Arrays) -> Iterator[Step]:
    for i in range(SIZE):
        yield ("S0", (i,)), [], [("A", (arrays["p"][i],))]


def _sweep(arrays: Arrays) -> Iterator[Step]:
    rows, columns = arrays["p"], arrays["q"]
    for i in range(SIZE):
        yield (
            ("S0", (i,)),
            [("A", (columns[k],)) for k in range(rows[i], rows[i + 1])],
            [("A", (i,))],
        )


def _lower_part(arrays: Arrays) -> Iterator[Step]:
    rows, columns = arrays["p"], arrays["q"]
    for i in range(SIZE):
        lower = [columns[k] for k in range(rows[i], rows[i + 1]) if columns[k] < i]
        both = [("A", (c,)) for c in lower] + [("A", (i,)) for _ in lower[:1]]
        yield ("S0", (i,)), both, [("A", (i,)) for _ in lower[:1]]


def _elements(arrays: Arrays) -> Iterator[Step]:
    rows = arrays["p"]
    for i in range(SIZE):
        elements = [("A", (k,)) for k in range(rows[i], rows[i + 1], 2)]
        yield ("S0", (i,)), elements, elements


def _sparse(random: Random) -> Arrays:
    rows = sorted(random.choices(range(7), k=SIZE + 1))
    return {"p": rows, "q": [random.randrange(SIZE) for _ in range(7)]}


def _any_rows(random: Random) -> Arrays:
    return {name: [random.randrange(7) for _ in range(7)] for name in "pq"}


def _permutation(random: Random) -> Arrays:
    return {name: random.sample(range(SIZE + 1), SIZE + 1) for name in "pq"}


def _sorted(random: Random) -> Arrays:
    return {name: sorted(random.choices(range(2 * SIZE), k=SIZE + 1)) for name in "pq"}


COPY = """affine.for %i = 0 to %n {
  %r = affine.load %q[%i] : memref<?xindex>
  %w = affine.load %p[%i] : memref<?xindex>
  %v = memref.load %A[%r] : memref<?xf64>
  memref.store %v, %A[%w] : memref<?xf64>
}"""

EVERY_OTHER = """%two = arith.constant 2 : index
affine.for %i = 0 to %n {
  %lo = affine.load %p[%i] : memref<?xindex>
  %hi = affine.load %p[%i + 1] : memref<?xindex>
  scf.for %k = %lo to %hi step %two {
    %v = memref.load %A[%k] : memref<?xf64>
    %w = arith.addf %v, %v : f64
    memref.store %w, %A[%k] : memref<?xf64>
  }
}"""

PROGRAMS: dict[str, Program] = {
    "copy": Program(COPY, _copy),
    "copy of permutations": Program(
        COPY, _copy, {"p": "injective", "q": "injective"}, _permutation
    ),
    "even and odd": Program(
        """affine.for %i = 0 to %n {
          %e = affine.load %p[%i] : memref<?xindex>
          %two = arith.addi %e, %e : index
          %odd = arith.addi %two, %one : index
          %v = memref.load %A[%odd] : memref<?xf64>
          memref.store %v, %A[%two] : memref<?xf64>
        }""",
        _shifted,
    ),
    "nested subscripts": Program(
        """affine.for %i = 0 to %n {
          %e = affine.load %q[%i] : memref<?xindex>
          %f = memref.load %p[%e] : memref<?xindex>
          %v = memref.load %A[%f] : memref<?xf64>
          affine.store %v, %A[%i] : memref<?xf64>
        }""",
        _nested,
    ),
    "rows": Program(
        """affine.for %i = 0 to %n {
          affine.for %j = 1 to %n {
            %e = affine.load %p[%i] : memref<?xindex>
            %before = arith.subi %j, %one : index
            %v = memref.load %M[%e, %before] : memref<?x?xf64>
            memref.store %v, %M[%e, %j] : memref<?x?xf64>
          }
        }""",
        _rows,
    ),
    "two statements": Program(
        """affine.for %i = 0 to %n {
          %zero = arith.constant 0.0 : f64
          %e = affine.load %p[%i] : memref<?xindex>
          memref.store %zero, %A[%e] : memref<?xf64>
          %f = affine.load %p[%i + 1] : memref<?xindex>
          %v = memref.load %A[%f] : memref<?xf64>
          affine.store %v, %B[%i] : memref<?xf64>
        }""",
        _two_statements,
        {"p": "nondecreasing"},
        _sorted,
    ),
    "scatter": Program(
        """affine.for %i = 0 to %n {
          %zero = arith.constant 0.0 : f64
          %e = affine.load %p[%i] : memref<?xindex>
          memref.store %zero, %A[%e] : memref<?xf64>
        }""",
        _scatter,
        {"p": 'injective, range = "{ [x] : 0 <= x <= 4 }"'},
        _permutation,
    ),
    "sweep over a sparse matrix": Program(
        """affine.for %i = 0 to %n {
          %lo = affine.load %p[%i] : memref<?xindex>
          %hi = affine.load %p[%i + 1] : memref<?xindex>
          %zero = arith.constant 0.0 : f64
          %sum = scf.for %k = %lo to %hi step %one iter_args(%s = %zero) -> f64 {
            %c = memref.load %q[%k] : memref<?xindex>
            %v = memref.load %A[%c] : memref<?xf64>
            %t = arith.addf %s, %v : f64
            scf.yield %t : f64
          }
          affine.store %sum, %A[%i] : memref<?xf64>
        }""",
        _sweep,
        {"p": "nondecreasing"},
        _sparse,
    ),
    "lower part of a sparse matrix": Program(
        """affine.for %i = 0 to %n {
          %lo = affine.load %p[%i] : memref<?xindex>
          %hi = affine.load %p[%i + 1] : memref<?xindex>
          scf.for %k = %lo to %hi step %one {
            %c = memref.load %q[%k] : memref<?xindex>
            %is_lower = arith.cmpi slt, %c, %i : index
            scf.if %is_lower {
              %v = memref.load %A[%c] : memref<?xf64>
              %w = affine.load %A[%i] : memref<?xf64>
              %t = arith.addf %w, %v : f64
              affine.store %t, %A[%i] : memref<?xf64>
            }
          }
        }""",
        _lower_part,
        {},
        _sparse,
    ),
    "every other element": Program(
        EVERY_OTHER,
        _elements,
        {},
        _any_rows,
    ),
    "elements of rows": Program(
        EVERY_OTHER,
        _elements,
        {"p": "nondecreasing"},
        _sparse,
    ),
}
