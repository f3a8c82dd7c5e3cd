"""The operations of the affine dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from lark import Token, Tree
from xdsl.dialects import affine
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap, AffineSet

from polyir.base.diagnostics import nearest
from polyir.dialects import affine_extra
from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.frontend.affine_expressions import OperandExpressions
from polyir.frontend.literals import magnitude, string, word
from polyir.frontend.operation_reader import INDEX, Handler, OperationReader, plural, segments
from polyir.frontend.source import Branch, token, tree

_MAP_OPERATIONS: Mapping[str, type[Operation]] = MappingProxyType(
    {
        "affine.apply": affine.ApplyOp,
        "affine.min": affine.MinOp,
        "affine.max": affine_extra.MaxOp,
    }
)


# -------------------------------------------------------------------- loops and conditions


def _for(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, variable, lower, upper, step, iter_args, body, attributes = node.children
    lower_map, lower_operands = _bound(reader, tree(lower), "max")
    upper_map, upper_operands = _bound(reader, tree(upper), "min")
    names, initial, types = loop_carried(reader, iter_args)
    region = reader.single_block(body, [(variable, INDEX), *zip(names, types, strict=True)])
    _end_with_yield(reader, body, region, types)
    return affine.ForOp.create(
        operands=[*lower_operands, *upper_operands, *initial],
        result_types=types,
        properties={
            "lowerBoundMap": lower_map,
            "upperBoundMap": upper_map,
            "step": IntegerAttr(_step(reader, step), INDEX),
            "operandSegmentSizes": segments(len(lower_operands), len(upper_operands), len(initial)),
        },
        attributes=reader.dictionary(attributes),
        regions=[region],
    )


def loop_carried(
    reader: OperationReader, branch: Branch
) -> tuple[list[Branch], list[SSAValue], tuple[Attribute, ...]]:
    """The names inside the loop, the initial values and the types of an `iter_args` node."""
    parts = tree(branch).children
    if not parts:
        return [], [], ()
    *assignments, types_node = parts
    types = reader.types(types_node)
    if len(types) != len(assignments):
        reader.source.fail(
            types_node, f"expected {plural(len(assignments), 'type')}, found {len(types)}"
        )
    names = [tree(assignment).children[0] for assignment in assignments]
    initial = [
        reader.operand(tree(assignment).children[1], value_type)
        for assignment, value_type in zip(assignments, types, strict=True)
    ]
    return names, initial, types


def _bound(
    reader: OperationReader, node: Tree[Token], extremum: str
) -> tuple[AffineMapAttr, list[SSAValue]]:
    if node.data == "value_bound":
        value = reader.operand(node.children[0], INDEX)
        return AffineMapAttr(AffineMap(0, 1, (AffineExpr.symbol(0),))), [value]
    if node.data != "map_bound":
        return AffineMapAttr.constant_map(word(reader.source, _constant(node))), []
    keyword, use = node.children
    affine_map, operands = _map_use(reader, tree(use))
    if not affine_map.data.results:
        reader.source.fail(use, "the map of a bound must have a result")
    if keyword is not None and str(keyword) != extremum:
        reader.source.fail(keyword, f"expected '{extremum}' before the map of this bound")
    if keyword is None and len(affine_map.data.results) > 1:
        reader.source.fail(use, f"expected '{extremum}' before a map with several results")
    return affine_map, operands


def _constant(node: Tree[Token]) -> Branch:
    return node.children[0] if node.data == "constant_bound" else node


def _step(reader: OperationReader, branch: Branch) -> int:
    parts = tree(branch).children
    if not parts:
        return 1
    step = word(reader.source, parts[0])
    if step <= 0:
        reader.source.fail(parts[0], "expected a positive step")
    return step


def _map_use(reader: OperationReader, node: Tree[Token]) -> tuple[AffineMapAttr, list[SSAValue]]:
    affine_map = reader.attributes.affine_map(node.children[0])
    return affine_map, _map_operands(reader, node, affine_map.data)


def _map_operands(
    reader: OperationReader, node: Tree[Token], space: AffineMap | AffineSet
) -> list[SSAValue]:
    place, dimensions, brackets = node.children
    symbols = tree(brackets).children
    symbol_names = tree(symbols[0]).children if symbols else []
    for kind, expected, names in (
        ("dimension", space.num_dims, tree(dimensions).children),
        ("symbol", space.num_symbols, symbol_names),
    ):
        if len(names) != expected:
            first = names[0] if names else place
            reader.source.fail(
                first, f"expected {plural(expected, kind + ' operand')}, found {len(names)}"
            )
    return [reader.operand(name, INDEX) for name in (*tree(dimensions).children, *symbol_names)]


def _end_with_yield(
    reader: OperationReader, place: Branch, region: Region, types: Sequence[Attribute]
) -> None:
    """Add the optional terminator if it is missing; otherwise check its types."""
    block = region.block
    last = block.last_op
    if not isinstance(last, affine.YieldOp):
        if types:
            reader.source.fail(
                place, f"expected 'affine.yield' of {plural(len(types), 'value')} at the end"
            )
        block.add_op(affine.YieldOp.get())
        return
    yielded = tuple(last.operand_types)
    if yielded != tuple(types):
        reader.fail_at(
            last,
            f"type mismatch: the enclosing operation has results of type {_list(types)}, "
            f"but the yielded values have type {_list(yielded)}",
        )


def _list(types: Sequence[Attribute]) -> str:
    return "(" + ", ".join(map(str, types)) + ")"


def _if(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, use, results, then_body, else_part, attributes = node.children
    condition = reader.attributes.affine_set(tree(use).children[0])
    operands = _map_operands(reader, tree(use), condition.data)
    types = reader.types(results)
    then_region = reader.single_block(then_body)
    _end_with_yield(reader, then_body, then_region, types)
    else_region = Region()
    if tree(else_part).children:
        (else_body,) = tree(else_part).children
        else_region = reader.single_block(else_body)
        _end_with_yield(reader, else_body, else_region, types)
    elif types:
        reader.source.fail(results, "expected 'else', as the operation has results")
    return affine.IfOp.create(
        operands=operands,
        result_types=types,
        properties={"condition": condition},
        attributes=reader.dictionary(attributes),
        regions=[then_region, else_region],
    )


def _parallel(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, variables, lower, upper, steps, reductions, body, attributes = node.children
    names = tree(variables).children
    lower_bounds = parallel_bounds(reader, lower, "max", len(names))
    upper_bounds = parallel_bounds(reader, upper, "min", len(names))
    kinds, types = _reductions(reader, tree(reductions))
    region = reader.single_block(body, [(name, INDEX) for name in names])
    _end_with_yield(reader, body, region, types)
    return affine_extra.ParallelOp.create(
        operands=[*lower_bounds.operands, *upper_bounds.operands],
        result_types=types,
        properties={
            "reductions": ArrayAttr(kinds),
            "lowerBoundsMap": lower_bounds.map,
            "lowerBoundsGroups": lower_bounds.groups,
            "upperBoundsMap": upper_bounds.map,
            "upperBoundsGroups": upper_bounds.groups,
            "steps": _parallel_steps(reader, tree(steps), len(names)),
        },
        attributes=reader.dictionary(attributes),
        regions=[region],
    )


@dataclass(frozen=True)
class ParallelBounds:
    """All lower or all upper bounds of a loop: one map, and the number of its results per bound."""

    map: AffineMapAttr
    groups: Attribute
    operands: list[SSAValue]


def parallel_bounds(
    reader: OperationReader, branch: Branch, extremum: str, count: int
) -> ParallelBounds:
    """The bounds of a `parallel_bounds` node, for `count` variables."""
    bounds = tree(branch).children
    if len(bounds) != count:
        reader.source.fail(
            branch, f"expected {plural(count, 'bound')}, one per variable, found {len(bounds)}"
        )
    expressions = OperandExpressions(reader.source)
    results: list[AffineExpr] = []
    sizes: list[int] = []
    for bound in map(tree, bounds):
        parts = bound.children
        if bound.data == "extremum_bound":
            keyword, *parts = parts
            if str(keyword) != extremum:
                reader.source.fail(keyword, f"expected '{extremum}' in this bound")
        sizes.append(len(parts))
        results.extend(expressions.read(parts))
    operands = [reader.operand(name, INDEX) for name in expressions.operands()]
    groups = DenseIntOrFPElementsAttr.from_list(TensorType(i32, [count]), sizes)
    return ParallelBounds(AffineMapAttr(expressions.map(results)), groups, operands)


def _parallel_steps(reader: OperationReader, node: Tree[Token], count: int) -> Attribute:
    steps = [word(reader.source, step) for step in node.children] or [1] * count
    if len(steps) != count:
        reader.source.fail(
            node, f"expected {plural(count, 'step')}, one per variable, found {len(steps)}"
        )
    for step, place in zip(steps, node.children, strict=False):
        if step <= 0:
            reader.source.fail(place, "expected a positive step")
    return ArrayAttr(IntegerAttr(step, i64) for step in steps)


def _reductions(
    reader: OperationReader, node: Tree[Token]
) -> tuple[list[StringAttr], tuple[Attribute, ...]]:
    if not node.children:
        return [], ()
    *kinds, types_node = node.children
    types = reader.types(types_node)
    if len(types) != len(kinds):
        reader.source.fail(types_node, f"expected {plural(len(kinds), 'type')}, found {len(types)}")
    names = [string(reader.source, token(kind)) for kind in kinds]
    for kind, name in zip(kinds, names, strict=True):
        if name not in REDUCTION_KINDS:
            hint = nearest(name, REDUCTION_KINDS)
            reader.source.fail(kind, f"unknown kind of reduction '{name}'{hint}")
    return [StringAttr(name) for name in names], types


# -------------------------------------------------------------------- maps and accesses


def _apply(reader: OperationReader, node: Tree[Token]) -> Operation:
    name, use, attributes = node.children
    affine_map, operands = _map_use(reader, tree(use))
    count = len(affine_map.data.results)
    if count == 0 or (count > 1 and str(name) == "affine.apply"):
        reader.source.fail(use, f"the map of '{name}' has {plural(count, 'result')}")
    return _MAP_OPERATIONS[str(name)].create(
        operands=operands,
        result_types=[INDEX],
        properties={"map": affine_map},
        attributes=reader.dictionary(attributes),
    )


class _AffineAccess:
    """The memref, the map and its operands of an access such as `%A[%i + 1] : memref<8xf32>`."""

    def __init__(
        self, reader: OperationReader, memref: Branch, subscripts: Branch, type_node: Branch
    ) -> None:
        memref_type = reader.type(type_node)
        if not isinstance(memref_type, MemRefType):
            reader.source.fail(type_node, f"expected a memref type, not {memref_type}")
        self.element_type: Attribute = memref_type.get_element_type()
        base = reader.operand(memref, memref_type)
        rank = memref_type.get_num_dims()
        written = tree(subscripts).children
        if len(written) != rank:
            reader.source.fail(
                written[0] if written else memref,
                f"expected {plural(rank, 'subscript')}, one per dimension, found {len(written)}",
            )
        expressions = OperandExpressions(reader.source)
        self.map = AffineMapAttr(expressions.map(expressions.read(written)))
        indices = [reader.operand(name, INDEX) for name in expressions.operands()]
        self.operands = [base, *indices]


def _load(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, memref, subscripts, attributes, type_node, *vector = node.children
    access = _AffineAccess(reader, memref, subscripts, type_node)
    kind = affine.VectorLoadOp if vector else affine.LoadOp
    return kind.create(
        operands=access.operands,
        result_types=[reader.type(vector[0]) if vector else access.element_type],
        properties={"map": access.map},
        attributes=reader.dictionary(attributes),
    )


def _store(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, value, memref, subscripts, attributes, type_node, *vector = node.children
    access = _AffineAccess(reader, memref, subscripts, type_node)
    kind = affine.VectorStoreOp if vector else affine.StoreOp
    type = reader.type(vector[0]) if vector else access.element_type
    return kind.create(
        operands=[reader.operand(value, type), *access.operands],
        properties={"map": access.map},
        attributes=reader.dictionary(attributes),
    )


def _prefetch(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, memref, subscripts, direction, locality, cache, attributes, type_node = node.children
    access = _AffineAccess(reader, memref, subscripts, type_node)
    for word_node, choices in ((direction, ("read", "write")), (cache, ("data", "instr"))):
        if str(word_node) not in choices:
            reader.source.fail(word_node, f"expected '{choices[0]}' or '{choices[1]}'")
    hint = magnitude(reader.source, token(locality))
    if hint > 3:
        reader.source.fail(locality, "expected a locality from 0 to 3")
    memref_value, *indices = access.operands
    operation = affine_extra.PrefetchOp(
        memref_value,
        indices,
        access.map,
        is_write=str(direction) == "write",
        locality=hint,
        is_data_cache=str(cache) == "data",
    )
    operation.attributes |= reader.dictionary(attributes)
    return operation


def _delinearize(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, linear_index, basis, attributes, types_node = node.children
    values = reader.index_operands(basis)
    if reader.types(types_node) != (INDEX,) * len(values):
        reader.source.fail(
            types_node, f"expected the type index {len(values)} times, once per basis value"
        )
    operation = affine_extra.DelinearizeIndexOp(reader.operand(linear_index, INDEX), values)
    operation.attributes |= reader.dictionary(attributes)
    return operation


def _dma_start(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, *accesses, sizes, types_node = node.children
    pairs = list(zip(accesses[::2], accesses[1::2], strict=True))
    names = tree(sizes).children
    if len(names) not in affine_extra.DmaStartOp.SIZES:
        reader.source.fail(
            names[-1], "expected the number of elements, or also a stride and a number of strides"
        )
    return _transfer(reader, affine_extra.DmaStartOp, pairs, names, types_node)


def _dma_wait(reader: OperationReader, node: Tree[Token]) -> Operation:
    _, tag, subscripts, sizes, types_node = node.children
    names = tree(sizes).children
    if len(names) != 1:
        reader.source.fail(names[-1], "expected only the number of elements")
    pairs = [(tag, subscripts)]
    return _transfer(reader, affine_extra.DmaWaitOp, pairs, names, types_node)


def _transfer(
    reader: OperationReader,
    operation_type: type[affine_extra.DmaStartOp | affine_extra.DmaWaitOp],
    accesses: Sequence[tuple[Branch, Branch]],
    sizes: Sequence[Branch],
    types_node: Branch,
) -> Operation:
    """An operation on memrefs with subscripts, and sizes after them."""
    types = tree(types_node).children
    if len(types) != len(accesses):
        reader.source.fail(types_node, f"expected {plural(len(accesses), 'type')}")
    operands: list[SSAValue] = []
    maps: dict[str, Attribute] = {}
    for name, access, type_node in zip(operation_type.MAPS, accesses, types, strict=True):
        read = _AffineAccess(reader, *access, type_node)
        operands += read.operands
        maps[name] = read.map
    operands += [reader.operand(size, INDEX) for size in sizes]
    return operation_type.create(operands=operands, attributes=maps)


HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "affine_for": _for,
        "affine_if": _if,
        "affine_parallel": _parallel,
        "affine_apply": _apply,
        "affine_load": _load,
        "affine_store": _store,
        "affine_vector_load": _load,
        "affine_vector_store": _store,
        "affine_prefetch": _prefetch,
        "affine_delinearize": _delinearize,
        "affine_dma_start": _dma_start,
        "affine_dma_wait": _dma_wait,
    }
)
