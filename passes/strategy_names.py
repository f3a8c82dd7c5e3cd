"""The names of the pipelines that the pass `optimize` tries, and what it says of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from polyir.base.diagnostics import Remark

if TYPE_CHECKING:
    # Most tools only look for what was chosen.
    from polyir.cost.model import Cost

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


@dataclass(frozen=True)
class StrategyRemark(Remark):
    """What a strategy costs by the model, or, without a `cost`, the `reason` why it is refused."""

    strategy: str = ""
    cost: Cost | None = None
    reason: str = ""
