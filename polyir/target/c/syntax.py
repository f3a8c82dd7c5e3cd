"""The syntax tree of C code: typed expressions, statements and functions.

The tree says what is written; `printer.py` says how. Nothing in it refers to the IR.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from polyir.target.abi import Scalar
from polyir.target.c.types import CType

# ------------------------------------------------------------------------------------ variables


@dataclass(frozen=True)
class Spelling:
    """How an element of an array is written where that is not `A[i][j]`.

    `parts` are texts and numbers of subscripts, which are written in brackets: `s->a[i]` is
    `("s->a", 0)`. With `strides`, the first subscripts are written as one, `A[i * n + j]`, which
    has the number 0; `strides` are the factors of all but the last of them, and `offset` is what is
    added to them. If rows are where pointers lead, an empty text is between the subscripts:
    `("A", 0, "", 1)`.
    """

    parts: tuple[str | int, ...]
    strides: tuple[str, ...] = ()
    offset: str = ""

    @property
    def has_rows_apart(self) -> bool:
        """Whether a pointer leads to each row: nothing but brackets is between two subscripts."""
        return "" in self.parts


class Variable:
    """A C variable. Its identity counts: variables of different scopes may share a name.

    `declared` is the type of its declaration if that is not the type of the expressions that name
    it; it has the same values there. `spelling` is set for an array whose elements are written in
    another way than `A[i][j]`.
    """

    def __init__(
        self, name: str, declared: Scalar | None = None, spelling: Spelling | None = None
    ) -> None:
        self.name = name
        self.declared = declared
        self.spelling = spelling


# ------------------------------------------------------------------------------------ expressions


@dataclass(frozen=True)
class Expression:
    """A C expression whose value has the type `type`."""

    type: CType


@dataclass(frozen=True)
class Name(Expression):
    """The value of a variable that does not change while the expression may be evaluated."""

    variable: Variable


@dataclass(frozen=True)
class IntegerLiteral(Expression):
    type: Scalar
    value: int


@dataclass(frozen=True)
class FloatLiteral(Expression):
    type: Scalar
    value: float

    @property
    def needs_macro(self) -> bool:
        """Whether the literal is a macro of `math.h`: `INFINITY` or `NAN`."""
        return not math.isfinite(self.value)


@dataclass(frozen=True)
class StringLiteral(Expression):
    """Text for a function; the type is that of a character."""

    text: str


@dataclass(frozen=True)
class Unary(Expression):
    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Cast(Expression):
    operand: Expression


@dataclass(frozen=True)
class Call(Expression):
    """A call of a pure function: of the C library, or of a helper of `helpers.py`."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Succeeds(Expression):
    """Whether a function that is called for its effects returns 1."""

    call: CallStatement


@dataclass(frozen=True)
class Element(Expression):
    """What is in memory: `A[i][j]`, `*A` for a pointer without indices, or a plain `A`."""

    type: Scalar
    array: Variable
    indices: tuple[Expression, ...]
    is_pointer: bool


@dataclass(frozen=True)
class VectorExpression(Expression):
    """An expression that scalars do not have; the kinds are in `vector_syntax.py`."""

    def operands(self) -> tuple[Expression, ...]:
        """The expressions in it, from left to right."""
        return ()


def scalar_of(expression: Expression) -> Scalar:
    """The type of an expression that is not a vector."""
    assert isinstance(expression.type, Scalar)
    return expression.type


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The operands of an expression, from left to right."""
    match expression:
        case Unary(operand=operand) | Cast(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case Call(arguments=arguments):
            return arguments
        case Element(indices=indices):
            return indices
        case VectorExpression():
            return expression.operands()
        case _:
            return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all its subexpressions."""
    yield expression
    for part in parts(expression):
        yield from walk(part)


def variables_of(expression: Expression) -> Iterator[Variable]:
    """The variables that occur in an expression."""
    for part in walk(expression):
        if isinstance(part, Name):
            yield part.variable
        elif isinstance(part, Element):
            yield part.array


def literal(value: int) -> IntegerLiteral:
    """A constant of type `index`."""
    return IntegerLiteral(Scalar.INT64, value)


def cast(type: CType, operand: Expression) -> Expression:
    """`operand` converted to `type`.

    An inner conversion is left out if it drops no bit that the result has.
    """
    if operand.type == type:
        return operand
    if isinstance(operand, Name) and operand.variable.declared is type:
        return Name(type, operand.variable)
    if (
        type is Scalar.UINT32
        and isinstance(operand, IntegerLiteral)
        and operand.type is Scalar.INT32
    ):
        return IntegerLiteral(type, operand.value % 2**32)
    if isinstance(operand, Cast):
        inner, between = operand.operand, operand.type
        integers = not (inner.type.is_float or between.is_float or type.is_float)
        if integers and between.width >= type.width > 1:
            return cast(type, inner)
    return Cast(type, operand)


def _is_narrow(expression: Expression) -> bool:
    """Whether C computes the expression in `int` although its type has 64 bits."""
    match expression:
        case IntegerLiteral():
            return True
        case Name(type=type, variable=variable):
            declared = variable.declared
            return declared is not None and declared.width < type.width
        case Conditional(then=then, otherwise=otherwise):
            return _is_narrow(then) and _is_narrow(otherwise)
        case Unary(operator="-", operand=operand):
            return _is_narrow(operand)
        case _:
            return False


def arithmetic(operator: str, left: Expression, right: Expression) -> Expression:
    """`left operator right`, computed in the type of `left`.

    The addition of a negative number is written as a subtraction.
    """
    if left.type.width == 64 and not left.type.is_float and _is_narrow(left) and _is_narrow(right):
        left = Cast(left.type, left)
    if operator == "+" and isinstance(right, IntegerLiteral) and -(2**63) < right.value < 0:
        operator, right = "-", IntegerLiteral(right.type, -right.value)
    return Binary(left.type, operator, left, right)


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    return Binary(Scalar.BOOL, operator, left, right)


def negate(condition: Expression) -> Expression:
    """The opposite of a condition; of numbers that may be NaN, only equality has an opposite."""
    match condition:
        case Binary(operator=operator, left=left, right=right) if operator in _OPPOSITES and (
            operator in ("==", "!=") or not (left.type.is_float or right.type.is_float)
        ):
            return compare(_OPPOSITES[operator], left, right)
        case Unary(operator="!", operand=operand) if operand.type is Scalar.BOOL:
            return operand
        case _:
            return Unary(Scalar.BOOL, "!", condition)


_OPPOSITES: Final = MappingProxyType(
    {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
)


def is_default_nan(value: float) -> bool:
    """Whether a NaN is the one that `NAN` or `-NAN` gives."""
    bits = int.from_bytes(struct.pack("<d", value), "little")
    return bits & (2**63 - 1) == 0x7FF8 << 48


# ------------------------------------------------------------------------------------ statements


@dataclass(frozen=True)
class Array:
    """How the memory of a memref is accessed in C.

    `variable` is indexed, or dereferenced if there are no indices and `is_pointer`. `flat` is set
    where the interface passes a plain pointer to the first element: `variable` is then a pointer
    to the rows. An array that `is_linear` has one subscript, the number of the element.
    """

    variable: Variable
    element: Scalar
    extents: tuple[Expression, ...]
    is_pointer: bool
    flat: Variable | None = None
    is_linear: bool = False


@dataclass(frozen=True)
class Address:
    """A pointer: `A` or `&t`, or `&A[0][0]` with the number of dimensions as `indices`.

    With `rows`, it is converted to the pointer through which that array is indexed.
    """

    variable: Variable
    is_taken: bool = False
    indices: int = 0
    rows: Array | None = None


Argument = Expression | Address
"""What a called function takes."""


@dataclass(frozen=True)
class Pragma:
    """A `#pragma`; each `{}` in `directive` stands for one of `operands`."""

    directive: str
    operands: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class CStatement:
    """A statement or a declaration."""


@dataclass(frozen=True)
class Declaration(CStatement):
    """`const double t = a + b;`, or `double t;` without a value."""

    type: CType
    variable: Variable
    value: Expression | None = None
    is_constant: bool = False


@dataclass(frozen=True)
class LocalArray(CStatement):
    """`double tmp[n][8];`, or a scalar in memory, `double s = 0.0;`.

    `alignment` is in bytes; `None` is that of the elements. If `is_shared`, all threads of a block
    have the same array.
    """

    array: Array
    value: Expression | None = None
    alignment: int | None = None
    is_shared: bool = False


@dataclass(frozen=True)
class Allocation(CStatement):
    """`double (*restrict tmp)[8] = malloc(sizeof(double) * n * 8);`; `alignment` is in bytes."""

    array: Array
    alignment: int | None = None


@dataclass(frozen=True)
class RowView(CStatement):
    """`double (*restrict A)[A_1] = (double (*)[A_1])A_data;`, where `pointer` is `A_data`."""

    array: Array
    pointer: Variable


@dataclass(frozen=True)
class ArrayView(CStatement):
    """`double (*f)[5] = (double (*)[5])(A + offset);`: memory of another array, seen as `array`.

    `start` is a pointer to the first element of that array, and `offset` a number of its elements.
    It has the type of the view if it `has_type`.
    """

    array: Array
    start: Address
    offset: Expression
    has_type: bool = False


@dataclass(frozen=True)
class PartView(CStatement):
    """`double (*restrict tmp)[n] = all[thread];`, a pointer to an element of a larger array."""

    array: Array
    part: Element


@dataclass(frozen=True)
class Free(CStatement):
    array: Array


@dataclass(frozen=True)
class Copy(CStatement):
    """One `memcpy` of all elements."""

    target: Array
    source: Array


@dataclass(frozen=True)
class Assign(CStatement):
    """`target = value;`, where `target` is an `Element` or the `Name` of a variable."""

    target: Expression
    value: Expression


@dataclass(frozen=True)
class AtomicUpdate(CStatement):
    """`target operator= value;` as one step; with `<` or `>`, the lesser or greater of both.

    Integers wrap around. It has no pragma if there is one thread.
    """

    target: Element
    operator: str
    value: Expression
    has_pragma: bool


@dataclass(frozen=True)
class ExpressionStatement(CStatement):
    """An expression that is computed for its effects."""

    value: Expression


@dataclass(frozen=True)
class CallStatement(CStatement):
    """A call for its effects, and for its result if there is a variable for it."""

    function: str
    arguments: tuple[Argument, ...]
    type: Scalar | None = None
    variable: Variable | None = None


@dataclass(frozen=True)
class ExtensionStatement(CStatement):
    """A statement that is not of C; the printer of the language that has it prints it."""

    def operands(self) -> Sequence[Expression]:
        """The expressions in it."""
        return ()

    def variables(self) -> Sequence[Variable]:
        """The arrays in it."""
        return ()


@dataclass(frozen=True)
class OriginalCode(CStatement):
    """The statements of the source in whose place others stand."""


@dataclass(frozen=True)
class For(CStatement):
    """A counted loop: from `lower` in steps of `step`, below `upper` (or up to it)."""

    type: Scalar
    counter: Variable
    lower: Expression
    upper: Expression
    step: Expression
    is_inclusive: bool
    body: tuple[CStatement, ...]
    pragmas: tuple[Pragma, ...] = ()


@dataclass(frozen=True)
class While(CStatement):
    condition: Expression
    body: tuple[CStatement, ...]


@dataclass(frozen=True)
class Break(CStatement):
    """The end of the loop around it."""


@dataclass(frozen=True)
class Continue(CStatement):
    """The end of an iteration of the loop around it."""


@dataclass(frozen=True)
class If(CStatement):
    condition: Expression
    then: tuple[CStatement, ...]
    otherwise: tuple[CStatement, ...]


@dataclass(frozen=True)
class Compound(CStatement):
    """Statements in braces with a scope of their own."""

    body: tuple[CStatement, ...]
    pragmas: tuple[Pragma, ...] = ()


@dataclass(frozen=True)
class Return(CStatement):
    value: Expression


# ------------------------------------------------------------------------------------ definitions


@dataclass(frozen=True)
class ScalarArgument:
    """A parameter that takes a number: `int64_t n`."""

    type: Scalar
    variable: Variable


@dataclass(frozen=True)
class ArrayArgument:
    """The pointer of an array: `double A[restrict 20][30]`, or `double *restrict A`.

    `pointer` is the parameter if it is not `array.variable`, which is then a pointer to the rows.
    If `is_constant`, nothing is written through it. Unless `is_restricted`, the elements may change
    while the function runs by other means than this pointer.
    """

    array: Array
    pointer: Variable | None = None
    is_constant: bool = False
    is_restricted: bool = True
    is_plain: bool = False


@dataclass(frozen=True)
class ResultPointer:
    """The pointer through which a function gives one of its results."""

    type: Scalar
    variable: Variable


CParameter = ScalarArgument | ArrayArgument | ResultPointer


@dataclass(frozen=True)
class Function:
    """A function; `body` is `None` for a mere declaration.

    `name` is the C name, `callees` are the C names of the functions that it calls.
    """

    name: str
    is_static: bool
    result: Scalar | None
    parameters: tuple[CParameter, ...]
    body: tuple[CStatement, ...] | None
    callees: tuple[str, ...] = ()


@dataclass(frozen=True)
class GlobalArray:
    """A variable of the file; `values` are all its elements, or none of them, in order."""

    array: Array
    is_static: bool
    values: tuple[Expression, ...]
