"""Targets whose emitters are imported late."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.utils.target import Target


@dataclass(frozen=True)
class DeferredTarget(Target):
    """A target that imports its emitter in `emit`: start-up is part of every run."""

    @abstractmethod
    def load(self) -> None:
        """Import the emitter before that, when there is nothing else to do."""
