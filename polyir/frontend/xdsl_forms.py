"""Operations that xDSL's parser can read in the generic form only.

Each function reads what follows the name of the operation, in the syntax of MLIR.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import (
    AffineSetAttr,
    ArrayAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    UnregisteredOp,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.traits import IsTerminator

from polyir.dialects.affine_extra import ParallelOp
from polyir.frontend.gpu_forms import GPU_FORMS, plain_form
from polyir.frontend.kept_forms import KEPT_FORMS, Parts, kept
from polyir.frontend.operation_reader import INDEX, segments
from polyir.frontend.operations_affine import parallel_bounds

if TYPE_CHECKING:
    from polyir.frontend.xdsl_fallback import MixedParser


def _operands(parser: Parser) -> list[SSAValue]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_operand(INDEX)
    )


def _variables(parser: Parser) -> list[Parser.Argument]:
    unresolved = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    return [argument.resolve(INDEX) for argument in unresolved]


def _result_types(parser: Parser) -> Sequence[Attribute]:
    """The types after an optional `->`, in parentheses or one alone."""
    if parser.parse_optional_punctuation("->") is None:
        return ()
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else types


def _body(
    parser: Parser,
    terminator: Callable[[], Operation],
    arguments: Sequence[Parser.Argument] | None = None,
) -> Region:
    """A region of one block, with the terminator that may be left out."""
    region = parser.parse_region(arguments)
    if region.first_block is None:
        region.add_block(Block())
    last = region.block.last_op
    if last is None or not last.has_trait(IsTerminator, value_if_unregistered=False):
        region.block.add_op(terminator())
    return region


def _if(parser: MixedParser) -> Operation:
    condition = parser.parse_attribute()
    if not isinstance(condition, AffineSetAttr):
        parser.raise_error("expected an affine set")
    operands = _operands(parser)
    symbols = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_operand(INDEX)
    )
    types = _result_types(parser)
    then_region = _body(parser, affine.YieldOp.get)
    else_region = Region()
    if parser.parse_optional_keyword("else") is not None:
        else_region = _body(parser, affine.YieldOp.get)
    return affine.IfOp.create(
        operands=[*operands, *(symbols or ())],
        result_types=types,
        properties={"condition": condition},
        attributes=parser.parse_optional_attr_dict(),
        regions=[then_region, else_region],
    )


def _affine_parallel(parser: MixedParser) -> Operation:
    variables = _variables(parser)
    parser.parse_punctuation("=")
    lower = parallel_bounds(
        parser.reader, parser.parse_by_grammar("parallel_bounds"), "max", len(variables)
    )
    parser.parse_keyword("to")
    upper = parallel_bounds(
        parser.reader, parser.parse_by_grammar("parallel_bounds"), "min", len(variables)
    )
    steps = [1] * len(variables)
    if parser.parse_optional_keyword("step") is not None:
        steps = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_integer)
    kinds: list[str] = []
    if parser.parse_optional_keyword("reduce") is not None:
        kinds = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_str_literal)
    types = _result_types(parser)
    region = _body(parser, affine.YieldOp.get, variables)
    return ParallelOp.create(
        operands=[*lower.operands, *upper.operands],
        result_types=types,
        properties={
            "reductions": ArrayAttr(map(StringAttr, kinds)),
            "lowerBoundsMap": lower.map,
            "lowerBoundsGroups": lower.groups,
            "upperBoundsMap": upper.map,
            "upperBoundsGroups": upper.groups,
            "steps": ArrayAttr(IntegerAttr(step, i64) for step in steps),
        },
        attributes=parser.parse_optional_attr_dict(),
        regions=[region],
    )


def _scf_parallel(parser: MixedParser) -> Operation:
    variables = _variables(parser)
    groups: list[Sequence[SSAValue]] = []
    for word in ("=", "to", "step"):
        parser.parse_characters(word)
        groups.append(_operands(parser))
    initial = []
    position = parser.pos
    if parser.parse_optional_keyword("init") is not None:
        initial = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
    types = _result_types(parser)
    groups.append(parser.resolve_operands(initial, types, position))
    region = _body(parser, scf.ReduceOp, variables)
    return scf.ParallelOp.create(
        operands=[value for group in groups for value in group],
        result_types=types,
        properties={"operandSegmentSizes": segments(*map(len, groups))},
        attributes=parser.parse_optional_attr_dict(),
        regions=[region],
    )


def _scf_reduce(parser: MixedParser) -> Operation:
    if parser.parse_optional_punctuation("(") is None:
        return scf.ReduceOp()
    position = parser.pos
    names = parser.parse_comma_separated_list(
        parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    regions = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_region)
    return scf.ReduceOp(parser.resolve_operands(names, types, position), regions)


def _while(parser: MixedParser) -> Operation:
    """The parentheses may be left out of a loop without arguments."""

    def assignment() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
        name = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return name, parser.parse_unresolved_operand()

    pairs = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, assignment) or []
    parser.parse_punctuation(":")
    position = parser.pos
    type = parser.parse_function_type()
    inputs = type.inputs.data
    if len(inputs) != len(pairs):
        parser.raise_error(f"expected {len(pairs)} types, found {len(inputs)}", position)
    arguments = [name.resolve(input) for (name, _), input in zip(pairs, inputs, strict=True)]
    before = parser.parse_region(arguments)
    parser.parse_keyword("do")
    after = parser.parse_region()
    attributes = parser.parse_optional_attr_dict_with_keyword()
    return scf.WhileOp.create(
        operands=parser.resolve_operands([value for _, value in pairs], inputs, position),
        result_types=type.outputs.data,
        attributes={} if attributes is None else attributes.data,
        regions=[before, after],
    )


# -------------------------------------------------------------------- OpenMP


def _omp_parallel(parser: MixedParser) -> Operation:
    """A team without clauses: only the generic form of others is read."""
    from xdsl.dialects import omp

    region = parser.parse_region()
    return omp.ParallelOp.build(
        operands=[[], [], None, None, [], []],
        attributes=parser.parse_optional_attr_dict(),
        regions=[region],
    )


def _omp_loop(parser: MixedParser) -> Operation:
    """A loop without clauses, which has a terminator in MLIR 19 and not in xDSL."""
    from xdsl.dialects import omp

    region = parser.parse_region()
    last = None if region.first_block is None else region.block.last_op
    if isinstance(last, omp.TerminatorOp):
        region.block.erase_op(last)
    return omp.WsLoopOp.build(
        operands=[[]] * 6 + [None],
        attributes=parser.parse_optional_attr_dict(),
        regions=[region],
    )


def _omp_loop_nest(parser: MixedParser) -> Operation:
    from xdsl.dialects import omp

    unresolved = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    parser.parse_punctuation(":")
    type = parser.parse_type()
    groups: list[Sequence[SSAValue]] = []
    properties: dict[str, Attribute] = {}
    for word in ("=", "to", "step"):
        if word == "step" and parser.parse_optional_keyword("inclusive") is not None:
            properties["loop_inclusive"] = UnitAttr()
        parser.parse_characters(word)
        groups.append(
            parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_operand(type)
            )
        )
    region = parser.parse_region([argument.resolve(type) for argument in unresolved])
    return omp.LoopNestOp.build(
        operands=groups,
        properties=properties,
        attributes=parser.parse_optional_attr_dict(),
        regions=[region],
    )


def _alloca_scope(parser: MixedParser) -> Operation:
    types = _result_types(parser)
    region = _body(parser, memref.AllocaScopeReturnOp.create)
    return memref.AllocaScopeOp.create(
        result_types=types, attributes=parser.parse_optional_attr_dict(), regions=[region]
    )


def _affine_scope(parser: MixedParser) -> Operation:
    """`test.affine_scope`, which MLIR's tests have."""
    region = parser.parse_region()
    return UnregisteredOp.with_name("test.affine_scope").create(
        attributes=parser.parse_optional_attr_dict(), regions=[region]
    )


def _form(name: str, read: Callable[[Parser], Parts]) -> Callable[[MixedParser], Operation]:
    """An operation that xDSL lacks, or has in another form than MLIR."""

    def parse(parser: MixedParser) -> Operation:
        operands, types, attributes = read(parser)
        return kept(name, operands, types, attributes)

    return parse


_PLAIN = ("omp.terminator", "omp.barrier")

FORMS: Mapping[str, Callable[[MixedParser], Operation]] = MappingProxyType(
    {
        "affine.if": _if,
        "affine.parallel": _affine_parallel,
        "scf.parallel": _scf_parallel,
        "scf.reduce": _scf_reduce,
        "scf.while": _while,
        "omp.parallel": _omp_parallel,
        "omp.wsloop": _omp_loop,
        "omp.loop_nest": _omp_loop_nest,
        **{name: plain_form(name) for name in _PLAIN},
        "test.affine_scope": _affine_scope,
        "memref.alloca_scope": _alloca_scope,
        **{name: _form(name, read) for name, read in KEPT_FORMS.items()},
        **GPU_FORMS,
    }
)
