"""What a schedule with kernels costs on a GPU, in microseconds.

A launch of a kernel takes, in cycles of a multiprocessor,

    max(blocks that the busiest multiprocessor runs * busy, waves * waiting, traffic)

- *busy* is how long a block keeps a multiprocessor at work: arithmetic by its units, a cycle for
  each line that a warp accesses in the first cache or in shared memory, and the issue of all
  instructions. The longest of the three counts whole, and the others half: they overlap in part.
- *waiting* is how long a thread waits, one instance after the other: for what it loads anew in each
  iteration of its innermost loop, for the chain of its arithmetic, and at barriers. As many blocks
  as have room wait at once. The loads of a statement overlap in part, too, and the longest one of
  the statements in a loop hides the others.
- *traffic* is what blocks touch, from the second cache, and what all of them touch together, from
  memory, if that cache does not hold it.

Loops have numbers in place of parameters; of triangular nests, a launch and a block in the middle
stand for all (`polyir.choose.program`, `polyir.choose.states`). The quantities are those of S. Hong
and H. Kim, "An analytical model for a GPU architecture with memory-level and thread-level
parallelism awareness" (ISCA 2009), section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import ceil, inf, prod
from typing import Final

from polyir.choose.assumed_sizes import values_of
from polyir.choose.gpu_nests import Direction, Nest, moves_of, nests_in, row_of
from polyir.choose.model import Cost
from polyir.choose.program import Kind as Operation
from polyir.choose.program import Reference, StatementModel, model_of
from polyir.choose.regions import count
from polyir.choose.states import State, bytes_touched
from polyir.model.gpu import barrier_statements
from polyir.model.scop import Scop
from polyir.transform.gpu.device import Device
from polyir.tree import Kind, Schedule, ScheduleNode

_LIMITS: Final[tuple[str, ...]] = ("work", "waiting", "second cache", "memory")


@dataclass
class _Kernel:
    """What one launch of a kernel needs: cycles of a block and of a thread, and bytes."""

    launches: float = 1.0
    blocks: float = 1.0
    threads: int = 1
    lines: float = 0.0
    units: float = 0.0
    issue: float = 0.0
    chains: float = 0.0
    waits: dict[object, float] = field(default_factory=dict)
    from_cache: float = 0.0
    from_memory: float = 0.0

    @property
    def busy(self) -> float:
        """The cycles that a block keeps a multiprocessor at work."""
        parts = self.lines, self.units, self.issue
        return (max(parts) + sum(parts)) / 2

    @property
    def waiting(self) -> float:
        """The cycles that a thread waits: at once for what statements of one loop load."""
        return self.chains + sum(self.waits.values())


@dataclass
class _Times:
    """The microseconds that kernels and the host take; `parts` are those of `_LIMITS`.

    Of the `marks` of kernels in the tree, those that are not of `kernels` run on the host.
    """

    parts: list[float] = field(default_factory=lambda: [0.0] * len(_LIMITS))
    starts: float = 0.0
    host: float = 0.0
    kernels: int = 0
    marks: int = 0
    launches: float = 0.0
    blocks: float = inf

    def __add__(self, other: _Times) -> _Times:
        return _Times(
            [a + b for a, b in zip(self.parts, other.parts, strict=True)],
            self.starts + other.starts,
            self.host + other.host,
            self.kernels + other.kernels,
            self.marks + other.marks,
            self.launches + other.launches,
            min(self.blocks, other.blocks),
        )

    def cost(self) -> Cost:
        """The times as those of any schedule; a cycle is a microsecond."""
        shown = {**dict(zip(_LIMITS, self.parts, strict=True)), "host and copies": self.host}
        text = ", ".join(f"{name} {time:.3g}" for name, time in shown.items() if time)
        why = [f"microseconds: {text or 0}"]
        if self.kernels:
            plural = "" if self.kernels == 1 else "s"
            why.append(
                f"{self.kernels} kernel{plural} of {self.blocks:.3g} blocks or more, "
                f"{self.launches:.3g} launches: {self.starts:.3g}"
            )
        parts = sum(self.parts)
        return Cost(parts, (), (0.0,), self.starts, self.host, self.marks, 1e-6, why=tuple(why))


class GpuModel:
    """The model of one scop on a device: `estimate` says what a schedule with kernels costs."""

    def __init__(self, scop: Scop, device: Device, sizes: Mapping[str, int] | None = None) -> None:
        self._device = device
        self.values = values_of(scop, sizes)
        self.statements: dict[str, StatementModel] = model_of(scop, self.values)
        self._spaces = {each.sym_name.data: each.space.data for each in scop.op.local_arrays}
        self._barriers = barrier_statements(scop)

    @property
    def element_bytes(self) -> int:
        """The bytes of the widest values that are accessed or computed."""
        return max((each.bytes for each in self.statements.values()), default=8)

    @property
    def least_cycles(self) -> float:
        """No schedule is so good that no other one need be tried."""
        return 0.0

    def estimate(self, schedule: Schedule) -> Cost:
        """What a schedule costs; without kernels, the host runs all of it.

        Copies to the device before all kernels, and back after them, are not part of it: callers
        may leave arrays there.
        """
        parts = [self._timed(self._nests(each)) for each in _in_turn(schedule.root)]
        nests = tuple(each.cost() for each in parts) if len(parts) > 1 else ()
        return replace(sum(parts, _Times()).cost(), nests=nests)

    def most_uses(self, schedule: Schedule) -> float:
        """How often a launch of some kernel accesses each element of an array, at most."""
        most = 0.0
        for nest in self._nests(schedule.root):
            if nest.kernel is None or nest.state.region.is_empty:
                continue
            instances = nest.instances / nest.threads.launches
            for each in nest.model.references:
                if each.subscripts is not None:
                    elements = count(nest.state.region, each.subscripts)
                    most = max(most, instances / max(elements, 1.0))
        return most

    def _nests(self, node: ScheduleNode) -> Iterator[Nest]:
        return nests_in(node, self.statements, self.values)

    def _timed(self, nests: Iterable[Nest]) -> _Times:
        """What nests take, kernel by kernel."""
        device, cycle, found = self._device, 1e-3 / self._device.gigahertz, _Times()
        for number, group in groupby(nests, key=lambda each: each.kernel):
            own = [each for each in group if not each.state.region.is_empty]
            if not own:
                continue
            found.marks += number is not None
            if number is None or own[0].sizes.on_host:
                accesses = sum(each.instances * len(each.model.accesses) for each in own)
                found.host += device.host_access * accesses
                if number is not None:
                    runs = max(each.threads.launches for each in own)
                    found.host += runs * self._copies(each.model for each in own)
                continue
            kernel = self._kernel(own)
            resident = max(1, device.multiprocessor_threads // kernel.threads)
            times = (
                ceil(kernel.blocks / device.multiprocessors) * kernel.busy * cycle,
                ceil(kernel.blocks / (device.multiprocessors * resident)) * kernel.waiting * cycle,
                kernel.from_cache / device.cache_bandwidth,
                kernel.from_memory / device.memory_bandwidth,
            )
            longest = max(times)
            found.kernels += 1
            found.launches += kernel.launches
            found.blocks = min(found.blocks, kernel.blocks)
            found.parts[times.index(longest)] += kernel.launches * longest
            # What is left of a launch while the kernel before runs.
            found.starts += kernel.launches * max(device.launch - longest, device.gap)
        return found

    def _kernel(self, nests: Sequence[Nest]) -> _Kernel:
        """What one launch of a kernel needs."""
        device = self._device
        found = _Kernel(threads=prod(nests[0].sizes.block))
        found.launches = max(each.threads.launches for each in nests)
        found.blocks = max(each.threads.blocks for each in nests)
        by_number = {str(number): each for number, each in enumerate(nests)}
        references = {
            number: [r for r in each.model.references if r.array not in self._spaces]
            for number, each in by_number.items()
        }
        whole = {number: each.state for number, each in by_number.items()}
        block = {number: each.threads.state or each.state for number, each in by_number.items()}
        touched, _ = bytes_touched(whole, references, device.sector)
        is_cached = touched <= device.cache_bytes
        found.from_memory = 0.0 if is_cached else touched
        found.from_cache = found.blocks * bytes_touched(block, references, device.sector)[0]
        # What the launch before has touched is in the second cache.
        latencies = {} if is_cached and found.launches > 1 else self._latencies(nests)
        for nest in nests:
            self._add(found, nest, latencies)
        return found

    def _latencies(self, nests: Sequence[Nest]) -> dict[str, float]:
        """The latency of each array: its elements come from memory at the first access."""
        device, accesses, found = self._device, dict[str, float](), dict[str, float]()
        for nest in nests:
            for each in nest.model.references:
                accesses[each.array] = accesses.get(each.array, 0.0) + nest.instances * each.bytes
        for array, bytes in accesses.items():
            share = min(1.0, self._bytes(array) / max(bytes, 1.0))
            found[array] = share * device.memory_latency + (1 - share) * device.cache_latency
        return found

    def _add(self, kernel: _Kernel, nest: Nest, latencies: Mapping[str, float]) -> None:
        """Add what a nest needs to its kernel."""
        device, model, threads = self._device, nest.model, nest.threads
        instances = nest.instances / kernel.launches
        each_thread = max(1.0, instances / (threads.blocks * prod(threads.lanes.values())))
        if model.name in self._barriers:
            kernel.chains += each_thread * device.barrier_latency
            kernel.issue += each_thread * kernel.threads / device.warp
            return
        lanes, rows = nest.lanes_of_warp(device.warp)
        warps = instances / lanes / threads.blocks
        lines = addresses = 0.0
        waits = [0.0]
        seen: set[object] = set()
        for reference in model.references:
            space = self._spaces.get(reference.array)
            if space == "private":
                continue
            held, moved = nest.held(reference)
            lines += rows * self._lines(reference, nest.across, lanes / rows) / held
            is_new = space is None and row_of(reference) not in seen
            addresses += (device.address if is_new else 1) / held
            seen.add(row_of(reference))
            if not reference.is_write:
                missed = min(1.0, moved / device.sector) if space is None else 0.0
                latency = latencies.get(reference.array, device.cache_latency)
                own = missed * latency + (1 - missed) * device.shared_latency
                waits.append(own / held)
        is_copy = not model.work.operations and any(
            self._spaces.get(each.array) == "workgroup" for each in model.references
        )
        unrolled = prod(values for loop, values in threads.inner if loop.is_unrolled)
        control = device.control / unrolled * bool(threads.inner) + device.startup / each_thread
        instructions = len(model.work.operations) + addresses + device.copy_address * is_copy
        kernel.lines += warps * lines
        kernel.units += warps * self._units(model)
        kernel.issue += warps * (instructions + control) / device.issue
        chain = device.arithmetic_latency * bool(model.work.operations)
        divisions = (Operation.DIVISION, Operation.ROOT, Operation.QUOTIENT)
        chain += device.division_latency * model.work.count(*divisions)
        kernel.chains += each_thread * chain
        # A copy stores what it loads at once.
        wait = (max(waits) + sum(waits)) / 2
        waited = each_thread * wait / (1.0 if is_copy else device.loads_at_once)
        kernel.waits[nest.place] = max(kernel.waits.get(nest.place, 0.0), waited)

    def _lines(self, reference: Reference, across: Direction | None, lanes: float) -> float:
        """The lines of a cache that neighbouring threads access at once.

        The rows of shared memory are padded, so that threads access different banks.
        """
        device = self._device
        moves = (1.0,) if across is None else moves_of(reference, across)
        if not any(moves):
            return 1.0
        if reference.array in self._spaces:
            return ceil(lanes * reference.bytes / device.line_bytes)
        if any(moves[:-1]) or moves[-1] == inf:
            return lanes
        span = ((lanes - 1) * abs(moves[-1]) + 1) * reference.bytes
        return min(lanes, ceil(span / device.line_bytes))

    def _units(self, model: StatementModel) -> float:
        """The cycles that the units for arithmetic need for a warp and one instance."""
        device = self._device
        lanes = device.double_lanes if model.bytes > 4 else device.float_lanes
        weights = {
            Operation.ARITHMETIC: 1.0,
            Operation.DIVISION: device.division,
            Operation.ROOT: device.division,
            Operation.FUNCTION: device.function,
        }
        floating = sum(model.work.count(kind) * weight for kind, weight in weights.items())
        quotients = device.division * model.work.count(Operation.QUOTIENT)
        other = model.work.count(Operation.OTHER) + quotients
        return device.warp * (floating / lanes + other / device.integer_lanes)

    def _copies(self, models: Iterable[StatementModel]) -> float:
        """What copies of the arrays take that statements access, there and back if written."""
        device, written = self._device, dict[str, bool]()
        for model in models:
            for each in model.references:
                written[each.array] = written.get(each.array, False) or each.is_write
        return sum(
            (1 + is_written) * (device.copy + self._bytes(array) * device.copied_byte)
            for array, is_written in written.items()
        )

    def _bytes(self, array: str) -> float:
        """The bytes of an array that statements touch."""
        states = {name: State(each.region) for name, each in self.statements.items()}
        references = {
            name: [r for r in each.references if r.array == array]
            for name, each in self.statements.items()
        }
        return bytes_touched(states, references, 1)[0]


def _in_turn(node: ScheduleNode) -> Iterator[ScheduleNode]:
    """The nests that run one after the other: the children of sequences at the root."""
    below = node.child(0)
    if below.kind in (Kind.SEQUENCE, Kind.SET):
        for child in below.children():
            yield from _in_turn(child)
    else:
        yield node
