"""One program for all ranks: blocks of iterations, scatter, steps with messages, gather."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import islpy as isl
from xdsl.dialects import func, memref, mpi
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp, UnitAttr, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import KEEPS_LOOPS, ScopOp, StmtOp
from polyir.distributed.blocks import Blocks, Parts, RankArguments
from polyir.distributed.boxes import Values
from polyir.distributed.dealt_exchange import DealtExchange
from polyir.distributed.divided_reductions import (
    DividedReduction,
    DividedReductions,
    divided_reductions,
)
from polyir.distributed.elements import (
    OWN,
    PEER,
    Division,
    Elements,
    divisions_of,
    step_parameters,
)
from polyir.distributed.exchange import (
    BlockExchange,
    Exchange,
    Holder,
    between_parts,
    exchange,
)
from polyir.distributed.extents import with_extents
from polyir.distributed.functions import Functions, LocalPart, Outlined, dynamic
from polyir.distributed.neighbours import Neighbours, neighbours
from polyir.distributed.numbered_transfers import numbered_transfer
from polyir.distributed.options import DistributionOptions
from polyir.distributed.overlap import Edge, edges_of
from polyir.distributed.ownership import Ownership
from polyir.distributed.passed_parts import add_part_function, pass_parts, require_boxes
from polyir.distributed.phases import DividedTree, Phase, divided, instances_of_steps
from polyir.distributed.rank_results import RankResults
from polyir.distributed.requirements import (
    require_instances,
    require_no_extents,
    require_parallel_loops,
)
from polyir.distributed.transfers import Transfer, transfer
from polyir.loops.code import Code
from polyir.model.scop import Scop
from polyir.tree.names import name_list
from polyir.tree.operations import operations_of


def distribute_memory(
    module: ModuleOp, scop: Scop, options: DistributionOptions
) -> tuple[str, ...]:
    """Make the function around a scop one that all ranks call; returns what was done, in words.

    Functions for one rank's part of each phase, for each step and for each kind of message are
    added before it. Raises `NotDistributedError` if no loop can be divided among ranks.
    """
    require_instances(scop)
    reductions = divided_reductions(scop)
    scop = with_extents(reductions.scop)
    tree = divided(scop, options.grid, reductions.updates)
    require_parallel_loops(scop, tree.phases, reductions.reasons)
    divisions = divisions_of(tree.phases, scop.op.parameter_values)
    kernel = scop.op.parent_op()
    assert isinstance(kernel, func.FuncOp)
    elements = Elements(scop, tree.phases, divisions, reductions.names)
    if options.data == "distributed":
        require_no_extents(kernel, scop)
    known = set(module.walk())
    program = _Program(module, kernel, tree, elements, options, reductions)
    program.write()
    for op in module.walk():
        if op not in known and isinstance(op.location, UnknownLoc):
            op.location = scop.op.location
    return (*_remarks(tree.phases, program.sent, reductions.results), *reductions.reasons)


def _remarks(
    phases: Sequence[Phase],
    sent_arrays: Mapping[str, Sequence[str]],
    partial: Sequence[DividedReduction],
) -> Iterator[str]:
    """What ranks do in each phase, and the arrays that they send parts of, one line a phase."""
    for phase in phases:
        names = name_list(phase.statements)
        sent = sent_arrays[phase.name]
        messages = f"sends {name_list(sent)} after each step" if sent else "sends nothing"
        if not phase.is_divided:
            yield f"the first rank runs {names}, whose loops are not parallel; it {messages}"
            continue
        loops = "loops" if len(phase.ranges) > 1 else "loop"
        tiles = " x ".join(str(each.stride) for each in phase.ranges)
        yield f"divided the parallel {loops} of {names} into tiles of {tiles}; a rank {messages}"
        if not phase.is_near:
            yield (
                f"the divided {loops} of {names} and the subscripts of what is written differ: a "
                "rank's part of an array may be nearly all of it"
            )
        for each in partial:
            if each.updates[0] in phase.statements:
                yield (
                    f"ranks have partial results of {name_list(each.updates)}: MPI combines them "
                    f"by a {each.combiner.name}, and {each.result} updates {each.array}"
                )


class _Program:
    """Rewrites the function around a scop for all ranks."""

    def __init__(
        self,
        module: ModuleOp,
        kernel: func.FuncOp,
        tree: DividedTree,
        elements: Elements,
        options: DistributionOptions,
        reductions: DividedReductions,
    ) -> None:
        self._kernel, self._tree, self._elements = kernel, tree, elements
        self._scop = elements.scop
        self._partial, self._dependences = reductions.results, reductions.dependences
        self._functions = Functions(module, kernel, elements)
        self._module = module
        self._ownership = self._owners(options) if options.data == "distributed" else None
        self._blocks = Blocks(elements, options, self._ownership)
        self.sent: dict[str, tuple[str, ...]] = {}
        """The arrays of which ranks send elements after each step of a phase, by its name."""

    # ----------------------------------------------------------------------------- the kernel

    def write(self) -> None:
        """Replace the scop by what each rank does."""
        op = self._scop.op
        code = Code(InsertPoint.before(op))
        values = dict(op.parameter_values)
        place = self._blocks.table(code, values, *self._ranks(code))
        private = self._elements.private
        whole = self._whole_arguments(code) if self._ownership is None else {}
        memory = self._blocks.allocate(code, values, place, whole)
        parts = [each for each in memory.values() if isinstance(each.owner, memref.AllocOp)]
        for name in private:
            memory[name] = self._whole(code, self._scop.arrays[name]).memory
        memory = {name: memory[name] for name in self._scop.arrays}
        with (
            self._first_rank(code, values, place, memory, whole)
            if self._ownership is None
            else self._each_rank(code, values, place, memory)
        ):
            turn = code.cell("turn")
            code.store(0, turn)
            code.add(self._steps(values, memory, whole, place, turn))
        code.free(*parts, place.table)
        Rewriter.erase_op(op)
        for name, array in self._scop.arrays.items():
            if not self._is_argument(name) and name not in private:
                _erase_memory(array)
        if self._ownership is not None:
            pass_parts(self._kernel)

    def _whole_arguments(self, code: Code) -> dict[str, LocalPart]:
        """The arrays that the first rank has."""
        return {
            name: self._whole(code, array)
            for name, array in self._scop.arrays.items()
            if self._is_argument(name)
        }

    @contextmanager
    def _first_rank(
        self,
        code: Code,
        values: Values,
        place: RankArguments,
        memory: Mapping[str, SSAValue],
        whole: Parts,
    ) -> Iterator[None]:
        """Code by which the first rank scatters arrays, and gathers them after what is inside."""

        def move(name: str, sets: Mapping[str, isl.Set], is_gather: bool) -> None:
            outer = {array: elements for array, elements in sets.items() if array in whole}
            for each in self._transfers(name, outer):
                exchange(code, self._blocks, each, values, place, whole, memory, is_gather)

        move("scatter", self._elements.scattered(PEER), is_gather=False)
        yield
        move("gather", self._elements.gathered(PEER), is_gather=True)

    @contextmanager
    def _each_rank(
        self, code: Code, values: Values, place: RankArguments, memory: Mapping[str, SSAValue]
    ) -> Iterator[None]:
        """Code that takes elements from the parts that ranks pass, and puts them back there."""
        assert self._ownership is not None
        add_part_function(self._module, self._kernel, self._scop, self._blocks)
        require_boxes(code, self._kernel, self._scop, self._blocks, place)

        def passed(code: Code, block: SSAValue) -> Parts:
            return self._blocks.passed(code, place, block, self._scop.arrays)

        def held(code: Code, block: SSAValue) -> Parts:
            return self._blocks.parts(code, place, block, memory)

        for each in self._transfers("scatter", self._ownership.scattered()):
            between_parts(code, self._blocks, each, values, place, passed, held)
        yield
        for each in self._transfers("gather", self._ownership.gathered()):
            between_parts(code, self._blocks, each, values, place, held, passed)

    def _owners(self, options: DistributionOptions) -> Ownership:
        arrays = [name for name in self._scop.arrays if self._is_argument(name)]
        sides = max(len(each.ranges) for each in self._elements.divisions.values())
        return Ownership(self._elements, arrays, options.replicate, sides)

    def _ranks(self, code: Code) -> tuple[SSAValue, SSAValue]:
        rank, size = mpi.CommRankOp(), mpi.CommSizeOp()
        code.add(rank)
        code.add(size)
        found = code.index(rank.rank), code.index(size.size)
        for value, name in zip(found, ("rank", "ranks"), strict=True):
            value.name_hint = name
        return found

    def _is_argument(self, array: str) -> bool:
        return self._scop.arrays[array].owner is self._kernel.body.block

    def _whole(self, code: Code, memory: SSAValue) -> LocalPart:
        """An array that the first rank has, as a part that begins with the first element."""
        type = dynamic(memory.type)
        offsets = (code.constant(0),) * len(type.get_shape())
        if type == memory.type:
            return LocalPart(memory, offsets)
        cast = memref.CastOp.get(memory, type)
        code.add(cast)
        return LocalPart(cast.dest, offsets)

    def _transfers(
        self,
        name: str,
        sets: Mapping[str, isl.Set],
        writers: Mapping[str, Sequence[isl.Map]] | None = None,
    ) -> list[Transfer]:
        """The functions for elements of arrays, one group a type of element."""
        return [
            transfer(self._functions, name, group, each, writers)
            for each, group in self._by_type(sets).items()
        ]

    def _by_type(self, sets: Mapping[str, isl.Set]) -> dict[Attribute, dict[str, isl.Set]]:
        groups: dict[Attribute, dict[str, isl.Set]] = {}
        for array, elements in sets.items():
            type = self._scop.arrays[array].type
            assert isinstance(type, MemRefType)
            groups.setdefault(type.element_type, {})[array] = elements
        return groups

    # --------------------------------------------------------------------------------- steps

    def _steps(
        self,
        values: Values,
        memory: Mapping[str, SSAValue],
        whole: Parts,
        place: RankArguments,
        turn: SSAValue,
    ) -> ScopOp:
        """The sequential loops, with a call for each step of a phase.

        The first rank uses the arrays that it has `whole`, instead of parts of them. Each step
        changes `turn`, which the next one reads. So their order is known to who analyses the loops,
        without what the functions access.
        """
        old = self._scop.op
        scop = ScopOp(list(values.values()), list(values), self._scop.context, Region(Block()))
        scop.location = old.location
        scop.attributes[KEEPS_LOOPS] = UnitAttr()
        for phase in self._tree.phases:
            step = self._step(phase)
            domain = instances_of_steps(phase)
            domain = domain.intersect_params(self._scop.context)
            block = Block(arg_types=[IndexType()] * phase.steps)
            names = step_parameters(phase)
            for position, argument in enumerate(block.args):
                argument.name_hint = names[position]
                domain = domain.set_dim_name(isl.dim_type.set, position, names[position])
            known = {**values, **dict(zip(names, block.args, strict=True))}
            code = Code(InsertPoint.at_end(block))
            in_place = {
                name: whole[name].memory if name in whole else memory[name] for name in memory
            }
            with code.either(place.rank, "eq", 0) as (first, others):
                for body, arrays in ((first, in_place), (others, memory)):
                    arguments = [*place.values(), *arrays.values(), *self._functions.outside]
                    step.call(body, known, {}, arguments)
            code.store(code.difference(code.constant(1), code.load(turn)), turn)
            scop.body.block.add_op(StmtOp(phase.name, domain, Region(block)))
        scop.body.block.add_op(operations_of(self._tree.tree))
        return scop

    def _neighbours(self, sent: Mapping[str, isl.Set], who: str) -> Neighbours | None:
        divisions = {each.name: each for each in self._elements.divisions.values()}
        return neighbours(list(sent.values()), divisions.values(), who) if sent else None

    def _step(self, phase: Phase) -> Outlined:
        """What a rank does in a step: its part of the phase, then the messages."""
        compute = self._functions.compute(phase, self._known(phase))
        exchanges_with = self._exchanges(phase)
        division = self._elements.divisions[phase.name]
        arrays = list(self._scop.arrays)
        types: list[Attribute] = [dynamic(self._scop.arrays[each].type) for each in arrays]
        outlined, values, _, others, code = self._functions.begin(
            f"step_{phase.name}",
            (*self._functions.scop_parameters, *step_parameters(phase)),
            [],
            [*RankArguments.types(), *types, *(value.type for value in self._functions.outside)],
        )
        place = RankArguments(*others[:3])
        memory = dict(zip(arrays, others[3:], strict=False))
        for name, value in memory.items():
            value.name_hint = name
        outside = others[3 + len(arrays) :]

        def parts(code: Code, block: SSAValue) -> Parts:
            return self._blocks.parts(code, place, block, memory)

        exchanges = exchanges_with(values, place, parts)
        results = self._results(phase, memory, values)
        for each in exchanges:
            each.begin(code)
        for result in results:
            result.set_neutral(code)
        edges = edges_of(self._elements, phase) if exchanges and phase.is_divided else None
        part = _Computation(self._blocks, compute, division, values, memory, place, outside)
        if edges is None:
            part.compute(code)
        else:
            part.compute_edges(code, edges)
        for each in exchanges:
            each.send(code)
        if edges is not None:
            part.compute_inside(code, edges)
        for result in results:
            result.combine(code)
        for each in exchanges:
            each.end(code)
        code.add(func.ReturnOp())
        return outlined

    def _known(self, phase: Phase) -> Dependences | None:
        """Dependences among which are those of a phase, if they are known."""
        is_new = any(each.result in phase.statements for each in self._partial)
        return None if is_new else self._dependences

    def _exchanges(self, phase: Phase) -> Callable[[Values, RankArguments, Holder], list[Exchange]]:
        """The messages at the end of a step, for each type of element, in the function for it."""
        blocks, name = self._blocks, phase.name
        sent = self._elements.sent(phase, OWN, PEER)
        self.sent[name] = tuple(sent)
        writers = self._elements.sent_by(phase, OWN, PEER) if sent else {}
        if blocks.has_several:
            numbered = [
                numbered_transfer(self._functions, name, group, each, writers)
                for each, group in self._by_type(sent).items()
            ]
            return lambda values, place, parts: [
                DealtExchange(blocks, each, values, place, parts, tag)
                for tag, each in enumerate(numbered)
            ]
        transfers = self._transfers(name, sent, writers)
        near = self._neighbours(sent, PEER), self._neighbours(sent, OWN)
        return lambda values, place, parts: [
            BlockExchange(blocks, each, values, place, parts, parts, tag, near)
            for tag, each in enumerate(transfers)
        ]

    def _results(
        self, phase: Phase, memory: Mapping[str, SSAValue], values: Values
    ) -> list[RankResults]:
        """What each rank has for itself in a step of a phase, and MPI combines."""
        shared = {name for each in self._tree.phases if each.is_divided for name in each.statements}
        return [
            RankResults(each, memory[each.name], phase, self._scop, values, each.result in shared)
            for each in self._partial
            if each.updates[0] in phase.statements
        ]


@dataclass(frozen=True)
class _Computation:
    """Calls of the function that runs the tiles of a block in a step of a phase."""

    blocks: Blocks
    function: Outlined
    division: Division
    values: Values
    memory: Mapping[str, SSAValue]
    place: RankArguments
    outside: Sequence[SSAValue]

    def compute(self, code: Code) -> None:
        """Run all tiles of the rank."""
        with self.blocks.own(code, self.place) as (body, block):
            self._call(body, block, self.blocks.bounds(body, self.place, block, OWN))

    def compute_edges(self, code: Code, edges: Sequence[Edge]) -> None:
        """Run the tiles at edges of the rank's blocks."""
        with self.blocks.own(code, self.place) as (body, block):
            bounds = self.blocks.bounds(body, self.place, block, OWN)
            for edge in edges:
                within, bounds = self._cut(body, bounds, edge)
                self._call(body, block, within)

    def compute_inside(self, code: Code, edges: Sequence[Edge]) -> None:
        """Run all other tiles."""
        with self.blocks.own(code, self.place) as (body, block):
            bounds = self.blocks.bounds(body, self.place, block, OWN)
            for edge in edges:
                _, bounds = self._cut(body, bounds, edge)
            self._call(body, block, bounds)

    def _cut(
        self, code: Code, bounds: dict[str, SSAValue], edge: Edge
    ) -> tuple[dict[str, SSAValue], dict[str, SSAValue]]:
        """The tiles at an edge of what is in `bounds`, and the others."""
        begin = self.division.begin(edge.dimension, OWN)
        end = self.division.end(edge.dimension, OWN)
        if edge.is_last:
            middle = code.maximum(code.difference(bounds[end], edge.tiles), bounds[begin])
            return {**bounds, begin: middle}, {**bounds, end: middle}
        middle = code.minimum(code.sum(bounds[begin], edge.tiles), bounds[end])
        return {**bounds, end: middle}, {**bounds, begin: middle}

    def _call(self, code: Code, block: SSAValue, bounds: Values) -> None:
        parts = self.blocks.parts(code, self.place, block, self.memory)
        self.function.call(code, {**self.values, **bounds}, parts, self.outside)


def _erase_memory(memory: SSAValue) -> None:
    """Remove memory that nothing uses any more."""
    uses = [use.operation for use in memory.uses]
    assert isinstance(memory.owner, Operation)
    assert all(isinstance(use, memref.DeallocOp) for use in uses)
    for op in (*uses, memory.owner):
        Rewriter.erase_op(op)
