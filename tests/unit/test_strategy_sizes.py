"""The sizes of tiles that strategies begin with, and those that are found from there."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod

import pytest
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import Remark, remarks_to
from polyir.choose.machine import Cache, Machine, machine_text
from polyir.choose.strategies import (
    Situation,
    Strategy,
    blocks_in_waves,
    packed_blocks,
    register_blocks,
    time_tiles,
    whole_blocks,
)
from polyir.choose.strategy_sizes import neighbours, sizes_of

MACHINE = Machine()


def with_cache(level: int, bytes: int) -> Machine:
    caches = list(MACHINE.caches)
    caches[level] = replace(caches[level], bytes=bytes)
    return replace(MACHINE, caches=tuple(caches))


def situation(machine: Machine = MACHINE, element_bytes: int = 8, depth: int = 3) -> Situation:
    return Situation(machine, element_bytes, depth, threads=2)


def sizes(strategy: Strategy) -> list[tuple[int, ...]]:
    return [each for step in strategy.steps for each in sizes_of(step).values()]


def test_tiles_of_sums_fit_into_the_second_cache() -> None:
    for bytes in (256 << 10, 1 << 20, 4 << 20):
        ((rows, columns, terms),) = sizes(register_blocks(situation(with_cache(1, bytes))))
        elements = rows * columns + terms * (rows + columns)
        assert bytes / 4 < 8 * elements < bytes


def test_more_memory_is_for_larger_tiles() -> None:
    larger = situation(with_cache(1, 4 << 20))
    for make in (register_blocks, blocks_in_waves):
        assert sum(sizes(make(larger))[0]) > sum(sizes(make(situation()))[0])
    (_, shared) = sizes(packed_blocks(situation()))
    (_, wide) = sizes(packed_blocks(situation(with_cache(2, 64 << 20))))
    (_, deep) = sizes(packed_blocks(situation(with_cache(0, 64 << 10))))
    assert wide[1] > shared[1]
    assert deep[2] == 2 * shared[2]
    assert prod(shared[1:]) * 8 <= MACHINE.caches[2].bytes / 2


def test_narrow_elements_make_long_tiles() -> None:
    for make in (register_blocks, time_tiles):
        assert sum(sizes(make(situation(element_bytes=4)))[0]) > sum(sizes(make(situation()))[0])


def test_slow_memory_is_for_more_time_steps() -> None:
    slow = replace(MACHINE, memory_bandwidth=MACHINE.memory_bandwidth / 2)
    ((steps, *_),) = sizes(time_tiles(situation(slow, depth=2)))
    assert steps == 2 * sizes(time_tiles(situation(depth=2)))[0][0]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((40, 100, 7), (40, 120, 7)),
        ((32, 2048, 384), (32, 2016, 384)),
        ((3, 5, 0), (8, 24, 1)),
        ((), ()),
    ],
)
def test_whole_blocks(given: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert whole_blocks(given, 8, 24) == expected


def test_each_size_of_packed_blocks_is_doubled_and_halved() -> None:
    first = sizes(packed_blocks(situation()))
    found = [sizes(each) for each in neighbours(packed_blocks(situation()))]
    for number, (rows, columns, terms) in enumerate(first):
        others = [each[number] for each in found if each[number] != first[number]]
        assert len(others) >= 5
        assert {2 * rows, rows // 2} <= {each[0] for each in others}
        assert {2 * terms, terms // 2} <= {each[2] for each in others}
        assert columns < max(each[1] for each in others)


def test_the_sizes_of_tile_stay() -> None:
    for make in (blocks_in_waves, register_blocks, time_tiles):
        assert not list(neighbours(make(situation())))


def chosen_tiles(kernel: str, machine: Machine) -> str:
    """The tiles of what `optimize` chooses."""
    said: list[Remark] = []
    with remarks_to(said.append):
        module = api.parse(KERNELS[kernel].path.read_text())
        text = f'optimize{{machine="{machine_text(machine)}"}}'
        api.run_pipeline(module, text)
    (found,) = {m[1] for each in said if (m := re.search(r"tiles of (.*) along", each.message))}
    return found


def test_many_threads_get_smaller_tiles() -> None:
    cache = Cache(256 << 20, shared_by=64, bandwidth=10.0)
    few = replace(MACHINE, cores=2, caches=(*MACHINE.caches[:2], cache))
    rows = [
        int(chosen_tiles("syrk", each).split(" x ")[-1]) for each in (few, replace(few, cores=64))
    ]
    assert rows[1] < rows[0]
