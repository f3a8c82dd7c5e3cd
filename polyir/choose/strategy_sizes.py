"""The sizes of a strategy's tiles, and other sizes near them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from polyir.choose.strategies import Sizes, Strategy, whole_blocks
from polyir.transform.gpu.mapping import GpuTileOptions
from polyir.transform.register_tile import RegisterTileOptions
from polyir.transform.tile import TileOptions


def sizes_of(step: object) -> dict[str, Sizes]:
    """The sizes of tiles that a pass makes, by the names of its options."""
    if isinstance(step, TileOptions):
        return {"sizes": step.sizes}
    if isinstance(step, GpuTileOptions) and step.tile:
        return {"tile": step.tile}
    if isinstance(step, RegisterTileOptions) and step.tiles:
        return {"tiles": step.tiles, "shared_tiles": step.shared_tiles}
    return {}


def neighbours(strategy: Strategy) -> Iterator[Strategy]:
    """The strategy with one size of its tiles of register blocks doubled or halved, the last first.

    The sizes of `tile` stay: isl may take a hundred times as long to generate loops for others
    (PolyBench's jacobi-2d: 0.03 s for 22 x 88 x 256, 20 s for 22 x 176 x 256), and the model does
    not see what partial blocks in small ones cost.
    """
    for place, step in enumerate(strategy.steps):
        if not isinstance(step, RegisterTileOptions):
            continue
        for name, sizes in sizes_of(step).items():
            for changed in scaled(sizes, 2, 1):
                fitting = whole_blocks(changed, step.rows, step.vectors * step.width)
                if fitting != sizes:
                    other = replace(step, **{name: fitting})
                    steps = (*strategy.steps[:place], other, *strategy.steps[place + 1 :])
                    yield replace(strategy, steps=steps)


def shown_sizes(strategy: Strategy) -> str:
    """The sizes of the tiles for people."""
    found = [sizes for step in strategy.steps for sizes in sizes_of(step).values()]
    texts = [" x ".join(map(str, sizes)) for sizes in found]
    return f" with tiles of {' or '.join(texts)}" if texts else ""


def scaled(sizes: Sizes, up: int, down: int) -> Iterator[Sizes]:
    """Sizes of which one is `up / down` times as large, or as small, the last one first."""
    for place in reversed(range(len(sizes))):
        for changed in (sizes[place] * up // down, sizes[place] * down // up):
            yield (*sizes[:place], changed, *sizes[place + 1 :])
