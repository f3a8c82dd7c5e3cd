"""The names of the pipelines that the pass `optimize` tries."""

from __future__ import annotations

from typing import Final, Literal

StrategyName = Literal[
    "best",
    "original",
    "packed-blocks",
    "register-blocks",
    "blocks-in-waves",
    "untiled-blocks",
    "locality",
    "tiles",
    "time-tiles",
    "sweeps",
    "untiled-locality",
    "split",
    "private",
    "parallel",
    "reductions",
    "partial-results",
]
"""`best` by the cost model, or a pipeline; `original` is the original order."""

CHOSEN: Final = "chosen: "
"""What the remark begins with that names the one which was chosen."""
