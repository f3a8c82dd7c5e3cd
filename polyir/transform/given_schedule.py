"""A schedule that the user writes down, as an isl union map or as an isl schedule tree."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import islpy as isl
from xdsl.utils.exceptions import VerifyException

from polyir.base.diagnostics import OptionError, nearest
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.sets.examples import instance_in
from polyir.sets.lists import maps_of, parameters_of, sets_of
from polyir.sets.maps import universe
from polyir.transform.loop_attributes import settled
from polyir.tree import BandMember, Schedule, ScheduleNode
from polyir.tree.isl_border import from_text
from polyir.tree.names import name_list, names_in
from polyir.tree.operations import operations_of

_TREE = re.compile(r"\s*\{?\s*[\"']?domain[\"']?\s*:")


class GivenScheduleError(OptionError):
    """A given schedule that is not one of the program."""

    name = "bad-schedule"


@dataclass(frozen=True)
class GivenSchedule:
    """A schedule from text: `{ S0[i, j] -> [j, i] }`, or isl's YAML of a schedule tree.

    The dates of a union map are compared from the first entry on; those of different statements
    may have different lengths, and zeros stand for what a shorter one does not have.
    """

    text: str
    meaning: isl.UnionMap | Schedule

    @property
    def statements(self) -> tuple[str, ...]:
        """The names of the statements that it orders."""
        if isinstance(self.meaning, Schedule):
            return names_in(self.meaning.domain)
        return names_in(self.meaning.domain())


def parse_schedule(text: str) -> GivenSchedule:
    """The schedule that `text` says; raises `OptionError` if it is malformed."""
    try:
        if _TREE.match(text):
            return GivenSchedule(text, from_text(text))
        return GivenSchedule(text, isl.UnionMap(text))
    except isl.Error:
        shown = text.strip().splitlines()[0] if text.strip() else ""
        raise GivenScheduleError(
            f"'{shown}' is not a schedule: write a union map such as {{ S0[i, j] -> [j, i] }}, or "
            "isl's text of a schedule tree"
        ) from None


def apply_schedule(schedule: Schedule, dependences: Dependences, given: GivenSchedule) -> Outcome:
    """Replace the schedule tree by the given schedule, once that is known to be legal.

    All flags of the result are exact. Raises what `tree_of` raises, and `LegalityError` if a
    dependence is violated.
    """
    tree = tree_of(given, schedule.domain)
    done = f"applied the given schedule to {name_list(given.statements)}"
    return settled(schedule, tree, dependences, "the given schedule", [done])


def tree_of(given: GivenSchedule, domain: isl.UnionSet) -> Schedule:
    """The schedule tree of the given schedule on the instances `domain`.

    Raises `OptionError` if it speaks of other statements or parameters, has no date or more than
    one for an instance, or is not a well-formed tree.
    """
    _require_names(given, domain)
    if isinstance(given.meaning, Schedule):
        tree = _well_formed(given.meaning)
        _require_all(domain, tree.domain)
        return tree.within(domain)
    _require_all(domain, given.meaning.domain())
    return tree_of_map(given.meaning.intersect_domain(domain), domain)


def _require_names(given: GivenSchedule, domain: isl.UnionSet) -> None:
    known = names_in(domain)
    for name in given.statements:
        if name not in known:
            hint = nearest(name, known) or f" (statements: {', '.join(known)})"
            raise GivenScheduleError(
                f"the given schedule orders '{name}', which is not a statement{hint}"
            )
    space = (
        given.meaning.domain.get_space()
        if isinstance(given.meaning, Schedule)
        else given.meaning.get_space()
    )
    parameters = parameters_of(domain.get_space())
    for name in parameters_of(space):
        if name not in parameters:
            hint = nearest(name, parameters) or f" (parameters: {', '.join(parameters)})"
            raise GivenScheduleError(f"the given schedule has the unknown parameter '{name}'{hint}")


def _require_all(domain: isl.UnionSet, ordered: isl.UnionSet) -> None:
    """Raise `OptionError` with an example unless all of `domain` is ordered."""
    for part in sets_of(domain.subtract(ordered)):
        if not part.is_empty():
            raise GivenScheduleError(f"the given schedule leaves out {instance_in(part)}")


def _well_formed(tree: Schedule) -> Schedule:
    try:
        operations_of(tree).verify()
    except (VerifyException, ValueError) as error:
        raise GivenScheduleError(
            f"the given schedule is not a well-formed tree: {str(error).splitlines()[-1]}"
        ) from None
    return tree


_Rows = Mapping[str, Sequence[isl.PwAff]]
"""For each statement the entries of its dates, equally many for all."""


def tree_of_map(relation: isl.UnionMap, domain: isl.UnionSet) -> Schedule:
    """The tree that runs the instances in the order of their dates.

    Where all statements have constants, the tree has a sequence; elsewhere it has bands.
    """
    wholes = {part.get_tuple_name(): part for part in sets_of(domain)}
    rows = {
        part.get_tuple_name(isl.dim_type.in_): _rows(part, wholes) for part in maps_of(relation)
    }
    width = max((len(row) for row in rows.values()), default=0)
    padded = {
        name: (*row, *(_zero(wholes[name]) for _ in range(width - len(row))))
        for name, row in rows.items()
    }
    leaf = Schedule.from_domain(domain).root.child(0)
    return _grown(leaf, padded, wholes, 0).schedule


def _rows(dates: isl.Map, wholes: Mapping[str, isl.Set]) -> tuple[isl.PwAff, ...]:
    name = dates.get_tuple_name(isl.dim_type.in_)
    if not dates.is_single_valued():
        raise GivenScheduleError(
            f"the given schedule has several dates for an instance of {name}: check that each "
            "name in it is an iterator or a parameter"
        )
    functions = isl.PwMultiAff.from_map(dates)
    return tuple(
        functions.get_at(position).gist(wholes[name])
        for position in range(dates.dim(isl.dim_type.out))
    )


def _zero(instances: isl.Set) -> isl.PwAff:
    return isl.PwAff.zero_on_domain(instances.get_space())


def _grown(
    leaf: ScheduleNode, rows: _Rows, wholes: Mapping[str, isl.Set], first: int
) -> ScheduleNode:
    """`leaf` with the tree for the entries from number `first` on in its place."""
    width = len(next(iter(rows.values()), ()))
    if first == width:
        return leaf
    constants = _constants(rows, first)
    if constants is not None:
        groups = [
            {name: row for name, row in rows.items() if constants[name] == constant}
            for constant in sorted(dict.fromkeys(constants.values()))
        ]
        if len(groups) == 1:
            return _grown(leaf, rows, wholes, first + 1)
        node = leaf.insert_sequence(_filters(groups, wholes))
        for position, group in enumerate(groups):
            inner = node.child(position).child(0)
            node = _grown(inner, group, wholes, first + 1).parent().parent()
        return node
    end = first + 1
    while end < width and _constants(rows, end) is None:
        end += 1
    members = [BandMember(_member(rows, position)) for position in range(first, end)]
    band = leaf.insert_band(members)
    return _grown(band.child(0), rows, wholes, end).parent()


def _member(rows: _Rows, position: int) -> isl.UnionPwAff:
    functions = [isl.UnionPwAff.from_pw_aff(row[position]) for row in rows.values()]
    return reduce(isl.UnionPwAff.union_add, functions)


def _constants(rows: _Rows, position: int) -> dict[str, int] | None:
    """The entry of each statement if all are constants."""
    values: dict[str, int] = {}
    for name, row in rows.items():
        pieces = row[position].get_pieces()
        if len(pieces) != 1 or not pieces[0][1].is_cst():
            return None
        constant = pieces[0][1].get_constant_val()
        if not constant.is_int():
            return None
        values[name] = int(constant.to_python())
    return values


def _filters(groups: Sequence[_Rows], wholes: Mapping[str, isl.Set]) -> list[isl.UnionSet]:
    return [
        reduce(isl.UnionSet.union, (universe(wholes[name].get_space()) for name in group))
        for group in groups
    ]


def read_schedule(text: str | None, file: str | None) -> GivenSchedule:
    """The schedule of the options `schedule` and `file`, just one of which is set.

    Raises `OptionError` if that is not so, if the file cannot be read, or for malformed text.
    """
    if (text is None) == (file is None):
        raise GivenScheduleError(
            "give exactly one schedule: schedule='{ S0[i, j] -> [j, i] }' or file=schedule.isl"
        )
    if text is not None:
        return parse_schedule(text)
    assert file is not None
    try:
        return parse_schedule(Path(file).read_text())
    except OSError as error:
        raise GivenScheduleError(f"cannot read the schedule '{file}': {error.strerror}") from None
    except UnicodeDecodeError:
        raise GivenScheduleError(f"the schedule '{file}' is not UTF-8 text") from None
