"""What the tools import: nothing that the job at hand does without."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from polyir.base.plugins import installed_universe

ROOT = Path(__file__).parents[2]
GEMM = str(ROOT / "benchmarks/polybench/gemm.mlir")
GEMM_C = str(ROOT / "benchmarks/polybench_c/gemm.c")
LLVM = {
    "xdsl.dialects.llvm",
    "xdsl.dialects.cf",
    "polyir.target.llvm",
    "polyir.passes.lower_to_llvm",
}
C = {"polyir.target.c", "pycparser"}
RARE = {"xdsl.dialects.vector", "numpy", "matplotlib"}
VECTORS = {"xdsl.dialects.vector"}
"""The default pipeline makes vector code of a product of matrices."""
CHECK = {"polyir.proofs.schedules", "polyir.proofs.claims"}
"""What passes made is not checked again."""
EQUATIONS = {"polyir.equations", "polyir.dialects.equation_types"}
MLIR_ONLY = {"xdsl.dialects.omp", "xdsl.dialects.math"}
SCOPS = {"polyir.passes.prerequisites", "polyir.model.analysis", "polyir.codegen"}
"""Loops are printed without what works on schedules."""

IMPORTED = """
import atexit, sys
from importlib import import_module
atexit.register(lambda: print(*sys.modules, sep="\\n"))
sys.exit(import_module("polyir.tools." + sys.argv[1]).main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (("polyir_opt", "--emit=none", GEMM), LLVM | C | RARE | MLIR_ONLY | SCOPS),
        (("polyir_opt", GEMM), LLVM | C | RARE | MLIR_ONLY | EQUATIONS | SCOPS),
        (
            ("polyir_opt", "--pluto-schedule", "--tile=32", "--lower-poly", GEMM),
            LLVM | C | RARE | MLIR_ONLY | CHECK,
        ),
        (("polyir_opt", "--pluto-schedule", "--emit=c", GEMM), LLVM | RARE | CHECK | {"pycparser"}),
        (("polyir_opt", "--help"), EQUATIONS | {"numpy"}),
        (("polyir_cc", GEMM_C), (LLVM | RARE | CHECK) - VECTORS),
    ],
    ids=lambda value: " ".join(value[:-1]) if isinstance(value, tuple) else "",
)
def test_imports(arguments: tuple[str, ...], unwanted: set[str], tmp_path: Path) -> None:
    command = [sys.executable, "-c", IMPORTED, *arguments, "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert unwanted.isdisjoint(done.stdout.split())


def test_metadata_of_packages_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only messages name the package that a pass is from: reading what it is called takes time."""
    read: list[Distribution] = []
    monkeypatch.setattr(Distribution, "metadata", property(read.append))
    assert installed_universe().all_passes
    assert not read
