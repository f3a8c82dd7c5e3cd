"""Crash reproducers: what they contain after each kind of failure, and how they are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.passes.tile import TilePass
from polyir.pipeline import nested_pipeline, passes_of_nested_pipeline, split_pass_flags
from polyir.tools.polyir_opt import main
from polyir.tools.reproducer import reproduced
from polyir.universe import available_passes

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "stencil-1d.mlir")


@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--pluto-schedule", "--tile=sizes=32,8 levels=2", "--mark-parallel"),
        ("--apply-schedule=[n] -> { S0[i] -> [i] : i mod 2 = 0 }",),
        ("--skew=loop=S0.1 by=S0.0", "--poly-dependences=value-based=false input"),
        ("--plot-domain=file='a \"b\", {c}.svg'", "--optimize=threads=2 machine=a/b.json"),
    ],
)
def test_a_pipeline_as_text_gives_the_same_passes(flags: tuple[str, ...]) -> None:
    passes, _ = split_pass_flags(flags, available_passes())
    assert passes_of_nested_pipeline(nested_pipeline(passes), available_passes()) == passes


def test_an_internal_error_leaves_a_reproducer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(self: TilePass, ctx: Context, op: ModuleOp) -> None:
        op.body.block.first_op.detach()  # type: ignore[union-attr]
        raise AssertionError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr(TilePass, "apply", fail)
        file = tmp_path / "crash.mlir"
        arguments = ["--pluto-schedule", "--tile=16", "--wavefront", f"--crash-reproducer={file}"]
        assert main([*arguments, "--emit=none", EXAMPLE]) == 2
    shown = capsys.readouterr().err
    assert f"note: tile failed: reproducer generated at '{file}'" in shown
    assert "internal error (AssertionError: a bug)" in shown
    found = reproduced(file.read_text())
    assert found is not None
    assert found.pipeline == "builtin.module(tile{sizes=16},wavefront)"
    assert "poly.band" in found.program
    # Without the bug, it runs to the end, as the passes themselves do.
    assert main(["--run-reproducer", "--emit=c", str(file)]) == 0
    text = capsys.readouterr().out
    assert main(["--pluto-schedule", "--tile=16", "--wavefront", "--emit=c", EXAMPLE]) == 0
    assert capsys.readouterr().out == text


def test_a_failure_of_the_target_leaves_a_program_without_passes(tmp_path: Path) -> None:
    program, file = tmp_path / "program.mlir", tmp_path / "crash.mlir"
    program.write_text("func.func @f(%a: tensor<4xf64>) {\n  return\n}\n")
    assert main(["--mark-parallel", f"--crash-reproducer={file}", "--emit=c", str(program)]) == 1
    found = reproduced(file.read_text())
    assert found is not None
    assert found.pipeline == "builtin.module()"


def test_mlir_opts_reproducers_are_read() -> None:
    text = """module {
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(cse), tile{sizes=8})",
      disable_threading: false,
      verify_each: false
    }
  }
#-}
"""
    found = reproduced(text)
    assert found is not None
    assert found.program == "module {\n}\n\n"
    assert found.pipeline == "builtin.module(func.func(cse), tile{sizes=8})"
    assert not found.verifies_each


@pytest.mark.parametrize(
    "text",
    [
        "module {}",
        'module {}\n{-# dialect_resources: { a: { pipeline: "0x" } } #-}',
        "module {}\n{-# external_resources: { mlir_reproducer: { verify_each: true } } #-}",
        '{-# external_resources: { mlir_reproducer: { pipeline: "a" } } #-}\nmodule {}',
    ],
)
def test_what_is_no_reproducer(text: str) -> None:
    assert reproduced(text) is None
