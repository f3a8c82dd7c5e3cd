"""What `optimize` takes for better, for worth a change, and for too much to try."""

from __future__ import annotations

from typing import Final

WORTH: Final = 0.9
"""Tiles must take at most this part of the time of the best pipeline without tiles."""

KEPT: Final = 0.8
MOVED: Final = 0.6
"""The part of the original's time that a pipeline takes at most, with its order or in another one.

Measured gains over estimated ones, where some gain was estimated: the lowest quarter was below 0.76
for pipelines that keep the order, and half were below 0.6 for `blocks-in-waves` and
`untiled-locality`. Nests 2000 to 2044 and 3000 to 3049 of `benchmarks/everyday` with arrays of
constant sizes, by gcc 12 on one thread of a Zen 4 that had other work, too."""

BETTER: Final = 0.97
"""A pipeline must take at most this part of the time of the best one like it, before it.

Those without tiles come first. Tiles must be worth it, as a change is."""

MOST_ACCESSES: Final = 64
"""Other orders without sums take long to find for programs with more accesses than this."""

GOOD_ENOUGH: Final = 2.5
"""Nothing more is tried at this many times the time that its arithmetic takes at the least.

Programs without sums get all that they have: their arithmetic is seldom what limits them."""

TURN: Final = 16
"""The successive iterations of a loop that a thread adds to its results before another one's turn.

Stencils read few rows twice then, and threads have equally much to do even in short loops."""
