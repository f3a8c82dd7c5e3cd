"""polyir and mlir-opt accept and refuse the same programs."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement_with_mlir import MLIR_OPT, Part, Verdict, parts_of, verdicts

TESTS = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(MLIR_OPT is None, reason="needs mlir-opt-19")


def disagreements(folder: str) -> list[Verdict]:
    found = verdicts(parts_of(sorted((TESTS / folder).rglob("*.mlir"))))
    return [each for each in found if each.kind not in ("both accept", "both refuse")]


@pytest.mark.parametrize("folder", ["mlir_inputs", "frontend_inputs", "cgeist_inputs"])
def test_inputs(folder: str) -> None:
    assert disagreements(folder) == []


def test_filecheck_inputs() -> None:
    """What mlir-opt accepts, polyir accepts; what only polyir accepts has scops or kernels.

    In MLIR 19, kernels are not affine scopes yet: numbers of threads are not symbols. mlir-opt lets
    numbers beyond 64 bits wrap around.
    """
    for found in disagreements("filecheck"):
        if "does not fit into 64 bits" in (found.polyir or ""):
            continue
        assert found.kind == "only polyir accepts", found
        assert "poly." in found.part.text or "gpu." in found.part.text, found


def test_each_kind_of_verdict() -> None:
    scop = 'poly.scop () context "{ : }" { poly.domain "{ }" }'
    texts = {
        "func.func @f() { return }": "both accept",
        "func.func @f() { tensor.rank }": "both refuse",
        "spirv.module Logical GLSL450 {}": "only mlir-opt accepts",
        f"func.func @f() {{ {scop} return }}": "only polyir accepts",
    }
    parts = [Part(Path("x"), 1, text) for text in texts]
    assert [each.kind for each in verdicts(parts)] == list(texts.values())
    assert [verdicts([part])[0].kind for part in parts] == list(texts.values())
