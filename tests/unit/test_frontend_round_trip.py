"""Texts through polyir's reader and printer and through mlir-opt: all give the same module."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from polyir.frontend.parse import parse_module
from polyir.target.mlir import print_module

INPUTS = sorted((Path(__file__).parent.parent / "frontend_inputs").glob("*.mlir"))
KERNELS = sorted(
    path
    for folder in ("benchmarks/polybench", "examples")
    for path in (Path(__file__).parent.parent.parent / folder).glob("*.mlir")
)
MLIR_OPT = shutil.which("mlir-opt-19")

needs_mlir_opt = pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt-19 is not installed")
each_input = pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)


def printed(module: ModuleOp, *, generic: bool = False) -> str:
    stream = io.StringIO()
    print_module(module, stream, generic=generic)
    return stream.getvalue()


def mlir_opt(text: str, *options: str) -> str:
    """The output of mlir-opt, which verifies `text`; an assertion if it refuses it."""
    assert MLIR_OPT is not None
    done = subprocess.run(
        [MLIR_OPT, *options], input=text, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def bare_text(module: ModuleOp) -> str:
    """The module in the generic form, without names of its own and with sorted properties."""
    module = module.clone(clone_name_hints=False)
    for operation in module.walk():
        operation.properties = dict(sorted(operation.properties.items()))
        operation.attributes = dict(sorted(operation.attributes.items()))
    return printed(module, generic=True)


def assert_same(first: ModuleOp, second: ModuleOp) -> None:
    if not first.is_structurally_equivalent(second):
        # The texts show where they differ.
        assert bare_text(first) == bare_text(second)
        pytest.fail("the modules differ, though their texts do not")


def test_there_are_inputs() -> None:
    assert len(INPUTS) >= 5
    assert len(KERNELS) >= 30


@each_input
@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_own_print_is_read_back(path: Path, generic: bool) -> None:
    module = parse_module(path.read_text(), str(path))
    text = printed(module, generic=generic)
    again = parse_module(text)
    assert_same(module, again)
    assert printed(again, generic=generic) == text


@needs_mlir_opt
@each_input
@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_mlir_opt_reads_what_is_printed(path: Path, generic: bool) -> None:
    module = parse_module(path.read_text(), str(path))
    assert_same(module, parse_module(mlir_opt(printed(module, generic=generic))))


@needs_mlir_opt
@each_input
@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--mlir-print-op-generic",),
        ("--mlir-print-debuginfo",),
        ("--mlir-print-local-scope",),
        ("--mlir-print-op-generic", "--mlir-print-debuginfo", "--mlir-print-local-scope"),
    ],
    ids=lambda options: "".join(options) or "custom",
)
def test_what_mlir_opt_prints_is_read(path: Path, options: tuple[str, ...]) -> None:
    text = path.read_text()
    assert_same(parse_module(text), parse_module(mlir_opt(text, *options)))


@needs_mlir_opt
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_both_ways(path: Path) -> None:
    text = path.read_text()
    module = parse_module(text, str(path))
    assert_same(module, parse_module(mlir_opt(text)))
    assert_same(module, parse_module(mlir_opt(printed(module))))
