"""Names for generated loops: those of the source for loops over an iterator of the source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.codegen.band_members import iterator_of, tiled_iterator_of
from polyir.codegen.symbolic_tiles import ExpandedTiles
from polyir.model.scop import Scop
from polyir.model.tree_loops import member_functions
from polyir.sets.lists import sets_of
from polyir.tree import Kind, ScheduleNode
from polyir.tree.added import added_statements

_StatementDepth = tuple[str, int]
"""A statement and a schedule depth."""


@dataclass(frozen=True)
class LoopNames:
    """The names of the loops at each schedule depth, by statement.

    A band member that equals an iterator `i` of the statement has the name `i`, and one that
    equals `floor(i/c)` or `c*floor(i/c)`, a loop over tiles, `ti`. All others have no name. Copy
    statements, which extension nodes add, take the names that other statements give a loop.
    """

    _hints: Mapping[_StatementDepth, str]
    _copies: frozenset[str]

    def name_for(self, statements: Iterable[str], depth: int, taken: Sequence[str]) -> str:
        """A name that is not in `taken`, for a loop at `depth` around `statements`.

        It is the statements' common name for the loop or, without one, `t` and the depth.
        """
        names = tuple(statements)
        own = [name for name in names if name not in self._copies] or names
        hints = tuple(dict.fromkeys(self._hints.get((name, depth)) for name in own))
        wanted = hints[0] if len(hints) == 1 and hints[0] is not None else f"t{depth}"
        name, number = wanted, 1
        while name in taken:
            number += 1
            name = f"{wanted}{number}"
        return name


def loop_names(scop: Scop, expanded: ExpandedTiles) -> LoopNames:
    """Read the names of loops from the bands of the schedule tree in force.

    `expanded` is that tree, with bands over the first points of tiles of symbolic sizes.
    """
    iterators: dict[str, tuple[str | None, ...]] = {}
    for statement in scop.bodies:
        own = tuple(argument.name_hint for argument in statement.op.body.block.args)
        along = expanded.origins.get(statement.name, ())
        tiles = (None if position is None else own[position] for position in along)
        iterators[statement.name] = own + tuple(name and f"t{name}" for name in tiles)
    hints: dict[_StatementDepth, str] = {}
    _collect(expanded.schedule.root, iterators, hints)
    return LoopNames(hints, added_statements(scop.schedule))


_Iterators = Mapping[str, Sequence[str | None]]


def _collect(node: ScheduleNode, iterators: _Iterators, hints: dict[_StatementDepth, str]) -> None:
    if node.kind is Kind.BAND:
        depth = node.schedule_depth
        reaching = tuple(instances.get_tuple_name() for instances in sets_of(node.domain))
        for member in range(len(node.members)):
            for function in member_functions(node, member):
                name = function.get_tuple_id(isl.dim_type.in_).get_name()
                hint = _hint(function, iterators.get(name, ()))
                if name in reaching and hint is not None:
                    hints[name, depth + member] = hint
    for child in node.children():
        _collect(child, iterators, hints)


def _hint(function: isl.PwAff, iterators: Sequence[str | None]) -> str | None:
    """The name of the loop that runs over `function` of a statement's iterators."""
    position = iterator_of(function)
    if position is not None and position < len(iterators):
        return iterators[position]
    position = tiled_iterator_of(function)
    if position is not None and position < len(iterators) and iterators[position] is not None:
        return f"t{iterators[position]}"
    return None
