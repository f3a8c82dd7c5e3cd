"""Operations of arith on vectors and tensors, where xDSL's classes take scalars only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    TensorType,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

_CHOICE = VarConstraint("CHOICE", AnyAttr())
_COMPARED = VarConstraint("COMPARED", base(VectorType) | base(TensorType))
_SHAPED = base(VectorType) | base(TensorType)


@irdl_op_definition
class ShapedSelectOp(IRDLOperation):
    """`arith.select` with a condition for each element: xDSL's has one condition only."""

    name = "arith.select"

    condition = operand_def(_SHAPED)
    true_value = operand_def(_CHOICE)
    false_value = operand_def(_CHOICE)
    result = result_def(_CHOICE)

    traits = traits_def(Pure())

    assembly_format = (
        "$condition `,` $true_value `,` $false_value attr-dict "
        "`:` type($condition) `,` type($result)"
    )


class ShapedConversion(IRDLOperation):
    """A conversion of each element."""

    input = operand_def(_SHAPED)
    result = result_def(_SHAPED)

    traits = traits_def(Pure())

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def verify_(self) -> None:
        source, result = self.input.type, self.result.type
        if isinstance(source, VectorType) and isinstance(result, VectorType):
            has_shape = source.shape == result.shape
        else:
            has_shape = isinstance(source, TensorType) == isinstance(result, TensorType)
        if not has_shape:
            raise VerifyException("the types must have the same shape")


@irdl_op_definition
class ShapedIndexCastOp(ShapedConversion):
    """`arith.index_cast` of vectors and tensors."""

    name = "arith.index_cast"


@irdl_op_definition
class ShapedExtSIOp(ShapedConversion):
    """`arith.extsi` of vectors and tensors."""

    name = "arith.extsi"


@irdl_op_definition
class ShapedExtUIOp(ShapedConversion):
    """`arith.extui` of vectors and tensors."""

    name = "arith.extui"


@irdl_op_definition
class ShapedTruncIOp(ShapedConversion):
    """`arith.trunci` of vectors and tensors."""

    name = "arith.trunci"


@irdl_op_definition
class ShapedSIToFPOp(ShapedConversion):
    """`arith.sitofp` of vectors and tensors."""

    name = "arith.sitofp"


@irdl_op_definition
class ShapedUIToFPOp(ShapedConversion):
    """`arith.uitofp` of vectors and tensors."""

    name = "arith.uitofp"


@irdl_op_definition
class ShapedFPToSIOp(ShapedConversion):
    """`arith.fptosi` of vectors and tensors."""

    name = "arith.fptosi"


@irdl_op_definition
class ShapedFPToUIOp(ShapedConversion):
    """`arith.fptoui` of vectors and tensors."""

    name = "arith.fptoui"


class ShapedComparison(IRDLOperation):
    """A comparison of vectors or tensors: the result of xDSL's operations is one `i1`."""

    PREDICATES: ClassVar[Sequence[str]]

    lhs = operand_def(_COMPARED)
    rhs = operand_def(_COMPARED)
    predicate = prop_def(IntegerAttr)
    result = result_def(_SHAPED)

    traits = traits_def(Pure())

    def verify_(self) -> None:
        if self.result.type != condition_type(self.lhs.type):
            raise VerifyException(f"the result must be of type {condition_type(self.lhs.type)}")

    def print(self, printer: Printer) -> None:
        name = self.PREDICATES[self.predicate.value.data]
        printer.print_string(f" {name}, ")
        printer.print_list(self.operands, printer.print_operand)
        flags = self.properties.get("fastmath")
        if isinstance(flags, FastMathFlagsAttr) and flags != FastMathFlagsAttr("none"):
            printer.print_string(" fastmath")
            flags.print_parameter(printer)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class ShapedCmpfOp(ShapedComparison):
    """`arith.cmpf` of vectors and tensors."""

    name = "arith.cmpf"
    PREDICATES: ClassVar = tuple(arith.CMPF_COMPARISON_OPERATIONS)

    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))


@irdl_op_definition
class ShapedCmpiOp(ShapedComparison):
    """`arith.cmpi` of vectors and tensors."""

    name = "arith.cmpi"
    PREDICATES: ClassVar = tuple(arith.CMPI_COMPARISON_OPERATIONS)


_ON_SHAPES: Mapping[type[Operation], type[Operation]] = MappingProxyType(
    {
        arith.SelectOp: ShapedSelectOp,
        arith.IndexCastOp: ShapedIndexCastOp,
        arith.ExtSIOp: ShapedExtSIOp,
        arith.ExtUIOp: ShapedExtUIOp,
        arith.TruncIOp: ShapedTruncIOp,
        arith.SIToFPOp: ShapedSIToFPOp,
        arith.UIToFPOp: ShapedUIToFPOp,
        arith.FPToSIOp: ShapedFPToSIOp,
        arith.FPToUIOp: ShapedFPToUIOp,
        arith.CmpfOp: ShapedCmpfOp,
        arith.CmpiOp: ShapedCmpiOp,
    }
)


def operation_on(operation: type[Operation], first: Attribute) -> type[Operation]:
    """The class of an operation whose first operand has the type `first`.

    It is another one where xDSL's class takes scalars only.
    """
    shaped = isinstance(first, VectorType | TensorType)
    return _ON_SHAPES.get(operation, operation) if shaped else operation


Comparison = arith.CmpfOp | arith.CmpiOp | ShapedCmpfOp | ShapedCmpiOp


def comparison(predicate: str, left: SSAValue, right: SSAValue) -> Comparison:
    """A comparison of numbers, or of vectors lane by lane; `predicate` is MLIR's name of it.

    The type of the operands says whether it is that of floating-point numbers or of integers.
    """
    type = left.type
    element = type.element_type if isinstance(type, VectorType) else type
    is_float = not isinstance(element, IntegerType | IndexType)
    names = arith.CMPF_COMPARISON_OPERATIONS if is_float else arith.CMPI_COMPARISON_OPERATIONS
    made = operation_on(arith.CmpfOp if is_float else arith.CmpiOp, type).create(
        operands=[left, right],
        result_types=[condition_type(type)],
        properties={"predicate": IntegerAttr(tuple(names).index(predicate), i64)},
    )
    assert isinstance(made, Comparison)
    return made


def conversion(operation: type[Operation], value: SSAValue, type: Attribute) -> Operation:
    """A conversion of a number or of each lane; `operation` is xDSL's class for numbers."""
    return operation_on(operation, value.type).create(operands=[value], result_types=[type])


def operation_on_numbers(operation: type[Operation]) -> type[Operation]:
    """The class for numbers of an operation that may be one for vectors."""
    return next((each for each, shaped in _ON_SHAPES.items() if shaped is operation), operation)


def condition_type(type: Attribute) -> Attribute:
    """The type of a comparison of values of a type."""
    if isinstance(type, VectorType):
        return VectorType(i1, type.shape, type.scalable_dims)
    if isinstance(type, TensorType):
        return TensorType(i1, type.shape, type.encoding)
    return i1
