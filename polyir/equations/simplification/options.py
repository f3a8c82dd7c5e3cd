"""What a user allows, and what operators allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from polyir.equations.distribution import DISTRIBUTES
from polyir.equations.simplification.reductions import Reduction

IDEMPOTENT: Final = ("min", "max", "and", "or")
"""A value that contributes twice counts once."""


@dataclass(frozen=True)
class Options:
    """What may be done to reductions.

    `is_integer`: numbers are integers, whose sums and products wrap; else they are floating-point
    numbers, whose sums and products are rounded. `reassociate`: floating-point results may be
    rounded otherwise, factors of products are not 0, and sums of integers in a minimum or maximum
    do not wrap.
    `scans_only`: only recurrences without anything to subtract.
    `effort`: how many convex sets are looked at for one reduction.
    """

    is_integer: bool = False
    reassociate: bool = False
    scans_only: bool = False
    effort: int = 1000

    @property
    def is_exact(self) -> bool:
        """Whether sums and products of numbers may be formed in other ways.

        Those of integers that wrap have the laws of a ring.
        """
        return self.is_integer or self.reassociate

    def inverse(self, reduction: Reduction) -> str | None:
        """The operator that takes back a contribution, if there is one that may be used."""
        if reduction.is_external or self.scans_only:
            return None
        match reduction.operator:
            case "+" if self.is_exact:
                return "-"
            case "xor":
                return "xor"
            case "*" if self.reassociate and not self.is_integer:
                return "/"
            case _:
                return None

    def why_no_inverse(self, reduction: Reduction) -> str:
        """Why `inverse` is `None`, for a message."""
        operator = reduction.operator
        if self.scans_only:
            return "scans take nothing back"
        if reduction.is_external:
            return f"'{operator}' is an external function"
        if operator == "+":
            return "subtraction rounds floating-point numbers otherwise: it needs 'reassociate'"
        if operator == "*" and self.is_integer:
            return "integers have no division that takes back a factor: it may be 0"
        if operator == "*":
            return (
                "division rounds floating-point numbers otherwise, and a factor may be 0: it needs "
                "'reassociate'"
            )
        return f"'{operator}' has no inverse"

    def distributes(self, reduction: Reduction) -> tuple[str, ...]:
        """The operators whose constant operands may be taken out of the reduction."""
        operator = reduction.operator
        if reduction.is_external or (operator == "+" and not self.is_exact):
            return ()
        # An addition that rounds keeps the order of numbers, and one that wraps does not.
        refused = "+" if self.is_integer and not self.reassociate else None
        # Operands of the operator itself are reduced each for itself.
        return tuple(
            each for each in DISTRIBUTES.get(operator, ()) if each not in (operator, refused)
        )
