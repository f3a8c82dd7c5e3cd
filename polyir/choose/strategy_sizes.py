"""The sizes of a strategy's tiles, and other sizes near them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from polyir.choose.strategies import Sizes, Strategy, whole_blocks
from polyir.transform.register_tile import RegisterTileOptions
from polyir.transform.tile import TileOptions


def sizes_of(step: object) -> dict[str, Sizes]:
    """The sizes of tiles that a pass makes, by the names of its options."""
    if isinstance(step, TileOptions):
        return {"sizes": step.sizes}
    if isinstance(step, RegisterTileOptions) and step.tiles:
        return {"tiles": step.tiles, "shared_tiles": step.shared_tiles}
    return {}


def neighbours(strategy: Strategy) -> Iterator[Strategy]:
    """The strategy with one size of its tiles doubled or halved, that of the last loop first.

    Tiles around register blocks only grow: the model does not see what partial blocks cost.
    """
    for place, step in enumerate(strategy.steps):
        for name, sizes in sizes_of(step).items():
            for changed in scaled(sizes, 2, 1):
                if strategy.sums and isinstance(step, TileOptions) and sum(changed) < sum(sizes):
                    continue
                if isinstance(step, RegisterTileOptions):
                    changed = whole_blocks(changed, step.rows, step.vectors * step.width)
                if changed != sizes and min(changed) > 0:
                    other = replace(step, **{name: changed})
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
