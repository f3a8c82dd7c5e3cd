"""The best candidate with those nests of others that are clearly faster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from polyir.base import budgets
from polyir.base.diagnostics import remark
from polyir.choose.best_nests import Replacement, best_nests
from polyir.choose.candidates import Candidate, Candidates
from polyir.choose.remarks import PASS_NAME
from polyir.choose.strategies import Strategy
from polyir.choose.thresholds import BETTER
from polyir.model.analysis import bounded
from polyir.model.outcome import Outcome
from polyir.model.reductions import oriented

Parts = tuple[tuple[Candidate, frozenset[str]], ...]


@dataclass(frozen=True)
class Mixture:
    """The trees of the `best` candidate with nests of others, each with the statements in these."""

    best: Candidate
    trees: tuple[Outcome, ...]
    cycles: float
    others: Parts = ()

    @property
    def is_packed(self) -> bool:
        """Whether loops may read operands from contiguous arrays."""
        return any(each.packed for each in self._strategies)

    @property
    def has_parts(self) -> bool:
        """Whether there are partial results for threads."""
        passes = (each for strategy in self._strategies for each in strategy.memory)
        return any(each.name == "privatize-reductions" for each in passes)

    @property
    def keeps_order(self) -> bool:
        """Whether all loops run in the original order, some of them in parallel or in vectors."""
        return all(each.keeps_order for each in self._strategies)

    @property
    def _strategies(self) -> tuple[Strategy, ...]:
        return (self.best.strategy, *(each.strategy for each, _ in self.others))


def alone(candidate: Candidate) -> Mixture:
    """A candidate without nests of others."""
    return Mixture(candidate, candidate.trees, candidate.cycles)


def mixed(
    candidates: Candidates,
    best: Candidate,
    others: Sequence[Candidate],
    margin: Callable[[Candidate], float],
) -> Mixture:
    """The trees of the best candidate, with those nests of others that are clearly faster.

    A nest takes at most the part of the time that `margin` says of a candidate. Nests are compared
    as if nothing ran before them: what they share, only the model of the whole mixture sees.
    """
    others = [each for each in others if each.memory == best.memory]
    margins = [margin(each) for each in others]
    trees: list[Outcome] = []
    replaced: list[Replacement] = []
    for number in range(len(best.trees)):
        tree, found = _mixed_tree(candidates, best, others, margins, number)
        trees.append(tree)
        replaced += found
    used: dict[int, frozenset[str]] = {}
    for each in replaced:
        used[each.other] = used.get(each.other, frozenset()).union(each.statements)
    parts = tuple((others[number], names) for number, names in used.items())
    if not parts:
        return alone(best)
    mixture = Mixture(best, tuple(trees), best.cycles, parts)
    mixture = replace(mixture, cycles=_cycles(candidates, mixture))
    if mixture.cycles >= BETTER * best.cycles:
        return alone(best)
    for each in replaced:
        now, before = map(candidates.machine.seconds, (each.cost, each.cost_before))
        message = (
            f"{', '.join(each.statements)}: {others[each.other].strategy.name}, "
            f"{1e3 * now:.3g} ms instead of {1e3 * before:.3g} ms"
        )
        remark(PASS_NAME, message, candidates.function)
    return mixture


def _mixed_tree(
    candidates: Candidates,
    best: Candidate,
    others: Sequence[Candidate],
    margins: Sequence[float],
    number: int,
) -> tuple[Outcome, tuple[Replacement, ...]]:
    """The tree of a scop, and which of its nests are those of others."""
    tree = best.trees[number]
    schedules = [each.nests(number) for each in others]
    assert tree.dependences is not None
    find = partial(best_nests, best.nests(number), schedules, margins, tree.dependences)
    chosen = bounded(budgets.NEST_CHOICE, find, candidates.scops[number].scop.op)
    if chosen is None or not chosen[1]:
        return tree, ()
    outcome, found = chosen
    return replace(outcome, dependences=oriented(tree.dependences, outcome.schedule)), found


def _cycles(candidates: Candidates, mixture: Mixture) -> float:
    """What the trees of a candidate cost with nests of others."""
    scops = candidates.scops_with(mixture.best.memory)
    models = candidates.models_of(scops, mixture.is_packed, mixture.best.kept)
    pairs = zip(models, mixture.trees, strict=True)
    return sum(model.estimate(tree.schedule).score for model, tree in pairs)
