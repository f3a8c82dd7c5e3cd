"""The search for the best candidate within a budget."""

from __future__ import annotations

import time
from bisect import insort
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final, Protocol

from polyir.tuning.evaluation import Candidate, Comparison, Evaluator, Outcome, Verdict
from polyir.tuning.recipes import Recipe
from polyir.tuning.space import Space


class Search(Protocol):
    """What chooses the next candidate by what came of those before it."""

    def ask(self) -> Recipe | None:
        """The next one; `None` if there is none."""

    def tell(self, recipe: Recipe, ratio: float) -> None:
        """What came of one: its time over that of the base, infinite if it failed."""


HEAD: Final = 14
"""How many of the first candidates are tried before the search looks around the best one."""


class OrderedSearch:
    """The candidates of a space in order, and in turn with them those around the best so far.

    Some of these are around those that come after the best one. When all around the best one have
    been tried, the second one takes its place.
    """

    def __init__(self, space: Space) -> None:
        self._space = space
        self._first = deque(space.first)
        self._around: list[tuple[float, int, Iterator[Recipe]]] = []
        self._given: set[tuple[str, int]] = set()
        self._asked = self._told = self._turn = 0

    def ask(self) -> Recipe | None:
        self._asked += 1
        is_first = self._asked <= HEAD or self._asked % 2 == 0
        sources = (self._next_first, self._next_around)
        for source in sources if is_first else sources[::-1]:
            while (recipe := source()) is not None:
                if self._is_new(recipe):
                    return recipe
        return None

    def tell(self, recipe: Recipe, ratio: float) -> None:
        if ratio < inf:
            self._told += 1
            insort(self._around, (ratio, self._told, self._space.around(recipe)))

    def _next_first(self) -> Recipe | None:
        return self._first.popleft() if self._first else None

    def _next_around(self) -> Recipe | None:
        self._turn += 1
        while self._around:
            # Every third one is around another one: the best may be where no way leads on.
            place = self._turn // 3 % len(self._around) if self._turn % 3 == 0 else 0
            _, _, others = self._around[place]
            if (recipe := next(others, None)) is not None:
                return recipe
            del self._around[place]
        return None

    def _is_new(self, recipe: Recipe) -> bool:
        key = recipe.text, recipe.threads
        is_new = key not in self._given
        self._given.add(key)
        return is_new


@dataclass(frozen=True)
class Budget:
    """How long the search may take in seconds, and how many candidates it may try."""

    seconds: float = inf
    trials: float = inf

    def after(self, start: float) -> Budget:
        """What is left of it if it counts from a time of `time.monotonic`; at least one second."""
        return replace(self, seconds=max(1.0, self.seconds - (time.monotonic() - start)))


@dataclass
class State:
    """How far the search is: for a display of its progress."""

    counts: Counter[Verdict] = field(default_factory=Counter)
    best: Outcome | None = None
    last: Outcome | None = None

    @property
    def tried(self) -> int:
        """The number of candidates so far."""
        return sum(self.counts.values())


Show = Callable[[State], None]


@dataclass(frozen=True)
class Found:
    """The result of a search: the best pipeline, the counts, and whether it was interrupted."""

    comparison: Comparison
    counts: dict[str, int]
    interrupted: bool


FINALISTS: Final = 6
"""Among how many candidates the last comparison chooses."""

FINAL_PART: Final = 0.15
"""The part of the time that is for the last comparison."""


def tune(
    evaluator: Evaluator,
    base: Candidate,
    base_seconds: float,
    search: Search,
    budget: Budget,
    show: Show = lambda _: None,
) -> Found:
    """Try candidates until the budget is spent, or none is left, and compare the best ones.

    `KeyboardInterrupt` ends the search, and what was found so far is the result: the best candidate
    by its own measurement, or the base.
    """
    start = time.monotonic()
    end = start + (1 - FINAL_PART) * budget.seconds
    state = State()
    outcomes: dict[Candidate, Outcome] = {}
    try:
        for outcome in _outcomes(evaluator, search, budget, end, state):
            outcomes[outcome.candidate] = outcome
            show(state)
        best = _best(outcomes.values())
        finalists = [each.candidate for each in best[:FINALISTS]]
        comparison = evaluator.final(finalists, start + budget.seconds)
        interrupted = False
    except KeyboardInterrupt:
        comparison = _interrupted(base, base_seconds, _best(outcomes.values()))
        interrupted = True
    counts = {"tried": state.tried} | {each.value: state.counts[each] for each in Verdict}
    return Found(comparison, counts, interrupted)


def _best(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Those that were measured and are not slower than the base, the fastest first."""
    right = [each for each in outcomes if each.verdict is Verdict.MEASURED and each.ratio < 1.05]
    return sorted(right, key=lambda each: each.ratio)


def _interrupted(base: Candidate, base_seconds: float, best: Sequence[Outcome]) -> Comparison:
    if best and best[0].ratio < 1:
        seconds = best[0].seconds
        return Comparison(best[0].candidate, seconds, seconds / best[0].ratio)
    return Comparison(base, base_seconds, base_seconds)


def _outcomes(
    evaluator: Evaluator, search: Search, budget: Budget, end: float, state: State
) -> Iterator[Outcome]:
    """What comes of the candidates that a search asks for, and tells it."""
    while time.monotonic() < end and state.tried < budget.trials:
        number = min(evaluator.batch, budget.trials - state.tried)
        recipes: dict[Candidate, Recipe] = {}
        while len(recipes) < number and (recipe := search.ask()) is not None:
            recipes.setdefault(Candidate(recipe.text, recipe.threads), recipe)
        if not recipes:
            return
        for outcome in evaluator.evaluate(tuple(recipes), end):
            search.tell(recipes[outcome.candidate], outcome.ratio)
            state.counts[outcome.verdict] += 1
            state.last = outcome
            if outcome.ratio < (inf if state.best is None else state.best.ratio):
                state.best = outcome
            yield outcome
