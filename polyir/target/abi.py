"""The calling convention that the C target, the LLVM target and the runtime share.

    func.func @f(%n: index, %A: memref<?x4xf64>, %x: f32) -> (f64, i1)

is called from C as

    void f(int64_t n, double *A, int64_t A_0, float x, double *result_0, bool *result_1);

- Scalars are passed by value. `index` is `int64_t`; `i1` is `bool`, which is a byte.
- A memref is passed as a pointer to its first element, followed by its dynamic extents as
  `int64_t`, outermost first. Arrays are contiguous and row-major, and arrays that are passed as
  different arguments do not overlap.
- A single result is returned. Several results are written through pointers that follow the
  arguments.
- A function keeps its name, unless C or its library has taken it (`symbol_name`).
- Functions of `math.h` compute what no single instruction does (`LIBRARY_FUNCTIONS`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Final, TypeVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    Signedness,
    SymbolRefAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import AtomicRMWOp
from xdsl.ir import Attribute, Block, Operation

from polyir.dialects.affine_semantics import atomic_kind
from polyir.dialects.scop import PART
from polyir.dialects.strided_views import is_row_major
from polyir.target.errors import unsupported

# ------------------------------------------------------------------------------------ scalars


class Scalar(Enum):
    """A C scalar type; the value is its C99 spelling. MLIR's `index` is `INT64`."""

    BOOL = "bool"
    INT8 = "int8_t"
    INT16 = "int16_t"
    INT32 = "int32_t"
    INT64 = "int64_t"
    UINT8 = "uint8_t"
    UINT16 = "uint16_t"
    UINT32 = "uint32_t"
    UINT64 = "uint64_t"
    FLOAT = "float"
    DOUBLE = "double"

    @property
    def is_float(self) -> bool:
        return self in (Scalar.FLOAT, Scalar.DOUBLE)

    @property
    def width(self) -> int:
        """The number of value bits: 1 for `bool`."""
        return _WIDTHS[self]

    @property
    def unsigned(self) -> Scalar:
        """The unsigned type of the same width; `bool` is its own."""
        return _UNSIGNED.get(self, self)

    @property
    def suffix(self) -> str:
        """The type in the name of a helper function: `i32`, `f64`."""
        return f"{'f' if self.is_float else 'i'}{self.width}"


_WIDTHS: Final = MappingProxyType(
    {
        Scalar.BOOL: 1,
        Scalar.INT8: 8,
        Scalar.INT16: 16,
        Scalar.INT32: 32,
        Scalar.INT64: 64,
        Scalar.UINT8: 8,
        Scalar.UINT16: 16,
        Scalar.UINT32: 32,
        Scalar.UINT64: 64,
        Scalar.FLOAT: 32,
        Scalar.DOUBLE: 64,
    }
)

_UNSIGNED: Final = MappingProxyType(
    {
        Scalar.INT8: Scalar.UINT8,
        Scalar.INT16: Scalar.UINT16,
        Scalar.INT32: Scalar.UINT32,
        Scalar.INT64: Scalar.UINT64,
    }
)

SIGNLESS: Final = MappingProxyType(
    {1: Scalar.BOOL, 8: Scalar.INT8, 16: Scalar.INT16, 32: Scalar.INT32, 64: Scalar.INT64}
)


def scalar_type(attribute: Attribute, op: Operation | None = None) -> Scalar:
    """The C type of a value of type `attribute`; signless integers have a signed type.

    Raises `TargetError`, at `op`, for any other type: half floats, vectors, odd widths.
    """
    match attribute:
        case IndexType():
            return Scalar.INT64
        case IntegerType(width=width, signedness=signedness):
            scalar = SIGNLESS.get(width.data)
            if scalar is not None and signedness.data is Signedness.SIGNLESS:
                return scalar
        case Float32Type():
            return Scalar.FLOAT
        case Float64Type():
            return Scalar.DOUBLE
        case _:
            pass
    raise unsupported(
        op,
        f"type '{attribute}' is not supported: expected index, i1, i8, i16, i32, i64, f32 or f64",
    )


# ------------------------------------------------------------------------------------ arrays


@dataclass(frozen=True)
class ArrayType:
    """The element type and the extents of an array; an extent is `None` if it is dynamic."""

    element: Scalar
    extents: tuple[int | None, ...]

    @property
    def dynamic_dimensions(self) -> tuple[int, ...]:
        """The dimensions whose extents are passed after the pointer, in this order."""
        return tuple(n for n, extent in enumerate(self.extents) if extent is None)


def array_type(attribute: Attribute, op: Operation | None = None) -> ArrayType:
    """The array type of a memref type.

    Raises `TargetError`, at `op`, for a type that is not a ranked memref, and for a layout other
    than the row-major one.
    """
    if not isinstance(attribute, MemRefType):
        raise unsupported(op, f"type '{attribute}' is not supported: expected a ranked memref")
    if not is_row_major(attribute):
        raise unsupported(
            op, f"the layout of '{attribute}' is not supported: arrays must be row-major"
        )
    extents = tuple(None if n == DYNAMIC_INDEX else n for n in attribute.get_shape())
    return ArrayType(scalar_type(attribute.element_type, op), extents)


def extent_name(array: str, dimension: int) -> str:
    """The name of the parameter that passes a dynamic extent of the array named `array`."""
    return f"{array}_{dimension}"


# ------------------------------------------------------------------------------------ functions


@dataclass(frozen=True)
class ScalarParameter:
    """A parameter that takes a number."""

    name: str
    type: Scalar


@dataclass(frozen=True)
class ArrayParameter:
    """A parameter that takes an array: in C, a pointer and the dynamic extents."""

    name: str
    type: ArrayType


Parameter = ScalarParameter | ArrayParameter


@dataclass(frozen=True)
class Signature:
    """The parameters and results of a function, whose symbol in MLIR is `symbol`.

    If ranks of MPI call it with parts of arrays, `part` is the function that says which part.
    """

    symbol: str
    parameters: tuple[Parameter, ...]
    results: tuple[Scalar, ...]
    part: str | None = None

    @property
    def returned(self) -> Scalar | None:
        """The type that the C function returns; `None` for `void`."""
        return self.results[0] if len(self.results) == 1 else None

    @property
    def pointer_results(self) -> tuple[Scalar, ...]:
        """The results that are written through pointers after the arguments."""
        return tuple(results_by_pointer(self.results))


_T = TypeVar("_T")


def results_by_pointer(results: Sequence[_T]) -> Sequence[_T]:
    """Those of a function's results that it writes through pointers: all if there are several."""
    return results if len(results) > 1 else ()


def signature_of(op: FuncOp) -> Signature:
    """The signature of a function; a parameter without a name is called `arg` and its number.

    Raises `TargetError` for types that cannot be passed or returned.
    """
    parameters = parameters_of(op, op.function_type.inputs.data, op.body.blocks.first)
    outputs = op.function_type.outputs.data
    if any(isinstance(type, MemRefType) for type in outputs):
        raise unsupported(op, "functions that return a memref are not supported")
    results = tuple(scalar_type(type, op) for type in outputs)
    part = op.attributes.get(PART)
    name = part.string_value() if isinstance(part, SymbolRefAttr) else None
    return Signature(op.sym_name.data, parameters, results, name)


def parameters_of(
    op: Operation, inputs: Sequence[Attribute], block: Block | None
) -> tuple[Parameter, ...]:
    """The parameters of types `inputs`, named as the first arguments of `block` are."""
    parameters: list[Parameter] = []
    for position, type in enumerate(inputs):
        hint = block.args[position].name_hint if block is not None else None
        name = hint or f"arg{position}"
        if isinstance(type, MemRefType):
            parameters.append(ArrayParameter(name, array_type(type, op)))
        else:
            parameters.append(ScalarParameter(name, scalar_type(type, op)))
    return tuple(parameters)


def is_private(op: FuncOp) -> bool:
    """Whether a function cannot be called from outside the module."""
    return op.sym_visibility is not None and op.sym_visibility.data == "private"


def calls_mpi(module: ModuleOp) -> bool:
    """Whether a module has operations of the dialect `mpi`: its functions run on all ranks."""
    return any(op.name.startswith("mpi.") for op in module.walk())


# ------------------------------------------------------------------------------------ names

PREFIX: Final = "polyir_"
"""How the names of polyir's own C functions begin."""

PARALLEL_FOR: Final = f"{PREFIX}parallel_for"
"""The function of the runtime that calls a task for all parts of a range of iterations."""

THREAD_COUNT: Final = f"{PREFIX}thread_count"
"""The variable of the runtime, an `int64_t`, that holds the number of threads."""

ATOMIC: Final = f"{PREFIX}atomic_"
"""The start of the names of functions that change an element that other threads may change, too.
The rest is the kind of `memref.atomic_rmw`."""


def orders_threads(op: AtomicRMWOp) -> bool:
    """Whether an atomic update tells a thread what others have done, so that it orders memory.

    Others only add something up, in any order.
    """
    return atomic_kind(op) == "assign" or op.result.first_use is not None


LIBRARY_FUNCTIONS: Final = MappingProxyType(
    {
        "arith.remf": "fmod",
        "math.absf": "fabs",
        "math.acos": "acos",
        "math.acosh": "acosh",
        "math.asin": "asin",
        "math.asinh": "asinh",
        "math.atan": "atan",
        "math.atan2": "atan2",
        "math.atanh": "atanh",
        "math.cbrt": "cbrt",
        "math.ceil": "ceil",
        "math.copysign": "copysign",
        "math.cos": "cos",
        "math.cosh": "cosh",
        "math.erf": "erf",
        "math.exp": "exp",
        "math.exp2": "exp2",
        "math.expm1": "expm1",
        "math.floor": "floor",
        "math.fma": "fma",
        "math.log": "log",
        "math.log10": "log10",
        "math.log1p": "log1p",
        "math.log2": "log2",
        "math.powf": "pow",
        "math.round": "round",
        # To the nearest, ties to even, is the rounding mode that programs start in.
        "math.roundeven": "rint",
        "math.sin": "sin",
        "math.sinh": "sinh",
        "math.sqrt": "sqrt",
        "math.tan": "tan",
        "math.tanh": "tanh",
        "math.trunc": "trunc",
    }
)
"""The function of `math.h` that computes each of these operations on `double`."""

MATH_MACROS: Final = ("isunordered", "islessgreater", "isnan", "signbit", "INFINITY", "NAN")


def library_name(name: str, type: Scalar) -> str:
    """The function of `math.h` for `type`; the one for `float` ends in `f`."""
    return f"{name}f" if type is Scalar.FLOAT else name


# The names to which emitted code gives a meaning; other names of the C library are only declared
# in files that include them, and a local variable may shadow them.
_KEYWORDS: Final = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while _Bool _Complex _Imaginary asm typeof"
)
_LIBRARY: Final = (
    "true false malloc free memcpy NULL size_t INT32_MIN INT64_MIN main abort exit abs"
)

RESERVED: Final = (
    *_KEYWORDS.split(),
    *_LIBRARY.split(),
    *MATH_MACROS,
    *(scalar.value for scalar in Scalar),
    *(
        library_name(name, type)
        for name in LIBRARY_FUNCTIONS.values()
        for type in (Scalar.DOUBLE, Scalar.FLOAT)
    ),
)
"""Names that emitted code must not define."""


def identifier(name: str) -> str:
    """`name` with an underscore for each character that C does not allow."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    return text if text and not text[0].isdigit() else f"v{text}"


def symbol_name(symbol: str) -> str:
    """The C name of a function or global: its own, with an underscore if C has taken that."""
    text = identifier(symbol)
    return f"{text}_" if text in RESERVED or text.startswith(PREFIX) else text


def symbol_of(reference: SymbolRefAttr) -> str:
    """The symbol that a reference names; nested references are joined by dots."""
    nested = (name.data for name in reference.nested_references.data)
    return ".".join((reference.root_reference.data, *nested))
