"""With which ranks a rank may have a message in a step, as an interval of ranks.

A rank with a message has a block that ends after some tile, and begins before or at another one.
The constraints on the begin and the end of the block, in the set of the elements that are sent,
give these tiles as functions of the own block and of the step. Between a stencil's ranks, they are
the tiles beside the own block, so that a rank need not look at all others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.dialects import arith
from xdsl.ir import SSAValue

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.distributed.elements import Division
from polyir.distributed.scan import bound
from polyir.loops.code import Code
from polyir.sets.lists import parameters_of


@dataclass(frozen=True)
class Neighbours:
    """Bounds on the blocks with which there may be a message, in a line of blocks.

    `end` is `{ [e] }`, the tiles after such blocks, and `begin` is `{ [b] }`, their first tiles.
    """

    division: Division
    end: isl.BasicSet
    begin: isl.BasicSet

    def tiles(
        self, code: Code, values: Mapping[str, SSAValue]
    ) -> tuple[SSAValue | None, SSAValue | None]:
        """Add code for a tile such that no earlier block matters, and one for no later block."""
        least = bound(code, self.end, [], values, is_last=False)
        greatest = bound(code, self.begin, [], values, is_last=True)
        return None if least is None else code.difference(least, 1), greatest


def rank_of(
    code: Code, tile: SSAValue, first: SSAValue, end: SSAValue, ranks: SSAValue
) -> SSAValue:
    """The rank that has a tile: block r begins `ceil(r * tiles / ranks)` tiles after the first."""
    tiles = code.maximum(code.difference(end, first), 1)
    before = code.product(code.difference(tile, first), ranks)
    return code.builder.insert(arith.FloorDivSIOp(before, tiles)).result


def neighbours(
    sets: Collection[isl.Set], divisions: Iterable[Division], who: str
) -> Neighbours | None:
    """Bounds on the blocks `who` for which one of `sets` has an element.

    `None` if blocks are not in a line, or if they are those of several divisions.
    """
    used = {name for each in sets for name in parameters_of(each.get_space())}
    found = [each for each in divisions if used.intersection(each.parameters(who))]
    if len(found) != 1 or len(found[0].ranges) != 1:
        return None
    (division,) = found
    return within_operations(budgets.DISTRIBUTED_SET, lambda: _neighbours(sets, division, who))


def _neighbours(sets: Collection[isl.Set], division: Division, who: str) -> Neighbours:
    known = reduce(isl.Set.union, (each.params() for each in sets)).remove_divs()
    hull = isl.Set.from_basic_set(known.simple_hull())
    ends, begins = (
        _values_of(hull, name, who) for name in (division.end(0, who), division.begin(0, who))
    )
    return Neighbours(division, ends, begins)


def _values_of(conditions: isl.Set, name: str, who: str) -> isl.BasicSet:
    """`{ [v] }`: the values of a parameter, for all values of others about the block `who`."""
    values = isl.Set.from_params(conditions)
    names = [each for each in parameters_of(values.get_space()) if each.startswith(who)]
    for parameter in (name, *(each for each in names if each != name)):
        place = values.find_dim_by_name(isl.dim_type.param, parameter)
        last = values.dim(isl.dim_type.set)
        values = values.move_dims(isl.dim_type.set, last, isl.dim_type.param, place, 1)
    return values.project_out(isl.dim_type.set, 1, len(names) - 1).remove_divs().simple_hull()
