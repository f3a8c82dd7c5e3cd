"""Expressions of equations: functions from integer points to values.

Each operation has one result, an expression; its operands are those of which it is made. isl
objects say where: their tuples have no names, and their parameters are those of the system around.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from difflib import get_close_matches
from math import isfinite
from typing import Any, Self, cast

import islpy as isl
from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    FlatSymbolRefAttrConstr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    f64,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    AttrConstraint,
    BaseAttr,
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.equation_operators import OPERATORS, REDUCTION_OPERATORS, accepts
from polyir.dialects.isl_attributes import (
    AffAttr,
    IslAttribute,
    MultiAffAttr,
    PwQPolynomialAttr,
    SetAttr,
)
from polyir.isl_lists import parameters_of


@irdl_attr_definition
class ExpressionType(ParametrizedAttribute, TypeAttribute):
    """An expression; how many dimensions the points have at which it has a value."""

    name = "equations.expression"

    dimensions: IntAttr

    @staticmethod
    def of(dimensions: int) -> ExpressionType:
        """The type of expressions of so many dimensions."""
        return ExpressionType(IntAttr(dimensions))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_int(self.dimensions.data)


_OPERATOR: AttrConstraint[StringAttr | SymbolRefAttr] = (
    BaseAttr(StringAttr) | FlatSymbolRefAttrConstr
)
"""The name of an operator, or an external function."""


def dimensions_of(value: SSAValue) -> int:
    """How many dimensions an expression has."""
    if not isinstance(value.type, ExpressionType):
        raise VerifyException("has an operand that is no expression")
    return value.type.dimensions.data


def in_words(dimensions: int) -> str:
    """`2 dimensions`."""
    return f"{dimensions} dimension{'' if dimensions == 1 else 's'}"


class ExpressionOp(IRDLOperation):
    """An expression. Its text ends in its type where nothing else in it says the dimensions."""

    result = result_def(ExpressionType)

    traits = traits_def(Pure())

    def __init__(
        self,
        operands: Sequence[SSAValue | Sequence[SSAValue]],
        dimensions: int,
        properties: dict[str, Attribute | None] | None = None,
    ) -> None:
        super().__init__(
            operands=operands,
            properties=properties or {},
            result_types=[ExpressionType.of(dimensions)],
        )

    @property
    def dimensions(self) -> int:
        """How many dimensions the points have at which the expression has a value."""
        return dimensions_of(self.result)

    @classmethod
    @abstractmethod
    def parse_form(cls, parser: Parser) -> Self:
        """Read what follows the name of the operation."""

    @abstractmethod
    def print_form(self, printer: Printer) -> None:
        """Print what follows the name of the operation."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operation = cls.parse_form(parser)
        parse_attributes(parser, operation)
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_form(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)

    def verify_same_dimensions(self) -> None:
        """The operands are defined at points of as many dimensions as the expression."""
        for operand in self.operands:
            if dimensions_of(operand) != self.dimensions:
                raise VerifyException(
                    f"has {in_words(self.dimensions)} and an operand of "
                    f"{in_words(dimensions_of(operand))}"
                )

    def verify_dimensions(self, what: str, found: int, expected: int) -> None:
        """An isl object has as many dimensions as the expression needs."""
        if found != expected:
            raise VerifyException(f"needs {what} of {in_words(expected)}, not {found}")


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


@irdl_op_definition
class IndexOp(ExpressionOp):
    """An integer, by an affine function: `equations.index "[N] -> { [i] -> [(N - i)] }"`."""

    name = "equations.index"

    function = prop_def(AffAttr)

    def __init__(self, function: isl.Aff) -> None:
        super().__init__([], function.dim(isl.dim_type.in_), {"function": AffAttr(function)})

    @classmethod
    def parse_form(cls, parser: Parser) -> IndexOp:
        return cls(AffAttr.parse_text(parser))

    def print_form(self, printer: Printer) -> None:
        self.function.print_text(printer)

    def verify_(self) -> None:
        function = self.function.data
        self.verify_dimensions("a function", function.dim(isl.dim_type.in_), self.dimensions)
        verify_object(self, function, function.get_domain_space())


@irdl_op_definition
class PolynomialOp(ExpressionOp):
    """An integer, by a quasi-polynomial: `equations.polynomial "{ [i] -> 1/2 * i^2 }"`."""

    name = "equations.polynomial"

    function = prop_def(PwQPolynomialAttr)

    def __init__(self, function: isl.PwQPolynomial) -> None:
        dimensions = function.dim(isl.dim_type.in_)
        super().__init__([], dimensions, {"function": PwQPolynomialAttr(function)})

    @classmethod
    def parse_form(cls, parser: Parser) -> PolynomialOp:
        return cls(PwQPolynomialAttr.parse_text(parser))

    def print_form(self, printer: Printer) -> None:
        self.function.print_text(printer)

    def verify_(self) -> None:
        function = self.function.data
        self.verify_dimensions("a function", function.dim(isl.dim_type.in_), self.dimensions)
        verify_object(self, function, function.get_domain_space())


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
        operand = parser.parse_unresolved_operand()
        parser.parse_keyword("by")
        function = MultiAffAttr.parse_text(parser)
        type = ExpressionType.of(function.dim(isl.dim_type.out))
        return cls(parser.resolve_operand(operand, type), function)

    def print_form(self, printer: Printer) -> None:
        printer.print_ssa_value(self.operand)
        printer.print_string(" by ")
        self.function.print_text(printer)

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
        operand = parser.parse_unresolved_operand()
        parser.parse_keyword("to")
        domain = SetAttr.parse_text(parser)
        type = ExpressionType.of(domain.dim(isl.dim_type.set))
        return cls(parser.resolve_operand(operand, type), domain)

    def print_form(self, printer: Printer) -> None:
        printer.print_ssa_value(self.operand)
        printer.print_string(" to ")
        self.domain.print_text(printer)

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
        operand = parser.parse_unresolved_operand()
        parser.parse_keyword("by")
        projection = MultiAffAttr.parse_text(parser)
        type = ExpressionType.of(projection.dim(isl.dim_type.in_))
        return cls(operator, parser.resolve_operand(operand, type), projection)

    def print_form(self, printer: Printer) -> None:
        _print_operator(printer, self.operator)
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)
        printer.print_string(" by ")
        self.projection.print_text(printer)

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


def parse_attributes(parser: Parser, operation: Operation) -> None:
    """Read the attributes that an operation has besides its properties, if there are any."""
    attributes = parser.parse_optional_attr_dict_with_keyword()
    if attributes is not None:
        operation.attributes |= attributes.data


def parse_type(parser: Parser) -> int:
    """Read `: <2>`."""
    parser.parse_punctuation(":")
    return parse_dimensions(parser)


def parse_dimensions(parser: Parser) -> int:
    """Read `<2>`, what tells the types of expressions apart."""
    with parser.in_angle_brackets():
        return parser.parse_integer(allow_boolean=False, allow_negative=False)


def print_type(printer: Printer, operation: ExpressionOp) -> None:
    """Print ` : <2>`."""
    printer.print_string(f" : <{operation.dimensions}>")


def _parse_typed(parser: Parser, operands: Sequence[Any]) -> list[SSAValue[ExpressionType]]:
    """The operands, which have all the type that follows."""
    type = ExpressionType.of(parse_type(parser))
    return [parser.resolve_operand(operand, type) for operand in operands]


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


def ancestor(operation: Operation, name: str) -> Operation:
    """The operation of that name around an operation."""
    parent = operation.parent_op()
    while parent is not None and parent.name != name:
        parent = parent.parent_op()
    if parent is None:
        raise VerifyException(f"must be in an operation '{name}'")
    return parent


def system_around(operation: Operation) -> Operation:
    """The `equations.system` around an operation."""
    return ancestor(operation, "equations.system")


def verify_object(operation: Operation, item: Any, space: isl.Space) -> None:
    """An isl object has the parameters of the system around, and its points have no name.

    `space` is that of its points.
    """
    declared = tuple(name.data for name in _parameter_names(system_around(operation)))
    found = parameters_of(space)
    if found != declared:
        raise VerifyException(
            f'has the parameters ({", ".join(found)}) in "{item}", and the system has '
            f"({', '.join(declared)})"
        )
    if not space.is_params() and space.has_tuple_name(isl.dim_type.set):
        raise VerifyException(f'has points with a name in "{item}"')


def _parameter_names(system: Operation) -> ArrayAttr[StringAttr]:
    return cast(ArrayAttr[StringAttr], system.properties["parameter_names"])


def verify_variable(operation: Operation, variable: SymbolRefAttr, dimensions: int) -> Operation:
    """The `equations.variable` of a name, which must have so many dimensions."""
    system = system_around(operation)
    name = variable.root_reference.data
    names: dict[str, Operation] = {
        cast(StringAttr, each.properties["sym_name"]).data: each
        for each in system.regions[0].block.ops
        if each.name == "equations.variable"
    }
    if name not in names:
        hint = get_close_matches(name, names, n=1)
        suffix = f"; did you mean @{hint[0]}?" if hint else ""
        raise VerifyException(f"refers to the unknown variable @{name}{suffix}")
    domain = names[name].properties["domain"]
    assert isinstance(domain, IslAttribute)
    found = domain.data.dim(isl.dim_type.set)
    if found != dimensions:
        raise VerifyException(f"has {in_words(dimensions)}, and the variable @{name} has {found}")
    return names[name]


def verify_external(operation: Operation, function: SymbolRefAttr, count: int) -> None:
    """An external function is declared with so many arguments."""
    name = function.root_reference.data
    module = ancestor(operation, ModuleOp.name)
    for each in module.regions[0].block.ops:
        if each.name == "equations.external":
            if cast(StringAttr, each.properties["sym_name"]).data != name:
                continue
            declared = cast(IntAttr, each.properties["arguments"]).data
            if declared != count:
                raise VerifyException(
                    f"applies @{name}, which has {declared} arguments, to {count}"
                )
            return
    raise VerifyException(f"applies the unknown external function @{name}")
