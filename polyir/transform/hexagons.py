"""Hexagons that tile the plane of time and one dimension of space.

Grosser, Cohen, Holewinski, Sadayappan, Verdoolaege: Hybrid hexagonal/classical tiling for GPUs
(CGO 2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm

import islpy as isl


@dataclass(frozen=True)
class Hexagons:
    """Hexagons of 2 `height` time steps, `width` points wide in the first and in the last one.

    They are for dependences (dt, ds) with dt >= 1 and `low` dt <= ds <= `high` dt, where
    `low` <= 0 <= `high`. For a height of 3, a width of 2, and slopes of -1 and 1:

        c c b b c c c c c c b b c c c c c c     time
        c b b b b c c c c b b b b c c c c b      ^
        b b b b b b c c b b b b b b c c b b      |
        b b b b b b a a b b b b b b a a b b      |
        a b b b b a a a a b b b b a a a a b      |
        a a b b a a a a a a b b a a a a a a      +---> space

    Of the hexagons of waves a, b and c, those of b are seen as a whole.

    All hexagons of wave w start `height` time steps and `shift` points after those of wave w - 1,
    and neighbours in a wave are `period` points apart. In the paper's terms, wave w is the phase
    w mod 2 of the time tile floor(w / 2), h is `height` - 1, w0 is `width` - 1, delta0 is `high`
    and delta1 is -`low`.

    With the `least_width`, hexagons depend on themselves and on earlier waves only: the sides of
    the upper half of a hexagon have the slopes of the dependences, so that none enters through
    them, and each half is wide enough that none passes from one side of it to the other.
    """

    height: int
    width: int
    low: Fraction
    high: Fraction

    @property
    def least_width(self) -> int:
        """The least width with which no two hexagons of a wave depend on each other."""
        steps = self.height - 1
        return max(1, *(ceil(slope + slope * steps % 1) for slope in (self.high, -self.low)))

    @property
    def shift(self) -> int:
        """How many points the hexagons of a wave are to the right of those of the wave before."""
        return self.width + self._right

    @property
    def period(self) -> int:
        """How many points two neighbours in a wave are apart."""
        return 2 * self.width + self._left + self._right

    def wave(self) -> isl.PwAff:
        """`{ [t, s] -> [w] }`: the wave of the hexagon that a point is in."""
        inside = f"{self._scale}*({self._offset} - {self.period}*{self._column})"
        end = self._scale * (self.shift - 1)
        slope = int(self._scale * self.low)
        bound = f"{end} + {slope}*({self._row} - {self.height - 1})"
        return isl.PwAff(
            f"{{ [t, s] -> [{self._strip} - 1] : {inside} <= {bound}; "
            f"[t, s] -> [{self._strip}] : {inside} > {bound} }}"
        )

    def position(self) -> isl.PwAff:
        """`{ [t, s] -> [x] }`: the number of the hexagon in its wave."""
        return isl.PwAff(f"{{ [t, s] -> [{self._column}] }}")

    # Time is cut into strips of `height` steps. Strip r has the lower halves of wave r and the
    # upper halves of wave r - 1, one of each in a column; columns begin with the upper half.
    # In row a of a strip, the left side of the upper half is at high (a - h) + floor(high h),
    # rounded up, the right side at shift - 1 + low (a - h), rounded down, with h = height - 1.

    @property
    def _left(self) -> int:
        return floor(-self.low * (self.height - 1))

    @property
    def _right(self) -> int:
        return floor(self.high * (self.height - 1))

    @property
    def _scale(self) -> int:
        return lcm(self.low.denominator, self.high.denominator)

    @property
    def _strip(self) -> str:
        return f"floor(t/{self.height})"

    @property
    def _row(self) -> str:
        return f"(t - {self.height}*{self._strip})"

    @property
    def _offset(self) -> str:
        """The distance of a point from the hexagon 0 of the wave that ends in its strip."""
        return f"(s - {self.shift}*({self._strip} - 1))"

    @property
    def _column(self) -> str:
        slope = int(self._scale * self.high)
        side = f"{self._scale * self._right} + {slope}*({self._row} - {self.height - 1})"
        return f"floor(({self._scale}*{self._offset} - ({side}))/{self._scale * self.period})"
