"""Random programs with index arrays compute the same bits after random passes for them.

`make fuzz-irregular` is for others.
"""

from __future__ import annotations

import pytest
from fuzzing.irregular import PASSES, Summary, random_case, run_batch
from suites import examples

BATCH, BATCHES = 8, examples(1, 3)


def summary(first: int) -> Summary:
    return run_batch([random_case(number) for number in range(first, first + BATCH)])


@pytest.mark.parametrize("batch", range(BATCHES))
def test_same_bits(batch: int) -> None:
    found = summary(1000 + batch * BATCH)
    assert not found.failures, found.failures[0]
    assert sum(found.skipped.values()) < BATCH // 2
    assert sum(found.applied[name] for name in PASSES) >= BATCH // 3
