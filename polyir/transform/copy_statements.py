"""Statements that copy elements from or to a local array: their domains, tree nodes and IR."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from polyir.dialects.loop_attributes import LoopAttributes
from polyir.dialects.scop import ScopOp, Space, StmtOp
from polyir.isl_lists import parameters_of
from polyir.isl_trees import BandMembers, TreeNode
from polyir.model.affine_maps import affine_expression, map_over


@dataclass(frozen=True)
class PromotedArray:
    """A local array to be declared: it has elements of `array`, which has `rank` dimensions."""

    name: str
    array: str
    rank: int
    shape: tuple[int, ...]
    space: Space


@dataclass(frozen=True)
class CopyLoop:
    """A loop of a copy: a function `{ [t, a] -> [c] }` of the iteration and the element."""

    function: isl.PwAff
    attributes: LoopAttributes = ()
    unrolled: bool = False


@dataclass(frozen=True)
class CopyStatement:
    """A statement to be added that copies an element from or to a cell of a local array.

    `domain` is `{ C[t, a] }`, with the iteration t and the element a; `cell` is
    `{ C[t, a] -> L[l] }`. Without `loops`, the loops run over the subscripts of the element.
    """

    name: str
    local: PromotedArray
    is_copy_in: bool
    domain: isl.Set
    cell: isl.MultiAff
    loops: tuple[CopyLoop, ...] = ()

    @property
    def iteration_dimensions(self) -> int:
        """How many of the iterators count iterations of the loops around."""
        return int(self.domain.dim(isl.dim_type.set) - self.local.rank)


def copied_elements(domain: isl.Set, name: str, local: PromotedArray) -> isl.Set:
    """The domain of a copy statement, whose dimensions are called after loops and the array."""
    loops = domain.dim(isl.dim_type.set) - local.rank
    domain = domain.set_tuple_name(name)
    for position, each in enumerate(_iterator_names(loops, local)):
        domain = domain.set_dim_name(isl.dim_type.set, position, each)
    return domain


def _iterator_names(loops: int, local: PromotedArray) -> list[str]:
    names = [f"t{position}" for position in range(loops)]
    return names + [f"{local.array.lower()}{position}" for position in range(local.rank)]


def extension_of(copy: CopyStatement) -> isl.Map:
    """`{ [t] -> C[t, a] }`."""
    loops = copy.domain.project_out(isl.dim_type.set, copy.iteration_dimensions, copy.local.rank)
    everything = isl.Map.from_domain_and_range(loops.reset_tuple_id(), copy.domain)
    for position in range(copy.iteration_dimensions):
        everything = everything.equate(isl.dim_type.in_, position, isl.dim_type.out, position)
    return everything


def copy_node(copy: CopyStatement) -> TreeNode:
    """The filter of a copy statement, with a band over the elements."""
    universe = isl.UnionSet.from_set(isl.Set.universe(copy.domain.get_space()))
    loops = copy.loops or tuple(map(CopyLoop, element_functions(copy.domain, copy.local.rank)))
    if not loops:
        return TreeNode("filter", universe, ())
    # isl.Id(copy.name) would be another identifier.
    name = copy.domain.get_tuple_id()
    members = [
        isl.MultiUnionPwAff.from_union_pw_aff(
            isl.UnionPwAff.from_pw_aff(loop.function.set_tuple_id(isl.dim_type.in_, name))
        )
        for loop in loops
    ]
    schedule = reduce(isl.MultiUnionPwAff.flat_range_product, members)
    objects = tuple(loop.attributes or None for loop in loops)
    flags = (True,) * len(loops)
    options = isl.UnionSet("{ }")
    for position, loop in enumerate(loops):
        if loop.unrolled:
            options = options.union(isl.UnionSet(f"{{ unroll[{position}] }}"))
    band = BandMembers(schedule, objects, True, flags, options)
    return TreeNode("filter", universe, (TreeNode("band", band, ()),))


def element_functions(elements: isl.Set, rank: int) -> list[isl.PwAff]:
    """`{ [t, a] -> [a_d] }` for each of the `rank` last dimensions."""
    space = isl.LocalSpace.from_space(elements.get_space())
    count = elements.dim(isl.dim_type.set)
    return [
        isl.PwAff.from_aff(isl.Aff.var_on_domain(space, isl.dim_type.set, position))
        for position in range(count - rank, count)
    ]


def copy_operation(op: ScopOp, copy: CopyStatement, array: SSAValue, local: SSAValue) -> StmtOp:
    """The statement that copies one element."""
    count = copy.domain.dim(isl.dim_type.set)
    block = Block(arg_types=[IndexType()] * count)
    loops = copy.iteration_dimensions
    for argument, name in zip(block.args, _iterator_names(loops, copy.local), strict=True):
        argument.name_hint = name
    values = [*block.args, *op.parameter_values.values()]
    names = list(op.parameter_values)
    iterators = [AffineDimExpr(position) for position in range(count)]
    cell: list[AffineExpr] = []
    for position in range(len(copy.local.shape)):
        function = copy.cell.get_at(position)
        used = parameters_of(function.get_domain_space())
        parameters = [AffineDimExpr(count + names.index(name)) for name in used]
        cell.append(affine_expression(function, iterators, parameters))
    outside, inside_ = (array, tuple(iterators[loops:])), (local, tuple(cell))
    (source, read), (target, written) = (
        (outside, inside_) if copy.is_copy_in else (inside_, outside)
    )
    read_map, read_operands = map_over(read, values)
    written_map, written_operands = map_over(written, values)
    assert isinstance(source.type, MemRefType)
    element_type = source.type.element_type
    load = affine.LoadOp(source, read_operands, AffineMapAttr(read_map), element_type)
    store = affine.StoreOp(load.result, target, written_operands, AffineMapAttr(written_map))
    block.add_ops([load, store])
    statement = StmtOp(copy.name, copy.domain, Region(block))
    for each in (load, store, statement):
        each.location = op.location
    return statement
