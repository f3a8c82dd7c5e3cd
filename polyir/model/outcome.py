"""What transformations hand back."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polyir.dialects.dependence import Dependences


@dataclass(frozen=True)
class Outcome:
    """A schedule, and what was and was not done to reach it, in words for the user.

    `done` becomes remarks. `missed` (what was asked for and left out, with the reason) becomes
    warnings. Both in the order of the decisions. `dependences` are the scop's from now on, where
    other false dependences hold in the new order than in the old one.

    `proved` says that all that was changed in the tree is proved: its order, flags and attributes
    of loops. What was not is checked before loops are made of it.
    """

    schedule: isl.Schedule
    done: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    dependences: Dependences | None = None
    proved: bool = False


@dataclass(frozen=True)
class Rewritten:
    """What was done to the memory of a scop (remarks), and what was left and why (warnings)."""

    done: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
