"""Operations of MLIR's vector dialect that xDSL lacks.

They are read, verified as far as their syntax needs it, and printed. The targets translate those
on vectors of one dimension that name lanes: `extractelement`, `insertelement`, `step` and
`constant_mask`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    VectorType,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_result_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoMemoryEffect, Pure, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

_ELEMENT = VarConstraint("ELEMENT", AnyAttr())
_SAME = VarConstraint("SAME", AnyAttr())
_ACCUMULATOR = VarConstraint("ACCUMULATOR", AnyAttr())
_VECTOR_OF_ELEMENT = VarConstraint("VECTOR", VectorType.constr(_ELEMENT))


class _VectorOp(IRDLOperation):
    """An operation that only computes; its properties are in its dictionary of attributes."""

    irdl_options = (ParsePropInAttrDict(),)


# -------------------------------------------------------------------- elements and shapes


@irdl_op_definition
class ShapeCastOp(_VectorOp):
    """`vector.shape_cast`: the same elements in another shape."""

    name = "vector.shape_cast"
    source = operand_def(VectorType)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def verify_(self) -> None:
        source, result = self.source.type, self.result.type
        assert isinstance(source, VectorType)
        assert isinstance(result, VectorType)
        if source.element_type != result.element_type or (
            source.element_count() != result.element_count()
        ):
            raise VerifyException("the types differ in more than the shape")


@irdl_op_definition
class TransposeOp(_VectorOp):
    """`vector.transpose`: the dimensions in another order."""

    name = "vector.transpose"
    vector = operand_def(VectorType)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    def verify_(self) -> None:
        source, result = self.vector.type, self.result.type
        assert isinstance(source, VectorType)
        assert isinstance(result, VectorType)
        order, shape = self.permutation.get_values(), source.get_shape()
        if sorted(order) != list(range(len(shape))):
            raise VerifyException("the permutation must name each dimension once")
        if tuple(shape[dimension] for dimension in order) != tuple(result.get_shape()):
            raise VerifyException("the shape of the result is not the permuted one")


@irdl_op_definition
class ExtractElementOp(_VectorOp):
    """`vector.extractelement`: one element of a vector of at most one dimension."""

    name = "vector.extractelement"
    vector = operand_def(VectorType.constr(_ELEMENT))
    position = opt_operand_def()
    result = result_def(_ELEMENT)
    traits = traits_def(Pure())
    assembly_format = (
        "$vector `[` ($position^ `:` type($position))? `]` attr-dict `:` type($vector)"
    )


@irdl_op_definition
class InsertElementOp(_VectorOp):
    """`vector.insertelement`: a vector with one element replaced."""

    name = "vector.insertelement"
    source = operand_def(_ELEMENT)
    dest = operand_def(_VECTOR_OF_ELEMENT)
    position = opt_operand_def()
    result = result_def(_VECTOR_OF_ELEMENT)
    traits = traits_def(Pure())
    assembly_format = (
        "$source `,` $dest `[` ($position^ `:` type($position))? `]` attr-dict `:` type($dest)"
    )


@irdl_op_definition
class ExtractStridedSliceOp(_VectorOp):
    """`vector.extract_strided_slice`: a part of a vector."""

    name = "vector.extract_strided_slice"
    vector = operand_def(VectorType)
    offsets = prop_def(ArrayAttr[IntegerAttr])
    sizes = prop_def(ArrayAttr[IntegerAttr])
    strides = prop_def(ArrayAttr[IntegerAttr])
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$vector attr-dict `:` type($vector) `to` type($result)"


@irdl_op_definition
class InsertStridedSliceOp(_VectorOp):
    """`vector.insert_strided_slice`: a vector with a part replaced."""

    name = "vector.insert_strided_slice"
    source = operand_def(VectorType)
    dest = operand_def(_SAME)
    offsets = prop_def(ArrayAttr[IntegerAttr])
    strides = prop_def(ArrayAttr[IntegerAttr])
    result = result_def(_SAME)
    traits = traits_def(Pure())
    assembly_format = "$source `,` $dest attr-dict `:` type($source) `into` type($dest)"


@irdl_op_definition
class InterleaveOp(_VectorOp):
    """`vector.interleave`: the elements of two vectors in turn."""

    name = "vector.interleave"
    lhs = operand_def(_SAME)
    rhs = operand_def(_SAME)
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"


@irdl_op_definition
class FlatTransposeOp(_VectorOp):
    """`vector.flat_transpose`: the transpose of a matrix that is kept in a flat vector."""

    name = "vector.flat_transpose"
    matrix = operand_def(VectorType)
    rows = prop_def(IntegerAttr)
    columns = prop_def(IntegerAttr)
    res = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$matrix attr-dict `:` type($matrix) `->` type($res)"


@irdl_op_definition
class ConstantMaskOp(_VectorOp):
    """`vector.constant_mask`: true in a box at the origin."""

    name = "vector.constant_mask"
    mask_dim_sizes = prop_def(ArrayAttr[IntegerAttr])
    result = result_def(VectorType)
    traits = traits_def(Pure())
    assembly_format = "$mask_dim_sizes attr-dict `:` type($result)"


@irdl_op_definition
class StepOp(_VectorOp):
    """`vector.step`: 0, 1, 2, ..."""

    name = "vector.step"
    result = result_def(VectorType.constr(IndexType()))
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($result)"


@irdl_op_definition
class VectorScaleOp(_VectorOp):
    """`vector.vscale`: how many times the machine has the least size of a scalable vector."""

    name = "vector.vscale"
    res = result_def(IndexType())
    traits = traits_def(Pure())
    assembly_format = "attr-dict"


@irdl_op_definition
class TypeCastOp(_VectorOp):
    """`vector.type_cast`: a memref of scalars as one of a vector."""

    name = "vector.type_cast"
    memref = operand_def(MemRefType)
    result = result_def(MemRefType)
    traits = traits_def(NoMemoryEffect())
    assembly_format = "$memref attr-dict `:` type($memref) `to` type($result)"


# -------------------------------------------------------------------- reductions, products


@irdl_op_definition
class MultiReductionOp(_VectorOp):
    """`vector.multi_reduction`: the reduction of some dimensions."""

    name = "vector.multi_reduction"
    source = operand_def(VectorType)
    acc = operand_def(_ACCUMULATOR)
    kind = prop_def(CombiningKindAttr)
    reduction_dims = prop_def(ArrayAttr[IntegerAttr])
    dest = result_def(_ACCUMULATOR)
    traits = traits_def(Pure())
    assembly_format = (
        "$kind `,` $source `,` $acc attr-dict $reduction_dims `:` type($source) `to` type($dest)"
    )


@irdl_op_definition
class ScanOp(_VectorOp):
    """`vector.scan`: the partial reductions along a dimension."""

    name = "vector.scan"
    source = operand_def(_SAME)
    initial_value = operand_def(_ACCUMULATOR)
    kind = prop_def(CombiningKindAttr)
    reduction_dim = prop_def(IntegerAttr)
    inclusive = prop_def(IntegerAttr)
    dest = result_def(_SAME)
    accumulated_value = result_def(_ACCUMULATOR)
    traits = traits_def(Pure())
    assembly_format = (
        "$kind `,` $source `,` $initial_value attr-dict `:` type($source) `,` type($initial_value)"
    )


class IteratorKind(StrEnum):
    """What a dimension of `vector.contract` is."""

    PARALLEL = "parallel"
    REDUCTION = "reduction"


@irdl_attr_definition
class IteratorTypeAttr(EnumAttribute[IteratorKind]):
    """`#vector.iterator_type<parallel>`."""

    name = "vector.iterator_type"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> IteratorKind:
        with parser.in_angle_brackets():
            return IteratorKind(parser.parse_identifier())


@irdl_op_definition
class ContractOp(IRDLOperation):
    """`vector.contract`: a sum of products, whose subscripts are given by affine maps."""

    name = "vector.contract"
    lhs = operand_def(VectorType)
    rhs = operand_def(VectorType)
    acc = operand_def(_ACCUMULATOR)
    indexing_maps = prop_def(ArrayAttr)
    iterator_types = prop_def(ArrayAttr[IteratorTypeAttr])
    kind = prop_def(CombiningKindAttr)
    result = result_def(_ACCUMULATOR)
    traits = traits_def(Pure())

    PROPERTIES: ClassVar = ("indexing_maps", "iterator_types", "kind")

    @classmethod
    def parse(cls, parser: Parser) -> ContractOp:
        """The types of the iterators are written as strings."""
        properties = parser.parse_optional_attr_dict()
        properties.setdefault("kind", CombiningKindAttr(CombiningKindFlag.ADD))
        kinds = properties.get("iterator_types")
        if isinstance(kinds, ArrayAttr):
            properties["iterator_types"] = ArrayAttr(map(_iterator_type, kinds))
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        lhs = parser.parse_type()
        parser.parse_punctuation(",")
        rhs = parser.parse_type()
        parser.parse_keyword("into")
        result = parser.parse_type()
        attributes |= {name: properties[name] for name in properties if name not in cls.PROPERTIES}
        return cls.create(
            operands=parser.resolve_operands(names, [lhs, rhs, result], position),
            result_types=[result],
            properties={name: properties[name] for name in properties if name in cls.PROPERTIES},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        kinds = ArrayAttr(
            StringAttr(kind.data) if isinstance(kind, IteratorTypeAttr) else kind
            for kind in self.iterator_types
        )
        printer.print_op_attributes({**self.properties, "iterator_types": kinds})
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list([self.lhs.type, self.rhs.type], printer.print_attribute)
        printer.print_string(" into ")
        printer.print_attribute(self.result.type)


def _iterator_type(kind: Attribute) -> Attribute:
    known = [str(member) for member in IteratorKind]
    if isinstance(kind, StringAttr) and kind.data in known:
        return IteratorTypeAttr(IteratorKind(kind.data))
    return kind


@irdl_op_definition
class OuterProductOp(IRDLOperation):
    """`vector.outerproduct`: the outer product of two vectors, or a vector times a scalar."""

    name = "vector.outerproduct"
    lhs = operand_def(VectorType)
    rhs = operand_def()
    acc = opt_operand_def()
    kind = prop_def(CombiningKindAttr)
    result = result_def(VectorType)
    traits = traits_def(Pure())

    @classmethod
    def parse(cls, parser: Parser) -> OuterProductOp:
        """The type of the result follows from those of the operands."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        kind = attributes.pop("kind", CombiningKindAttr(CombiningKindFlag.ADD))
        parser.parse_punctuation(":")
        position = parser.pos
        lhs = parser.parse_type()
        parser.parse_punctuation(",")
        rhs = parser.parse_type()
        if not isinstance(lhs, VectorType):
            parser.raise_error("expected a vector type", position)
        result = _product_type(lhs, rhs)
        types = [lhs, rhs, result][: max(2, len(names))]
        return cls.create(
            operands=parser.resolve_operands(names, types, position),
            result_types=[result],
            properties={"kind": kind},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes({"kind": self.kind, **self.attributes})
        printer.print_string(" : ")
        printer.print_list([self.lhs.type, self.rhs.type], printer.print_attribute)

    def verify_(self) -> None:
        lhs = self.lhs.type
        assert isinstance(lhs, VectorType)
        expected = _product_type(lhs, self.rhs.type)
        if self.result.type != expected or (self.acc is not None and self.acc.type != expected):
            raise VerifyException(f"the result must be of type {expected}")


def _product_type(lhs: VectorType, rhs: Attribute) -> Attribute:
    if not isinstance(rhs, VectorType):
        return lhs
    return VectorType(
        lhs.element_type,
        [*lhs.get_shape(), *rhs.get_shape()],
        ArrayAttr([*lhs.scalable_dims, *rhs.scalable_dims]),
    )


# -------------------------------------------------------------------- memory


@irdl_op_definition
class GatherOp(_VectorOp):
    """`vector.gather`: elements at given distances from an address, where a mask is true."""

    name = "vector.gather"
    base = operand_def()
    indices = var_operand_def(IndexType())
    index_vec = operand_def(VectorType)
    mask = operand_def(VectorType)
    pass_thru = operand_def(_SAME)
    result = result_def(_SAME)
    assembly_format = (
        "$base `[` $indices `]` `[` $index_vec `]` `,` $mask `,` $pass_thru attr-dict `:` "
        "type($base) `,` type($index_vec) `,` type($mask) `,` type($pass_thru) "
        "`into` type($result)"
    )


@irdl_op_definition
class ScatterOp(_VectorOp):
    """`vector.scatter`: the opposite of `vector.gather`."""

    name = "vector.scatter"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    index_vec = operand_def(VectorType)
    mask = operand_def(VectorType)
    value = operand_def(VectorType)
    assembly_format = (
        "$base `[` $indices `]` `[` $index_vec `]` `,` $mask `,` $value attr-dict `:` "
        "type($base) `,` type($index_vec) `,` type($mask) `,` type($value)"
    )


@irdl_op_definition
class ExpandLoadOp(_VectorOp):
    """`vector.expandload`: adjacent elements to the places where a mask is true."""

    name = "vector.expandload"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    mask = operand_def(VectorType)
    pass_thru = operand_def(_SAME)
    result = result_def(_SAME)
    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` "
        "type($base) `,` type($mask) `,` type($pass_thru) `into` type($result)"
    )


@irdl_op_definition
class CompressStoreOp(_VectorOp):
    """`vector.compressstore`: the elements where a mask is true to adjacent places."""

    name = "vector.compressstore"
    base = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    mask = operand_def(VectorType)
    value = operand_def(VectorType)
    assembly_format = (
        "$base `[` $indices `]` `,` $mask `,` $value attr-dict `:` "
        "type($base) `,` type($mask) `,` type($value)"
    )


# -------------------------------------------------------------------- masks


@irdl_op_definition
class YieldOp(IRDLOperation):
    """`vector.yield`: the end of a region of `vector.mask`."""

    name = "vector.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "attr-dict ($values^ `:` type($values))?"


@irdl_op_definition
class MaskOp(IRDLOperation):
    """`vector.mask`: one operation, which is done where a mask is true."""

    name = "vector.mask"
    mask = operand_def(VectorType)
    passthru = opt_operand_def()
    result = opt_result_def()
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> MaskOp:
        """The end of the region, which yields the results of the operation, is not written."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        body = parser.parse_region()
        if body.first_block is None:
            body.add_block(Block())
        last = body.block.last_op
        if not isinstance(last, YieldOp):
            results: Sequence[SSAValue] = () if last is None else last.results
            body.block.add_op(YieldOp.create(operands=results))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = [parser.parse_type()]
        results_types: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->") is not None:
            results_types = [parser.parse_type()]
        return cls.create(
            operands=parser.resolve_operands(
                names, [*types, *results_types][: len(names)], position
            ),
            result_types=results_types,
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_string(" ")
        printer.print_region(self.body, print_block_terminators=_is_other_yield(self.body))
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.mask.type)
        if self.result is not None:
            printer.print_string(" -> ")
            printer.print_attribute(self.result.type)


def _is_other_yield(body: Region) -> bool:
    """Whether a region does not yield just the results of its operation."""
    last = body.block.last_op
    before: Operation | None = None if last is None else last.prev_op
    expected = () if before is None else tuple(before.results)
    return last is None or tuple(last.operands) != expected


VECTOR_EXTRA: tuple[type[IRDLOperation], ...] = (
    ShapeCastOp,
    TransposeOp,
    ExtractElementOp,
    InsertElementOp,
    ExtractStridedSliceOp,
    InsertStridedSliceOp,
    InterleaveOp,
    FlatTransposeOp,
    ConstantMaskOp,
    StepOp,
    VectorScaleOp,
    TypeCastOp,
    MultiReductionOp,
    ScanOp,
    ContractOp,
    OuterProductOp,
    GatherOp,
    ScatterOp,
    ExpandLoadOp,
    CompressStoreOp,
    YieldOp,
    MaskOp,
)
VECTOR_ATTRIBUTES: tuple[type[Attribute], ...] = (IteratorTypeAttr,)
