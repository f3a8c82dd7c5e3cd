"""The choice of the pass `optimize` between strategies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from polyir.base import budgets
from polyir.base.diagnostics import (
    LegalityError,
    PolyirError,
    Remark,
    RemarkKind,
    location_of,
    missed,
    remark,
    remarks_to,
    report,
)
from polyir.base.inner_steps import apply_inside, programs_are_shown
from polyir.base.limits import (
    CrashError,
    Step,
    in_order,
    limited,
    meanwhile,
    started,
    within_operations,
)
from polyir.choose.best_nests import Replacement, ScoredSchedule, best_nests, names_of
from polyir.choose.machine import Machine
from polyir.choose.model import Cost, CostModel
from polyir.choose.thresholds import BETTER, GOOD_ENOUGH, MOST_ACCESSES, WORTH
from polyir.dialects.scop import ScopOp, scops_in
from polyir.model.analysis import bounded
from polyir.model.outcome import Outcome, replace_tree
from polyir.model.reductions import oriented
from polyir.model.scop import Scop, scop_of
from polyir.model.temporaries import is_allocated
from polyir.passes.lower_poly import LowerPolyPass
from polyir.passes.prerequisites import ScopPass, lower_scops
from polyir.passes.promote_private import ALIGNMENT, PromotePrivatePass
from polyir.passes.shown_steps import give_body, shown_step
from polyir.passes.strategies import Situation, Strategy, is_for_threads, strategies
from polyir.passes.strategy_names import CHOSEN, ORIGINAL, PASS_NAME, StrategyName, StrategyRemark
from polyir.proofs.remembered import is_proved, remember_proof
from polyir.transform.expansion.bounded_memory import larger_than_arrays
from polyir.transform.private_arrays import plan_private_arrays
from polyir.transform.promote import Promotion
from polyir.transform.promoted_scop import promote
from polyir.tree.nodes import is_same

TASK: Final = "the search for a schedule"


@dataclass(frozen=True)
class _Scheduled:
    """A scop under a schedule that its operations do not have; whether it `is_proved` legal."""

    scop: Scop
    is_proved: bool

    def after(self, step: ScopPass) -> _Scheduled:
        """The scop under the schedule that a pass makes."""
        outcome = step.outcome(self.scop)
        return _Scheduled(self.scop.under(outcome.schedule), self.is_proved and outcome.proved)


@dataclass(frozen=True)
class _Candidate:
    """What a strategy makes of the scops of a function, and what they cost then.

    There is one of the `trees` and one of the `costs` for each scop; `remarks` are those of the
    passes. `memory` are the passes of the strategy that changed the memory of some scop.
    """

    strategy: Strategy
    memory: tuple[ModulePass, ...]
    trees: tuple[Outcome, ...]
    costs: tuple[Cost, ...]
    remarks: tuple[Remark, ...]

    @property
    def cycles(self) -> float:
        """The cycles of all scops together, by which candidates are compared."""
        return sum(cost.score for cost in self.costs)

    def nests(self, number: int) -> ScoredSchedule:
        """The nests of a scop, with what they cost."""
        costs = tuple(cost.score for cost in self.costs[number].nests)
        return ScoredSchedule(self.trees[number].schedule, costs)


_Parts = tuple[tuple[_Candidate, frozenset[str]], ...]


@dataclass(frozen=True)
class _Mixture:
    """The trees of a candidate with nests of others, each with the statements in these."""

    trees: tuple[Outcome, ...]
    cycles: float
    others: _Parts = ()


@dataclass(frozen=True)
class _Memory:
    """A module with the function after passes on its memory, and their remarks."""

    module: ModuleOp
    remarks: tuple[Remark, ...]


_Group = tuple[Strategy, ...]
_Results = list[_Candidate | str]


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
        self._ctx = ctx
        self._function = function
        self._place = location_of(function)
        self._machine = machine
        self._threads = threads or machine.cores
        self._reassociate = reassociate
        self._cost_model = cost_model
        self._scops = _scops_of(function)
        self._models = [self._model(each.scop) for each in self._scops]
        statements = [each for model in self._models for each in model.statements.values()]
        self._least_cycles = sum(model.least_cycles for model in self._models)
        self._has_sums = any(each.is_sum for each in statements)
        self._kinds: frozenset[bool] = frozenset()
        self._accesses = sum(len(each.accesses) for each in statements)
        element_bytes = max(model.element_bytes for model in self._models)
        depth = max((len(each.region.low) for each in statements), default=0)
        self._strategies = strategies(
            Situation(machine, element_bytes, depth, self._threads, reassociate)
        )
        self._memories: dict[tuple[ModulePass, ...], _Memory] = {}

    def make(self) -> None:
        """Replace the function by the best candidate, if one is worth it."""
        original = self._candidate(Strategy((), (), (), name=ORIGINAL), self._scops)
        self._say_estimates(original)
        best, found = original, [original]
        # Sums come first: what hardly counts beside them may be most of what is left then.
        kinds = frozenset({any(tuple(self._kinds_of(original)) or (self._has_sums,))})
        while kinds:
            self._kinds |= kinds
            if not self._is_good_enough(best):
                found += self._tried(kinds)
                best = self._best(found)
            kinds = frozenset(self._kinds_of(best)) - self._kinds
        mixture = self._mixed(best, [each for each in found if each is not best])
        if best is original and not mixture.others:
            self._say(f"{CHOSEN}{ORIGINAL}")
            return
        gain = original.cycles / mixture.cycles
        self._say(f"{CHOSEN}{best.strategy.name}, {gain:.2g} times as fast as the original order")
        self._replace_by(best, mixture)

    def _best(self, found: Sequence[_Candidate]) -> _Candidate:
        """The best candidate. The first one is the original order; tiles must be worth it."""
        best, *others = found
        for candidate in sorted(others, key=lambda each: not each.strategy.is_simple):
            if candidate.cycles < self._margin(candidate, best) * best.cycles:
                best = candidate
        return best

    def _margin(self, candidate: _Candidate, best: _Candidate) -> float:
        """The part of the time of the best candidate that one which is better takes at most."""
        # Where tiles hardly matter, they only make loops short.
        only_tiles = best.strategy.is_simple and not candidate.strategy.is_simple
        return WORTH if only_tiles or best.strategy.name == ORIGINAL else BETTER

    def _mixed(self, best: _Candidate, others: Sequence[_Candidate]) -> _Mixture:
        """The trees of the best candidate, with those nests of others that are clearly faster.

        Nests are compared as if nothing ran before them: what they share, only the model of the
        whole mixture sees.
        """
        others = [each for each in others if each.memory == best.memory]
        margins = [self._margin(each, best) for each in others]
        trees: list[Outcome] = []
        replaced: list[Replacement] = []
        for number, tree in enumerate(best.trees):
            schedules = [each.nests(number) for each in others]
            assert tree.dependences is not None
            find = partial(best_nests, best.nests(number), schedules, margins, tree.dependences)
            chosen = bounded(budgets.NEST_CHOICE, find, self._scops[number].scop.op)
            outcome, found = chosen or (tree, ())
            if found:
                known = oriented(tree.dependences, outcome.schedule)
                tree = replace(outcome, dependences=known)
            trees.append(tree)
            replaced += found
        used: dict[int, frozenset[str]] = {}
        for each in replaced:
            used[each.other] = used.get(each.other, frozenset()).union(each.statements)
        parts = tuple((others[number], names) for number, names in used.items())
        cycles = self._cycles(best, trees, parts) if parts else best.cycles
        if cycles >= BETTER * best.cycles:
            return _Mixture(best.trees, best.cycles)
        for each in replaced:
            now, before = map(self._machine.seconds, (each.cost, each.cost_before))
            self._say(
                f"{', '.join(each.statements)}: {others[each.other].strategy.name}, "
                f"{1e3 * now:.3g} ms instead of {1e3 * before:.3g} ms"
            )
        return _Mixture(tuple(trees), cycles, parts)

    def _cycles(self, best: _Candidate, trees: Sequence[Outcome], parts: _Parts) -> float:
        """What the trees of a candidate cost with nests of others."""
        scops = _scops_of(self._with_memory(best.memory)) if best.memory else self._scops
        models = [self._model(each.scop, _is_packed(best, parts)) for each in scops]
        pairs = zip(models, trees, strict=True)
        return sum(model.estimate(tree.schedule).score for model, tree in pairs)

    def _kinds_of(self, candidate: _Candidate) -> Iterator[bool]:
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

    def use(self, name: StrategyName) -> None:
        """Replace the function by the candidate of a strategy."""
        named = tuple(each for each in self._strategies if each.name == name)
        if not named:
            return
        step = started(TASK, partial(self._within_budget, named), self._place, known=self._known())
        found = self._results(named, step)
        if found:
            self._replace_by(found[0], _Mixture(found[0].trees, found[0].cycles))
        else:
            missed(PASS_NAME, f"strategy={name} is not possible", self._function)

    def _tried(self, kinds: frozenset[bool]) -> Iterator[_Candidate]:
        """The candidates of the strategies for these kinds of nests, until one is good enough.

        Strategies with one scheduler share what it finds. Others run at once, in processes of
        their own; what comes out does not depend on how many.
        """
        worth_trying = (each for each in self._strategies if self._is_worth_trying(each, kinds))
        # Without a scheduler, there is nothing to share.
        shared = groupby(worth_trying, lambda each: each.before or each)
        groups = [tuple(group) for _, group in shared]
        with closing(
            in_order(TASK, map(self._task, groups), self._place, known=self._known)
        ) as steps:
            for group, step in zip(groups, steps, strict=True):
                for candidate in self._results(group, step):
                    yield candidate
                    if self._is_good_enough(candidate):
                        return

    def _is_worth_trying(self, strategy: Strategy, kinds: frozenset[bool]) -> bool:
        if strategy.is_for_few_accesses and self._accesses > MOST_ACCESSES:
            return False
        # Those for all nests are tried with the first ones.
        return kinds == self._kinds if strategy.sums is None else strategy.sums in kinds

    def _is_good_enough(self, candidate: _Candidate) -> bool:
        return self._kinds == {True} and candidate.cycles <= GOOD_ENOUGH * self._least_cycles

    def _task(self, group: _Group) -> Callable[[], _Results]:
        """The search for the candidates of a group, with its memory, which is needed again here."""
        # A refusal comes again in the search, and running out of time ends the pass.
        with suppress(PolyirError):
            self._with_memory(group[0].memory)
        return partial(self._within_budget, group)

    def _known(self) -> list[object]:
        """The dependences that candidates have: it takes isl long to read them from a worker."""
        roots = [self._function, *(memory.module for memory in self._memories.values())]
        attributes = [scop.dependences for root in roots for scop in scops_in(root)]
        return [each.data for each in attributes if each is not None]

    def _within_budget(self, group: _Group) -> _Results:
        """As `_candidates`, unless it takes isl too many operations."""
        found = within_operations(budgets.STRATEGY, partial(self._candidates, group))
        return [budgets.STRATEGY.exceeded for _ in group] if found is None else found

    def _candidates(self, group: _Group) -> _Results:
        """What strategies with one scheduler make of the function, until one is good enough.

        Instead of a candidate, it is the reason why a pass refuses.
        """
        found: _Results = []
        before: list[Remark] = []
        try:
            scheduled = self._with_memory(group[0].memory, before)
            with _remarks_in(before):
                for step in group[0].scheduler:
                    apply_inside(step, self._ctx, scheduled)
        except PolyirError as error:
            return [error.message for _ in group]
        scops = _scops_of(scheduled)
        if group[0].if_scheduled and self._has_same_trees(scops):
            return ["there is nothing to change"]
        for strategy in group:
            changed, remarks = scops, list(before)
            try:
                with _remarks_in(remarks):
                    for step in strategy.steps:
                        if self._takes(step):
                            changed = [each.after(step) for each in changed]
                if strategy.copies_temporaries:
                    self._require_bounded_memory(changed)
            except PolyirError as error:
                found.append(error.message)
                continue
            candidate = self._candidate(strategy, changed, tuple(remarks))
            found.append(candidate)
            if self._is_good_enough(candidate):
                break
        return found

    def _takes(self, step: ModulePass) -> bool:
        return self._threads > 1 or not is_for_threads(step)

    def _require_bounded_memory(self, scops: Sequence[_Scheduled]) -> None:
        """Raise `LegalityError` if copies of temporaries might take much more than all arrays do.

        Those that iterations of parallel loops have for themselves are no copies for each of them.
        """
        if _arrays_of(scops) == _arrays_of(self._scops):
            return
        for original, each in zip(self._scops, scops, strict=True):
            local = {array.array for array in _private_arrays(each.scop).arrays}
            if large := larger_than_arrays(each.scop, original.scop, local):
                raise LegalityError(
                    f"copies of {', '.join(large)} may need more memory than the arrays"
                )

    def _has_same_trees(self, scops: Sequence[_Scheduled]) -> bool:
        """Whether the trees of some scops are those of the function."""
        pairs = zip(self._scops, scops, strict=True)
        return all(is_same(a.scop.schedule.tree, b.scop.schedule.tree) for a, b in pairs)

    def _with_memory(
        self, passes: tuple[ModulePass, ...], remarks: list[Remark] | None = None
    ) -> ModuleOp:
        """A module with a copy of the function after passes on its memory, which run once.

        What they say is added to `remarks`.
        """
        if passes not in self._memories:
            module, said = ModuleOp([self._function.clone()]), list[Remark]()
            with _remarks_in(said):
                for each in passes:
                    apply_inside(each, self._ctx, module)
            self._memories[passes] = _Memory(module, tuple(said))
        memory = self._memories[passes]
        if remarks is not None:
            remarks += memory.remarks
        return memory.module.clone()

    def _candidate(
        self, strategy: Strategy, scops: Sequence[_Scheduled], remarks: tuple[Remark, ...] = ()
    ) -> _Candidate:
        """The scops under their schedules, with the cycles that the model finds."""
        costs = [
            self._model(each.scop, strategy.packed).estimate(each.scop.schedule) for each in scops
        ]
        trees = [
            Outcome(each.scop.schedule, dependences=each.scop.dependences, proved=each.is_proved)
            for each in scops
        ]
        is_changed = _arrays_of(scops) != _arrays_of(self._scops)
        memory = strategy.memory if is_changed else ()
        return _Candidate(strategy, memory, tuple(trees), tuple(costs), remarks)

    def _model(self, scop: Scop, packed: bool = False) -> CostModel:
        return self._cost_model(
            scop,
            self._machine,
            threads=self._threads,
            packed=packed,
            threads_fetch=self._reassociate,
        )

    def _results(self, group: _Group, step: Step[_Results]) -> list[_Candidate]:
        """The candidates that a worker found, after a remark on each and each refusal."""
        try:
            results = step.result()
        except CrashError as error:
            results = [error.message for _ in group]
        for strategy, result in zip(group, results, strict=False):
            if isinstance(result, str):
                name = strategy.name
                self._say_of(name, f"{name}: not possible: {result}", reason=result)
            else:
                self._say_estimates(result)
        return [each for each in results if not isinstance(each, str)]

    def _say_estimates(self, candidate: _Candidate) -> None:
        for cost in candidate.costs:
            name, why = candidate.strategy.name, "; ".join(cost.why)
            self._say_of(name, f"{name}: {1e3 * cost.seconds:.3g} ms; {why}", cost=cost)

    def _say_of(self, name: str, message: str, cost: Cost | None = None, reason: str = "") -> None:
        place = location_of(self._function)
        kind = RemarkKind.REMARK
        report(
            StrategyRemark(kind, PASS_NAME, message, place, False, False, False, name, cost, reason)
        )

    def _say(self, message: str) -> None:
        remark(PASS_NAME, message, self._function)

    def _replace_by(self, candidate: _Candidate, mixture: _Mixture) -> None:
        """Give the function the trees of a mixture, and vectors if they get them."""
        module = self._with_memory(candidate.memory)
        function = _function_of(module)
        said = list(self._remarks_on(candidate, mixture))
        if programs_are_shown():
            self._show_passes(candidate, said)
        step = partial(shown_step, function=self._function, copy=function)
        others = ", ".join(dict.fromkeys(each.strategy.name for each, _ in mixture.others))
        with step(f"nests of {others}") if others else nullcontext():
            for scop, outcome in zip(scops_in(function), mixture.trees, strict=True):
                replace_tree(scop, outcome)
                if outcome.proved:
                    remember_proof(scop)
            for each in said:
                report(each)
        if candidate.strategy.copies_temporaries:
            with step(PromotePrivatePass.name):
                for scop in scops_in(function):
                    _keep_in_iterations(scop)
        with step(LowerPolyPass.name), meanwhile(_load_improvements):
            lower_scops(self._ctx, module)
        # They take long to import, which is done while isl generates code.
        from polyir.passes.loops_of_choice import improve_loops

        improve_loops(function, _is_packed(candidate, mixture.others), step)
        give_body(self._function, function.detach_region(function.body))

    def _show_passes(self, candidate: _Candidate, said: list[Remark]) -> None:
        """Do the passes of a candidate once more, as steps of the program.

        What they say again is reported of the step, and taken out of `said`.
        """
        module, strategy = ModuleOp([self._function.clone()]), candidate.strategy
        steps = [each for each in strategy.steps if self._takes(each)]
        # Where isl crashes, the tree that was chosen is shown all the same.
        with suppress(PolyirError):
            for each in (*strategy.before, *steps):
                again: list[Remark] = []
                name = str(each.pipeline_pass_spec())
                with shown_step(name, self._function, _function_of(module)):
                    with _remarks_in(again):
                        each.apply(self._ctx, module)
                    for one in again:
                        if one in said:
                            said.remove(one)
                            report(one)

    def _remarks_on(self, candidate: _Candidate, mixture: _Mixture) -> Iterator[Remark]:
        """What passes said of the nests that are taken from a candidate and from others."""
        known = frozenset(name for model in self._models for name in model.statements)
        gone = frozenset(name for _, names in mixture.others for name in names)
        for each in candidate.remarks:
            named = known.intersection(re.findall(r"\w+", each.message))
            if not named or named - gone:
                yield each
        for other, names in mixture.others:
            for each in other.remarks:
                if names.intersection(re.findall(r"\w+", each.message)):
                    yield each


def _load_improvements() -> None:
    """Import what is done to loops."""
    import polyir.passes.loops_of_choice  # noqa: F401


def _scops_of(root: Operation) -> list[_Scheduled]:
    """The scops of a module or a function, under the schedules that they have."""
    return [_Scheduled(scop_of(op), is_proved(op)) for op in scops_in(root)]


def _private_arrays(scop: Scop) -> Promotion:
    """The temporaries that iterations of the outermost parallel loops are to have for themselves.

    There are none without such loops.
    """
    names = [name for name in scop.arrays if is_allocated(scop, name)]
    if not names or scop.dependences is None:
        return Promotion()
    return plan_private_arrays(scop, scop.dependences, names)


def _keep_in_iterations(op: ScopOp) -> None:
    """Let iterations of parallel loops have their temporaries for themselves."""
    plan = limited("the promotion", lambda: _private_arrays(scop_of(op)), ir=op)
    if plan.arrays:
        promote(op, plan, PromotePrivatePass.name, ALIGNMENT, value_based=False)


def _is_packed(best: _Candidate, parts: _Parts) -> bool:
    """Whether loops may read operands from contiguous arrays."""
    return any(each.strategy.packed for each in (best, *(each for each, _ in parts)))


def _arrays_of(scops: Sequence[_Scheduled]) -> list[dict[str, Attribute]]:
    """The arrays of some scops, with their types."""
    return [{name: array.type for name, array in each.scop.arrays.items()} for each in scops]


def _function_of(module: ModuleOp) -> FuncOp:
    """The one function of a module."""
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return function


@contextmanager
def _remarks_in(found: list[Remark]) -> Iterator[None]:
    """Collect what passes say; what one of them could not do is no failure of the user's pass."""
    with remarks_to(lambda each: found.append(replace(each, kind=RemarkKind.REMARK))):
        yield
