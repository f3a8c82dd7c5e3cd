"""Statements that copy elements from or to a local array: their domains, tree nodes and IR."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl
from xdsl.dialects.builtin import IndexType, MemRefType, VectorType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from polyir.dialects.affine_extra import affine_load, affine_store
from polyir.dialects.loop_attributes import LoopAttributes
from polyir.dialects.scop import ScopOp, Space, StmtOp
from polyir.model.affine_maps import affine_expression, map_over
from polyir.model.vectors import aligned, element_number
from polyir.sets.lists import parameters_of
from polyir.sets.maps import moved_along, universe
from polyir.tree import LEAF, Band, BandMember, Filter


@dataclass(frozen=True)
class PromotedArray:
    """A local array to be declared: it has elements of `array`, which has `rank` dimensions.

    Its dynamic sizes are `extents`, functions of the parameters.
    """

    name: str
    array: str
    rank: int
    shape: tuple[int, ...]
    space: Space
    alignment: int = 0
    extents: tuple[isl.PwAff, ...] = ()


@dataclass(frozen=True)
class CopyLoop:
    """A loop of a copy: a function `{ [t, a] -> [c] }` of the iteration and the element."""

    function: isl.PwAff
    attributes: LoopAttributes = ()
    unrolled: bool = False


@dataclass(frozen=True)
class CopyVectors:
    """Copies of `width` neighbouring elements of an array of a type at once, by these loops."""

    width: int
    type: MemRefType
    loops: tuple[CopyLoop, ...]


@dataclass(frozen=True)
class CopyStatement:
    """A statement to be added that copies elements from or to cells of a local array.

    `domain` is `{ C[t, a] }`, with the iteration t and the element a; `cell` is
    `{ C[t, a] -> L[l] }`. Without `loops`, the loops run over the subscripts of the element. With a
    `width`, an instance copies as many elements of a row, from a on.
    """

    name: str
    local: PromotedArray
    is_copy_in: bool
    domain: isl.Set
    cell: isl.MultiAff
    loops: tuple[CopyLoop, ...] = ()
    width: int = 1

    @property
    def iteration_dimensions(self) -> int:
        """How many of the iterators count iterations of the loops around."""
        return int(self.domain.dim(isl.dim_type.set) - self.local.rank)


def in_vectors(copy: CopyStatement, vectors: CopyVectors) -> CopyStatement | None:
    """The copy in vectors, if that copies the same elements and all vectors are aligned.

    They are aligned in the array and in the local one, for all values of the parameters. `None` if
    they need not be, or if some vector has elements that are not copied.
    """
    width, space = vectors.width, copy.domain.get_space()
    last = copy.domain.dim(isl.dim_type.set) - 1
    number = element_number(space, vectors.type)
    if number is None or not _moves_along(copy.cell, last):
        return None
    first = copy.domain.intersect(aligned(number, width))
    parts = (first.apply(moved_along(space, last, step)) for step in range(width))
    if not reduce(isl.Set.union, parts).is_equal(copy.domain):
        return None
    type = MemRefType(vectors.type.element_type, copy.local.shape)
    cells = element_number(copy.cell.get_space().range(), type)
    assert cells is not None
    if not first.is_subset(aligned(cells.pullback_multi_aff(copy.cell), width)):
        return None
    return replace(copy, domain=first, loops=vectors.loops, width=width)


def _moves_along(cell: isl.MultiAff, position: int) -> bool:
    """Whether the next element along a dimension is in the next cell of a row."""
    *rows, row = (cell.get_at(each) for each in range(cell.dim(isl.dim_type.out)))
    offset = row.sub(isl.Aff.var_on_domain(cell.get_domain_space(), isl.dim_type.set, position))
    return not any(each.involves_dims(isl.dim_type.in_, position, 1) for each in (*rows, offset))


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


def copy_node(copy: CopyStatement) -> Filter:
    """The filter of a copy statement, with a band over the elements."""
    instances = universe(copy.domain.get_space())
    loops = copy.loops or tuple(map(CopyLoop, element_functions(copy.domain, copy.local.rank)))
    if not loops:
        return Filter((LEAF,), instances)
    # isl.Id(copy.name) would be another identifier.
    name = copy.domain.get_tuple_id()
    kinds = isl.ast_loop_type
    members = tuple(
        BandMember(
            isl.UnionPwAff.from_pw_aff(loop.function.set_tuple_id(isl.dim_type.in_, name)),
            is_coincident=True,
            kind=kinds.unroll if loop.unrolled else kinds.default,
            attributes=loop.attributes,
        )
        for loop in loops
    )
    return Filter((Band((LEAF,), members, permutable=True),), instances)


def element_functions(elements: isl.Set, rank: int) -> list[isl.PwAff]:
    """`{ [t, a] -> [a_d] }` for each of the `rank` last dimensions."""
    space = elements.get_space()
    count = elements.dim(isl.dim_type.set)
    return [
        isl.PwAff.var_on_domain(space, isl.dim_type.set, position)
        for position in range(count - rank, count)
    ]


def copy_operation(op: ScopOp, copy: CopyStatement, array: SSAValue, local: SSAValue) -> StmtOp:
    """The statement that copies one element, or a vector of them."""
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
    assert isinstance(source.type, MemRefType)
    type: Attribute = source.type.element_type
    if copy.width > 1:
        type = VectorType(type, [copy.width])
    load = affine_load(source, *map_over(read, values), type)
    store = affine_store(load.results[0], target, *map_over(written, values))
    block.add_ops([load, store])
    statement = StmtOp(copy.name, copy.domain, Region(block))
    for each in (load, store, statement):
        each.location = op.location
    return statement
