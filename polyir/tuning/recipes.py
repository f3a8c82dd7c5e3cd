"""Candidates: pipelines in slots, each of which can be changed for itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final, get_args

from xdsl.passes import ModulePass

from polyir.choose.strategies import Sizes, Strategy, is_for_threads, whole_blocks
from polyir.choose.strategy_sizes import scaled
from polyir.passes.intra_tile_order import IntraTileOrderPass
from polyir.passes.mark_parallel import MarkParallelPass
from polyir.passes.optimize import OptimizePass
from polyir.passes.pack import PackPass
from polyir.passes.register_tile import RegisterTilePass
from polyir.passes.scalar_replacement import ScalarReplacementPass
from polyir.passes.strategy_names import StrategyName
from polyir.passes.tile import TilePass
from polyir.passes.vectorize import VectorizePass
from polyir.passes.wavefront import WavefrontPass
from polyir.transform.balance import Distribution

Passes = tuple[ModulePass, ...]


@dataclass(frozen=True)
class Recipe:
    """A pipeline, in the order of its fields, and how many `threads` run it.

    `schedule` has the passes up to the scheduler. `before` and `order` are orders of point loops
    before and after tiling, `chains` are wavefronts of the innermost loops. With `blocks`, loops
    become vector code, with operands in contiguous arrays if they are `packed`; `scalars` keeps
    elements in SSA values. With tiles in `blocks`, these come before `parallel`. `others` are the
    passes on scops that have no slot of their own. If there is a `strategy`, `optimize` runs it,
    and the rest says what that does.
    """

    schedule: Passes
    before: IntraTileOrderPass | None = None
    tile: TilePass | None = None
    wavefront: WavefrontPass | None = None
    order: IntraTileOrderPass | None = None
    chains: WavefrontPass | None = None
    parallel: MarkParallelPass | None = None
    blocks: RegisterTilePass | None = None
    others: Passes = ()
    packed: bool = False
    scalars: bool = False
    threads: int = 1
    strategy: StrategyName | None = None

    def passes(self) -> Passes:
        """The passes. With one thread, those that only make work for others are left out."""
        if self.strategy is not None:
            only_one = 1 if self.threads == 1 else None
            return (OptimizePass(strategy=self.strategy, threads=only_one),)
        last = (self.parallel, self.blocks)
        if self.blocks is not None and self.blocks.tiles:
            last = last[::-1]  # type: ignore[assignment]
        steps = (
            self.before,
            self.tile,
            self.wavefront,
            self.order,
            self.chains,
            *last,
            *self.others,
        )
        kept = [
            each
            for each in steps
            if each is not None and (self.threads > 1 or not is_for_threads(each))
        ]
        tail: list[ModulePass] = [VectorizePass()] if self.blocks is not None else []
        if self.packed:
            tail.append(PackPass(ahead=True))
        if self.scalars:
            tail.append(ScalarReplacementPass())
        return (*self.schedule, *kept, *tail)

    @property
    def text(self) -> str:
        """The pipeline as text."""
        return ",".join(map(text_of_pass, self.passes()))

    def plain(self) -> Recipe:
        """The same passes without the name of a strategy."""
        return replace(self, strategy=None)


def recipe_of_strategy(strategy: Strategy, threads: int) -> Recipe:
    """What `optimize` does for one of its strategies."""
    recipe = Recipe(strategy.before, packed=strategy.packed, scalars=True, threads=threads)
    for step in strategy.steps:
        match step:
            case TilePass():
                recipe = replace(recipe, tile=step)
            case WavefrontPass():
                name = "chains" if step.which == "inner" else "wavefront"
                recipe = replace(recipe, **{name: step})  # type: ignore[arg-type]
            case IntraTileOrderPass():
                name = "before" if recipe.tile is None and _is_tiled(strategy) else "order"
                recipe = replace(recipe, **{name: step})  # type: ignore[arg-type]
            case MarkParallelPass():
                recipe = replace(recipe, parallel=step)
            case RegisterTilePass():
                recipe = replace(recipe, blocks=step)
            case _:
                recipe = replace(recipe, others=(*recipe.others, step))
    return replace(recipe, strategy=StrategyName(strategy.name))


def _is_tiled(strategy: Strategy) -> bool:
    return any(isinstance(each, TilePass) for each in strategy.steps)


def text_of_pass(step: ModulePass) -> str:
    """A pass as it is written in a pipeline: `tile{sizes=32,8 min-width=1}`."""
    options = " ".join(
        f"{name.replace('_', '-')}={','.join(map(_text_of_value, values))}" if values else name
        for name, values in step.spec().parameters.items()
    )
    return f"{step.name}{{{options}}}" if options else step.name


_PLAIN: Final = re.compile(r"[A-Za-z_][\w-]*")


def _text_of_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return json.dumps(text) if isinstance(value, str) and not _PLAIN.fullmatch(text) else text


MOST_TILE: Final = 1024
LEAST_TILE: Final = 4
"""The bounds of tile sizes that are tried."""

CHOSEN: Final = (TilePass(model=True), TilePass(auto=True))
"""Tiles whose sizes a model chooses."""

SHAPES: Final = ((8, 3), (4, 3), (6, 4), (12, 2), (14, 2), (4, 2), (2, 4), (1, 4), (1, 1))
"""Rows and vectors of register tiles."""


def neighbours(recipe: Recipe, threads: tuple[int, ...], width: int) -> Iterator[Recipe]:
    """Recipes that differ from one in one slot: sizes of tiles and blocks first."""
    recipe = recipe.plain()
    tiles = (replace(recipe, tile=tile) for tile in _other_tiles(recipe.tile))
    blocks = (
        replace(recipe, blocks=each, packed=recipe.packed and each is not None)
        for each in _other_blocks(recipe.blocks, width)
    )
    # Tiles are those of blocks where these have some.
    has_tiled_blocks = recipe.blocks is not None and recipe.blocks.tiles
    yield from chain(blocks, tiles) if has_tiled_blocks else chain(tiles, blocks)
    for order in (None, IntraTileOrderPass(), IntraTileOrderPass(distribute=False)):
        yield replace(recipe, order=order)
    if recipe.parallel is not None:
        for schedule in get_args(Distribution):
            yield replace(recipe, parallel=replace(recipe.parallel, schedule=schedule))
    yield replace(recipe, wavefront=None if recipe.wavefront else WavefrontPass())
    yield replace(recipe, chains=None if recipe.chains else WavefrontPass(which="inner"))
    if recipe.blocks is not None:
        yield replace(recipe, packed=not recipe.packed)
    yield replace(recipe, scalars=not recipe.scalars)
    for count in threads:
        yield replace(recipe, threads=count)


def _other_tiles(tile: TilePass | None) -> Iterator[TilePass | None]:
    """Tiles with one size doubled or halved, all sizes at once, the models' sizes, and none."""
    if tile is None or tile in CHOSEN:
        yield from (TilePass(sizes=(size,)) for size in (32, 64, 16, 128))
        yield from (TilePass(sizes=sizes) for sizes in ((32, 256), (16, 32, 256), (8, 256)))
        yield from (each for each in (*CHOSEN, None) if each != tile)
        return
    sizes = tile.sizes
    if len(sizes) == 1:
        # The last size is that of all further loops.
        yield from (replace(tile, sizes=(sizes[0], *more)) for more in ((256,), (32, 256)))
    for changed in _scaled(sizes):
        if min(changed) >= LEAST_TILE and max(changed) <= MOST_TILE:
            yield replace(tile, sizes=changed)
    if len(sizes) < 3:
        yield replace(tile, sizes=(*sizes, 4 * sizes[-1]))
    yield from CHOSEN
    yield None


def _scaled(sizes: Sizes) -> Iterator[Sizes]:
    """Sizes of which one is doubled or halved, or all; then those with smaller steps."""
    for up, down in ((2, 1), (4, 3)):
        yield from scaled(sizes, up, down)
        if len(sizes) > 1:
            yield tuple(size * up // down for size in sizes)
            yield tuple(size * down // up for size in sizes)


def _other_blocks(blocks: RegisterTilePass | None, width: int) -> Iterator[RegisterTilePass | None]:
    """Blocks with other rows, vectors or tiles, masked or not, and none."""
    if blocks is None:
        yield RegisterTilePass(width=width)
        yield RegisterTilePass(width=width, masked=True)
        yield RegisterTilePass(rows=4, vectors=2, width=width)
        return
    for name in ("tiles", "shared_tiles"):
        for sizes in _scaled(getattr(blocks, name)):
            fitting = whole_blocks(sizes, blocks.rows, blocks.vectors * blocks.width)
            yield replace(blocks, **{name: fitting})  # type: ignore[arg-type]
    for rows, vectors in SHAPES:
        yield _shaped(blocks, rows, vectors, blocks.width)
    if blocks.tiles:
        yield replace(blocks, tiles=(), shared_tiles=())
    yield replace(blocks, masked=not blocks.masked)
    if blocks.width > 2:
        yield _shaped(blocks, blocks.rows, blocks.vectors, blocks.width // 2)
    yield None


def _shaped(blocks: RegisterTilePass, rows: int, vectors: int, width: int) -> RegisterTilePass:
    tiles, shared = (
        whole_blocks(each, rows, vectors * width) for each in (blocks.tiles, blocks.shared_tiles)
    )
    return replace(
        blocks, rows=rows, vectors=vectors, width=width, tiles=tiles, shared_tiles=shared
    )
