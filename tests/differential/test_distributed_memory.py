"""What ranks allocate: the elements that they access, and the messages of one step.

The first rank has whole arrays, and allocates messages only. Measured by counting what `malloc`
gives, against the sets of elements, and figures by hand.
"""

from __future__ import annotations

from math import prod
from pathlib import Path

import islpy as isl
import numpy as np
import pytest
from kernels import KERNELS
from rank_programs import build, missing_mpi

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.distributed import exchange
from polyir.distributed.elements import OWN, PEER, Division, Elements, divisions_of
from polyir.distributed.exchange import MOST_PIECES
from polyir.distributed.phases import divided, instances_of_steps
from polyir.model.scop import scop_of
from polyir.runtime import compare_bits
from polyir.runtime.functions import public_signatures

pytestmark = pytest.mark.skipif(bool(missing_mpi()), reason=missing_mpi())

RANKS = 8
PIECE = 40
"""How many elements are scattered or gathered at a time, if they are not so many more."""
OVERHEAD = 3000
"""Bytes for the table of blocks, for counts and requests, and for what `malloc` rounds up."""


class Sets:
    """The sets of a kernel for some sizes, with numbers for the blocks of ranks."""

    def __init__(self, name: str, pipeline: str, data_set: str) -> None:
        kernel = KERNELS[name]
        with remarks_to(lambda remark: None):
            module = api.run_pipeline(api.parse(kernel.path.read_text()), pipeline)
        (op,) = scops_in(module)
        scop = scop_of(op)
        self.phases = divided(scop, 1).phases
        self.elements = Elements(scop, self.phases, divisions_of(self.phases, op.parameter_values))
        # The sizes are the first arguments, by any name that the scop gives them.
        values = (int(value) for value in kernel.make_arguments(data_set) if np.isscalar(value))
        self.sizes = dict(zip(op.parameter_values, values, strict=False))

    def _block(self, division: Division, rank: int, who: str) -> dict[str, int]:
        (each,) = division.ranges
        first, last = (self._number(each.tile(bound)) for bound in (each.least, each.greatest))
        count = max(last + 1 - first, 0)
        begin, end = (first - (-(at * count) // RANKS) for at in (rank, rank + 1))
        return {division.begin(0, who): begin, division.end(0, who): end}

    def _number(self, function: isl.PwAff) -> int:
        at = _fixed(function.domain(), self.sizes)
        return int(function.intersect_domain(at).max_val().to_python())

    def of_ranks(self, set: isl.Set, own: int, peer: int | None = None) -> isl.Set:
        """A set for the blocks of one rank, or of two."""
        numbers = dict(self.sizes)
        for division in self.elements.divisions.values():
            numbers |= self._block(division, own, OWN)
            if peer is not None:
                numbers |= self._block(division, peer, PEER)
        return _fixed(set, numbers)

    def part(self, rank: int) -> int:
        """How many elements the memory of a rank has."""
        total = 0
        if rank == 0:
            return total
        for elements in self.elements.held(OWN).values():
            own = self.of_ranks(elements, rank)
            if not own.is_empty():
                total += prod(_extent(own, d) for d in range(own.dim(isl.dim_type.set)))
        return total

    def messages(self, rank: int) -> int:
        """The most elements that a rank sends and receives in a step."""
        most = 0
        for phase in self.phases:
            sent = self.elements.sent(phase, OWN, PEER)
            steps = _points(_fixed(instances_of_steps(phase), self.sizes))
            for step in steps:
                names = {f"step{position}": value for position, value in enumerate(step)}
                count = 0
                for elements in sent.values():
                    here = _fixed(elements, names)
                    for peer in set(range(RANKS)) - {rank}:
                        for pair in ((rank, peer), (peer, rank)):
                            count += int(self.of_ranks(here, *pair).count_val().to_python())
                most = max(most, count)
        return most


def _fixed(set: isl.Set, numbers: dict[str, int]) -> isl.Set:
    for name, value in numbers.items():
        position = set.find_dim_by_name(isl.dim_type.param, name)
        if position >= 0:
            set = set.fix_val(isl.dim_type.param, position, isl.Val(value))
    return set


def _extent(set: isl.Set, dimension: int) -> int:
    last, first = set.dim_max_val(dimension), set.dim_min_val(dimension)
    return int(last.to_python()) - int(first.to_python()) + 1


def _points(set: isl.Set) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    rank = set.dim(isl.dim_type.set)

    def take(point: isl.Point) -> None:
        found.append(
            tuple(
                int(point.get_coordinate_val(isl.dim_type.set, d).to_python()) for d in range(rank)
            )
        )

    set.foreach_point(take)
    return found


def measured(name: str, pipeline: str, data_set: str, folder: Path) -> tuple[list[int], list[int]]:
    """The most bytes that each rank had allocated, also without scatter and gather."""
    kernel = KERNELS[name]
    text = kernel.path.read_text()
    with remarks_to(lambda remark: None):
        module = api.parse(text)
        source = api.emit(api.run_pipeline(api.parse(text), f"{pipeline},distribute-memory"), "c")
    program = build(source, public_signatures(module)[0], folder / name)
    arguments = kernel.make_arguments(data_set)
    (call,) = program.run([arguments], RANKS, 100)
    api.compile_loops(module)[f"kernel_{name.replace('-', '_')}"](*arguments)
    assert compare_bits(arguments, call.arguments) is None
    return call.peaks, call.peaks_in_steps


WHOLE = pytest.mark.matrix


@pytest.mark.parametrize(
    ("name", "pipeline", "data_set"),
    [
        pytest.param("jacobi-2d", "feautrier-schedule", "mini", marks=WHOLE),
        pytest.param("gemm", "pluto-schedule", "mini", marks=WHOLE),
        pytest.param("lu", "pluto-schedule,tile{sizes=4},wavefront", "mini", marks=WHOLE),
        ("mvt", "pluto-schedule", "small"),
    ],
)
def test_part_and_messages_of_one_step(
    name: str, pipeline: str, data_set: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "SMALL_PIECE", PIECE)
    sets = Sets(name, pipeline, data_set)
    peaks, in_steps = measured(name, pipeline, data_set, tmp_path)
    for rank in range(RANKS):
        part, messages = 8 * sets.part(rank), 8 * sets.messages(rank)
        assert part <= in_steps[rank] <= part + messages + OVERHEAD, rank
        # A part comes and goes in pieces.
        piece = max(8 * PIECE, max(map(sets.part, range(RANKS))) // MOST_PIECES * 8)
        assert peaks[rank] <= part + max(messages, piece) + OVERHEAD, rank


def test_jacobi_2d_by_hand(tmp_path: Path) -> None:
    """Of each array, a rank has the rows that it updates and one on each side."""
    n = KERNELS["jacobi-2d"].sizes("small")["n"]
    assert (n - 2) % RANKS == 0
    part = 2 * ((n - 2) // RANKS + 2) * n * 8
    messages = 4 * (n - 2) * 8
    _, in_steps = measured("jacobi-2d", "feautrier-schedule", "small", tmp_path)
    assert in_steps[0] <= messages // 2 + OVERHEAD
    for rank, most in enumerate(in_steps[1:], 1):
        neighbours = 1 if rank == RANKS - 1 else 2
        assert part <= most <= part + messages * neighbours // 2 + OVERHEAD, rank


def test_gemm_by_hand(tmp_path: Path) -> None:
    """A rank has rows of C and of A, and all of B."""
    sizes = KERNELS["gemm"].sizes("small")
    rows = -(-sizes["ni"] // RANKS)
    part = 8 * (rows * (sizes["nj"] + sizes["nk"]) + sizes["nj"] * sizes["nk"])
    _, in_steps = measured("gemm", "pluto-schedule", "small", tmp_path)
    assert max(in_steps) <= part + OVERHEAD
    whole = 8 * sum(x * y for x, y in ((sizes["ni"], sizes["nj"]), (sizes["ni"], sizes["nk"])))
    assert max(in_steps) < whole + 8 * sizes["nj"] * sizes["nk"]


def test_jacobi_2d_in_time_tiles_by_hand(tmp_path: Path) -> None:
    """Which rank runs a tile changes from time tile to time tile: it stays near its rows.

    With tiles of h in t and in s = 2 t + i, a place p is `h floor(s / h) - 2 h floor(t / h)`. That
    is between i - h + 1 and i + 2 (h - 1); for B to A, s is 2 t + 1 + i. With what they read, ranks
    with the places p to q have the rows p - 2 h to q + h. A tile writes fewer than 3 h + 1 rows of
    each array; a rank has one tile in a step, of which elements go out, and gets as much.
    """
    h, n = 4, KERNELS["jacobi-2d"].sizes("small")["n"]
    places = (n - 2 + 1 + 2 * (h - 1)) // h + 1
    blocks = -(-places // RANKS)
    part = 2 * n * 8 * ((blocks - 1) * h + 3 * h + 1)
    tile = 2 * n * 8 * (3 * h + 1)
    pipeline = f"pluto-schedule,tile{{sizes={h}}},wavefront"
    _, in_steps = measured("jacobi-2d", pipeline, "small", tmp_path)
    assert max(in_steps) <= part + 2 * tile + OVERHEAD
    assert in_steps[0] <= 2 * tile + OVERHEAD
    assert part < 2 * n * n * 8 / 4
