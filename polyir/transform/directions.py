"""How the loops of a statement move through the arrays that it accesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.model.locality import next_iteration
from polyir.model.statements import Statement
from polyir.model.updates import update_of
from polyir.model.vectors import has_vectors


@dataclass(frozen=True)
class Direction:
    """How the next iteration of a loop moves through the arrays of a statement.

    `moves` are the constant distances between the elements that an access touches, one for each
    subscript, by the position of the access; `None` where they are not constant.
    """

    moves: tuple[tuple[int, ...] | None, ...]

    def is_successive(self, access: int) -> bool:
        """Whether the access goes to the next element in memory."""
        move = self.moves[access]
        return move is not None and bool(move) and move[-1] == 1 and not any(move[:-1])

    def is_reversed(self, access: int) -> bool:
        """Whether the access goes to the element before in memory."""
        move = self.moves[access]
        return move is not None and bool(move) and move[-1] == -1 and not any(move[:-1])

    def stays(self, access: int) -> bool:
        """Whether the access goes to the same element."""
        move = self.moves[access]
        return move is not None and not any(move)

    def reuses_nothing(self) -> bool:
        """Whether every access goes to another row of its array, by a constant distance."""
        return all(move is not None and any(move[:-1]) for move in self.moves)


def direction_of(statement: Statement, schedule: isl.Map, member: int) -> Direction | None:
    """The direction of one member of `{ S[i] -> [all members] }`.

    `None` unless the next iteration, with all others as they are, is one fixed vector away, and one
    value of the member further. `None`, too, if elements of an array form no vectors.
    """
    if not has_vectors(statement):
        return None
    step = next_iteration(schedule, member)
    if step.is_empty() or _constants(step.deltas()) is None:
        return None
    values = schedule.project_out(
        isl.dim_type.out, member + 1, schedule.range_tuple_dim() - member - 1
    )
    values = values.project_out(isl.dim_type.out, 0, member)
    if _constants(step.apply_domain(values).apply_range(values).deltas()) != (1,):
        return None
    moves = (
        step.apply_domain(access.relation).apply_range(access.relation).deltas()
        for access in statement.accesses
    )
    return Direction(tuple(map(_constants, moves)))


def without_reuse(directions: Mapping[int, Direction], block: Sequence[int]) -> tuple[int, ...]:
    """The loops that are in no block, and between whose iterations nothing is reused."""
    return tuple(
        place for place, each in directions.items() if place not in block and each.reuses_nothing()
    )


def loop_of_sums(
    row: int,
    directions: Mapping[int, Direction],
    stores: Sequence[int],
    loads: Sequence[int],
) -> int | None:
    """The loop that adds up one element in each iteration of `row`, along successive ones."""
    own = directions[row]
    if not stores or any(own.moves[store] is None or own.stays(store) for store in stores):
        return None
    sums = (
        place
        for place, each in directions.items()
        if place != row
        and all(map(each.stays, stores))
        and all(each.stays(load) or each.is_successive(load) for load in loads)
    )
    return next(sums, None)


def loop_of_updates(statement: Statement, directions: Mapping[int, Direction]) -> int | None:
    """A loop along which a statement updates one element, from elements next to each other."""
    update = update_of(statement)
    if update is None:
        return None
    own = [statement.accesses.index(each) for each in (update.load, update.store)]
    others = [place for place in range(len(statement.accesses)) if place not in own]
    for place in reversed(tuple(directions)):
        each = directions[place]
        dense = [n for n in others if each.is_successive(n) or each.is_reversed(n)]
        is_cheap = bool(dense) and all(n in dense or each.stays(n) for n in others)
        if is_cheap and all(map(each.stays, own)):
            return place
    return None


def _constants(vectors: isl.Set) -> tuple[int, ...] | None:
    """The one vector of a set, whatever the parameters are; `None` if there are several."""
    vectors = vectors.project_out(isl.dim_type.param, 0, vectors.dim(isl.dim_type.param))
    point = vectors.sample_point()
    # For sets of many parts, `is_singleton` compares each with each.
    if point.is_void() or not vectors.is_subset(isl.Set.from_point(point)):
        return None
    return tuple(
        point.get_coordinate_val(isl.dim_type.set, position).to_python()
        for position in range(vectors.dim(isl.dim_type.set))
    )
