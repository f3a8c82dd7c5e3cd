"""What a run of the harness finds out, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median


class Status(StrEnum):
    """What became of one variant of one kernel."""

    RIGHT = "ok"
    WRONG = "WRONG"
    FAILED = "FAILED"
    TIMEOUT = "TIMEOUT"


@dataclass(frozen=True)
class Result:
    """One variant of one kernel with a number of threads; times only if it is right."""

    kernel: str
    variant: str
    threads: int
    status: Status
    reason: str = ""
    times: tuple[float, ...] = field(default=())
    tool_seconds: float | None = None
    compile_seconds: float | None = None

    @property
    def minimum(self) -> float | None:
        """The shortest time in seconds."""
        return min(self.times) if self.times else None

    @property
    def median(self) -> float | None:
        """The median time in seconds."""
        return median(self.times) if self.times else None

    @property
    def column(self) -> str:
        """The variant and its threads, as a heading."""
        return f"{self.variant}@{self.threads}"
