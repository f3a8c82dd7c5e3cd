"""What another package adds, by the entry point that it has: passes, attributes, choices."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tool_server import start

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "examples" / "plugin"
STENCIL = ROOT / "examples" / "fig4-stencil.mlir"
KERNELS = ROOT / "benchmarks" / "polybench"
XDSL_OPT = Path(sys.executable).with_name("xdsl-opt")
PREFETCH = "--prefetch=loop=S0.0 distance=3"
DISTANCE, BLOCK = "#prefetching.distance<3>", "#prefetching.block<3>"


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The package is installed, in a folder of its own."""
    folder = tmp_path_factory.mktemp("plugin")
    # From a copy: setuptools leaves files beside the sources.
    shutil.copytree(PLUGIN, folder / "sources")
    options = ("--quiet", "--no-build-isolation", "--no-deps", "--target", str(folder / "site"))
    pip = (sys.executable, "-m", "pip", "install", *options, str(folder / "sources"))
    subprocess.run(pip, check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder / "site"))
        # The server of the tools finds the package as they do.
        patch.setenv("PATH", start())
        yield


def polyir_opt(*arguments: str, text: str | None = None) -> tuple[str, str]:
    """What polyir-opt prints to standard output and error."""
    command = ["polyir-opt", *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def attributes_of_bands(text: str) -> list[str]:
    """What the bands of the tree say of their loops, `-` for nothing."""
    bands = [line for line in text.splitlines() if "poly.band" in line]
    return [
        line.partition(" loop_attributes ")[2].removesuffix(" {").replace(" loops", "") or "-"
        for line in bands
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ([], [f"[[{DISTANCE}, {BLOCK}]]", "-"]),
        (["--tile=32"], [f"[[{BLOCK}], []]", f"[[{DISTANCE}], []]"]),
        (["--tile=loops=S0.0,S0.1"], [f"[[{BLOCK}], []]", f"[[{DISTANCE}]]", "-"]),
        (["--strip-mine=loop=S0.0"], [f"[[{BLOCK}], [{DISTANCE}]]", "-"]),
        (["--interchange=S0.0,S0.1"], ["-", f"[[{DISTANCE}, {BLOCK}]]"]),
        (["--skew=loop=S0.0 by=S0.1"], [f"[[{DISTANCE}, {BLOCK}]]", "-"]),
        (["--unroll=loop=S0.0 factor=2"], [f"[[{DISTANCE}, {BLOCK}]]", "-", "-"]),
        (["--unroll-jam=loop=S0.0 factor=2"], [f"[[{DISTANCE}, {BLOCK}]]", "-", "-"]),
        (["--tile=32", "--wavefront"], ["-", "-", f"[[{DISTANCE}], []]"]),
        (["--tile=32", "--wavefront=loop=S0.2"], [f"[[{BLOCK}], []]", "-", "-"]),
    ],
    ids=" ".join,
)
def test_transformations_carry_the_attributes(change: list[str], expected: list[str]) -> None:
    text, said = polyir_opt(PREFETCH, *change, "--emit=poly", str(STENCIL))
    found = attributes_of_bands(text)
    assert [each.partition(" options")[0] for each in found] == expected
    lost = [each for each in (DISTANCE, BLOCK) if not any(each in band for band in found)]
    assert [f"dropped {each} from the loops around S0" in said for each in (DISTANCE, BLOCK)] == [
        each in lost for each in (DISTANCE, BLOCK)
    ]


def test_the_loop_has_the_attributes() -> None:
    poly, _ = polyir_opt(PREFETCH, "--tile=32", "--emit=poly", str(STENCIL))
    for text in (polyir_opt(text=poly)[0], polyir_opt(PREFETCH, "--tile=32", str(STENCIL))[0]):
        lines = [line.strip() for line in text.splitlines()]
        ends = [line for line in lines if line.startswith("}")]
        # Of the loops from the inside out, the outer point loop and the outer tile loop.
        assert ends[:4] == [
            "}",
            f"}} {{prefetching.distance = {DISTANCE}}}",
            "}",
            f"}} {{prefetching.block = {BLOCK}}}",
        ]


def test_passes_on_loops_carry_the_attributes() -> None:
    """Of jacobi-1d a loop that is split, of mvt one in `scf` that carries a value."""
    expected = f"}} {{prefetching.distance = {DISTANCE}, prefetching.block = {BLOCK}}}"
    prefetch = "--prefetch=loop={} distance=3"
    whole, _ = polyir_opt(
        *("--pluto-schedule", prefetch.format("S0.1"), "--lower-poly=split-loops=false"),
        str(KERNELS / "jacobi-1d.mlir"),
    )
    split, _ = polyir_opt("--split-loops", text=whole)
    assert [text.count(expected) for text in (whole, split)] == [1, 1]
    assert [text.count("affine.if") for text in (whole, split)] == [3, 1]
    text, _ = polyir_opt(
        *(prefetch.format("S0.1"), "--lower-poly", "--convert-affine-to-scf"),
        *("--scalar-replacement", str(KERNELS / "mvt.mlir")),
    )
    _, _, carrying = text.partition(" iter_args(")
    assert next(line.strip() for line in carrying.splitlines() if "}" in line) == expected


def test_help_lists_the_pass() -> None:
    assert "\nprefetch " in polyir_opt("--list-passes")[0]
    help_text, _ = polyir_opt("--help-pass=prefetch")
    assert "loop: loop" in help_text
    assert "distance: integer = 1" in help_text


REMARK = "[prefetch] prefetch 3 ahead in S0.0"
PYTHON = """
import pathlib, sys, polyir
module = polyir.parse(pathlib.Path(sys.argv[1]).read_text())
print(polyir.run_pipeline(module, "poly-raise,prefetch{loop=S0.0 distance=3},lower-poly"))
"""
C = """
void fill(int n, double a[n]) {
  for (int i = 1; i < n; i++)
    a[i] = a[i - 1] + 1.0;
}
"""


def test_other_tools_find_the_pass(tmp_path: Path) -> None:
    source = tmp_path / "fill.c"
    source.write_text(C)
    attribute = f"prefetching.distance = {DISTANCE}"
    pipeline = 'poly-raise,prefetch{loop="S0.0" distance=3},lower-poly'
    for command, expected in (
        (("-m", "polyir.tools.polyir_cc", "--remarks", PREFETCH, str(source)), REMARK),
        (("-m", "polyir.tools.polyir_run", PREFETCH, str(STENCIL)), "bit-identical"),
        (("-c", PYTHON, str(STENCIL)), attribute),
        ((str(XDSL_OPT), "-p", pipeline, str(STENCIL)), attribute),
    ):
        done = subprocess.run(
            (sys.executable, *command), capture_output=True, text=True, check=True
        )
        assert expected in done.stdout + done.stderr


def test_its_own_filecheck_tests(tmp_path: Path) -> None:
    """`lit` on the package's folder of tests, which other packages can copy."""
    shutil.copytree(PLUGIN / "tests", tmp_path / "tests")
    lit = (str(Path(sys.executable).with_name("lit")), "-v", str(tmp_path / "tests"))
    done = subprocess.run(lit, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "Passed: 3 " in done.stdout


def test_polyir_run_has_the_same_bits_after_its_strategy() -> None:
    command = (sys.executable, "-m", "polyir.tools.polyir_run", "--optimize=strategy=widest-tiles")
    done = subprocess.run((*command, str(STENCIL)), capture_output=True, text=True, check=True)
    assert "bit-identical" in done.stdout


OPERATION = """
func.func @sums(%A: memref<40x50xf64>, %s: memref<40xf64>) {
  %t = memref.alloc() : memref<40xf64>
  affine.for %k = 0 to 6 {
    affine.for %i = 0 to 40 {
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %t[%i] : memref<40xf64>
      affine.for %j = 0 to 50 {
        %x = affine.load %A[%i, %j] : memref<40x50xf64>
        prefetching.add_to %x, %t[%i] : f64, memref<40xf64>
      }
      %y = affine.load %t[%i] : memref<40xf64>
      prefetching.add_to %y, %s[%i] : f64, memref<40xf64>
    }
  }
  memref.dealloc %t : memref<40xf64>
  return
}
"""


@pytest.mark.every_case
@pytest.mark.parametrize(
    "passes",
    [
        ["--isl-schedule=live-range-reordering", "--tile=8", "--mark-parallel"],
        ["--privatize", "--spatial-schedule", "--promote-private", "--mark-parallel"],
        ["--promote=arrays=t", "--scalar-replacement"],
        ["--optimize=machine=generic strategy=private"],
        ["--optimize=machine=generic strategy=packed-blocks"],
    ],
    ids=" ".join,
)
def test_its_operation_runs_in_other_orders(passes: list[str], tmp_path: Path) -> None:
    """What it reads and writes is all that is known of it."""
    source = tmp_path / "sums.mlir"
    source.write_text(OPERATION)
    command = ("polyir-run", "--repeat=1", *passes, str(source))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "bit-identical" in done.stdout, done.stdout + done.stderr


SPACE = """
import pathlib, sys, polyir
from polyir.tuning.kernel import measured_function
from polyir.tuning.space import space_of
module = polyir.parse(pathlib.Path(sys.argv[1]).read_text())
space = space_of(measured_function(module, None, {}, 8), (2, 1))
print(*(recipe.text for recipe in space.first), sep="\\n")
print(*(recipe.plain().text for recipe in space.first), sep="\\n")
print(polyir.emit(module, "outline"))
"""


def test_polyir_tune_and_emit_take_what_it_adds() -> None:
    command = (sys.executable, "-c", SPACE, str(KERNELS / "gemm.mlir"))
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert "optimize{strategy=widest-tiles}" in lines
    tiles = [line for line in lines if line.startswith("widest-schedule,tile{sizes=")]
    assert any("register-tile" in line for line in tiles)
    assert "kernel_gemm:" in lines


def test_it_is_short() -> None:
    """Each thing takes less than 100 lines."""
    sizes = {path: len(path.read_text().splitlines()) for path in PLUGIN.rglob("*.py")}
    assert len(sizes) > 6
    assert max(sizes.values()) < 100
