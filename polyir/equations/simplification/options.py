"""What a user allows, and what operators allow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from polyir.equations.simplification.reductions import Reduction

IDEMPOTENT: Final = ("min", "max", "and", "or")
"""A value that contributes twice counts once."""

_DISTRIBUTES: Final = {
    "+": ("*",),
    "min": ("+", "max"),
    "max": ("+", "min"),
    "and": ("or",),
    "or": ("and",),
    "xor": ("and",),
}


@dataclass(frozen=True)
class Options:
    """What may be done to reductions.

    `is_integer`: the values are integers of any size, or booleans; else they are floating-point
    numbers, whose sums and products are rounded. `reassociate`: results may be rounded otherwise.
    `scans_only`: only recurrences without anything to subtract.
    `effort`: how many convex sets are looked at for the reductions of one equation.
    """

    is_integer: bool = False
    reassociate: bool = False
    scans_only: bool = False
    effort: int = 1000

    @property
    def is_exact(self) -> bool:
        """Whether sums and products of numbers may be formed in other ways."""
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
            return "division rounds floating-point numbers otherwise: it needs 'reassociate'"
        return f"'{operator}' has no inverse"

    def distributes(self, reduction: Reduction) -> tuple[str, ...]:
        """The operators whose constant operands may be taken out of the reduction."""
        if reduction.is_external or (reduction.operator == "+" and not self.is_exact):
            return ()
        return _DISTRIBUTES.get(reduction.operator, ())
