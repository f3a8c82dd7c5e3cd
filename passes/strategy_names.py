"""The names of what the pass `optimize` chooses with, and what it says of each strategy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from polyir.base.diagnostics import Remark
from polyir.passes.options import Named
from polyir.universe import registered_class, registered_cost_models, registered_strategies

if TYPE_CHECKING:
    # Most tools only look for what was chosen.
    from polyir.choose.model import Cost, CostModel
PASS_NAME: Final = "optimize"
"""The name of the pass whose remarks say what is chosen."""


class StrategyName(Named):
    """`best` by the cost model, or a pipeline; `original` is the original order."""

    WORD = "strategy"

    @classmethod
    def choices(cls) -> tuple[str, ...]:
        return (BEST, ORIGINAL, *registered_strategies())


BEST: Final = StrategyName("best")

ORIGINAL: Final = StrategyName("original")
"""The order that a program has."""


class CostModelName(Named):
    """A model of what a schedule costs; `roofline` is polyir's."""

    WORD = "cost model"

    @classmethod
    def choices(cls) -> tuple[str, ...]:
        return tuple(registered_cost_models())

    def model(self) -> type[CostModel]:
        """The class of the model."""
        from polyir.choose.model import CostModel

        return registered_class(self.WORD, self, registered_cost_models(), CostModel)


ROOFLINE: Final = CostModelName("roofline")

CHOSEN: Final = "chosen: "
"""What the remark begins with that names the one which was chosen."""


@dataclass(frozen=True)
class StrategyRemark(Remark):
    """What a strategy costs by the model, or, without a `cost`, the `reason` why it is refused."""

    strategy: str = ""
    cost: Cost | None = None
    reason: str = ""
