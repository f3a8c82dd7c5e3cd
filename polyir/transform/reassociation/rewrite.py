"""Reductions rewritten: partial results in lanes, and trees that combine them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar, cast

import islpy as isl
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.rewriter import Rewriter

from polyir.dialects.mark_attributes import OneBlockAttr
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.isl_lists import parameters_of
from polyir.isl_trees import BandMembers, TreeNode, build_tree, describe_tree
from polyir.model.affine_maps import Valued, affine_expression, map_over
from polyir.model.scop import Scop, unique_name
from polyir.model.tree import tree_from_schedule
from polyir.transform.address import TreePath, node_at
from polyir.transform.expansion.box import Allocator, NoBoxError, Side, box_of, on_statement
from polyir.transform.expansion.temporaries import StatementValues
from polyir.transform.reassociation.plan import (
    Loop,
    NoReductionError,
    Reduction,
    elements,
)
from polyir.transform.reassociation.updates import memory_of, neutral_element
from polyir.transform.tile import tile_values


@dataclass(frozen=True)
class Piece:
    """A new statement: its domain `{ T[v, c] }` with the values v of the loops around.

    `cells` says how many iterators follow v: the part and the lane, or one of them.
    """

    domain: isl.Set
    half: int = 0

    @property
    def name(self) -> str:
        """Its name."""
        return cast(str, self.domain.get_tuple_name())


@dataclass(frozen=True)
class Rewriting:
    """What to do to a scop for a reduction: new statements, memory, and the tree.

    `initial` sets a partial result to the neutral element. Each of `steps` combines partial results
    that are `half` lanes apart, and the last two lanes are combined by `result`; for a reduction in
    parts it stores the result of a part, `parts` combine these in the same way, and `total` the last
    two of them. The results go to `place`, the element as a function of the loops around.

    `box` is that of the values of the loops over results.
    """

    reduction: Reduction
    initial: Piece
    steps: tuple[Piece, ...]
    result: Piece
    parts: tuple[Piece, ...]
    total: Piece | None
    place: isl.MultiAff
    box: tuple[Side, ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The new statements in the order in which they run."""
        return (*self.of_parts, *self.across_parts)

    @property
    def of_parts(self) -> tuple[Piece, ...]:
        """Those for each part, or for the whole result."""
        return (self.initial, *self.steps, self.result)

    @property
    def across_parts(self) -> tuple[Piece, ...]:
        """Those that combine the results of parts."""
        return (*self.parts, *(() if self.total is None else (self.total,)))

    def in_order(self) -> isl.Schedule:
        """The tree with the new statements, and all instances in the order that they had."""
        return _Tree(self).in_order()

    def in_lanes(self) -> isl.Schedule:
        """The tree with the new statements, in which lanes and parts are parallel."""
        return _Tree(self).in_lanes()


def plan_rewriting(scop: Scop, reduction: Reduction) -> Rewriting:
    """What computes a reduction in lanes; raises `NoReductionError`.

    X[f] = X[f] op e becomes, for each result v,

        P[v, l] = neutral element                         for each lane l
        P[v, l] = P[v, l] op e                            in the instances of lane l
        P[v, c] = P[v, c] op P[v, c + h]                  for c < h; h = lanes/2, ..., 2
        X[f] = X[f] op (P[v, 0] op P[v, 1])

    That is the same combination of X[f] and all values of e, in another order and with other
    brackets: op is associative and commutative, except for the rounding of floating-point numbers.
    P is new memory, and X[f] is accessed by nothing else between the instances of one result
    (`find_reduction`). So the value is the same for every later read.

        band [v, k]                  band [v in groups]
          S                            mark #poly.one_block
                            =>           sequence
                                           filter initial, S: band [v, l]
                                             sequence
                                               filter initial
                                               filter S: band [k]
                                           filter step: band [v, c]
                                           ...
                                           filter result: band [v]

    A single result is divided into parts first, b, whose results are combined by a second tree:

        band [b]
          mark #poly.one_block
            sequence ...
        mark #poly.one_block
          sequence
            filter step: band [c]
            ...
            filter total

    What shared loops with S runs before or after, in loops of its own over the same results.
    """
    update = reduction.update
    prefix = reduction.prefix
    domain = prefix.range().coalesce()
    place = _function(prefix.reverse().apply_range(elements(update)).coalesce())
    for loop in (*reduction.results, reduction.lane, *_given(reduction.part)):
        _single(loop.values)
    first = len(reduction.around)
    try:
        own = domain.project_out(isl.dim_type.set, 0, first)
        box = box_of(own, scop.context)
    except NoBoxError as error:
        raise NoReductionError(f"its results have no array of partial ones: {error}") from None
    namer = _Namer(scop, update.statement.name)
    lanes, blocks = reduction.lanes, reduction.blocks
    part = {"b": blocks} if blocks > 1 else {}
    return Rewriting(
        reduction,
        initial=Piece(_cells(domain, {**part, "l": lanes}, namer("init"))),
        steps=tuple(
            Piece(_cells(domain, {**part, "l": half}, namer(f"tree{half}")), half)
            for half in _halves(lanes)
        ),
        result=Piece(_cells(domain, part, namer("part" if part else "result"))),
        parts=tuple(
            Piece(_cells(domain, {"b": half}, namer(f"part_tree{half}")), half)
            for half in (_halves(blocks) if part else ())
        ),
        total=Piece(_cells(domain, {}, namer("result"))) if part else None,
        place=place,
        box=box,
    )


class _Namer:
    """Makes names of new statements from that of the statement that they are for."""

    def __init__(self, scop: Scop, statement: str) -> None:
        self._statement = statement
        self._taken = {*scop.arrays, *(body.name for body in scop.bodies)}

    def __call__(self, role: str) -> str:
        name = unique_name(f"{self._statement}_{role}", self._taken)
        self._taken.add(name)
        return name


def _given(loop: Loop | None) -> tuple[Loop, ...]:
    return () if loop is None else (loop,)


def _halves(lanes: int) -> list[int]:
    """The distances of the lanes that are combined, without the last one."""
    return [1 << bit for bit in range(lanes.bit_length() - 2, 0, -1)]


def _cells(domain: isl.Set, extents: Mapping[str, int], name: str) -> isl.Set:
    """`{ T[v, c] : 0 <= c < extents }` for the values v of `domain`, with names for the c."""
    first = domain.dim(isl.dim_type.set)
    cells = domain.reset_tuple_id() if domain.has_tuple_id() else domain
    cells = cells.add_dims(isl.dim_type.set, len(extents))
    for position, extent in enumerate(extents.values(), first):
        cells = cells.lower_bound_val(isl.dim_type.set, position, isl.Val(0))
        cells = cells.upper_bound_val(isl.dim_type.set, position, isl.Val(extent - 1))
    cells = cells.set_tuple_name(name)
    names = [f"i{position}" for position in range(first)]
    for position, each in enumerate([*names, *extents]):
        cells = cells.set_dim_name(isl.dim_type.set, position, each)
    return cells


def _function(relation: isl.Map) -> isl.MultiAff:
    """A relation as one function; raises `NoReductionError` if it is none."""
    function = isl.PwMultiAff.from_map(relation).coalesce()
    pieces: list[isl.MultiAff] = []
    function.foreach_piece(lambda domain, piece: pieces.append(piece))
    if len(pieces) != 1:
        raise NoReductionError("its element is no single affine function of the loops around")
    return pieces[0]


def _single(function: isl.PwAff) -> isl.Aff:
    """A function of one piece; raises `NoReductionError` for others."""
    pieces = function.get_pieces()
    if len(pieces) != 1:
        raise NoReductionError("a loop around it has values that are no single affine function")
    ((_, piece),) = pieces
    return cast(isl.Aff, piece)


# ----------------------------------------------------------------------------------- the tree


Member = list[isl.PwAff]
"""The functions of one member of a band."""


class _Tree:
    """The schedule tree of a rewriting."""

    def __init__(self, rewriting: Rewriting) -> None:
        self._rewriting = rewriting
        self._reduction = rewriting.reduction
        self._around = len(self._reduction.around)
        self._first_cell = self._around + len(self._reduction.results)

    def in_order(self) -> isl.Schedule:
        """The tree with the new statements, and all instances in the order that they had."""
        return self._changed(self._in_order)

    def in_lanes(self) -> isl.Schedule:
        """The tree with the new statements, in which lanes and parts are parallel."""
        return self._changed(self._in_lanes)

    def _changed(self, change: Callable[[TreeNode], TreeNode]) -> isl.Schedule:
        def extended(tree: TreeNode, path: TreePath, depth: int) -> TreeNode:
            if not path:
                return change(tree)
            content = tree.content
            pieces = self._rewriting.pieces
            match content:
                case isl.UnionSet() if tree.kind == "domain":
                    added = (isl.UnionSet.from_set(piece.domain) for piece in pieces)
                    content = reduce(isl.UnionSet.union, added, content)
                case isl.UnionSet():
                    content = content.union(_universe(pieces))
                case BandMembers():
                    content = self._with_pieces(tree, depth)
                    depth += len(content.objects)
            children = list(tree.children)
            children[path[0]] = extended(children[path[0]], path[1:], depth)
            return replace(tree, content=content, children=tuple(children))

        tree = describe_tree(self._reduction.schedule)
        return build_tree(extended(tree, self._reduction.path, 0))

    def _in_order(self, tree: TreeNode) -> TreeNode:
        """What stands in the place of the reduction, with its instances in their order."""
        reduction, rewriting = self._reduction, self._rewriting
        below = tree.children if reduction.results else (tree,)
        name = reduction.update.statement.name
        initial, *others = (self._cells(piece, self._first_cell) for piece in rewriting.pieces)
        parts = [
            self._filter(reduction.before, below),
            [initial],
            self._filter((name,), below),
            others,
            self._filter(reduction.after, below),
        ]
        inside = TreeNode("sequence", None, tuple(each for part in parts for each in part))
        if not reduction.results:
            return inside
        return replace(tree, content=self._with_pieces(tree, self._around), children=(inside,))

    def _in_lanes(self, tree: TreeNode) -> TreeNode:
        """What stands in the place of the reduction, with its lanes in parallel."""
        reduction = self._reduction
        below = tree.children if reduction.results else (tree,)
        parts = [
            self._apart(reduction.before, below),
            self._lanes_and_trees(below),
            self._apart(reduction.after, below),
        ]
        inside = _sequence([each for part in parts for each in part])
        if not reduction.results or reduction.in_block:
            return inside
        results = self._with_pieces(tree, self._around).schedule
        count = len(reduction.results)
        sizes = [1] * (count - 1) + [reduction.group]
        tiles = [tile_values(results.get_at(each), size) for each, size in enumerate(sizes)]
        return _band(tiles, (TreeNode("mark", OneBlockAttr(), (inside,)),))

    def _with_pieces(self, band: TreeNode, depth: int) -> BandMembers:
        """A band that is also around the new statements; its first loop is at `depth`."""
        content = band.content
        assert isinstance(content, BandMembers)
        functions = [
            [_iterator(piece.domain, depth + member) for piece in self._rewriting.pieces]
            for member in range(len(content.objects))
        ]
        return replace(content, schedule=_with(content.schedule, functions))

    def _filter(self, names: Sequence[str], below: tuple[TreeNode, ...]) -> list[TreeNode]:
        """The filter of some of the statements that there were, if there are any."""
        if not names:
            return []
        universe = _universe_of(self._reduction.schedule, names)
        return [TreeNode("filter", universe, _restricted(below, names))]

    def _apart(self, names: Sequence[str], below: tuple[TreeNode, ...]) -> list[TreeNode]:
        """The filter of statements beside the reduction, with the loops over results inside."""
        reduction = self._reduction
        filters = self._filter(names, below)
        if not filters or not reduction.results:
            return filters
        (node,) = filters
        band = node_at(reduction.schedule, reduction.path)
        instances = cast(isl.UnionSet, node.content)
        schedule = band.band_get_partial_schedule().intersect_domain(instances)
        members = [schedule.get_at(position) for position in range(len(reduction.results))]
        return [replace(node, children=(_merged(members, node.children),))]

    def _lanes_and_trees(self, below: tuple[TreeNode, ...]) -> list[TreeNode]:
        """The filters of the statement and of what belongs to it."""
        rewriting, reduction = self._rewriting, self._reduction
        # The loops over parts are around.
        first = self._around if reduction.blocks == 1 else self._first_cell + 1
        combining = (*rewriting.steps, rewriting.result)
        blocks = [self._accumulation(below), *(self._cells(each, first) for each in combining)]
        if reduction.results or reduction.in_block:
            return blocks
        if reduction.blocks == 1:
            return [_filter_around(blocks, _one_block(blocks))]
        part = [_iterator(each.domain, self._first_cell) for each in rewriting.of_parts]
        part.append(self._part_of_statement())
        parts = _filter_around(blocks, _band([_union(part)], (_one_block(blocks),)))
        rest = [self._cells(each, self._around) for each in rewriting.across_parts]
        return [parts, _filter_around(rest, _one_block(rest))]

    def _accumulation(self, below: tuple[TreeNode, ...]) -> TreeNode:
        """The filter of the lanes: each partial result is set and then updated."""
        reduction, initial = self._reduction, self._rewriting.initial
        name = reduction.update.statement.name
        statement = _universe_of(reduction.schedule, (name,))
        own = _universe((initial,))
        count = initial.domain.dim(isl.dim_type.set)
        members = [
            [loop.values, _iterator(initial.domain, position)]
            for position, loop in enumerate(reduction.results, self._around)
        ]
        lane = reduction.lane.values.mod_val(isl.Val(reduction.lanes))
        members.append([lane, _iterator(initial.domain, count - 1)])
        reduced = TreeNode("filter", statement, _restricted(below, (name,)))
        sequence = TreeNode("sequence", None, (TreeNode("filter", own, ()), reduced))
        band = _band([_union(each) for each in members], (sequence,))
        return TreeNode("filter", own.union(statement), (band,))

    def _part_of_statement(self) -> isl.PwAff:
        """The part of a result that an instance of the statement belongs to."""
        reduction = self._reduction
        if reduction.part is not None:
            return reduction.part.values.mod_val(isl.Val(reduction.blocks))
        rounds = reduction.lane.values.scale_down_val(isl.Val(reduction.lanes)).floor()
        return rounds.mod_val(isl.Val(reduction.blocks))

    def _cells(self, piece: Piece, first: int) -> TreeNode:
        """The filter of a new statement, with a band of its iterators from `first` on."""
        count = piece.domain.dim(isl.dim_type.set)
        functions = [_union([_iterator(piece.domain, each)]) for each in range(first, count)]
        below = (_band(functions),) if functions else ()
        return TreeNode("filter", _universe((piece,)), below)


def _one_block(filters: Sequence[TreeNode]) -> TreeNode:
    return TreeNode("mark", OneBlockAttr(), (_sequence(filters),))


def _sequence(filters: Sequence[TreeNode]) -> TreeNode:
    """A sequence, or what is below its only filter."""
    if len(filters) == 1 and filters[0].children:
        return filters[0].children[0]
    return TreeNode("sequence", None, tuple(filters))


def _filter_around(filters: Sequence[TreeNode], below: TreeNode) -> TreeNode:
    """The filter that lets pass what several filters do."""
    instances = (cast(isl.UnionSet, each.content) for each in filters)
    return TreeNode("filter", reduce(isl.UnionSet.union, instances), (below,))


def _iterator(domain: isl.Set, position: int) -> isl.PwAff:
    """The function of one iterator."""
    local = isl.LocalSpace.from_space(domain.get_space())
    return isl.PwAff.from_aff(isl.Aff.var_on_domain(local, isl.dim_type.set, position))


def _pieces(function: isl.UnionPwAff) -> Member:
    functions = function.get_pw_aff_list()
    return [functions.get_at(position) for position in range(functions.n_pw_aff())]


def _union(member: Iterable[isl.PwAff]) -> isl.UnionPwAff:
    return reduce(isl.UnionPwAff.union_add, map(isl.UnionPwAff.from_pw_aff, member))


def _with(schedule: isl.MultiUnionPwAff, functions: Sequence[Member]) -> isl.MultiUnionPwAff:
    """A partial schedule with more functions in each member."""
    members = [
        schedule.get_at(position).union_add(_union(each)) for position, each in enumerate(functions)
    ]
    return _multi(members)


def _multi(members: Sequence[isl.UnionPwAff]) -> isl.MultiUnionPwAff:
    return reduce(
        isl.MultiUnionPwAff.flat_range_product,
        map(isl.MultiUnionPwAff.from_union_pw_aff, members),
    )


def _band(members: Sequence[isl.UnionPwAff], children: tuple[TreeNode, ...] = ()) -> TreeNode:
    """A band of parallel members."""
    flags = (True,) * len(members)
    objects = (None,) * len(members)
    options = isl.UnionSet("{ }")
    return TreeNode("band", BandMembers(_multi(members), objects, True, flags, options), children)


def _merged(members: Sequence[isl.UnionPwAff], below: tuple[TreeNode, ...]) -> TreeNode:
    """A band of parallel members above a tree: one band with what is directly below it."""
    flags = (True,) * len(members)
    if len(below) == 1 and isinstance(below[0].content, BandMembers):
        inner = below[0].content
        own = [inner.schedule.get_at(each) for each in range(len(inner.coincident))]
        if (inner.options.is_empty() and not inner.permutable) or all(inner.coincident):
            content = replace(
                inner,
                schedule=_multi([*members, *own]),
                objects=((None,) * len(members)) + inner.objects,
                coincident=flags + inner.coincident,
            )
            return replace(below[0], content=content)
    return _band(members, below)


def _universe(pieces: Sequence[Piece]) -> isl.UnionSet:
    """All instances of new statements."""
    sets = (isl.Set.universe(piece.domain.get_space()) for piece in pieces)
    return reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, sets))


def _universe_of(schedule: isl.Schedule, names: Sequence[str]) -> isl.UnionSet:
    """All instances of some statements of a tree."""
    found: list[isl.UnionSet] = []
    schedule.get_domain().foreach_set(
        lambda each: (
            found.append(isl.UnionSet.from_set(isl.Set.universe(each.get_space())))
            if each.get_tuple_name() in names
            else None
        )
    )
    return reduce(isl.UnionSet.union, found)


def _restricted(trees: Sequence[TreeNode], names: Sequence[str]) -> tuple[TreeNode, ...]:
    """Trees with some of their statements only."""
    return tuple(each for tree in trees for each in _only(tree, names))


def _only(tree: TreeNode, names: Sequence[str]) -> tuple[TreeNode, ...]:
    content = tree.content
    children = _restricted(tree.children, names)
    match content:
        case isl.UnionSet():
            kept = [each for each in _sets(content) if each.get_tuple_name() in names]
            if not kept:
                return ()
            content = reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, kept))
        case BandMembers():
            members = [
                _union(
                    function
                    for function in _pieces(content.schedule.get_at(position))
                    if function.get_domain_space().get_tuple_name(isl.dim_type.set) in names
                )
                for position in range(len(content.coincident))
            ]
            content = replace(content, schedule=_multi(members))
        case None if tree.kind in ("sequence", "set") and len(children) == 1:
            return children[0].children
    return (replace(tree, content=content, children=children),)


def _sets(union: isl.UnionSet) -> list[isl.Set]:
    found: list[isl.Set] = []
    union.foreach_set(found.append)
    return found


# --------------------------------------------------------------------------------- operations


def apply_rewriting(op: ScopOp, scop: Scop, rewriting: Rewriting) -> None:
    """Rewrite the operations of a scop, with all instances in the order that they had.

    Its dependences are out of date after it.
    """
    _Builder(op, scop, rewriting).build()
    old = op.tree
    op.body.block.insert_op_before(tree_from_schedule(rewriting.in_order()), old)
    Rewriter.erase_op(old)


_Item = TypeVar("_Item")


class _Builder:
    """Makes the memory and the statements of a rewriting."""

    def __init__(self, op: ScopOp, scop: Scop, rewriting: Rewriting) -> None:
        self._op = op
        self._scop = scop
        self._rewriting = rewriting
        self._reduction = reduction = rewriting.reduction
        self._update = reduction.update
        name = self._update.statement.name
        (self._statement,) = (each for each in op.statements if each.sym_name.data == name)
        self._around = len(reduction.around)
        self._has_parts = reduction.blocks > 1
        self._original = memory_of(self._update.store)

    def build(self) -> None:
        """Allocate memory, let the statement use it, and add the new statements."""
        reduction, rewriting = self._reduction, self._rewriting
        allocator = Allocator(self._op)
        parts = [_constant_side(reduction.blocks)] if self._has_parts else []
        cells = _constant_side(reduction.blocks * reduction.lanes)
        self._partial = allocator.allocate(self._original, self._in_order(rewriting.box, cells))
        self._partial.name_hint = f"{self._update.array}_partial"
        if self._has_parts:
            self._totals = allocator.allocate(self._original, parts)
            self._totals.name_hint = f"{self._update.array}_part"
        self._redirect()
        block = self._op.body.block
        last: Operation = self._statement
        for piece in rewriting.pieces:
            statement = self._new_statement(piece)
            block.insert_op_after(statement, last)
            last = statement

    def _in_order(self, others: Iterable[_Item], lane: _Item) -> list[_Item]:
        """The subscripts of partial results in the order of memory.

        The lanes of all parts are one dimension: dependences are found faster.
        """
        return [lane, *others] if self._reduction.lanes_first else [*others, lane]

    def _redirect(self) -> None:
        """Let the statement update partial results."""
        reduction, update = self._reduction, self._update
        values = StatementValues(self._scop, update.statement)
        cell = [
            _single(loop.values).sub(
                on_statement(side.lower, _single(loop.values).get_domain_space())
            )
            for loop, side in zip(reduction.results, self._rewriting.box, strict=True)
        ]
        subscripts = self._in_order(values.expressions(cell), self._lane(values))
        for access in (update.load, update.store):
            operation = access.operation
            assert isinstance(operation, affine.LoadOp | affine.StoreOp)
            values.redirect(operation, self._partial, tuple(subscripts))
        for step in update.steps:
            if "overflowFlags" in step.properties:
                # Partial results may overflow where the others do not.
                step.properties["overflowFlags"] = arith.IntegerOverflowAttr("none")

    def _lane(self, values: StatementValues) -> AffineExpr:
        """The lane of an instance, among the lanes of all parts."""
        reduction = self._reduction
        (lane,) = values.expressions([_single(reduction.lane.values)])
        if reduction.part is None:
            return _modulo(lane, reduction.lanes * reduction.blocks)
        (part,) = values.expressions([_single(reduction.part.values)])
        return _in_part(
            _modulo(part, reduction.blocks), _modulo(lane, reduction.lanes), reduction.lanes
        )

    def _new_statement(self, piece: Piece) -> StmtOp:
        rewriting = self._rewriting
        block = Block(arg_types=[IndexType()] * piece.domain.dim(isl.dim_type.set))
        for position, argument in enumerate(block.args):
            argument.name_hint = piece.domain.get_dim_name(isl.dim_type.set, position)
        body = _Body(block, [*block.args, *self._op.parameter_values.values()])
        if piece is rewriting.initial:
            value = body.add(arith.ConstantOp(neutral_element(self._update)))
            body.store(value, self._partial, self._cell(piece, AffineDimExpr(len(block.args) - 1)))
        elif piece is rewriting.result or piece is rewriting.total:
            self._finish(body, piece)
        else:
            lane = AffineDimExpr(len(block.args) - 1)
            own, other = self._pair(body, piece, lane, piece.half)
            target = self._target(piece, lane)
            body.store(self._combined(body, own, other), *target)
        statement = StmtOp(piece.name, piece.domain, Region(block))
        for operation in statement.walk():
            operation.location = self._statement.location
        return statement

    def _finish(self, body: _Body, piece: Piece) -> None:
        """Combine the last two lanes; of a part to its result, else with X[f]."""
        own, other = self._pair(body, piece, AffineConstantExpr(0), 1)
        value = self._combined(body, own, other)
        if self._has_parts and piece is self._rewriting.result:
            body.store(value, self._totals, (AffineDimExpr(self._around),))
            return
        place = self._place(piece)
        old = body.load(self._original, place)
        body.store(self._combined(body, old, value), self._original, place)

    def _pair(
        self, body: _Body, piece: Piece, lane: AffineExpr, distance: int
    ) -> tuple[SSAValue, SSAValue]:
        """Two partial results, of a lane and of the one so far away."""
        further = AffineBinaryOpExpr(AffineBinaryOpKind.Add, lane, AffineConstantExpr(distance))
        if isinstance(lane, AffineConstantExpr):
            return (
                body.load(*self._target(piece, lane)),
                body.load(*self._target(piece, AffineConstantExpr(lane.value + distance))),
            )
        return body.load(*self._target(piece, lane)), body.load(*self._target(piece, further))

    def _target(self, piece: Piece, lane: AffineExpr) -> tuple[SSAValue, Valued]:
        """The memory and the subscripts of a partial result, or of the result of a part."""
        rewriting = self._rewriting
        if any(piece is each for each in (*rewriting.parts, rewriting.total)):
            return self._totals, (lane,)
        return self._partial, self._cell(piece, lane)

    def _cell(self, piece: Piece, lane: AffineExpr) -> Valued:
        """The subscripts of a partial result, over the iterators and parameters."""
        space = piece.domain.get_space()
        local = isl.LocalSpace.from_space(space)
        functions = [
            isl.Aff.var_on_domain(local, isl.dim_type.set, position).sub(
                on_statement(side.lower, space)
            )
            for position, side in enumerate(self._rewriting.box, self._around)
        ]
        others = [self._expression(piece, function) for function in functions]
        if self._has_parts:
            lane = _in_part(AffineDimExpr(self._around), lane, self._reduction.lanes)
        return tuple(self._in_order(others, lane))

    def _place(self, piece: Piece) -> Valued:
        """The subscripts of X, over the iterators and parameters."""
        place = self._rewriting.place
        count = place.dim(isl.dim_type.out)
        return tuple(self._expression(piece, place.get_at(each)) for each in range(count))

    def _expression(self, piece: Piece, function: isl.Aff) -> AffineExpr:
        count = piece.domain.dim(isl.dim_type.set)
        order = list(self._op.parameter_values)
        names = parameters_of(function.get_domain_space())
        parameters = [AffineDimExpr(count + order.index(name)) for name in names]
        iterators = [AffineDimExpr(each) for each in range(function.dim(isl.dim_type.in_))]
        return affine_expression(function, iterators, parameters)

    def _combined(self, body: _Body, left: SSAValue, right: SSAValue) -> SSAValue:
        operation: Any = self._update.combiner.operation
        return body.add(operation(left, right))


class _Body:
    """The body of a statement that grows; subscripts number `values`."""

    def __init__(self, block: Block, values: Sequence[SSAValue]) -> None:
        self._block = block
        self._values = values

    def add(self, operation: Operation) -> SSAValue:
        """The result of an operation at the end of the body."""
        self._block.add_op(operation)
        (result,) = operation.results
        return result

    def load(self, memory: SSAValue, subscripts: Valued) -> SSAValue:
        """An element of an array."""
        map, operands = map_over(subscripts, self._values)
        assert isinstance(memory.type, MemRefType)
        load = affine.LoadOp(memory, operands, AffineMapAttr(map), memory.type.element_type)
        return self.add(load)

    def store(self, value: SSAValue, memory: SSAValue, subscripts: Valued) -> None:
        """Store to an element of an array."""
        map, operands = map_over(subscripts, self._values)
        self._block.add_op(affine.StoreOp(value, memory, operands, AffineMapAttr(map)))


def _modulo(value: AffineExpr, divisor: int) -> AffineExpr:
    return AffineBinaryOpExpr(AffineBinaryOpKind.Mod, value, AffineConstantExpr(divisor))


def _in_part(part: AffineExpr, lane: AffineExpr, lanes: int) -> AffineExpr:
    """The lane of a part among those of all parts."""
    first = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, part, AffineConstantExpr(lanes))
    return AffineBinaryOpExpr(AffineBinaryOpKind.Add, first, lane)


def _constant_side(extent: int) -> Side:
    """A side of a box that begins at 0 and has a constant extent."""
    zero = isl.Aff.zero_on_domain(
        isl.LocalSpace.from_space(isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0))
    )
    return Side(zero, isl.PwAff.from_aff(zero.set_constant_val(isl.Val(extent))))
