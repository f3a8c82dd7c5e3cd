"""The functions of the C library without side effects."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from xdsl.dialects import math
from xdsl.ir import Operation

from polyir.frontend.c.types import DOUBLE, FLOAT, UINT, ULLONG, ULONG

OPERATIONS: Final = MappingProxyType[str, type[Operation]](
    {
        "acos": math.AcosOp,
        "acosh": math.AcoshOp,
        "asin": math.AsinOp,
        "asinh": math.AsinhOp,
        "atan": math.AtanOp,
        "atan2": math.Atan2Op,
        "atanh": math.AtanhOp,
        "cbrt": math.CbrtOp,
        "ceil": math.CeilOp,
        "copysign": math.CopySignOp,
        "cos": math.CosOp,
        "cosh": math.CoshOp,
        "erf": math.ErfOp,
        "exp": math.ExpOp,
        "exp2": math.Exp2Op,
        "expm1": math.ExpM1Op,
        "fabs": math.AbsFOp,
        "floor": math.FloorOp,
        "fma": math.FmaOp,
        "log": math.LogOp,
        "log10": math.Log10Op,
        "log1p": math.Log1pOp,
        "log2": math.Log2Op,
        "pow": math.PowFOp,
        "round": math.RoundOp,
        "sin": math.SinOp,
        "sinh": math.SinhOp,
        "sqrt": math.SqrtOp,
        "tan": math.TanOp,
        "tanh": math.TanhOp,
        "trunc": math.TruncOp,
    }
)
"""The operation of each function of `math.h` that has one; the one for `float` ends in `f`."""

_OTHERS: Final = (
    "erfc fdim fmax fmin fmod hypot ilogb ldexp lgamma llrint llround logb lrint lround nearbyint "
    "nextafter remainder rint scalbln scalbn tgamma"
)

CALLED: Final = (
    "abs",
    "labs",
    "llabs",
    *_OTHERS.split(),
    *(f"{name}f" for name in _OTHERS.split()),
)
"""Functions without an operation in MLIR; except for `errno`, they access no memory."""

BIT_COUNTS: Final = MappingProxyType(
    {
        f"__builtin_{name}{suffix}": type
        for name in ("clz", "ctz", "ffs", "parity", "popcount")
        for suffix, type in (("", UINT), ("l", ULONG), ("ll", ULLONG))
    }
)
"""Functions that compilers have for bits, which return an `int`, and the type of the argument."""

INFINITIES: Final = MappingProxyType(
    {
        "__builtin_inf": DOUBLE,
        "__builtin_huge_val": DOUBLE,
        "__builtin_inff": FLOAT,
        "__builtin_huge_valf": FLOAT,
    }
)
"""What `math.h` defines `INFINITY` and `HUGE_VAL` as, and the type of each."""


BARRIER: Final = "polyir_has_effects"
"""A function that does nothing; polyir's output calls it where gcc has to see a call."""


def operation_of(name: str) -> type[Operation] | None:
    """The operation of a function of `math.h`, for `double` or for `float`."""
    found = OPERATIONS.get(name)
    if found is None and name.endswith("f"):
        found = OPERATIONS.get(name[:-1])
    return found


def is_library_function(name: str) -> bool:
    """Whether a function that the file does not define is one of these."""
    known = (CALLED, BIT_COUNTS, INFINITIES)
    return any(name in each for each in known) or operation_of(name) is not None
