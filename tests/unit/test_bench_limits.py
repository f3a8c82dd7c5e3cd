"""The limits of kernels: what is counted, and the roofline that is made of it."""

from __future__ import annotations

import json
import shutil
from math import prod
from pathlib import Path

import islpy as isl
import pytest
from harness.calls import ScalarType
from harness.counts import CountError, Work, count_points, work_of
from harness.limits import KernelLimit, is_busy, kernel_table, main, read_best
from harness.machine import MachineLimits
from kernels import KERNELS

PEAK = {ScalarType.DOUBLE: 100.0, ScalarType.FLOAT: 200.0}


def test_points() -> None:
    triangle = isl.Set("[n, m] -> { S[i, j, k] : 0 <= i < n and i < j < n and 0 <= k < m }")
    assert count_points(triangle, {"n": 2000, "m": 10**6}) == 2000 * 1999 // 2 * 10**6
    assert count_points(isl.Set("[n] -> { S[] }"), {"n": 5}) == 1
    sizes = {name: 10 + position for position, name in enumerate("nmkpqrs")}
    bounds = " and ".join(f"0 <= i{name} < {name}" for name in sizes)
    indices = ", ".join(f"i{name}" for name in sizes)
    box = isl.Set(f"[{', '.join(sizes)}] -> {{ S[{indices}] : {bounds} }}")
    assert count_points(box, sizes) == prod(sizes.values())
    window = isl.Set("[n, m, k] -> { A[c, y] : 0 <= c < k and 0 <= y < n + m - 1 and n > 0 }")
    assert count_points(window, {"n": 64, "m": 3, "k": 32}) == 32 * 66
    assert count_points(isl.Set("[n] -> { S[i] : false }"), {"n": 5}) == 0


def test_points_of_a_stride() -> None:
    """One polynomial for even sizes and one for odd ones."""
    even = isl.Set("[n, m] -> { S[i, j] : 0 <= i < n and i mod 2 = 0 and 0 <= j < m }")
    assert count_points(even, {"n": 100, "m": 3}) == 50 * 3
    assert count_points(even, {"n": 101, "m": 3}) == 51 * 3


def test_points_that_are_no_polynomial() -> None:
    third = isl.Set("[n] -> { S[i] : 0 <= i < n and i mod 3 = 0 }")
    with pytest.raises(CountError, match="is not a polynomial in n"):
        count_points(third, {"n": 100})
    # Two polynomials: which of them holds depends on the order of the sizes.
    smaller = isl.Set("[n, m] -> { S[i] : 0 <= i < n and i < m }")
    with pytest.raises(CountError, match="is not a polynomial in n, m"):
        count_points(smaller, {"n": 100, "m": 50})
    with pytest.raises(CountError, match="without number"):
        count_points(isl.Set("[n] -> { S[i] : i > n }"), {"n": 100})


def test_work() -> None:
    """Against formulas: of a product, a triangular solution and a temporary that is written."""
    ni, nj, nk = 60, 70, 80
    gemm = work_of(KERNELS["gemm"], {"ni": ni, "nj": nj, "nk": nk})
    assert gemm.operations == ni * nj + 3 * ni * nj * nk
    assert gemm.read_bytes == 8 * (ni * nj + ni * nk + nk * nj)
    assert gemm.written_bytes == 8 * ni * nj
    n = 300
    trisolv = work_of(KERNELS["trisolv"], {"n": n})
    lower = n * (n + 1) // 2
    assert trisolv == Work(n * n, 8 * (lower + n), 8 * n, 8 * (lower + 2 * n))
    # atax reads A and x; it writes y and tmp before it reads them.
    atax = work_of(KERNELS["atax"], {"m": 10, "n": 20})
    assert atax.read_bytes == 8 * (10 * 20 + 20)
    assert atax.written_bytes == 8 * (10 + 20)


def test_roofline() -> None:
    limits = MachineLimits(1, PEAK, {1000: 80.0, 2000: 40.0, 4000: 10.0}, 90.0)
    assert [limits.bandwidth(size) for size in (10, 1999, 2000, 9999)] == [80, 80, 40, 10]
    assert limits.seconds(1000, ScalarType.DOUBLE, 100, 1000) == 10
    assert limits.seconds(1000, ScalarType.FLOAT, 100, 4000) == 10
    assert limits.seconds(1000, ScalarType.FLOAT, 100, 1000) == 5
    slow = MachineLimits(2, {ScalarType.DOUBLE: 99.0}, {}, 0.0)
    assert is_busy([slow, limits])
    assert not is_busy([limits])


def test_distance(tmp_path: Path) -> None:
    """The best valid time counts, by its number of threads."""
    results = [
        {"kernel": "gemm", "threads": 1, "variant": "gcc", "minimum": 40.0},
        {"kernel": "gemm", "threads": 1, "variant": "pluto", "minimum": 25.0},
        {"kernel": "gemm", "threads": 1, "variant": "bad", "minimum": None},
    ]
    path = tmp_path / "mini.json"
    path.write_text(json.dumps({"results": results}))
    best = read_best(path)
    assert best == {("gemm", 1): (25.0, "pluto")}
    limits = [MachineLimits(n, PEAK, {1: 1e9}, 1.0) for n in (1, 2)]
    item = KernelLimit(KERNELS["gemm"], Work(1000, 4, 4, 8), ScalarType.DOUBLE)
    row = kernel_table([item], limits, best).splitlines()[1].split()
    unknown = ["1e+04", "compute", "-", "-", "-"]
    first = ["1e+04", "compute", "2.5e+04", "2.5", "pluto"]
    assert row == ["gemm", "0.001", "8e-06", "125.00", *first, *unknown]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--size=mini", "--kernels=mvt,deriche", "--threads=1", "--seconds=0.001"]
    assert main([*arguments, f"--output={tmp_path}"]) == 0
    printed = capsys.readouterr().out
    assert "NumPy's matrix product, N = 1536" in printed
    assert "no times: run `make bench` first" in printed
    content = json.loads((tmp_path / "limits-mini.json").read_text())
    assert [item["type"] for item in content["kernels"]] == ["double", "float"]
    (machine,) = content["limits"]
    assert machine["peak"]["double"] > 1e8
    assert all(rate > 1e7 for rate in machine["copies"].values())
