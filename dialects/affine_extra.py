"""Operations of MLIR that xDSL lacks: of affine, of arith, and the casts of index.

xDSL owns the dialect names `affine` and `arith`, and a context holds one dialect of a name. So
these operations are not a dialect of their own: `load_affine_extra` adds to a context whichever
of them it has not got, next to xDSL's dialects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    BoolAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    UnrankedMemRefType,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class MaxOp(IRDLOperation):
    """`affine.max`: the largest result of an affine map."""

    name = "affine.max"

    arguments = var_operand_def(IndexType())
    result = result_def(IndexType())
    map = prop_def(AffineMapAttr)

    traits = traits_def(Pure())

    def __init__(self, map_operands: Sequence[SSAValue], affine_map: AffineMapAttr) -> None:
        super().__init__(
            operands=[map_operands],
            properties={"map": affine_map},
            result_types=[IndexType()],
        )

    def verify_(self) -> None:
        _verify_map_operands(self, self.map, len(self.arguments))
        if not self.map.data.results:
            raise VerifyException("the map of affine.max must have a result")

    @classmethod
    def parse(cls, parser: Parser) -> MaxOp:
        position = parser.pos
        affine_map = parser.parse_attribute()
        if not isinstance(affine_map, AffineMapAttr):
            parser.raise_error("expected an affine map", position)
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType())
        )
        symbols = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(IndexType())
        )
        operation = cls([*operands, *(symbols or ())], affine_map)
        operation.attributes |= parser.parse_optional_attr_dict()
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.map)
        count = self.map.data.num_dims
        with printer.in_parens():
            printer.print_list(self.arguments[:count], printer.print_operand)
        if self.map.data.num_symbols:
            with printer.in_square_brackets():
                printer.print_list(self.arguments[count:], printer.print_operand)
        printer.print_op_attributes(self.attributes)


class ParallelOp(affine.ParallelOp):
    """`affine.parallel` as MLIR has it: a reduction has no operand for an initial value.

    xDSL's verifier expects such an operand, so that it refuses every loop with a reduction.
    """

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        lower, upper = self.lowerBoundsMap.data, self.upperBoundsMap.data
        maps_take = lower.num_dims + lower.num_symbols + upper.num_dims + upper.num_symbols
        if len(self.operands) != maps_take:
            raise VerifyException(
                f"the maps of affine.parallel take {maps_take} operands, not {len(self.operands)}"
            )
        for kind, groups, bounds in (
            ("lower", self.lowerBoundsGroups, lower),
            ("upper", self.upperBoundsGroups, upper),
        ):
            if sum(groups.get_values()) != len(bounds.results):
                raise VerifyException(f"the groups of the {kind} bounds do not match their map")
        if len(self.reductions) != len(self.results):
            raise VerifyException("affine.parallel needs one reduction for each result")


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """`affine.prefetch`: a hint that an element will be read or written soon."""

    name = "affine.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    map = prop_def(AffineMapAttr)
    is_write = prop_def(BoolAttr, prop_name="isWrite")
    locality_hint = prop_def(IntegerAttr, prop_name="localityHint")
    is_data_cache = prop_def(BoolAttr, prop_name="isDataCache")

    def __init__(
        self,
        memref: SSAValue,
        indices: Sequence[SSAValue],
        affine_map: AffineMapAttr,
        *,
        is_write: bool,
        locality: int,
        is_data_cache: bool,
    ) -> None:
        super().__init__(
            operands=[memref, indices],
            properties={
                "map": affine_map,
                "isWrite": IntegerAttr(int(is_write), i1),
                "localityHint": IntegerAttr(locality, i32),
                "isDataCache": IntegerAttr(int(is_data_cache), i1),
            },
        )

    def verify_(self) -> None:
        _verify_map_operands(self, self.map, len(self.indices))
        memref_type = self.memref.type
        assert isinstance(memref_type, MemRefType)
        if len(self.map.data.results) != memref_type.get_num_dims():
            raise VerifyException("affine.prefetch needs one subscript for each dimension")
        if not 0 <= self.locality_hint.value.data <= 3:
            raise VerifyException("the locality of affine.prefetch must be from 0 to 3")


class _TransferOp(IRDLOperation):
    """Memrefs, each followed by the operands of the map of its subscripts, then sizes."""

    values = var_operand_def()

    # The attributes of the maps, in the order of the memrefs.
    MAPS: ClassVar[tuple[str, ...]]
    SIZES: ClassVar[tuple[int, ...]]

    def accesses(self) -> list[tuple[SSAValue, AffineMapAttr, Sequence[SSAValue]]]:
        """Each memref, its map, and the operands of the map. Raises `VerifyException`."""
        found: list[tuple[SSAValue, AffineMapAttr, Sequence[SSAValue]]] = []
        rest: Sequence[SSAValue] = self.values
        for name in self.MAPS:
            affine_map = self.attributes.get(name)
            if not isinstance(affine_map, AffineMapAttr) or not rest:
                raise VerifyException(f"{self.name} needs a memref and the map '{name}'")
            count = affine_map.data.num_dims + affine_map.data.num_symbols
            memref_type = rest[0].type
            if not isinstance(memref_type, MemRefType):
                raise VerifyException(f"{self.name} expects a memref before the operands of {name}")
            if len(affine_map.data.results) != memref_type.get_num_dims():
                raise VerifyException(f"{self.name} needs one subscript for each dimension")
            found.append((rest[0], affine_map, rest[1 : count + 1]))
            rest = rest[count + 1 :]
        return found

    def sizes(self) -> Sequence[SSAValue]:
        """The operands after the memrefs and their subscripts."""
        return self.values[sum(1 + len(operands) for _, _, operands in self.accesses()) :]

    def verify_(self) -> None:
        sizes = self.sizes()
        if len(sizes) not in self.SIZES:
            raise VerifyException(f"{self.name} has {len(self.values)} operands, which do not fit")
        others = [*sizes, *(value for _, _, operands in self.accesses() for value in operands)]
        if any(not isinstance(value.type, IndexType) for value in others):
            raise VerifyException(f"the subscripts and sizes of {self.name} must be of type index")


@irdl_op_definition
class DmaStartOp(_TransferOp):
    """`affine.dma_start`: begin to copy elements from one memref to another."""

    name = "affine.dma_start"

    MAPS: ClassVar = ("src_map", "dst_map", "tag_map")
    SIZES: ClassVar = (1, 3)


@irdl_op_definition
class DmaWaitOp(_TransferOp):
    """`affine.dma_wait`: wait for the end of a copy."""

    name = "affine.dma_wait"

    MAPS: ClassVar = ("tag_map",)
    SIZES: ClassVar = (1,)


@irdl_op_definition
class RemfOp(arith.FloatingPointLikeBinaryOperation):
    """`arith.remf`: the remainder of a division that rounds to zero, as `fmod` of C."""

    name = "arith.remf"

    traits = traits_def(Pure())


class GlobalOp(memref.GlobalOp):
    """`memref.global` as MLIR has it: without an initial value, it is defined elsewhere."""

    def verify_(self) -> None:
        if "initial_value" in self.properties:
            super().verify_()


@irdl_op_definition
class DelinearizeIndexOp(IRDLOperation):
    """`affine.delinearize_index`: the coordinates of a linear index in a box."""

    name = "affine.delinearize_index"

    linear_index = operand_def(IndexType())
    basis = var_operand_def(IndexType())
    multi_index = var_result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, linear_index: SSAValue, basis: Sequence[SSAValue]) -> None:
        super().__init__(operands=[linear_index, basis], result_types=[[IndexType()] * len(basis)])

    def verify_(self) -> None:
        if not self.basis or len(self.basis) != len(self.multi_index):
            raise VerifyException("affine.delinearize_index needs one result for each basis value")


class _IndexConversion(IRDLOperation):
    input = operand_def(base(IntegerType) | base(IndexType))
    result = result_def(base(IntegerType) | base(IndexType))

    traits = traits_def(NoMemoryEffect())

    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"

    def __init__(self, value: SSAValue, result_type: Attribute) -> None:
        super().__init__(operands=[value], result_types=[result_type])

    def verify_(self) -> None:
        if isinstance(self.input.type, IndexType) == isinstance(self.result.type, IndexType):
            raise VerifyException(f"{self.name} converts between index and an integer type")


@irdl_op_definition
class ArithIndexCastUIOp(_IndexConversion):
    """`arith.index_castui`: between index and an integer type, unsigned."""

    name = "arith.index_castui"


@irdl_op_definition
class IndexCastSOp(_IndexConversion):
    """`index.casts`: between index and an integer type, signed."""

    name = "index.casts"


@irdl_op_definition
class IndexCastUOp(_IndexConversion):
    """`index.castu`: between index and an integer type, unsigned."""

    name = "index.castu"


_SHAPED = base(VectorType) | base(TensorType)


@irdl_op_definition
class RankOp(IRDLOperation):
    """`memref.rank`: the number of dimensions, also of a memref of unknown rank."""

    name = "memref.rank"

    memref = operand_def(base(MemRefType) | base(UnrankedMemRefType))
    rank = result_def(IndexType())

    traits = traits_def(NoMemoryEffect())

    assembly_format = "$memref attr-dict `:` type($memref)"


def _verify_map_operands(operation: Operation, affine_map: AffineMapAttr, count: int) -> None:
    expected = affine_map.data.num_dims + affine_map.data.num_symbols
    if count != expected:
        raise VerifyException(f"the map of {operation.name} takes {expected} operands, not {count}")


CONVERSIONS: tuple[type[IRDLOperation], ...] = (ArithIndexCastUIOp, IndexCastSOp, IndexCastUOp)
AFFINE_EXTRA: tuple[type[IRDLOperation], ...] = (
    MaxOp,
    PrefetchOp,
    DelinearizeIndexOp,
    DmaStartOp,
    DmaWaitOp,
    RemfOp,
    *CONVERSIONS,
)


def load_affine_extra(context: Context) -> None:
    """Add the operations of this module that `context` does not have yet."""
    load_missing(context, AFFINE_EXTRA)


def load_missing(
    context: Context,
    operations: Sequence[type[Operation]],
    attributes: Sequence[type[Attribute]] = (),
) -> None:
    """Add those of the operations and attributes that `context` does not have yet."""
    # A registered dialect is loaded on first use; ours must not come before xDSL's.
    names = [*(each.name for each in operations), *(each.name for each in attributes)]
    for dialect_name in dict.fromkeys(name.split(".")[0] for name in names):
        context.get_optional_dialect(dialect_name)
    known = {operation.name for operation in context.loaded_ops}
    for operation in operations:
        if operation.name not in known:
            context.load_op(operation)
    loaded = tuple(context.loaded_attrs)
    for attribute in attributes:
        if attribute not in loaded:
            context.load_attr_or_type(attribute)


def affine_load(
    array: SSAValue, map: AffineMap, indices: Sequence[SSAValue], type: Attribute | None = None
) -> Operation:
    """A load of an element, or of a vector of elements; verifying checks its types."""
    assert isinstance(array.type, MemRefType)
    element: Attribute = array.type.element_type
    type = element if type is None else type
    kind = affine.LoadOp if type == element else affine.VectorLoadOp
    properties = {"map": AffineMapAttr(map)}
    return kind.create(operands=[array, *indices], properties=properties, result_types=[type])


def affine_store(
    value: SSAValue, array: SSAValue, map: AffineMap, indices: Sequence[SSAValue]
) -> Operation:
    """A store of an element, or of a vector of elements; verifying checks its types."""
    assert isinstance(array.type, MemRefType)
    kind = affine.StoreOp if value.type == array.type.element_type else affine.VectorStoreOp
    properties = {"map": AffineMapAttr(map)}
    return kind.create(operands=[value, array, *indices], properties=properties)
