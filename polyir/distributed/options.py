"""How the iterations of parallel loops and the arrays are divided among ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polyir.base.diagnostics import OptionError


@dataclass(frozen=True)
class DistributionOptions:
    """Options of `distribute-memory`.

    grid: how many parallel loops of a nest are divided, 1 or 2. With 2, the ranks are a grid,
        which is as near to a square as their number allows, and the outer loop has the longer
        side. A nest with one parallel loop uses all ranks in a line.
    distribution: `block` gives a rank neighbouring tiles, all in one block. `cyclic` deals out
        tiles in turn, and `block-cyclic` blocks of `block` tiles. Each block has parts of arrays
        of its own, with its own halo.
    block: tiles in a block of `block-cyclic`, in each divided loop.
    replicate: arrays of which each rank holds all elements that are accessed, which saves no
        message. The others are held as far as a block accesses them.
    data: whose arrays the function gets. `first-rank`: those of the first rank, which scatters and
        gathers them. `distributed`: each rank passes its part of each array, and the whole of one
        without dimensions or with `replicate`. Then a rank has one block.
    reassociate: updates of one element by an associative operation may run in any order, and so be
        divided among ranks: each has partial results, which MPI combines.
    """

    grid: int = 1
    distribution: Literal["block", "cyclic", "block-cyclic"] = "block"
    block: int | None = None
    replicate: tuple[str, ...] = ()
    data: Literal["first-rank", "distributed"] = "first-rank"
    reassociate: bool = False

    def __post_init__(self) -> None:
        if self.grid not in (1, 2):
            raise OptionError(f"grid must be 1 or 2: grid={self.grid}")
        if (self.distribution == "block-cyclic") != (self.block is not None):
            raise OptionError("block-cyclic needs the size of a block, and only it: block=4")
        if self.block is not None and self.block < 1:
            raise OptionError(f"block must be 1 or more: block={self.block}")

        if self.data == "distributed" and self.distribution != "block":
            raise OptionError(
                f"data=distributed needs distribution=block: with {self.distribution}, what a rank "
                "has of an array is not a box"
            )

    @property
    def tiles(self) -> int | None:
        """How many tiles a block has in each divided loop, if that is known."""
        return 1 if self.distribution == "cyclic" else self.block
