"""Attributes of `poly.mark`: what is said of all that is below a place in the schedule tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast, get_args

import islpy as isl
from xdsl.ir import Attribute, Data, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.isl_attributes import UnionPwMultiAffAttr
from polyir.dialects.loop_attributes import LoopAttributes, verify_loop_attributes
from polyir.sets.lists import text_of

Origins = Literal["outset", "box"]
"""Which tiles are visited: those that have points, or all in the rectangular hull of the points."""


@dataclass(frozen=True)
class SymbolicTiles:
    """Loops over tiles whose sizes are parameters: the names of the sizes, one a loop.

    isl's schedules have no `floor(i / T)` with a parameter T, so these loops are not a band. A
    mark above the loops over the points says that they are there:

        mark #poly.tile<outset [T0, T1]>
          band [i, j]

    stands for the loops over the tiles of T0 x T1 points, with the band as the loops over the
    points of one tile. What is legal for tiles of every size is what is legal for this tree.

    With a `wavefront` of m, the first loop runs over the sums of the positions of the tiles
    along the first m + 1 loops instead. `loops` has the attributes of each loop over tiles.
    """

    origins: Origins
    sizes: tuple[str, ...]
    wavefront: int = 0
    loops: tuple[LoopAttributes, ...] = ()

    def __post_init__(self) -> None:
        if not self.loops:
            object.__setattr__(self, "loops", ((),) * len(self.sizes))


@irdl_attr_definition
class TileAttr(Data[SymbolicTiles]):
    """`#poly.tile<outset [T0, T1] wavefront 1 loops [[], [#poly.parallel]]>`: symbolic tiles."""

    name = "poly.tile"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> SymbolicTiles:
        with parser.in_angle_brackets():
            origins = cast(Origins, parser.parse_keyword_in(get_args(Origins)))
            square = parser.Delimiter.SQUARE
            sizes = parser.parse_comma_separated_list(square, parser.parse_identifier)
            position = parser.pos
            wavefront = 0
            if parser.parse_optional_keyword("wavefront") is not None:
                wavefront = parser.parse_integer(allow_boolean=False, allow_negative=False)
            loops: tuple[LoopAttributes, ...] = ()
            if parser.parse_optional_keyword("loops") is not None:
                loops = parse_attributes_of_loops(parser)
            if not sizes or wavefront >= len(sizes) or len(loops) not in (0, len(sizes)):
                parser.raise_error("the sizes of #poly.tile do not match its loops", position)
            return SymbolicTiles(origins, tuple(sizes), wavefront, loops)

    def print_parameter(self, printer: Printer) -> None:
        tiles = self.data
        with printer.in_angle_brackets():
            printer.print_string(f"{tiles.origins} [{', '.join(tiles.sizes)}]")
            if tiles.wavefront:
                printer.print_string(f" wavefront {tiles.wavefront}")
            if any(tiles.loops):
                printer.print_string(" loops ")
                print_attributes_of_loops(printer, tiles.loops)

    def verify(self) -> None:
        for attributes in self.data.loops:
            verify_loop_attributes(attributes)


@dataclass(frozen=True, eq=False)
class LocalAccesses:
    """A local array that is live below a mark, and the accesses that go to it.

    `accesses` is `{ [S[i] -> A[a]] -> L[l] }`: where the instance S[i] accesses the element A[a],
    it accesses the cell L[l] instead.
    """

    array: str
    accesses: isl.UnionPwMultiAff


@irdl_attr_definition
class LocalAttr(Data[LocalAccesses]):
    """`#poly.local<@L "{ [S[i] -> A[i]] -> L[(i) mod 8] }">`: memory of an iteration's own.

    Below the mark, each iteration of the loops around has a `poly.local_array @L` of its own, and
    the accesses that the relation names go to it.
    """

    name = "poly.local"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> LocalAccesses:
        with parser.in_angle_brackets():
            array = parser.parse_symbol_name().data
            return LocalAccesses(array, UnionPwMultiAffAttr.parse_text(parser))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_symbol_name(self.data.array)
            printer.print_string(" ")
            printer.print_string_literal(text_of(self.data.accesses))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LocalAttr) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


@dataclass(frozen=True)
class KernelSizes:
    """The sizes of a GPU kernel in the order x, y, z.

    `block` are the numbers of threads of a block; `grid` the largest numbers of blocks, if they
    are limited. Sizes that are not given are 1. With `on_host`, its only thread is the host's.
    """

    block: tuple[int, ...] = ()
    grid: tuple[int, ...] = ()
    on_host: bool = False

    def threads(self, axis: int) -> int:
        """The number of threads along an axis."""
        return self.block[axis] if axis < len(self.block) else 1


@irdl_attr_definition
class KernelAttr(Data[KernelSizes]):
    """`#poly.kernel<block [32, 8]>`: all below the mark is a GPU kernel with blocks of this size.

    It is launched once for each iteration of the loops around the mark. `grid [64, 64]` limits the
    number of blocks; each of them then runs several tiles. `#poly.kernel<host>` runs on the host,
    between kernels of the device.
    """

    name = "poly.kernel"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> KernelSizes:
        def sizes(keyword: str) -> tuple[int, ...]:
            if parser.parse_optional_keyword(keyword) is None:
                return ()
            position = parser.pos
            square = parser.Delimiter.SQUARE
            found = parser.parse_comma_separated_list(square, parser.parse_integer)
            if not 1 <= len(found) <= 3 or min(found) < 1:
                parser.raise_error("expected one to three sizes of 1 or more", position)
            return tuple(found)

        if parser.parse_optional_punctuation("<") is None:
            return KernelSizes()
        if parser.parse_optional_keyword("host") is not None:
            found = KernelSizes(on_host=True)
        else:
            found = KernelSizes(sizes("block"), sizes("grid"))
        parser.parse_punctuation(">")
        return found

    def print_parameter(self, printer: Printer) -> None:
        named = [("block", self.data.block), ("grid", self.data.grid)]
        shown = [f"{name} [{', '.join(map(str, sizes))}]" for name, sizes in named if sizes]
        shown += ["host"] * self.data.on_host
        if shown:
            with printer.in_angle_brackets():
                printer.print_string(" ".join(shown))


@irdl_attr_definition
class OneBlockAttr(ParametrizedAttribute):
    """`#poly.one_block`: all below the mark is little work for the threads of one block of a GPU.

    For each iteration of the loops around the mark, one block runs all of it, with barriers between
    its parts. If no loop around is parallel, it is a kernel of its own.
    """

    name = "poly.one_block"


def parse_attributes_of_loops(parser: AttrParser) -> tuple[LoopAttributes, ...]:
    """Read the attributes of several loops: `[[], [#poly.parallel]]`."""
    square = parser.Delimiter.SQUARE

    def attributes_of_loop() -> LoopAttributes:
        return tuple(parser.parse_comma_separated_list(square, parser.parse_attribute))

    return tuple(parser.parse_comma_separated_list(square, attributes_of_loop))


def print_attributes_of_loops(printer: Printer, loops: tuple[LoopAttributes, ...]) -> None:
    """Print the attributes of several loops."""
    with printer.in_square_brackets():
        for position, attributes in enumerate(loops):
            printer.print_string(", " if position else "")
            with printer.in_square_brackets():
                printer.print_list(attributes, printer.print_attribute)


def verify_mark(attribute: Attribute) -> None:
    """Raise `VerifyException` unless a mark can hold the attribute: one of a dialect."""
    dialect, _, _ = attribute.name.rpartition(".")
    if dialect in ("", "builtin"):
        raise VerifyException(f"cannot hold {attribute}, which is not an attribute of a dialect")
