"""The associative and commutative operations that reductions combine values with.

They are those of updates `X[f] = X[f] op e`, and of the reductions of `affine.parallel`, which
MLIR calls by a `kind`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from polyir.dialects.shaped_operations import comparison, operation_on

Combination = Callable[[SSAValue, SSAValue], Operation]

_NO_PROPERTIES: Final[Mapping[str, Attribute]] = MappingProxyType({})


@dataclass(frozen=True)
class ChoiceOrder:
    """How the least or greatest of two numbers is chosen.

    If they are equal, or one of them is NaN, the result is the old number if the choice
    `keeps_old` ones, else the other one.
    """

    is_least: bool
    keeps_old: bool


@dataclass(frozen=True)
class Combiner:
    """An associative and commutative operation, and its neutral element e: `e op x = x`.

    `name` is for messages, `kind` is MLIR's name if it has one. The neutral element of signed
    minima and maxima depends on the type: `greatest` and `least` are the extreme values. A
    statement may also take values away by the operation `inverse`: `x - a - b` is
    `x + (e - a - b)`. `choice` is for an `arith.select` of floating-point numbers.
    """

    name: str
    kind: str | None
    operation: type[Operation]
    neutral: float | Literal["least", "greatest"]
    inverse: type[Operation] | None = None
    choice: ChoiceOrder | None = None

    def neutral_element(self, type: Attribute) -> arith.ConstantOp:
        """The constant of a type of numbers that changes no value that it is combined with."""
        if isinstance(type, AnyFloat):
            assert not isinstance(self.neutral, str)
            return arith.ConstantOp(FloatAttr(self.neutral, type))
        assert isinstance(type, IntegerType | IndexType)
        half = 1 << ((type.width.data if isinstance(type, IntegerType) else 64) - 1)
        extremes = {"least": -half, "greatest": half - 1}
        neutral = self.neutral
        number = extremes[neutral] if isinstance(neutral, str) else int(neutral)
        return arith.ConstantOp(IntegerAttr(number, type))

    def combine(
        self,
        old: SSAValue,
        value: SSAValue,
        properties: Mapping[str, Attribute] = _NO_PROPERTIES,
    ) -> tuple[Operation, ...]:
        """Operations that combine two numbers or vectors; the last one has the result.

        `properties` are those of the operation. A choice has none.
        """
        if self.choice is None:
            kind = operation_on(self.operation, old.type)
            new = kind.create(
                operands=[old, value], result_types=[old.type], properties=dict(properties)
            )
            return (new,)
        first, second = (value, old) if self.choice.keeps_old else (old, value)
        test = comparison("olt" if self.choice.is_least else "ogt", first, second)
        operands = [test.results[0], first, second]
        kind = operation_on(self.operation, operands[0].type)
        return test, kind.create(operands=operands, result_types=[old.type])


COMBINERS: Final = (
    # 0.0 would make 0.0 of -0.0.
    Combiner("sum", "addf", arith.AddfOp, -0.0, arith.SubfOp),
    Combiner("product", "mulf", arith.MulfOp, 1.0),
    Combiner("maximum", "maximumf", arith.MaximumfOp, -math.inf),
    Combiner("minimum", "minimumf", arith.MinimumfOp, math.inf),
    # These prefer numbers to NaN, so that all values may be NaN.
    Combiner("maximum", "maxnumf", arith.MaxnumfOp, math.nan),
    Combiner("minimum", "minnumf", arith.MinnumfOp, math.nan),
    *(
        Combiner(name, None, arith.SelectOp, neutral, choice=ChoiceOrder(neutral > 0, keeps_old))
        for name, neutral in (("maximum", -math.inf), ("minimum", math.inf))
        for keeps_old in (True, False)
    ),
    Combiner("sum", "addi", arith.AddiOp, 0, arith.SubiOp),
    Combiner("product", "muli", arith.MuliOp, 1),
    Combiner("maximum", "maxs", arith.MaxSIOp, "least"),
    Combiner("minimum", "mins", arith.MinSIOp, "greatest"),
    Combiner("maximum", "maxu", arith.MaxUIOp, 0),
    Combiner("minimum", "minu", arith.MinUIOp, -1),
    Combiner("conjunction", "andi", arith.AndIOp, -1),
    Combiner("disjunction", "ori", arith.OrIOp, 0),
    Combiner("exclusive or", None, arith.XOrIOp, 0),
)

_OF_KIND: Final = {each.kind: each for each in COMBINERS if each.kind is not None}


def combination_of(kind: str) -> Combination | None:
    """How a reduction combines two values; `None` for "assign", which does not."""
    return cast(Combination, _OF_KIND[kind].operation) if kind in _OF_KIND else None


def neutral_element(kind: str, type: Attribute) -> arith.ConstantOp | None:
    """What a reduction of `affine.parallel` begins with; `None` where `kind` does not fit `type`.

    A sum begins with 0.0, as MLIR lowers it.
    """
    is_float = isinstance(type, AnyFloat)
    is_number = is_float or isinstance(type, IntegerType | IndexType)
    if kind not in _OF_KIND or not is_number or is_float != kind.endswith("f"):
        return None
    combiner = _OF_KIND[kind]
    return (replace(combiner, neutral=0.0) if kind == "addf" else combiner).neutral_element(type)
