"""The benchmark harness: wrong results are never timed, and nothing that fails ends a run."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from harness.__main__ import main
from harness.bridge import BridgeError, bridge_text
from harness.compare import close_difference, exact_difference, unchanged
from harness.measure import Settings, measure_kernel
from harness.memory import GuardedArguments
from harness.originals import Baseline, original_of, with_scop_pragmas
from harness.report import Ratios, geometric_mean, table
from harness.results import Result, Status
from harness.variants import (
    BASE,
    Variant,
    VariantError,
    all_variants,
    choose,
    peer_variant,
    pipeline_variant,
)
from kernels import KERNELS

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

QUICK = Settings(
    data_set="mini",
    threads=(1,),
    rounds=2,
    turn_seconds=0.0,
    baseline=Baseline.EMITTED,
    run_limit=20.0,
)

REPLACE = "import pathlib, sys; text = pathlib.Path(sys.argv[1]).read_text(); assert {old!r} in text; print(text.replace({old!r}, {new!r}))"  # noqa: E501


def peer(name: str, old: str, new: str) -> Variant:
    """A tool that replaces one text of its input by another."""
    program = REPLACE.format(old=old, new=new)
    command = f'{sys.executable} -c "{program}" {{in}}'
    return peer_variant(name, command)


def measured(variants: Sequence[Variant], folder: Path, settings: Settings = QUICK):
    """The results of gemm's variants by name."""
    found = measure_kernel(KERNELS["gemm"], [BASE, *variants], settings, folder)
    return {result.variant: result for result in found}


@needs_gcc
def test_what_tools_do_wrong_is_told_apart(tmp_path: Path) -> None:
    """One run with every kind of failure: each has its status, the right ones have times."""
    loop = "k < nk"
    results = measured(
        [
            peer("same", loop, loop),
            peer("wrong", loop, "k < nk - 1"),
            peer("empty", "#pragma scop", "return;"),
            peer("crash", "#pragma scop", "*(volatile int *)0 = 1;"),
            peer("beside", "#pragma scop", "(&C[0][0])[ni * nj] = 0;"),
            peer("refused", "#pragma scop", "no C"),
            peer_variant("fails", f"{sys.executable} -c 'raise SystemExit(3)' {{in}}"),
            peer_variant("silent", f"{sys.executable} -c pass {{in}} {{out}}"),
            pipeline_variant("unknown", "no-such-pass"),
            pipeline_variant("tiled", "pluto-schedule,tile{sizes=8},mark-parallel"),
        ],
        tmp_path,
    )
    right = ("gcc", "same", "tiled")
    assert {name for name, r in results.items() if r.status is Status.RIGHT} == set(right)
    for name, result in results.items():
        assert len(result.times) == (QUICK.rounds if name in right else 0), name
        assert (result.reason == "") is (name in right), name
    assert results["wrong"].status is Status.WRONG
    assert "argument 0 differs" in results["wrong"].reason
    assert results["empty"].status is Status.WRONG
    assert results["beside"].status is Status.WRONG
    assert "writes beside the array 'C'" in results["beside"].reason
    assert results["crash"].status is Status.FAILED
    assert "SIGSEGV" in results["crash"].reason
    assert results["refused"].status is Status.FAILED
    assert "error" in results["refused"].reason
    assert results["fails"].status is Status.FAILED
    assert "exit code 3" in results["fails"].reason
    assert "wrote nothing" in results["silent"].reason
    assert "no-such-pass" in results["unknown"].reason
    # The folder of the run is gone.
    assert not list(tmp_path.iterdir())


@needs_gcc
def test_time_limits(tmp_path: Path) -> None:
    limits = replace(QUICK, rounds=1, run_limit=3.0, tool_limit=3.0)
    sleep = f"{sys.executable} -c 'import time; time.sleep(60)' {{in}}"
    endless = peer("endless", "#pragma scop", "extern int pause(void); for (;;) pause();")
    results = measured([peer_variant("slow", sleep), endless], tmp_path, limits)
    assert results["slow"].status is results["endless"].status is Status.TIMEOUT
    assert "more than 3 s" in results["slow"].reason
    assert results["gcc"].status is Status.RIGHT


@needs_gcc
def test_a_result_that_changes_later_is_wrong(tmp_path: Path) -> None:
    """A race may be lost after the check: the times so far do not count either."""
    # Its process runs it for the check and once a round: only the second round's is wrong.
    late = "static int run = 0; if (run++ > 1) C[0][0] = 1;\n#pragma scop"
    results = measured([peer("late", "#pragma scop", late.replace("\n", "\\n"))], tmp_path)
    assert results["late"].status is Status.WRONG
    assert "later run" in results["late"].reason
    assert results["late"].times == ()


@needs_gcc
def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole tool: a table on standard output, everything else as JSON."""
    arguments = ["--size=mini", "--kernels=trisolv", "--rounds=1", "--threads=1", "--exact"]
    wrong = f"bad={sys.executable} -c 'print(1)' {{in}}"
    chosen = ["--variants=pluto", f"--output={tmp_path}", "--peer", wrong]
    assert main([*arguments, *chosen]) == 0
    printed = capsys.readouterr().out
    assert "trisolv, bad@1: FAILED: " in printed
    content = json.loads((tmp_path / "mini.json").read_text())
    statuses = {item["variant"]: item["status"] for item in content["results"]}
    assert statuses == {"gcc": "ok", "pluto": "ok", "bad": "FAILED"}
    assert content["settings"]["data_set"] == "mini"
    other = ["--size=mini", "--kernels=atax", "--rounds=1", "--threads=1", "--keep"]
    assert main([*other, "--variants=pluto", f"--output={tmp_path}"]) == 0
    kept = json.loads((tmp_path / "mini.json").read_text())["results"]
    assert [item["kernel"] for item in kept] == ["atax", "atax", "trisolv", "trisolv", "trisolv"]
    assert [item["times"] for item in kept[2:]] == [item["times"] for item in content["results"]]
    assert main([*arguments, "--peer", "bad=no input"]) == 1
    assert "has no {in}" in capsys.readouterr().err


def test_close_results() -> None:
    """Within the tolerance, unless the original itself is not stable there."""
    expected = np.array([1.0, 2.0, 3.0, np.nan])
    assert close_difference([expected], [expected], [expected * (1 + 1e-12)]) is None
    wrong = expected + np.array([0.0, 1e-6, 0.0, 0.0])
    message = close_difference([expected], [expected], [wrong])
    assert message is not None
    assert "1 elements" in message
    assert "[1]" in message
    unstable = expected + np.array([0.0, 1e-7, 0.0, 0.0])
    assert close_difference([expected], [unstable], [wrong]) is None
    assert "too few" in (close_difference([expected], [expected + 1.0], [expected]) or "")
    not_a_number = np.array([1.0, np.nan, 3.0, np.nan])
    assert close_difference([expected], [expected], [not_a_number]) is not None
    whole = np.array([1, 2], dtype=np.int32)
    assert close_difference([whole], [whole], [whole + np.int32(1)]) is not None


def test_exact_results() -> None:
    zero = np.array([0.0])
    assert exact_difference([zero], [zero]) is None
    assert exact_difference([zero], [-zero]) is not None
    assert unchanged([zero, zero], [zero + 1, zero]) == (1,)


def test_guards() -> None:
    """A write just beside an array is seen, and arrays begin at a page."""
    arguments = GuardedArguments([3, np.arange(6.0).reshape(2, 3)])
    array = arguments.values[1]
    assert isinstance(array, np.ndarray)
    array[...] = 0
    arguments.restore()
    assert array.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert array.ctypes.data % 4096 == 0
    assert arguments.overrun() is None
    beside = np.lib.stride_tricks.as_strided(array, (3, 3))
    beside[2, 0] = 1.0
    assert arguments.overrun() == 1


def test_emitted_originals_are_plain_c(tmp_path: Path) -> None:
    """Every kernel has the header that a person would write, with its loops in a scop."""
    text = original_of(KERNELS["mvt"], Baseline.EMITTED, "mini", tmp_path).c.read_text()
    header, rest = text.split("#pragma scop\n")
    parameters = "double x1[restrict n], double x2[restrict n], double y[restrict n]"
    assert f"void kernel_mvt(int64_t n, {parameters}," in header
    assert rest.startswith("  for (")
    assert rest.endswith("  }\n#pragma endscop\n}\n")
    between = with_scop_pragmas("f() {\n  a();\n  for (;;) {\n  }\n  b();\n}")
    assert between.index("a()") < between.index("#pragma scop")
    assert between.index("#pragma endscop") < between.index("b()")


def test_variants() -> None:
    variants = all_variants(["p=tool {in} -o {out}"], ["mine=tile"])
    assert [v.name for v in choose(variants, ["mine", "p"])] == ["gcc", "mine", "p"]
    with pytest.raises(VariantError, match="no variant 'q'"):
        choose(variants, ["q"])
    with pytest.raises(VariantError, match="two variants are named 'pluto'"):
        all_variants(["pluto=tool {in}"], [])
    with pytest.raises(VariantError, match="expected NAME="):
        all_variants(["tool {in}"], [])


def test_means() -> None:
    """Without the invalid, and with 1.0 for them; the table says why they are."""
    results = [
        Result("a", "gcc", 1, Status.RIGHT, times=(4.0, 5.0)),
        Result("a", "x", 1, Status.RIGHT, times=(1.0, 2.0)),
        Result("b", "gcc", 1, Status.RIGHT, times=(4.0,)),
        Result("b", "x", 1, Status.WRONG, "because"),
    ]
    ratios = Ratios(results)
    assert ratios.ratio("a", "x@1") == 4.0
    assert ratios.ratio("b", "x@1") is None
    assert geometric_mean(ratios.valid("x@1")) == 4.0
    lines = table(results, [BASE, Variant("x", BASE.compiler)]).splitlines()
    cells = {line[:15].strip(): line[15:].split() for line in lines}
    assert cells["kernel"] == ["gcc", "ms", "gcc@1", "x@1", "best", "peer", "best", "polyir"]
    assert cells["b"] == ["4000.00", "1.00", "WRONG", "1.00", "-"]
    assert cells["geomean, valid"][1] == "4.00"
    assert cells["geomean, else 1"][1] == "2.00"
    assert lines[-1] == "b, x@1: WRONG: because"


PROGRAM = """
#include <math.h>
#define N 40
static double x[N];
static double b[N];

static void kernel_trisolv(double L[N][N])
{
#pragma scop
  for (int i = 0; i < N; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
#pragma endscop
}

int main(void) { return 0; }
"""


def test_bridge() -> None:
    """Arrays that the program has itself are copied, the others are passed."""
    text = bridge_text(KERNELS["trisolv"], PROGRAM, "program.c")
    assert '#include "program.c"' in text
    assert "kernel_trisolv(given_L);" in text
    assert "memcpy(x, given_x, sizeof x); memcpy(b, given_b, sizeof b);" in text
    assert "memcpy(given_x, x, sizeof x); memcpy(given_b, b, sizeof b);" in text
    with pytest.raises(BridgeError, match="no function kernel_gemm"):
        bridge_text(KERNELS["gemm"], PROGRAM, "program.c")
    with pytest.raises(BridgeError, match="takes 'M'"):
        bridge_text(KERNELS["trisolv"], PROGRAM.replace("L[N][N]", "M[N][N]"), "program.c")


@needs_gcc
def test_programs_by_hand(tmp_path: Path) -> None:
    """The original and a peer with static arrays, and polyir's code for the same kernel."""
    (tmp_path / "trisolv.c").write_text(PROGRAM)
    kernel = replace(KERNELS["trisolv"], suite=str(tmp_path))
    shutil.copy(KERNELS["trisolv"].path, tmp_path)
    settings = replace(QUICK, baseline=Baseline.NATURAL)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    wrong = peer("wrong", "x[i] = b[i];", "x[i] = b[i] + i;")
    ours = pipeline_variant("ours", "pluto-schedule,tile")
    variants = [BASE, wrong, ours]
    found = measure_kernel(kernel, variants, settings, scratch)
    statuses = [result.status for result in found]
    assert statuses == [Status.RIGHT, Status.WRONG, Status.RIGHT], found
