"""The reductions of `affine.parallel`: their neutral elements and how two values are combined."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

Combination = Callable[[SSAValue, SSAValue], Operation]

_COMBINATIONS: Mapping[str, Combination] = {
    "addf": arith.AddfOp,
    "addi": arith.AddiOp,
    "maximumf": arith.MaximumfOp,
    "maxs": arith.MaxSIOp,
    "maxu": arith.MaxUIOp,
    "minimumf": arith.MinimumfOp,
    "mins": arith.MinSIOp,
    "minu": arith.MinUIOp,
    "mulf": arith.MulfOp,
    "muli": arith.MuliOp,
    "ori": arith.OrIOp,
    "andi": arith.AndIOp,
    "maxnumf": arith.MaxnumfOp,
    "minnumf": arith.MinnumfOp,
}

_FLOAT_NEUTRAL: Mapping[str, float] = {
    "addf": 0.0,
    "mulf": 1.0,
    "maximumf": -math.inf,
    "minimumf": math.inf,
    # These give the other operand where one is no number.
    "maxnumf": math.nan,
    "minnumf": math.nan,
}


def combination_of(kind: str) -> Combination | None:
    """How a reduction combines two values; `None` for "assign", which does not."""
    return _COMBINATIONS.get(kind)


def neutral_element(kind: str, type: Attribute) -> arith.ConstantOp | None:
    """What changes no value that it is combined with; `None` where `kind` does not fit `type`."""
    if isinstance(type, AnyFloat) and kind in _FLOAT_NEUTRAL:
        return arith.ConstantOp(FloatAttr(_FLOAT_NEUTRAL[kind], type))
    if isinstance(type, IntegerType | IndexType) and kind in _COMBINATIONS:
        width = type.width.data if isinstance(type, IntegerType) else 64
        integers = {
            "addi": 0,
            "muli": 1,
            "ori": 0,
            "andi": -1,
            "maxs": -(2 ** (width - 1)),
            "mins": 2 ** (width - 1) - 1,
            "maxu": 0,
            "minu": -1,
        }
        if kind in integers:
            return arith.ConstantOp(IntegerAttr(integers[kind], type))
    return None
