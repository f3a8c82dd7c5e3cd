"""The fastest of the strategies that `optimize` finds best, by measuring."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Final

from polyir.base.diagnostics import Remark, remarks_to
from polyir.base.inner_steps import apply_inside
from polyir.choose.remarks import ORIGINAL, StrategyRemark
from polyir.passes.optimize import OptimizePass
from polyir.passes.strategy_names import StrategyName
from polyir.tuning.evaluation import Candidate, Limits, ProcessEvaluator
from polyir.tuning.kernel import MeasuredFunction
from polyir.tuning.programs import Flags
from polyir.tuning.recipes import Recipe, text_of_pass
from polyir.tuning.record import TuningRecord, record_of
from polyir.tuning.search import Budget, OrderedSearch, tune
from polyir.tuning.space import Space
from polyir.universe import new_context

BEST: Final = 5
"""How many strategies are measured, besides the choice of `optimize` and the original order."""


def measured_choice(
    kernel: MeasuredFunction, threads: int, flags: Flags, seconds: float
) -> TuningRecord:
    """The fastest of what `optimize` chooses, the best strategies by its model, and the original.

    It takes so many seconds at most, in which fewer of them are measured. Raises `PolyirError` if
    the original program cannot be run, or the choice of `optimize` fails.
    """
    start, budget = time.monotonic(), Budget(seconds)
    default = OptimizePass(threads=threads)
    base = Candidate(text_of_pass(default), threads)
    passes = [
        replace(default, strategy=StrategyName(name))
        for name in (ORIGINAL, *_best(kernel, default))
    ]
    recipes = tuple(Recipe((each,), threads=threads) for each in passes)
    search = OrderedSearch(Space(recipes, (threads,), 1))
    with ProcessEvaluator(kernel, base, flags, Limits.within(seconds)) as evaluator:
        left = replace(budget.after(start), trials=len(recipes))
        found = tune(evaluator, base, evaluator.base_seconds, search, left)
    return record_of(kernel, base, found)


def _best(kernel: MeasuredFunction, default: OptimizePass) -> list[str]:
    """The strategies that take the least time by the model."""
    said: list[Remark] = []
    with remarks_to(said.append):
        apply_inside(default, new_context(), kernel.analysed.clone())
    # There is one for each scop; the chosen strategy, which is the base, may come again.
    costs: dict[str, float] = {}
    for each in said:
        if isinstance(each, StrategyRemark) and each.cost is not None and each.strategy != ORIGINAL:
            costs[each.strategy] = costs.get(each.strategy, 0.0) + each.cost.seconds
    return sorted(costs, key=costs.__getitem__)[:BEST]
