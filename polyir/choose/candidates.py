"""What strategies make of a function, and what that costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from math import prod
from types import MappingProxyType
from typing import Final, Protocol

import islpy as isl
from xdsl.context import Context
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from polyir.base import budgets
from polyir.base.diagnostics import (
    LocalArrayError,
    OptionError,
    PolyirError,
    Remark,
    RemarkKind,
    location_of,
    remark,
    remarks_to,
    report,
)
from polyir.base.inner_steps import apply_inside
from polyir.base.limits import CrashError, Step, in_order, within_operations
from polyir.choose.assumed_sizes import Sizes, assumed_sizes, times_larger
from polyir.choose.best_nests import ScoredSchedule
from polyir.choose.model import Cost, ScheduleModel
from polyir.choose.remarks import ORIGINAL, PASS_NAME, StrategyRemark
from polyir.choose.strategies import Strategy, is_for_threads
from polyir.choose.strategy_sizes import neighbours, shown_sizes
from polyir.choose.thresholds import BETTER, KEPT
from polyir.choose.useful_threads import with_useful_threads
from polyir.dialects.scop import scops_in
from polyir.model.outcome import Outcome, TreePass
from polyir.model.scop import Scop, scop_of
from polyir.model.temporaries import is_allocated
from polyir.proofs.remembered import is_proved
from polyir.sets.boxes import greatest_of
from polyir.sets.maps import at_sizes
from polyir.transform.copy_statements import PromotedArray
from polyir.transform.expansion.bounded_memory import larger_than_arrays
from polyir.transform.private_arrays import plan_iteration_arrays
from polyir.transform.promote import Promotion
from polyir.tree.nodes import is_same

TASK: Final = "the search for a schedule"


@dataclass(frozen=True)
class Scheduled:
    """A scop under a schedule that its operations do not have; whether it `is_proved` legal."""

    scop: Scop
    is_proved: bool

    def after(self, step: ModulePass) -> Scheduled:
        """The scop under the schedule that a pass makes."""
        if not isinstance(step, TreePass):
            raise OptionError(f"a strategy cannot have the step '{step.name}': it makes no tree")
        outcome = step.outcome(self.scop)
        return Scheduled(self.scop.under(outcome.schedule), self.is_proved and outcome.proved)


@dataclass(frozen=True)
class Candidate:
    """What a strategy makes of the scops of a function, and what they cost then.

    There is one of the `trees` and one of the `costs` for each scop; `remarks` are those of the
    passes. `memory` are the passes of the strategy that changed the memory of some scop, `kept` the
    temporaries of each scop that iterations have for themselves, with the numbers of elements. What
    is not the original runs after tests, which take `entry` cycles.
    """

    strategy: Strategy
    memory: tuple[ModulePass, ...]
    trees: tuple[Outcome, ...]
    costs: tuple[Cost, ...]
    remarks: tuple[Remark, ...]
    kept: tuple[Mapping[str, float], ...]
    entry: float = 0.0

    @property
    def cycles(self) -> float:
        """The cycles of all scops together, by which candidates are compared."""
        return self.entry + sum(cost.score for cost in self.costs)

    def nests(self, number: int) -> ScoredSchedule:
        """The nests of a scop, with what they cost."""
        costs = tuple(cost.score for cost in self.costs[number].nests)
        return ScoredSchedule(self.trees[number].schedule, costs)


@dataclass(frozen=True)
class _Memory:
    """A module with the function after passes on its memory, and their remarks."""

    module: ModuleOp
    remarks: tuple[Remark, ...]


_Group = tuple[Strategy, ...]
_Results = list[Candidate | str]


class Target(Protocol):
    """What code is chosen for: a processor or a device."""

    @property
    def entry_cycles(self) -> float:
        """What tests before all loops take."""

    def seconds(self, cycles: float) -> float:
        """The time that so many cycles take."""


class Candidates:
    """The candidates for a function, which does not change; `original` has its own order.

    No more are looked for than one that `is_good_enough`.
    """

    def __init__(
        self,
        ctx: Context,
        function: FuncOp,
        machine: Target,
        threads: int,
        cost_model: Callable[..., ScheduleModel],
        is_good_enough: Callable[[Candidate], bool],
    ) -> None:
        self.ctx = ctx
        self.function = function
        self.machine = machine
        self.threads = threads
        self._cost_model = cost_model
        self._is_good_enough = is_good_enough
        self._memories: dict[tuple[ModulePass, ...], _Memory] = {}
        self.scops = scheduled_scops(function)
        self._times = 1
        self._larger = times_larger([each.scop for each in self.scops])
        self._sizes: dict[int, tuple[Sizes, ...]] = {}
        self.models = self.models_of(self.scops)

    def models_of(
        self,
        scops: Sequence[Scheduled],
        packed: bool = False,
        kept: Sequence[Mapping[str, float]] | None = None,
    ) -> list[ScheduleModel]:
        """The models of scops that were made of those of the function, with the same sizes."""
        parts = zip(scops, self._values, kept or [{} for _ in scops], strict=True)
        return [self.model(each.scop, packed, sizes, own) for each, sizes, own in parts]

    @property
    def sizes(self) -> tuple[Sizes, ...]:
        """What the parameters of each scop are taken to be."""
        return self._sizes_taken(self._times)

    @property
    def _values(self) -> list[dict[str, int]]:
        return [{name: size.value for name, size in sizes.items()} for sizes in self.sizes]

    def _sizes_taken(self, times: int) -> tuple[Sizes, ...]:
        if times not in self._sizes:
            self._sizes[times] = assumed_sizes([each.scop for each in self.scops], times)
        return self._sizes[times]

    def model(
        self,
        scop: Scop,
        packed: bool = False,
        sizes: Mapping[str, int] | None = None,
        kept: Mapping[str, float] = MappingProxyType({}),
        threads: int | None = None,
    ) -> ScheduleModel:
        """The model of a scop, whose operands may be `packed`, for parameters of some sizes.

        Of temporaries that are `kept`, iterations have so many elements for themselves. `threads`
        run parallel loops instead of those that there are.
        """
        return self._cost_model(
            scop,
            self.machine,
            sizes,
            threads=threads or self.threads,
            packed=packed,
            kept=kept,
        )

    def original(self) -> Candidate:
        """The function as it is."""
        self._say_sizes()
        found = self._candidate(Strategy((), (), (), name=ORIGINAL), self.scops)
        self._say_estimates(found)
        return found

    def enlarge(self) -> bool:
        """Take sizes of which nothing is known to be larger from now on, if there are any."""
        times = self._larger * self._times
        if self._sizes_taken(times) == self.sizes:
            return False
        self._times = times
        self.models = self.models_of(self.scops)
        self._say_sizes()
        return True

    def shrink(self) -> None:
        """Take sizes to be what they were before they were made larger."""
        self._times //= self._larger
        self.models = self.models_of(self.scops)

    def again(self, candidate: Candidate) -> Candidate:
        """A candidate with what it costs for the sizes that there are now."""
        scops = self.scops_with(candidate.memory)
        models = self.models_of(scops, candidate.strategy.packed, candidate.kept)
        pairs = zip(models, candidate.trees, strict=True)
        found = replace(candidate, costs=tuple(m.estimate(tree.schedule) for m, tree in pairs))
        self._say_estimates(found)
        return found

    def of(self, strategies: Iterable[Strategy]) -> Iterator[Candidate]:
        """What strategies make of the function, after a remark on each and each refusal.

        Strategies with one scheduler share what it finds. Others run at once, in processes of
        their own; what comes out does not depend on how many.
        """
        # Without a scheduler, there is nothing to share.
        shared = groupby(strategies, lambda each: each.before or each)
        groups = [tuple(group) for _, group in shared]
        place = location_of(self.function)
        tasks = map(self._task, groups)
        with closing(in_order(TASK, tasks, place, known=self._known)) as steps:
            for group, step in zip(groups, steps, strict=True):
                for candidate in self._results(group, step):
                    yield candidate
                    if self._is_good_enough(candidate):
                        return

    def _task(self, group: _Group) -> Callable[[], _Results]:
        """The search for the candidates of a group, with its memory, which is needed again here."""
        # A refusal comes again in the search, and running out of time ends the pass.
        with suppress(PolyirError):
            self.with_memory(group[0].memory)
        return partial(self._within_budget, group)

    def _known(self) -> list[object]:
        """The dependences that candidates have: it takes isl long to read them from a worker."""
        roots = [self.function, *(memory.module for memory in self._memories.values())]
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
        try:
            scops, before = self._scheduled(group[0])
        except PolyirError as error:
            return [error.message for _ in group]
        if group[0].if_scheduled and self._have_same_trees(self.scops, scops):
            return ["there is nothing to change"]
        for strategy in group:
            try:
                candidate = self._made(strategy, scops, before)
                if strategy.keeps_order:
                    # Where loops are short, those of the source may be better than vectors.
                    plain = self._made(strategy.without("register-tile"), scops, before)
                    candidate = plain if plain.cycles < KEPT * candidate.cycles else candidate
            except PolyirError as error:
                found.append(error.message)
                continue
            found.append(candidate)
            if self._is_good_enough(candidate):
                break
        return found

    def _scheduled(self, strategy: Strategy) -> tuple[list[Scheduled], list[Remark]]:
        """The scops before the steps of a strategy, and what the passes said."""
        said: list[Remark] = []
        module = self.with_memory(strategy.memory, said)
        with remarks_in(said):
            for step in strategy.scheduler:
                apply_inside(step, self.ctx, module)
        return scheduled_scops(module), said

    def _made(
        self, strategy: Strategy, scops: Sequence[Scheduled], before: Sequence[Remark]
    ) -> Candidate:
        """What the steps of a strategy make of scops."""
        changed, remarks = list(scops), list(before)
        with remarks_in(remarks):
            for step in self.steps_of(strategy):
                last, changed = changed, [each.after(step) for each in changed]
                is_tiling = step.name == "tile" and not strategy.scheduler
                if is_tiling and self._have_same_trees(last, changed):
                    # The order is the original one, which other strategies keep.
                    raise OptionError("there is nothing to tile")
                if step.name == "mark-parallel":
                    has_copies = self._has_copies(strategy, changed)
                    pairs = zip(changed, self._sizes_taken(self._larger * self._times), strict=True)
                    changed = [self._with_useful_threads(*each, has_copies) for each in pairs]
        kept = None
        if self._has_copies(strategy, changed):
            local = [iteration_arrays(each.scop).arrays for each in changed]
            self._require_bounded_memory(strategy, changed, local)
            kept = [_elements(*each) for each in zip(local, self._values, strict=True)]
        return self._candidate(strategy, changed, tuple(remarks), kept)

    def _has_copies(self, strategy: Strategy, scops: Sequence[Scheduled]) -> bool:
        """Whether a strategy has given temporaries copies."""
        return strategy.copies_temporaries and memory_of(scops) != memory_of(self.scops)

    def _with_useful_threads(self, given: Scheduled, sizes: Sizes, has_copies: bool) -> Scheduled:
        """A scop without parallel loops where starting threads takes longer than they save.

        The sizes are the largest that there may be. If temporaries have copies, iterations of
        parallel loops have some of them for themselves.
        """
        values = {name: size.value for name, size in sizes.items()}
        local = iteration_arrays(given.scop).arrays if has_copies else ()
        model = self.model(given.scop, sizes=values, kept=_elements(local, values))
        schedule = with_useful_threads(given.scop.schedule, model.estimate)
        return replace(given, scop=given.scop.under(schedule))

    def resized(self, candidate: Candidate) -> Candidate | None:
        """The candidate with other sizes of tiles that cost less, if there are any."""
        if next(neighbours(candidate.strategy), None) is None:
            return None
        search = partial(within_operations, budgets.STRATEGY, partial(self._resized, candidate))
        with closing(in_order(TASK, [search], location_of(self.function), self._known)) as steps:
            try:
                found = next(steps).result()
            except CrashError:
                return None
        if found is not None:
            self._say_estimates(found)
        return found

    def _resized(self, candidate: Candidate) -> Candidate | None:
        """The candidate with the sizes that cost least: each is doubled or halved while it pays."""
        scops, before = self._scheduled(candidate.strategy)
        best, tried = candidate, {candidate.strategy}
        untried = neighbours(best.strategy)
        while strategy := next(untried, None):
            if strategy in tried:
                continue
            tried.add(strategy)
            with suppress(PolyirError):
                other = self._made(strategy, scops, before)
                if other.cycles < BETTER * best.cycles:
                    best, untried = other, neighbours(strategy)
        return None if best is candidate else best

    def steps_of(self, strategy: Strategy) -> list[ModulePass]:
        """The steps of a strategy, for so many threads."""
        return [each for each in strategy.steps if self.threads > 1 or not is_for_threads(each)]

    def _require_bounded_memory(
        self,
        strategy: Strategy,
        scops: Sequence[Scheduled],
        local: Sequence[Sequence[PromotedArray]],
    ) -> None:
        """Raise `LegalityError` if copies of temporaries might take much more than all arrays do.

        Those that are `local` to iterations are not copies for each of them, if they are smaller.
        Nor are the partial results of parts.
        """
        passes = [each.name for each in strategy.memory]
        copied = self.scops_with(strategy.memory[: passes.index("privatize") + 1])
        for original, given, each, own in zip(self.scops, copied, scops, local, strict=True):
            arrays = each.scop.arrays
            names = {one.array for one in own if _size(one.shape) < _size_of(arrays[one.array])}
            names |= arrays.keys() - given.scop.arrays.keys()
            if large := larger_than_arrays(each.scop, original.scop, names):
                raise LocalArrayError(
                    f"copies of {', '.join(large)} may need more memory than the arrays"
                )

    def _have_same_trees(self, some: Sequence[Scheduled], others: Sequence[Scheduled]) -> bool:
        """Whether the trees of some scops are those of others."""
        pairs = zip(some, others, strict=True)
        return all(is_same(a.scop.schedule.tree, b.scop.schedule.tree) for a, b in pairs)

    def scops_with(self, memory: tuple[ModulePass, ...]) -> list[Scheduled]:
        """The scops of the function after passes on its memory."""
        return scheduled_scops(self.with_memory(memory)) if memory else self.scops

    def with_memory(
        self, passes: tuple[ModulePass, ...], remarks: list[Remark] | None = None
    ) -> ModuleOp:
        """A module with a copy of the function after passes on its memory, which run once.

        What they say is added to `remarks`.
        """
        if passes not in self._memories:
            said: list[Remark] = []
            if passes:
                module = self.with_memory(passes[:-1], said)
                with remarks_in(said):
                    apply_inside(passes[-1], self.ctx, module)
            else:
                module = ModuleOp([self.function.clone()])
            self._memories[passes] = _Memory(module, tuple(said))
        memory = self._memories[passes]
        if remarks is not None:
            remarks += memory.remarks
        return memory.module.clone()

    def _candidate(
        self,
        strategy: Strategy,
        scops: Sequence[Scheduled],
        remarks: tuple[Remark, ...] = (),
        kept: Sequence[Mapping[str, float]] | None = None,
    ) -> Candidate:
        """The scops under their schedules, with the cycles that the model finds."""
        kept = tuple(kept or [{} for _ in scops])
        models = self.models_of(scops, strategy.packed, kept)
        pairs = zip(models, scops, strict=True)
        costs = [model.estimate(each.scop.schedule) for model, each in pairs]
        trees = [
            Outcome(each.scop.schedule, dependences=each.scop.dependences, proved=each.is_proved)
            for each in scops
        ]
        is_changed = memory_of(scops) != memory_of(self.scops)
        memory = strategy.memory if is_changed else ()
        entry = 0.0 if strategy.name == ORIGINAL else self.machine.entry_cycles
        return Candidate(strategy, memory, tuple(trees), tuple(costs), remarks, kept, entry)

    def _results(self, group: _Group, step: Step[_Results]) -> list[Candidate]:
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

    def _say_sizes(self) -> None:
        sizes = {name: size for each in self.sizes for name, size in each.items()}
        if sizes:
            text = ", ".join(f"{name} = {size}" for name, size in sizes.items())
            remark(PASS_NAME, f"sizes: {text}", self.function)

    def _say_estimates(self, candidate: Candidate) -> None:
        for cost in candidate.costs:
            name, why = candidate.strategy.name, "; ".join(cost.why)
            sizes = shown_sizes(candidate.strategy)
            self._say_of(name, f"{name}{sizes}: {1e3 * cost.seconds:.3g} ms; {why}", cost=cost)

    def _say_of(self, name: str, message: str, cost: Cost | None = None, reason: str = "") -> None:
        place = location_of(self.function)
        kind = RemarkKind.REMARK
        report(
            StrategyRemark(kind, PASS_NAME, message, place, strategy=name, cost=cost, reason=reason)
        )


def scheduled_scops(root: Operation) -> list[Scheduled]:
    """The scops of a module or a function, under the schedules that they have."""
    return [Scheduled(scop_of(op), is_proved(op)) for op in scops_in(root)]


def iteration_arrays(scop: Scop) -> Promotion:
    """The temporaries that iterations of parallel loops, or of loops in these, have for themselves.

    There are none without such loops.
    """
    names = [name for name in scop.arrays if is_allocated(scop, name)]
    if not names or scop.dependences is None:
        return Promotion()
    return plan_iteration_arrays(scop, scop.dependences, names)


def _size_of(array: SSAValue) -> tuple[int, int]:
    assert isinstance(array.type, MemRefType)
    return _size(array.type.get_shape())


def _size(shape: Sequence[int]) -> tuple[int, int]:
    """What sizes are compared by: the number of unknown extents, and the product of the others."""
    return shape.count(DYNAMIC_INDEX), prod(each for each in shape if each != DYNAMIC_INDEX)


def _elements(local: Sequence[PromotedArray], values: Mapping[str, int]) -> dict[str, float]:
    """How many elements local arrays have in place of each array."""
    found: dict[str, float] = {}
    for each in local:
        extents = [at_sizes(isl.Set.from_pw_aff(extent), values) for extent in each.extents]
        dynamic = [greatest_of(extent, 0) or 1 for extent in extents]
        elements = prod((*(size for size in each.shape if size != DYNAMIC_INDEX), *dynamic))
        found[each.array] = max(found.get(each.array, 0.0), float(elements))
    return found


def memory_of(scops: Sequence[Scheduled]) -> list[object]:
    """The arrays of some scops with their types, and what each statement accesses of them."""
    return [
        (
            {name: array.type for name, array in each.scop.arrays.items()},
            {
                statement.name: [(a.array, a.kind, a.relation) for a in statement.accesses]
                for statement in each.scop.statements
            },
        )
        for each in scops
    ]


@contextmanager
def remarks_in(found: list[Remark]) -> Iterator[None]:
    """Collect what passes say; what one could not do is not a failure of the user's pass."""
    with remarks_to(lambda each: found.append(replace(each, kind=RemarkKind.REMARK))):
        yield
