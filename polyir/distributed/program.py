"""One program for all ranks: blocks of iterations, scatter, steps with messages, gather."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl
from xdsl.dialects import func, memref, mpi
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.scop import KEEPS_LOOPS, ScopOp, StmtOp
from polyir.distributed.blocks import Blocks, Place, Values
from polyir.distributed.elements import OWN, PEER, Elements, divisions_of, step_parameters
from polyir.distributed.exchange import Exchange, gather, scatter
from polyir.distributed.functions import Functions, Outlined, Part, dynamic
from polyir.distributed.options import DistributionOptions
from polyir.distributed.phases import DividedTree, Phase, divided, instances_of_steps
from polyir.distributed.requirements import require_instances, require_parallel_loops
from polyir.distributed.transfers import Transfer, transfer
from polyir.irregular.code import Code
from polyir.isl_trees import build_tree
from polyir.model.scop import Scop
from polyir.model.tree import tree_from_schedule


def distribute_memory(module: ModuleOp, scop: Scop, options: DistributionOptions) -> None:
    """Make the function around a scop one that all ranks call."""
    require_instances(scop)
    tree = divided(scop.schedule, scop.context, options.grid)
    require_parallel_loops(scop, tree.phases)
    divisions = divisions_of(tree.phases)
    kernel = scop.op.parent_op()
    assert isinstance(kernel, func.FuncOp)
    _Program(module, kernel, tree, Elements(scop, tree.phases, divisions), options).write()


class _Program:
    def __init__(
        self,
        module: ModuleOp,
        kernel: func.FuncOp,
        tree: DividedTree,
        elements: Elements,
        options: DistributionOptions,
    ) -> None:
        self._module, self._kernel, self._tree, self._elements = module, kernel, tree, elements
        self._scop = elements.scop
        self._functions = Functions(module, kernel, elements)
        self._blocks = Blocks(elements, options)

    # ----------------------------------------------------------------------------- the kernel

    def write(self) -> None:
        """Replace the scop by what each rank does."""
        op = self._scop.op
        code = Code(InsertPoint.before(op))
        values = dict(op.parameter_values)
        place = self._blocks.table(code, values, *self._ranks(code))
        memory = self._blocks.allocate(code, values, place)
        whole = {
            name: self._whole(code, array)
            for name, array in self._scop.arrays.items()
            if self._is_argument(name)
        }
        for name, sets, move in (
            ("scatter", self._elements.scattered(PEER), scatter),
            ("gather", self._elements.gathered(PEER), gather),
        ):
            if move is gather:
                code.add(self._steps(values, memory, place))
            outer = {array: elements for array, elements in sets.items() if array in whole}
            for each in self._transfers(name, outer):
                move(code, self._blocks, each, values, place, whole, memory)
        arrays = [each for each in memory.values() if isinstance(each.owner, memref.AllocOp)]
        code.free(*arrays, place.table)
        Rewriter.erase_op(op)
        for name, array in self._scop.arrays.items():
            if not self._is_argument(name):
                _erase_memory(array)

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

    def _whole(self, code: Code, memory: SSAValue) -> Part:
        """An array that the first rank has, as a part that begins with the first element."""
        type = dynamic(memory.type)
        offsets = (code.constant(0),) * len(type.get_shape())
        if type == memory.type:
            return Part(memory, offsets)
        cast = memref.CastOp.get(memory, type)
        code.add(cast)
        return Part(cast.dest, offsets)

    def _transfers(
        self,
        name: str,
        sets: Mapping[str, isl.Set],
        writers: Mapping[str, Sequence[isl.Map]] | None = None,
    ) -> list[Transfer]:
        """The functions for elements of arrays, one group a type of element."""
        groups: dict[Attribute, dict[str, isl.Set]] = {}
        for array, elements in sets.items():
            type = self._scop.arrays[array].type
            assert isinstance(type, MemRefType)
            groups.setdefault(type.element_type, {})[array] = elements
        return [
            transfer(self._functions, name, group, each, writers) for each, group in groups.items()
        ]

    # --------------------------------------------------------------------------------- steps

    def _steps(self, values: Values, memory: Mapping[str, SSAValue], place: Place) -> ScopOp:
        """The sequential loops, with a call for each step of a phase."""
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
            others = [*place.values(), *memory.values(), *self._functions.outside]
            step.call(Code(InsertPoint.at_end(block)), known, {}, others)
            scop.body.block.add_op(StmtOp(phase.name, domain, Region(block)))
        scop.body.block.add_op(tree_from_schedule(build_tree(self._tree.tree)))
        return scop

    def _step(self, phase: Phase) -> Outlined:
        """What a rank does in a step: its part of the phase, then the messages."""
        compute = self._functions.compute(phase)
        sent = self._elements.sent(phase, OWN, PEER)
        writers = self._elements.sent_by(phase, OWN, PEER) if sent else {}
        transfers = self._transfers(phase.name, sent, writers)
        arrays = list(self._scop.arrays)
        types: list[Attribute] = [dynamic(self._scop.arrays[each].type) for each in arrays]
        outlined, values, _, others, code = self._functions.begin(
            f"step_{phase.name}",
            (*self._functions.scop_parameters, *step_parameters(phase)),
            [],
            [*Place.types(), *types, *(value.type for value in self._functions.outside)],
        )
        place = Place(*others[:3])
        memory = dict(zip(arrays, others[3:], strict=False))
        for name, value in memory.items():
            value.name_hint = name
        outside = others[3 + len(arrays) :]
        exchanges = [
            Exchange(self._blocks, each, values, place, memory, tag)
            for tag, each in enumerate(transfers)
        ]
        for each in exchanges:
            each.begin(code)
        self._compute(code, compute, values, memory, place, outside)
        for each in exchanges:
            each.send(code)
        for each in exchanges:
            each.end(code)
        code.add(func.ReturnOp())
        return outlined

    def _compute(
        self,
        code: Code,
        compute: Outlined,
        values: Values,
        memory: Mapping[str, SSAValue],
        place: Place,
        outside: Sequence[SSAValue],
    ) -> None:
        with self._blocks.own(code, place) as (body, block):
            known = {**values, **self._blocks.bounds(body, place, block, OWN)}
            parts = self._blocks.parts(body, place, block, memory)
            compute.call(body, known, parts, outside)


def _erase_memory(memory: SSAValue) -> None:
    """Remove memory that nothing uses any more."""
    uses = [use.operation for use in memory.uses]
    assert isinstance(memory.owner, Operation)
    assert all(isinstance(use, memref.DeallocOp) for use in uses)
    for op in (*uses, memory.owner):
        Rewriter.erase_op(op)
