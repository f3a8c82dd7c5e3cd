"""The functions on vectors that have a form for the instructions of x86.

These instructions do more than compilers make of plain C. They are called as the compilers'
built-in functions, `__builtin_ia32_...`, under the names that GCC and Clang both have: the headers
that wrap them have names of variables that a macro of the user's file may replace.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import MappingProxyType
from typing import Final

from polyir.target.abi import PREFIX, library_name
from polyir.target.c.helpers import Helper
from polyir.target.c.types import CType, Vector
from polyir.target.c.vector_helpers import choice, function, lane_loop, mask_of, select

_FLOAT_SUFFIX: Final = MappingProxyType({64: "pd", 32: "ps"})
_INTEGER_SUFFIX: Final = MappingProxyType({64: "di", 32: "si", 16: "hi", 8: "qi"})
_INTEGER_LETTER: Final = MappingProxyType({64: "q", 32: "d", 16: "w", 8: "b"})
_REGISTERS: Final = (128, 256, 512)
_ROUND_AS_SET: Final = 4
"""The operand of an instruction that rounds as the processor is set to."""
_EQUAL: Final = 0
"""The operand of a comparison of floating-point numbers: whether they are equal."""
_LESS: Final = 1
"""The operand of a comparison of integers: whether the first is less."""


@cache
def exact(stem: str, type: Vector, count: int) -> Helper:
    """`sqrt` or `fma`, which round in one way only."""
    operands = "abc"[:count]
    name = library_name(stem, type.element)
    listed = ", ".join(operands)
    # Clang 17 and later make the instruction of this, or calls if the machine has none.
    modern = "defined(__clang__) && __clang_major__ >= 17"
    forms = [(modern, f"return __builtin_elementwise_{stem}({listed});")]
    if type.bits in _REGISTERS:
        feature, call = _exact_instruction(stem, type, listed)
        forms.append((f"defined({feature}) && !defined(__clang__)", f"return {call};"))
    each = f"{name}({', '.join(f'{each}[i]' for each in operands)})"
    body = _alternatives(forms, lane_loop(type, each))
    parameters = [(type, each) for each in operands]
    return function(stem, type, type, parameters, body, (), (name,))


def _exact_instruction(stem: str, type: Vector, operands: str) -> tuple[str, str]:
    """The feature that has an instruction, and GCC's name for that, called."""
    suffix = _FLOAT_SUFFIX[type.width]
    start = f"__builtin_ia32_{'vfmadd' if stem == 'fma' else stem}{suffix}"
    if type.bits == 512:
        # For a square root, the lanes that the mask leaves out are those of a further operand.
        inputs = operands if stem == "fma" else f"{operands}, {operands}"
        return "__AVX512F__", f"{start}512_mask({inputs}, {_all_lanes(type)}, {_ROUND_AS_SET})"
    feature = "__FMA__" if stem == "fma" else "__AVX__" if type.bits == 256 else "__SSE2__"
    return feature, f"{start}{_wide(type)}({operands})"


@cache
def number_extremum(stem: str, type: Vector) -> Helper:
    """`maxnum` or `minnum`, which prefer numbers to NaN, as those of `helpers.py`.

    Only one operation has to wait for `a`, which may be a partial result.
    """
    is_maximum = stem == "maxnum"
    chosen = select(type)
    better = choice(type, f"a {'>' if is_maximum else '<'} b", "a", "b")
    forms: list[tuple[str, str]] = []
    if type.bits == 512:
        # GCC makes scalar code of two choices, one in the other, in some places.
        suffix, all_lanes = _FLOAT_SUFFIX[type.width], _all_lanes(type)
        numbers = (
            f"__builtin_ia32_cmp{suffix}512_mask(b, b, {_EQUAL}, {all_lanes}, {_ROUND_AS_SET})"
        )
        name = f"__builtin_ia32_{stem[:3]}{suffix}512_mask"
        call = f"return {name}(a, b, a, {numbers}, {_ROUND_AS_SET});"
        forms.append(("defined(__AVX512F__) && !defined(__clang__)", call))
    body = _alternatives(forms, f"return {choice(type, 'b != b', 'a', better)};")
    return function(stem, type, type, [(type, "a"), (type, "b")], body, [chosen])


@cache
def masked_load(type: Vector) -> Helper:
    """Elements where a mask is true, and lanes of a vector elsewhere; others are not touched."""
    mask = mask_of(type)
    forms: list[tuple[str, str]] = []
    if type.bits in _REGISTERS:
        operands = f"{_as_operand(type, 'b')}, {_lane_bits(type)}"
        load = f"{_newer_name('load', type)}((const void *)p, {operands})"
        forms.append((_mask_feature(type), f"return ({type.name}){load};"))
        if type.width >= 32 and type.bits <= 256:
            # This one gives zero where the mask is false.
            load = f"{_older_name('load', type)}((const void *)p, {_as_operand(mask, 'mask')})"
            merged = f"({mask.name}){load} | (~mask & ({mask.name})b)"
            forms.append(("defined(__AVX2__)", f"return ({type.name})({merged});"))
    loop = f"for (int i = 0; i < {type.lanes}; i++)\n  if (mask[i])\n    b[i] = p[i];\nreturn b;"
    parameters: list[tuple[CType, str]] = [(type.element, "const *p"), (mask, "mask"), (type, "b")]
    needs = _operand_types(type) if forms else ()
    return function("masked_load", type, type, parameters, _alternatives(forms, loop), needs)


@cache
def masked_store(type: Vector) -> Helper:
    """Write the lanes where a mask is true; other elements are not touched."""
    mask = mask_of(type)
    forms: list[tuple[str, str]] = []
    if type.bits in _REGISTERS:
        operands = f"{_as_operand(type, 'a')}, {_lane_bits(type)}"
        store = f"{_newer_name('store', type)}((void *)p, {operands});"
        forms.append((_mask_feature(type), store))
        if type.width >= 32 and type.bits <= 256:
            operands = f"{_as_operand(mask, 'mask')}, {_as_operand(type, 'a')}"
            store = f"{_older_name('store', type)}((void *)p, {operands});"
            forms.append(("defined(__AVX2__)", store))
    loop = f"for (int i = 0; i < {type.lanes}; i++)\n  if (mask[i])\n    p[i] = a[i];"
    parameters: list[tuple[CType, str]] = [(type.element, "*p"), (mask, "mask"), (type, "a")]
    needs = _operand_types(type) if forms else ()
    return function("masked_store", type, None, parameters, _alternatives(forms, loop), needs)


def _alternatives(forms: Sequence[tuple[str, str]], otherwise: str) -> str:
    """Statements for the first feature that the machine has."""
    if not forms:
        return otherwise
    text = ""
    for position, (feature, statements) in enumerate(forms):
        text += f"#{'el' if position else ''}if {feature}\n{statements}\n"
    return f"{text}#else\n{otherwise}\n#endif"


def _newer_name(verb: str, type: Vector) -> str:
    """AVX-512's masked load or store, whose mask has a bit for each lane."""
    kind = {64: "upd", 32: "ups"}[type.width] if type.is_float else ""
    return f"__builtin_ia32_{verb}{kind or f'dqu{_INTEGER_SUFFIX[type.width]}'}{type.bits}_mask"


def _older_name(verb: str, type: Vector) -> str:
    """AVX2's masked load or store, whose mask is a vector."""
    suffix = _FLOAT_SUFFIX[type.width] if type.is_float else _INTEGER_LETTER[type.width]
    return f"__builtin_ia32_mask{verb}{suffix}{_wide(type)}"


def _wide(type: Vector) -> str:
    return "256" if type.bits == 256 else ""


def _mask_feature(type: Vector) -> str:
    """The test for instructions with a bit for each lane."""
    needed = ["__AVX512BW__" if type.width < 32 else "__AVX512F__"]
    needed += ["__AVX512VL__"] * (type.bits < 512)
    return " && ".join(f"defined({each})" for each in needed)


def _lane_bits(type: Vector) -> str:
    """A bit for each lane of `mask`: whether it is negative."""
    mask = mask_of(type)
    name = f"__builtin_ia32_cmp{_INTEGER_LETTER[mask.width]}{mask.bits}_mask"
    zero = f"({_operand_name(mask)}){{0}}"
    return f"{name}({_as_operand(mask, 'mask')}, {zero}, {_LESS}, {_all_lanes(type)})"


def _all_lanes(type: Vector) -> str:
    unsigned = {8: "char", 16: "short", 32: "int", 64: "long long"}[max(type.lanes, 8)]
    return f"(unsigned {unsigned})-1"


_OPERAND_ELEMENTS: Final = MappingProxyType({64: "long long", 8: "char"})
"""The elements of the instructions' operands where they are not those of `stdint.h`."""


def _operand_name(type: Vector) -> str:
    """The type of an operand of an instruction."""
    if type.is_float or type.width not in _OPERAND_ELEMENTS:
        return type.name
    return f"{PREFIX}x86_{type.suffix}"


def _as_operand(type: Vector, value: str) -> str:
    name = _operand_name(type)
    return value if name == type.name else f"({name}){value}"


def _operand_types(type: Vector) -> tuple[Helper, ...]:
    """The definitions of the types of operands: of the vector, and of its mask."""
    return tuple(
        Helper(
            name,
            f"__extension__ typedef {_OPERAND_ELEMENTS[each.width]} {name} "
            f"__attribute__((__vector_size__({each.bits // 8})));",
            is_type=True,
        )
        for each in dict.fromkeys((type, mask_of(type)))
        if (name := _operand_name(each)) != each.name
    )
