"""Random programs.

Iterators and names of values are unique in a program, subscripts are whatever comes: the trace
finds the extents that they fit in.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

from fuzzing.program import (
    FLOATS,
    INTEGERS,
    Affine,
    Array,
    Binary,
    Carried,
    Choice,
    Constant,
    Convert,
    DataGuard,
    Guard,
    IndexValue,
    Let,
    Load,
    Loop,
    Node,
    Program,
    Quotient,
    Reference,
    Store,
    Value,
)
from fuzzing.sharing import with_shared_work
from fuzzing.trace import TooLongError, is_parallel, layout_of

FLOAT_OPERATIONS = ("arith.addf", "arith.subf", "arith.mulf", "arith.maximumf")
INTEGER_OPERATIONS = (
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.minsi",
    "arith.maxui",
    "arith.xori",
)
LIMIT = 6
"""Statements of a program, at most."""


def random_program(seed: int, longer: bool = False) -> Program:
    """The program of that number; never one that takes long to run.

    With `longer`, it also runs for sizes that give several blocks of vectors, if it then does not
    take long.
    """
    random = Random(seed)
    while True:
        program = with_shared_work(_Maker(random).program(seed))
        if _is_short(program):
            return _with_parallel_loops(_longer(program) if longer else program, random)


def _is_short(program: Program) -> bool:
    try:
        layout = layout_of(program)
    except TooLongError:
        return False
    return all(_volume(extents) <= 20_000 for run in layout.extents for extents in run.values())


def _longer(program: Program) -> Program:
    """The program with one run more, of larger sizes; with others, if they are constant."""
    random = Random(f"sizes {program.seed}")
    for most in (40, 24, 12):
        sizes = tuple((name, random.randint(most // 2, most)) for name in ("n", "m"))
        others = () if program.constant else program.sizes
        larger = replace(program, sizes=(*others, sizes))
        if _is_short(larger):
            return larger
    return program


def _volume(extents: tuple[int, ...]) -> int:
    volume = 1
    for extent in extents:
        volume *= extent
    return volume


@dataclass
class _Scope:
    """What a block may use."""

    iterators: tuple[str, ...] = ()
    values: list[Reference] = field(default_factory=list)
    in_scf: bool = False

    def inner(self, iterator: str | None = None, in_scf: bool = False) -> _Scope:
        iterators = self.iterators if iterator is None else (*self.iterators, iterator)
        return _Scope(iterators, list(self.values), self.in_scf or in_scf)


class _Maker:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._iterators = (f"i{number}" for number in count())
        self._names = (f"x{number}" for number in count())
        self._left = random.randint(1, LIMIT)
        self._depth = random.choice((2, 3, 3, 4))
        # A program has its own character: most are affine and plain somewhere.
        self._odd = random.choice((0.0, 0.0, 0.1, 0.25))
        self._types = random.choice(
            [("f64",), ("f64",), ("f32",), INTEGERS[:1], INTEGERS, (*FLOATS, *INTEGERS)]
        )
        self._arrays = tuple(self._array(number) for number in range(random.randint(1, 4)))

    def program(self, seed: int) -> Program:
        scope = _Scope()
        body: list[Node] = []
        while self._left > 0:
            body.append(self._node(scope, self._depth, top=True))
        constant = self._chance(0.3)
        largest = 4 if self._depth == 4 else 7
        # The first size is one that most loops run for.
        all_sizes = tuple(
            tuple((name, self._random.randint(smallest, largest)) for name in ("n", "m"))
            for smallest in ((3,) if constant else (3, 0, 0))
        )
        return Program(self._arrays, tuple(body), all_sizes, constant, seed)

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _array(self, number: int) -> Array:
        rank = self._random.choice((0, 1, 1, 2, 2, 2, 3))
        dynamic = tuple(self._chance(0.7) for _ in range(rank))
        return Array(f"A{number}", self._random.choice(self._types), dynamic, self._chance(0.15))

    # Affine expressions

    def _affine(self, scope: _Scope, plain: bool = False) -> Affine:
        """An expression; a plain one is an iterator or a size with an offset."""
        names = [*scope.iterators, *scope.iterators, *scope.iterators, "n", "m"]
        if plain or self._chance(0.6):
            name = self._random.choice(names)
            sign = -1 if self._chance(0.1) else 1
            return Affine(((sign, name),), (), self._random.choice((0, 0, 0, 1, -1, 2)))
        chosen = self._random.sample(names, min(len(names), self._random.randint(1, 2)))
        terms = tuple((self._random.choice((1, 1, -1, 2, 3)), n) for n in dict.fromkeys(chosen))
        quotients: tuple[Quotient, ...] = ()
        if self._chance(self._odd):
            operation = self._random.choice(("mod", "floordiv", "ceildiv"))
            inner = Affine(terms, (), self._random.randint(-2, 2))
            divisor = self._random.choice((2, 3, 4))
            quotients = (Quotient(self._random.choice((1, 1, -1, 2)), inner, operation, divisor),)
            terms = terms[1:] if self._chance(0.7) else terms
        return Affine(terms, quotients, self._random.randint(-2, 2))

    def _subscripts(self, scope: _Scope, rank: int) -> tuple[Affine, ...]:
        # Two accesses that have something to do with each other are the interesting ones.
        if len(scope.iterators) >= rank and self._chance(0.6):
            order = list(scope.iterators)
            if self._chance(0.3):
                self._random.shuffle(order)
            offsets = [self._random.choice((0, 0, 0, 1, -1)) for _ in range(rank)]
            pairs = zip(order[:rank], offsets, strict=True)
            return tuple(Affine(((1, name),), (), offset) for name, offset in pairs)
        return tuple(self._affine(scope) for _ in range(rank))

    # Values

    def _value(self, scope: _Scope, type: str, depth: int = 2) -> Value:
        if depth == 0 or self._chance(0.3):
            return self._leaf(scope, type)
        if self._chance(self._odd * 0.5):
            other = self._random.choice(self._types)
            left, right, first, second = (
                self._value(scope, each, depth - 1) for each in (other, other, type, type)
            )
            return Choice(type, left, right, first, second, branches=self._chance(0.5))
        operation = self._random.choice(FLOAT_OPERATIONS if type in FLOATS else INTEGER_OPERATIONS)
        left, right = self._value(scope, type, depth - 1), self._value(scope, type, depth - 1)
        return Binary(type, operation, left, right)

    def _leaf(self, scope: _Scope, type: str) -> Value:
        known = [value for value in scope.values if value.type == type]
        if known and self._chance(0.4):
            return self._random.choice(known)
        if self._chance(0.75):
            array = self._random.choice(self._arrays)
            load = Load(array.type, array.name, self._subscripts(scope, array.rank))
            return load if array.type == type else Convert(type, load)
        if self._chance(0.3):
            return IndexValue(type, self._affine(scope))
        number = str(self._random.randint(-3, 3))
        return Constant(type, f"{number}.5" if type in FLOATS else number)

    # Blocks

    def _block(self, scope: _Scope, depth: int) -> tuple[Node, ...]:
        nodes = [self._node(scope, depth)]
        while self._left > 0 and self._chance(0.4):
            nodes.append(self._node(scope, depth))
        return tuple(nodes)

    def _node(self, scope: _Scope, depth: int, top: bool = False) -> Node:
        if depth > 0 and (self._chance(0.9 if top else 0.65) or self._left == 0):
            if scope.iterators and self._chance(0.2):
                return self._guard(scope, depth)
            return self._loop(scope, depth)
        if self._chance(self._odd * 0.6):
            return self._data_guard(scope)
        if self._chance(0.12):
            return self._let(scope)
        return self._store(scope)

    def _let(self, scope: _Scope) -> Let:
        name, type = next(self._names), self._random.choice(self._types)
        value = self._value(scope, type)
        scope.values.append(Reference(type, name))
        return Let(name, value)

    def _store(self, scope: _Scope) -> Store:
        self._left -= 1
        array = self._random.choice(self._arrays)
        subscripts = self._subscripts(scope, array.rank)
        value = self._value(scope, array.type)
        if self._chance(0.3):
            operation = "arith.addf" if array.type in FLOATS else "arith.addi"
            own = Load(array.type, array.name, subscripts)
            value = Binary(array.type, operation, own, value)
        return Store(array.name, subscripts, value)

    def _data_guard(self, scope: _Scope) -> DataGuard:
        type = self._random.choice(self._types)
        left, right = self._value(scope, type, 1), self._value(scope, type, 1)
        body = (self._store(scope.inner()),)
        otherwise = (self._store(scope.inner()),) if self._chance(0.3) else ()
        return DataGuard(left, right, body, otherwise)

    def _guard(self, scope: _Scope, depth: int) -> Guard:
        conditions = tuple(
            (self._affine(scope), self._random.choice((">=", ">=", ">=", "==")))
            for _ in range(self._random.choice((1, 1, 2)))
        )
        body = self._block(scope.inner(), depth - 1)
        otherwise = self._block(scope.inner(), depth - 1) if self._chance(0.4) else ()
        return Guard(conditions, body, otherwise)

    def _loop(self, scope: _Scope, depth: int) -> Loop:
        iterator = next(self._iterators)
        lowers, uppers = self._bounds(scope)
        step = self._random.choice((1, 1, 1, 1, 2, 3))
        kind = "scf" if self._chance(self._odd * 0.3) else "for"
        inner = scope.inner(iterator, kind == "scf")
        if not self._chance(0.12):
            return Loop(iterator, lowers, uppers, step, self._block(inner, depth - 1), kind)
        loop = Loop(iterator, lowers, uppers, step, (), kind)
        return self._carrying_loop(scope, inner, depth, loop)

    def _carrying_loop(self, scope: _Scope, inner: _Scope, depth: int, loop: Loop) -> Loop:
        array = self._random.choice(self._arrays)
        name = next(self._names)
        initial = self._value(scope, array.type, 1)
        inner.values.append(Reference(array.type, name))
        body = self._block(inner, depth - 1)
        operation = "arith.addf" if array.type in FLOATS else "arith.addi"
        added = self._value(inner, array.type, 1)
        yielded = Binary(array.type, operation, Reference(array.type, name), added)
        last = Reference(array.type, f"{name}_last")
        result = Store(array.name, self._subscripts(scope, array.rank), last)
        scope.values.append(last)
        return replace(loop, body=body, carried=Carried(name, initial, yielded, result))

    def _bounds(self, scope: _Scope) -> tuple[tuple[Affine, ...], tuple[Affine, ...]]:
        def constant() -> Affine:
            return Affine((), (), self._random.choice((0, 0, 0, 1, 2)))

        def size() -> Affine:
            name = self._random.choice(("n", "m"))
            return Affine(((1, name),), (), self._random.choice((0, 0, 0, 1, -1)))

        lowers = [constant()]
        uppers = [size() if self._chance(0.85) else Affine((), (), self._random.randint(1, 5))]
        if scope.iterators and self._chance(0.3):
            bounded, plain = self._random.choice((lowers, uppers)), not self._chance(self._odd)
            bounded[:] = [self._affine(scope, plain)]
        if scope.iterators and self._chance(0.12):
            lowers.append(self._affine(scope))
        if scope.iterators and self._chance(0.12):
            uppers.append(self._affine(scope))
        return tuple(lowers), tuple(uppers)


def _with_parallel_loops(program: Program, random: Random) -> Program:
    """The program with some loops printed as `affine.parallel` whose iterations are independent."""
    if random.random() < 0.8:
        return program
    loops = [loop for loop in loops_of(program.body) if loop.carried is None and loop.kind == "for"]
    chosen = {loop.iterator for loop in loops if is_parallel(program, loop.iterator)}

    def mark(body: tuple[Node, ...], in_scf: bool) -> tuple[Node, ...]:
        return tuple(mark_node(node, in_scf) for node in body)

    def mark_node(node: Node, in_scf: bool) -> Node:
        match node:
            case Loop():
                inside = in_scf or node.kind == "scf"
                kind = "parallel" if node.iterator in chosen and not inside else node.kind
                return replace(node, kind=kind, body=mark(node.body, inside))
            case Guard() | DataGuard():
                otherwise = mark(node.otherwise, in_scf)
                return replace(node, body=mark(node.body, in_scf), otherwise=otherwise)
            case _:
                return node

    return replace(program, body=mark(program.body, False))


def loops_of(body: tuple[Node, ...]) -> list[Loop]:
    """All loops, outer ones first."""
    found: list[Loop] = []
    for node in body:
        match node:
            case Loop():
                found += [node, *loops_of(node.body)]
            case Guard() | DataGuard():
                found += [*loops_of(node.body), *loops_of(node.otherwise)]
            case _:
                pass
    return found
