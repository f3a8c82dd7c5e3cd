"""Run-time checks that the memory which a region accesses under two names is not the same.

As in Polly (Doerfert, Grosser, Hack: Optimistic Loop Optimization, CGO 2017), the addresses
between the first and the last element that may be accessed are compared before the region.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.base.limits import limited
from polyir.codegen.ast import AstExpression, AstNumber, AstOperation, Operator, conjuncts
from polyir.frontend.c.advice import RESTRICT
from polyir.frontend.c.errors import NotModelledError, location_of_node
from polyir.frontend.c.overlaps import PossibleOverlap
from polyir.frontend.c.places import SourceArgument
from polyir.regions.accessed_elements import (
    MOST_PIECES,
    AccessedElements,
    Computed,
    bound_text,
    condition_text,
    extremum_text,
)
from polyir.target.c.region import ElementRange

Memory = ElementRange | int | str
"""Elements of an argument, or all of it: its number, or the name of a variable."""


@dataclass(frozen=True)
class ApartPair:
    """Two parts of memory that must not overlap, unless the value at `needless` is true.

    Then, one of them has no elements. Positions are those among the values that the check's
    function returns.
    """

    first: Memory
    second: Memory
    needless: int | None = None


@dataclass(frozen=True)
class AliasCheck:
    """What must be apart. `function` takes the region's arguments and returns the subscripts.

    It may call the functions `called`. The values at the positions `conditions` must be true.
    Unless those at `executed` are all true, the region accesses nothing, and pointers may lead
    nowhere. If it `is_long`, it takes about as long as the region.
    """

    function: func.FuncOp
    pairs: tuple[ApartPair, ...]
    called: tuple[func.FuncOp, ...] = ()
    conditions: tuple[int, ...] = ()
    executed: tuple[int, ...] = ()
    is_long: bool = False

    @property
    def pointers(self) -> tuple[int, ...]:
        """The arguments the pointers to which are read, whatever the region does."""
        found: dict[int, None] = {}
        for pair in self.pairs:
            for each in (pair.first, pair.second):
                if isinstance(each, int):
                    found[each] = None
                elif isinstance(each, ElementRange) and each.condition is None:
                    found[each.argument] = None
        return tuple(found)


@dataclass(frozen=True)
class FoundRanges:
    """Ranges of arguments that only the index arrays of a region decide.

    `function` takes the region's arguments and returns the values at the positions in `ranges`. It
    may call the functions `called`. If it `is_long`, it takes about as long as the region. The
    values at the positions `conditions` must be true for the ranges to be those of the region.
    """

    function: func.FuncOp
    ranges: Mapping[int, Sequence[ElementRange]]
    called: tuple[func.FuncOp, ...]
    is_long: bool
    conditions: tuple[int, ...]


Find = Callable[[Sequence[int]], FoundRanges]
"""Finds the ranges of some arguments, given by their positions; raises `PolyirError`."""


def operands_of(overlaps: Sequence[PossibleOverlap]) -> tuple[int, ...]:
    """The positions of the arguments that may overlap others."""
    operands = dict.fromkeys(each for pair in overlaps for each in (pair.first, pair.second))
    return tuple(each for each in operands if isinstance(each, int))


def with_assumptions(check: AliasCheck | None, assumed: func.FuncOp) -> AliasCheck:
    """A check that also tests what `assumed`, with the same arguments, returns."""
    last = assumed.body.block.last_op
    assert last is not None
    if check is None:
        return AliasCheck(assumed, (), conditions=tuple(range(len(last.operands))))
    known = _results(check.function)
    _add_results(check.function, assumed)
    added = range(known, _results(check.function))
    return replace(check, conditions=(*check.conditions, *added))


def _results(function: func.FuncOp) -> int:
    """How many values a function returns."""
    last = function.body.block.last_op
    assert last is not None
    return len(last.operands)


def _add_results(function: func.FuncOp, other: func.FuncOp) -> None:
    """Let a function also return what another one does, which has the same arguments."""
    block, last = function.body.block, other.body.block.last_op
    end = block.last_op
    assert end is not None
    assert last is not None
    values: dict[SSAValue, SSAValue] = dict(zip(other.body.block.args, block.args, strict=True))
    for op in other.body.block.ops:
        if op is not last:
            block.insert_op_before(op.clone(value_mapper=values), end)
    operands = (*end.operands, *(values.get(each, each) for each in last.operands))
    Rewriter.replace_op(end, func.ReturnOp(*operands), new_results=[])


def alias_check(
    module: ModuleOp,
    arguments: Sequence[SourceArgument],
    overlaps: Sequence[PossibleOverlap],
    location: SourceLocation,
    find: Find | None = None,
) -> AliasCheck:
    """The check that the pairs `overlaps` of a region's arguments do not overlap.

    `module` holds the region's function after raising; it is not changed. The ranges that are not
    functions of its parameters are those that `find` finds. Raises `NotModelledError` if the
    elements that the region accesses are not known before it.
    """
    copy = module.clone()
    function = next(op for op in copy.ops if isinstance(op, func.FuncOp) and not op.is_declaration)
    operands = dict.fromkeys(each for pair in overlaps for each in (pair.first, pair.second))
    boxes = limited(
        "the ranges of arrays", lambda: _boxes(function, tuple(operands), overlaps), location
    )
    unknown = [
        operand
        for operand in operands
        if isinstance(operand, int)
        and boxes.by_operand[operand] is None
        and _must_have_box(function, arguments, operand)
    ]
    found = _found(unknown, find, arguments, location) if unknown else None
    computed = Computed(
        AccessedElements(function), 0 if found is None else _results(found.function)
    )
    ranges: dict[int | str, Sequence[Memory]] = {
        operand: [_memory(computed, operand, boxes.by_operand[operand])] for operand in operands
    }
    if found is not None:
        ranges.update((operand, found.ranges[operand]) for operand in unknown)
    pairs: list[ApartPair] = []
    for pair, needless in zip(overlaps, boxes.needless, strict=True):
        condition = None if needless is None else computed.condition(needless)
        pairs += [
            ApartPair(one, other, condition)
            for one in ranges[pair.first]
            for other in ranges[pair.second]
        ]
    executed = tuple(map(computed.condition, boxes.executed))
    computed.finish()
    if found is None:
        return AliasCheck(function, tuple(pairs), executed=executed)
    _add_results(found.function, function)
    return AliasCheck(
        found.function, tuple(pairs), found.called, found.conditions, executed, found.is_long
    )


def _found(
    unknown: Sequence[int],
    find: Find | None,
    arguments: Sequence[SourceArgument],
    location: SourceLocation,
) -> FoundRanges:
    """What `find` finds. Raises `NotModelledError` if it finds nothing."""
    why = ""
    if find is not None:
        try:
            return find(unknown)
        except PolyirError as error:
            why = f", and no test can find out: {error.message}"
    origin = arguments[unknown[0]].origin
    raise NotModelledError(
        f"'{origin.pointer}' may point to memory that the region accesses under another name; "
        f"which elements the region accesses is not known before it{why} ({RESTRICT})",
        location_of_node(origin.node) or location,
        name="may-overlap",
    )


_Box = tuple[tuple[AstExpression, AstExpression], ...]
"""The first and the last subscript of each dimension."""


@dataclass(frozen=True)
class _Boxes:
    """The boxes of the operands, `None` for a whole object, and conditions.

    `needless` are those for which a pair needs no test, where `executed` hold.
    """

    by_operand: dict[int | str, _Box | None]
    needless: tuple[AstExpression | None, ...]
    executed: tuple[AstExpression, ...]


def _boxes(
    function: func.FuncOp,
    operands: Sequence[int | str],
    overlaps: Sequence[PossibleOverlap],
) -> _Boxes:
    elements = AccessedElements(function)
    executed = elements.executed.gist(elements.context).coalesce()
    if executed.n_basic_set() > MOST_PIECES:
        executed = isl.Set.universe(executed.get_space())
    known = elements.context.intersect(executed)
    parts_of: dict[int | str, tuple[MemRefType, tuple[isl.Set, ...]]] = {}
    accessed = {operand: isl.Set.universe(known.get_space()) for operand in operands}
    for operand in operands:
        memory = _array(function, operand)
        parts = None if memory is None else elements.parts(memory)
        if memory is not None and parts:
            assert isinstance(memory.type, MemRefType)
            parts_of[operand] = (memory.type, parts)
            accessed[operand] = reduce(isl.Set.union, [part.params() for part in parts])
    needless: list[AstExpression | None] = []
    untested: set[int | str] = set()
    for pair in overlaps:
        both = accessed[pair.first].intersect(accessed[pair.second])
        never = known.subtract(both).coalesce()
        is_simple = 0 < never.n_basic_set() <= MOST_PIECES
        needless.append(condition_text(never, known) if is_simple else None)
        if never.n_basic_set() > MOST_PIECES:
            untested |= {pair.first, pair.second}
    boxes: dict[int | str, _Box | None] = dict.fromkeys(operands)
    for operand, (type, parts) in parts_of.items():
        boxes[operand] = _box(parts, known, type.get_shape(), operand not in untested)
    runs = condition_text(executed, elements.context)
    return _Boxes(boxes, tuple(needless), () if runs is None else conjuncts(runs))


def _array(function: func.FuncOp, operand: int | str) -> SSAValue | None:
    """The argument that an operand is, if it is an array."""
    if isinstance(operand, str):
        return None
    memory = function.body.block.args[operand]
    is_array = isinstance(memory.type, MemRefType) and bool(memory.type.get_shape())
    return memory if is_array else None


def _must_have_box(
    function: func.FuncOp, arguments: Sequence[SourceArgument], operand: int | str
) -> bool:
    """Whether the size of an operand is not known."""
    if _array(function, operand) is None:
        return False
    assert isinstance(operand, int)
    return arguments[operand].origin.pointer is not None


def _box(
    parts: Sequence[isl.Set], known: isl.Set, shape: Sequence[int], is_accessed: bool
) -> _Box | None:
    """The box around elements that are accessed where `known` holds; `None` if it has no bounds.

    It is inside of the array where no element is accessed, too, unless the array `is_accessed`
    wherever the box is computed.
    """
    accessed = reduce(isl.Set.union, parts).intersect_params(known).coalesce()
    if accessed.is_empty():
        # What is never accessed where the region is known to run is as good as its first element.
        origin = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(known.get_space()))
        zero = bound_text(isl.PwAff.from_aff(origin), known)
        return ((zero, zero),) * accessed.dim(isl.dim_type.set)
    pieces = [isl.Set.from_basic_set(each) for each in accessed.get_basic_sets()]
    ends: list[tuple[AstExpression, AstExpression]] = []
    for position, extent in enumerate(shape):
        if not accessed.dim_is_bounded(isl.dim_type.set, position):
            return None
        least, greatest = accessed.dim_min(position), accessed.dim_max(position)
        first = _bound(least, [piece.dim_min(position) for piece in pieces], known, Operator.MIN)
        last = _bound(greatest, [piece.dim_max(position) for piece in pieces], known, Operator.MAX)
        if first is None or last is None:
            return None
        (low, is_low_exact), (high, is_high_exact) = first, last
        if extent != DYNAMIC_INDEX and not (is_accessed and is_low_exact and is_high_exact):
            low, high = _within(low, extent), _within(high, extent)
        ends.append((low, high))
    return tuple(ends)


def _within(subscript: AstExpression, extent: int) -> AstExpression:
    """A subscript, or the nearest one that is inside of an array."""
    below = AstOperation(Operator.MIN, (subscript, AstNumber(extent - 1)))
    return AstOperation(Operator.MAX, (below, AstNumber(0)))


def _bound(
    exact: isl.PwAff, parts: Sequence[isl.PwAff], known: isl.Set, operator: Operator
) -> tuple[AstExpression, bool] | None:
    """A bound for all parts, exact if that is short; `None` if it has too many cases.

    Also whether it is the exact one.
    """
    simple = exact.coalesce().gist(known).coalesce()
    found = extremum_text(simple, known)
    if found is not None:
        return found, True
    if _is_choice(simple):
        return bound_text(simple, known), True
    # An empty part may only make the range larger.
    alone = [part.coalesce().gist(part.domain()).coalesce() for part in parts]
    if any(part.n_piece() > MOST_PIECES for part in alone):
        return None
    affine = [isl.PwAff.from_aff(p.get_pieces()[0][1]) for p in alone if p.n_piece() == 1]
    combine = isl.PwAff.min if operator is Operator.MIN else isl.PwAff.max
    together = [reduce(combine, affine).coalesce()] if affine else []
    texts = [bound_text(each.gist(known).coalesce(), known) for each in together]
    texts += [
        bound_text(part, whole.domain())
        for part, whole in zip(alone, parts, strict=True)
        if part.n_piece() > 1
    ]
    return (texts[0] if len(texts) == 1 else AstOperation(operator, tuple(texts))), False


def _is_choice(bound: isl.PwAff) -> bool:
    """Whether one comparison decides which of two cases a bound is."""
    if bound.n_piece() != 2:
        return False
    domains = [domain.get_basic_sets() for domain, _ in bound.get_pieces()]
    return any(len(d) == 1 and d[0].n_constraint() == 1 for d in domains)


def _memory(computed: Computed, operand: int | str, box: _Box | None) -> Memory:
    """An operand, or its elements in a box."""
    if box is None or isinstance(operand, str):
        return operand
    ends = tuple((computed.number(first), computed.number(last)) for first, last in box)
    return ElementRange(operand, ends)
