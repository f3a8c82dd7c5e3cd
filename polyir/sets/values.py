"""Numbers of Python as those of isl."""

from __future__ import annotations

import islpy as isl

_LEAST, _GREATEST = -(2**63), 2**63 - 1
"""What islpy passes on to isl as it is; it refuses all other integers."""

_DIGITS = 2048
"""How many bits are handed over as text at once: Python prints no integer of any length."""


def isl_value(number: int) -> isl.Val:
    """`number` in isl, which has no limit either.

    All integers that come from a program or from a computation must go through this function:
    islpy raises errors of its own for those beyond 64 bits.
    """
    if _LEAST <= number <= _GREATEST:
        return isl.Val(int(number))
    if number.bit_length() <= _DIGITS:
        return isl.Val(str(number))
    high, low = divmod(number, 1 << _DIGITS)
    return isl_value(high).mul(isl.Val(str(1 << _DIGITS))).add(isl_value(low))
