"""Expressions of equations: functions from integer points to values.

Each operation has one result, an expression; its operands are those of which it is made. isl
objects say where: their tuples have no names, and their parameters are those of the system around.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, ClassVar, Self

import islpy as isl
from xdsl.dialects.builtin import (
    BoolAttr,
    FlatSymbolRefAttrConstr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    f64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrConstraint,
    BaseAttr,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.equation_operators import OPERATORS, REDUCTION_OPERATORS, accepts
from polyir.dialects.equation_types import (
    ExpressionOp,
    ExpressionType,
    dimensions_of,
    parse_type,
    print_type,
    system_around,
    verify_external,
    verify_object,
    verify_variable,
)
from polyir.dialects.isl_attributes import (
    AffAttr,
    IslAttribute,
    IslObject,
    MultiAffAttr,
    PwQPolynomialAttr,
    SetAttr,
)

_OPERATOR: AttrConstraint[StringAttr | SymbolRefAttr] = (
    BaseAttr(StringAttr) | FlatSymbolRefAttrConstr
)
"""The name of an operator, or an external function."""


@irdl_op_definition
class ConstantOp(ExpressionOp):
    """The same value at all points: `equations.constant 2.5 : <2>`."""

    name = "equations.constant"

    value = prop_def(BoolAttr | IntAttr | FloatAttr)

    def __init__(self, value: bool | int | float, dimensions: int) -> None:
        super().__init__([], dimensions, {"value": _constant(value)})

    @property
    def number(self) -> bool | int | float:
        """The value."""
        value = self.value
        if isinstance(value, IntAttr):
            return int(value.data)
        if isinstance(value, FloatAttr):
            return float(value.value.data)
        return bool(value.value.data)

    @classmethod
    def parse_form(cls, parser: Parser) -> ConstantOp:
        value: bool | int | float | None = parser.parse_optional_boolean()
        if value is None:
            text = parser.parse_optional_str_literal()
            value = parser.parse_number() if text is None else float(text)
        return cls(value, parse_type(parser))

    def print_form(self, printer: Printer) -> None:
        value = self.number
        if isinstance(value, bool):
            printer.print_string("true" if value else "false")
        elif isinstance(value, int):
            printer.print_int(value)
        elif isfinite(value):
            printer.print_float(value, f64)
        else:
            printer.print_string_literal(str(value))
        print_type(printer, self)

    def verify_(self) -> None:
        system_around(self)


@irdl_op_definition
class ReadOp(ExpressionOp):
    """The variable at the point at hand: `equations.read @X : <2>`."""

    name = "equations.read"

    variable = prop_def(FlatSymbolRefAttrConstr)

    def __init__(self, variable: str, dimensions: int) -> None:
        super().__init__([], dimensions, {"variable": SymbolRefAttr(variable)})

    @classmethod
    def parse_form(cls, parser: Parser) -> ReadOp:
        name = parser.parse_symbol_name().data
        return cls(name, parse_type(parser))

    def print_form(self, printer: Printer) -> None:
        printer.print_symbol_name(self.variable.root_reference.data)
        print_type(printer, self)

    def verify_(self) -> None:
        verify_variable(self, self.variable, self.dimensions)


class _NumberOp(ExpressionOp):
    """An integer, by a function of the point, the property `function`: its text is all there is."""

    FUNCTION: ClassVar[type[IslAttribute[Any]]]

    def __init__(self, function: isl.Aff | isl.PwQPolynomial) -> None:
        dimensions = function.dim(isl.dim_type.in_)
        super().__init__([], dimensions, {"function": self.FUNCTION(function)})

    @classmethod
    def parse_form(cls, parser: Parser) -> Self:
        return cls(cls.FUNCTION.parse_text(parser))

    def print_form(self, printer: Printer) -> None:
        self._attribute.print_text(printer)

    def verify_(self) -> None:
        function = self._attribute.data
        self.verify_dimensions("a function", function.dim(isl.dim_type.in_), self.dimensions)
        verify_object(self, function, function.get_domain_space())

    @property
    def _attribute(self) -> IslAttribute[Any]:
        attribute = self.properties["function"]
        assert isinstance(attribute, IslAttribute)
        return attribute


@irdl_op_definition
class IndexOp(_NumberOp):
    """An integer, by an affine function: `equations.index "[N] -> { [i] -> [(N - i)] }"`."""

    name = "equations.index"
    FUNCTION: ClassVar[type[IslAttribute[Any]]] = AffAttr

    function = prop_def(AffAttr)


@irdl_op_definition
class PolynomialOp(_NumberOp):
    """An integer, by a quasi-polynomial: `equations.polynomial "{ [i] -> 1/2 * i^2 }"`."""

    name = "equations.polynomial"
    FUNCTION: ClassVar[type[IslAttribute[Any]]] = PwQPolynomialAttr

    function = prop_def(PwQPolynomialAttr)


@irdl_op_definition
class DependOp(ExpressionOp):
    """The operand at another point: `equations.depend %0 by "{ [i, j] -> [(i)] }"`."""

    name = "equations.depend"

    operand = operand_def(ExpressionType)
    function = prop_def(MultiAffAttr)

    def __init__(self, operand: SSAValue, function: isl.MultiAff) -> None:
        dimensions = function.dim(isl.dim_type.in_)
        super().__init__([operand], dimensions, {"function": MultiAffAttr(function)})

    @classmethod
    def parse_form(cls, parser: Parser) -> DependOp:
        operand, function = _parse_operand_and(parser, "by", MultiAffAttr)
        type = ExpressionType.of(function.dim(isl.dim_type.out))
        return cls(parser.resolve_operand(operand, type), function)

    def print_form(self, printer: Printer) -> None:
        _print_operand_and(printer, self.operand, "by", self.function)

    def verify_(self) -> None:
        function = self.function.data
        self.verify_dimensions("a function", function.dim(isl.dim_type.in_), self.dimensions)
        out = function.dim(isl.dim_type.out)
        self.verify_dimensions("a function to points", out, dimensions_of(self.operand))
        verify_object(self, function, function.get_domain_space())


@irdl_op_definition
class RestrictOp(ExpressionOp):
    """The operand at the points of a set only: `equations.restrict %0 to "{ [i] : i > 0 }"`."""

    name = "equations.restrict"

    operand = operand_def(ExpressionType)
    domain = prop_def(SetAttr)

    def __init__(self, operand: SSAValue, domain: isl.Set) -> None:
        super().__init__([operand], domain.dim(isl.dim_type.set), {"domain": SetAttr(domain)})

    @classmethod
    def parse_form(cls, parser: Parser) -> RestrictOp:
        operand, domain = _parse_operand_and(parser, "to", SetAttr)
        type = ExpressionType.of(domain.dim(isl.dim_type.set))
        return cls(parser.resolve_operand(operand, type), domain)

    def print_form(self, printer: Printer) -> None:
        _print_operand_and(printer, self.operand, "to", self.domain)

    def verify_(self) -> None:
        domain = self.domain.data
        self.verify_same_dimensions()
        self.verify_dimensions("a set", domain.dim(isl.dim_type.set), self.dimensions)
        verify_object(self, domain, domain.get_space())


@irdl_op_definition
class AutoRestrictOp(ExpressionOp):
    """The operand where no other branch of the case is: `equations.auto_restrict %0 : <1>`."""

    name = "equations.auto_restrict"

    operand = operand_def(ExpressionType)

    def __init__(self, operand: SSAValue) -> None:
        super().__init__([operand], dimensions_of(operand))

    @classmethod
    def parse_form(cls, parser: Parser) -> AutoRestrictOp:
        (operand,) = _parse_typed(parser, [parser.parse_unresolved_operand()])
        return cls(operand)

    def print_form(self, printer: Printer) -> None:
        printer.print_ssa_value(self.operand)
        print_type(printer, self)

    def verify_(self) -> None:
        self.verify_same_dimensions()
        system_around(self)


@irdl_op_definition
class ReduceOp(ExpressionOp):
    """The operand at all points with the same image, combined by an operator.

    `equations.reduce "+" %0 by "{ [i, j] -> [(i)] }"`; an external function instead of an operator
    is written `@f`.
    """

    name = "equations.reduce"

    operand = operand_def(ExpressionType)
    operator = prop_def(_OPERATOR)
    projection = prop_def(MultiAffAttr)

    def __init__(
        self, operator: StringAttr | SymbolRefAttr, operand: SSAValue, projection: isl.MultiAff
    ) -> None:
        super().__init__(
            [operand],
            projection.dim(isl.dim_type.out),
            {"operator": operator, "projection": MultiAffAttr(projection)},
        )

    @classmethod
    def parse_form(cls, parser: Parser) -> ReduceOp:
        operator = _parse_operator(parser)
        operand, projection = _parse_operand_and(parser, "by", MultiAffAttr)
        type = ExpressionType.of(projection.dim(isl.dim_type.in_))
        return cls(operator, parser.resolve_operand(operand, type), projection)

    def print_form(self, printer: Printer) -> None:
        _print_operator(printer, self.operator)
        printer.print_string(" ")
        _print_operand_and(printer, self.operand, "by", self.projection)

    def verify_(self) -> None:
        projection = self.projection.data
        found = projection.dim(isl.dim_type.in_)
        self.verify_dimensions("a projection", found, dimensions_of(self.operand))
        out = projection.dim(isl.dim_type.out)
        self.verify_dimensions("a projection to points", out, self.dimensions)
        verify_object(self, projection, projection.get_domain_space())
        if isinstance(self.operator, SymbolRefAttr):
            verify_external(self, self.operator, 2)
        elif self.operator.data not in REDUCTION_OPERATORS:
            raise VerifyException(
                f"has the operator '{self.operator.data}'; those of reductions are "
                f"{', '.join(REDUCTION_OPERATORS)}"
            )


@irdl_op_definition
class CaseOp(ExpressionOp):
    """The operand that is defined at the point at hand: `equations.case %0, %1 : <1>`.

    It can have a name: `equations.case %0, %1 name "border" : <1>`.
    """

    name = "equations.case"

    branches = var_operand_def(ExpressionType)
    case_name = opt_prop_def(StringAttr)

    def __init__(self, branches: Sequence[SSAValue], name: str | None = None) -> None:
        name_attribute = None if name is None else StringAttr(name)
        super().__init__([branches], dimensions_of(branches[0]), {"case_name": name_attribute})

    @classmethod
    def parse_form(cls, parser: Parser) -> CaseOp:
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        name = None
        if parser.parse_optional_keyword("name") is not None:
            name = parser.parse_str_literal()
        return cls(_parse_typed(parser, operands), name)

    def print_form(self, printer: Printer) -> None:
        printer.print_list(self.branches, printer.print_ssa_value)
        if self.case_name is not None:
            printer.print_string(" name ")
            printer.print_string_literal(self.case_name.data)
        print_type(printer, self)

    def verify_(self) -> None:
        if not self.branches:
            raise VerifyException("needs at least one branch")
        self.verify_same_dimensions()
        system_around(self)


@irdl_op_definition
class IfOp(ExpressionOp):
    """The second operand where the first is true, or the third: `equations.if %0, %1, %2 : <1>`."""

    name = "equations.if"

    condition = operand_def(ExpressionType)
    then = operand_def(ExpressionType)
    otherwise = operand_def(ExpressionType)

    def __init__(self, condition: SSAValue, then: SSAValue, otherwise: SSAValue) -> None:
        super().__init__([condition, then, otherwise], dimensions_of(condition))

    @classmethod
    def parse_form(cls, parser: Parser) -> IfOp:
        operands = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            operands.append(parser.parse_unresolved_operand())
        return cls(*_parse_typed(parser, operands))

    def print_form(self, printer: Printer) -> None:
        printer.print_list(self.operands, printer.print_ssa_value)
        print_type(printer, self)

    def verify_(self) -> None:
        self.verify_same_dimensions()
        system_around(self)


@irdl_op_definition
class ApplyOp(ExpressionOp):
    """An operator, or an external function, on the values of the operands.

    `equations.apply "+"(%0, %1) : <1>`, `equations.apply @f(%0) : <1>`.
    """

    name = "equations.apply"

    operator = prop_def(_OPERATOR)
    parts = var_operand_def(ExpressionType)

    def __init__(
        self, operator: StringAttr | SymbolRefAttr, parts: Sequence[SSAValue], dimensions: int
    ) -> None:
        super().__init__([parts], dimensions, {"operator": operator})

    @classmethod
    def parse_form(cls, parser: Parser) -> ApplyOp:
        operator = _parse_operator(parser)
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        dimensions = parse_type(parser)
        type = ExpressionType.of(dimensions)
        parts = [parser.resolve_operand(operand, type) for operand in operands]
        return cls(operator, parts, dimensions)

    def print_form(self, printer: Printer) -> None:
        _print_operator(printer, self.operator)
        with printer.in_parens():
            printer.print_list(self.parts, printer.print_ssa_value)
        print_type(printer, self)

    def verify_(self) -> None:
        self.verify_same_dimensions()
        system_around(self)
        count = len(self.parts)
        if isinstance(self.operator, SymbolRefAttr):
            verify_external(self, self.operator, count)
        elif self.operator.data not in OPERATORS:
            raise VerifyException(f"has the unknown operator '{self.operator.data}'")
        elif not accepts(self.operator.data, count):
            raise VerifyException(f"has the operator '{self.operator.data}' of {count} operands")


def _constant(value: bool | int | float) -> Attribute:
    if isinstance(value, bool):
        return IntegerAttr.from_bool(value)
    return IntAttr(value) if isinstance(value, int) else FloatAttr(value, f64)


def _parse_typed(parser: Parser, operands: Sequence[Any]) -> list[SSAValue[ExpressionType]]:
    """The operands, which have all the type that follows."""
    type = ExpressionType.of(parse_type(parser))
    return [parser.resolve_operand(operand, type) for operand in operands]


def _parse_operand_and(
    parser: Parser, word: str, attribute: type[IslAttribute[IslObject]]
) -> tuple[UnresolvedOperand, IslObject]:
    """An operand, and an isl object behind a word: `%0 by "{ [i] -> [i] }"`."""
    operand = parser.parse_unresolved_operand()
    parser.parse_keyword(word)
    return operand, attribute.parse_text(parser)


def _print_operand_and(
    printer: Printer, operand: SSAValue, word: str, item: IslAttribute[Any]
) -> None:
    printer.print_ssa_value(operand)
    printer.print_string(f" {word} ")
    item.print_text(printer)


def _parse_operator(parser: Parser) -> StringAttr | SymbolRefAttr:
    external = parser.parse_optional_symbol_name()
    if external is not None:
        return SymbolRefAttr(external)
    return StringAttr(parser.parse_str_literal("an operator in quotes or an external function"))


def _print_operator(printer: Printer, operator: StringAttr | SymbolRefAttr) -> None:
    if isinstance(operator, SymbolRefAttr):
        printer.print_symbol_name(operator.root_reference.data)
    else:
        printer.print_string_literal(operator.data)
