"""Tiles of any shape that the dependences allow: parallelograms, and cuts of other directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import islpy as isl

from polyir.base.diagnostics import LegalityError, OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.proofs.bands import annotate_band
from polyir.sets.values import isl_value
from polyir.transform.bands import anchored
from polyir.transform.loop_attributes import settled
from polyir.transform.tile import TileOptions, insert_tiles, runs_over_tiles
from polyir.transform.walk import BAND, summary
from polyir.tree import BandMember, Schedule, ScheduleNode, mapped_children
from polyir.tree.names import name_list, statements_of


@dataclass(frozen=True)
class Shape:
    """The directions in which tiles are cut: rows of coefficients, one for each loop of a nest.

    Raises `OptionError` if the rows are not of one length, or if one is all zero.
    """

    rows: tuple[tuple[int, ...], ...]

    WORD: ClassVar[str] = "rows of numbers"

    def __post_init__(self) -> None:
        if len({len(row) for row in self.rows}) > 1:
            raise OptionError(f"the rows of a shape must have the same length: shape={self}")
        if not all(any(row) for row in self.rows):
            raise OptionError(f"a row of a shape must not be all zero: shape={self}")

    @classmethod
    def parse(cls, text: str) -> Shape:
        """The shape that `text` gives row by row: `1,0;1,1`; raises `OptionError`."""
        try:
            return Shape(tuple(tuple(map(int, row.split(","))) for row in text.split(";")))
        except ValueError:
            raise OptionError(
                f"a shape must be rows of numbers, such as 1,0;1,1: shape={text}"
            ) from None

    def __str__(self) -> str:
        return ";".join(",".join(map(str, row)) for row in self.rows)


@dataclass(frozen=True)
class ShapedTileOptions:
    """The shape of the tiles, and the sizes of its rows, as in `TileOptions`."""

    shape: Shape
    sizes: tuple[int, ...]
    levels: int = 1
    ratio: int = 1

    def __post_init__(self) -> None:
        # Bad numbers are refused at once.
        self.tile_options()

    def tile_options(self) -> TileOptions:
        """The sizes of the rows; raises `OptionError` for bad numbers."""
        return TileOptions(self.sizes, self.levels, ratio=self.ratio)


def tile_with_shape(
    schedule: Schedule, dependences: Dependences, options: ShapedTileOptions
) -> Outcome:
    """Tile the outermost loops of each nest by the hyperplanes that a shape combines of them.

    With the rows (1, 0) and (1, 1), and loops that need not be permutable:

        band [i]            =>    band [s_1 floor(i / s_1), s_2 floor((i + j) / s_2)]
          band [j]                  band [i]
                                      band [j]

    A row may have any integers, and there may be any number of rows: with a unimodular shape
    tiles are the rectangular ones of a skewed nest. Points keep their order. Nests of fewer
    loops than a row has entries are left alone.

    Raises `LegalityError` if the tiles violate a dependence.
    """
    tiler = _ShapedTiler(dependences, options)
    result = tiler.visit(schedule.root).schedule
    if not tiler.tiled:
        reasons = tiler.narrow or ["there is no loop"]
        return Outcome(schedule, (), (f"nothing was tiled: {summary(reasons)}",), name="not-tiled")
    what = "tiling with this shape"
    done = (*tiler.tiled, *tiler.narrow)
    return settled(schedule, result, dependences, what, done, exact_flags=False)


class _ShapedTiler:
    """Tiles the nests of one tree and notes what it did."""

    def __init__(self, dependences: Dependences, options: ShapedTileOptions) -> None:
        self.tiled: list[str] = []
        self.narrow: list[str] = []
        self._dependences = dependences
        self._rows = options.shape.rows
        self._sizes = options.tile_options().sizes_by_level(len(self._rows))

    def visit(self, node: ScheduleNode) -> ScheduleNode:
        """The tree from `node` down, tiled."""
        if node.kind is not BAND or runs_over_tiles(node):
            return mapped_children(node, self.visit)
        loops = _loops_from(node)
        wanted = len(self._rows[0])
        nest = f"the nest of {len(loops)} over {name_list(statements_of(node))}"
        if len(loops) < wanted:
            self.narrow.append(f"{nest} does not have {wanted} perfectly nested loops")
            return node
        if node.is_subtree_anchored:
            raise LegalityError(f"{nest} cannot be tiled: {anchored(node)}", name="anchored-loops")
        combined = [_combination(loops, row) for row in self._rows]
        for sizes in reversed(self._sizes):
            node = annotate_band(insert_tiles(node, combined, sizes), self._dependences)
        rows = " ".join(f"({','.join(map(str, row))})" for row in self._rows)
        self.tiled.append(f"tiled {nest} along {rows}")
        return node


def _loops_from(band: ScheduleNode) -> list[BandMember]:
    """The members of `band` and of the bands directly below it."""
    loops: list[BandMember] = []
    while band.kind is BAND:
        loops += band.members
        band = band.child(0)
    return loops


def _combination(loops: Sequence[BandMember], row: Sequence[int]) -> BandMember:
    """The sum of loops that a row says."""
    terms = [
        loop.function.scale_val(isl_value(factor))
        for loop, factor in zip(loops, row, strict=False)
        if factor
    ]
    return BandMember(reduce(isl.UnionPwAff.add, terms))
