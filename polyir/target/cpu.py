"""What the targets for CPUs have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.utils.target import Target

if TYPE_CHECKING:
    from polyir.loops.checked_allocations import Threads


@dataclass(frozen=True)
class CpuTarget(Target):
    """A target whose functions may check, at run time, the memory that passes have added."""

    @property
    def threads(self) -> Threads | None:
        """What runs parallel loops, if functions check the memory that passes have added."""
        return None
