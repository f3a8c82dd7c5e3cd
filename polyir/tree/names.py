"""The names of the statements that a schedule tree runs, for messages and for options."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import islpy as isl

from polyir.base.diagnostics import OptionError, nearest
from polyir.sets.lists import sets_of
from polyir.tree import Schedule, ScheduleNode


def statements_of(node: ScheduleNode) -> tuple[str, ...]:
    """The names of the statements that reach `node`, sorted, S9 before S10."""
    return names_in(node.domain)


def names_in(instances: isl.UnionSet) -> tuple[str, ...]:
    """The names of the statements that `instances` are of, sorted, S9 before S10."""
    names = [part.get_tuple_name() for part in sets_of(instances)]
    return tuple(sorted(names, key=lambda name: (len(name), name)))


def name_list(names: Sequence[str], shown: int = 6) -> str:
    """Names for a message, not too many."""
    if len(names) <= shown:
        return ", ".join(names)
    return f"{', '.join(names[: shown - 1])} and {len(names) - shown + 1} more"


def check_statements(names: Iterable[str], schedule: Schedule) -> None:
    """Raise `OptionError` if one of `names` is none of the statements that `schedule` runs."""
    valid = names_in(schedule.domain)
    for name in names:
        if name not in valid:
            hint = nearest(name, valid) or f" (statements: {', '.join(valid)})"
            raise OptionError(f"there is no statement '{name}'{hint}")


def describe_band(band: ScheduleNode) -> str:
    """A band in words: `"the band of 2 over S0, S1"`."""
    return f"the band of {len(band.members)} over {name_list(statements_of(band))}"
