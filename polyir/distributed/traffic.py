"""Numbers of messages, of their bytes and of statement instances."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.distributed.rank_sums import Vector


@dataclass(frozen=True)
class Traffic:
    """Messages, and how many bytes are in them."""

    messages: int = 0
    bytes: int = 0

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(self.messages + other.messages, self.bytes + other.bytes)


@dataclass(frozen=True)
class Work:
    """What a rank does: statement instances that it runs, and messages."""

    instances: int = 0
    sent: Traffic = Traffic()
    received: Traffic = Traffic()

    def __add__(self, other: Work) -> Work:
        return Work(
            self.instances + other.instances,
            self.sent + other.sent,
            self.received + other.received,
        )

    @property
    def vector(self) -> Vector:
        """The numbers one after the other, for sums."""
        sent, received = self.sent, self.received
        return self.instances, sent.messages, sent.bytes, received.messages, received.bytes

    @staticmethod
    def of(vector: Vector) -> Work:
        """The inverse of `vector`."""
        instances, *numbers = vector
        return Work(instances, Traffic(*numbers[:2]), Traffic(*numbers[2:]))


@dataclass(frozen=True)
class Totals:
    """What all ranks do together, and the most that one does, entry by entry.

    `is_exact` tells whether the numbers are exact, or estimated for lack of a polynomial.
    """

    all: Work
    most: Work
    is_exact: bool
