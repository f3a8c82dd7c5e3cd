"""What the operations of the equations dialect share: the type of expressions, syntax, checks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, Self, cast

import islpy as isl
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.isl_attributes import IslAttribute
from polyir.dialects.schedule_tree import parse_attributes
from polyir.sets.lists import parameters_of


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


def dimensions_of(value: SSAValue) -> int:
    """How many dimensions an expression has."""
    if not isinstance(value.type, ExpressionType):
        raise VerifyException("has an operand that is not an expression")
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
        operation.attributes |= parse_attributes(parser)
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
