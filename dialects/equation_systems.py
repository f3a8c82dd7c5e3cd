"""Systems of equations: variables, the bodies that define them, uses of other systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, cast

import islpy as isl
from xdsl.dialects.builtin import (
    ArrayAttr,
    FlatSymbolRefAttrConstr,
    IntAttr,
    ModuleOp,
    StringAttr,
    SymbolNameConstraint,
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
from xdsl.traits import IsolatedFromAbove, IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.equation_expressions import (
    ExpressionOp,
    ExpressionType,
    ancestor,
    dimensions_of,
    in_words,
    parse_attributes,
    parse_dimensions,
    parse_type,
    system_around,
    verify_object,
    verify_variable,
)
from polyir.dialects.isl_attributes import MultiAffAttr, SetAttr
from polyir.dialects.schedule_tree import parse_body, print_body

ROLES: Final = ("input", "output", "local")
"""What a variable is to those who use the system."""


@irdl_op_definition
class ExternalOp(IRDLOperation):
    """A function that is defined elsewhere: `equations.external @f arguments 2`."""

    name = "equations.external"

    sym_name = prop_def(SymbolNameConstraint())
    arguments = prop_def(IntAttr)

    def __init__(self, name: str, arguments: int) -> None:
        super().__init__(properties={"sym_name": StringAttr(name), "arguments": IntAttr(arguments)})

    def verify_(self) -> None:
        if self.arguments.data < 0:
            raise VerifyException("needs a number of arguments of 0 or more")

    @classmethod
    def parse(cls, parser: Parser) -> ExternalOp:
        name = parser.parse_symbol_name().data
        parser.parse_keyword("arguments")
        external = cls(name, parser.parse_integer(allow_boolean=False, allow_negative=False))
        parse_attributes(parser, external)
        return external

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(f" arguments {self.arguments.data}")
        printer.print_op_attributes(self.attributes, print_keyword=True)


@irdl_op_definition
class SystemOp(IRDLOperation):
    """Equations that define outputs and locals by inputs, for the parameters in the context.

    The body holds `equations.variable` operations, then `equations.body` operations.
    """

    name = "equations.system"

    sym_name = prop_def(SymbolNameConstraint())
    parameter_names = prop_def(ArrayAttr[StringAttr])
    context = prop_def(SetAttr)
    content = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(
        self, name: str, parameter_names: Sequence[str], context: isl.Set, content: Region
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "parameter_names": ArrayAttr([StringAttr(each) for each in parameter_names]),
                "context": SetAttr(context),
            },
            regions=[content],
        )

    @property
    def variables(self) -> tuple[VariableOp, ...]:
        """The variables, in order."""
        return tuple(op for op in self.content.block.ops if isinstance(op, VariableOp))

    @property
    def bodies(self) -> tuple[BodyOp, ...]:
        """The bodies, in order."""
        return tuple(op for op in self.content.block.ops if isinstance(op, BodyOp))

    def verify_(self) -> None:
        names = [name.data for name in self.parameter_names]
        if len(set(names)) != len(names):
            raise VerifyException("has two parameters with the same name")
        if tuple(self.content.block.ops) != (*self.variables, *self.bodies):
            raise VerifyException(
                "holds equations.variable operations, then equations.body operations"
            )
        variables = [variable.sym_name.data for variable in self.variables]
        for name in _repeated(variables):
            raise VerifyException(f"has two variables with the name @{name}")
        _verify_context(self, self.context.data, names)

    @classmethod
    def parse(cls, parser: Parser) -> SystemOp:
        name = parser.parse_symbol_name().data
        parser.parse_keyword("parameters")
        names = _parse_names(parser)
        parser.parse_keyword("context")
        context = SetAttr.parse_text(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        system = cls(name, names, context, parse_body(parser))
        if attributes is not None:
            system.attributes |= attributes.data
        return system

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" parameters ")
        _print_names(printer, self.parameter_names)
        printer.print_string(" context ")
        self.context.print_text(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        print_body(printer, self.content)


@irdl_op_definition
class VariableOp(IRDLOperation):
    """A variable, with the points where it has a value, and its role, one of `ROLES`.

    `equations.variable @X input "[N] -> { [i] : 0 <= i < N }"`
    """

    name = "equations.variable"

    sym_name = prop_def(SymbolNameConstraint())
    role = prop_def(StringAttr)
    domain = prop_def(SetAttr)

    def __init__(self, name: str, role: str, domain: isl.Set) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "role": StringAttr(role),
                "domain": SetAttr(domain),
            }
        )

    @property
    def dimensions(self) -> int:
        """How many dimensions the points have."""
        return self.domain.data.dim(isl.dim_type.set)

    def verify_(self) -> None:
        if self.role.data not in ROLES:
            raise VerifyException(f"has the unknown role '{self.role.data}'")
        domain = self.domain.data
        if domain.is_params():
            raise VerifyException("has a domain without points")
        verify_object(self, domain, domain.get_space())

    @classmethod
    def parse(cls, parser: Parser) -> VariableOp:
        name = parser.parse_symbol_name().data
        role = parser.parse_identifier(", ".join(ROLES))
        variable = cls(name, role, SetAttr.parse_text(parser))
        parse_attributes(parser, variable)
        return variable

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(f" {self.role.data} ")
        self.domain.print_text(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)


@irdl_op_definition
class BodyOp(IRDLOperation):
    """Equations and uses that hold for the parameters in a context, which is part of the system's.

    It holds `equations.define` operations, then `equations.use` operations.
    """

    name = "equations.body"

    context = prop_def(SetAttr)
    content = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(self, context: isl.Set, content: Region) -> None:
        super().__init__(properties={"context": SetAttr(context)}, regions=[content])

    @property
    def equations(self) -> tuple[DefineOp, ...]:
        """The equations, in order."""
        return tuple(op for op in self.content.block.ops if isinstance(op, DefineOp))

    @property
    def uses(self) -> tuple[UseOp, ...]:
        """The uses of other systems, in order."""
        return tuple(op for op in self.content.block.ops if isinstance(op, UseOp))

    def verify_(self) -> None:
        system = cast(SystemOp, system_around(self))
        names = [name.data for name in system.parameter_names]
        _verify_context(self, self.context.data, names)
        if tuple(self.content.block.ops) != (*self.equations, *self.uses):
            raise VerifyException(
                "holds equations.define operations, then equations.use operations"
            )
        defined = [each.variable.root_reference.data for each in self.equations]
        for name in _repeated(defined):
            raise VerifyException(f"has two equations for @{name}")

    @classmethod
    def parse(cls, parser: Parser) -> BodyOp:
        parser.parse_keyword("context")
        context = SetAttr.parse_text(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        body = cls(context, parse_body(parser))
        if attributes is not None:
            body.attributes |= attributes.data
        return body

    def print(self, printer: Printer) -> None:
        printer.print_string(" context ")
        self.context.print_text(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        print_body(printer, self.content)


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
        ancestor(self, BodyOp.name)
        variable = verify_variable(self, self.variable, dimensions_of(self.value))
        assert isinstance(variable, VariableOp)
        if variable.role.data == "input":
            raise VerifyException(f"defines the input @{variable.sym_name.data}")
        if self.index_names is not None and len(self.index_names) != variable.dimensions:
            raise VerifyException(f"needs {variable.dimensions} names of indices")
        _verify_expressions(self, self.expression)

    @classmethod
    def parse(cls, parser: Parser) -> DefineOp:
        name = parser.parse_symbol_name().data
        names = None
        if parser.parse_optional_keyword("indices") is not None:
            names = _parse_names(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        equation = cls(name, parse_body(parser), names)
        if attributes is not None:
            equation.attributes |= attributes.data
        return equation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.variable.root_reference.data)
        if self.index_names is not None:
            printer.print_string(" indices ")
            _print_names(printer, self.index_names)
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
        ancestor(self, BodyOp.name)
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
            if isinstance(each, SystemOp) and each.sym_name.data == name:
                return each
        raise VerifyException(f"uses the unknown system @{name}")

    @classmethod
    def parse(cls, parser: Parser) -> UseOp:
        name = parser.parse_symbol_name().data
        parser.parse_keyword("domain")
        domain = SetAttr.parse_text(parser)
        parser.parse_keyword("parameters")
        parameters = MultiAffAttr.parse_text(parser)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        use = cls(name, domain, parameters, parse_body(parser))
        if attributes is not None:
            use.attributes |= attributes.data
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


def _verify_context(operation: Operation, context: isl.Set, names: Sequence[str]) -> None:
    if not context.is_params():
        raise VerifyException("needs a set of parameters as its context")
    space = context.get_space()
    found = [
        space.get_dim_name(isl.dim_type.param, place)
        for place in range(space.dim(isl.dim_type.param))
    ]
    if found != list(names):
        raise VerifyException(f"needs the parameters ({', '.join(names)}) in its context")


def _repeated(names: Sequence[str]) -> Iterator[str]:
    """Those that are there twice."""
    return (name for place, name in enumerate(names) if name in names[:place])


def _parse_names(parser: Parser) -> list[str]:
    return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)


def _print_names(printer: Printer, names: ArrayAttr[StringAttr]) -> None:
    with printer.in_square_brackets():
        printer.print_list(names, lambda name: printer.print_string_literal(name.data))
