"""What a program does to memory, access by access, as MLIR's own lowering runs it.

A traced program writes down each access to memory before it happens: the element, and the values
of the counters of all loops around. From a trace follow the dependences of a loop by their
definition, and the races of parallel loops, so both are independent of any analysis of polyir.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from oracle import Argument, Oracle
from traces import mlir_text
from xdsl.builder import Builder
from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint

from polyir import api

SUBSCRIPTS, COUNTERS = 3, 8
"""How many subscripts and counters a record has room for."""

_WIDTH = 2 + SUBSCRIPTS + COUNTERS
_ROOM = 200_000 * _WIDTH
_UNUSED = -9

_LOOPS = (affine.ForOp, affine.ParallelOp, scf.ForOp, scf.ParallelOp)
_ACCESSES = (affine.LoadOp, affine.StoreOp, memref.LoadOp, memref.StoreOp)

_HELPERS = f"""
memref.global "private" @trace_log : memref<{_ROOM}xindex> = uninitialized
memref.global "private" @trace_length : memref<1xindex> = dense<0>
func.func private @trace_add(%value: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %log = memref.get_global @trace_log : memref<{_ROOM}xindex>
  %length = memref.get_global @trace_length : memref<1xindex>
  %place = memref.load %length[%c0] : memref<1xindex>
  memref.store %value, %log[%place] : memref<{_ROOM}xindex>
  %next = arith.addi %place, %c1 : index
  memref.store %next, %length[%c0] : memref<1xindex>
  func.return
}}
func.func @trace_take(%records: memref<{_ROOM}xindex>) -> index {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %log = memref.get_global @trace_log : memref<{_ROOM}xindex>
  %length = memref.get_global @trace_length : memref<1xindex>
  %end = memref.load %length[%c0] : memref<1xindex>
  scf.for %i = %c0 to %end step %c1 {{
    %value = memref.load %log[%i] : memref<{_ROOM}xindex>
    memref.store %value, %records[%i] : memref<{_ROOM}xindex>
  }}
  memref.store %c0, %length[%c0] : memref<1xindex>
  func.return %end : index
}}
"""


@dataclass(frozen=True)
class Counter:
    """A loop counter of a program: its loop, its name, and whether iterations may run at once."""

    loop: int
    name: str
    is_parallel: bool


@dataclass(frozen=True)
class Access:
    """An access: the memref's name in the program and its address, the element, the iteration.

    `made_at` is how many of the `counters` are around the allocation of the memref.
    """

    memory: str
    address: int
    element: tuple[int, ...]
    is_store: bool
    counters: tuple[Counter, ...]
    iteration: tuple[int, ...]
    made_at: int

    def value(self, name: str) -> int | None:
        """The value of the counter of this name; `None` outside of its loop."""
        names = [counter.name for counter in self.counters]
        return self.iteration[names.index(name)] if name in names else None

    def outside(self, name: str) -> tuple[int, ...]:
        """The iteration of the loops around the one of this counter."""
        names = [counter.name for counter in self.counters]
        return self.iteration[: names.index(name)]


class TracedProgram:
    """A module in MLIR's syntax that writes down its accesses."""

    def __init__(self, text: str) -> None:
        module = api.parse(text)
        self._accesses: list[Access] = []
        self._loops: dict[Operation, int] = {}
        wanted = [op for op in module.walk() if isinstance(op, _ACCESSES)]
        for op in wanted:
            self._note(op)
        start, _, end = mlir_text(module).rpartition("}")
        self._oracle = Oracle(f"{start}{_HELPERS}}}{end}")

    def __call__(self, function: str, *arguments: Argument) -> list[Access]:
        """Call a function; its accesses, in their order."""
        self._oracle(function, *arguments)
        records = np.zeros(_ROOM, np.int64)
        length = self._oracle("trace_take", records)
        assert isinstance(length, int)
        rows = records[:length].reshape(-1, _WIDTH)
        return [self._read(row) for row in rows.tolist()]

    def _read(self, row: list[int]) -> Access:
        number, address = row[:2]
        known = self._accesses[number]
        subscripts, counters = row[2 : 2 + SUBSCRIPTS], row[2 + SUBSCRIPTS :]
        return Access(
            known.memory,
            address,
            tuple(subscripts[: len(known.element)]),
            known.is_store,
            known.counters,
            tuple(counters[: len(known.counters)]),
            known.made_at,
        )

    def _note(self, op: affine.LoadOp | affine.StoreOp | memref.LoadOp | memref.StoreOp) -> None:
        builder = Builder(InsertPoint.before(op))
        counters, values = self._counters_around(op)
        subscripts = _subscripts(op, builder)
        assert len(subscripts) <= SUBSCRIPTS
        assert len(values) <= COUNTERS
        number = len(self._accesses)
        address = builder.insert(memref.ExtractAlignedPointerAsIndexOp.get(op.memref)).results[0]
        record = [
            _number(number, builder),
            address,
            *_padded(subscripts, SUBSCRIPTS, builder),
            *_padded(values, COUNTERS, builder),
        ]
        for value in record:
            builder.insert(func.CallOp("trace_add", [value], []))
        owner = op.memref.owner
        made_at = 0 if isinstance(owner, Block) else len(self._counters_around(owner)[0])
        is_store = isinstance(op, affine.StoreOp | memref.StoreOp)
        name = op.memref.name_hint or "memory"
        element = (0,) * len(subscripts)
        self._accesses.append(Access(name, 0, element, is_store, counters, (), made_at))

    def _counters_around(self, op: Operation) -> tuple[tuple[Counter, ...], list[SSAValue]]:
        counters: list[Counter] = []
        values: list[SSAValue] = []
        parent = op.parent_op()
        while parent is not None:
            if isinstance(parent, _LOOPS):
                is_parallel = isinstance(parent, affine.ParallelOp | scf.ParallelOp)
                number = self._loops.setdefault(parent, len(self._loops))
                mine = parent.body.block.args if is_parallel else parent.body.block.args[:1]
                names = [value.name_hint or "" for value in mine]
                counters = [*(Counter(number, name, is_parallel) for name in names), *counters]
                values = [*mine, *values]
            parent = parent.parent_op()
        return tuple(counters), values


def conflicts(trace: Sequence[Access]) -> Iterator[tuple[Access, Access]]:
    """All pairs of accesses to one element of which at least one writes, in their order."""
    elements: dict[Hashable, list[Access]] = defaultdict(list)
    for access in trace:
        elements[access.address, access.element].append(access)
    for accesses in elements.values():
        for first, second in combinations(accesses, 2):
            if first.is_store or second.is_store:
                yield first, second


def dependences(trace: Sequence[Access], counter: str) -> set[tuple[int, int]]:
    """The pairs of iterations of a loop, each with an access that the other's conflicts with.

    They are flow, anti and output dependences by definition: two accesses to one element, one of
    them a write, in the order of the trace. Iterations of the loops around are left apart.
    """
    found = set()
    inside = [access for access in trace if access.value(counter) is not None]
    for first, second in conflicts(inside):
        source, target = first.value(counter), second.value(counter)
        assert source is not None
        assert target is not None
        if source != target and first.outside(counter) == second.outside(counter):
            found.add((source, target))
    return found


def races(trace: Sequence[Access]) -> list[tuple[Access, Access]]:
    """The conflicts between different iterations of a parallel loop.

    Memory that the iterations allocate is theirs alone.
    """
    return [pair for pair in conflicts(trace) if _is_race(*pair)]


def _is_race(first: Access, second: Access) -> bool:
    """Whether two conflicting accesses may happen at the same time."""
    places = zip(first.counters, second.counters, first.iteration, second.iteration, strict=False)
    for place, (mine, other, value, other_value) in enumerate(places):
        if mine != other:
            return False
        if value != other_value:
            # Counters of one parallel loop run together: any of them may tell iterations apart.
            start = min(k for k, each in enumerate(first.counters) if each.loop == mine.loop)
            return mine.is_parallel and max(first.made_at, second.made_at) <= start <= place
    return False


def violations(
    pairs: set[tuple[int, int]], is_before: Callable[[int, int], bool]
) -> list[tuple[int, int]]:
    """The dependences that a schedule does not respect."""
    return sorted(pair for pair in pairs if not is_before(*pair))


def _subscripts(op: Operation, builder: Builder) -> list[SSAValue]:
    assert isinstance(op, _ACCESSES)
    if isinstance(op, memref.LoadOp | memref.StoreOp):
        return list(op.indices)
    map = op.map.data
    return [
        builder.insert(
            affine.ApplyOp(
                op.indices, AffineMapAttr(AffineMap(map.num_dims, map.num_symbols, (result,)))
            )
        ).result
        for result in map.results
    ]


def _padded(values: Sequence[SSAValue], size: int, builder: Builder) -> list[SSAValue]:
    return [*values, *(_number(_UNUSED, builder) for _ in range(size - len(values)))]


def _number(value: int, builder: Builder) -> SSAValue:
    return builder.insert(arith.ConstantOp(IntegerAttr(value, IndexType()))).result
