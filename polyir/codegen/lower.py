"""From a scop to loops: the schedule tree becomes affine and scf operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from xdsl.builder import Builder
from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, NoneAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator
from xdsl.transforms.dead_code_elimination import is_trivially_dead

from polyir.base.diagnostics import PolyirError, location_of
from polyir.codegen import ast
from polyir.codegen.affine_loops import AffineLoop, AstRange, loop_operation
from polyir.codegen.ast import Operator, statements_in
from polyir.codegen.ast_build import Cheaper, LoopsBelow, ScopAst, build_ast, expression_of
from polyir.codegen.ast_expressions import AstExpressionReader, materialize
from polyir.codegen.statement_bodies import Redirection, copy_body
from polyir.codegen.symbolic_tiles import TilesBelow
from polyir.codegen.tile_loops import (
    Origin,
    open_origin,
    open_tile_loops,
    usable_size,
)
from polyir.codegen.uniform_barriers import are_for_all_threads
from polyir.dialects.loop_attributes import LoopAttributes, ParallelAttr
from polyir.dialects.mark_attributes import LocalAttr
from polyir.dialects.scop import KERNEL_SPACES, LocalArrayOp, StmtOp
from polyir.loops.affine_to_scf import legalize_affine
from polyir.model.affine import NotAffineError
from polyir.model.gpu import AXES, barrier_statements, has_kernels
from polyir.model.index_expressions import Atom, Constraint, IndexExpression, map_of, set_of
from polyir.model.iteration_arrays import hoist_arrays
from polyir.model.scop import Scop
from polyir.sets.lists import parameters_of

if TYPE_CHECKING:
    # Few scops have kernels, and start-up is part of every run.
    from polyir.codegen.kernels import Kernel


def lower_scop(scop: Scop) -> None:
    """Replace `scop.op` in its block by loops that execute its schedule tree.

    Loops with affine bounds become `affine.for`, or `affine.parallel` if they have the attribute
    `#poly.parallel`; others become `scf` loops. The same holds for conditions and accesses. The
    loops get the names of the source's iterators as name hints, and the other attributes of their
    band members; statements keep their locations.

    Raises `PolyirError` if the tree executes instances that do not belong to a statement, or
    infinitely many; `CrashError` if isl crashes.
    """
    block = scop.op.parent_block()
    if block is None:
        raise ValueError("the scop is not in a block")
    kernels: dict[str, _KernelAst] = {}
    host = scop
    if has_kernels(scop.schedule):
        from polyir.codegen.kernels import host_and_kernels

        parts = host_and_kernels(scop)
        host = parts.host
        kernels = {each.name: _kernel_ast(each) for each in parts.kernels}
    tree = build_ast(host)
    parameters = {
        name: IndexExpression.of(value) for name, value in scop.op.parameter_values.items()
    }
    taken = tuple(parameters) + tuple(scop.arrays)
    # What all loops share goes in front of the scop, the loops after it.
    before, after = scop.op.prev_op, scop.op.next_op
    front, loops = Builder(InsertPoint.before(scop.op)), Builder(InsertPoint.after(scop.op))
    for size in dict.fromkeys(size for band in tree.tiles for size in band.tiles.sizes):
        if size not in parameters:
            message = f"the schedule tree has tiles of the size {size}, which is not a parameter"
            raise PolyirError(message, location_of(scop.op), name="invalid-tree")
        used = usable_size(scop.op.parameter_values[size], front)
        parameters[size] = IndexExpression.of(used)
    place = _Surroundings(loops, parameters, taken, front, frozenset(tree.iterators))
    lowering = _TreeLowering(host, tree, kernels)
    if kernels:
        from polyir.codegen.launches import device_arrays

        device = device_arrays(scop, front)
        lowering.lower(tree.root, replace(place, copies=device.copies))
        device.release(loops)
    else:
        lowering.lower(tree.root, place)
    local = {array.memory for array in scop.op.local_arrays}
    arrays = [memory for memory in scop.arrays.values() if memory not in local]
    has_allocations = any(array.space.data == "heap" for array in scop.op.local_arrays)
    Rewriter.erase_op(scop.op)
    for array in arrays:
        _remove_unused(array)
    generated = block.first_op if before is None else before.next_op
    while generated is not None and generated is not after:
        if has_allocations:
            hoist_arrays(generated)
        following = generated.next_op
        legalize_affine(generated)
        generated = following


@dataclass(frozen=True)
class _KernelAst:
    """A GPU kernel, and the AST of what one thread runs."""

    kernel: Kernel
    tree: ScopAst


def _kernel_ast(kernel: Kernel) -> _KernelAst:
    """The AST of what one thread runs, in which all threads of a block reach each barrier."""
    barriers, threads = barrier_statements(kernel.thread), frozenset(kernel.threads)
    cheaper = Cheaper(kernel.points, kernel.block)

    def is_usable(ast: ScopAst) -> bool:
        return are_for_all_threads(ast.root, barriers, threads)

    return _KernelAst(kernel, build_ast(kernel.thread, cheaper, is_usable))


@dataclass(frozen=True)
class _Surroundings:
    """The place where code is generated.

    `values` are the meanings of the AST's names, `taken` the names of the values around.
    `attributes` are those of loops by their schedule depth. `front` builds in front of all loops,
    whose iterators are the AST's `iterators`. `origins` are the loops over first points of tiles,
    by their iterators; `copies` the memory that takes the place of local arrays here.
    """

    builder: Builder
    values: Mapping[str, IndexExpression]
    taken: tuple[str, ...]
    front: Builder
    iterators: frozenset[str]
    attributes: Mapping[int, LoopAttributes] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    copies: Mapping[SSAValue, SSAValue] = field(default_factory=dict)

    @property
    def reader(self) -> AstExpressionReader:
        """A reader of expressions at this place."""
        return AstExpressionReader(self.values)

    def computed(self, expression: ast.AstExpression) -> IndexExpression:
        """A value of `expression`, computed here, or before all loops if it is invariant in them.

        Values computed directly in a function are valid symbols of affine maps.
        """
        builder = self.builder if ast.variables_in(expression) & self.iterators else self.front
        return IndexExpression.of(self.reader.value(expression, builder))

    def inside(self, block: Block) -> _Surroundings:
        """The place at the end of a block, before its terminator."""
        last = block.last_op
        is_closed = last is not None and last.has_trait(IsTerminator)
        point = InsertPoint.before(last) if last and is_closed else InsertPoint.at_end(block)
        return replace(self, builder=Builder(point))

    def bind(self, name: str, value: IndexExpression) -> _Surroundings:
        """This place with the meaning of one more name."""
        return replace(self, values={**self.values, name: value})

    def expression(self, expression: ast.AstExpression) -> IndexExpression:
        """`expression` as an affine one; if it is not affine, its value is computed here."""
        try:
            return self.reader.affine(expression)
        except NotAffineError:
            return self.computed(expression)

    def bounds(
        self, expression: ast.AstExpression, combination: Operator
    ) -> tuple[IndexExpression, ...]:
        """Expressions with `expression` as their maximum (minimum), computed here if necessary."""
        try:
            bounds = self.reader.bounds(expression, combination)
        except NotAffineError:
            return (self.computed(expression),)
        # Of bounds that differ in their constants only, one is enough.
        tightest = max if combination is Operator.MAX else min
        constants: dict[tuple[tuple[Atom, int], ...], int] = {}
        for bound in bounds:
            known = constants.get(bound.terms, bound.constant)
            constants[bound.terms] = tightest(known, bound.constant)
        return tuple(IndexExpression(terms, constant) for terms, constant in constants.items())

    def range(self, loop: ast.AstFor) -> AstRange:
        """The range of a loop, with exclusive upper bounds."""
        upper = self.bounds(loop.bound, Operator.MIN)
        if loop.inclusive:
            upper = tuple(bound.successor() for bound in upper)
        return AstRange(self.bounds(loop.first, Operator.MAX), upper, loop.step)


class _TreeLowering:
    """Generates operations for AST nodes.

    `kernels` are statements that stand for launches; `in_kernel` says that the code is that of one.
    """

    def __init__(
        self,
        scop: Scop,
        tree: ScopAst,
        kernels: Mapping[str, _KernelAst] = MappingProxyType({}),
        in_kernel: bool = False,
    ) -> None:
        self._tree = tree
        self._kernels = kernels
        self._in_kernel = in_kernel
        # All iterations of a thread use the same memory of a block, or of its own.
        self._kernel_memory: dict[str, SSAValue] = {}
        self._statements: dict[str, StmtOp] = {body.name: body.op for body in scop.bodies}
        self._accesses = {body.name: body.accesses for body in scop.bodies}
        self._scop = scop

    def lower(self, node: ast.AstNode, place: _Surroundings) -> None:
        """Generate the operations of `node` at `place`."""
        match node:
            case ast.AstFor() if node.iterator in place.origins:
                self._lower_origin(node, place.range(node), place)
            case ast.AstFor():
                self._lower_for(node, place)
            case ast.AstLet() if node.iterator in place.origins:
                only = place.expression(node.value)
                self._lower_origin(node, AstRange((only,), (only.shift(1),)), place)
            case ast.AstLet():
                self.lower(node.body, place.bind(node.iterator, place.expression(node.value)))
            case ast.AstIf():
                self._lower_if(node, place)
            case ast.AstBlock():
                for child in node.children:
                    self.lower(child, place)
            case ast.AstMark(item=LocalAttr(data=local)):
                inside = self._with_local_array(local.array, place)
                self.lower(node.body, inside)
                self._free(local.array, inside)
            case ast.AstMark():
                self.lower(node.body, self._inside_mark(node, place))
            case ast.AstInstance():
                self._lower_instance(node, place)

    def _inside_mark(self, mark: ast.AstMark, place: _Surroundings) -> _Surroundings:
        match mark.item:
            case LoopsBelow(depth, attributes):
                loops = dict(enumerate(attributes, depth))
                return replace(place, attributes={**place.attributes, **loops})
            case TilesBelow(number):
                return self._inside_tile_loops(mark, number, place)
            case item:
                raise AssertionError(f"the AST has the mark {item}")

    def _with_local_array(self, name: str, place: _Surroundings) -> _Surroundings:
        """The place with memory for a local array."""
        (array,) = (each for each in self._scop.op.local_arrays if each.sym_name.data == name)
        memory = self._kernel_memory.get(name)
        if memory is None:
            in_kernel = array.space.data in KERNEL_SPACES
            builder = place.front if in_kernel else place.builder
            memory = builder.insert(self._allocation(array)).memref
            memory.name_hint = name
            if in_kernel:
                self._kernel_memory[name] = memory
        return replace(place, copies={**place.copies, array.memory: memory})

    def _allocation(self, array: LocalArrayOp) -> memref.AllocOp | memref.AllocaOp:
        space = array.space.data
        if space in KERNEL_SPACES and not self._in_kernel:
            raise PolyirError(
                f"the local array @{array.sym_name.data} is {space} memory, so its mark must be "
                "inside a GPU kernel",
                location_of(self._scop.op),
                name="local-array",
            )
        kind = memref.AllocOp if space == "heap" else memref.AllocaOp
        type, memory_space = array.memory.type, None
        if space == "workgroup":
            from polyir.dialects.gpu_extra import WORKGROUP

            memory_space = WORKGROUP
        memory = kind.get(
            type.element_type,
            None if array.alignment is None else array.alignment.data,
            type.get_shape(),
            array.dynamic_sizes,
            memory_space=memory_space or NoneAttr(),
        )
        memory.location = self._scop.op.location
        return memory

    def _name(self, node: ast.AstNode, depth: int, place: _Surroundings) -> str:
        """A name for a loop around `node`."""
        return self._tree.names.name_for(statements_in(node), depth, place.taken)

    def _inside_tile_loops(
        self, mark: ast.AstMark, number: int, place: _Surroundings
    ) -> _Surroundings:
        """The place inside those loops over tiles that are not loops of the AST."""
        band = self._tree.tiles[number]
        values = [place.values[size].value for size in band.tiles.sizes]
        sizes = [value for value in values if value is not None]
        in_front = replace(place, builder=place.front)
        ends = tuple(
            (in_front.expression(least), in_front.expression(greatest))
            for least, greatest in band.ends
        )
        inside = place

        def next_name(position: int) -> str:
            nonlocal inside
            name = self._name(mark, band.depth + position, inside)
            inside = replace(inside, taken=(*inside.taken, name))
            return name

        nest = open_tile_loops(band.tiles, sizes, ends, place.builder, place.front, next_name)
        iterators = self._tree.iterators[band.depth : band.depth + len(sizes)]
        origins = {**place.origins, **dict(zip(iterators, nest.origins, strict=True))}
        return replace(inside, builder=nest.builder, origins=origins)

    def _lower_origin(
        self, node: ast.AstFor | ast.AstLet, range: AstRange, place: _Surroundings
    ) -> None:
        """Generate a loop over the first points of tiles, or a test of the given first point."""
        origin = place.origins[node.iterator]
        body, value = open_origin(origin, range, place.builder)
        if origin.value is None:
            value.name_hint = self._name(node, self._tree.depth_of(node.iterator), place)
            place = replace(place, taken=(*place.taken, value.name_hint))
        inner = replace(place, builder=body).bind(node.iterator, IndexExpression.of(value))
        self.lower(node.body, inner)

    def _lower_for(self, node: ast.AstFor, place: _Surroundings) -> None:
        nest, place = self._shared_loops(node, place)
        body = Block(arg_types=[IndexType()] * len(nest))
        attributes = dict.fromkeys(each for loop in nest for each in self._attributes(loop, place))
        loop = AffineLoop([place.range(each) for each in nest], body, tuple(attributes))
        place.builder.insert(loop_operation(loop))
        inner = place.inside(body)
        for each, index in zip(nest, body.args, strict=True):
            name = self._name(each, self._tree.depth_of(each.iterator), inner)
            index.name_hint = name
            inner = inner.bind(each.iterator, IndexExpression.of(index))
            inner = replace(inner, taken=(*inner.taken, name))
        self.lower(nest[-1].body, inner)
        body.add_op(affine.YieldOp.get())

    def _attributes(self, loop: ast.AstFor, place: _Surroundings) -> LoopAttributes:
        return place.attributes.get(self._tree.depth_of(loop.iterator), ())

    def _shared_loops(
        self, loop: ast.AstFor, place: _Surroundings
    ) -> tuple[list[ast.AstFor], _Surroundings]:
        """A loop, and those directly in it whose iterations threads share together with its own.

        The place has the attributes of all of them.
        """
        nest = [loop]
        while ParallelAttr() in self._attributes(loop, place):
            inner, within = loop.body, place
            while isinstance(inner, ast.AstMark) and isinstance(inner.item, LoopsBelow):
                within = self._inside_mark(inner, within)
                inner = inner.body
            if not isinstance(inner, ast.AstFor) or inner.iterator in place.origins:
                break
            used = ast.variables_in(inner.first) | ast.variables_in(inner.bound)
            is_parallel = ParallelAttr() in self._attributes(inner, within)
            if not is_parallel or not used.isdisjoint(each.iterator for each in nest):
                break
            nest.append(inner)
            loop, place = inner, within
        return nest, place

    def _lower_if(self, node: ast.AstIf, place: _Surroundings) -> None:
        try:
            constraints = place.reader.constraints(node.condition)
        except NotAffineError:
            self._lower_conditional(node, None, place)
            return
        # A kernel is generated once for all its launches, and some of these are at known dates.
        outcomes = [constraint.outcome for constraint in constraints]
        if all(outcomes):
            self.lower(node.then, place)
        elif False not in outcomes:
            pairs = zip(constraints, outcomes, strict=True)
            unknown = [constraint for constraint, outcome in pairs if outcome is None]
            self._lower_conditional(node, unknown, place)
        elif node.otherwise is not None:
            self.lower(node.otherwise, place)

    def _lower_conditional(
        self, node: ast.AstIf, constraints: Sequence[Constraint] | None, place: _Surroundings
    ) -> None:
        """Generate `affine.if` for these constraints, or `scf.if` for the condition of `node`."""
        true, false = Block(), Block()
        else_blocks = [] if node.otherwise is None else [false]
        regions = [Region(true), Region(else_blocks)]
        terminator: type[affine.YieldOp | scf.YieldOp]
        if constraints is not None:
            integer_set, operands = set_of(constraints)
            place.builder.insert(
                affine.IfOp.build(
                    operands=[operands],
                    result_types=[[]],
                    properties={"condition": integer_set},
                    regions=regions,
                )
            )
            terminator = affine.YieldOp
        else:
            value = place.reader.condition(node.condition, place.builder)
            place.builder.insert(scf.IfOp(value, [], regions[0], regions[1]))
            terminator = scf.YieldOp
        self.lower(node.then, place.inside(true))
        true.add_op(terminator.create())
        if node.otherwise is not None:
            self.lower(node.otherwise, place.inside(false))
            false.add_op(terminator.create())

    def _lower_instance(self, node: ast.AstInstance, place: _Surroundings) -> None:
        if node.statement in self._kernels:
            self._launch(self._kernels[node.statement], node.arguments, place)
            return
        statement = self._statements.get(node.statement)
        if statement is None:
            raise PolyirError(
                f"the schedule tree executes {node.statement}, which is not a statement",
                location_of(self._scop.op),
                name="invalid-tree",
            )
        # After the iterators of the source come the first points of tiles.
        own = node.arguments[: len(statement.body.block.args)]
        iterators = [place.expression(argument) for argument in own]
        accesses = self._accesses[node.statement]
        redirected = {
            (access.operation, self._scop.arrays[access.array]): Redirection(
                place.copies[self._scop.arrays[local.array]],
                tuple(
                    each if isinstance(each, int) else place.expression(each)
                    for each in local.subscripts
                ),
            )
            for local in node.local
            for access in accesses[local.access : local.access + 1]
        }
        copy_body(statement.body.block, iterators, place.builder, place.copies, redirected)

    def _launch(
        self, item: _KernelAst, arguments: Sequence[ast.AstExpression], place: _Surroundings
    ) -> None:
        """Generate a launch of a kernel, for given values of the loops around it."""
        from polyir.codegen.launches import open_launch

        kernel = item.kernel
        own = {name: place.values[name] for name in parameters_of(self._scop.context.get_space())}
        for name, argument in zip(kernel.launch, arguments, strict=True):
            own[name] = place.expression(argument)
        outside = replace(place, values=own, iterators=frozenset(kernel.launch))
        counts = (expression_of(blocks.count, kernel.context) for blocks in kernel.grid)
        firsts = (expression_of(blocks.first, kernel.context) for blocks in kernel.grid)
        grid = [materialize(outside.computed(each), place.builder) for each in counts]
        offsets = [
            _once(outside.bounds(each, Operator.MAX), f"first_{axis}", place.builder)
            for each, axis in zip(firsts, AXES, strict=False)
        ]
        launch = open_launch(kernel, grid, place.builder)
        own |= zip(kernel.tiles, map(IndexExpression.of, launch.blocks), strict=True)
        own |= zip(kernel.threads, map(IndexExpression.of, launch.threads), strict=True)
        for name, offset in zip(kernel.tiles, offsets, strict=False):
            own[name] += offset
        thread = _Surroundings(
            launch.builder,
            own,
            place.taken,
            launch.front,
            frozenset(item.tree.iterators),
            copies=place.copies,
        )
        _TreeLowering(kernel.thread, item.tree, in_kernel=True).lower(item.tree.root, thread)
        launch.close()

    def _free(self, name: str, place: _Surroundings) -> None:
        """Free a local array on the heap."""
        memory = place.copies[self._scop.arrays[name]]
        if isinstance(memory.owner, memref.AllocOp):
            place.builder.insert(memref.DeallocOp.get(memory))


def _once(bounds: Sequence[IndexExpression], name: str, builder: Builder) -> IndexExpression:
    """The greatest of some values, computed here and called `name` unless it is a sum."""
    from polyir.dialects.affine_extra import MaxOp

    if len(bounds) > 1:
        values, operands = map_of(bounds)
        computed: SSAValue = builder.insert(MaxOp(operands, AffineMapAttr(values))).result
    elif all(isinstance(atom, SSAValue) for atom, _ in bounds[0].terms):
        return bounds[0]
    else:
        computed = materialize(bounds[0], builder)
    computed.name_hint = name
    return IndexExpression.of(computed)


def _remove_unused(memory: SSAValue) -> None:
    """Remove memory that is unused because only local arrays are accessed, and its sizes."""
    frees = [use.operation for use in memory.uses]
    allocation = memory.owner
    if isinstance(allocation, memref.AllocOp | memref.AllocaOp) and all(
        isinstance(op, memref.DeallocOp) for op in frees
    ):
        sizes = [each.owner for each in allocation.operands]
        for op in (*frees, allocation):
            Rewriter.erase_op(op)
        for size in sizes:
            if isinstance(size, Operation) and is_trivially_dead(size):
                Rewriter.erase_op(size)
