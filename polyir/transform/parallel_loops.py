"""Marking of parallel loops by address."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.diagnostics import LegalityError
from polyir.dialects.dependence import Dependences
from polyir.model.bands import active_at
from polyir.model.legality import Violation, example_of
from polyir.model.order import backward, forward, members_of
from polyir.model.outcome import Outcome
from polyir.model.tree import node_type
from polyir.transform.address import Address
from polyir.transform.nests import band_from
from polyir.transform.parallel import PARALLEL
from polyir.transform.walk import MARK, require_own_instances


def mark_loops(
    schedule: isl.Schedule, dependences: Dependences, addresses: Sequence[Address]
) -> Outcome:
    """Mark the given loops parallel; see `mark_parallel`.

    Raises `OptionError` for addresses of no loop; `LegalityError` if a loop carries a dependence,
    which is named, and for trees with extension or expansion nodes.
    """
    require_own_instances(schedule, "parallelism")
    done: list[str] = []
    for address in addresses:
        band = band_from(schedule, address, f"marking {address} parallel")
        if _is_marked(band):
            done.append(f"{address} is marked already")
            continue
        carried = _carried(band, dependences)
        if carried is not None:
            raise LegalityError(f"{address} is not parallel: it carries {carried}")
        mark = isl.Id.read_from_str(band.get_ctx(), PARALLEL)
        schedule = band.band_member_set_coincident(0, 1).insert_mark(mark).get_schedule()
        done.append(f"{address} is parallel")
    return Outcome(schedule, tuple(done))


def _is_marked(band: isl.ScheduleNode) -> bool:
    above = band.parent()
    return node_type(above) is MARK and above.mark_get_id().get_name() == PARALLEL


def _carried(band: isl.ScheduleNode, dependences: Dependences) -> Violation | None:
    """A dependence that the first member of `band` carries, with an example of it."""
    member = members_of(band)[0]
    for active in active_at(band, dependences):
        for order in (forward, backward):
            relation = order(active, member)
            if not relation.is_empty():
                return Violation(active.dependence, relation, example_of(relation))
    return None
