"""C text of the syntax tree: C99, with the parentheses that C needs and gcc asks for.

For another language of the C family, the printer takes a `Dialect` with what is spelt differently.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Container, Iterator, Sequence
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from polyir.target.abi import Scalar
from polyir.target.c.dialect import C99, Dialect
from polyir.target.c.syntax import (
    Address,
    Allocation,
    Argument,
    Array,
    ArrayArgument,
    Assign,
    AtomicUpdate,
    Binary,
    Break,
    Call,
    CallStatement,
    Cast,
    Compound,
    Conditional,
    Copy,
    CParameter,
    CStatement,
    Declaration,
    Element,
    Expression,
    ExpressionStatement,
    ExtensionStatement,
    FloatLiteral,
    For,
    Free,
    Function,
    GlobalArray,
    If,
    IntegerLiteral,
    LocalArray,
    Name,
    Pragma,
    ResultPointer,
    Return,
    RowView,
    Spelling,
    StringLiteral,
    Unary,
    Variable,
    VectorExpression,
    While,
    compare,
    literal,
)
from polyir.target.c.types import CType, Vector

INDENT: Final = "  "
LINE_WIDTH: Final = 100


class Precedence(IntEnum):
    """How tightly an operator binds, loosest first (C99, section 6.5)."""

    CONDITIONAL = 1
    LOGICAL_OR = 2
    LOGICAL_AND = 3
    BITWISE_OR = 4
    BITWISE_XOR = 5
    BITWISE_AND = 6
    EQUALITY = 7
    RELATIONAL = 8
    SHIFT = 9
    ADDITIVE = 10
    MULTIPLICATIVE = 11
    UNARY = 12
    POSTFIX = 13


BINARY_OPERATORS: Final = MappingProxyType(
    {
        "||": Precedence.LOGICAL_OR,
        "&&": Precedence.LOGICAL_AND,
        "|": Precedence.BITWISE_OR,
        "^": Precedence.BITWISE_XOR,
        "&": Precedence.BITWISE_AND,
        "==": Precedence.EQUALITY,
        "!=": Precedence.EQUALITY,
        "<": Precedence.RELATIONAL,
        "<=": Precedence.RELATIONAL,
        ">": Precedence.RELATIONAL,
        ">=": Precedence.RELATIONAL,
        "<<": Precedence.SHIFT,
        ">>": Precedence.SHIFT,
        "+": Precedence.ADDITIVE,
        "-": Precedence.ADDITIVE,
        "*": Precedence.MULTIPLICATIVE,
        "/": Precedence.MULTIPLICATIVE,
        "%": Precedence.MULTIPLICATIVE,
    }
)

_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
_COMPOUND: Final = ("+", "-", "*", "/")


class Printer:
    """Prints expressions, statements and functions.

    `used` holds the variables that the file uses; the others get a `(void)`, against a warning.
    The functions `declared` are in headers.
    """

    def __init__(self, used: Container[Variable], dialect: Dialect = C99) -> None:
        self._used = used
        self._dialect = dialect
        self.declared = dialect.declared

    # ---------------------------------------------------------------- literals and types

    def spell(self, type: CType) -> str:
        """The name of a type."""
        return type.name if isinstance(type, Vector) else self._dialect.types[type]

    def spell_memory(self, type: Scalar) -> str:
        """The name of the type of values that are passed, or are in arrays."""
        return self._dialect.memory_types[type]

    def integer_literal(self, value: int, type: Scalar) -> tuple[str, Precedence]:
        if type is Scalar.BOOL:
            return ("true" if value else "false"), Precedence.POSTFIX
        if value in (-(2**31), -(2**63)):
            # The literal 2147483648 is no int, and its negation would not be either.
            if self._dialect.has_limit_macros:
                return f"INT{64 if value == -(2**63) else 32}_MIN", Precedence.UNARY
            return f"{value + 1}{'L' * (value == -(2**63))} - 1", Precedence.ADDITIVE
        suffix = "u" if type.value.startswith("u") else ""
        return f"{value}{suffix}", Precedence.UNARY if value < 0 else Precedence.POSTFIX

    def float_literal(self, value: float, type: Scalar) -> tuple[str, Precedence]:
        """The shortest decimal that reads back as the same bits; `INFINITY` and `NAN`."""
        negative = math.copysign(1.0, value) < 0
        precedence = Precedence.UNARY if negative else Precedence.POSTFIX
        sign = "-" if negative else ""
        if math.isnan(value):
            return f"{sign}NAN", precedence
        if math.isinf(value):
            return f"{sign}INFINITY", precedence
        if type is Scalar.FLOAT:
            return f"{_short_single(value)}f", precedence
        return repr(value), precedence

    # ---------------------------------------------------------------- expressions

    def expression(self, expression: Expression) -> str:
        """The text of an expression."""
        return self._expression(expression)[0]

    def _expression(self, expression: Expression) -> tuple[str, Precedence]:
        match expression:
            case Name(variable=variable):
                return variable.name, Precedence.POSTFIX
            case IntegerLiteral(type=type, value=value):
                return self.integer_literal(value, type)
            case FloatLiteral(type=type, value=value):
                return self.float_literal(value, type)
            case StringLiteral(text=text):
                return _quoted(text), Precedence.POSTFIX
            case Unary(operator=operator, operand=operand):
                text = self.inside(operand, Precedence.UNARY)
                space = " " if text.startswith(operator) else ""
                return f"{operator}{space}{text}", Precedence.UNARY
            case Cast(type=Vector()):
                from polyir.target.c.vector_syntax import conversion_text

                return conversion_text(self, expression)
            case Cast(type=type, operand=operand):
                text = self.inside(operand, Precedence.UNARY)
                return f"({self.spell(type)}){text}", Precedence.UNARY
            case Binary():
                return self._binary(expression)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                above = Precedence.LOGICAL_OR
                texts = [self.inside(part, above) for part in (condition, then, otherwise)]
                return "{} ? {} : {}".format(*texts), Precedence.CONDITIONAL
            case Call(function=function, arguments=arguments):
                return self._call(function, arguments), Precedence.POSTFIX
            case Element(array=array, indices=indices, is_pointer=is_pointer):
                return self._element(array, indices, is_pointer)
            case VectorExpression():
                from polyir.target.c.vector_syntax import vector_text

                return vector_text(self, expression)
            case _:
                raise TypeError(f"unknown expression {expression!r}")

    def inside(self, expression: Expression, at_least: Precedence) -> str:
        """The text of an expression, in parentheses if it binds less."""
        text, precedence = self._expression(expression)
        return text if precedence >= at_least else f"({text})"

    def _binary(self, expression: Binary) -> tuple[str, Precedence]:
        precedence = BINARY_OPERATORS[expression.operator]
        if Precedence.BITWISE_OR <= precedence <= Precedence.SHIFT:
            # gcc asks for parentheses here under -Wparentheses.
            left_limit = right_limit = Precedence.UNARY
            if expression.operator in _COMPARISONS:
                left_limit = right_limit = Precedence.ADDITIVE
        elif precedence is Precedence.LOGICAL_OR:
            left_limit = right_limit = Precedence.BITWISE_OR
        else:
            left_limit, right_limit = precedence, Precedence(precedence + 1)
        left = self.inside(expression.left, left_limit)
        right = self.inside(expression.right, right_limit)
        return f"{left} {expression.operator} {right}", precedence

    def _call(self, function: str, arguments: Sequence[Argument]) -> str:
        return f"{self._function_name(function)}({', '.join(map(self.argument, arguments))})"

    def _function_name(self, function: str) -> str:
        return self._dialect.functions.get(function, function)

    def argument(self, argument: Argument) -> str:
        """What is passed to a function."""
        if not isinstance(argument, Address):
            return self.expression(argument)
        conversion = "" if argument.rows is None else f"({self.pointer_type(argument.rows)})"
        name = argument.variable.name + "[0]" * argument.indices
        return conversion + "&" * argument.is_taken + name

    def _element(
        self, array: Variable, indices: tuple[Expression, ...], is_pointer: bool
    ) -> tuple[str, Precedence]:
        if array.spelling is not None:
            return self._spelt(array.spelling, indices)
        if indices:
            return f"{array.name}{self._subscripts(indices)}", Precedence.POSTFIX
        if is_pointer:
            return f"*{array.name}", Precedence.UNARY
        return array.name, Precedence.POSTFIX

    def _subscripts(self, expressions: Sequence[Expression]) -> str:
        return "".join(f"[{self.expression(expression)}]" for expression in expressions)

    def _spelt(self, spelling: Spelling, indices: tuple[Expression, ...]) -> tuple[str, Precedence]:
        """An element as the source writes it."""
        text = ""
        for part in spelling.parts:
            if isinstance(part, str):
                text += part
            elif spelling.strides and part is spelling.parts[-1]:
                text += f"[{self._linear(spelling.strides, indices[part:])}]"
            else:
                text += f"[{self.expression(indices[part])}]"
        return text, Precedence.POSTFIX

    def _linear(self, strides: tuple[str, ...], indices: tuple[Expression, ...]) -> str:
        """Several subscripts written as one."""
        terms = [
            f"{self.inside(index, Precedence.MULTIPLICATIVE)} * {stride}"
            for stride, index in zip(strides, indices, strict=False)
            if index != literal(0)
        ]
        if not terms or indices[-1] != literal(0):
            terms.append(self.inside(indices[-1], Precedence.ADDITIVE))
        return " + ".join(terms)

    # ---------------------------------------------------------------- statements

    def statements(self, statements: Sequence[CStatement], indent: str = "") -> Iterator[str]:
        """The lines of statements."""
        for statement in statements:
            match statement:
                case For():
                    yield from self._for(statement, indent)
                case If():
                    yield from self._if(statement, indent)
                case While(condition=condition, body=body):
                    head = f"{indent}while ({self.expression(condition)}) {{"
                    yield from wrapped(head, len(indent) + 7)
                    yield from self.statements(body, indent + INDENT)
                    yield f"{indent}}}"
                case Compound(body=body, pragmas=pragmas):
                    yield from self._pragmas(pragmas, indent)
                    yield f"{indent}{{"
                    yield from self.statements(body, indent + INDENT)
                    yield f"{indent}}}"
                case AtomicUpdate():
                    yield from self._atomic(statement, indent)
                case ExtensionStatement():
                    yield from self.extension(statement, indent)
                case _:
                    yield from wrapped(f"{indent}{self._simple(statement)};")
                    yield from self._unused(_declared(statement), indent)

    def extension(self, statement: ExtensionStatement, indent: str) -> Iterator[str]:
        """The lines of a statement that C does not have."""
        raise TypeError(f"unknown statement {statement!r}")

    def _unused(self, variables: Sequence[Variable], indent: str) -> Iterator[str]:
        """A line that uses those of `variables` that nothing else uses."""
        unused = [variable for variable in variables if variable not in self._used]
        if unused:
            yield indent + " ".join(f"(void){variable.name};" for variable in unused)

    def _simple(self, statement: CStatement) -> str:
        """A statement of one line, without the semicolon."""
        match statement:
            case Declaration(type=type, variable=variable, value=value, is_constant=is_constant):
                head = f"{'const ' if is_constant else ''}{self.spell(type)} {variable.name}"
                return head if value is None else f"{head} = {self.expression(value)}"
            case LocalArray(array=array, value=value, alignment=alignment):
                space = self._dialect.shared_space if statement.is_shared else ""
                name = f"{array.variable.name}{self._subscripts(array.extents)}"
                start = "" if value is None else f" = {self.expression(value)}"
                # GCC and Clang know the attribute in C99, too, which has no `_Alignas`.
                aligned = "" if alignment is None else f" __attribute__((__aligned__({alignment})))"
                return f"{space}{self.spell_memory(array.element)} {name}{aligned}{start}"
            case Allocation(array=array, alignment=None):
                function = self._function_name("malloc")
                return self.allocation(array, f"{function}({self.byte_count(array)})")
            case Allocation(array=array, alignment=int(alignment)):
                # The size must be a multiple of the alignment.
                size = f"({self.byte_count(array)} + {alignment - 1}) / {alignment} * {alignment}"
                function = self._function_name("aligned_alloc")
                return self.allocation(array, f"{function}({alignment}, {size})")
            case RowView(array=array, pointer=pointer):
                return f"{self.pointer(array)} = ({self.pointer_type(array)}){pointer.name}"
            case Free(array=array):
                return f"{self._function_name('free')}({array.variable.name})"
            case Copy(target=target, source=source):
                arrays = f"{target.variable.name}, {source.variable.name}"
                return f"{self._function_name('memcpy')}({arrays}, {self.byte_count(source)})"
            case Assign(target=target, value=value):
                return self._assignment(target, value)
            case CallStatement(type=type, variable=variable):
                call = self._call(statement.function, statement.arguments)
                if type is None or variable is None:
                    return call
                return f"const {self.spell(type)} {variable.name} = {call}"
            case ExpressionStatement(value=value):
                return self.expression(value)
            case Break():
                return "break"
            case Return(value=value):
                return f"return {self.expression(value)}"
            case _:
                raise TypeError(f"unknown statement {statement!r}")

    def _assignment(self, target: Expression, value: Expression) -> str:
        """`x += y` for `x = x + y`, which is the same, and likewise for `-`, `*` and `/`."""
        left = self.expression(target)
        match value:
            case Binary(operator=operator, left=first, right=right):
                if operator in _COMPOUND and first == target and value.type == target.type:
                    return f"{left} {operator}= {self.expression(right)}"
            case _:
                pass
        return f"{left} = {self.expression(value)}"

    def _atomic(self, statement: AtomicUpdate, indent: str) -> Iterator[str]:
        """An update by OpenMP.

        Sums and products of integers are those of unsigned ones, but for elements of the source,
        which may have another type of the same size.
        """
        target, value = self.expression(statement.target), self.expression(statement.value)
        type = statement.target.type
        is_choice = statement.operator in "<>"
        if statement.has_pragma:
            yield f"{indent}#pragma omp atomic{' compare' if is_choice else ''}"
        if is_choice:
            value = f"{value} {statement.operator} {target} ? {value} : {target}"
            yield from wrapped(f"{indent}{target} = {value};")
            return
        is_own = statement.target.array.spelling is None
        if statement.operator in "+*" and not type.is_float and is_own:
            target = f"*({self.spell(type.unsigned)} *)&{target}"
            value = self.expression(Cast(type.unsigned, statement.value))
        yield from wrapped(f"{indent}{target} {statement.operator}= {value};")

    def pointer(self, array: Array, is_restricted: bool = True) -> str:
        """The declarator of a pointer through which `array` is indexed."""
        restrict = f"{self._dialect.restrict} " if is_restricted else ""
        return self.pointer_type(array, f"{restrict}{array.variable.name}")

    def pointer_type(self, array: Array, declared: str = "") -> str:
        """The type of such a pointer, or the declaration of `declared`."""
        name = f"{self._dialect.global_space}{self.spell_memory(array.element)}"
        if len(array.extents) < 2 or array.is_linear:
            return f"{name} *{declared}"
        return f"{name} (*{declared}){self._subscripts(array.extents[1:])}"

    def allocation(self, array: Array, call: str) -> str:
        """The declaration of a pointer to memory that a function returns as a `void *`."""
        conversion = "" if self._dialect.converts_pointers else f"({self.pointer_type(array)})"
        return f"{self.pointer(array)} = {conversion}{call}"

    def byte_count(self, array: Array) -> str:
        """The size of an array; its extents are names and literals."""
        size = f"sizeof({self.spell_memory(array.element)})"
        return " * ".join([size, *map(self.expression, array.extents)])

    def _pragmas(self, pragmas: Sequence[Pragma], indent: str) -> Iterator[str]:
        for pragma in pragmas:
            operands = map(self.expression, pragma.operands)
            yield f"{indent}#pragma {pragma.directive.format(*operands)}"

    def _for(self, loop: For, indent: str) -> Iterator[str]:
        """A loop; a head that does not fit in a line has its three parts on lines of their own."""
        yield from self._pragmas(loop.pragmas, indent)
        name = loop.counter.name
        counter = Name(loop.type, loop.counter)
        # As an expression, so that a bound that is a conditional gets its parentheses.
        test = compare("<=" if loop.is_inclusive else "<", counter, loop.upper)
        if isinstance(loop.step, IntegerLiteral) and loop.step.value == 1:
            increment = f"{name}++"
        else:
            increment = f"{name} += {self.expression(loop.step)}"
        first = f"{self.spell(loop.type)} {name} = {self.expression(loop.lower)}"
        clauses = (f"{first};", f"{self.expression(test)};", f"{increment}) {{")
        head = f"{indent}for ({' '.join(clauses)}"
        if len(head) <= LINE_WIDTH:
            yield head
        else:
            yield from wrapped(f"{indent}for ({clauses[0]}", len(indent) + 9)
            for clause in clauses[1:]:
                yield from wrapped(f"{indent}     {clause}")
        yield from self.statements(loop.body, indent + INDENT)
        yield f"{indent}}}"

    def _if(self, statement: If, indent: str) -> Iterator[str]:
        """A condition; an `else` that holds nothing but another one is an `else if`."""
        keyword = f"{indent}if"
        while True:
            head = f"{keyword} ({self.expression(statement.condition)}) {{"
            yield from wrapped(head, len(indent) + 4)
            yield from self.statements(statement.then, indent + INDENT)
            match statement.otherwise:
                case ():
                    break
                case (If() as statement,):
                    keyword = f"{indent}}} else if"
                case otherwise:
                    yield f"{indent}}} else {{"
                    yield from self.statements(otherwise, indent + INDENT)
                    break
        yield f"{indent}}}"

    # ---------------------------------------------------------------- definitions

    def global_array(self, definition: GlobalArray) -> Iterator[str]:
        """The definition of a global."""
        array = definition.array
        linkage = self._dialect.static_array if definition.is_static else ""
        name = f"{array.variable.name}{self._subscripts(array.extents)}"
        head = f"{linkage}{self.spell(array.element)} {name}"
        if not definition.values:
            yield f"{head};"
            return
        extents = [extent.value for extent in array.extents if isinstance(extent, IntegerLiteral)]
        values = [self.expression(value) for value in definition.values]
        yield from wrapped(f"{head} = {_braced(values, extents)};")

    def function(self, function: Function) -> Iterator[str]:
        """The definition of a function."""
        yield from self._sizes(function.parameters)
        yield from f"{self._signature(function)} {{".splitlines()
        yield from self.unused_parameters(function)
        yield from self.statements(function.body or (), INDENT)
        yield "}"

    def unused_parameters(self, function: Function) -> Iterator[str]:
        """A line that uses the parameters that nothing else uses."""
        named = [_parameter_variable(parameter) for parameter in function.parameters]
        yield from self._unused(named, INDENT)

    def prototype(self, function: Function) -> list[str]:
        """The declaration of a function."""
        return f"{self._signature(function)};".splitlines()

    def _signature(self, function: Function) -> str:
        """A function's head, broken into lines that are not too long."""
        head = f"{self.head(function)} {function.name}"
        parameters = [self._parameter(parameter) for parameter in function.parameters]
        text = f"{head}({', '.join(parameters) or 'void'})"
        if len(text) + len(" {") <= LINE_WIDTH:
            return text
        lines, line = [f"{head}("], INDENT * 2
        for position, parameter in enumerate(parameters):
            item = parameter + (", " if position + 1 < len(parameters) else ")")
            if len(line) + len(item) > LINE_WIDTH and line != INDENT * 2:
                lines.append(line.rstrip())
                line = INDENT * 2
            line += item
        return "\n".join([*lines, line])

    def head(self, function: Function) -> str:
        """What comes before the name of a function."""
        result = "void" if function.result is None else self.spell_memory(function.result)
        return f"{self._dialect.static if function.is_static else self._dialect.linkage}{result}"

    def _parameter(self, parameter: CParameter) -> str:
        if not isinstance(parameter, ArrayArgument):
            is_pointer = isinstance(parameter, ResultPointer)
            star = f"*{self._dialect.restrict} " if is_pointer else ""
            return f"{self.spell_memory(parameter.type)} {star}{parameter.variable.name}"
        array = parameter.array
        constant = "const " if parameter.is_constant else ""
        if parameter.is_plain or not self._dialect.has_array_parameters:
            return f"{constant}{self.pointer(array, parameter.is_restricted)}"
        name, extents = f"{constant}{self.spell_memory(array.element)}", array.extents
        restrict = self._dialect.restrict
        if extents and not any(isinstance(extent, Name) for extent in extents):
            rows = self._subscripts(extents[1:])
            return f"{name} {array.variable.name}[{restrict} {self.expression(extents[0])}]{rows}"
        return f"{name} *{restrict} {_parameter_variable(parameter).name}"

    def _sizes(self, parameters: Sequence[CParameter]) -> Iterator[str]:
        """A comment that says which parameters are the sizes of which arrays."""
        arrays = [
            f"{parameter.array.variable.name}{self._subscripts(parameter.array.extents)}"
            for parameter in parameters
            if isinstance(parameter, ArrayArgument) and _is_dynamic(parameter.array)
        ]
        if arrays:
            order = " (row-major)" if any("][" in array for array in arrays) else ""
            text = f"// Array sizes{order}: {', '.join(arrays)}"
            yield from textwrap.wrap(text, LINE_WIDTH, subsequent_indent="//   ")


def _braced(texts: Sequence[str], shape: Sequence[int]) -> str:
    """An initialiser with the braces of its dimensions."""
    if not shape:
        return texts[0]
    size = len(texts) // shape[0] if shape[0] else 0
    rows = [_braced(texts[n * size : (n + 1) * size], shape[1:]) for n in range(shape[0])]
    return "{" + ", ".join(rows) + "}"


def _is_dynamic(array: Array) -> bool:
    return any(isinstance(extent, Name) for extent in array.extents)


def _parameter_variable(parameter: CParameter) -> Variable:
    """The variable that a parameter declares."""
    if isinstance(parameter, ArrayArgument):
        return parameter.pointer or parameter.array.variable
    return parameter.variable


def _declared(statement: CStatement) -> Sequence[Variable]:
    """The variables that a statement declares and gives a value, or memory."""
    match statement:
        case Declaration(variable=variable, value=Expression()):
            return (variable,)
        case LocalArray(array=array) | Allocation(array=array):
            return (array.variable,)
        case _:
            return ()


def _quoted(text: str) -> str:
    """A string of C; what is not ASCII is written in octal, byte by byte."""
    parts: list[str] = []
    for byte in text.encode(errors="surrogateescape"):
        is_plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        parts.append(chr(byte) if is_plain else f"\\{byte:03o}")
    return f'"{"".join(parts)}"'


def _short_single(value: float) -> str:
    """A short decimal, with a point or an exponent, that C reads as this single-precision number.

    The decimal is nearer to the number than 0.4 of the distance to its neighbours, so that
    neither rounding once, as a C compiler does, nor twice can end at another number.
    """
    spacing = math.ldexp(1.0, max(math.frexp(value)[1], -125) - 24)
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    text = next((text for text in texts if abs(float(text) - value) < 0.4 * spacing), repr(value))
    return text if "." in text or "e" in text else f"{text}.0"


def wrapped(text: str, continuation: int | None = None) -> Iterator[str]:
    """The lines of a long statement; all but the first are indented by `continuation`.

    A line is broken before an operator or after a comma or semicolon: where the fewest
    parentheses are open, there rather after a separator, then before the operator that binds
    least, and at the last such place that fits.
    """
    indentation = len(text) - len(text.lstrip())
    indent = " " * (indentation + 2 * len(INDENT) if continuation is None else continuation)
    while len(text) > LINE_WIDTH:
        place = _break(text, len(indent))
        if place is None:
            break
        yield text[:place]
        text = indent + text[place + 1 :]
    yield text


def _break(text: str, first: int) -> int | None:
    """The place of the space at which to break a line, after `first`."""
    best: tuple[int, int, int] | None = None
    depth = 0
    # The brackets of CUDA's launches; there is no operator like them.
    text = text.replace("<<<", "(((").replace(">>>", ")))")
    if '"' in text:
        text = re.sub(r'"[^"]*"', lambda string: '"' * len(string[0]), text)
    for place, character in enumerate(text[:LINE_WIDTH]):
        depth += (character in "([{") - (character in ")]}")
        if character != " " or place <= first:
            continue
        if text[place - 1] in ",;":
            rank = 0
        else:
            operator = text[place + 1 : place + 4].split(" ")[0]
            known = BINARY_OPERATORS.get(operator)
            if known is None and operator not in ("?", ":"):
                continue
            rank = known or Precedence.CONDITIONAL
        candidate = (depth, rank, place)
        best = candidate if best is None or candidate[:2] <= best[:2] else best
    return None if best is None else best[2]
