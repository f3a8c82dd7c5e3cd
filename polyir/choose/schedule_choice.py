"""The choice between strategies for one function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import missed, remark
from polyir.choose.best_nests import names_of
from polyir.choose.candidates import Candidate, Candidates
from polyir.choose.chosen_code import Version, replace_by
from polyir.choose.machine import Machine
from polyir.choose.mixtures import Mixture, alone, mixed
from polyir.choose.model import CostModel
from polyir.choose.remarks import CHOSEN, ORIGINAL, PASS_NAME
from polyir.choose.strategies import Strategy, situation_of, strategies
from polyir.choose.thresholds import BETTER, GOOD_ENOUGH, KEPT, MOST_ACCESSES, MOVED, WORTH
from polyir.choose.versions import best_below, least_work


class Made(NamedTuple):
    """What was chosen: whether it has parallel loops, and how many times as fast it is.

    One is greater than another if it alone has parallel loops; if both do or neither, by the gain.
    """

    is_parallel: bool
    gain: float


class ScheduleChoice:
    """The choice between strategies for one function."""

    def __init__(
        self,
        ctx: Context,
        function: FuncOp,
        machine: Machine,
        threads: int | None = None,
        *,
        reassociate: bool = False,
        cost_model: type[CostModel] = CostModel,
    ) -> None:
        threads = threads or machine.cores
        self._function = function
        self._kinds: frozenset[bool] = frozenset()
        self._candidates = Candidates(
            ctx, function, machine, threads, cost_model, self._is_good_enough
        )
        self._models = self._candidates.models
        self._least_cycles = sum(model.least_cycles for model in self._models)
        self._strategies = strategies(situation_of(self._models, machine, threads, reassociate))

    def make(self) -> Made:
        """Replace the function by the best candidate, if one is worth it."""
        original = self._candidates.original()
        best, found = original, [original]
        statements = [each for model in self._models for each in model.statements.values()]
        few_accesses = sum(len(each.accesses) for each in statements) <= MOST_ACCESSES
        # Sums come first: what hardly counts beside them may be most of what is left then.
        has_sums = any(each.is_sum for each in statements)
        kinds = frozenset({any(tuple(self._kinds_of(original)) or (has_sums,))})
        while kinds:
            self._kinds |= kinds
            if not self._is_good_enough(best):
                is_tried = partial(self._is_tried, kinds=kinds, few_accesses=few_accesses)
                found += self._candidates.of(filter(is_tried, self._strategies))
                best = self._best(found)
            kinds = frozenset(self._kinds_of(best)) - self._kinds
        is_sequential = self._candidates.threads > 1 and not any(c.regions for c in best.costs)
        if (best is original or is_sequential) and self._candidates.enlarge():
            # What is not worth it for usual sizes may be for large ones: small ones are tested for.
            found = [self._candidates.again(each) for each in found]
            original = found[0]
            best = self._best(found)
        elif best.strategy.keeps_order and (larger := self._larger(found, best)):
            best, found = larger
            original = found[0]
        elif not self._is_good_enough(best) and (other := self._candidates.resized(best)):
            found.append(other)
            best = other
        others = [each for each in found if each is not best]
        mixture = mixed(self._candidates, best, others, lambda each: self._margin(each, best))
        if best is original and not mixture.others:
            self._say(f"{CHOSEN}{ORIGINAL}")
            return Made(is_parallel=False, gain=1.0)
        gain = original.cycles / mixture.cycles
        self._say(f"{CHOSEN}{best.strategy.name}, {gain:.2g} times as fast as the original order")
        chosen = self._version(original, mixture)
        replace_by(self._candidates, chosen, self._middle(original, chosen, others))
        return Made(any(cost.regions for cost in best.costs), gain)

    def _larger(
        self, found: Sequence[Candidate], best: Candidate
    ) -> tuple[Candidate, list[Candidate]] | None:
        """The best candidate for large sizes, and all of them, if it is much better there.

        Where sizes are smaller, the one that is the best there can run (`_middle`).
        """
        if self._is_good_enough(best) or not self._candidates.enlarge():
            return None
        larger = [self._candidates.again(each) for each in found]
        now, other = larger[found.index(best)], self._best(larger)
        if other.cycles < MOVED * now.cycles:
            return other, larger
        self._candidates.shrink()
        return None

    def _version(self, original: Candidate, mixture: Mixture) -> Version:
        """A mixture with the least work for which it is better than the original order."""
        worth = self._worth(mixture.best)
        return Version(mixture, least_work(self._candidates, alone(original), mixture, worth))

    def _middle(
        self, original: Candidate, chosen: Version, others: Sequence[Candidate]
    ) -> Version | None:
        """The candidate for sizes that the chosen one is too small for, if one gains much there."""
        if chosen.least is None:
            return None
        # The original loops in parallel gain what the model says more often than other orders do.
        simple = (each for each in others if each.strategy.keeps_order)
        mixtures = [alone(each) for each in simple if each is not original]
        found = best_below(
            self._candidates, alone(original), chosen.mixture, chosen.least, mixtures
        )
        if found is None:
            return None
        version = self._version(original, found)
        is_for_smaller = version.least is None or (
            version.least != chosen.least and chosen.least.implies(version.least)
        )
        return version if is_for_smaller else None

    def use(self, name: str) -> None:
        """Replace the function by the candidate of a strategy, or leave its original order."""
        if name == ORIGINAL:
            self._say(f"{CHOSEN}{ORIGINAL}")
            return
        named = [each for each in self._strategies if each.name == name]
        found = list(self._candidates.of(named))
        if found:
            replace_by(self._candidates, Version(alone(found[0])))
        elif named:
            missed(
                PASS_NAME, f"strategy={name} is not possible", self._function, name="no-strategy"
            )

    def _best(self, found: Sequence[Candidate]) -> Candidate:
        """The best candidate; the first one is the original order, and others must be worth it."""
        best, *others = found
        others = [each for each in others if each.cycles < self._worth(each) * best.cycles]
        # What keeps the order gains what the model says more often.
        others.sort(key=lambda c: (not c.strategy.is_simple, not c.strategy.keeps_order))
        for candidate in others:
            if candidate.cycles < self._margin(candidate, best) * best.cycles:
                best = candidate
        return best

    def _margin(self, candidate: Candidate, best: Candidate) -> float:
        """The part of the time of the best candidate that one which is better takes at most."""
        # Where tiles hardly matter, they only make loops short.
        only_tiles = best.strategy.is_simple and not candidate.strategy.is_simple
        if best.strategy.name == ORIGINAL:
            return self._worth(candidate)
        return WORTH if only_tiles else BETTER

    def _worth(self, candidate: Candidate) -> float:
        """The part of the time of the original that a candidate takes at most."""
        return KEPT if candidate.strategy.keeps_order else MOVED

    def _kinds_of(self, candidate: Candidate) -> Iterator[bool]:
        """Whether there are sums, for each nest in which a large part of the time can be saved."""
        least = (1 - WORTH) * candidate.cycles
        for number, (model, cost) in enumerate(zip(self._models, candidate.costs, strict=True)):
            parts = [(cost, tuple(model.statements))]
            if names := tuple(map(names_of, candidate.nests(number).nests)):
                parts = list(zip(cost.nests, names, strict=True))
            for part, names_of_part in parts:
                if part.score - part.least >= least:
                    # Copies of passes are in no model.
                    known = model.statements.keys() & names_of_part
                    yield any(model.statements[name].is_sum for name in known)

    def _is_tried(self, strategy: Strategy, kinds: frozenset[bool], few_accesses: bool) -> bool:
        if strategy.is_for_few_accesses and not few_accesses:
            return False
        # Those for all nests are tried with the first ones.
        return kinds == self._kinds if strategy.sums is None else strategy.sums in kinds

    def _is_good_enough(self, candidate: Candidate) -> bool:
        return self._kinds == {True} and candidate.cycles <= GOOD_ENOUGH * self._least_cycles

    def _say(self, message: str) -> None:
        remark(PASS_NAME, message, self._function)
