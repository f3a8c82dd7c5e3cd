"""Equations and uses of other systems: what is in a body of a system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import islpy as isl
from xdsl.dialects.builtin import (
    ArrayAttr,
    FlatSymbolRefAttrConstr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.equation_types import (
    ExpressionOp,
    ExpressionType,
    ancestor,
    dimensions_of,
    in_words,
    parse_dimensions,
    parse_type,
    verify_object,
    verify_variable,
)
from polyir.dialects.isl_attributes import MultiAffAttr, SetAttr
from polyir.dialects.schedule_tree import parse_attributes, parse_body, print_body

if TYPE_CHECKING:
    from polyir.dialects.equation_systems import SystemOp, VariableOp


@irdl_op_definition
class DefineOp(IRDLOperation):
    """An equation: the variable has the values of the expression that `equations.yield` names.

    `equations.define @X { ... }`; `indices ["i", "j"]` are the names with which it is written.
    """

    name = "equations.define"

    variable = prop_def(FlatSymbolRefAttrConstr)
    index_names = opt_prop_def(ArrayAttr[StringAttr])
    expression = region_def("single_block")

    traits = traits_def(IsolatedFromAbove())

    def __init__(
        self, variable: str, expression: Region, index_names: Sequence[str] | None = None
    ) -> None:
        super().__init__(
            properties={
                "variable": SymbolRefAttr(variable),
                "index_names": None
                if index_names is None
                else ArrayAttr([StringAttr(name) for name in index_names]),
            },
            regions=[expression],
        )

    @property
    def value(self) -> SSAValue:
        """The expression."""
        last = self.expression.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException("must end in equations.yield")
        return last.value

    def verify_(self) -> None:
        ancestor(self, "equations.body")
        found = verify_variable(self, self.variable, dimensions_of(self.value))
        variable = cast("VariableOp", found)
        if variable.role.data == "input":
            raise VerifyException(f"defines the input @{variable.sym_name.data}")
        if self.index_names is not None and len(self.index_names) != variable.dimensions:
            raise VerifyException(
                f"has {len(self.index_names)} names of indices, and the variable "
                f"@{variable.sym_name.data} has {in_words(variable.dimensions)}"
            )
        _verify_expressions(self, self.expression)

    @classmethod
    def parse(cls, parser: Parser) -> DefineOp:
        name = parser.parse_symbol_name().data
        names = None
        if parser.parse_optional_keyword("indices") is not None:
            names = parse_names(parser)
        attributes = parse_attributes(parser)
        equation = cls(name, parse_body(parser), names)
        equation.attributes |= attributes
        return equation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.variable.root_reference.data)
        if self.index_names is not None:
            printer.print_string(" indices ")
            print_names(printer, self.index_names)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        print_body(printer, self.expression)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends an equation: `equations.yield %0 : <1>`."""

    name = "equations.yield"

    value = operand_def(ExpressionType)

    traits = traits_def(IsTerminator())

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value])

    @classmethod
    def parse(cls, parser: Parser) -> YieldOp:
        operand = parser.parse_unresolved_operand()
        return cls(parser.resolve_operand(operand, ExpressionType.of(parse_type(parser))))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(f" : <{dimensions_of(self.value)}>")


@irdl_op_definition
class UseOp(IRDLOperation):
    """Instances of another system, one for each point of `domain`.

    `parameters` has the values of that system's parameters for each instance. `equations.connect`
    has the values of its inputs, and the variables that have those of its outputs; the first
    dimensions of them all are those of `domain`.
    """

    name = "equations.use"

    system = prop_def(FlatSymbolRefAttrConstr)
    domain = prop_def(SetAttr)
    parameters = prop_def(MultiAffAttr)
    connection = region_def("single_block")

    traits = traits_def(IsolatedFromAbove())

    def __init__(
        self, system: str, domain: isl.Set, parameters: isl.MultiAff, connection: Region
    ) -> None:
        super().__init__(
            properties={
                "system": SymbolRefAttr(system),
                "domain": SetAttr(domain),
                "parameters": MultiAffAttr(parameters),
            },
            regions=[connection],
        )

    @property
    def connect(self) -> ConnectOp:
        """The terminator."""
        last = self.connection.block.last_op
        if not isinstance(last, ConnectOp):
            raise VerifyException("must end in equations.connect")
        return last

    def verify_(self) -> None:
        ancestor(self, "equations.body")
        domain, parameters = self.domain.data, self.parameters.data
        verify_object(self, domain, domain.get_space())
        verify_object(self, parameters, parameters.get_domain_space())
        dimensions = domain.dim(isl.dim_type.set)
        if parameters.dim(isl.dim_type.in_) != dimensions:
            raise VerifyException(f"needs parameters as a function of {in_words(dimensions)}")
        used = self._used_system()
        count = len(used.parameter_names)
        if parameters.dim(isl.dim_type.out) != count:
            raise VerifyException(f"must give {count} parameters to @{used.sym_name.data}")
        for role, values in (("input", self.connect.inputs), ("output", self.connect.outputs)):
            _verify_connected(used, role, values, dimensions)
        _verify_expressions(self, self.connection)

    def _used_system(self) -> SystemOp:
        name = self.system.root_reference.data
        for each in ancestor(self, ModuleOp.name).regions[0].block.ops:
            if each.name == "equations.system":
                system = cast("SystemOp", each)
                if system.sym_name.data == name:
                    return system
        raise VerifyException(f"uses the unknown system @{name}")

    @classmethod
    def parse(cls, parser: Parser) -> UseOp:
        name = parser.parse_symbol_name().data
        parser.parse_keyword("domain")
        domain = SetAttr.parse_text(parser)
        parser.parse_keyword("parameters")
        parameters = MultiAffAttr.parse_text(parser)
        attributes = parse_attributes(parser)
        use = cls(name, domain, parameters, parse_body(parser))
        use.attributes |= attributes
        return use

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.system.root_reference.data)
        printer.print_string(" domain ")
        self.domain.print_text(printer)
        printer.print_string(" parameters ")
        self.parameters.print_text(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        print_body(printer, self.connection)


@irdl_op_definition
class ConnectOp(IRDLOperation):
    """Ends a use: `equations.connect (%0, %1) to (%2) : (<1>, <1>) to (<1>)`."""

    name = "equations.connect"

    inputs = var_operand_def(ExpressionType)
    outputs = var_operand_def(ExpressionType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    traits = traits_def(IsTerminator())

    def __init__(self, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> None:
        super().__init__(operands=[inputs, outputs])

    @classmethod
    def parse(cls, parser: Parser) -> ConnectOp:
        def operands() -> list[UnresolvedOperand]:
            return parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )

        def types() -> list[ExpressionType]:
            dimensions = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parse_dimensions(parser)
            )
            return [ExpressionType.of(each) for each in dimensions]

        inputs = operands()
        parser.parse_keyword("to")
        outputs = operands()
        position = parser.pos
        parser.parse_punctuation(":")
        input_types = types()
        parser.parse_keyword("to")
        output_types = types()
        return cls(
            parser.resolve_operands(inputs, input_types, position),
            parser.resolve_operands(outputs, output_types, position),
        )

    def print(self, printer: Printer) -> None:
        groups = (self.inputs, self.outputs)
        for values, before in zip(groups, (" ", " to "), strict=True):
            printer.print_string(before)
            with printer.in_parens():
                printer.print_list(values, printer.print_ssa_value)
        for values, before in zip(groups, (" : ", " to "), strict=True):
            printer.print_string(before)
            types = ", ".join(f"<{dimensions_of(value)}>" for value in values)
            printer.print_string(f"({types})")


def _verify_connected(
    used: SystemOp, role: str, values: Sequence[SSAValue], dimensions: int
) -> None:
    declared = [variable for variable in used.variables if variable.role.data == role]
    if len(declared) != len(values):
        raise VerifyException(
            f"must connect the {len(declared)} {role}s of @{used.sym_name.data}, not {len(values)}"
        )
    for variable, value in zip(declared, values, strict=True):
        expected = dimensions + variable.dimensions
        if dimensions_of(value) != expected:
            raise VerifyException(
                f"must connect the {role} @{variable.sym_name.data} to an expression of "
                f"{in_words(expected)}, not {dimensions_of(value)}"
            )


def _verify_expressions(operation: Operation, region: Region) -> None:
    *expressions, _ = region.block.ops
    if not all(isinstance(each, ExpressionOp) for each in expressions):
        raise VerifyException("must hold expressions only")


def parse_names(parser: Parser) -> list[str]:
    """Read `["i", "j"]`."""
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)


def print_names(printer: Printer, names: ArrayAttr[StringAttr]) -> None:
    """Print `["i", "j"]`."""
    with printer.in_square_brackets():
        printer.print_list(names, lambda name: printer.print_string_literal(name.data))
