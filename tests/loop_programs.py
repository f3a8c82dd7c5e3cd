"""Small random loop programs, as poly text and as something Python executes.

The execution knows nothing of isl: it is the oracle for what isl says of the poly text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import combinations

from hypothesis import strategies as st

SIZE = 4
"""The value of the parameter `n` that programs are executed with."""

ARRAYS = {"A": 1, "B": 2}
"""The rank of each array."""

Environment = dict[str, int]


@dataclass(frozen=True)
class Linear:
    """A linear expression of loop variables and `n`."""

    coefficients: tuple[tuple[str, int], ...]
    constant: int

    def __str__(self) -> str:
        terms = [f"{factor} * {name}" for name, factor in self.coefficients if factor]
        return " + ".join([*terms, str(self.constant)])

    def evaluate(self, environment: Environment) -> int:
        return self.constant + sum(factor * environment[name] for name, factor in self.coefficients)

    def ssa(self) -> str:
        """The expression with SSA names."""
        terms = [f"%{name} * {factor}" for name, factor in self.coefficients if factor]
        return " + ".join([*terms, str(self.constant)])


class Mode(Enum):
    READ = "read"
    WRITE = "write"
    MAY_WRITE = "may-write"


@dataclass(frozen=True)
class ArrayAccess:
    mode: Mode
    array: str
    subscripts: tuple[Linear, ...]


@dataclass(frozen=True)
class Assignment:
    """A statement: accesses in the order of its body."""

    name: str
    accesses: tuple[ArrayAccess, ...]


@dataclass(frozen=True)
class Loop:
    """`for variable in lower ..< upper`."""

    variable: str
    lower: Linear
    upper: Linear
    body: tuple[Loop | Assignment, ...]


@dataclass(frozen=True)
class Program:
    body: tuple[Loop | Assignment, ...]


@dataclass(frozen=True)
class Step:
    """One executed access; `instance` is a statement's name and iterators."""

    time: int
    instance: tuple[str, tuple[int, ...]]
    mode: Mode
    element: tuple[str, tuple[int, ...]]


def execute(program: Program) -> list[Step]:
    """All accesses in order; accesses of one instance have the same time."""
    steps: list[Step] = []
    time = 0

    def run(items: Sequence[Loop | Assignment], environment: Environment) -> None:
        nonlocal time
        for item in items:
            if isinstance(item, Loop):
                lower, upper = item.lower.evaluate(environment), item.upper.evaluate(environment)
                for value in range(lower, upper):
                    run(item.body, {**environment, item.variable: value})
                continue
            instance = (item.name, tuple(v for k, v in environment.items() if k != "n"))
            for access in item.accesses:
                subscripts = tuple(s.evaluate(environment) for s in access.subscripts)
                steps.append(Step(time, instance, access.mode, (access.array, subscripts)))
            time += 1

    run(program.body, {"n": SIZE})
    return steps


def ordered_pairs(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Accesses of two instances to one element, the earlier first."""
    for first, second in combinations(steps, 2):
        if first.element == second.element and first.time < second.time:
            yield first, second


def poly_text(program: Program, context: str = f"0 <= n <= {SIZE + 2}") -> str:
    """The program as a function with one scop whose tree has the program's order."""
    writer = _Writer()
    tree = writer.sequence(program.body, ())
    memrefs = ", ".join(f"%{name}: memref<{'?x' * rank}f64>" for name, rank in ARRAYS.items())
    return (
        f"func.func @program({memrefs}, %n: index, %c: i1, %x: f64) {{\n"
        f'poly.scop (%n as "n") context "[n] -> {{ : {context} }}" {{\n'
        + "\n".join(writer.statements)
        + f'\npoly.domain "[n] -> {{ {"; ".join(writer.domains.values())} }}" {{\n{tree}\n}}\n'
        + "}\nfunc.return\n}\n"
    )


@dataclass
class _Writer:
    statements: list[str] = field(default_factory=list)
    domains: dict[str, str] = field(default_factory=dict)

    def sequence(self, items: Sequence[Loop | Assignment], loops: tuple[Loop, ...]) -> str:
        if len(items) == 1:
            return self._item(items[0], loops)
        filters = []
        for item in items:
            child = self._item(item, loops)
            domains = "; ".join(self.domains[name] for name in names_in(item))
            filters.append(f'poly.filter "[n] -> {{ {domains} }}" {{\n{child}\n}}')
        return "poly.sequence {\n" + "\n".join(filters) + "\n}"

    def _item(self, item: Loop | Assignment, loops: tuple[Loop, ...]) -> str:
        if isinstance(item, Assignment):
            self._statement(item, loops)
            return ""
        inner = (*loops, item)
        child = self.sequence(item.body, inner)
        schedule = "; ".join(
            f"{name}[{_iterators(name, self.domains)}] -> [({item.variable})]"
            for name in names_in(item)
        )
        return f'poly.band "[n] -> [{{ {schedule} }}]" coincident [false] {{\n{child}\n}}'

    def _statement(self, item: Assignment, loops: tuple[Loop, ...]) -> None:
        variables = [loop.variable for loop in loops]
        bounds = [f"{loop.lower} <= {loop.variable} < {loop.upper}" for loop in loops]
        condition = f" : {' and '.join(bounds)}" if bounds else ""
        domain = f"{item.name}[{', '.join(variables)}]"
        self.domains[item.name] = domain + condition
        body = [_access_text(position, access) for position, access in enumerate(item.accesses)]
        arguments = ", ".join(f"%{variable}" for variable in variables)
        self.statements.append(
            f'poly.stmt @{item.name} domain "[n] -> {{ {domain}{condition} }}" ({arguments}) {{\n'
            + "\n".join(body)
            + "\n}"
        )


def _access_text(position: int, access: ArrayAccess) -> str:
    element = f"%{access.array}[{', '.join(s.ssa() for s in access.subscripts)}]"
    memref = f"memref<{'?x' * ARRAYS[access.array]}f64>"
    store = f"affine.store %x, {element} : {memref}"
    match access.mode:
        case Mode.READ:
            return f"%{position} = affine.load {element} : {memref}"
        case Mode.WRITE:
            return store
        case Mode.MAY_WRITE:
            return f"scf.if %c {{\n{store}\n}}"


def names_in(item: Loop | Assignment) -> list[str]:
    """The statements of a program item, in order."""
    if isinstance(item, Assignment):
        return [item.name]
    return [name for inner in item.body for name in names_in(inner)]


def _iterators(name: str, domains: dict[str, str]) -> str:
    return domains[name].split("[", 1)[1].split("]", 1)[0]


@st.composite
def linear(draw: st.DrawFn, variables: Sequence[str], largest: int = 1) -> Linear:
    """A random expression of some of the variables."""
    factors = st.integers(-1, largest)
    return Linear(tuple((name, draw(factors)) for name in variables), draw(st.integers(-1, 1)))


@st.composite
def accesses(draw: st.DrawFn, variables: Sequence[str]) -> ArrayAccess:
    array = draw(st.sampled_from(sorted(ARRAYS)))
    subscripts = tuple(draw(linear(variables, largest=2)) for _ in range(ARRAYS[array]))
    return ArrayAccess(draw(st.sampled_from(Mode)), array, subscripts)


@st.composite
def programs(draw: st.DrawFn, max_statements: int = 3, max_depth: int = 2) -> Program:
    """A random program of a few statements in loops, rectangular or triangular."""
    names = [f"S{number}" for number in range(draw(st.integers(1, max_statements)))]
    variables = iter("ijklmpqrstuv")

    def item(names: list[str], outer: tuple[str, ...]) -> Loop | Assignment:
        if len(names) == 1 and (len(outer) == max_depth or not draw(st.integers(0, 3))):
            count = draw(st.integers(2, 4))
            return Assignment(names[0], tuple(draw(accesses(outer)) for _ in range(count)))
        variable = next(variables)
        lower = draw(_bounds(outer, -1))
        upper = draw(_bounds(outer, 2))
        return Loop(variable, lower, upper, items(names, (*outer, variable)))

    def items(names: list[str], outer: tuple[str, ...]) -> tuple[Loop | Assignment, ...]:
        if len(names) == 1:
            return (item(names, outer),)
        if len(outer) < max_depth and draw(st.booleans()):
            return (item(names, outer),)
        cut = draw(st.integers(1, len(names) - 1))
        return (*items(names[:cut], outer), *items(names[cut:], outer))

    return Program(items(names, ()))


@st.composite
def _bounds(draw: st.DrawFn, outer: tuple[str, ...], constant: int) -> Linear:
    """A constant, an outer variable, or `n`, with a small offset."""
    base = (
        draw(st.sampled_from(["", "n", *outer]))
        if constant > 0
        else draw(st.sampled_from(["", *outer]))
    )
    offset = draw(st.integers(0, 2)) if base != "n" else 0
    return Linear(((base, 1),) if base else (), offset + (1 if constant > 0 and base != "n" else 0))
