"""Operations of MLIR's memref, scf, tensor and bufferization dialects that xDSL lacks.

They are read and printed; no target translates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.utils.dynamic_index_list import (
    DynamicIndexList,
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, NoMemoryEffect, NoTerminator, Pure
from xdsl.utils.exceptions import VerifyException

_ELEMENT = VarConstraint("ELEMENT", AnyAttr())
_INDEX = IndexType()
_ANY_MEMREF = base(MemRefType) | base(UnrankedMemRefType)

# -------------------------------------------------------------------- memref


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """`memref.transpose`: a view with the dimensions in another order."""

    name = "memref.transpose"
    source = operand_def(MemRefType)
    permutation = prop_def(AffineMapAttr)
    result = result_def(MemRefType)
    traits = traits_def(NoMemoryEffect())

    @classmethod
    def parse(cls, parser: Parser) -> TransposeOp:
        name = parser.parse_unresolved_operand()
        dimensions = _names(parser)
        parser.parse_punctuation("->")
        position = parser.pos
        results = _names(parser)
        unknown = [result for result in results if result not in dimensions]
        if unknown or len(set(dimensions)) != len(dimensions):
            parser.raise_error("expected a permutation of the dimensions", position)
        expressions = tuple(AffineExpr.dimension(dimensions.index(result)) for result in results)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source = parser.parse_type()
        parser.parse_keyword("to")
        return cls.create(
            operands=[parser.resolve_operand(name, source)],
            result_types=[parser.parse_type()],
            properties={"permutation": AffineMapAttr(AffineMap(len(dimensions), 0, expressions))},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        permutation = self.permutation.data
        dimensions = ", ".join(f"d{number}" for number in range(permutation.num_dims))
        results = ", ".join(map(str, permutation.results))
        printer.print_string(" ")
        printer.print_operand(self.source)
        printer.print_string(f" ({dimensions}) -> ({results})")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        permutation = self.permutation.data
        wanted = {AffineExpr.dimension(number) for number in range(permutation.num_dims)}
        if set(permutation.results) != wanted or len(permutation.results) != len(wanted):
            raise VerifyException("expected a permutation of the dimensions")


def _names(parser: Parser) -> list[str]:
    return parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_identifier)


@irdl_op_definition
class GenericAtomicRMWOp(IRDLOperation):
    """`memref.generic_atomic_rmw`: an atomic update of an element by a region."""

    name = "memref.generic_atomic_rmw"
    memref = operand_def(MemRefType.constr(_ELEMENT))
    indices = var_operand_def(_INDEX)
    result = result_def(_ELEMENT)
    body = region_def("single_block")
    assembly_format = "$memref `[` $indices `]` `:` type($memref) $body attr-dict"


@irdl_op_definition
class AtomicYieldOp(IRDLOperation):
    """`memref.atomic_yield`: the new value of the element."""

    name = "memref.atomic_yield"
    result = operand_def()
    traits = traits_def(IsTerminator(), Pure())
    assembly_format = "$result attr-dict `:` type($result)"


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """`memref.prefetch`: a hint that an element will be read or written soon."""

    name = "memref.prefetch"
    memref = operand_def(MemRefType)
    indices = var_operand_def(_INDEX)
    is_write = prop_def(BoolAttr, prop_name="isWrite")
    locality_hint = prop_def(IntegerAttr, prop_name="localityHint")
    is_data_cache = prop_def(BoolAttr, prop_name="isDataCache")

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        base_name = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(_INDEX)
        )
        parser.parse_punctuation(",")
        is_write = _one_of(parser, "read", "write")
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        is_data_cache = _one_of(parser, "instr", "data")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.create(
            operands=[parser.resolve_operand(base_name, parser.parse_type()), *indices],
            properties={
                "isWrite": IntegerAttr(is_write, i1),
                "localityHint": IntegerAttr(locality, i32),
                "isDataCache": IntegerAttr(is_data_cache, i1),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_operand)
        direction = "write" if self.is_write.value.data else "read"
        cache = "data" if self.is_data_cache.value.data else "instr"
        locality = self.locality_hint.value.data
        printer.print_string(f", {direction}, locality<{locality}>, {cache}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)

    def verify_(self) -> None:
        memref_type = self.memref.type
        assert isinstance(memref_type, MemRefType)
        if len(self.indices) != memref_type.get_num_dims():
            raise VerifyException("memref.prefetch needs one subscript for each dimension")
        if not 0 <= self.locality_hint.value.data <= 3:
            raise VerifyException("the locality of memref.prefetch must be from 0 to 3")


def _one_of(parser: Parser, no: str, yes: str) -> int:
    position = parser.pos
    word = parser.parse_identifier()
    if word not in (no, yes):
        parser.raise_error(f"expected '{no}' or '{yes}'", position)
    return int(word == yes)


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """`memref.reshape`: a view of another shape, which is given by a memref."""

    name = "memref.reshape"
    source = operand_def(_ANY_MEMREF)
    shape = operand_def(MemRefType)
    result = result_def(_ANY_MEMREF)
    assembly_format = (
        "$source `(` $shape `)` attr-dict `:` "
        "`(` type($source) `,` type($shape) `)` `->` type($result)"
    )


# -------------------------------------------------------------------- tensor, bufferization, index


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """`tensor.generate`: a tensor whose elements a region computes from their indices."""

    name = "tensor.generate"
    dynamic_extents = var_operand_def(_INDEX)
    result = result_def(TensorType)
    body = region_def("single_block")
    assembly_format = "$dynamic_extents $body attr-dict `:` type($result)"


@irdl_op_definition
class RankOp(IRDLOperation):
    """`tensor.rank`: the number of dimensions."""

    name = "tensor.rank"
    tensor = operand_def(base(TensorType) | base(UnrankedTensorType))
    result = result_def(_INDEX)
    traits = traits_def(Pure())
    assembly_format = "$tensor attr-dict `:` type($tensor)"


@irdl_op_definition
class ParallelInsertSliceOp(IRDLOperation):
    """`tensor.parallel_insert_slice`: a part of the result of an `scf.forall`."""

    name = "tensor.parallel_insert_slice"
    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    offsets = var_operand_def(_INDEX)
    sizes = var_operand_def(_INDEX)
    strides = var_operand_def(_INDEX)
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    static_sizes = prop_def(DenseArrayBase.constr(i64))
    static_strides = prop_def(DenseArrayBase.constr(i64))
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    custom_directives = (DynamicIndexList,)
    assembly_format = (
        "$source `into` $dest ``"
        "custom<DynamicIndexList>($offsets, $static_offsets)"
        "custom<DynamicIndexList>($sizes, $static_sizes)"
        "custom<DynamicIndexList>($strides, $static_strides)"
        "attr-dict `:` type($source) `into` type($dest)"
    )


@irdl_op_definition
class DeallocTensorOp(IRDLOperation):
    """`bufferization.dealloc_tensor`: the end of the life of a tensor."""

    name = "bufferization.dealloc_tensor"
    tensor = operand_def(TensorType)
    assembly_format = "$tensor attr-dict `:` type($tensor)"


@irdl_op_definition
class SizeOfOp(IRDLOperation):
    """`index.sizeof`: the width of the type index in bits."""

    name = "index.sizeof"
    result = result_def(_INDEX)
    traits = traits_def(Pure())
    assembly_format = "attr-dict"


# -------------------------------------------------------------------- scf.forall


@irdl_op_definition
class InParallelOp(IRDLOperation):
    """`scf.forall.in_parallel`: what the instances of an `scf.forall` put together."""

    name = "scf.forall.in_parallel"
    body = region_def("single_block")
    traits = traits_def(IsTerminator(), NoTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> InParallelOp:
        body = _nonempty(parser.parse_region())
        return cls.create(regions=[body], attributes=parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_region(self.body)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ForallOp(IRDLOperation):
    """`scf.forall`: the instances of the body for a box of indices, in any order or at once."""

    name = "scf.forall"
    lower = var_operand_def(_INDEX)
    upper = var_operand_def(_INDEX)
    step = var_operand_def(_INDEX)
    outputs = var_operand_def()
    static_lower = prop_def(DenseArrayBase.constr(i64), prop_name="staticLowerBound")
    static_upper = prop_def(DenseArrayBase.constr(i64), prop_name="staticUpperBound")
    static_step = prop_def(DenseArrayBase.constr(i64), prop_name="staticStep")
    mapping = opt_prop_def(ArrayAttr)
    outs = var_result_def()
    body = region_def("single_block")
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    BOUNDS: ClassVar = ("staticLowerBound", "staticUpperBound", "staticStep")

    @classmethod
    def parse(cls, parser: Parser) -> ForallOp:
        """The bounds are `in (%n, 4)`, or `= (0, %m) to (%n, 4) step (1, 2)`."""
        names = _variables(parser)
        groups: list[Sequence[SSAValue]] = []
        numbers: list[Sequence[int]] = []
        if parser.parse_optional_keyword("in") is not None:
            values, integers = _index_list(parser)
            groups = [(), values, ()]
            numbers = [[0] * len(integers), integers, [1] * len(integers)]
        else:
            for word in ("=", "to", "step"):
                parser.parse_characters(word)
                values, integers = _index_list(parser)
                groups.append(values)
                numbers.append(integers)
        outputs, types = _shared_outputs(parser, names)
        groups.append(outputs)
        body = _nonempty(parser.parse_region(names))
        if not isinstance(body.block.last_op, InParallelOp):
            body.block.add_op(InParallelOp.create(regions=[Region(Block())]))
        attributes = parser.parse_optional_attr_dict()
        mapping = {name: attributes.pop(name) for name in ("mapping",) if name in attributes}
        arrays = (DenseArrayBase.from_list(i64, integers) for integers in numbers)
        return cls.create(
            operands=[value for group in groups for value in group],
            result_types=types,
            properties={
                **dict(zip(cls.BOUNDS, arrays, strict=True)),
                **mapping,
                "operandSegmentSizes": DenseArrayBase.from_list(i32, [*map(len, groups)]),
            },
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        arguments = self.body.block.args
        count = len(self.static_step.get_values())
        printer.print_string(" (")
        printer.print_list(arguments[:count], printer.print_operand)
        printer.print_string(")")
        groups = (
            ("=", self.lower, self.static_lower),
            ("to", self.upper, self.static_upper),
            ("step", self.step, self.static_step),
        )
        if self._is_normalized():
            groups = (("in", self.upper, self.static_upper),)  # type: ignore[assignment]
        for word, values, numbers in groups:
            printer.print_string(f" {word} ")
            print_dynamic_index_list(
                printer,
                DYNAMIC_INDEX,
                values,
                numbers.get_values(),
                delimiter=Parser.Delimiter.PAREN,
            )
        if self.outputs:
            printer.print_string(" shared_outs")
            with printer.in_parens():
                printer.print_list(
                    zip(arguments[count:], self.outputs, strict=True),
                    lambda pair: _print_pair(printer, pair),
                )
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.result_types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        mapping = {name: value for name, value in self.properties.items() if name == "mapping"}
        printer.print_op_attributes(mapping | self.attributes)

    def _is_normalized(self) -> bool:
        return set(self.static_lower.get_values()) <= {0} and set(
            self.static_step.get_values()
        ) <= {1}

    def verify_(self) -> None:
        ranks = {
            len(bound.get_values())
            for bound in (self.static_lower, self.static_upper, self.static_step)
        }
        arguments = self.body.block.args
        if ranks != {len(arguments) - len(self.outputs)}:
            raise VerifyException("expected one lower bound, upper bound and step for each index")
        types = tuple(argument.type for argument in arguments[len(arguments) - len(self.outputs) :])
        if types != tuple(self.result_types) or types != tuple(self.outputs.types):
            raise VerifyException("the outputs and the results differ in type")


def _variables(parser: Parser) -> list[Parser.Argument]:
    unresolved = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    return [argument.resolve(_INDEX) for argument in unresolved]


def _index_list(parser: Parser) -> tuple[Sequence[SSAValue], Sequence[int]]:
    names, integers = parse_dynamic_index_list_without_types(
        parser, DYNAMIC_INDEX, delimiter=parser.Delimiter.PAREN
    )
    return [parser.resolve_operand(name, _INDEX) for name in names], integers


def _shared_outputs(
    parser: Parser, names: list[Parser.Argument]
) -> tuple[Sequence[SSAValue], Sequence[Attribute]]:
    """The outputs and their types; their names in the body are added to `names`."""
    if parser.parse_optional_keyword("shared_outs") is None:
        return (), ()

    def pair() -> tuple[Parser.UnresolvedArgument, SSAValue | object]:
        inner = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return inner, parser.parse_unresolved_operand()

    pairs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, pair)
    parser.parse_punctuation("->")
    position = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    if len(types) != len(pairs):
        parser.raise_error(f"expected {len(pairs)} types", position)
    names += [inner.resolve(type) for (inner, _), type in zip(pairs, types, strict=True)]
    outer = [value for _, value in pairs]
    return parser.resolve_operands(outer, types, position), types  # type: ignore[arg-type]


def _print_pair(printer: Printer, pair: Iterable[SSAValue]) -> None:
    inner, outer = pair
    printer.print_operand(inner)
    printer.print_string(" = ")
    printer.print_operand(outer)


def _nonempty(region: Region) -> Region:
    if region.first_block is None:
        region.add_block(Block())
    return region


MEMORY_EXTRA: tuple[type[IRDLOperation], ...] = (
    TransposeOp,
    GenericAtomicRMWOp,
    AtomicYieldOp,
    PrefetchOp,
    ReshapeOp,
    GenerateOp,
    RankOp,
    ParallelInsertSliceOp,
    DeallocTensorOp,
    SizeOfOp,
    ForallOp,
    InParallelOp,
)
