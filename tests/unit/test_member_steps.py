"""The steps of the members of a band, which may depend on each other."""

from __future__ import annotations

import islpy as isl
import pytest

from polyir.model.tree_loops import member_steps
from polyir.tree import Schedule


@pytest.mark.parametrize(
    ("domain", "members", "steps"),
    [
        ("{ S[i, j] : i mod 3 = 2 and 0 <= i, j < n and j mod 2 = 0 }", "S[i, j] -> [i]", (3,)),
        # The sum is even where the first member is, which is so for every second value.
        (
            "{ S[i, j] : i mod 3 = 2 and 0 <= i, j < n and j mod 2 = 0 }",
            "S[i, j] -> [i, i + j]",
            (3, 1),
        ),
        ("{ S[i, j] : (i + j) mod 2 = 0 and 0 <= i, j < n }", "S[i, j] -> [i, j]", (1, 1)),
        ("{ S[i, j] : i mod 4 = 1 and j mod 6 = 0 }", "S[i, j] -> [j, i + j]", (6, 2)),
    ],
)
def test_member_steps(domain: str, members: str, steps: tuple[int, ...]) -> None:
    instances = isl.UnionSet(f"[n] -> {domain}")
    times = isl.UnionMap(f"[n] -> {{ {members} }}").intersect_domain(instances)
    band = Schedule.from_map(times, instances).root.child(0)
    assert member_steps(band) == steps
