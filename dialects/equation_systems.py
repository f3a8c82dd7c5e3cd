"""Systems of equations: variables, the bodies that define them, uses of other systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, cast

import islpy as isl
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    Float32Type,
    Float64Type,
    IntAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
)
from xdsl.ir import Attribute, Operation, Region, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.equation_definitions import DefineOp, UseOp, parse_names, print_names
from polyir.dialects.equation_types import (
    system_around,
    verify_object,
)
from polyir.dialects.isl_attributes import SetAttr
from polyir.dialects.schedule_tree import parse_attributes, parse_body, print_body
from polyir.sets.lists import parameters_of

ROLES: Final = ("input", "output", "local")
"""What a variable is to those who use the system."""

ELEMENT_TYPES: Final[Mapping[str, AnyFloat | IntegerType]] = MappingProxyType(
    {"f64": Float64Type(), "f32": Float32Type(), "i64": IntegerType(64), "i32": IntegerType(32)}
)
"""The types that the values of a system may have, by their names in options."""


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
        external.attributes |= parse_attributes(parser)
        return external

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(f" arguments {self.arguments.data}")
        printer.print_op_attributes(self.attributes, print_keyword=True)


@irdl_op_definition
class SystemOp(IRDLOperation):
    """Equations that define outputs and locals by inputs, for the parameters in the context.

    The body holds `equations.variable` operations, then `equations.body` operations. `elements f32`
    after the context says the type of all values; else, whoever makes code of the system does.
    """

    name = "equations.system"

    sym_name = prop_def(SymbolNameConstraint())
    elements = opt_prop_def(TypeAttribute)
    parameter_names = prop_def(ArrayAttr[StringAttr])
    context = prop_def(SetAttr)
    content = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(
        self,
        name: str,
        parameter_names: Sequence[str],
        context: isl.Set,
        content: Region,
        elements: Attribute | None = None,
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "elements": elements,
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
        if self.elements is not None and self.elements not in ELEMENT_TYPES.values():
            raise VerifyException(f"has elements of the type {self.elements}")
        _verify_context(self, self.context.data, names)

    @classmethod
    def parse(cls, parser: Parser) -> SystemOp:
        name = parser.parse_symbol_name().data
        parser.parse_keyword("parameters")
        names = parse_names(parser)
        parser.parse_keyword("context")
        context = SetAttr.parse_text(parser)
        elements = None
        if parser.parse_optional_keyword("elements") is not None:
            elements = parser.parse_type()
        attributes = parse_attributes(parser)
        system = cls(name, names, context, parse_body(parser), elements)
        system.attributes |= attributes
        return system

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" parameters ")
        print_names(printer, self.parameter_names)
        printer.print_string(" context ")
        self.context.print_text(printer)
        if self.elements is not None:
            printer.print_string(" elements ")
            printer.print_attribute(self.elements)
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
        variable.attributes |= parse_attributes(parser)
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
        attributes = parse_attributes(parser)
        body = cls(context, parse_body(parser))
        body.attributes |= attributes
        return body

    def print(self, printer: Printer) -> None:
        printer.print_string(" context ")
        self.context.print_text(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        print_body(printer, self.content)


def _verify_context(operation: Operation, context: isl.Set, names: Sequence[str]) -> None:
    if not context.is_params():
        raise VerifyException("needs a set of parameters as its context")
    if parameters_of(context.get_space()) != tuple(names):
        raise VerifyException(f"needs the parameters ({', '.join(names)}) in its context")


def _repeated(names: Sequence[str]) -> Iterator[str]:
    """Those that are there twice."""
    return (name for place, name in enumerate(names) if name in names[:place])
