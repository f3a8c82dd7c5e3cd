"""The example that a legality error shows is a pair of the relation."""

from __future__ import annotations

import islpy as isl

from polyir.sets.examples import example_of


def test_parts_that_have_rational_points_only() -> None:
    # Found by a random program: with n = 3 the first part is empty, but not to the eye.
    relation = isl.Map(
        """[n] -> { S1[i, j] -> S0[k, l] : (1 + k) mod 2 = 0 and n <= 6 and k <= l < n and
             2l > 4i - k and 2l >= -1 + 4j - k and 5 - k <= 2l < 3k and 2l <= 1 + 4j - k and
             2l <= 3 + 4i - k;
           S1[i, j] -> S0[i, l] : 2l = 1 + i + 2j and (1 + i) mod 2 = 0 and n <= 6 and i > 0 and
             j >= i and 2j <= -3 + 2n - i }"""
    )
    example = example_of(relation)
    pair = isl.Map(f"[n] -> {{ {example.source} -> {example.target} : {example.parameters} }}")
    assert not pair.is_empty()
    assert pair.is_subset(relation)
