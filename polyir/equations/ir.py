"""Programs as modules of the equations dialect, and back, without loss."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from polyir.base.diagnostics import PolyirError, SourceLocation, source_location
from polyir.dialects.equation_definitions import ConnectOp, DefineOp, UseOp, YieldOp
from polyir.dialects.equation_expressions import (
    ApplyOp,
    AutoRestrictOp,
    CaseOp,
    ConstantOp,
    DependOp,
    IfOp,
    IndexOp,
    PolynomialOp,
    ReadOp,
    ReduceOp,
    RestrictOp,
)
from polyir.dialects.equation_systems import (
    ELEMENT_TYPES,
    BodyOp,
    ExternalOp,
    SystemOp,
    VariableOp,
)
from polyir.dialects.equation_types import ExpressionOp
from polyir.equations.errors import EquationFormError
from polyir.equations.system import (
    AutoRestrict,
    Body,
    Case,
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    If,
    Index,
    Polynomial,
    Program,
    Reduce,
    Restrict,
    Role,
    System,
    Use,
    Variable,
)
from polyir.equations.system import Operation as Applied

_WORDS = {Role.INPUT: "input", Role.OUTPUT: "output", Role.LOCAL: "local"}
_ROLES = {word: role for role, word in _WORDS.items()}


def module_of(program: Program) -> ModuleOp:
    """A module with the systems and external functions of a program, and nothing else.

    It is not verified. Raises `PolyirError` where a system that is used is unknown.
    """
    return ModuleOp(operations_of(program))


def operations_of(program: Program) -> list[Operation]:
    """The operations of a program, in the order in which a module has them."""
    systems = {system.name: system for system in program.systems}
    externals = [ExternalOp(name, count) for name, count in program.externals.items()]
    return [*externals, *(_system_op(system, systems) for system in program.systems)]


def program_of(module: ModuleOp) -> Program:
    """The program that the operations of the equations dialect in a verified module are."""
    operations = module.body.block.ops
    return Program(
        tuple(_system(op) for op in operations if isinstance(op, SystemOp)),
        {op.sym_name.data: op.arguments.data for op in operations if isinstance(op, ExternalOp)},
    )


def replace_program(module: ModuleOp, program: Program) -> None:
    """Put a program in place of the one that a module has; other operations stay."""
    block = module.body.block
    new = operations_of(program)
    for op in list(block.ops):
        if isinstance(op, SystemOp | ExternalOp):
            block.erase_op(op)
    block.add_ops(new)


# ------------------------------------------------------------------------------- to operations


def _placed(op: Operation, location: SourceLocation | None) -> Operation:
    if location is not None:
        op.location = FileLineColLoc(
            StringAttr(location.file), IntAttr(location.line), IntAttr(location.column)
        )
    return op


def _system_op(system: System, systems: dict[str, System]) -> Operation:
    variables = [
        _placed(VariableOp(each.name, _WORDS[each.role], each.domain), each.location)
        for each in system.declarations
    ]
    bodies = [_body_op(body, system, systems) for body in system.bodies]
    content = Region(Block([*variables, *bodies]))
    elements = None if system.elements is None else ELEMENT_TYPES[system.elements]
    op = SystemOp(system.name, system.parameters, system.context, content, elements)
    return _placed(op, system.location)


def _body_op(body: Body, system: System, systems: dict[str, System]) -> Operation:
    equations = [_define_op(each, system) for each in body.equations]
    uses = [_use_op(each, systems) for each in body.uses]
    return BodyOp(body.context, Region(Block([*equations, *uses])))


def _define_op(equation: Equation, system: System) -> Operation:
    declaration = system.variables.get(equation.variable)
    if declaration is None:
        raise PolyirError(
            f"the equation defines '{equation.variable}', which is not declared",
            equation.location,
            name="unknown-name",
        )
    values = _Values()
    dimensions = declaration.domain.dim(isl.dim_type.set)
    values.block.add_op(YieldOp(values.of(equation.expression, dimensions)))
    op = DefineOp(equation.variable, Region(values.block), equation.index_names)
    return _placed(op, equation.location)


def _use_op(use: Use, systems: dict[str, System]) -> Operation:
    used = systems.get(use.system)
    if used is None:
        raise PolyirError(
            f"the system '{use.system}' is unknown", use.location, name="unknown-name"
        )
    own = use.domain.dim(isl.dim_type.set)
    values = _Values()

    def of_role(role: Role, expressions: Sequence[Expression]) -> list[SSAValue]:
        declared = used.of_role(role)
        if len(declared) != len(expressions):
            raise EquationFormError(
                f"'{use.system}' has {len(declared)} {role.value}, and {len(expressions)} are "
                "given",
                use.location,
            )
        return [
            values.of(each, own + variable.domain.dim(isl.dim_type.set))
            for each, variable in zip(expressions, declared, strict=True)
        ]

    connect = ConnectOp(of_role(Role.INPUT, use.inputs), of_role(Role.OUTPUT, use.outputs))
    values.block.add_op(connect)
    op = UseOp(use.system, use.domain, use.parameters, Region(values.block))
    return _placed(op, use.location)


class _Values:
    """The values of expressions, computed by the operations of `block`.

    An expression object that stands in several places is computed once.
    """

    def __init__(self) -> None:
        self.block = Block()
        self._known: dict[tuple[int, int], SSAValue] = {}

    def of(self, expression: Expression, dimensions: int) -> SSAValue:
        """The value of an expression at points of so many dimensions."""
        key = (id(expression), dimensions)
        if key not in self._known:
            inner = _inner_dimensions(expression, dimensions)
            operands = zip(expression.operands, inner, strict=True)
            parts = [self.of(operand, count) for operand, count in operands]
            op = _expression_op(expression, parts, dimensions)
            self.block.add_op(_placed(op, expression.location))
            self._known[key] = op.result
        return self._known[key]


def _inner_dimensions(expression: Expression, dimensions: int) -> list[int]:
    match expression:
        case Dependence(function=function):
            return [function.dim(isl.dim_type.out)]
        case Reduce(projection=projection):
            return [projection.dim(isl.dim_type.in_)]
        case _:
            return [dimensions] * len(expression.operands)


def _expression_op(expression: Expression, parts: list[SSAValue], dimensions: int) -> ExpressionOp:
    match expression:
        case Constant(value=value):
            return ConstantOp(value, dimensions)
        case Variable(name=name):
            return ReadOp(name, dimensions)
        case Index(function=aff):
            return IndexOp(aff)
        case Polynomial(function=polynomial):
            return PolynomialOp(polynomial)
        case Dependence(function=function):
            return DependOp(parts[0], function)
        case Restrict(domain=domain):
            return RestrictOp(parts[0], domain)
        case AutoRestrict():
            return AutoRestrictOp(parts[0])
        case Reduce(projection=projection, operator=operator, is_external=is_external):
            return ReduceOp(_operator_attribute(operator, is_external), parts[0], projection)
        case Case(name=label):
            return CaseOp(parts, label)
        case If():
            return IfOp(*parts)
        case Applied(operator=operator, is_external=is_external):
            return ApplyOp(_operator_attribute(operator, is_external), parts, dimensions)
        case _:
            raise TypeError(f"no expression: {expression}")


def _operator_attribute(name: str, is_external: bool) -> StringAttr | SymbolRefAttr:
    return SymbolRefAttr(name) if is_external else StringAttr(name)


# ----------------------------------------------------------------------------- from operations


def _system(op: SystemOp) -> System:
    return System(
        op.sym_name.data,
        tuple(name.data for name in op.parameter_names),
        op.context.data,
        tuple(
            Declaration(
                each.sym_name.data,
                each.domain.data,
                _ROLES[each.role.data],
                source_location(each.location),
            )
            for each in op.variables
        ),
        tuple(_body(body) for body in op.bodies),
        source_location(op.location),
        None if op.elements is None else str(op.elements),
    )


def _body(op: BodyOp) -> Body:
    equations = tuple(
        Equation(
            each.variable.root_reference.data,
            expression_of(each.value),
            None if each.index_names is None else tuple(name.data for name in each.index_names),
            source_location(each.location),
        )
        for each in op.equations
    )
    return Body(op.context.data, equations, tuple(_use(each) for each in op.uses))


def _use(op: UseOp) -> Use:
    known: dict[SSAValue, Expression] = {}
    return Use(
        op.system.root_reference.data,
        op.domain.data,
        op.parameters.data,
        tuple(expression_of(value, known) for value in op.connect.inputs),
        tuple(expression_of(value, known) for value in op.connect.outputs),
        source_location(op.location),
    )


def expression_of(value: SSAValue, known: dict[SSAValue, Expression] | None = None) -> Expression:
    """The expression that a value stands for; `known` has those that were asked for before."""
    known = {} if known is None else known
    if value not in known:
        op = value.owner
        assert isinstance(op, ExpressionOp)
        parts = tuple(expression_of(operand, known) for operand in op.operands)
        known[value] = _expression(op, parts, source_location(op.location))
    return known[value]


def _expression(
    op: ExpressionOp, parts: tuple[Expression, ...], place: SourceLocation | None
) -> Expression:
    match op:
        case ConstantOp():
            return Constant(op.number, location=place)
        case ReadOp():
            return Variable(op.variable.root_reference.data, location=place)
        case IndexOp():
            return Index(op.function.data, location=place)
        case PolynomialOp():
            return Polynomial(op.function.data, location=place)
        case DependOp():
            return Dependence(parts[0], op.function.data, location=place)
        case RestrictOp():
            return Restrict(parts[0], op.domain.data, location=place)
        case AutoRestrictOp():
            return AutoRestrict(parts[0], location=place)
        case ReduceOp():
            name, is_external = _operator_name(op.operator)
            return Reduce(parts[0], name, op.projection.data, is_external, location=place)
        case CaseOp():
            label = None if op.case_name is None else op.case_name.data
            return Case(parts, label, location=place)
        case IfOp():
            return If(parts, location=place)
        case ApplyOp():
            name, is_external = _operator_name(op.operator)
            return Applied(parts, name, is_external, location=place)
        case _:
            raise TypeError(f"no expression: {op.name}")


def _operator_name(operator: StringAttr | SymbolRefAttr) -> tuple[str, bool]:
    if isinstance(operator, SymbolRefAttr):
        return operator.root_reference.data, True
    return operator.data, False
