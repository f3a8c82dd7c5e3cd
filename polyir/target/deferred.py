"""Targets whose emitters are imported late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.utils.target import Target

if TYPE_CHECKING:
    from polyir.loops.checked_allocations import Threads


@dataclass(frozen=True)
class DeferredTarget(Target):
    """A target that imports its emitter in `emit`: start-up is part of every run."""

    @property
    def threads(self) -> Threads | None:
        """What runs parallel loops, if functions check the memory that passes have added."""
        return None
