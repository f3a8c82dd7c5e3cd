"""Covering arrays: each pair of settings occurs, in far fewer rows than all combinations."""

from __future__ import annotations

from itertools import combinations, product

from kernel_matrix.cases import TABLES, case_of
from kernel_matrix.covering import covering_array, pairs_of


def test_each_pair_of_settings_occurs() -> None:
    factors = {"a": "123", "b": "12", "c": "1234", "d": "123", "e": "12"}
    rows = covering_array(factors)
    for one, other in combinations(factors, 2):
        seen = {(row[one], row[other]) for row in rows}
        assert seen == set(product(factors[one], factors[other]))
    assert len(rows) < 20
    assert all(set(row) == set(factors) for row in rows)


def test_the_rows_are_the_same_each_time() -> None:
    factors = {"kernel": ["gemm", "lu"], **TABLES["passes"]}
    assert covering_array(factors) == covering_array(factors)


def test_first_rows_have_the_most_new_pairs() -> None:
    rows = covering_array({"kernel": ["gemm"], **TABLES["optimize"]})
    half = {pair for row in rows[: len(rows) // 2] for pair in pairs_of(row)}
    assert len(half) > 0.6 * len({pair for row in rows for pair in pairs_of(row)})


def test_settings_become_passes() -> None:
    row = {name: settings[-1] for name, settings in TABLES["passes"].items()}
    case = case_of({"kernel": "gemm", **row, "tree": "packed-blocks"})
    assert case.pipeline == (
        "privatize{loops=all},pluto-schedule{fuse=none},"
        "register-tile{rows=1 vectors=3 width=8 masked=true tiles=2,48,5},mark-parallel,"
        "vectorize,pack{ahead=true},scalar-replacement{levels=all}"
    )
    off = {name: settings[0] for name, settings in TABLES["passes"].items()}
    assert case_of({"kernel": "gemm", **off}).pipeline == "mark-parallel"
