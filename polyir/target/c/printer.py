"""C text of statements and definitions, in lines that are not too long."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Container, Iterator, Sequence
from typing import Final

from polyir.target.c.dialect import C99, Dialect
from polyir.target.c.expression_printer import BINARY_OPERATORS, ExpressionPrinter, Precedence
from polyir.target.c.syntax import (
    Allocation,
    Array,
    ArrayArgument,
    ArrayView,
    Assign,
    AtomicUpdate,
    Binary,
    Break,
    CallStatement,
    Cast,
    Compound,
    Continue,
    Copy,
    CParameter,
    CStatement,
    Declaration,
    Expression,
    ExpressionStatement,
    ExtensionStatement,
    For,
    Free,
    Function,
    GlobalArray,
    If,
    IntegerLiteral,
    LocalArray,
    Name,
    OriginalCode,
    PartView,
    Pragma,
    ResultPointer,
    Return,
    RowView,
    Variable,
    While,
    compare,
    literal,
)

INDENT: Final = "  "
LINE_WIDTH: Final = 100


_COMPOUND: Final = ("+", "-", "*", "/")


class Printer(ExpressionPrinter):
    """Prints expressions, statements and functions.

    `used` holds the variables that the file uses; the others get a `(void)`, against a warning.
    The functions `declared` are in headers.
    """

    def __init__(self, used: Container[Variable], dialect: Dialect = C99) -> None:
        super().__init__(dialect)
        self._used = used
        self.declared = dialect.declared

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
                case OriginalCode():
                    yield indent + self.original_code()
                case ExtensionStatement():
                    yield from self.extension(statement, indent)
                case _:
                    yield from wrapped(f"{indent}{self._simple(statement)};")
                    yield from self._unused(_declared(statement), indent)

    def extension(self, statement: ExtensionStatement, indent: str) -> Iterator[str]:
        """The lines of a statement that C does not have."""
        raise TypeError(f"unknown statement {statement!r}")

    def original_code(self) -> str:
        """The line for the code in whose place the rest stands."""
        raise TypeError("no code stands for the original one")

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
            case ArrayView(array=array, start=start, offset=offset):
                address = self.argument(start)
                if offset != literal(0):
                    address = f"{address} + {self.inside(offset, Precedence.MULTIPLICATIVE)}"
                if statement.has_type:
                    return f"{self.pointer(array, False)} = {address}"
                if offset != literal(0):
                    address = f"({address})"
                return f"{self.pointer(array, False)} = ({self.pointer_type(array)}){address}"
            case PartView(array=array, part=part):
                return f"{self.pointer(array)} = {self.expression(part)}"
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
            case Continue():
                return "continue"
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
            if isinstance(parameter, ArrayArgument)
            and any(isinstance(extent, Name) for extent in parameter.array.extents)
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
        case LocalArray(array=array) | Allocation(array=array) | ArrayView(array=array):
            return (array.variable,)
        case _:
            return ()


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
