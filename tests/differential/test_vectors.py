"""Operations on vectors in both back ends: the bits that MLIR's own lowering gives."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, compile_all, mlir_opt_available
from vector_programs import PROGRAMS, VectorProgram

import polyir
from polyir.runtime import compare_bits
from polyir.runtime.compiler import CompilerOptions

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

WARNINGS = ("-std=c99", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
COMPILATIONS = {
    "gcc": ("gcc", ("-O1",)),
    "gcc-native": ("gcc", ("-O3", "-march=native")),
    "clang": ("clang-19", ("-O1",)),
    "clang-native": ("clang-19", ("-O3", "-march=native")),
    "llvm": (None, ()),
}


@pytest.fixture(scope="module")
def oracles() -> dict[VectorProgram, Oracle]:
    return dict(zip(PROGRAMS, compile_all([each.text for each in PROGRAMS]), strict=True))


@pytest.mark.parametrize("compilation", COMPILATIONS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: f"{each.element}x{each.lanes}")
def test_operations(
    program: VectorProgram, compilation: str, oracles: dict[VectorProgram, Oracle]
) -> None:
    compiler, flags = COMPILATIONS[compilation]
    if compiler is None:
        function = polyir.compile(program.text, "", backend="llvm")["f"]
    else:
        if shutil.which(compiler) is None:
            pytest.skip(f"needs {compiler}")
        options = CompilerOptions(compiler, (*WARNINGS, *flags))
        function = polyir.compile(program.text, "", options, backend="c")["f"]
    for seed, (n, p) in enumerate([(0, False), (1, True), (program.lanes - 1, False)]):
        expected, actual = program.arguments(seed, n, p), program.arguments(seed, n, p)
        oracles[program]("f", *expected)
        function(*actual)
        wanted, found = expected[2], actual[2]
        assert isinstance(wanted, np.ndarray)
        assert isinstance(found, np.ndarray)
        different = [
            row
            for row in range(program.count)
            if compare_bits([wanted[row]], [found[row]]) is not None
        ]
        assert not different, [program.shown(row) for row in different]
