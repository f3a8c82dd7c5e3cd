"""Random programs with index arrays, and random arguments for them.

Elements of `p`, `q`, `r`, `short` and `columns` are from 0 to before n, and `rows` are the places
where the rows of a sparse matrix begin. Arrays end after the last element that the program uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from guarded_arrays import guarded

from fuzzing.irregular_nodes import (
    TYPES,
    Binary,
    Carried,
    Chosen,
    Compared,
    Condition,
    Constant,
    Data,
    Element,
    Flag,
    Index,
    Name,
    Number,
    Positive,
    Run,
    Sum,
    Value,
)
from fuzzing.irregular_statements import (
    ARGUMENTS,
    Fold,
    For,
    If,
    Private,
    Program,
    SetIndex,
    Statement,
    Store,
    Update,
    run_all,
)

ROOM = 48
"""The most elements of an array."""

N, STEPS = Name("n"), Name("steps")
NODES, SMALL, EDGES = "nodes", "small", "edges"


@dataclass(frozen=True)
class Counter:
    """A loop counter that a statement may use, and what its values are."""

    index: Name
    kind: str


class _Maker:
    """Draws the parts of a program."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.is_exact = random.random() < 0.5
        # A program has its own character: most have few arrays, and passes apply to most.
        self._data = random.sample(("A", "B", "C", "M", "K"), random.choice((1, 2, 2, 3)))
        if not any(name in "ABC" for name in self._data):
            self._data.append("A")
        self._index = random.sample(("p", "q", "r", "short"), random.choice((1, 2, 3)))
        self._odd = random.choice((0.0, 0.05, 0.05, 0.2))
        self._updates = random.choice((0.1, 0.5, 1.0))
        self._writes_index = random.random() < 0.15
        self._count = 0

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _name(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    # Indices

    def node(self, counters: Sequence[Counter], depth: int = 2) -> Index:
        """A number from 0 to before n."""
        nodes = [each for each in counters if each.kind == NODES]
        edges = [each for each in counters if each.kind == EDGES]
        if edges and self._chance(0.7):
            return Element("columns", edges[-1].index)
        base = self._random.choice(nodes).index
        draw = self._random.random()
        if depth and draw < 0.55:
            place = self.node(counters, depth - 1) if self._chance(0.15) else base
            return Element(self._random.choice(self._index), place, not self._chance(0.2))
        if depth and draw < 0.58:
            return Element(self._random.choice(self._index), Sum(base, Number(1)))
        if depth and draw < 0.58 + self._odd:
            one, other = self.node(counters, 0), self.node(counters, 1)
            return Chosen(self.condition(counters), one, other)
        if draw > 0.95:
            return Sum(Sum(N, Number(1), "-"), base, "-")
        return base

    def place(self, counters: Sequence[Counter]) -> Index:
        """A subscript of data, at most n + 1."""
        if self._chance(0.03):
            return Number(self._random.randrange(2))
        found = self.node(counters)
        if self._chance(0.08):
            return Sum(found, Number(self._random.choice((1, 2))))
        return found

    def places(self, array: str, counters: Sequence[Counter]) -> tuple[Index, ...]:
        """The subscripts of an element of an array."""
        first = self.place(counters)
        if array != "M":
            return (first,)
        small = [each.index for each in counters if each.kind == SMALL]
        return first, (small[-1] if small else Number(self._random.randrange(3)))

    def condition(self, counters: Sequence[Counter]) -> Condition:
        """A condition: mostly of indices, which an inspector can evaluate."""
        if self._chance(0.1):
            return Flag()
        if self._chance(0.15):
            array = self._random.choice(("w", *self._floats()))
            return Positive(Data(array, self.places(array, counters)))
        comparison = self._random.choice(("slt", "sge", "eq", "ne"))
        return Compared(comparison, self.node(counters, 1), self.node(counters, 1))

    def _floats(self) -> list[str]:
        return [name for name in self._data if name in "ABCM"]

    # Values

    def value(self, type: str, counters: Sequence[Counter], others: Sequence[str]) -> Value:
        """A value that is computed from elements of some arrays."""
        arrays = [name for name in others if (name == "K") == (type == "i64")]
        if type == "f64":
            arrays += ["w"]
            if any(each.kind == EDGES for each in counters):
                arrays += ["values"]
        parts: list[Value] = []
        for _ in range(self._random.choice((1, 1, 2, 3))):
            parts.append(self._part(type, counters, arrays))
        result = parts[0]
        for part in parts[1:]:
            result = Binary(self._operation(type), result, part)
        return result

    def _part(self, type: str, counters: Sequence[Counter], arrays: Sequence[str]) -> Value:
        if not arrays or self._chance(0.1):
            number = self._random.randint(-3, 3)
            is_whole = self.is_exact or type == "i64"
            return Constant(number if is_whole else number / 4 + 0.125, type)
        array = self._random.choice(arrays)
        if array == "values":
            return Data(array, (next(c.index for c in counters if c.kind == EDGES),), False)
        if array == "w":
            nodes = [each.index for each in counters if each.kind == NODES]
            return Data(array, (self._random.choice(nodes),))
        return Data(array, self.places(array, counters), not self._chance(0.2))

    def _operation(self, type: str) -> str:
        if type == "i64":
            return self._random.choice(("addi", "subi", "xori"))
        return self._random.choice(("addf", "subf") if self.is_exact else ("addf", "subf", "mulf"))

    # Statements

    def statement(self, counters: Sequence[Counter], updates: bool) -> Statement:
        """An assignment, or an update of an array that is read nowhere else in the loop."""
        array = self._random.choice(self._data)
        type = "i64" if array == "K" else "f64"
        places = self.places(array, counters)
        if updates:
            others = [name for name in self._data if name != array and name != self._data[0]]
            array = self._data[0]
            type = "i64" if array == "K" else "f64"
            operation = "addi" if type == "i64" else "addf"
            value = self.value(type, counters, others)
            return Update(array, self.places(array, counters), operation, value)
        if self._chance(0.3):
            operation = self._operation(type)
            return Update(array, places, operation, self.value(type, counters, self._data))
        if array in "ABC" and self._chance(0.05):
            value = self.value(type, counters, self._data)
            return Private(self._name("mine"), value, array, places[0])
        value = self.value(type, counters, self._data)
        return Store(array, places, value, not self._chance(0.2))

    def body(self, counters: Sequence[Counter], depth: int, updates: bool) -> tuple[Statement, ...]:
        """The statements of an iteration."""
        found: list[Statement] = []
        for _ in range(self._random.choice((1, 1, 1, 2))):
            draw = self._random.random()
            if depth and draw < 0.3:
                found.append(self.inner_loop(counters, depth - 1, updates))
            elif draw < 0.42:
                then = (self.statement(counters, updates),)
                other = (self.statement(counters, updates),) if self._chance(0.3) else ()
                found.append(If(self.condition(counters), then, other))
            elif self._writes_index and self._chance(self._odd):
                found.append(self.set_index(counters))
            else:
                found.append(self.statement(counters, updates))
        return tuple(found)

    def set_index(self, counters: Sequence[Counter]) -> Statement:
        """An assignment to an index array."""
        nodes = [each.index for each in counters if each.kind == NODES]
        array = self._random.choice([name for name in self._index if name != "short"] or ["p"])
        place: Index = nodes[-1] if self._chance(0.8) else self.node(counters, 1)
        return SetIndex(array, place, self.node(counters, 2))

    def inner_loop(self, counters: Sequence[Counter], depth: int, updates: bool) -> Statement:
        """A loop inside of another one."""
        nodes = [each.index for each in counters if each.kind == NODES]
        base = self._random.choice(nodes)
        kind = self._random.choice(("row", "row", "row", "small", "triangle", "bound", "fold"))
        name = self._name("k" if kind == "row" else "j")
        if kind in ("row", "fold"):
            first, end = Element("rows", base), Element("rows", Sum(base, Number(1)))
            index = Name(name, is_affine=False)
            if kind == "fold" and not updates:
                return self._fold(counters, base, (first, end), index)
            inner = (*counters, Counter(index, EDGES))
            return For(name, first, end, 1, self.body(inner, depth, updates), is_scf=True)
        if kind == "small":
            inner = (*counters, Counter(Name(name), SMALL))
            is_parallel = "M" in self._data and self._chance(0.15)
            if is_parallel:
                value = self.value("f64", counters, ())
                update = Update("M", self.places("M", inner), "addf", value)
                return For(name, Number(0), Number(3), 1, (update,), parallel=True)
            return For(name, Number(0), Number(3), 1, self.body(inner, depth, updates))
        if kind == "triangle":
            lower, upper = (base, N) if self._chance(0.5) else (Number(0), base)
            is_scf = not base.is_affine
            inner = (*counters, Counter(Name(name, not is_scf), NODES))
            return For(name, lower, upper, 1, self.body(inner, depth, updates), is_scf)
        inner = (*counters, Counter(Name(name, is_affine=False), NODES))
        upper = self.node(counters, 1)
        return For(name, Number(0), upper, 1, self.body(inner, depth, updates), is_scf=True)

    def _fold(
        self, counters: Sequence[Counter], base: Name, bounds: tuple[Index, Index], index: Name
    ) -> Statement:
        array = self._random.choice([name for name in self._floats() if name != "M"])
        carried = self._name("part")
        inner = (*counters, Counter(index, EDGES))
        part = self._part("f64", inner, [array, *self._floats()])
        following = Binary(self._operation("f64"), Carried(carried), part)
        first = self._part("f64", counters, ["w", array])
        place = base if self._chance(0.7) else self.node(counters)
        return Fold(index.name, *bounds, first, following, carried, array, place)

    def nest(self) -> Statement:
        """A loop over nodes."""
        is_scf = self._chance(0.15)
        index = Name(self._name("i"), not is_scf)
        lower, upper, step = Number(0), N, 1
        if self._chance(0.2):
            lower, step = Number(self._random.randrange(3)), self._random.choice((1, 2, 3))
        elif self._chance(0.1):
            upper = Sum(N, Number(1), "-")
        counters = (Counter(index, NODES),)
        if self._writes_index and self._chance(0.3):
            body: tuple[Statement, ...] = (self.set_index(counters),)
        else:
            updates = self._chance(self._updates) and self._chance(0.6)
            body = self.body(counters, self._random.choice((0, 0, 1, 2)), updates)
        return For(index.name, lower, upper, step, body, is_scf)

    def program(self, seed: int) -> Program:
        """A program: loops one after the other, often in a loop over time steps."""
        nests = tuple(self.nest() for _ in range(self._random.choice((1, 1, 2, 2))))
        if self._chance(0.6):
            upper = STEPS if self._chance(0.8) else Number(3)
            is_scf = self._chance(0.15)
            nests = (For("s", Number(0), upper, 1, nests, is_scf),)
        if self._chance(0.1):
            nests = (If(Flag(), nests, (self.nest(),) if self._chance(0.3) else ()),)
        if self._chance(0.2):
            nests = (*nests, self.nest()) if self._chance(0.5) else (self.nest(), *nests)
        return Program(seed, tuple(TYPES), nests, self.is_exact)


def random_program(seed: int) -> Program:
    """The program of a number, with the arrays that it uses."""
    program = _Maker(Random(f"irregular {seed}")).program(seed)
    text = "\n".join(program.text().splitlines()[1:])
    used = tuple(name for name in TYPES if f"%{name}[" in text)
    return replace(program, arrays=used)


def start_of(program: Program, size: int, number: int) -> Run:
    """What a run of a program finds in memory, in arrays with more elements than it uses."""
    random = np.random.default_rng((program.seed, size, number))
    starts = np.minimum.accumulate(np.full(ROOM, 0))
    lengths = random.integers(0, 3, max(size, 1))
    starts = np.concatenate([[0], np.cumsum(lengths), np.full(ROOM, lengths.sum())])[:ROOM]
    memory: dict[str, list] = {"rows": starts.tolist()}
    for name in ("p", "q", "r", "short", "columns"):
        memory[name] = _indices(random, size)
    for name in ("A", "B", "C", "w", "values"):
        memory[name] = _numbers(program, random, ROOM)
    memory["M"] = [_numbers(program, random, 3) for _ in range(ROOM)]
    for name in ("K", "L"):
        memory[name] = random.integers(-9, 9, ROOM).tolist()
    numbers = {"n": size, "steps": (2, 3, 0, 5)[number % 4], "flag": int(number % 3 > 0)}
    return Run(memory, numbers, program.is_exact)


def _indices(random: np.random.Generator, size: int) -> list[int]:
    """Index arrays of several kinds: dense and sparse in dependences."""
    top = max(size, 1)
    every = np.resize(np.arange(top), ROOM)
    made = (
        lambda: random.integers(0, top, ROOM),
        lambda: np.resize(random.permutation(top), ROOM),
        lambda: every,
        lambda: np.full(ROOM, random.integers(0, top)),
        lambda: np.maximum(every - random.integers(0, 3, ROOM), 0),
        lambda: every[::-1],
    )
    return made[random.integers(0, len(made))]().tolist()


def _numbers(program: Program, random: np.random.Generator, count: int) -> list[float]:
    if program.is_exact:
        return random.integers(-4, 5, count).astype(float).tolist()
    return random.uniform(-2, 2, count).tolist()


@dataclass(frozen=True)
class Expected:
    """The arguments of a call, and the arrays after it."""

    arguments: tuple[object, ...]
    results: tuple[bytes, ...]

    def given(self) -> list[object]:
        """The arguments, in memory that ends where they do."""
        return [guarded(each) if isinstance(each, np.ndarray) else each for each in self.arguments]


DTYPES = {"f64": np.float64, "i64": np.int64, "index": np.int64, "i32": np.int32}


def expected(program: Program, size: int, number: int) -> Expected:
    """Run a program; raises `RunError` if it takes too long, or sums would be rounded."""
    run = start_of(program, size, number)
    before = {name: [*map(_copied, values)] for name, values in run.memory.items()}
    run_all(program.body, run)
    arguments: list[object] = [run.numbers["n"], run.numbers["steps"], bool(run.numbers["flag"])]
    assert len(arguments) == len(ARGUMENTS)
    results = []
    for name in program.arrays:
        extent = run.used.get(name, 0)
        element = TYPES[name].rpartition("x")[2].rstrip(">") if "index" not in TYPES[name] else ""
        dtype = DTYPES.get(element, np.int64)
        shape = (extent, 3) if name == "M" else (extent,)
        arguments.append(np.array(before[name][:extent], dtype).reshape(shape))
        results.append(np.array(run.memory[name][:extent], dtype).reshape(shape).tobytes())
    return Expected(tuple(arguments), tuple(results))


def _copied(value: object) -> object:
    return list(value) if isinstance(value, list) else value
