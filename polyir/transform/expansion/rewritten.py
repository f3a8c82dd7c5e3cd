"""What a rewriting of memory hands back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rewritten:
    """What was done to the memory of a scop (remarks), and what was left and why (warnings)."""

    done: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
