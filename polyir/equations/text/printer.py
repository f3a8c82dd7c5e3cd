"""Systems of equations as text, in dependence notation and in array notation.

Both say the same: `(i, j -> i, j - 1)@A` and `A[i, j - 1]`. What `read_program` makes of either is
the same program, but for the names of dimensions.
"""

from __future__ import annotations

from decimal import Decimal
from enum import Enum
from itertools import groupby
from typing import Final

import islpy as isl

from polyir.equations.system import (
    ORDER_OPERATORS,
    AutoRestrict,
    Body,
    Case,
    Constant,
    Dependence,
    Equation,
    Expression,
    If,
    Index,
    Operation,
    Polynomial,
    Program,
    Reduce,
    Restrict,
    Role,
    System,
    Use,
    Variable,
)
from polyir.equations.text.isl_print import (
    affine_text,
    array_set_text,
    condition_text,
    function_text,
    polynomial_text,
    set_text,
    values_text,
)
from polyir.equations.text.names import Names, completed, names_behind, names_of, position_names
from polyir.equations.text.source import spelled

INDENT: Final = "    "

_LOWEST: Final = 0
_UNARY: Final = 6
_TERMINAL: Final = 7
_LEVELS: Final = {
    "or": 1,
    "xor": 1,
    "and": 2,
    **dict.fromkeys(ORDER_OPERATORS, 3),
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
}
"""How tightly operators between two operands bind; `min` and `max` are written before them."""


class Form(Enum):
    """The two notations."""

    SHOW = "show"
    ARRAY = "ashow"


def program_text(program: Program, form: Form) -> str:
    """All systems and external functions of a program."""
    blocks: list[str] = []
    for package, names in groupby(sorted(program.externals), _package):
        lines = [f"external {_last(name)}({program.externals[name]})" for name in names]
        blocks.append(_in_package(package, "\n".join(lines)))
    for package, systems in groupby(program.systems, lambda each: _package(each.name)):
        texts = [system_text(each, program, form) for each in systems]
        blocks.append(_in_package(package, "\n".join(texts).rstrip("\n")))
    return "\n".join(f"{block}\n" for block in blocks)


def system_text(system: System, program: Program, form: Form) -> str:
    """One system, which may use others of the program."""
    parameters = f"[{', '.join(system.parameters)}] -> " if system.parameters else ""
    lines = [f"affine {_last(system.name)} {parameters}{array_set_text(system.context, ())}"]
    for role in Role:
        declared = system.of_role(role)
        if declared:
            lines.append(INDENT + role.value)
        for each in declared:
            domain = set_text(each.domain, names_of(each.domain))
            lines.append(f"{INDENT * 2}{spelled(each.name)} : {domain}")
    printer = _Printer(system, program, form)
    for body in system.bodies:
        lines += printer.body(body)
    return "\n".join(lines) + "\n.\n"


def expression_text(expression: Expression, system: System, names: Names, form: Form) -> str:
    """An expression at points of those dimensions, on one line or several."""
    printer = _Printer(system, Program((system,)), form)
    return printer.expression(expression, names, _LOWEST, "")


class _Printer:
    """Prints parts of a system. `indent` is that of the line in which a part begins."""

    def __init__(self, system: System, program: Program, form: Form) -> None:
        self._system = system
        self._systems = {each.name: each for each in program.systems}
        self._is_array = form is Form.ARRAY

    def body(self, body: Body) -> list[str]:
        """The lines of a body."""
        lines = [f"{INDENT}let"]
        if len(self._system.bodies) > 1 or not body.context.is_equal(self._system.context):
            context = body.context.gist(self._system.context)
            lines = [f"{INDENT}when {array_set_text(context, ())} let"]
        lines += [self._equation(each) for each in body.equations]
        return lines + [self._use(each) for each in body.uses]

    def _equation(self, equation: Equation) -> str:
        names = names_of(self._system.variables[equation.variable].domain)
        head = spelled(equation.variable)
        if self._is_array:
            names = equation.index_names or names
            head += f"[{', '.join(names)}]" if names else ""
        indent = INDENT * 2
        return f"{indent}{head} = {self.expression(equation.expression, names, 0, indent)};"

    def _use(self, use: Use) -> str:
        over = names_of(use.domain)
        used = self._systems[use.system]
        within = self._names_within(used, over)
        parts = []
        if over or condition_text(use.domain, ()):
            parts.append(f"over {set_text(use.domain, over)}")
        if within:
            parts.append(f"with [{', '.join(within)}]")
        head = f"{' '.join(parts)} : " if parts else ""
        inputs = self._arguments(use.inputs, used, Role.INPUT, (*over, *within), len(over))
        outputs = self._arguments(use.outputs, used, Role.OUTPUT, (*over, *within), len(over))
        parameters = values_text(use.parameters, over)
        return f"{INDENT * 2}{head}({outputs}) = {_spelled(use.system)}[{parameters}]({inputs});"

    def _names_within(self, used: System, over: Names) -> Names:
        """Names for the dimensions of all variables of a system that is used."""
        domains = [each.domain for each in used.declarations if each.role is not Role.LOCAL]
        if not domains:
            return ()
        widest = max(domains, key=lambda each: each.dim(isl.dim_type.set))
        taken = {*over, *self._system.parameters}
        known = [None if name in taken else name for name in names_of(widest)]
        return completed([*over, *known], self._system.parameters)[len(over) :]

    def _arguments(
        self, given: tuple[Expression, ...], used: System, role: Role, names: Names, over: int
    ) -> str:
        counts = [each.domain.dim(isl.dim_type.set) for each in used.of_role(role)]
        texts = (
            self.expression(each, names[: over + count], _LOWEST, INDENT * 2)
            for each, count in zip(given, counts, strict=True)
        )
        return ", ".join(texts)

    def expression(self, expression: Expression, names: Names, level: int, indent: str) -> str:
        """An expression, in parentheses where one that binds at least like `level` is needed."""
        found, text = self._leveled(expression, names, indent)
        return text if found >= level else f"({text})"

    def _leveled(self, expression: Expression, names: Names, indent: str) -> tuple[int, str]:
        match expression:
            case Constant(value=value):
                return _TERMINAL, _number_text(value)
            case Variable(name=name):
                return _TERMINAL, spelled(name)
            case Index(function=function):
                return _TERMINAL, self._index(function, names)
            case Polynomial(function=function):
                return _TERMINAL, self._polynomial(function, names)
            case Dependence():
                return _TERMINAL, self._dependence(expression, names, indent)
            case Reduce():
                return _TERMINAL, self._reduce(expression, names, indent)
            case Restrict(operand=operand, domain=domain):
                fits = domain.dim(isl.dim_type.set) == len(names)
                inner = names if fits else names_of(domain)
                printed = array_set_text if self._is_array and fits else set_text
                body = self.expression(operand, inner, _LOWEST, indent)
                return _LOWEST, f"{printed(domain, inner)} : {body}"
            case AutoRestrict(operand=operand):
                return _LOWEST, f"auto : {self.expression(operand, names, _LOWEST, indent)}"
            case Case():
                return _TERMINAL, self._case(expression, names, indent)
            case If(parts=parts):
                texts = (self.expression(each, names, _LOWEST, indent) for each in parts)
                return _LOWEST, "if {} then {} else {}".format(*texts)
            case Operation():
                return self._operation(expression, names, indent)
        raise AssertionError(expression)

    def _index(self, function: isl.Aff, names: Names) -> str:
        known = _fitting(names, function, self._system.parameters)
        value = affine_text(function, known)
        return f"val[{value}]" if self._is_array and known == names else _arrow(known, value)

    def _polynomial(self, function: isl.PwQPolynomial, names: Names) -> str:
        known = _fitting(names, function, self._system.parameters)
        head = "" if self._is_array and known == names else f"[{', '.join(known)}] -> "
        return f"val {polynomial_text(function, known, head)}"

    def _dependence(self, expression: Dependence, names: Names, indent: str) -> str:
        operand, function = expression.operand, expression.function
        is_array = self._is_array and _takes_brackets(operand)
        if len(names) != function.dim(isl.dim_type.in_):
            # This is an error, which array notation would hide.
            names, is_array = names_of(function), False
        if is_array:
            text = self.expression(operand, (), _TERMINAL, indent)
            return f"{text}[{values_text(function, names)}]"
        behind = names_behind(function, names, self._system.parameters)
        text = self.expression(operand, behind, _TERMINAL, indent)
        return f"{function_text(function, names)}@{text}"

    def _reduce(self, expression: Reduce, names: Names, indent: str) -> str:
        projection = expression.projection
        inner = self._names_inside(projection, names)
        body = self.expression(expression.operand, inner, _LOWEST, indent)
        head = function_text(projection, inner)
        if self._is_array and inner[: len(names)] == names and _keeps_first(projection, len(names)):
            head = f"[{', '.join(inner[len(names) :])}]"
        operator = expression.operator
        if expression.is_external:
            operator = _spelled(operator)
        return f"reduce({operator}, {head}, {body})"

    def _names_inside(self, projection: isl.MultiAff, names: Names) -> Names:
        """Names for the points that are combined: those of the result where they are the same."""
        own = names_of(projection)
        if not self._is_array or not _keeps_first(projection, len(names)):
            return own
        rest = [None if name in names else name for name in own[len(names) :]]
        return completed([*names, *rest], self._system.parameters)

    def _case(self, expression: Case, names: Names, indent: str) -> str:
        inner = indent + INDENT
        lines = [
            f"{inner}{self.expression(each, names, _LOWEST, inner)};\n" for each in expression.parts
        ]
        name = f"{spelled(expression.name)} " if expression.name else ""
        return f"case {name}{{\n{''.join(lines)}{indent}}}"

    def _operation(self, expression: Operation, names: Names, indent: str) -> tuple[int, str]:
        parts, operator = expression.parts, expression.operator
        level = _LEVELS.get(operator)
        if len(parts) == 1 and operator in ("-", "not"):
            text = self.expression(parts[0], names, _TERMINAL, indent)
            if isinstance(parts[0], Constant | Dependence):
                # AlphaZ reads neither without parentheses.
                text = f"({text})"
            return _UNARY, f"-{text}" if operator == "-" else f"not {text}"
        if len(parts) == 2 and level is not None and not expression.is_external:
            first = self.expression(parts[0], names, level, indent)
            second = self.expression(parts[1], names, level + 1, indent)
            return level, f"{first} {operator} {second}"
        texts = [self.expression(each, names, _LOWEST, indent) for each in parts]
        name = _spelled(operator) if expression.is_external else operator
        return _TERMINAL, f"{name}({', '.join(texts)})"


def _takes_brackets(operand: Expression) -> bool:
    if isinstance(operand, Constant):
        return not isinstance(operand.value, bool)
    return isinstance(operand, Variable)


def _keeps_first(projection: isl.MultiAff, count: int) -> bool:
    """Whether a projection only leaves out dimensions after the first so many."""
    space = projection.get_space()
    arguments = isl.MultiAff.identity(space.domain().map_from_set())
    return projection.dim(isl.dim_type.out) == count <= projection.dim(isl.dim_type.in_) and all(
        projection.get_at(position).plain_is_equal(arguments.get_at(position))
        for position in range(count)
    )


def _number_text(value: bool | int | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = format(Decimal(repr(value)), "f")
    return text if "." in text else f"{text}.0"


def _arrow(names: Names, value: str) -> str:
    return f"val({', '.join(names)} -> {value})" if names else f"val(-> {value})"


def _fitting(
    names: Names, function: isl.Aff | isl.PwQPolynomial, parameters: tuple[str, ...]
) -> Names:
    """`names`, or others where dimensions do not fit: what is wrong is printed, too."""
    count = function.dim(isl.dim_type.in_)
    return names if len(names) == count else position_names(count, parameters)


def _package(name: str) -> str:
    return name.rpartition(".")[0]


def _last(name: str) -> str:
    return spelled(name.rpartition(".")[2])


def _spelled(name: str) -> str:
    return ".".join(spelled(part) for part in name.split("."))


def _in_package(package: str, text: str) -> str:
    if not package:
        return text
    lines = [INDENT + line if line else line for line in text.split("\n")]
    return "\n".join([f"package {_spelled(package)} {{", *lines, "}"])
