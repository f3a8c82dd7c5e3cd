"""What a program promises about an index array: `#poly.index_array` of a function's argument."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final, Literal, cast, get_args

import islpy as isl
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.isl_attributes import SetAttr
from polyir.sets.lists import parameters_of, text_of

Direction = Literal["increasing", "nondecreasing", "decreasing", "nonincreasing"]
"""How the elements of an array follow each other; `increasing` and `decreasing` are strict."""

SIZE: Final = re.compile(r"arg(?P<argument>\d+)(_dim(?P<dimension>\d+))?")
"""A number in a range: the value of an argument, or its extent in a dimension."""

INSPECTOR: Final = "polyir.inspector"
"""The attribute of functions that are inspectors, or called by them: their loops get no inspectors
of their own."""

EXTENTS: Final = "polyir.extents"
"""The attribute of a memref that stands for a pointer of C, for whose first extents a pragma gives
functions of all arguments of the function: an affine map."""

REPORT_MESSAGE: Final = "polyir.report_message"
"""The attribute of a `cf.assert` whose condition is computed from an array of numbers, a report.

It is the text to print if the condition does not hold, with `{n}` for the n-th number."""


@dataclass(frozen=True)
class IndexArrayFacts:
    """Facts about the elements p(i), with `i` inside the extents of the array.

    `is_injective`: p(i) = p(j) only for i = j. `direction`: for one dimension, how p(i) and p(j)
    compare for i < j. `range`: a set `{ [x] }` that all elements are in, whose parameters are
    arguments of the function, `arg2`, or extents of them, `arg2_dim0`, counted from 0.
    """

    is_injective: bool = False
    direction: Direction | None = None
    range: isl.Set | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The facts without values."""
        injective = ("injective",) if self.is_injective else ()
        return injective if self.direction is None else (*injective, self.direction)


@irdl_attr_definition
class IndexArrayAttr(Data[IndexArrayFacts]):
    """`#poly.index_array<injective, range = "[arg0] -> { [x] : 0 <= x < arg0 }">`.

    Promises of the caller, which nothing checks: they are used as they are.
    """

    name = "poly.index_array"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> IndexArrayFacts:
        with parser.in_angle_brackets():
            facts = _with_fact(IndexArrayFacts(), parser)
            while parser.parse_optional_punctuation(",") is not None:
                facts = _with_fact(facts, parser)
        return facts

    def print_parameter(self, printer: Printer) -> None:
        facts = self.data
        with printer.in_angle_brackets():
            printer.print_string(", ".join(facts.words))
            if facts.range is not None:
                printer.print_string(", range = " if facts.words else "range = ")
                printer.print_string_literal(text_of(facts.range))

    def verify(self) -> None:
        facts = self.data
        if not facts.words and facts.range is None:
            raise VerifyException(f"#{self.name} says nothing")
        if facts.range is None:
            return
        if facts.range.dim(isl.dim_type.set) != 1:
            raise VerifyException(f"the range of #{self.name} must be a set of single numbers")
        if facts.range.is_empty():
            raise VerifyException(f"the range of #{self.name} is empty")
        for name in parameters_of(facts.range.get_space()):
            if SIZE.fullmatch(name) is None:
                raise VerifyException(
                    f"the range of #{self.name} depends on '{name}', which is neither an argument "
                    "of the function, such as arg0, nor an extent of one, such as arg0_dim0"
                )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexArrayAttr) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        range = self.data.range
        return (*self.data.words, None if range is None else text_of(range))


def _with_fact(facts: IndexArrayFacts, parser: AttrParser) -> IndexArrayFacts:
    """`facts` and the one that comes next in a text."""
    position = parser.pos
    word = parser.parse_identifier("a fact about an index array")
    valid = ("injective", *get_args(Direction), "range")
    if word not in valid:
        parser.raise_error(f"expected a fact: one of {', '.join(valid)}", position)
    kind = word if word in ("injective", "range") else "direction"
    known = {
        "injective": facts.is_injective,
        "direction": facts.direction is not None,
        "range": facts.range is not None,
    }
    if known[kind]:
        parser.raise_error(f"the second '{kind}' of one index array", position)
    if kind == "injective":
        return replace(facts, is_injective=True)
    if kind == "direction":
        return replace(facts, direction=cast(Direction, word))
    parser.parse_punctuation("=")
    return replace(facts, range=SetAttr.parse_text(parser))
