"""From a scop to loops: the schedule tree in force becomes affine and scf operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from polyir.codegen.affine_loops import AffineLoop, parallel_loop, sequential_loop
from polyir.codegen.affine_to_scf import legalize_affine
from polyir.codegen.ast_build import FOR_NODE, IF_NODE, ScopAst, build_ast, parallel_depth
from polyir.codegen.ast_expressions import (
    AstExpressionReader,
    Operator,
    arguments_of,
    identifiers_of,
    operator_of,
)
from polyir.codegen.iterator_names import LoopNames, loop_names
from polyir.codegen.statement_bodies import copy_body
from polyir.codegen.symbolic_tiles import number_of_band
from polyir.codegen.tile_loops import (
    Ends,
    Origin,
    Range,
    open_origin,
    open_tile_loops,
    usable_size,
)
from polyir.diagnostics import PolyirError, location_of
from polyir.dialects.scop import StmtOp
from polyir.model.affine import NotAffineError
from polyir.model.index_expressions import Atom, IndexExpression, set_of
from polyir.model.local_memory import array_of_mark
from polyir.model.scop import Scop


def lower_scop(scop: Scop) -> None:
    """Replace `scop.op` in its block by loops that execute the schedule tree in force.

    Loops are `affine.for`, below a mark "parallel" `affine.parallel`, wherever their bounds
    are affine, and `scf` loops where not; the same holds for conditions and accesses. The
    loops get the names of the source's iterators as name hints, statements their locations.

    Raises `PolyirError` if the tree executes instances that are of no statement, or infinitely
    many.
    """
    block = scop.op.parent_block()
    if block is None:
        raise ValueError("the scop stands in no block")
    ast = build_ast(scop)
    parameters = {
        name: IndexExpression.of(value) for name, value in scop.op.parameter_values.items()
    }
    taken = tuple(parameters) + tuple(scop.arrays)
    # What all loops share goes in front of the scop, the loops behind it.
    before, behind = scop.op.prev_op, scop.op.next_op
    front, loops = Builder(InsertPoint.before(scop.op)), Builder(InsertPoint.after(scop.op))
    for size in ast.expanded.sizes:
        if size not in parameters:
            message = f"the schedule tree has tiles of the size {size}, which is no parameter"
            raise PolyirError(message, location_of(scop.op))
        used = usable_size(scop.op.parameter_values[size], front)
        parameters[size] = IndexExpression.of(used)
    place = _Place(loops, parameters, taken, front, ast.iterators)
    lowering = _TreeLowering(scop, ast)
    lowering.lower(ast.root, place)
    Rewriter.erase_op(scop.op)
    for prototype in lowering.copied:
        Rewriter.erase_op(prototype)
    generated = block.first_op if before is None else before.next_op
    while generated is not None and generated is not behind:
        following = generated.next_op
        legalize_affine(generated)
        generated = following


@dataclass(frozen=True)
class _Place:
    """Where code is being generated.

    `values` are the meanings of the AST's identifiers, `taken` the names of the values around.
    `parallel` is the schedule depth at which loops are parallel, where a mark says so.
    `front` builds in front of all loops, whose iterators are the AST's `iterators`. `origins`
    are the loops over first points of tiles, by their iterators; `copies` the memory that takes
    the place of other memory here.
    """

    builder: Builder
    values: Mapping[str, IndexExpression]
    taken: tuple[str, ...]
    front: Builder
    iterators: tuple[str, ...]
    parallel: int | None = None
    origins: Mapping[str, Origin] = field(default_factory=dict)
    copies: Mapping[SSAValue, SSAValue] = field(default_factory=dict)

    @property
    def reader(self) -> AstExpressionReader:
        """A reader of AST expressions at this place."""
        return AstExpressionReader(self.values)

    def computed(self, expression: isl.AstExpr) -> IndexExpression:
        """A value of `expression`, computed here; in front of all loops if they do not matter.

        What is computed directly in a function is a valid symbol of affine maps.
        """
        iterators = tuple(name for name in identifiers_of(expression) if name in self.iterators)
        builder = self.builder if iterators else self.front
        return IndexExpression.of(self.reader.value(expression, builder))

    def inside(self, block: Block) -> _Place:
        """The place at the end of a block, before its terminator."""
        last = block.last_op
        is_closed = last is not None and last.has_trait(IsTerminator)
        point = InsertPoint.before(last) if last and is_closed else InsertPoint.at_end(block)
        return replace(self, builder=Builder(point))

    def bind(self, identifier: str, value: IndexExpression) -> _Place:
        """This place with a meaning for one more identifier."""
        return replace(self, values={**self.values, identifier: value})


class _TreeLowering:
    """Generates operations for AST nodes."""

    def __init__(self, scop: Scop, ast: ScopAst) -> None:
        self.copied: set[memref.AllocaOp] = set()
        self._ast = ast
        self._names: LoopNames = loop_names(scop, ast.expanded)
        self._statements: dict[str, StmtOp] = {s.name: s.op for s in scop.statements}
        self._scop = scop

    def lower(self, node: isl.AstNode, place: _Place) -> None:
        """Generate the operations of `node` at `place`."""
        kind = isl.ast_node_type(node.get_type())
        if kind is FOR_NODE:
            self._lower_for(node, place)
        elif kind is IF_NODE:
            self._lower_if(node, place)
        elif kind is isl.ast_node_type.block:
            children = node.block_get_children()
            for position in range(children.n_ast_node()):
                self.lower(children.get_at(position), place)
        elif kind is isl.ast_node_type.mark:
            self._lower_mark(node, place)
        else:
            self._lower_user(node, place)

    def _lower_mark(self, node: isl.AstNode, place: _Place) -> None:
        number = number_of_band(node.mark_get_id().get_name() or "")
        if number is not None:
            place = self._inside_tile_loops(node, number, place)
        array = array_of_mark(node.mark_get_id().get_name() or "")
        if array is not None:
            place = self._with_copy(array, place)
        depth = parallel_depth(node)
        inner = place if depth is None else replace(place, parallel=depth)
        self.lower(node.mark_get_node(), inner)

    def _with_copy(self, array: str, place: _Place) -> _Place:
        """The place with memory of its own for a local array."""
        memory = self._scop.arrays[array]
        assert isinstance(memory.owner, memref.AllocaOp)
        copy = memory.owner.clone()
        copy.memref.name_hint = memory.name_hint
        place.builder.insert(copy)
        self.copied.add(memory.owner)
        return replace(place, copies={**place.copies, memory: copy.memref})

    def _inside_tile_loops(self, mark: isl.AstNode, number: int, place: _Place) -> _Place:
        """The place inside those loops over tiles that are no loops of the AST."""
        band, box = self._ast.expanded.bands[number], self._ast.boxes[number]
        statements, taken = _statements_in(mark), list(place.taken)
        values = [place.values[size].value for size in band.tiles.sizes]
        sizes = [value for value in values if value is not None]
        ends: Ends = ()
        if box is not None:
            in_front = replace(place, builder=place.front)
            ends = tuple(
                (_expression(lower, in_front), _expression(upper, in_front))
                for lower, upper in zip(box.lower, box.upper, strict=True)
            )

        def next_name(position: int) -> str:
            taken.append(self._names.name_for(statements, band.depth + position, taken))
            return taken[-1]

        tiles = band.tiles
        if place.parallel == band.depth:
            # A mark of the first loop of the band, from before the band was tiled.
            tiles = replace(tiles, parallel=0)
        nest = open_tile_loops(tiles, sizes, ends, place.builder, place.front, next_name)
        iterators = self._ast.iterators[band.depth : band.depth + len(sizes)]
        origins = {**place.origins, **dict(zip(iterators, nest.origins, strict=True))}
        return replace(place, builder=nest.builder, taken=tuple(taken), origins=origins)

    def _lower_origin(self, node: isl.AstNode, iterator: str, place: _Place) -> None:
        """Generate a loop over the first points of tiles, or test the one that is given."""
        origin = place.origins[iterator]
        if node.for_is_degenerate():
            only = _expression(node.for_get_init(), place)
            range = Range((only,), (only.shift(1),))
        else:
            range = Range(
                _bounds(node.for_get_init(), Operator.max, place),
                _upper_bounds(node.for_get_cond(), place),
                int(node.for_get_inc().get_val().to_python()),
            )
        body, value = open_origin(origin, range, place.builder)
        if origin.value is None:
            depth = self._ast.depth_of(iterator)
            value.name_hint = self._names.name_for(_statements_in(node), depth, place.taken)
            place = replace(place, taken=(*place.taken, value.name_hint))
        inner = replace(place, builder=body).bind(iterator, IndexExpression.of(value))
        self.lower(node.for_get_body(), inner)

    def _lower_for(self, node: isl.AstNode, place: _Place) -> None:
        iterator = _identifier(node.for_get_iterator())
        if iterator in place.origins:
            self._lower_origin(node, iterator, place)
            return
        if node.for_is_degenerate():
            value = _expression(node.for_get_init(), place)
            self.lower(node.for_get_body(), place.bind(iterator, value))
            return
        loop = AffineLoop(
            _bounds(node.for_get_init(), Operator.max, place),
            _upper_bounds(node.for_get_cond(), place),
            int(node.for_get_inc().get_val().to_python()),
            Block(arg_types=[IndexType()]),
        )
        depth = self._ast.depth_of(iterator)
        is_parallel = place.parallel == depth
        place.builder.insert(parallel_loop(loop) if is_parallel else sequential_loop(loop))
        name = self._names.name_for(_statements_in(node), depth, place.taken)
        index = loop.body.args[0]
        index.name_hint = name
        inner = place.inside(loop.body).bind(iterator, IndexExpression.of(index))
        self.lower(node.for_get_body(), replace(inner, taken=(*place.taken, name)))
        loop.body.add_op(affine.YieldOp.get())

    def _lower_if(self, node: isl.AstNode, place: _Place) -> None:
        true, false = Block(), Block()
        else_blocks = [false] if node.if_has_else_node() else []
        regions = [Region(true), Region(else_blocks)]
        condition = node.if_get_cond()
        try:
            integer_set, operands = set_of(place.reader.constraints(condition))
            place.builder.insert(
                affine.IfOp.build(
                    operands=[operands],
                    result_types=[[]],
                    properties={"condition": integer_set},
                    regions=regions,
                )
            )
            terminator: type[affine.YieldOp | scf.YieldOp] = affine.YieldOp
        except NotAffineError:
            value = place.reader.condition(condition, place.builder)
            place.builder.insert(scf.IfOp(value, [], regions[0], regions[1]))
            terminator = scf.YieldOp
        self.lower(node.if_get_then_node(), place.inside(true))
        true.add_op(terminator.create())
        if else_blocks:
            self.lower(node.if_get_else_node(), place.inside(false))
            false.add_op(terminator.create())

    def _lower_user(self, node: isl.AstNode, place: _Place) -> None:
        name, *arguments = arguments_of(node.user_get_expr())
        statement = self._statements.get(_identifier(name))
        if statement is None:
            raise PolyirError(
                f"the schedule tree executes {_identifier(name)}, which is no statement",
                location_of(self._scop.op),
            )
        # Behind the iterators of the source come the first points of tiles.
        own = arguments[: len(statement.body.block.args)]
        iterators = [_expression(argument, place) for argument in own]
        copy_body(statement.body.block, iterators, place.builder, place.copies)


def _identifier(expression: isl.AstExpr) -> str:
    name = expression.get_id().get_name()
    assert name is not None
    return name


def _statements_in(node: isl.AstNode) -> tuple[str, ...]:
    """The names of the statements in the AST from `node` down."""
    names: list[str] = []

    def visit(inner: isl.AstNode) -> bool:
        if isl.ast_node_type(inner.get_type()) is isl.ast_node_type.user:
            names.append(_identifier(inner.user_get_expr().get_op_arg(0)))
        return True

    node.foreach_descendant_top_down(visit)
    return tuple(names)


def _expression(expression: isl.AstExpr, place: _Place) -> IndexExpression:
    """`expression` as an affine one, over a value computed here where it is not affine."""
    try:
        return place.reader.affine(expression)
    except NotAffineError:
        return place.computed(expression)


def _bounds(
    expression: isl.AstExpr, combination: isl.ast_expr_op_type, place: _Place
) -> tuple[IndexExpression, ...]:
    """Expressions with `expression` as their maximum (minimum), computed here if need be."""
    try:
        bounds = place.reader.bounds(expression, combination)
    except NotAffineError:
        return (place.computed(expression),)
    # Of bounds that differ in their constants only, one is enough.
    tightest = max if combination is Operator.max else min
    constants: dict[tuple[tuple[Atom, int], ...], int] = {}
    for bound in bounds:
        known = constants.get(bound.terms, bound.constant)
        constants[bound.terms] = tightest(known, bound.constant)
    return tuple(IndexExpression(terms, constant) for terms, constant in constants.items())


def _upper_bounds(condition: isl.AstExpr, place: _Place) -> tuple[IndexExpression, ...]:
    """The exclusive upper bounds that a loop's condition sets on its iterator.

    The condition is `iterator < bound` or `iterator <= bound`: isl makes no other unless its
    option `ast_build_atomic_upper_bound` is off.
    """
    operator, (_, bound) = operator_of(condition), arguments_of(condition)
    bounds = _bounds(bound, Operator.min, place)
    match operator:
        case Operator.lt:
            return bounds
        case Operator.le:
            return tuple(item.successor() for item in bounds)
        case _:
            raise AssertionError(f"isl made a loop with condition {condition}")
