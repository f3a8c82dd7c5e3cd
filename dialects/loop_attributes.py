"""Attributes of loops: what a pass decides about a loop, from the schedule tree to the loop.

A member of a `poly.band` has any number of them, and so has the loop that is made of it: the
attribute `#poly.vector<8>` of a member is the entry `poly.vector` of the loop's attributes.
Any attribute of any dialect may be one. `LoopAttribute` lets an attribute say what becomes of it
when its loop is transformed; the defaults hold for attributes that do not derive from it. The
rules are those of `polyir.transform.loop_attributes`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

MOST_COPIES: Final = 64
"""Straight-line code of more copies of an iteration, each of one element or one vector, would not
fit into registers, and takes long to compile."""

UNROLLED_ITERATIONS: Final = 16
"""Loops of so few iterations are unrolled by C compilers: "GNU Compiler Collection", "Optimize
Options", `max-completely-peel-times`."""

UNROLLED_TRIPS: Final = 8
"""An estimate: what so many iterations of a thread load, fits into its registers."""

CutPart = Literal["outer", "inner", "both"]
"""Of the two loops that a cut makes of one: the loop over blocks, the loop in a block, or both."""


class LoopAttribute:
    """What an attribute of a loop says of itself."""

    def part_after_cut(self) -> CutPart:
        """Which loop has it after tiling or strip-mining.

        By default the inner one, which has the values of the loop that was cut.
        """
        return "inner"

    def requires_parallel(self) -> bool:
        """Whether it is true of parallel loops only; it is then taken off all others."""
        return False


def rules_of(attribute: Attribute) -> LoopAttribute:
    """What an attribute says of itself, or the defaults."""
    return attribute if isinstance(attribute, LoopAttribute) else LoopAttribute()


@irdl_attr_definition
class ParallelAttr(ParametrizedAttribute, LoopAttribute):
    """`#poly.parallel`: the iterations may run in any order, or at once."""

    name = "poly.parallel"

    def part_after_cut(self) -> CutPart:
        return "outer"

    def requires_parallel(self) -> bool:
        return True


@irdl_attr_definition
class DynamicAttr(ParametrizedAttribute, LoopAttribute):
    """`#poly.dynamic`: a thread that is free takes the next iteration of the parallel loop."""

    name = "poly.dynamic"

    def part_after_cut(self) -> CutPart:
        return "outer"

    def requires_parallel(self) -> bool:
        return True


@irdl_attr_definition
class ClampedAttr(ParametrizedAttribute):
    """`#poly.clamped`, of an `affine.min`: an index of a copy, its first operand, or one before.

    What is loaded there is used only where it is the first operand.
    """

    name = "poly.clamped"


class CountAttr(Data[int]):
    """An attribute with one number, which is 2 or more."""

    what: ClassVar[str]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        with parser.in_angle_brackets():
            position = parser.pos
            number = parser.parse_integer(allow_boolean=False)
            if number < 2:
                parser.raise_error(f"the {cls.what} of #{cls.name} must be 2 or more", position)
            return number

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.data))


@irdl_attr_definition
class VectorAttr(CountAttr, LoopAttribute):
    """`#poly.vector<8>`: eight successive iterations run at once, as vector operations."""

    name = "poly.vector"
    what = "width"

    def requires_parallel(self) -> bool:
        return True


@irdl_attr_definition
class JamAttr(CountAttr, LoopAttribute):
    """`#poly.jam<8>`: eight successive iterations run at once, as copies of each operation."""

    name = "poly.jam"
    what = "number"

    def requires_parallel(self) -> bool:
        return True


@irdl_attr_definition
class ReductionAttr(CountAttr, LoopAttribute):
    """`#poly.reduction<8>`: eight successive iterations may run at once, in lanes.

    The loop updates one element by an associative operation: each lane has a partial result, and
    these are combined after the loop. Floating-point numbers are rounded in another order then.
    """

    name = "poly.reduction"
    what = "width"


@irdl_attr_definition
class PartsAttr(CountAttr, LoopAttribute):
    """`#poly.parts<4096>`: 4096 successive iterations at a time may compute a partial result.

    The loop updates one element, as one with `#poly.reduction`. Threads share the partial results,
    which are combined in a fixed order.
    """

    name = "poly.parts"
    what = "size"

    def part_after_cut(self) -> CutPart:
        return "outer"


@irdl_attr_definition
class UnrollAttr(CountAttr, LoopAttribute):
    """`#poly.unroll<4>`: the compiler of the emitted code is to unroll the loop four times."""

    name = "poly.unroll"
    what = "factor"


@dataclass(frozen=True)
class GpuDimension:
    """A dimension of the grid of blocks of a GPU kernel, or of the threads of a block."""

    level: str
    axis: str


@irdl_attr_definition
class MapAttr(Data[GpuDimension], LoopAttribute):
    """`#poly.map<block x>`: each iteration is run by the block, or thread, of that number."""

    name = "poly.map"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> GpuDimension:
        with parser.in_angle_brackets():
            level = parser.parse_keyword_in(("block", "thread"))
            return GpuDimension(level, parser.parse_keyword_in(("x", "y", "z")))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.data.level} {self.data.axis}")

    def part_after_cut(self) -> CutPart:
        return "outer" if self.data.level == "block" else "inner"

    def requires_parallel(self) -> bool:
        return True


LoopAttributes = tuple[Attribute, ...]
"""The attributes of one loop, at most one of each name."""


def requires_parallel(attributes: Iterable[Attribute]) -> bool:
    """Whether one of the attributes is true of parallel loops only."""
    return any(rules_of(attribute).requires_parallel() for attribute in attributes)


def verify_loop_attributes(attributes: Iterable[Attribute]) -> None:
    """Raise `VerifyException` unless a loop can have these attributes together."""
    names: set[str] = set()
    for attribute in attributes:
        dialect, _, _ = attribute.name.rpartition(".")
        if dialect in ("", "builtin"):
            raise VerifyException(f"{attribute} is not a loop attribute: it belongs to no dialect")
        if attribute.name in names:
            raise VerifyException(f"has two attributes #{attribute.name} on one loop")
        names.add(attribute.name)
