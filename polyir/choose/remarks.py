"""What is said of the choice between strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from polyir.base.diagnostics import Remark

if TYPE_CHECKING:
    # Most tools only look for what was chosen.
    from polyir.choose.model import Cost

PASS_NAME: Final = "optimize"
"""The name of the pass whose remarks say what is chosen."""

ORIGINAL: Final = "original"
"""The order that a program has, as the name of a strategy."""

CHOSEN: Final = "chosen: "
"""What the remark begins with that names the one which was chosen."""


@dataclass(frozen=True)
class StrategyRemark(Remark):
    """What a strategy costs by the model, or, without a `cost`, the `reason` why it is refused."""

    strategy: str = ""
    cost: Cost | None = None
    reason: str = ""
