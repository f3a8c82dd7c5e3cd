"""The types of C that regions use, for the data models ILP32 and LP64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from xdsl.dialects.builtin import IntegerType, f32, f64
from xdsl.ir import Attribute


@dataclass(frozen=True)
class CType:
    """A type of C."""


@dataclass(frozen=True)
class Arithmetic(CType):
    """An integer or floating type; `rank` orders the integers as C's conversions do."""

    name: str
    width: int
    is_signed: bool = True
    is_float: bool = False
    rank: int = 0

    @property
    def ir(self) -> Attribute:
        """The type of its values in IR, where integers are signless."""
        if self.is_float:
            return f64 if self.width == 64 else f32
        return IntegerType(self.width)

    @property
    def is_bool(self) -> bool:
        return self.width == 1


@dataclass(frozen=True)
class Pointer(CType):
    """A pointer to `target`; `is_restrict` says that no other name leads there."""

    target: CType
    is_restrict: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class CArrayType(CType):
    """An array; `extent` is `None` if it is not a constant."""

    element: CType
    extent: int | None


@dataclass(frozen=True)
class Record(CType):
    """A structure with the types of its members."""

    members: Mapping[str, CType]


@dataclass(frozen=True)
class CFunctionType(CType):
    """A function; `parameters` is `None` if there is no prototype."""

    result: CType
    parameters: Sequence[CType] | None


@dataclass(frozen=True)
class Other(CType):
    """A type that regions do not support, as it is written in C."""

    name: str


BOOL: Final = Arithmetic("_Bool", 1, is_signed=False, rank=0)
SCHAR: Final = Arithmetic("signed char", 8, rank=1)
UCHAR: Final = Arithmetic("unsigned char", 8, is_signed=False, rank=1)
SHORT: Final = Arithmetic("short", 16, rank=2)
USHORT: Final = Arithmetic("unsigned short", 16, is_signed=False, rank=2)
INT: Final = Arithmetic("int", 32, rank=3)
UINT: Final = Arithmetic("unsigned int", 32, is_signed=False, rank=3)
LONG: Final = Arithmetic("long", 64, rank=4)
ULONG: Final = Arithmetic("unsigned long", 64, is_signed=False, rank=4)
LLONG: Final = Arithmetic("long long", 64, rank=5)
ULLONG: Final = Arithmetic("unsigned long long", 64, is_signed=False, rank=5)
FLOAT: Final = Arithmetic("float", 32, is_float=True)
DOUBLE: Final = Arithmetic("double", 64, is_float=True)

_BY_WORDS: Final[Mapping[tuple[str, ...], Arithmetic]] = {
    ("_Bool",): BOOL,
    ("bool",): BOOL,
    ("char", "signed"): SCHAR,
    ("char", "unsigned"): UCHAR,
    ("short",): SHORT,
    ("short", "unsigned"): USHORT,
    ("int",): INT,
    ("unsigned",): UINT,
    ("long",): LONG,
    ("long", "unsigned"): ULONG,
    ("long", "long"): LLONG,
    ("long", "long", "unsigned"): ULLONG,
    ("float",): FLOAT,
    ("double",): DOUBLE,
}


def arithmetic_type(words: Sequence[str], plain_char: Arithmetic = SCHAR) -> Arithmetic | None:
    """The arithmetic type that type specifiers name, in any order; `None` if there is none."""
    if tuple(words) == ("char",):
        return plain_char
    essential = sorted(word for word in words if word not in ("int", "signed"))
    if "char" in words and "signed" in words:
        essential = ["char", "signed"]
    return _BY_WORDS.get(tuple(essential) or ("int",))


def unsigned(type: Arithmetic) -> Arithmetic:
    """The unsigned type with the width and the rank of an integer type."""
    if not type.is_signed:
        return type
    found = (each for each in _BY_WORDS.values() if not each.is_signed and not each.is_bool)
    return next(each for each in found if (each.width, each.rank) == (type.width, type.rank))


def promoted(type: Arithmetic) -> Arithmetic:
    """The integer promotions (C11, 6.3.1.1): types narrower than `int` become `int`."""
    return INT if not type.is_float and type.rank < INT.rank else type


def common_type(left: Arithmetic, right: Arithmetic) -> Arithmetic:
    """The usual arithmetic conversions (C11, 6.3.1.8)."""
    if left.is_float or right.is_float:
        floats = [type for type in (left, right) if type.is_float]
        return max(floats, key=lambda type: type.width)
    left, right = promoted(left), promoted(right)
    if left.is_signed == right.is_signed:
        return max(left, right, key=lambda type: type.rank)
    signed, unsigned = (left, right) if left.is_signed else (right, left)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.width > unsigned.width:
        return signed
    return {LONG.rank: ULONG, LLONG.rank: ULLONG}[signed.rank]
