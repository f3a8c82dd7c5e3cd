"""The functions of a distributed program: what one rank computes, packs, unpacks and counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import islpy as isl
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.rewriter import InsertPoint

from polyir.base.walks import operations_in
from polyir.dialects.dependence import Dependences
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.distributed.elements import OWN, PEER, Elements, step_parameters
from polyir.distributed.part_dependences import dependences_within
from polyir.distributed.phases import Phase
from polyir.loops.code import Code
from polyir.model.memory_accesses import MemoryAccess, access_of
from polyir.model.scop import array_names
from polyir.sets.hulls import coalesced
from polyir.sets.lists import parameters_of
from polyir.sets.names import unique_name
from polyir.tree import Domain, Schedule
from polyir.tree.operations import operations_of


@dataclass(frozen=True)
class LocalPart:
    """The part of an array that a rank has: element x is in `memory` at x - `offsets`."""

    memory: SSAValue
    offsets: tuple[SSAValue, ...]


@dataclass(frozen=True)
class Outlined:
    """A function of index values, by the names of isl parameters, and of parts of arrays."""

    operation: func.FuncOp
    parameters: tuple[str, ...]
    arrays: tuple[str, ...]

    def call(
        self,
        code: Code,
        values: Mapping[str, SSAValue],
        parts: Mapping[str, LocalPart],
        others: Sequence[SSAValue] = (),
    ) -> Sequence[SSAValue]:
        """Add a call; `values` has at least its parameters, and `parts` its arrays."""
        arguments = [values[name] for name in self.parameters]
        for name in self.arrays:
            arguments += [parts[name].memory, *parts[name].offsets]
        type = self.operation.function_type
        call = func.CallOp(
            self.operation.sym_name.data, [*arguments, *others], list(type.outputs.data)
        )
        code.add(call)
        return call.results


def dynamic(type: Attribute) -> MemRefType:
    """The type of memory for a part of an array."""
    assert isinstance(type, MemRefType)
    return MemRefType(type.element_type, [DYNAMIC_INDEX] * len(type.get_shape()))


class Functions:
    """Adds functions for the parts of a scop in the function `kernel`."""

    def __init__(self, module: ModuleOp, kernel: func.FuncOp, elements: Elements) -> None:
        self._kernel, self._elements = kernel, elements
        self._scop = elements.scop
        self._taken = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}

    @cached_property
    def scop_parameters(self) -> tuple[str, ...]:
        """The names of the parameters of the scop."""
        return tuple(self._scop.op.parameter_values)

    @cached_property
    def outside(self) -> tuple[SSAValue, ...]:
        """What statements read besides memory, parameters and what they compute."""
        statements = self._scop.op.statements
        inside = {value for op in statements for value in _defined_in(op)}
        known = {*self._scop.arrays.values(), *self._scop.op.parameter_values.values(), *inside}
        used = (
            operand
            for statement in statements
            for op in operations_in(statement)
            for operand in op.operands
        )
        return tuple(dict.fromkeys(value for value in used if value not in known))

    # ------------------------------------------------------------------------ one rank's part

    def compute(self, phase: Phase, known: Dependences | None) -> Outlined:
        """What a rank runs in a step of a phase, as a scop of its own.

        `known` has the dependences of the phase, and perhaps others. Without it, the scop has none.
        """
        division = self._elements.divisions[phase.name]
        parameters = (
            *self.scop_parameters,
            *step_parameters(phase),
            *division.parameters(OWN),
        )
        names = set(phase.statements)
        bodies = [op for op in self._scop.op.statements if op.sym_name.data in names]
        accessed = {
            operand for body in bodies for op in operations_in(body) for operand in op.operands
        }
        arrays = [name for name, value in self._scop.arrays.items() if value in accessed]
        outlined, values, parts, others, code = self.begin(
            f"compute_{phase.name}", parameters, arrays, [value.type for value in self.outside]
        )
        instances = self._elements.in_step(phase).intersect(self._elements.run_by(phase, OWN))
        instances = coalesced(instances.intersect_params(self._scop.context))
        mapping = dict(zip(self.outside, others, strict=True)) | {
            value: values[name] for name, value in self._scop.op.parameter_values.items()
        }
        offsets: dict[SSAValue, LocalPart] = {}
        for name, part in parts.items():
            offsets[self._scop.arrays[name]] = part
        scop = self.scop_op({**values, **_offset_names(parts, values)})
        for body in bodies:
            scop.body.block.add_op(_moved(body, instances, mapping, offsets))
        scop.body.block.add_op(operations_of(Schedule(Domain((phase.tree,), instances))))
        code.add(scop)
        code.add(func.ReturnOp())
        if known is not None:
            now = array_names(scop)
            renamed = {name: now[part.memory] for name, part in parts.items()}
            within = dependences_within(known, instances, names, renamed)
            scop.dependences = DependencesAttr(within)
        return outlined

    # ------------------------------------------------------------------------------- the frame

    def begin(
        self,
        name: str,
        parameters: Sequence[str],
        arrays: Sequence[str],
        others: Sequence[Attribute],
        results: Sequence[Attribute] = (),
    ) -> tuple[Outlined, dict[str, SSAValue], dict[str, LocalPart], tuple[SSAValue, ...], Code]:
        """Add a private function before the kernel; `others` are the types of more arguments.

        Returns it with its arguments (values by the names of isl parameters, parts by the names of
        arrays, the others) and code for its body, which the caller ends with a `func.return`.
        """
        memory = {array: dynamic(self._scop.arrays[array].type) for array in arrays}
        types: list[Attribute] = [IndexType() for _ in parameters]
        for type in memory.values():
            types += [type, *(IndexType() for _ in type.get_shape())]
        block = Block(arg_types=[*types, *others])
        outlined = Outlined(self._add(name, block, results), tuple(parameters), tuple(arrays))
        arguments = iter(block.args)
        values: dict[str, SSAValue] = {each: next(arguments) for each in parameters}
        parts = {
            array: LocalPart(next(arguments), tuple(next(arguments) for _ in type.get_shape()))
            for array, type in memory.items()
        }
        _name_arguments(values, parts)
        return outlined, values, parts, tuple(arguments), Code(InsertPoint.at_end(block))

    def _add(self, name: str, block: Block, results: Sequence[Attribute]) -> func.FuncOp:
        """Add a private function before the kernel, with a body that ends with nothing yet."""
        symbol = unique_name(f"{self._kernel.sym_name.data}_{name}", self._taken)
        self._taken.add(symbol)
        type = [each.type for each in block.args], list(results)
        private = StringAttr("private")
        function = func.FuncOp(symbol, type, Region(block), visibility=private)
        function.location = self._kernel.location
        assert self._kernel.parent is not None
        self._kernel.parent.insert_op_before(function, self._kernel)
        return function

    def context(self, known: Collection[str]) -> isl.Set:
        """What holds for parameters, as far as it is about those in `known`."""
        context = self._scop.context
        for division in self._elements.divisions.values():
            for who in (OWN, PEER):
                context = context.intersect(division.context(who))
        for name in parameters_of(context.get_space()):
            if name not in known:
                position = context.find_dim_by_name(isl.dim_type.param, name)
                context = context.project_out(isl.dim_type.param, position, 1)
        return isl.Set(f"[{', '.join(known)}] -> {{ : }}").intersect(context)

    def scop_op(self, known: Mapping[str, SSAValue]) -> ScopOp:
        """A scop without statements, with these parameters, and what is known of blocks."""
        context = self.context(known)
        scop = ScopOp(list(known.values()), list(known), context, Region(Block()))
        scop.location = self._kernel.location
        return scop


def _name_arguments(values: Mapping[str, SSAValue], parts: Mapping[str, LocalPart]) -> None:
    """Let the arguments of a function have the names of what they are, for whoever reads it."""
    for name, value in values.items():
        value.name_hint = name
    for array, part in parts.items():
        part.memory.name_hint = array
        for dimension, offset in enumerate(part.offsets):
            offset.name_hint = f"{array}_{dimension}"


def _defined_in(op: Operation) -> Iterable[SSAValue]:
    """The values that operations inside of another one compute, and the arguments of blocks."""
    for region in op.regions:
        for block in region.blocks:
            yield from block.args
            for inner in block.ops:
                yield from inner.results
                yield from _defined_in(inner)


def _offset_names(parts: Mapping[str, LocalPart], taken: Iterable[str]) -> dict[str, SSAValue]:
    """Names for the offsets of parts, other than those in `taken`."""
    known = set(taken)
    offsets: dict[str, SSAValue] = {}
    for array, part in parts.items():
        for dimension, offset in enumerate(part.offsets):
            name = unique_name(f"{array}_{dimension}", known)
            known.add(name)
            offsets[name] = offset
    return offsets


def _moved(
    statement: StmtOp,
    instances: isl.UnionSet,
    values: Mapping[SSAValue, SSAValue],
    parts: Mapping[SSAValue, LocalPart],
) -> StmtOp:
    """A copy of a statement that accesses parts of arrays, for some of its instances."""
    space = statement.domain.data.get_space().align_params(instances.get_space())
    domain = instances.extract_set(space)
    mapping = dict(values) | {memory: part.memory for memory, part in parts.items()}
    body = Region()
    statement.body.clone_into(body, value_mapper=mapping)
    copy = StmtOp(statement.sym_name.data, domain, body)
    copy.attributes |= statement.attributes
    copy.location = statement.location
    offsets = {part.memory: part.offsets for part in parts.values()}
    for op in operations_in(copy):
        access = access_of(op)
        if access is not None and access.memref in offsets:
            _move(access, offsets[access.memref])
    return copy


def _move(access: MemoryAccess, offsets: Sequence[SSAValue]) -> None:
    """Let an access use subscripts that are less by `offsets`."""
    indices, map = access.indices, access.map
    if map is None:
        code = Code(InsertPoint.before(access.op))
        access.move(
            access.memref, [code.difference(*each) for each in zip(indices, offsets, strict=True)]
        )
        return
    results = [
        result - AffineDimExpr(map.num_dims + number) for number, result in enumerate(map.results)
    ]
    moved = AffineMap(map.num_dims + len(offsets), map.num_symbols, tuple(results))
    operands = (*indices[: map.num_dims], *offsets, *indices[map.num_dims :])
    access.move(access.memref, operands, moved)
