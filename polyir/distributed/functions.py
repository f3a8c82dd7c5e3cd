"""The functions of a distributed program: what one rank computes, packs, unpacks and counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import islpy as isl
from xdsl.dialects import affine, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.rewriter import InsertPoint

from polyir.dialects.scop import ScopOp, StmtOp
from polyir.distributed.elements import OWN, PEER, Elements, step_parameters
from polyir.distributed.phases import Phase
from polyir.irregular.code import Code
from polyir.isl_lists import parameters_of
from polyir.isl_names import unique_name
from polyir.isl_trees import TreeNode, build_tree
from polyir.model.tree import tree_from_schedule
from polyir.walks import operations_in


@dataclass(frozen=True)
class Part:
    """The part of an array that a rank has: element x is in `memory` at x - `offsets`."""

    memory: SSAValue
    offsets: tuple[SSAValue, ...]


COUNT, PACK, UNPACK = range(3)
"""What a function for a transfer does with the elements."""


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
        parts: Mapping[str, Part],
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


@dataclass(frozen=True)
class Transfer:
    """Elements of one type that go from rank to rank in one message, in one order.

    `function` takes the message, the place there of the first element, and what to do; it returns
    the place after the last element.
    """

    element: Attribute
    function: Outlined

    def count(
        self, code: Code, values: Mapping[str, SSAValue], parts: Mapping[str, Part]
    ) -> SSAValue:
        """Add code for the number of elements."""
        empty = code.array("nothing", 0, element=self.element)
        (count,) = self._call(code, values, parts, empty, 0, COUNT)
        code.free(empty)
        return count

    def copy(
        self,
        code: Code,
        values: Mapping[str, SSAValue],
        parts: Mapping[str, Part],
        message: tuple[SSAValue, SSAValue | int],
        action: int,
    ) -> SSAValue:
        """Add code that copies the elements to or from a place in a message.

        Returns the place after the last element.
        """
        (end,) = self._call(code, values, parts, *message, action)
        return end

    def _call(
        self,
        code: Code,
        values: Mapping[str, SSAValue],
        parts: Mapping[str, Part],
        message: SSAValue,
        start: SSAValue | int,
        action: int,
    ) -> Sequence[SSAValue]:
        first = code.constant(start) if isinstance(start, int) else start
        return self.function.call(code, values, parts, [message, first, code.constant(action)])


def dynamic(type: Attribute) -> MemRefType:
    """The type of memory for a part of an array."""
    assert isinstance(type, MemRefType)
    return MemRefType(type.element_type, [DYNAMIC_INDEX] * len(type.get_shape()))


class Functions:
    """Adds functions for the parts of a scop in the function `kernel`."""

    def __init__(self, module: ModuleOp, kernel: func.FuncOp, elements: Elements) -> None:
        self._module, self._kernel, self._elements = module, kernel, elements
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

    def compute(self, phase: Phase) -> Outlined:
        """What a rank runs in a step of a phase, as a scop of its own."""
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
        instances = instances.intersect_params(self._scop.context).coalesce()
        mapping = dict(zip(self.outside, others, strict=True)) | {
            value: values[name] for name, value in self._scop.op.parameter_values.items()
        }
        offsets: dict[SSAValue, Part] = {}
        for name, part in parts.items():
            offsets[self._scop.arrays[name]] = part
        scop = self._scop_op(values, _offset_names(parts))
        for body in bodies:
            scop.body.block.add_op(_moved(body, instances, mapping, offsets))
        tree = TreeNode("domain", instances, phase.tree)
        scop.body.block.add_op(tree_from_schedule(build_tree(tree)))
        code.add(scop)
        code.add(func.ReturnOp())
        return outlined

    # --------------------------------------------------------------------------- the messages

    def transfer(self, name: str, sets: Mapping[str, isl.Set], element: Attribute) -> Transfer:
        """A function that counts elements of arrays, or copies them to or from a message."""
        order = (*self.scop_parameters, *self._other_parameters(sets.values()))
        used = {name for each in sets.values() for name in _involved(each)}
        parameters = tuple(each for each in order if each in used)
        types = [MemRefType(element, [DYNAMIC_INDEX]), IndexType(), IndexType()]
        outlined, values, parts, others, code = self.begin(
            f"transfer_{name}", parameters, list(sets), types, [IndexType()]
        )
        message, start, action = others
        for value, hint in zip(others, ("message", "start", "action"), strict=True):
            value.name_hint = hint
        cell = code.cell("place")
        code.store(start, cell)
        is_packed = code.compared(action, "eq", PACK)
        is_unpacked = code.compared(action, "eq", UNPACK)
        for array, elements in sets.items():
            scop = self._scop_op(values, _offset_names({array: parts[array]}))
            statement = _transfer_statement(
                elements, parts[array], message, cell, (is_packed, is_unpacked)
            )
            scop.body.block.add_op(statement)
            scop.body.block.add_op(tree_from_schedule(_in_order(statement.domain.data)))
            code.add(scop)
        code.add(func.ReturnOp(code.load(cell)))
        return Transfer(element, outlined)

    def _other_parameters(self, sets: Iterable[isl.Set]) -> list[str]:
        found = {name for each in sets for name in parameters_of(each.get_space())}
        return sorted(found - set(self.scop_parameters))

    # ------------------------------------------------------------------------------- the frame

    def begin(
        self,
        name: str,
        parameters: Sequence[str],
        arrays: Sequence[str],
        others: Sequence[Attribute],
        results: Sequence[Attribute] = (),
    ) -> tuple[Outlined, dict[str, SSAValue], dict[str, Part], tuple[SSAValue, ...], Code]:
        types: list[Attribute] = [IndexType() for _ in parameters]
        hints: list[str | None] = list(parameters)
        ranks: list[int] = []
        for array in arrays:
            type = dynamic(self._scop.arrays[array].type)
            ranks.append(len(type.get_shape()))
            types += [type, *[IndexType()] * ranks[-1]]
            hints += [array, *(f"{array}_{d}" for d in range(ranks[-1]))]
        block = Block(arg_types=[*types, *others])
        for argument, hint in zip(block.args, hints, strict=False):
            argument.name_hint = hint
        symbol = unique_name(f"{self._kernel.sym_name.data}_{name}", self._taken)
        self._taken.add(symbol)
        function = func.FuncOp(
            symbol,
            ([*types, *others], list(results)),
            Region(block),
            visibility=StringAttr("private"),
        )
        function.location = self._kernel.location
        assert self._kernel.parent is not None
        self._kernel.parent.insert_op_before(function, self._kernel)
        arguments = iter(block.args)
        values: dict[str, SSAValue] = {each: next(arguments) for each in parameters}
        parts = {
            array: Part(next(arguments), tuple(next(arguments) for _ in range(rank)))
            for array, rank in zip(arrays, ranks, strict=True)
        }
        outlined = Outlined(function, tuple(parameters), tuple(arrays))
        code = Code(InsertPoint.at_end(block))
        return outlined, values, parts, tuple(arguments), code

    def _scop_op(self, values: Mapping[str, SSAValue], offsets: Mapping[str, SSAValue]) -> ScopOp:
        """A scop without statements, with these parameters."""
        known = {**values, **offsets}
        context = self._scop.context
        for division in self._elements.divisions.values():
            for who in (OWN, PEER):
                context = context.intersect(division.context(who))
        for name in parameters_of(context.get_space()):
            if name not in known:
                position = context.find_dim_by_name(isl.dim_type.param, name)
                context = context.project_out(isl.dim_type.param, position, 1)
        context = isl.Set(f"[{', '.join(known)}] -> {{ : }}").intersect(context)
        scop = ScopOp(list(known.values()), list(known), context, Region(Block()))
        scop.location = self._kernel.location
        return scop


def _defined_in(op: Operation) -> Iterable[SSAValue]:
    for region in op.regions:
        for block in region.blocks:
            yield from block.args
            for inner in block.ops:
                yield from inner.results
                yield from _defined_in(inner)


def _involved(elements: isl.Set) -> list[str]:
    return [
        name
        for position, name in enumerate(parameters_of(elements.get_space()))
        if elements.involves_dims(isl.dim_type.param, position, 1)
    ]


def _offset_names(parts: Mapping[str, Part]) -> dict[str, SSAValue]:
    return {
        f"{array}_{dimension}": offset
        for array, part in parts.items()
        for dimension, offset in enumerate(part.offsets)
    }


def _moved(
    statement: StmtOp,
    instances: isl.UnionSet,
    values: Mapping[SSAValue, SSAValue],
    parts: Mapping[SSAValue, Part],
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
        match op:
            case (
                affine.LoadOp() | affine.StoreOp() | affine.VectorLoadOp() | affine.VectorStoreOp()
            ) if op.memref in offsets:
                _move_affine(op, offsets[op.memref])
            case memref.LoadOp() | memref.StoreOp() if op.memref in offsets:
                code = Code(InsertPoint.before(op))
                for number, offset in enumerate(offsets[op.memref]):
                    position = number + len(op.operands) - len(op.indices)
                    op.operands[position] = code.difference(op.indices[number], offset)
            case _:
                pass
    return copy


def _move_affine(
    op: affine.LoadOp | affine.StoreOp | affine.VectorLoadOp | affine.VectorStoreOp,
    offsets: Sequence[SSAValue],
) -> None:
    """Let an access use subscripts that are less by `offsets`."""
    map = op.map.data
    results = [
        result - AffineDimExpr(map.num_dims + number) for number, result in enumerate(map.results)
    ]
    moved = AffineMap(map.num_dims + len(offsets), map.num_symbols, tuple(results))
    operands = list(op.operands)
    first = len(operands) - len(op.indices) + map.num_dims
    op.operands = [*operands[:first], *offsets, *operands[first:]]
    op.properties["map"] = AffineMapAttr(moved)


def _transfer_statement(
    elements: isl.Set,
    part: Part,
    message: SSAValue,
    cell: SSAValue,
    tests: tuple[SSAValue, SSAValue],
) -> StmtOp:
    """Copies one element of a part to or from the place in a message that `cell` has."""
    rank = elements.dim(isl.dim_type.set)
    domain = elements.set_tuple_name("Move").drop_unused_params()
    block = Block(arg_types=[IndexType()] * rank)
    for position, argument in enumerate(block.args):
        argument.name_hint = f"x{position}"
        domain = domain.set_dim_name(isl.dim_type.set, position, f"x{position}")
    code = Code(InsertPoint.at_end(block))
    place = code.load(cell)
    results = tuple(AffineDimExpr(d) - AffineDimExpr(rank + d) for d in range(rank))
    map = AffineMapAttr(AffineMap(2 * rank, 0, results))
    indices = [*block.args, *part.offsets]
    is_packed, is_unpacked = tests
    assert isinstance(part.memory.type, MemRefType)
    with code.conditional(is_packed) as packing:
        load = affine.LoadOp(part.memory, indices, map, part.memory.type.element_type)
        packing.add(load)
        packing.store(load.result, message, place)
    with code.conditional(is_unpacked) as unpacking:
        value = unpacking.load(message, place)
        unpacking.add(affine.StoreOp(value, part.memory, indices, map))
    code.store(code.sum(place, 1), cell)
    return StmtOp("Move", domain, Region(block))


def _in_order(domain: isl.Set) -> isl.Schedule:
    """The instances in lexicographic order."""
    schedule = isl.Schedule.from_domain(isl.UnionSet.from_set(domain))
    if domain.dim(isl.dim_type.set):
        identity = isl.MultiAff.identity_on_domain_space(domain.get_space())
        functions = isl.MultiPwAff.from_multi_aff(identity).reset_tuple_id(isl.dim_type.out)
        schedule = schedule.insert_partial_schedule(
            isl.MultiUnionPwAff.from_multi_pw_aff(functions)
        )
    return schedule
