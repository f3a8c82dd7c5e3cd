"""How many registers fused statements may want: paper 001, section 4.7."""

from __future__ import annotations

from collections.abc import Sequence

from polyir.schedule.spatial.locality_graph import LocalityGroup


def register_pressure(groups: Sequence[LocalityGroup]) -> int:
    """The heuristic h: each array reference counts as many times as there are loops around it.

    References with the same subscripts, which share a register, count once.
    """
    placed = (each.reference for group in groups for each in group.references)
    return sum({reference.registers: reference.depth for reference in placed}.values())
