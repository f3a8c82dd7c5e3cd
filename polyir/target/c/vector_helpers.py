"""The types of vectors, and the functions on them that emitted code calls, made when needed.

They are always inlined: no vector is ever passed, so it does not matter how that is done on
processors with narrower vectors, of which compilers warn. gcc has a note of that which no file can
turn off: long vectors are passed by their addresses. Functions that have a form for the
instructions of x86 are in `vector_instructions.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from polyir.target.abi import PREFIX, Scalar
from polyir.target.c.helpers import Helper
from polyir.target.c.printer import LINE_WIDTH, wrapped
from polyir.target.c.types import CType, Vector


@cache
def typedef(type: Vector, in_memory: bool = False) -> Helper:
    """The definition of the type of a vector, or of that of vectors in memory."""
    # A macro of the file that has the code may be named as an attribute without underscores.
    size = f"__vector_size__({type.bits // 8})"
    name, attributes = type.name, size
    if in_memory:
        name = type.memory_name
        attributes = f"{size}, __aligned__({type.width // 8}), __may_alias__"
    text = f"typedef {type.element.value} {name} __attribute__(({attributes}));"
    headers = () if type.is_float else ("stdint.h",)
    return Helper(name, text, headers, types=(type.element,), is_type=True)


@cache
def mask_of(type: Vector) -> Vector:
    """The type that comparisons of vectors give."""
    return Vector(_SIGNED[type.width], type.lanes)


_SIGNED: Final = MappingProxyType(
    {8: Scalar.INT8, 16: Scalar.INT16, 32: Scalar.INT32, 64: Scalar.INT64}
)

_NO_WARNING: Final = Helper(
    f"{PREFIX}vectors",
    '#pragma GCC diagnostic ignored "-Wpsabi" // All functions on vectors are inlined.',
)


def function(
    stem: str,
    suffix: CType,
    result: CType | None,
    parameters: Sequence[tuple[CType, str]],
    body: str,
    needs: Sequence[Helper] = (),
    calls: Sequence[str] = (),
) -> Helper:
    """A function named `stem` and the type `suffix`; a parameter `*p` is a pointer."""
    types = [type for type, _ in parameters] + ([] if result is None else [result])
    vectors = [typedef(type) for type in types if isinstance(type, Vector)]
    scalars = tuple(type for type in types if isinstance(type, Scalar))
    name = f"{PREFIX}{stem}_{suffix.suffix}"
    list_ = ", ".join(_parameter(type, parameter) for type, parameter in parameters)
    for type, parameter in reversed(parameters):
        if isinstance(type, Vector) and is_passed_by_address(type):
            body = f"{type.name} {parameter} = *{parameter}_at;\n{body}"
    returned = "void" if result is None else spelt(result)
    head = f"static inline __attribute__((__always_inline__)) {returned} {name}({list_}) {{"
    heads = [head] if len(head) <= LINE_WIDTH else head.replace(f" {name}", f"\n{name}").split("\n")
    lines = [line if line.startswith("#") else f"  {line}" for line in body.strip().splitlines()]
    text = "\n".join(short for line in (*heads, *lines, "}") for short in wrapped(line))
    return Helper(name, text, (), (_NO_WARNING, *vectors, *needs), scalars, tuple(calls))


def _parameter(type: CType, name: str) -> str:
    if isinstance(type, Vector) and is_passed_by_address(type):
        return f"{type.name} const *{name}_at"
    return f"{spelt(type)} {name}"


def is_passed_by_address(type: Vector) -> bool:
    """Whether functions take a pointer to a vector of a type."""
    return type.bits > 128


def passed(type: Vector, value: str) -> str:
    """What is passed to a function for a vector."""
    return f"({type.name}[]){{{value}}}" if is_passed_by_address(type) else value


def spelt(type: CType) -> str:
    """The C99 name of a type."""
    return type.name if isinstance(type, Vector) else type.value


def lane_loop(type: Vector, value: str) -> str:
    """Statements that return the vector with `value` in lane `i`."""
    # Without a first value, gcc warns of lanes that are not set yet.
    start = f"{type.name} r = {{0}};\nfor (int i = 0; i < {type.lanes}; i++)"
    return f"{start}\n  r[i] = {value};\nreturn r;"


# ------------------------------------------------------------------------------------ plain ones


@cache
def broadcast(type: Vector) -> Helper:
    """The vector whose lanes are all one scalar."""
    values = ", ".join("a" * type.lanes)
    return function(
        "broadcast",
        type,
        type,
        [(type.element, "a")],
        f"return ({type.name}){{{values}}};",
    )


@cache
def insert(type: Vector) -> Helper:
    """A vector with one lane replaced."""
    parameters: list[tuple[CType, str]] = [
        (type, "v"),
        (type.element, "a"),
        (Scalar.INT64, "i"),
    ]
    return function("insert", type, type, parameters, "v[i] = a;\nreturn v;")


def lanes(
    stem: str,
    result: Vector,
    operands: Sequence[Vector],
    value: str,
    calls: Sequence[str] = (),
) -> Helper:
    """A function lane by lane: `value` is that of lane `i` for operands `a`, `b` and `c`."""
    suffix = operands[0] if operands else result
    parameters = [(type, "abc"[n]) for n, type in enumerate(operands)]
    return function(stem, suffix, result, parameters, lane_loop(result, value), calls=calls)


# ------------------------------------------------------------------------------------ selection


@cache
def select(type: Vector) -> Helper:
    """The lanes of one vector where a mask is true, of another one elsewhere.

    gcc makes a blend, a minimum or a maximum of the loop on floating-point numbers, if the machine
    has such vectors, and scalar code if it has not; of a loop on integers it makes scalar code
    in some places.
    """
    mask = mask_of(type)
    parameters = [(mask, "mask"), (type, "a"), (type, "b")]
    bits = [f"({mask.name}){each}" if type.is_float else each for each in "ab"]
    merged = f"(mask & {bits[0]}) | (~mask & {bits[1]})"
    merged = f"({type.name})({merged})" if type.is_float else merged
    loop = lane_loop(type, "mask[i] ? a[i] : b[i]")
    feature = _FEATURE.get(type.bits)
    body = f"return {merged};"
    if feature is not None and type.is_float:
        body = f"#if defined({feature}) && !defined(__clang__)\n{loop}\n#else\n{body}\n#endif"
    return function("select", type, type, parameters, body)


def choice(type: Vector, condition: str, then: str, otherwise: str) -> str:
    """A call of the function that selects lanes."""
    values = ((mask_of(type), condition), (type, then), (type, otherwise))
    return f"{select(type).name}({', '.join(passed(*each) for each in values)})"


_FEATURE: Final = MappingProxyType({128: "__SSE4_1__", 256: "__AVX2__", 512: "__AVX512F__"})


@cache
def extremum(stem: str, type: Vector) -> Helper:
    """The functions on vectors that are named like those of `helpers.py`, with the same results."""
    mask, chosen = mask_of(type), select(type)
    operator = ">" if stem.startswith("max") else "<"
    if not type.is_float:
        values = [f"({type.unsigned.name}){each}" if stem.endswith("u") else each for each in "ab"]
        body = f"return {choice(type, f'{values[0]} {operator} {values[1]}', 'a', 'b')};"
    else:
        merge = "&" if operator == ">" else "|"
        body = (
            f"{type.name} r = {choice(type, f'a {operator} b', 'a', 'b')};\n"
            "// Equal numbers have the same bits unless they are the two zeros.\n"
            f"const {type.name} zero = ({type.name})(({mask.name})a {merge} ({mask.name})b);\n"
            f"r = {choice(type, 'a == b', 'zero', 'r')};\n"
            f"r = {choice(type, 'a != a', 'a', 'r')};\n"
            f"return {choice(type, 'b != b', 'b', 'r')};"
        )
    needs = [chosen, typedef(mask)]
    if not type.is_float:
        needs.append(typedef(type.unsigned))
    return function(stem, type, type, [(type, "a"), (type, "b")], body, needs)


_ORDERS: Final = MappingProxyType(
    {
        "one": "(a < b) | (a > b)",
        "ueq": "~((a < b) | (a > b))",
        "ord": "(a == a) & (b == b)",
        "uno": "(a != a) | (b != b)",
    }
)


@cache
def comparison(stem: str, type: Vector) -> Helper:
    """A comparison that is none of C's."""
    body = f"return {_ORDERS[stem]};"
    return function(stem, type, mask_of(type), [(type, "a"), (type, "b")], body)


@cache
def absolute(type: Vector) -> Helper:
    """Floating-point numbers without their signs."""
    mask = mask_of(type)
    rest = hex(2 ** (type.width - 1) - 1)
    ones = broadcast(mask)
    body = f"return ({type.name})(({mask.name})a & {ones.name}({rest}));"
    return function("abs", type, type, [(type, "a")], body, (ones,))


@cache
def create_mask(type: Vector) -> Helper:
    """A mask whose first lanes are true, so many as a number says."""
    last, numbers = type.lanes, ", ".join(map(str, range(type.lanes)))
    spread = broadcast(type)
    body = (
        f"const int64_t last = n < 0 ? -1 : n > {last} ? {last - 1} : n - 1;\n"
        f"return ({type.name}){{{numbers}}} <= {spread.name}(({type.element.value})last);"
    )
    return function("create_mask", type, type, [(Scalar.INT64, "n")], body, (spread,))


@cache
def prefetch(is_write: bool, locality: int) -> Helper:
    """Advice that what is at an address will be used soon."""
    name = f"{PREFIX}prefetch{'_written' if is_write else ''}_{locality}"
    text = (
        f"static inline __attribute__((__always_inline__)) void {name}(void const *p) {{\n"
        f"  __builtin_prefetch(p, {int(is_write)}, {locality});\n}}"
    )
    return Helper(name, text)
