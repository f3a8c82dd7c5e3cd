"""Intrinsic functions of LLVM that MLIR's llvm dialect has and xDSL's lacks.

They are those that MLIR writes as `llvm.intr.NAME(operands) attr-dict : type`. They are read,
verified and printed; no target translates them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    Float80Type,
    Float128Type,
    SignlessIntegerConstraint,
    VectorType,
)
from xdsl.dialects.llvm import FastMathAttr
from xdsl.irdl import (
    AttrConstraint,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


class Intrinsic(IRDLOperation):
    """An intrinsic function that only computes."""

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "`(` operands `)` attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        types = (*self.operand_types, *self.result_types)
        if any(isinstance(type, VectorType) and type.get_num_dims() != 1 for type in types):
            raise VerifyException("a vector of LLVM has one dimension")


_FLOAT = (
    base(BFloat16Type)
    | base(Float16Type)
    | base(Float32Type)
    | base(Float64Type)
    | base(Float80Type)
    | base(Float128Type)
)
_INTEGER = SignlessIntegerConstraint
_FLOATS = _FLOAT | VectorType.constr(_FLOAT)
_INTEGERS = _INTEGER | VectorType.constr(_INTEGER)
# What MLIR does not relate to the operands.
_ANY_RESULT = _FLOATS | _INTEGERS

# By the number of operands, which have the type of the result.
_OF_FLOATS = {
    1: "log10 nearbyint rint round roundeven trunc",
    2: "maximum minimum",
    3: "fmuladd",
}
_OF_INTEGERS = {
    1: "bitreverse bswap ctpop",
    2: "sadd.sat smax smin sshl.sat ssub.sat uadd.sat umax umin ushl.sat usub.sat",
    3: "fshl fshr",
}
_ROUNDED_TO_INTEGER = "llrint llround lrint lround"
_REDUCTIONS = "fmax fmaximum fmin fminimum"


def _intrinsic(
    name: str,
    operands: Sequence[AttrConstraint],
    result: AttrConstraint,
    has_fast_math: bool = False,
) -> type[Intrinsic]:
    """The operation `llvm.intr.name`, with operands and a result that satisfy constraints."""
    fields: dict[str, object] = {
        "__module__": __name__,
        "__doc__": f"`llvm.intr.{name}`.",
        "name": f"llvm.intr.{name}",
        **{f"operand_{number}": operand_def(each) for number, each in enumerate(operands)},
        "res": result_def(result),
    }
    if has_fast_math:
        fields["fastmathFlags"] = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    class_name = name.title().replace(".", "") + "Op"
    return irdl_op_definition(type(class_name, (Intrinsic,), fields))


def _intrinsics() -> Iterator[type[Intrinsic]]:
    for groups, types, has_fast_math in (
        (_OF_FLOATS, _FLOATS, True),
        (_OF_INTEGERS, _INTEGERS, False),
    ):
        same = VarConstraint("T", types)
        for count, names in groups.items():
            for name in names.split():
                yield _intrinsic(name, [same] * count, same, has_fast_math)
    yield _intrinsic("powi", [_FLOATS, _INTEGER], _ANY_RESULT, has_fast_math=True)
    for name in _ROUNDED_TO_INTEGER.split():
        yield _intrinsic(name, [_FLOAT], _ANY_RESULT)
    element = VarConstraint("ELEMENT", _FLOAT)
    elements = VectorType.constr(element)
    for name in _REDUCTIONS.split():
        yield _intrinsic(
            f"vector.reduce.{name}", [elements], element | elements, has_fast_math=True
        )


INTRINSICS = tuple(_intrinsics())
