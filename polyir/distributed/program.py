"""One program for all ranks: blocks of iterations, scatter, steps with messages, gather."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import islpy as isl
from xdsl.dialects import arith, func, llvm, memref, mpi
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    ModuleOp,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.codegen.ast_build import expression_of
from polyir.codegen.ast_expressions import AstExpressionReader
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.distributed.elements import (
    OWN,
    PEER,
    Elements,
    divisions_of,
    step_parameters,
)
from polyir.distributed.functions import PACK, UNPACK, Functions, Outlined, Part, Transfer, dynamic
from polyir.distributed.phases import DividedTree, Phase, divided, instances_of_steps
from polyir.distributed.requirements import require_instances, require_parallel_loops
from polyir.irregular.code import Code
from polyir.isl_trees import build_tree
from polyir.model.index_expressions import IndexExpression
from polyir.model.scop import Scop
from polyir.model.tree import tree_from_schedule


def distribute_memory(module: ModuleOp, scop: Scop, dimensions: int) -> None:
    """Make the function around a scop one that all ranks call."""
    require_instances(scop)
    tree = divided(scop.schedule, scop.context, dimensions)
    require_parallel_loops(scop, tree.phases)
    divisions = divisions_of(tree.phases, scop.op.parameter_values)
    kernel = scop.op.parent_op()
    assert isinstance(kernel, func.FuncOp)
    _Program(module, kernel, tree, Elements(scop, tree.phases, divisions)).write()


class _Program:
    def __init__(
        self, module: ModuleOp, kernel: func.FuncOp, tree: DividedTree, elements: Elements
    ) -> None:
        self._module, self._kernel, self._tree, self._elements = module, kernel, tree, elements
        self._scop = elements.scop
        self._functions = Functions(module, kernel, elements)
        self._divisions = list({d.name: d for d in elements.divisions.values()}.values())
        self._columns = [name for each in self._divisions for name in each.parameters("")]

    # ----------------------------------------------------------------------------- the kernel

    def write(self) -> None:
        """Replace the scop by what each rank does."""
        op = self._scop.op
        code = Code(InsertPoint.before(op))
        values = dict(op.parameter_values)
        rank, size = self._ranks(code)
        table = self._table(code, values, size)
        own = values | self._bounds(code, table, rank, OWN)
        parts = self._parts(code, own)
        whole = {
            name: Part(self._dynamic(code, memory), (code.constant(0),) * len(parts[name].offsets))
            for name, memory in self._scop.arrays.items()
            if self._is_argument(name)
        }
        place = _Place(rank, size, table)
        self._scatter(code, own, parts, whole, place)
        code.add(self._steps(own, parts, place))
        self._gather(code, own, parts, whole, place)
        code.free(*(each.memory for each in parts.values() if each.offsets), table)
        Rewriter.erase_op(op)
        for name, memory in self._scop.arrays.items():
            if not self._is_argument(name):
                _erase_memory(memory)

    def _ranks(self, code: Code) -> tuple[SSAValue, SSAValue]:
        rank, size = mpi.CommRankOp(), mpi.CommSizeOp()
        code.add(rank)
        code.add(size)
        found = code.index(rank.rank), code.index(size.size)
        for value, name in zip(found, ("rank", "ranks"), strict=True):
            value.name_hint = name
        return found

    def _table(self, code: Code, values: Mapping[str, SSAValue], size: SSAValue) -> SSAValue:
        """The bounds of the blocks of each rank, one row a rank."""
        table = code.array("blocks", size, len(self._columns))
        for division in self._divisions:
            ends = [
                [
                    self._value(code, tile.gist(tile.domain()).coalesce(), values)
                    for tile in map(each.tile, (each.least, each.greatest))
                ]
                for each in division.ranges
            ]
            tiles = [code.steps(first, code.sum(last, 1), 1) for first, last in ends]
            with code.loop("r", 0, size) as (body, rank):
                for dimension, count in enumerate(tiles):
                    for which, next in (
                        (division.begin(dimension, ""), rank),
                        (division.end(dimension, ""), body.sum(rank, 1)),
                    ):
                        before = body.builder.insert(
                            arith.CeilDivSIOp(body.product(next, count), size)
                        ).result
                        bound = body.sum(ends[dimension][0], before)
                        body.store(bound, table, rank, self._columns.index(which))
        return table

    def _value(self, code: Code, function: isl.PwAff, values: Mapping[str, SSAValue]) -> SSAValue:
        known = {name: IndexExpression.of(value) for name, value in values.items()}
        context = self._scop.context.align_params(function.get_domain_space())
        expression = expression_of(function, context)
        return AstExpressionReader(known).value(expression, code.builder)

    def _bounds(self, code: Code, table: SSAValue, rank: SSAValue, who: str) -> dict[str, SSAValue]:
        bounds = {}
        for number, name in enumerate(self._columns):
            value = code.load(table, rank, number)
            value.name_hint = f"{who}{name}"
            bounds[f"{who}{name}"] = value
        return bounds

    def _parts(self, code: Code, own: Mapping[str, SSAValue]) -> dict[str, Part]:
        parts: dict[str, Part] = {}
        held = self._elements.held(OWN)
        for name, memory in self._scop.arrays.items():
            type = dynamic(memory.type)
            if not type.get_shape():
                cell = memref.AllocaOp.get(type.element_type, shape=[])
                code.add(cell)
                parts[name] = Part(cell.memref, ())
                continue
            elements = held.get(name)
            if elements is None:
                # No instance accesses it.
                zeros = [code.constant(0) for _ in type.get_shape()]
                nothing = code.array(name, *zeros, element=type.element_type)
                parts[name] = Part(nothing, tuple(zeros))
                continue
            least, sizes = [], []
            for dimension in range(len(type.get_shape())):
                first, last = elements.dim_min(dimension), elements.dim_max(dimension)
                least.append(self._value(code, first.gist(first.domain()).coalesce(), own))
                extent = last.sub(first).add_constant_val(isl.Val(1))
                sizes.append(self._value(code, _or_zero(extent, self._scop.context), own))
            part = code.array(name, *sizes, element=type.element_type)
            parts[name] = Part(part, tuple(least))
        return parts

    def _dynamic(self, code: Code, memory: SSAValue) -> SSAValue:
        type = dynamic(memory.type)
        if type == memory.type:
            return memory
        cast = memref.CastOp.get(memory, type)
        code.add(cast)
        whole: SSAValue = cast.dest
        return whole

    # -------------------------------------------------------------------------- first and last

    def _transfers(self, name: str, sets: Mapping[str, isl.Set]) -> list[Transfer]:
        """The functions for elements of arrays, one group a type of element."""
        groups: dict[Attribute, dict[str, isl.Set]] = {}
        for array, elements in sets.items():
            type = self._scop.arrays[array].type
            assert isinstance(type, MemRefType)
            groups.setdefault(type.element_type, {})[array] = elements
        return [self._functions.transfer(name, group, element) for element, group in groups.items()]

    def _is_argument(self, array: str) -> bool:
        return self._scop.arrays[array].owner is self._kernel.body.block

    def _scatter(self, code: Code, own: Values, parts: Parts, whole: Parts, place: _Place) -> None:
        sets = {a: s for a, s in self._elements.scattered(PEER).items() if self._is_argument(a)}
        for transfer in self._transfers("scatter", sets):
            self._between_root(code, transfer, own, (whole, parts), place, to_root=False)

    def _gather(self, code: Code, own: Values, parts: Parts, whole: Parts, place: _Place) -> None:
        sets = {a: s for a, s in self._elements.gathered(PEER).items() if self._is_argument(a)}
        for transfer in self._transfers("gather", sets):
            self._between_root(code, transfer, own, (parts, whole), place, to_root=True)

    def _between_root(
        self,
        code: Code,
        transfer: Transfer,
        own: Values,
        memory: tuple[Parts, Parts],
        place: _Place,
        to_root: bool,
    ) -> None:
        """Messages between the first rank, which has whole arrays, and each other one."""
        source, target = memory
        with code.either(place.rank, "eq", 0) as (root, others):
            with root.loop("peer", 0, place.size) as (body, peer):
                known = {**own, **self._bounds(body, place.table, peer, PEER)}
                count = transfer.count(body, known, source)
                with body.conditional(body.compared(count, "ne", 0)) as some:
                    buffer = some.array("message", count, element=transfer.element)
                    with some.either(peer, "eq", 0) as (itself, another):
                        transfer.copy(itself, known, source, (buffer, 0), PACK)
                        transfer.copy(itself, known, target, (buffer, 0), UNPACK)
                        if to_root:
                            _receive(another, buffer, count, peer)
                            transfer.copy(another, known, target, (buffer, 0), UNPACK)
                        else:
                            transfer.copy(another, known, source, (buffer, 0), PACK)
                            _send(another, buffer, count, peer)
                    some.free(buffer)
            known = {**own, **self._bounds(others, place.table, place.rank, PEER)}
            count = transfer.count(others, known, source if to_root else target)
            with others.conditional(others.compared(count, "ne", 0)) as some:
                buffer = some.array("message", count, element=transfer.element)
                zero = some.constant(0)
                if to_root:
                    transfer.copy(some, known, source, (buffer, 0), PACK)
                    _send(some, buffer, count, zero)
                else:
                    _receive(some, buffer, count, zero)
                    transfer.copy(some, known, target, (buffer, 0), UNPACK)
                some.free(buffer)

    # --------------------------------------------------------------------------------- steps

    def _steps(self, own: Values, parts: Parts, place: _Place) -> ScopOp:
        """The sequential loops, with a call for each step of a phase."""
        old = self._scop.op
        values = old.parameter_values
        scop = ScopOp(list(values.values()), list(values), self._scop.context, Region(Block()))
        scop.location = old.location
        for phase in self._tree.phases:
            step = self._step(phase)
            domain = instances_of_steps(phase)
            domain = domain.intersect_params(self._scop.context)
            block = Block(arg_types=[IndexType()] * phase.steps)
            names = step_parameters(phase)
            for position, argument in enumerate(block.args):
                argument.name_hint = names[position]
                domain = domain.set_dim_name(isl.dim_type.set, position, names[position])
            known = {**own, **dict(zip(names, block.args, strict=True))}
            outside = self._functions.outside
            step.call(
                Code(InsertPoint.at_end(block)),
                known,
                parts,
                [place.rank, place.size, place.table, *outside],
            )
            scop.body.block.add_op(StmtOp(phase.name, domain, Region(block)))
        scop.body.block.add_op(tree_from_schedule(build_tree(self._tree.tree)))
        return scop

    def _step(self, phase: Phase) -> Outlined:
        """What a rank does in a step: its part of the phase, then the messages."""
        compute = self._functions.compute(phase)
        sent = self._elements.sent(phase, OWN, PEER)
        transfers = self._transfers(phase.name, sent)
        arrays = [a for a in self._scop.arrays if a in sent or a in compute.arrays]
        parameters = (*self._functions.scop_parameters, *step_parameters(phase))
        table = MemRefType(IndexType(), [DYNAMIC_INDEX, DYNAMIC_INDEX])
        outside = self._functions.outside
        types = [IndexType(), IndexType(), table, *(value.type for value in outside)]
        outlined, values, parts, others, code = self._functions.begin(
            f"step_{phase.name}", parameters, arrays, types
        )
        place = _Place(others[0], others[1], others[2])
        own = {**values, **self._bounds(code, place.table, place.rank, OWN)}
        compute.call(code, own, parts, others[3:])
        for transfer in transfers:
            self._exchange(code, transfer, own, parts, place)
        code.add(func.ReturnOp())
        return outlined

    def _exchange(
        self, code: Code, transfer: Transfer, own: Values, parts: Parts, place: _Place
    ) -> None:
        """Send to each rank what it needs of this rank, and receive what this one needs."""
        totals = code.array("starts", 2, code.sum(place.size, 1))
        mine = {name: own[f"{OWN}{name}"] for name in self._columns}
        sends = 0, 1
        for row in sends:
            code.store(0, totals, row, 0)
        with code.loop("peer", 0, place.size) as (body, peer):
            theirs = self._bounds(body, place.table, peer, "")
            for row, (source, target) in enumerate(((mine, theirs), (theirs, mine))):
                known = {**own, **_named(source, OWN), **_named(target, PEER)}
                count = transfer.count(body, known, parts)
                count = body.select(peer, "eq", place.rank, 0, count)
                end = body.sum(body.load(totals, row, peer), count)
                body.store(end, totals, row, body.sum(peer, 1))
        outgoing, incoming = (
            code.array(name, code.load(totals, row, place.size), element=transfer.element)
            for row, name in enumerate(("outgoing", "incoming"))
        )
        two = code.builder.insert(arith.IndexCastOp(code.product(place.size, 2), i32)).result
        requests = mpi.AllocateTypeOp(mpi.RequestType, two)
        code.add(requests)
        number = code.cell("number")
        code.store(0, number)
        with _peers(code, totals, 1, place.size) as (some, peer, start, count):
            self._post(some, mpi.IrecvOp, incoming, start, count, peer, requests.result, number)
        with _peers(code, totals, 0, place.size) as (some, peer, start, count):
            theirs = self._bounds(some, place.table, peer, PEER)
            transfer.copy(some, {**own, **theirs}, parts, (outgoing, start), PACK)
            self._post(some, mpi.IsendOp, outgoing, start, count, peer, requests.result, number)
        posted = code.builder.insert(arith.IndexCastOp(code.load(number), i32)).result
        code.add(mpi.WaitallOp(requests.result, posted))
        with _peers(code, totals, 1, place.size) as (some, peer, start, _):
            theirs = self._bounds(some, place.table, peer, OWN)
            known = {**own, **theirs, **_named(mine, PEER)}
            transfer.copy(some, known, parts, (incoming, start), UNPACK)
        code.free(outgoing, incoming, totals)

    def _post(
        self,
        code: Code,
        kind: type[mpi.IsendOp] | type[mpi.IrecvOp],
        buffer: SSAValue,
        start: SSAValue,
        count: SSAValue,
        peer: SSAValue,
        requests: SSAValue,
        number: SSAValue,
    ) -> None:
        pointer, type = _pointer(code, buffer, start)
        place = code.load(number)
        request = mpi.VectorGetOp(requests, _i32(code, place))
        code.add(request)
        tag = _i32(code, code.constant(0))
        code.add(kind(pointer, _i32(code, count), type, _i32(code, peer), tag, request.result))
        code.store(code.sum(place, 1), number)


@dataclass(frozen=True)
class _Place:
    rank: SSAValue
    size: SSAValue
    table: SSAValue


Values = Mapping[str, SSAValue]
Parts = Mapping[str, Part]


def _or_zero(function: isl.PwAff, context: isl.Set) -> isl.PwAff:
    """A function of parameters that is 0 where it was not defined."""
    elsewhere = isl.Set.universe(function.get_domain_space()).subtract(function.domain())
    zero = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(function.get_domain_space()))
    rest = isl.PwAff.from_aff(zero).intersect_params(elsewhere.params())
    return function.union_add(rest).gist_params(context).coalesce()


def _named(bounds: Mapping[str, SSAValue], who: str) -> dict[str, SSAValue]:
    return {f"{who}{name}": value for name, value in bounds.items()}


@contextmanager
def _peers(
    code: Code, totals: SSAValue, row: int, size: SSAValue
) -> Iterator[tuple[Code, SSAValue, SSAValue, SSAValue]]:
    """Code for each rank that a message goes to or comes from, with its place and its length."""
    with code.loop("peer", 0, size) as (body, peer):
        start = body.load(totals, row, peer)
        count = body.difference(body.load(totals, row, body.sum(peer, 1)), start)
        with body.conditional(body.compared(count, "ne", 0)) as some:
            yield some, peer, start, count


def _i32(code: Code, value: SSAValue) -> SSAValue:
    return code.builder.insert(arith.IndexCastOp(value, i32)).result


def _pointer(
    code: Code, buffer: SSAValue, start: SSAValue | None = None
) -> tuple[SSAValue, SSAValue]:
    """A pointer into a buffer, and the type of its elements for MPI."""
    whole = mpi.UnwrapMemRefOp(buffer)
    code.add(whole)
    if start is None:
        return whole.ptr, whole.type
    assert isinstance(buffer.type, MemRefType)
    place = code.builder.insert(arith.IndexCastOp(start, i64)).result
    element = llvm.GEPOp(
        whole.ptr, [llvm.GEP_USE_SSA_VAL], buffer.type.element_type, ssa_indices=[place]
    )
    code.add(element)
    return element.result, whole.type


def _send(code: Code, buffer: SSAValue, count: SSAValue, peer: SSAValue) -> None:
    pointer, type = _pointer(code, buffer)
    tag = _i32(code, code.constant(0))
    code.add(mpi.SendOp(pointer, _i32(code, count), type, _i32(code, peer), tag))


def _receive(code: Code, buffer: SSAValue, count: SSAValue, peer: SSAValue) -> None:
    pointer, type = _pointer(code, buffer)
    tag = _i32(code, code.constant(0))
    code.add(mpi.RecvOp(pointer, _i32(code, count), type, _i32(code, peer), tag))


def _erase_memory(memory: SSAValue) -> None:
    """Remove memory that nothing uses any more."""
    uses = [use.operation for use in memory.uses]
    assert isinstance(memory.owner, Operation)
    assert all(isinstance(use, memref.DeallocOp) for use in uses)
    for op in (*uses, memory.owner):
        Rewriter.erase_op(op)
