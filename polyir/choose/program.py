"""What the cost model knows of a program: numbers in place of parameters, work, references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import permutations
from math import inf, prod
from types import MappingProxyType
from typing import Final

import islpy as isl
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerType, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from polyir.choose.assumed_sizes import DATA_ITERATIONS
from polyir.choose.regions import FAR, Constraint, Form, Region
from polyir.dialects.dependence import Dependence, DependenceKind
from polyir.loops.narrow_integers import widest_number
from polyir.model.raising.effects import may_trap
from polyir.model.scop import Scop
from polyir.model.statements import Access, AccessKind, Statement
from polyir.model.temporaries import is_allocated
from polyir.model.vectors import element_bytes
from polyir.sets.boxes import ends_of
from polyir.sets.maps import at_sizes


@dataclass(frozen=True)
class Reference:
    """A reference to an array: its subscripts, and how many elements the array has at most.

    `extents` are those of its last dimensions that are constant, without the first one.

    `subscripts` is `None` where they are not affine. In a local array, which each iteration of some
    loops has for itself, they are those in one iteration.
    """

    array: str
    subscripts: tuple[Form, ...] | None
    is_write: bool
    bytes: int
    elements: float = inf
    is_integer: bool = False
    extents: tuple[int, ...] = ()


class Kind(Enum):
    """What a processor has units for; arithmetic is additions, multiplications and the like.

    Quotients are those of integers, and remainders.
    """

    ARITHMETIC = auto()
    DIVISION = auto()
    ROOT = auto()
    FUNCTION = auto()
    QUOTIENT = auto()
    OTHER = auto()


@dataclass(frozen=True)
class Work:
    """The operations of one instance of a statement, and the `bytes` of the widest value.

    Each of `operations` has its kind and the references that it needs, by their positions; `None`
    where it also needs an iterator or an element that the statement changes, or where compilers
    leave it in the loop, as they do with calls. A multiplication whose result is only added is
    free. The body is repeated `turns` times if it has loops, and `is_conditional` if it has
    conditions, of which C compilers make masks, and `vectorize` makes nothing.
    """

    operations: tuple[tuple[Kind, frozenset[int] | None], ...]
    turns: int
    is_conditional: bool
    bytes: int

    @property
    def is_branching(self) -> bool:
        """Whether the body has loops."""
        return self.turns > 1

    def count(self, *kinds: Kind) -> int:
        """How many operations are of these kinds."""
        return sum(kind in kinds for kind, _ in self.operations)


@dataclass(frozen=True)
class StatementModel:
    """A statement with numbers: its instances, references and work, and what it depends on.

    `references` are different from each other; `accesses` has one for each access of the body.
    `flows` are the distances of flow dependences on itself, for each array, `{ [d] }`. Iterators
    that run over tiles have `strides`; `share` is the part of the region that instances are.
    `constant` are the points that satisfy those constraints of the region without parameters.
    """

    statement: Statement
    region: Region
    references: tuple[Reference, ...]
    accesses: tuple[Reference, ...]
    work: Work
    flows: tuple[tuple[str, isl.Set], ...]
    orders: tuple[isl.Set, ...]
    strides: tuple[int, ...]
    constant: Region

    @property
    def share(self) -> float:
        """The part of the points of the region that are instances."""
        total = 1.0
        for low, high, stride in zip(self.region.low, self.region.high, self.strides, strict=True):
            if stride > 1:
                total *= ((high - low) // stride + 1) / (high - low + 1)
        return total

    def step(self, function: Function) -> float:
        """The distance of successive values of a function of the instances."""
        if function.divisions or not function.linear.terms:
            return function.step
        return max(1.0, min(abs(f) * self.strides[v] for v, f in function.linear.terms))

    @property
    def name(self) -> str:
        """The statement's name."""
        return self.statement.name

    @property
    def bytes(self) -> int:
        """The bytes of the widest value that it accesses or computes."""
        return max(self.work.bytes, *(each.bytes for each in self.references), 1)

    @property
    def least_arithmetic(self) -> int:
        """How much arithmetic no two instances can share: what needs all iterators, at least."""
        iterators = frozenset(range(len(self.strides)))
        return sum(
            kind is Kind.ARITHMETIC and (needed is None or iterators <= self._variables_of(needed))
            for kind, needed in self.work.operations
        )

    def _variables_of(self, places: Iterable[int]) -> frozenset[int]:
        return frozenset().union(*(_variables(self.references[place]) for place in places))

    @property
    def is_sum(self) -> bool:
        """Whether a loop adds something up, or the like, from other elements in each iteration."""
        written = [r for r in self.references if r.is_write and r.subscripts is not None]
        read = [r for r in self.references if not r.is_write and r.subscripts is not None]
        updated = [w for w in written if replace(w, is_write=False) in read]
        return any(_variables(r) - _variables(w) for w in updated for r in read)


def _variables(reference: Reference) -> frozenset[int]:
    """The iterators that the subscripts of a reference use."""
    return frozenset(v for form in reference.subscripts or () for v, _ in form.terms)


Values = Mapping[str, int]


def model_of(
    scop: Scop, values: Values, kept: Mapping[str, float] = MappingProxyType({})
) -> dict[str, StatementModel]:
    """The statements of a scop, by name.

    Of an array that is `kept`, iterations have so many elements at a time for themselves.
    """
    flows: dict[str, list[tuple[str, isl.Set]]] = {}
    orders: dict[str, list[isl.Set]] = {}
    for dependence in ordering_of(scop, kept):
        if dependence.source == dependence.target and not dependence.relation.is_empty():
            distances = dependence.relation.deltas()
            orders.setdefault(dependence.source, []).append(distances)
            if dependence.kind in (DependenceKind.FLOW, DependenceKind.REDUCTION):
                flows.setdefault(dependence.source, []).append((dependence.array, distances))
    return {
        each.name: StatementModel(
            each,
            region := region_of(each.domain, values),
            different := tuple(
                dict.fromkeys(found := _references(scop, each, region, values, kept))
            ),
            found,
            _work(each, [different.index(reference) for reference in found]),
            tuple(flows.get(each.name, ())),
            tuple(orders.get(each.name, ())),
            strides_of(each.domain),
            _constant_region(each.domain),
        )
        for each in scop.statements
    }


def ordering_of(
    scop: Scop, kept: Mapping[str, float] = MappingProxyType({})
) -> tuple[Dependence, ...]:
    """The dependences that code has to respect: scalars of a function are in registers.

    So are those that iterations have instead of an array: one element of it is `kept`.
    What is written there again is another value: only flow dependences are left of them.
    """
    if scop.dependences is None:
        return ()
    scalars = {
        name
        for name, array in scop.arrays.items()
        if isinstance(array.type, MemRefType)
        and (not array.type.get_num_dims() or kept.get(name) == 1)
        and is_allocated(scop, name)
    }
    values = (DependenceKind.FLOW, DependenceKind.REDUCTION)
    return tuple(
        each
        for each in scop.dependences.ordering
        if each.array not in scalars or each.kind in values
    )


def region_of(points: isl.Set, values: Values) -> Region:
    """The points of a set; where it is not convex, its hull."""
    rank = points.dim(isl.dim_type.set)
    nothing = Region((((), -1.0),), [0.0] * rank, [0.0] * rank)
    if points.is_empty():
        return nothing
    region = Region(constraints_of(points, values), [-FAR] * rank, [FAR] * rank)
    unclear = [
        place
        for place, stride in enumerate(strides_of(points))
        # With a stride, the hull has values between, and some beyond the first and the last one.
        # The constraints may bound a dimension only together.
        if stride > 1 or region.low[place] <= -FAR / 2 or region.high[place] >= FAR / 2
    ]
    if unclear and not region.is_empty:
        numbers = at_sizes(points, values)
        if numbers.is_empty():
            return nothing
        low, high = list(region.low), list(region.high)
        for place in unclear:
            least, most = ends_of(numbers, place)
            low[place] = low[place] if least is None else float(least)
            high[place] = high[place] if most is None else float(most)
        region = Region(region.constraints, low, high)
    if all(each.dim(isl.dim_type.div) == 0 for each in points.get_basic_sets()):
        return region
    return _with_parts(points, values, region)


def _constant_region(points: isl.Set) -> Region:
    """The points that satisfy the constraints of a set that have no parameters."""
    rank = points.dim(isl.dim_type.set)
    parameters = points.dim(isl.dim_type.param)
    points = points.drop_constraints_involving_dims(isl.dim_type.param, 0, parameters)
    return Region(constraints_of(points, {}), [-FAR] * rank, [FAR] * rank)


def _with_parts(points: isl.Set, values: Values, region: Region) -> Region:
    """A region in which iterators that go round are in step with another one.

    Of `p = i mod 16`, the hull has all pairs. There are as many where p goes round only once.
    """
    rank = points.dim(isl.dim_type.set)
    for part, other in permutations(range(rank), 2):
        middle = (region.low[other] + region.high[other]) / 2
        inner = region.within(Form(((other, 1.0),)), middle, middle)
        first, last = region.low[part], region.high[part]
        is_bound = inner.is_empty or inner.high[part] - inner.low[part] < last - first
        if last - first < 1 or is_bound or not _is_function(points, values, part, other):
            continue
        size = (region.high[other] - region.low[other] + 1) / (last - first + 1)
        start = region.low[other] - size * first
        after = ((other, 1.0), (part, -size)), -start
        before = ((other, -1.0), (part, size)), start + size - 1
        region = Region((*region.constraints, after, before), region.low, region.high)
    return region


def _is_function(points: isl.Set, values: Values, part: int, other: int) -> bool:
    """Whether one iterator is a function of another one."""
    pairs = isl.Map.from_range(at_sizes(points, values))
    for place in reversed(range(points.dim(isl.dim_type.set))):
        if place not in (part, other):
            pairs = pairs.project_out(isl.dim_type.out, place, 1)
    pairs = pairs.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, int(other > part), 1)
    return bool(pairs.is_single_valued())


def strides_of(points: isl.Set) -> tuple[int, ...]:
    """For each dimension, the distance of successive values where the dimensions before are fixed.

    Their product is thus how many points of the hull there are for each point of the set.
    """
    rank = points.dim(isl.dim_type.set)
    if not any(each.dim(isl.dim_type.div) for each in points.get_basic_sets()):
        return (1,) * rank
    strides = []
    for place in reversed(range(rank)):
        strides.append(max(1, points.get_stride(place).to_python()))
        points = points.project_out(isl.dim_type.set, place, 1)
    return tuple(reversed(strides))


def constraints_of(points: isl.Set, values: Values) -> tuple[Constraint, ...]:
    """The constraints of the simple hull of a set, without divisions."""
    hull = points.remove_divs().simple_hull()
    found: list[Constraint] = []
    for constraint in hull.get_constraints():
        terms, constant = _linear(constraint, isl.dim_type.set, values)
        if not terms:
            continue
        found.append((terms, constant))
        if constraint.is_equality():
            found.append((tuple((v, -factor) for v, factor in terms), -constant))
    return tuple(found)


def _linear(item: isl.Constraint | isl.Aff, kind: isl.dim_type, values: Values) -> Constraint:
    """The terms and the constant of a constraint or an affine function without divisions."""
    constant = _number(item.get_constant_val())
    for position in range(item.dim(isl.dim_type.param)):
        factor = _number(item.get_coefficient_val(isl.dim_type.param, position))
        if factor:
            constant += factor * values[item.get_dim_name(isl.dim_type.param, position) or ""]
    terms = [
        (position, _number(item.get_coefficient_val(kind, position)))
        for position in range(item.dim(kind))
    ]
    return tuple((v, factor) for v, factor in terms if factor), constant


def _number(value: isl.Val) -> float:
    return float(value.get_d())


@dataclass(frozen=True)
class Division:
    """`factor * floor(form / size)`."""

    factor: float
    form: Form
    size: float


@dataclass(frozen=True)
class Function:
    """A quasi-affine function: an affine form and divisions."""

    linear: Form
    divisions: tuple[Division, ...] = ()

    @property
    def smooth(self) -> Form:
        """The function without rounding."""
        if not self.divisions:
            return self.linear
        factors = dict(self.linear.terms)
        constant = self.linear.constant
        for each in self.divisions:
            scale = each.factor / each.size
            constant += scale * each.form.constant
            for variable, factor in each.form.terms:
                factors[variable] = factors.get(variable, 0.0) + scale * factor
        return Form(tuple((v, f) for v, f in sorted(factors.items()) if f), constant)

    @property
    def goes_round(self) -> bool:
        """Whether the values go round, as those of `i mod 16`."""
        return bool(self.divisions) and all(abs(f) < 1e-9 for _, f in self.smooth.terms)

    @property
    def period(self) -> float:
        """How many values there are, of a function that goes round."""
        factors = [abs(each.factor) for each in self.divisions]
        factors += [abs(factor) for _, factor in self.linear.terms]
        return max(factors) / min(factors)

    @property
    def slack(self) -> float:
        """How far rounding takes the function down from `smooth` at most."""
        return sum(abs(each.factor) * (each.size - 1) / each.size for each in self.divisions)

    @property
    def step(self) -> float:
        """The distance of successive values."""
        if self.divisions and not self.linear.terms:
            return min(abs(each.factor) for each in self.divisions)
        factors = [abs(factor) for _, factor in self.linear.terms]
        return max(1.0, min(factors)) if factors and not self.divisions else 1.0


def function_of(function: isl.PwAff, values: Values) -> Function:
    """A member of a band for one statement; of several pieces, the first."""
    pieces = function.get_pieces()
    return _function(pieces[0][1], values) if pieces else Function(Form(()))


def _function(expression: isl.Aff, values: Values) -> Function:
    terms, constant = _linear(expression, isl.dim_type.in_, values)
    divisions: list[Division] = []
    for position in range(expression.dim(isl.dim_type.div)):
        factor = _number(expression.get_coefficient_val(isl.dim_type.div, position))
        if factor:
            inner = expression.get_div(position)
            size = float(inner.get_denominator_val().to_python())
            smooth = _function(inner, values).smooth
            scaled = Form(tuple((v, f * size) for v, f in smooth.terms), smooth.constant * size)
            divisions.append(Division(factor, scaled, size))
    return Function(Form(terms, constant), tuple(divisions))


def _references(
    scop: Scop,
    statement: Statement,
    region: Region,
    values: Values,
    kept: Mapping[str, float],
) -> tuple[Reference, ...]:
    local = {each.sym_name.data for each in scop.op.local_arrays}
    found: list[Reference] = []
    for access in statement.accesses:
        type = scop.arrays[access.array].type
        assert isinstance(type, MemRefType)
        is_write = access.kind is not AccessKind.READ
        is_integer = isinstance(type.element_type, IntegerType | IndexType)
        size = element_bytes(type)
        shape = list(type.get_shape())
        constant = tuple(shape[1 + max((n for n, e in enumerate(shape) if e < 0), default=0) :])
        if access.array not in local:
            elements = kept.get(access.array, inf)
            subscripts = _subscripts(access.relation, values) if elements != 1 else ()
            found.append(
                Reference(access.array, subscripts, is_write, size, elements, is_integer, constant)
            )
            continue
        forms = _cell(access.relation, type.get_num_dims(), values)
        extents = [
            region.extent(form) if extent == DYNAMIC_INDEX else extent
            for form, extent in zip(forms or (), type.get_shape(), strict=forms is not None)
        ]
        found.append(Reference(access.array, forms, is_write, size, prod(extents), is_integer))
    return tuple(found)


def _cell(relation: isl.Map, rank: int, values: Values) -> tuple[Form, ...] | None:
    """The subscripts in a local array, but for the first element of a tile: a form has no such."""
    loops = relation.dim(isl.dim_type.out) - rank
    functions = _functions(relation.project_out(isl.dim_type.out, 0, loops), values)
    return None if functions is None else tuple(each.linear for each in functions)


def _subscripts(relation: isl.Map, values: Values) -> tuple[Form, ...] | None:
    functions = _functions(relation, values)
    return None if functions is None else tuple(each.smooth for each in functions)


def _functions(relation: isl.Map, values: Values) -> tuple[Function, ...] | None:
    if relation.is_empty() or not relation.is_single_valued():
        return None
    function = isl.PwMultiAff.from_map(relation)
    pieces: list[isl.MultiAff] = []
    function.foreach_piece(lambda _, piece: pieces.append(piece))
    first = pieces[0]
    rank = first.dim(isl.dim_type.out)
    return tuple(_function(first.get_at(place), values) for place in range(rank))


_ARITHMETIC: Final = (
    *("addf", "subf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf", "negf"),
    *("fma", "absf", "copysign"),
)
_INTEGER: Final = (
    *("addi", "subi", "muli", "maxsi", "minsi", "maxui", "minui", "cmpi", "cmpf", "select"),
    *("andi", "ori", "xori", "shli", "shrsi", "shrui", "absi"),
    *("extf", "truncf", "extsi", "extui", "trunci", "sitofp", "uitofp", "fptosi", "fptoui"),
)


def _work(statement: Statement, places: Sequence[int]) -> Work:
    """The work of a statement, whose accesses are references at some `places`."""
    operations: list[tuple[Kind, frozenset[int] | None]] = []
    body = statement.op.body.block
    changed = {access.array for access in statement.accesses if _writes(access)}
    place_of = {
        access.operation: None if access.array in changed else place
        for access, place in zip(statement.accesses, places, strict=True)
    }
    needed: dict[SSAValue, frozenset[int] | None] = dict.fromkeys(body.args)
    conditional, turns = False, 1
    for op in body.walk():
        own = _needed(op, body, needed, place_of)
        needed.update(dict.fromkeys(op.results, own))
        if op.regions:
            # A C compiler computes both sides of a condition, and selects.
            conditional |= op.name.endswith(".if")
            turns = max(turns, _turns(op, body))
            operations += [(Kind.OTHER, None) for _ in op.results]
        elif (kind := _kind_of(op)) in (Kind.ROOT, Kind.FUNCTION):
            operations.append((kind, None))
        elif kind is not None:
            operations.append((kind, own))
    return Work(tuple(operations), turns, conditional, widest_number(statement.op))


def _turns(op: Operation | None, body: Block) -> int:
    """How often what is in an operation is executed in one execution of a body around it."""
    turns = 1
    while op is not None and op is not body.parent_op():
        turns *= 1 if op.name.endswith(".if") else DATA_ITERATIONS
        op = op.parent_op()
    return turns


def _kind_of(op: Operation) -> Kind | None:
    """What an operation without regions is; `None` if it costs nothing."""
    dialect, _, name = op.name.partition(".")
    if name in _ARITHMETIC:
        return None if _is_fused(op) else Kind.ARITHMETIC
    if name == "divf":
        return Kind.DIVISION
    if name == "sqrt":
        return Kind.ROOT
    if dialect == "math":
        return Kind.FUNCTION
    if may_trap(op):
        # Quotients by constants are products.
        return Kind.QUOTIENT
    return Kind.OTHER if name in _INTEGER else None


def _needed(
    op: Operation,
    body: Block,
    needed: Mapping[SSAValue, frozenset[int] | None],
    place_of: Mapping[Operation, int | None],
) -> frozenset[int] | None:
    """The references whose values an operation needs; `None` if it needs more than these."""
    if op in place_of:
        place = place_of[op]
        return None if place is None else frozenset((place,))
    if op.regions or op.parent is not body:
        return None
    found = frozenset[int]()
    for operand in op.operands:
        own = needed.get(operand, frozenset())
        if own is None:
            return None
        found |= own
    return found


def _is_fused(op: Operation) -> bool:
    """Whether an operation is a multiplication whose result is only added once."""
    if op.name != "arith.mulf":
        return False
    uses = list(op.results[0].uses)
    return len(uses) == 1 and uses[0].operation.name in ("arith.addf", "arith.subf")


def chain_cycles(
    statement: Statement, reads: set[Operation], array: str, latency: Mapping[str, float]
) -> float:
    """The longest path from some loads to a store to `array` in one instance, in cycles.

    `latency` maps names of operations to cycles; others take `latency[""]`.
    """
    longest: dict[object, float] = {}
    writes = {a.operation for a in statement.accesses if a.array == array and _writes(a)}
    best = 0.0
    for op in statement.op.body.block.walk():
        before = max((longest.get(operand, -FAR) for operand in op.operands), default=-FAR)
        if op in writes:
            best = max(best, before)
        fused = 0.0 if _is_fused(op) else latency.get(op.name, latency[""])
        own = 0.0 if op in reads else before + fused
        for result in op.results:
            longest[result] = own
    return max(0.0, best)


def _writes(access: Access) -> bool:
    return access.kind is not AccessKind.READ
