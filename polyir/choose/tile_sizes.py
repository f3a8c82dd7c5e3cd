"""Tile sizes that cost least by the model, for one or two levels.

Costs are compared as if nothing overlapped: what the loops of a tile compute may still get faster,
by another order or vectors, and then it hides less of the traffic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from polyir.choose.loop_tree import Loop, Node, bands_of
from polyir.choose.model import Cost, CostModel
from polyir.choose.states import State

CANDIDATES: Final = (8, 16, 32, 64, 128, 256)
"""The sizes that are tried; the search starts from 32."""

OUTER_FACTORS: Final = (4, 8)
"""How many tiles a tile of a second level may hold along each loop."""

WORTH: Final = 0.95
"""Another choice must cost at most this part of the one so far, so that ties stay simple."""

SLACK: Final = 0.25
"""How far a size may be moved to divide a trip count that is known."""


@dataclass(frozen=True)
class TileChoice:
    """Sizes of a band's tiles, the outermost level first; no level where tiles do not pay.

    `cost` is that of the whole tree then, `untiled` that of the tree as it was.
    """

    levels: tuple[tuple[int, ...], ...]
    cost: Cost
    untiled: Cost

    @property
    def why(self) -> str:
        """The choice with its numbers, for a remark."""
        before, after = self.untiled.unhidden, self.cost.unhidden
        if not self.levels:
            return f"no tiles pay: {before:.3g} cycles without"
        shown = " in ".join(" x ".join(map(str, sizes)) for sizes in reversed(self.levels))
        return f"tiles of {shown}: {after:.3g} cycles, {before:.3g} without"


def tile_sizes(
    model: CostModel, tree: Node, band: int, most_levels: int = 2, must_tile: bool = False
) -> TileChoice:
    """The tile sizes of a band that cost least: coordinate by coordinate, from 32 everywhere.

    `band` is the number of a band in `polyir.choose.loop_tree.bands_of(tree)`. With `must_tile`,
    the best sizes are given even where no tiles cost less. The result depends on nothing but the
    arguments.
    """
    search = _Search(model, tree, band)
    untiled = model.cost(tree)
    sizes = search.sizes()
    levels: tuple[tuple[int, ...], ...] = (sizes,)
    best = search.cost(levels)
    for factor in OUTER_FACTORS if most_levels > 1 else ():
        outer = tuple(size * factor for size in sizes)
        cost = search.cost((outer, sizes))
        if cost.unhidden < WORTH * best.unhidden:
            best, levels = cost, (outer, sizes)
    if not must_tile and best.unhidden >= WORTH * untiled.unhidden:
        return TileChoice((), untiled, untiled)
    return TileChoice(levels, best, untiled)


class _Search:
    """Costs of sizes of one band, each computed once."""

    def __init__(self, model: CostModel, tree: Node, band: int) -> None:
        self._model = model
        self._tree = tree
        self._band = band
        self._members = next(each for each in bands_of(tree) if each[0].band == band)
        self._known: dict[tuple[tuple[int, ...], ...], Cost] = {}

    def cost(self, levels: tuple[tuple[int, ...], ...]) -> Cost:
        """The cost of the tree with the band cut into tiles."""
        if levels not in self._known:
            self._known[levels] = self._model.tiled_cost(self._tree, self._band, levels)
        return self._known[levels]

    def sizes(self) -> tuple[int, ...]:
        """The best sizes of one level."""
        trips = [_trip(self._model, loop) for loop in self._members]
        chosen = [_fitted(32, trip) for trip in trips]
        cost = self.cost((tuple(chosen),))
        for _ in range(2):
            changed = False
            for member in reversed(range(len(chosen))):
                for candidate in dict.fromkeys(_fitted(c, trips[member]) for c in CANDIDATES):
                    tried = [*chosen]
                    tried[member] = candidate
                    other = self.cost((tuple(tried),))
                    if other.unhidden < WORTH * cost.unhidden:
                        chosen, cost, changed = tried, other, True
            if not changed:
                break
        return tuple(chosen)


def _trip(model: CostModel, loop: Loop) -> int | None:
    """How many values a loop has; `None` where that depends on unknown parameters."""
    if not model.sizes_are_known:
        return None
    spans = [
        State(model.statements[name].region).range(function)
        for name, function in loop.functions.items()
    ]
    return round(max(high for _, high in spans) - min(low for low, _ in spans)) + 1


def _fitted(size: int, trip: int | None) -> int:
    """The size near the wanted one that divides the trip count, if there is one; not above it."""
    if trip is None:
        return size
    if trip <= size:
        return max(1, trip)
    near = range(round(size * (1 - SLACK)), round(size * (1 + SLACK)) + 1)
    divisors = [each for each in near if trip % each == 0]
    return min(divisors, key=lambda each: abs(each - size), default=size)
