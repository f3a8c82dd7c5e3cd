"""What a schedule costs: compute, traffic of each cache level, parallel regions.

The model is a roofline with cache levels (Williams, Waterman and Patterson, "Roofline", 2009; the
levels as in Treibig and Hager's ECM model, 2010):

    cycles = max(compute, traffic_1 / bandwidth_1, ..., traffic_memory / bandwidth)
             + starts + overhead

- *compute*: for each statement, its instances times the cycles of one: the largest of what
  arithmetic, loads and stores, and all operations need, for one vector over its elements where the
  innermost loop carries no dependence and moves each reference by 0 or 1 element. A chain of
  dependences that the innermost loop carries takes its latency in each iteration instead.
- *traffic* of a level is what comes into it from the next one. An iteration of a loop has a
  footprint: the cache lines of all references, each cell once. Where one iteration fits into the
  level, the loop keeps what successive iterations share, and all its iterations bring in what the
  loop touches as a whole; where it does not, each iteration brings in its own traffic (Wolf and
  Lam, "A data locality optimizing algorithm", 1991; Ferrante, Sarkar and Thrash, "On estimating
  and enhancing cache effectiveness", 1991). Lines that are written count more: they come and go.
- *starts*: each entry of an innermost loop costs `loop_cycles`, and tests that rows do not overlap
  (`polyir.choose.innermost.overlap_tests`). This hides no traffic: a loop ends with a branch that
  was predicted wrongly, and what comes next is loaded late. Where it has so few iterations that
  their number is predicted, it is `predicted_loop_cycles`. A row of a tile takes
  `tile_row_cycles` more.
- *overhead*: each parallel region costs its start and end, and the first one wakes threads, unless
  the function stands for a part of a loop (`polyir.dialects.expected_sizes.REPEATED`). What
  is inside is divided by the threads, as evenly as a static distribution of the iterations does.

Loops are walked from the outside, at one or two of their values (`polyir.choose.regions.nodes`),
so that triangular nests are counted right; parameters have numbers (`polyir.choose.program`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, prod
from types import MappingProxyType
from typing import Protocol

from polyir.choose.assumed_sizes import parameters_left, values_of
from polyir.choose.c_compiler import Unrolled, unroll_small_loops
from polyir.choose.innermost import (
    MOST_OVERLAP_TESTS,
    InstanceCost,
    combination_cycles,
    held_statements,
    instance_cost,
    is_block,
    masked_cycles,
    overlap_tests,
)
from polyir.choose.loop_tree import Filters, Leaf, Loop, Node, Parts, loop_tree, tiled
from polyir.choose.machine import Machine
from polyir.choose.program import StatementModel, model_of, ordering_of
from polyir.choose.regions import Form, Region, count, nodes
from polyir.choose.states import State, bytes_touched
from polyir.dialects.expected_sizes import is_repeated
from polyir.model.scop import Scop
from polyir.tree import Schedule

USABLE = 0.75
"""The part of a cache that a footprint may fill: lines collide, and other data is there too."""

OWN = 0.5
"""The part of a cache of many cores that is there for a program: others run, too."""

PREDICTED_ITERATIONS = 32
"""The ends of loops of so few iterations are predicted: predictors remember as many branches."""


def usable_bytes(machine: Machine) -> list[float]:
    """What a program may fill of each cache."""
    return [
        USABLE * cache.bytes * (OWN if cache.shared_by > 1 else 1.0) for cache in machine.caches
    ]


@dataclass(frozen=True)
class Cost:
    """The cycles of a schedule, in parts; `traffic` has the bytes into each level of cache.

    `times` are the cycles that each part of the traffic takes, the last one that of memory. If the
    loops are a sequence of nests, `nests` has the cost of each, as if nothing ran before it.
    `least` are the cycles that it takes to get each line from memory once.
    """

    compute: float
    traffic: tuple[float, ...]
    times: tuple[float, ...]
    starts: float
    overhead: float
    regions: float
    seconds_per_cycle: float
    least: float = 0.0
    why: tuple[str, ...] = ()
    nests: tuple[Cost, ...] = ()

    @property
    def parts(self) -> Mapping[str, float]:
        """The cycles of what overlaps, by names for people."""
        levels = enumerate(self.times, 1)
        return {"compute": self.compute, **{f"traffic of L{n}": time for n, time in levels}}

    @property
    def limit(self) -> str:
        """The name of the longest part."""
        return max(self.parts, key=self.parts.__getitem__)

    @property
    def cycles(self) -> float:
        """The total; see the module."""
        return max(self.compute, *self.times) + self.starts + self.overhead

    @property
    def score(self) -> float:
        """The total, and a part of what it hides, so that less work is better at equal times."""
        hidden = self.compute + sum(self.times) - max(self.compute, *self.times)
        return self.cycles + 0.1 * hidden

    @property
    def unhidden(self) -> float:
        """The total if no part of it overlapped with another."""
        return self.compute + sum(self.times) + self.starts + self.overhead

    @property
    def seconds(self) -> float:
        """The total in seconds."""
        return self.cycles * self.seconds_per_cycle


@dataclass
class _Amounts:
    """What one execution of a node needs, along the slowest thread."""

    compute: float = 0.0
    starts: float = 0.0
    instances: float = 0.0
    traffic: list[float] = field(default_factory=list)
    memory_of_all: float = 0.0
    overhead: float = 0.0
    regions: float = 0.0
    least: float = 0.0

    def add(self, other: _Amounts, weight: float = 1.0) -> None:
        """Add so many executions of another node."""
        self.compute += weight * other.compute
        self.starts += weight * other.starts
        self.instances += weight * other.instances
        self.traffic = [a + weight * b for a, b in zip(self.traffic, other.traffic, strict=True)]
        self.memory_of_all += weight * other.memory_of_all
        self.overhead += weight * other.overhead
        self.regions += weight * other.regions


class ScheduleModel(Protocol):
    """What says how long the schedules of one scop take."""

    values: dict[str, int]
    statements: dict[str, StatementModel]

    @property
    def least_cycles(self) -> float:
        """What no schedule takes less than."""

    @property
    def element_bytes(self) -> int:
        """The bytes of the widest values that are accessed or computed."""

    def estimate(self, schedule: Schedule) -> Cost:
        """What a schedule costs."""


class CostModel:
    """The model of one scop on one machine: what is read of it is kept for all schedules.

    `packed` operands of blocks are read from contiguous arrays. Of an array that is `kept`,
    iterations have so many elements at a time for themselves.
    """

    def __init__(
        self,
        scop: Scop,
        machine: Machine,
        sizes: Mapping[str, int] | None = None,
        threads: int | None = None,
        packed: bool = False,
        kept: Mapping[str, float] = MappingProxyType({}),
    ) -> None:
        self._packed = packed
        self._is_repeated = is_repeated(scop.op)
        self.machine = machine
        self.threads = threads or machine.cores
        self.values = values_of(scop, sizes)
        self.sizes_are_known = not parameters_left(scop)
        self.statements: dict[str, StatementModel] = model_of(scop, self.values, kept)
        self._references = {name: each.references for name, each in self.statements.items()}
        self._capacities = usable_bytes(machine)
        self._dependences = ordering_of(scop, kept)
        self._unrolled: Unrolled = {}
        self._instance_costs: dict[object, InstanceCost] = {}
        self._held: dict[object, frozenset[str]] = {}
        self._last: tuple[Mapping[str, State], tuple[float, float]] = ({}, (0.0, 0.0))
        self._instances = {
            name: each.share * count(each.region, _iterators(each))
            for name, each in self.statements.items()
        }

    @property
    def element_bytes(self) -> int:
        """The bytes of the widest values that are accessed or computed."""
        return max((each.bytes for each in self.statements.values()), default=8)

    @property
    def least_cycles(self) -> float:
        """What the arithmetic alone takes, in vectors on all threads."""
        lanes = max(1, self.machine.vector_bits // (8 * self.element_bytes))
        operations = sum(
            self._instances[name] * each.least_arithmetic for name, each in self.statements.items()
        )
        return operations / (lanes * self.machine.vector_fma * self.threads)

    def tree(self, schedule: Schedule) -> Node:
        """The loops of a schedule tree of the scop."""
        return loop_tree(schedule, self.values)

    def cost(self, tree: Node) -> Cost:
        """What the loops cost."""
        states = {
            name: State(each.region)
            for name, each in self.statements.items()
            if not each.region.is_empty
        }
        # Kernels are known by the identity of the loops, which lasts as long as the tree.
        self._instance_costs.clear()
        self._held.clear()
        in_turn: list[tuple[dict[str, State], _Amounts]] = []
        tree, self._unrolled = unroll_small_loops(tree, self.statements)
        amounts = self._visit(tree, states, (), False, in_turn)
        held, _ = self._touched(states)
        for own, part in in_turn:
            self._correct(part, own)
        self._correct(amounts, states)
        if in_turn:
            # Each part is counted wrongly in its own way.
            amounts.compute = sum(part.compute for _, part in in_turn)
            amounts.starts = sum(part.starts for _, part in in_turn)
        nests = tuple(self._cost(each, held) for _, each in in_turn)
        if amounts.regions and not self._is_repeated:
            amounts.overhead += self.machine.wake_cycles
        return replace(self._cost(amounts, held), nests=nests)

    def _correct(self, amounts: _Amounts, states: Mapping[str, State]) -> None:
        """Scale what was counted to the instances that there are.

        Values that the walk did not look at may have more or fewer iterations inside: tiles at
        borders are partial. Each line that is touched at all still comes in once.
        """
        if not amounts.instances:
            return
        instances = sum(
            self._instances[name]
            if state.region is self.statements[name].region
            else self.statements[name].share
            * count(state.region, _iterators(self.statements[name]))
            for name, state in states.items()
        )
        missed = instances / amounts.instances
        footprint, written = self._touched(states)
        whole = footprint + self.machine.write_back * written
        amounts.least = whole / self.machine.memory_bandwidth_all
        amounts.compute *= missed
        amounts.starts *= missed
        traffic = amounts.traffic
        amounts.traffic = [max(missed * bytes, min(bytes, whole)) for bytes in traffic]
        memory = amounts.memory_of_all
        amounts.memory_of_all = max(missed * memory, min(memory, whole))

    def estimate(self, schedule: Schedule) -> Cost:
        """What a schedule costs."""
        return self.cost(self.tree(schedule))

    def tiled_cost(self, tree: Node, band: int, levels: Sequence[Sequence[int]]) -> Cost:
        """What the loops cost with a band cut into tiles, the outermost level first."""
        return self.cost(tiled(tree, band, levels))

    def _cost(self, amounts: _Amounts, held: float) -> Cost:
        """What some amounts cost, in a scop that touches `held` bytes.

        A cache that holds all of them has them before the scop begins, as the program has just
        computed them: nothing comes in.
        """
        machine = self.machine
        rates = [cache.bandwidth for cache in machine.caches[1:]] + [machine.memory_bandwidth]
        times = [bytes / rate for bytes, rate in zip(amounts.traffic, rates, strict=True)]
        times[-1] = max(times[-1], amounts.memory_of_all / machine.memory_bandwidth_all)
        is_held = [held <= capacity for capacity in self._capacities]
        times = [0.0 if is_there else time for is_there, time in zip(is_held, times, strict=True)]
        cost = Cost(
            amounts.compute,
            tuple(amounts.traffic),
            tuple(times),
            amounts.starts,
            amounts.overhead,
            amounts.regions,
            machine.seconds(1.0),
            0.0 if is_held[-1] else amounts.least,
        )
        shown = ", ".join(f"{name} {cycles:.3g}" for name, cycles in cost.parts.items())
        why = [f"cycles: {shown}, starts of loops {cost.starts:.3g}; limited by {cost.limit}"]
        if amounts.regions:
            plural = "" if amounts.regions == 1 else "s"
            why.append(
                f"{amounts.regions:.3g} parallel region{plural} of {self.threads} threads: "
                f"{amounts.overhead:.3g} cycles"
            )
        return replace(cost, why=tuple(why))

    def _visit(
        self,
        node: Node,
        states: dict[str, State],
        above: tuple[Loop, ...],
        in_parallel: bool,
        in_turn: list[tuple[dict[str, State], _Amounts]] | None = None,
    ) -> _Amounts:
        """What one execution of a node needs; `in_turn` gets the states and needs of its parts."""
        footprint, written = self._touched(states)
        amounts = _Amounts(traffic=[0.0] * len(self.machine.caches))
        if isinstance(node, Leaf):
            for name in states:
                copies = self._copies(name)
                amounts.instances += copies
                amounts.compute += copies * self._instance_cost(above, name).scalar_cycles
        elif isinstance(node, Loop):
            self._loop(node, states, above, in_parallel, amounts)
        else:
            for filters, child in node.children:
                inner = _filtered(states, filters)
                deeper = in_turn if isinstance(child, Parts) else None
                part = _Amounts(traffic=[0.0] * len(self.machine.caches))
                if inner or deeper is not None:
                    part = self._visit(child, inner, above, in_parallel, deeper)
                    amounts.add(part)
                if in_turn is not None and deeper is None:
                    in_turn.append((inner, part))
        whole = footprint + self.machine.write_back * written
        for level, capacity in enumerate(self._capacities):
            is_last = level == len(self._capacities) - 1
            if footprint <= capacity or isinstance(node, Leaf):
                # Threads bring their own parts into the last cache.
                are_parts = is_last and not isinstance(node, Leaf)
                amounts.traffic[level] = min(whole, amounts.traffic[level]) if are_parts else whole
            if is_last and footprint <= capacity:
                amounts.memory_of_all = whole
        if isinstance(node, Leaf):
            amounts.memory_of_all = whole
        return amounts

    def _touched(self, states: Mapping[str, State]) -> tuple[float, float]:
        """The bytes of the lines that are touched, and written; for the last states, as before."""
        if self._last[0] is not states:
            self._last = states, bytes_touched(states, self._references, self._line)
        return self._last[1]

    @property
    def _line(self) -> int:
        return self.machine.caches[0].line_bytes

    def _loop(
        self,
        node: Loop,
        states: dict[str, State],
        above: tuple[Loop, ...],
        in_parallel: bool,
        amounts: _Amounts,
    ) -> None:
        """Add up the iterations of a loop."""
        ranges, step = self._ranges(node, states)
        forks = node.is_parallel and not in_parallel and self.threads > 1
        in_parallel = in_parallel or node.is_parallel
        footprint, written = self._touched(states)
        whole = footprint + self.machine.write_back * written
        fits = [True] * len(self.machine.caches)
        bodies: list[tuple[float, float]] = []
        trips = 0.0
        total = _Amounts(traffic=[0.0] * len(self.machine.caches))
        loops = (*above, node)
        is_innermost = not any(True for _ in _loops_below(node.body))
        for low, high in _segments(ranges):
            trips_here = max(1.0, (high - low) / step + 1)
            trips += trips_here
            active = [n for n, (a, b) in ranges.items() if a <= (low + high) / 2 + 1e-6 <= b + 1e-3]
            points: tuple[tuple[float, float], ...]
            if is_innermost:
                points = (((low + high) / 2, trips_here),)
            else:
                points = self._points(node, states, active, low, high, step)
            entered = self._entered(node, states, active, points)
            if not entered and not is_innermost:
                # Only some values in between have iterations inside.
                tries = [low + step * round((trips_here - 1) * part / 8) for part in range(1, 8)]
                points = tuple((value, trips_here / 8) for value in tries)
                entered = self._entered(node, states, active, points)
            # The rows of a block run together, some of them for nothing.
            idle = ceil(trips_here / node.rows) * node.rows / trips_here if node.rows else 1.0
            for inner, weight in entered:
                size, _ = self._touched(inner)
                one = self._visit(node.body, inner, loops, in_parallel)
                # With many tests, instances keep what they cost without vectors.
                if is_innermost and not self._has_many_tests(node, inner, in_parallel):
                    one.compute = sum(
                        self._copies(name) * self._instance_cost(loops, name).cycles_of(trips_here)
                        for name in inner
                    )
                one.compute *= idle
                bodies.append((weight, one.compute))
                for level, capacity in enumerate(self._capacities):
                    fits[level] = fits[level] and size <= capacity
                total.add(one, weight)
            # Blocks are straight-line code; those without rows are for sums, others are only tiles.
            is_unrolled = node.rows or any(
                each.is_sum and is_block(loops, each)
                for each in map(self.statements.__getitem__, active)
            )
            if is_innermost and not is_unrolled:
                total.starts += self._start(loops, entered, in_parallel, trips_here)
        for level, fit in enumerate(fits):
            if fit:
                total.traffic[level] = min(total.traffic[level], whole)
                if level == len(fits) - 1:
                    total.memory_of_all = min(total.memory_of_all, whole)
        if forks:
            trips *= self._shared_inside(node, states)
            share = _largest_share(bodies, trips, self.threads, node.is_balanced)
            total.compute *= share
            total.starts *= share
            total.traffic = [share * bytes for bytes in total.traffic]
            total.overhead *= share
            total.regions += 1
            extra = self.machine.thread_cycles * (self.threads - 1)
            total.overhead += self.machine.region_cycles + extra
        amounts.add(total)

    def _ranges(
        self, loop: Loop, states: Mapping[str, State]
    ) -> tuple[dict[str, tuple[float, float]], float]:
        """The first and the last value of a loop for each statement, and its step."""
        functions = {name: loop.functions[name] for name in states if name in loop.functions}
        ranges = {name: states[name].range(function) for name, function in functions.items()}
        steps = [self.statements[n].step(f) for n, f in functions.items() if f.smooth.terms]
        return ranges, min(steps, default=1.0)

    def _shared_inside(self, loop: Loop, states: Mapping[str, State]) -> float:
        """How many iterations threads share for each one of a parallel loop, of those inside."""
        if not isinstance(loop.body, Loop) or not loop.body.is_parallel:
            return 1.0
        ranges, step = self._ranges(loop.body, states)
        trips = sum(max(1.0, (high - low) / step + 1) for low, high in _segments(ranges))
        return trips * self._shared_inside(loop.body, states)

    def _has_many_tests(self, loop: Loop, names: Iterable[str], in_parallel: bool) -> bool:
        """Whether C compilers would have to test the rows of more arrays than they do."""
        models = [self.statements[name] for name in names]
        return not loop.width and overlap_tests(models, in_parallel) > MOST_OVERLAP_TESTS

    def _start(
        self,
        loops: tuple[Loop, ...],
        entered: Sequence[tuple[dict[str, State], float]],
        in_parallel: bool,
        iterations: float,
    ) -> float:
        """The cycles before and after the iterations of an innermost loop."""
        names = [name for inner, _ in entered[:1] for name in inner]
        cycles = self.machine.loop_cycles
        lanes = max((self._instance_cost(loops, name).lanes for name in names), default=1)
        if iterations / lanes <= PREDICTED_ITERATIONS:
            cycles = self.machine.predicted_loop_cycles
        if any(loop.runs_over_tiles for loop in loops):
            cycles += self.machine.tile_row_cycles
        if loops[-1].is_reduction:
            cycles += combination_cycles(loops[-1].width, self.machine)
        width = loops[-1].width
        if width and iterations % width and not loops[-1].is_reduction:
            cycles += masked_cycles([self.statements[name] for name in names], self.machine)
        if not width and lanes > 1:
            models = [self.statements[name] for name in names]
            cycles += self.machine.overlap_cycles * overlap_tests(models, in_parallel)
        return cycles

    def _entered(
        self,
        node: Loop,
        states: dict[str, State],
        active: Sequence[str],
        points: Sequence[tuple[float, float]],
    ) -> list[tuple[dict[str, State], float]]:
        """What is left of the statements at some values of a loop, where anything is."""
        found: list[tuple[dict[str, State], float]] = []
        for value, weight in points:
            inner = {name: states[name].at(node.functions[name], value) for name in active}
            inner = {name: state for name, state in inner.items() if not state.region.is_empty}
            if inner:
                found.append((inner, weight))
        return found

    def _points(
        self,
        node: Loop,
        states: dict[str, State],
        active: Sequence[str],
        low: float,
        high: float,
        step: float,
    ) -> tuple[tuple[float, float], ...]:
        """The values at which the body is looked at, and how many iterations each stands for."""
        trips = (high - low) / step + 1
        middle = low + step * round((trips - 1) / 2)
        if trips < 3 or not self._changes(node, states, active, low, high):
            return ((middle, trips),)
        found = []
        for position, weight in nodes(0.0, trips - 1):
            found.append((low + step * (round(position) if step > 1 else position), weight))
        return tuple(found)

    def _changes(
        self, node: Loop, states: dict[str, State], active: Sequence[str], low: float, high: float
    ) -> bool:
        """Whether the loops inside run differently often for a small and a large value."""
        for name in active:
            widths = []
            for value in (low + (high - low) * 0.2, low + (high - low) * 0.8):
                region = states[name].region
                smooth = node.functions[name].smooth
                if not smooth.terms:
                    break
                inner = region.within(smooth, value, value)
                widths.append([b - a for a, b in zip(inner.low, inner.high, strict=True)])
            if len(widths) == 2 and any(
                abs(a - b) > 0.05 * max(a, b, 1.0) for a, b in zip(*widths, strict=True)
            ):
                return True
        return False

    def _copies(self, name: str) -> float:
        """How many instances of a statement are straight-line code."""
        return prod(iterations for _, iterations in self._unrolled.get(name, ()))

    def _instance_cost(self, loops: tuple[Loop, ...], name: str) -> InstanceCost:
        key = (tuple(map(id, loops)), name)
        if key not in self._instance_costs:
            is_held = bool(loops) and name in self._held_in(loops)
            unrolled = tuple(loop for loop, _ in self._unrolled.get(name, ()))
            self._instance_costs[key] = instance_cost(
                self.statements, loops, name, self.machine, is_held, self._packed, unrolled
            )
        return self._instance_costs[key]

    def _held_in(self, loops: tuple[Loop, ...]) -> frozenset[str]:
        key = tuple(map(id, loops))
        if key not in self._held:
            dependences = self._dependences if len(loops[-1].functions) > 1 else ()
            self._held[key] = held_statements(loops, dependences)
        return self._held[key]


def _loops_below(node: Node) -> list[Loop]:
    match node:
        case Loop():
            return [node]
        case Leaf():
            return []
        case _:
            return [loop for _, child in node.children for loop in _loops_below(child)]


def _filtered(states: dict[str, State], filters: Filters) -> dict[str, State]:
    """The states of the statements that pass a filter."""
    found: dict[str, State] = {}
    for name, constraints in filters.items():
        if name not in states:
            continue
        state = states[name]
        if constraints:
            region = state.region
            region = Region((*region.constraints, *constraints), region.low, region.high)
            state = State(region, state.known, state.pending)
        if not state.region.is_empty:
            found[name] = state
    return found


def _segments(ranges: Mapping[str, tuple[float, float]]) -> list[tuple[float, float]]:
    """The values of a loop in parts in which the same statements run; short parts are left out."""
    if not ranges:
        return []
    lows = sorted({low for low, _ in ranges.values()})
    highs = sorted({high for _, high in ranges.values()})
    low, high = lows[0], highs[-1]
    tolerance = 0.05 * (high - low)
    cuts = [low]
    for value in sorted({*lows, *(each + 1 for each in highs)}):
        if value - cuts[-1] > tolerance and high + 1 - value > tolerance:
            cuts.append(value)
    ends = [*(cut - 1 for cut in cuts[1:]), high]
    parts = list(zip(cuts, ends, strict=True))
    covered = {
        name
        for name, (a, b) in ranges.items()
        if any(a <= (first + last) / 2 <= b for first, last in parts)
    }
    parts += sorted({span for name, span in ranges.items() if name not in covered})
    return parts


def _largest_share(
    bodies: Sequence[tuple[float, float]], trips: float, threads: int, is_balanced: bool
) -> float:
    """The part of all work that the busiest of some threads does.

    In a static distribution, each thread has equally many iterations. In a balanced one, each is
    busy until the last ones. The fraction in `trips` is a last iteration with less work.
    """
    used = max(1, min(threads, int(trips)))
    even = ceil(trips / used - 1e-9) / max(trips, 1.0)
    slope = 0.0
    if len(bodies) == 2 and (mean := (bodies[0][1] + bodies[1][1]) / 2) and used > 1:
        # The work of an iteration grows linearly through two nodes, at 0.21 and 0.79 of the loop.
        slope = abs(bodies[1][1] - bodies[0][1]) / 0.577 / mean
    if not is_balanced:
        return even * (1 + slope * (0.5 - 0.5 / used))
    if slope < 0.01 and trips >= 1:
        whole = int(trips)
        return max(ceil(whole / threads), whole // threads + (trips - whole)) / trips
    return min(1.0, 1 / used + (1 - 1 / used) / max(trips, 1.0))


def estimate(
    scop: Scop,
    schedule: Schedule,
    machine: Machine,
    sizes: Mapping[str, int] | None = None,
    threads: int | None = None,
) -> Cost:
    """What a schedule of a scop costs; `CostModel` is faster for several schedules.

    `sizes` gives numbers for parameters, `threads` those that run parallel loops, by default one a
    core.
    """
    return CostModel(scop, machine, sizes, threads).estimate(schedule)


def _iterators(model: StatementModel) -> list[Form]:
    return [Form(((variable, 1.0),)) for variable in range(len(model.region.low))]
