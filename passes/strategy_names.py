"""The names of what `optimize` and `tile` choose with, as options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from polyir.choose.remarks import ORIGINAL
from polyir.passes.options import Named
from polyir.universe import registered_class, registered_cost_models, registered_strategies

if TYPE_CHECKING:
    from polyir.choose.model import CostModel


class StrategyName(Named):
    """`best` by the cost model, or a pipeline; `original` is the original order."""

    WORD = "strategy"

    @classmethod
    def choices(cls) -> tuple[str, ...]:
        return (BEST, ORIGINAL, *registered_strategies())


BEST: Final = StrategyName("best")


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
