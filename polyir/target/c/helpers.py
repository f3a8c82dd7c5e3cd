"""The small functions that emitted code calls where C has no operator with MLIR's meaning.

A helper is printed only into files that call it. Their names begin with `polyir_`; those for
one scalar type end in it (`polyir_maxu_i32`, `polyir_maximum_f64`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from polyir.target.abi import ATOMIC, PREFIX, Scalar

MESSAGE_STEM: Final = f"{PREFIX}mpi_"
"""How the names of helpers begin that call MPI (`message_helpers.py`)."""


@dataclass(frozen=True)
class Helper:
    """A function or a type in C: its name, its definition and the headers that this needs.

    `needs` are helpers that must be defined before, `types` and `calls` the types and the
    functions in the definition.
    """

    name: str
    text: str
    headers: tuple[str, ...] = ()
    needs: tuple[Helper, ...] = ()
    types: tuple[Scalar, ...] = ()
    calls: tuple[str, ...] = ()
    is_type: bool = False


def _function(
    name: str, result: Scalar, parameters: str, body: str, headers: tuple[str, ...] = ()
) -> Helper:
    lines = "\n".join(f"  {line}" for line in body.strip().splitlines())
    text = f"static inline {result.value} {name}({parameters}) {{\n{lines}\n}}\n"
    return Helper(name, text, headers)


def _index_helpers() -> Iterator[Helper]:
    """On `int64_t`, for affine expressions: MLIR rounds as its names say, and divisors are > 0.

    `floordivsi` and `ceildivsi` of `arith` use them too, hence the test of the divisor's sign.
    """
    pair = "int64_t a, int64_t b"
    bodies = {
        "min": "return a < b ? a : b;",
        "max": "return a > b ? a : b;",
        "floordiv": "return a / b - (a % b != 0 && (a < 0) != (b < 0));",
        "ceildiv": "return a / b + (a % b != 0 && (a < 0) == (b < 0));",
        "mod": "const int64_t r = a % b;\nreturn r < 0 ? r + b : r;",
    }
    for name, body in bodies.items():
        yield _function(f"{PREFIX}{name}", Scalar.INT64, pair, body)


def _integer_helpers(type: Scalar) -> Iterator[Helper]:
    """On one signed type; a `u` in the name says that the bits are taken as unsigned."""
    signed, unsigned, suffix = type.value, type.unsigned.value, type.suffix
    pair = f"{signed} a, {signed} b"
    bits = type.width
    for name, operator in (("min", "<"), ("max", ">")):
        unsigned_test = f"({unsigned})a {operator} ({unsigned})b"
        yield _function(f"{PREFIX}{name}u_{suffix}", type, pair, f"return {unsigned_test} ? a : b;")
    absolute = f"return a < 0 ? ({signed})(0 - ({unsigned})a) : a;"
    yield _function(f"{PREFIX}abs_{suffix}", type, f"{signed} a", absolute)
    quotient = (
        f"const {unsigned} x = ({unsigned})a, y = ({unsigned})b;\n"
        f"return ({signed})(x / y + (x % y != 0));"
    )
    yield _function(f"{PREFIX}ceildivu_{suffix}", type, pair, quotient)
    yield _function(f"{PREFIX}ctpop_{suffix}", type, f"{signed} a", _count(unsigned, "x & 1"))
    leading = (
        f"const {unsigned} highest = ({unsigned})1 << {bits - 1};\n{signed} count = 0;\n"
        f"for ({unsigned} bit = highest; bit && !(({unsigned})a & bit); bit >>= 1)\n"
        "  count++;\nreturn count;"
    )
    yield _function(f"{PREFIX}ctlz_{suffix}", type, f"{signed} a", leading)
    trailing = (
        f"{signed} count = 0;\n"
        f"for ({unsigned} bit = 1; bit && !(({unsigned})a & bit); bit = ({unsigned})(bit << 1))"
        "\n  count++;\nreturn count;"
    )
    yield _function(f"{PREFIX}cttz_{suffix}", type, f"{signed} a", trailing)
    yield _function(f"{PREFIX}ipow_{suffix}", type, pair, _integer_power(signed, unsigned))


def _count(unsigned: str, test: str) -> str:
    signed = unsigned.removeprefix("u")
    return (
        f"{signed} count = 0;\nfor ({unsigned} x = ({unsigned})a; x; x >>= 1)\n"
        f"  count += {test};\nreturn count;"
    )


def _integer_power(signed: str, unsigned: str) -> str:
    """Repeated squaring; a negative exponent gives 1 / a**|b| truncated, as in MLIR."""
    return (
        "if (b < 0)\n  return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;\n"
        "uint64_t result = 1;\n"
        f"for (uint64_t base = (uint64_t)a, n = ({unsigned})b; n; n >>= 1, base *= base)\n"
        "  if (n & 1)\n    result *= base;\n"
        f"return ({signed})result;"
    )


def _float_helpers(type: Scalar) -> Iterator[Helper]:
    """`maximum` is IEEE 754's: it keeps NaN and orders the zeros. `maxnum` prefers numbers."""
    name, suffix = type.value, type.suffix
    pair = f"{name} a, {name} b"
    math = ("math.h",)
    for stem, operator, zero in (("maximum", ">", "b : a"), ("minimum", "<", "a : b")):
        body = (
            "if (isnan(b))\n  return b;\nif (isnan(a))\n  return a;\n"
            f"if (a == b)\n  return signbit(a) ? {zero};\nreturn a {operator} b ? a : b;"
        )
        yield _function(f"{PREFIX}{stem}_{suffix}", type, pair, body, math)
    for stem, test in (("maxnum", "a > b"), ("minnum", "a < b")):
        body = f"return b != b || {test} ? a : b;"
        yield _function(f"{PREFIX}{stem}_{suffix}", type, pair, body)
    one = "1.0f" if type is Scalar.FLOAT else "1.0"
    power = (
        f"{name} result = {one};\nuint64_t n = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;\n"
        "for (; n; n >>= 1, a *= a)\n  if (n & 1)\n    result *= a;\n"
        f"return b < 0 ? {one} / result : result;"
    )
    yield _function(f"{PREFIX}fpowi_{suffix}", type, f"{name} a, int64_t b", power)


def _comparisons() -> Iterator[Helper]:
    """For languages without these macros of `math.h`."""
    tests = {"isunordered": "a != a || b != b", "islessgreater": "a < b || a > b"}
    for name, test in tests.items():
        yield _function(f"{PREFIX}{name}", Scalar.BOOL, "double a, double b", f"return {test};")


def _bit_casts() -> Iterator[Helper]:
    pairs = ((Scalar.FLOAT, Scalar.INT32), (Scalar.DOUBLE, Scalar.INT64))
    for source, target in (*pairs, *((target, source) for source, target in pairs)):
        union = f"union {{ {source.value} from; {target.value} to; }}"
        body = f"const {union} bits = {{a}};\nreturn bits.to;"
        yield _function(bit_cast_name(source, target), target, f"{source.value} a", body)


def _atomics() -> Iterator[Helper]:
    """On an element of an array; their result is the value before, as of `memref.atomic_rmw`."""
    for suffix, function in (("addi", "fetch_add"), ("assign", "exchange_n")):
        body = f"return __atomic_{function}(array + place, value, __ATOMIC_ACQ_REL);"
        parameters = "int64_t *array, int64_t place, int64_t value"
        yield _function(f"{ATOMIC}{suffix}", Scalar.INT64, parameters, body)


def bit_cast_name(source: Scalar, target: Scalar) -> str:
    return f"{PREFIX}bits_{source.suffix}_{target.suffix}"


HAS_EFFECTS: Final = f"{PREFIX}has_effects"
"""Called by functions that gcc may take for ones without effects: see `address_steps.py`."""

_HAS_EFFECTS: Final = f"""\
// Without this, gcc before version 14 may leave out calls of the function (its bug 110702).
static inline void {HAS_EFFECTS}(void) {{
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
  __asm__ volatile("" : : : "memory");
#endif
}}
"""


ASSERT: Final = f"{PREFIX}assert"
"""Ends the program with a message unless a condition holds."""

_ASSERT: Final = f"""\
static inline void {ASSERT}(int holds, const char *message) {{
  if (!holds) {{
    fprintf(stderr, "%s\\n", message);
    abort();
  }}
}}
"""

ASSERT_REPORT: Final = f"{PREFIX}assert_report"
"""As `ASSERT`, with a message that has places for numbers of a report, from its third one on."""

# Files with regions may include no header; POSIX has numbered arguments, and so has dprintf.
_ASSERT_REPORT: Final = f"""\
static inline void {ASSERT_REPORT}(int holds, const char *message, const int64_t *report) {{
  extern int dprintf(int file, const char *format, ...);
  extern void abort(void);
  if (!holds) {{
    dprintf(2, message, (long long)report[2], (long long)report[3], (long long)report[4],
            (long long)report[5], (long long)report[6], (long long)report[7]);
    abort();
  }}
}}
"""


NEEDED: Final = f"{PREFIX}needed"
"""The memory that an allocation gave; ends the program if there is none."""

# Files with regions may include no header.
_NEEDED: Final = f"""\
static inline void *{NEEDED}(void *memory) {{
  extern int dprintf(int file, const char *format, ...);
  extern void abort(void);
  if (!memory) {{
    dprintf(2, "not enough memory\\n");
    abort();
  }}
  return memory;
}}
"""

THREAD_COUNT: Final = f"{PREFIX}threads"
"""How many threads may run the next parallel region."""

THREAD_NUMBER: Final = f"{PREFIX}thread"
"""The number of a thread in its team."""


def _of_openmp(name: str, functions: Sequence[str], value: str, otherwise: int) -> Helper:
    """A value by OpenMP's library, or a number where a compiler reads no pragmas of OpenMP."""
    declarations = "\n".join(f"  extern int {each}(void);" for each in functions)
    text = f"""\
static inline int64_t {name}(void) {{
#ifdef _OPENMP
{declarations}
  return {value};
#else
  return {otherwise};
#endif
}}
"""
    return Helper(name, text, types=(Scalar.INT64,))


MASKED: Final = f"{PREFIX}masked_"
"""The start of the names of functions that access memory under a mask."""

ALIGNED_ALLOC: Final = f"{PREFIX}aligned_alloc"
"""The library's `aligned_alloc` in a file that may not include its header."""

_ALIGNED_ALLOC: Final = f"""\
void *{ALIGNED_ALLOC}(__SIZE_TYPE__ alignment, __SIZE_TYPE__ size) __asm__("aligned_alloc")
    __attribute__((__malloc__, __alloc_align__(1)));
"""


def _all_helpers() -> Iterator[Helper]:
    yield from _index_helpers()
    for type in (Scalar.INT8, Scalar.INT16, Scalar.INT32, Scalar.INT64):
        yield from _integer_helpers(type)
    for type in (Scalar.FLOAT, Scalar.DOUBLE):
        yield from _float_helpers(type)
    yield from _comparisons()
    yield from _bit_casts()
    yield from _atomics()
    yield Helper(HAS_EFFECTS, _HAS_EFFECTS)
    yield Helper(ASSERT, _ASSERT, ("stdio.h", "stdlib.h"))
    yield Helper(ASSERT_REPORT, _ASSERT_REPORT, types=(Scalar.INT64,))
    yield Helper(NEEDED, _NEEDED)
    most, level, levels = "omp_get_max_threads", "omp_get_active_level", "omp_get_max_active_levels"
    may_start = f"{level}() < {levels}() ? {most}() : 1"
    yield _of_openmp(THREAD_COUNT, (most, level, levels), may_start, 1)
    number = "omp_get_thread_num"
    yield _of_openmp(THREAD_NUMBER, (number,), f"{number}()", 0)
    # The library has it since C11; with -std=c99, its header does not declare it.
    prototype = "void *aligned_alloc(size_t alignment, size_t size);\n"
    yield Helper("aligned_alloc", prototype, ("stdlib.h",))
    yield Helper(ALIGNED_ALLOC, _ALIGNED_ALLOC)


HELPERS: Final = MappingProxyType({helper.name: helper for helper in _all_helpers()})
"""Every helper by its name."""
