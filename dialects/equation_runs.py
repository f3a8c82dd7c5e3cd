"""Functions that compute systems of equations on memory of theirs."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    FlatSymbolRefAttrConstr,
    IndexType,
    MemRefType,
    ModuleOp,
    SymbolRefAttr,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.equation_systems import SystemOp, VariableOp
from polyir.dialects.equation_types import in_words
from polyir.dialects.schedule_tree import parse_attributes


@irdl_op_definition
class ComputeOp(IRDLOperation):
    """Computes the outputs of a system, for these parameters and inputs, into memory.

        equations.compute @s(%n) inputs (%X, %a : memref<?xf64>, f64) outputs (%X : memref<?xf64>)

    A variable is an array in which the element with the subscripts i is its value at i; elements at
    other points are neither read nor written. An input without dimensions may be a number. An
    output may be in memory of an input: all inputs are read before.
    """

    name = "equations.compute"

    system = prop_def(FlatSymbolRefAttrConstr)
    parameters = var_operand_def(IndexType())
    inputs = var_operand_def()
    outputs = var_operand_def(MemRefType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        system: str,
        parameters: Sequence[SSAValue],
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
    ) -> None:
        super().__init__(
            operands=[parameters, inputs, outputs],
            properties={"system": SymbolRefAttr(system)},
        )

    def verify_(self) -> None:
        system = self._computed_system()
        if len(self.parameters) != len(system.parameter_names):
            raise VerifyException(f"needs {len(system.parameter_names)} parameters")
        if len(set(self.outputs)) < len(self.outputs):
            raise VerifyException("has two outputs in the same memory")
        for role, values in (("input", self.inputs), ("output", self.outputs)):
            variables = [each for each in system.variables if each.role.data == role]
            if len(values) != len(variables):
                raise VerifyException(f"needs {len(variables)} {role}s")
            for value, variable in zip(values, variables, strict=True):
                _verify_rank(value, variable)

    def _computed_system(self) -> SystemOp:
        name = self.system.root_reference.data
        around: Operation | None = self.parent_op()
        while around is not None:
            if isinstance(around, ModuleOp):
                for each in around.body.block.ops:
                    if isinstance(each, SystemOp) and each.sym_name.data == name:
                        return each
            around = around.parent_op()
        raise VerifyException(f"computes the unknown system @{name}")

    @classmethod
    def parse(cls, parser: Parser) -> ComputeOp:
        name = parser.parse_symbol_name().data
        parameters = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType())
        )
        parser.parse_keyword("inputs")
        inputs = _parse_operands(parser)
        parser.parse_keyword("outputs")
        compute = cls(name, parameters, inputs, _parse_operands(parser))
        compute.attributes |= parse_attributes(parser)
        return compute

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.system.root_reference.data)
        with printer.in_parens():
            printer.print_list(self.parameters, printer.print_ssa_value)
        printer.print_string(" inputs ")
        _print_operands(printer, self.inputs)
        printer.print_string(" outputs ")
        _print_operands(printer, self.outputs)
        printer.print_op_attributes(self.attributes, print_keyword=True)


def _verify_rank(value: SSAValue, variable: VariableOp) -> None:
    rank = len(value.type.get_shape()) if isinstance(value.type, MemRefType) else 0
    if rank != variable.dimensions:
        raise VerifyException(
            f"needs memory of {in_words(variable.dimensions)} for @{variable.sym_name.data}, "
            f"not {in_words(rank)}"
        )


def _parse_operands(parser: Parser) -> list[SSAValue]:
    """Read `(%A, %b : memref<?xf64>, f64)`."""
    with parser.in_parens():
        names = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        if not names:
            return []
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return list(parser.resolve_operands(names, types, position))


def _print_operands(printer: Printer, values: Sequence[SSAValue]) -> None:
    with printer.in_parens():
        if values:
            printer.print_list(values, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list([value.type for value in values], printer.print_attribute)
