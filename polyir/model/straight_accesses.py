"""Accesses outside of loops, which each call of a function makes: where they are out of bounds.

Static control parts need a loop. What is before, between and after them, or in a function without
loops, is read here as it stands, with the conditions around it that compare indices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import islpy as isl
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from polyir.model.affine import IndexReader, NotAffineError, constant
from polyir.model.arguments import Source, source_of
from polyir.model.memory_accesses import MemoryAccess, accesses_of
from polyir.model.raising.context import shape_of
from polyir.model.raising.control import branches_of, condition_of
from polyir.model.scop import unique_name


@dataclass(frozen=True)
class Excluded:
    """Values of parameters for which an access to `array` is out of bounds in `dimension`.

    `sources` says where the parameters of the set come from, by name.
    """

    points: isl.Set
    sources: Mapping[str, Source]
    array: str
    dimension: int


def excluded_by_straight_accesses(function: FuncOp) -> Iterator[Excluded]:
    """The values for which an access of `function` outside of its loops is out of bounds.

    Subscripts and conditions that are not affine in the arguments are left out.
    """
    reader = _Arguments()
    entry = function.body.first_block
    if entry is not None:
        yield from _in_block(entry, isl.Set.universe(reader.space), reader)


class _Arguments(IndexReader):
    """Reads indices as expressions of the numbers that a caller chooses."""

    def __init__(self) -> None:
        super().__init__(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, 0), self._parameter)
        self.sources: dict[str, Source] = {}
        self._variables: dict[Source, isl.PwAff] = {}

    def _parameter(self, value: SSAValue) -> isl.PwAff | None:
        source = source_of(value) if isinstance(value.type, IndexType) else None
        return None if source is None else self.variable(source, value.name_hint or "n")

    def variable(self, source: Source, name: str) -> isl.PwAff:
        """The parameter that stands for a number of the caller."""
        if source not in self._variables:
            name = unique_name(name, {*self.sources})
            self.sources[name] = source
            space = self.space.add_dims(isl.dim_type.param, 1)
            space = space.set_dim_name(isl.dim_type.param, 0, name)
            self._variables[source] = isl.PwAff.var_on_domain(space, isl.dim_type.param, 0)
        return self._variables[source]

    def extent(self, array: SSAValue, dimension: int) -> isl.PwAff | None:
        """The size of an array; `None` if the caller does not say it."""
        size = shape_of(array)[dimension]
        if size != DYNAMIC_INDEX:
            return constant(self.space, size)
        source = source_of(array)
        if source is None:
            return None
        return self.variable(Source(source.argument, dimension), f"{_name(array)}_{dimension}")


def _in_block(block: Block, domain: isl.Set, reader: _Arguments) -> Iterator[Excluded]:
    for op in block.ops:
        for access in accesses_of(op):
            yield from _of_access(access, domain, reader)
        if isinstance(op, affine.IfOp | scf.IfOp):
            try:
                holds = condition_of(op, reader)
            except NotAffineError:
                continue
            taken, other = branches_of(op)
            for branch, condition in ((taken, holds), (other, holds.complement())):
                for inner in branch.blocks:
                    yield from _in_block(inner, domain.intersect(condition), reader)


def _of_access(access: MemoryAccess, domain: isl.Set, reader: _Arguments) -> Iterator[Excluded]:
    try:
        subscripts = access.read(reader)
    except NotAffineError:
        return
    widths = (1,) * (len(subscripts) - len(access.extents)) + access.extents
    for dimension, (subscript, width) in enumerate(zip(subscripts, widths, strict=True)):
        outside = subscript.lt_set(constant(reader.space, 0))
        extent = reader.extent(access.memref, dimension)
        if extent is not None:
            end = subscript.add(constant(reader.space, width - 1))
            outside = outside.union(end.ge_set(extent))
        points = outside.intersect(domain).params().coalesce()
        if not points.is_empty():
            yield Excluded(points, dict(reader.sources), _name(access.memref), dimension)


def _name(array: SSAValue) -> str:
    return array.name_hint or "an array"
