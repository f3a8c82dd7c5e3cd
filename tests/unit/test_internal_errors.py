"""Defects of polyir, and of passes of other packages: what is said, and what goes on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from polyir import api
from polyir.base.internal_errors import InternalError
from polyir.codegen import ast_build
from polyir.tools.polyir_cc import main as polyir_cc
from polyir.tools.polyir_opt import main as polyir_opt
from polyir.tools.reproducer import reproduced
from polyir.universe import installed

ROOT = Path(__file__).parents[2]
STENCIL = ROOT / "examples" / "stencil-1d.mlir"
PLACE = f"{STENCIL}:5:3"
FAILED = "[faulty] this pass of the package faulty 1.5 failed: "

FUNCTIONS = """
func.func @first(%A: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %a = affine.load %A[%i, %j] : memref<64x64xf64>
      affine.store %a, %A[%i, %j] : memref<64x64xf64>
    }
  }
  return
}
func.func @both(%A: memref<64x64xf64>, %B: memref<64x64xf64>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %a = affine.load %A[%i, %j] : memref<64x64xf64>
      affine.store %a, %B[%i, %j] : memref<64x64xf64>
    }
  }
  return
}
func.func @last(%A: memref<64x64xf64>) {
  func.call @both(%A, %A) : (memref<64x64xf64>, memref<64x64xf64>) -> ()
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %a = affine.load %A[%i, %j] : memref<64x64xf64>
      affine.store %a, %A[%i, %j] : memref<64x64xf64>
    }
  }
  return
}
"""


def install(folder: Path, value: str) -> None:
    """What pip leaves of a package with an entry point."""
    information = folder / "faulty-1.5.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.5\n")
    (information / "entry_points.txt").write_text(f"[xdsl.universe]\nzz-faulty = {value}\n")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which Python looks for packages, with the module `faulty`."""
    folder = tmp_path / "site"
    folder.mkdir()
    source = ROOT / "tests" / "faulty_packages" / "faulty.py"
    (folder / "faulty.py").write_text(source.read_text())
    monkeypatch.syspath_prepend(str(folder))
    installed.cache_clear()
    yield folder
    installed.cache_clear()
    sys.modules.pop("faulty", None)


@pytest.fixture
def faulty(packages: Path) -> None:
    install(packages, "faulty:UNIVERSE")


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize("limit", ["--time-limit=20", "--time-limit=0"])
@pytest.mark.parametrize(
    ("mistake", "said", "line"),
    [
        ("exception", "ValueError: my own mistake", 'raise ValueError("my own mistake")'),
        ("odd-exception", ": a mistake in faulty", 'raise OddError("a mistake", "faulty")'),
        ("isl", "Error: ", 'isl.UnionSet("{")'),
        ("assertion", "AssertionError", "assert scop is None"),
        ("none", "TypeError: 'transform' must return an Outcome, not None", ""),
        ("node", "the schedule of an Outcome must be a polyir.tree.Schedule, not ScheduleNode", ""),
        ("fewer", "must be of the scop's domain, and misses [steps, n] -> { S0[t, i] : 3 <=", ""),
        ("more", "must be of the scop's domain, and has further instances: ", ""),
        ("text", "'done' of an Outcome must be a tuple of texts, not 'it is done'", ""),
    ],
)
def test_a_mistake_in_a_pass_of_another_package(
    mistake: str, said: str, line: str, limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert polyir_opt([f"--faulty={mistake}", limit, str(STENCIL)]) == 2
    shown = capsys.readouterr()
    first, *rest = shown.err.splitlines()
    assert first.startswith(f"{PLACE}: warning: {FAILED}")
    assert said in first
    assert first.endswith("; '@stencil' is left as it was [internal-error]")
    assert "please report" not in shown.err
    assert polyir_opt([str(STENCIL)]) == 0
    assert shown.out == capsys.readouterr().out
    if not line:
        assert not rest
        return
    assert rest[0] == "Traceback (most recent call last):"
    # The pass itself, and not what calls it.
    assert "faulty.py" in rest[1]
    assert rest[2].strip() == line


@pytest.mark.usefixtures("faulty")
def test_what_is_in_order_is_accepted(capsys: pytest.CaptureFixture[str]) -> None:
    assert polyir_opt(["--faulty=fine", "--remarks", "--emit=none", str(STENCIL)]) == 0
    assert "[faulty] nothing was changed" in capsys.readouterr().err


@pytest.mark.usefixtures("faulty")
def test_the_other_functions_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.mlir", tmp_path / "out.mlir"
    source.write_text(FUNCTIONS)
    passes = ["--faulty=one-of-several", "--tile=sizes=16,16", "-o", str(target)]
    assert polyir_opt([str(source), *passes]) == 2
    said = capsys.readouterr().err
    assert said.count("warning") == 1
    assert said.startswith(f"{source}:12:3: warning: {FAILED}KeyError: 'B'; '@both' is left")
    functions = {
        op.sym_name.data: str(op)
        for op in api.parse(target.read_text()).ops
        if isinstance(op, FuncOp)
    }
    assert list(functions) == ["first", "both", "last"]
    assert [text.count("affine.for") for text in functions.values()] == [4, 2, 4]
    assert "func.call @both" in functions["last"]


@pytest.mark.usefixtures("faulty")
def test_the_other_inputs_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.mlir"
    one = FUNCTIONS.split("func.func @both")[0]
    two = one.replace("@first", "@second").replace(
        "%A: memref<64x64xf64>) {", "%A: memref<64x64xf64>, %B: memref<64x64xf64>) {"
    )
    two = two.replace("store %a, %A", "store %a, %B")
    source.write_text(f"{one}// -----\n{two}// -----\n{one}")
    assert polyir_opt([str(source), "--split-input-file", "--faulty=one-of-several"]) == 2
    shown = capsys.readouterr()
    assert shown.err.count("warning") == 1
    assert "in.mlir:14:3: warning" in shown.err
    assert shown.out.count("func.func") == 3


@pytest.mark.usefixtures("faulty")
def test_a_module_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert polyir_opt(["--faulty-module=exception", "--emit=none", str(STENCIL)]) == 2
    said = capsys.readouterr().err
    assert f"{STENCIL}:3:1: warning: [faulty-module] this pass of the package" in said
    assert 'raise RuntimeError("of a whole module")' in said


@pytest.mark.usefixtures("faulty")
def test_invalid_ir(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The pass is named after which the IR is not valid; the reproducer has the IR before it."""
    file = tmp_path / "crash.mlir"
    passes = ["--pluto-schedule", "--lower-poly", "--faulty-module=invalid", "--vectorize"]
    arguments = [*passes, "--emit=none", str(STENCIL), f"--crash-reproducer={file}"]
    assert polyir_opt(arguments) == 2
    said = capsys.readouterr().err
    assert f"note: faulty-module failed: reproducer generated at '{file}'" in said
    assert "[faulty-module] this pass of the package faulty 1.5 failed: InvalidModuleError" in said
    found = reproduced(file.read_text())
    assert found is not None
    assert found.pipeline == 'builtin.module(faulty-module{mistake="invalid"},vectorize)'
    assert found.verifies_each
    assert polyir_opt(["--run-reproducer", "--emit=none", str(file)]) == 2
    assert "[faulty-module]" in capsys.readouterr().err


@pytest.mark.usefixtures("faulty")
def test_regions_of_a_c_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    region = """#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      {};
#pragma endscop
"""
    one, two = region.replace("{}", "a[i][j] += 1"), region.replace("{}", "a[i][j] = b[j][i]")
    head = "double a[99][99], b[99][99];\nvoid f(int n) {\n"
    for text in (
        one + two,
        (one + two).replace("#pragma scop\n", "").replace("#pragma endscop\n", "n++;\n"),
    ):
        source.write_text(f"{head}{text}}}\n")
        assert polyir_cc([str(source), "-o", str(target), "--faulty=one-of-several"]) == 2
        said = capsys.readouterr().err
        assert said.count("warning") == 1
        assert f"{FAILED}KeyError: 'B'" not in said.split("Traceback")[1].split("\n")[0]
        assert " not transformed: [faulty] this pass of the package" in said
        result = target.read_text()
        assert "for (long i" in result
        assert "a[i][j] = b[j][i]" in result.split("for (int i")[1]


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ("--missing", "the pass 'missing' of the package faulty 1.5 cannot be loaded: Module"),
        ("--not-frozen", "a pass must be declared with '@dataclass(frozen=True)'"),
    ],
)
@pytest.mark.usefixtures("faulty")
def test_a_pass_that_cannot_be_loaded(
    flag: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert polyir_opt([flag, str(STENCIL)]) == 1
    shown = capsys.readouterr().err
    assert said in shown
    assert "faulty.py" in shown


@pytest.mark.parametrize(
    ("flag", "code", "said"),
    [
        ("optimize=machine=no-machine", 1, "the machine 'no-machine' must be a Machine, not 3"),
        ("optimize=cost-model=no-model", 1, "the cost model 'no-model' must derive from CostModel"),
        ("compare-schedules", 0, "the scheduler 'no-scheduler' must derive from SchedulerPass"),
        ("optimize=machine=this", 0, "the strategy 'number' must be a Strategy, not 3"),
        ("optimize", 0, "the strategy 'missing' of the package faulty 1.5 cannot be loaded"),
    ],
)
def test_choices_with_mistakes(
    packages: Path, flag: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is named is an error, one of several is left out; polyir's own stay."""
    install(packages, "faulty:CHOICES")
    assert polyir_opt([f"--{flag}", "--emit=none", str(STENCIL)]) == code
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("faulty:NO_UNIVERSE", "entry point 'faulty:NO_UNIVERSE' must be a xdsl.universe.Universe"),
        ("faulty:NOTHING", "the package faulty 1.5 cannot be loaded: AttributeError"),
        ("faultless:UNIVERSE", "the package faulty 1.5 cannot be loaded: ModuleNotFoundError"),
        ("faulty:SAME_NAME", "the pass 'tile' of the package faulty 1.5 is left out"),
    ],
)
def test_a_package_that_cannot_be_loaded(
    packages: Path, value: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other packages work without it."""
    install(packages, value)
    assert polyir_opt(["--tile", "--emit=none", str(STENCIL)]) == 0
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("faulty")
def test_python_gets_the_exception_itself() -> None:
    module = api.parse(STENCIL.read_text())
    with pytest.raises(InternalError, match=r"faulty 1\.5 failed: ValueError: my own") as caught:
        api.run_pipeline(module, "faulty{mistake=exception}")
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("function", ["first", "both", "last"])
def test_a_defect_of_polyir(
    function: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In code generation, for one of three functions."""
    build = ast_build.build_ast

    def failing(scop, *rest, **options):  # type: ignore[no-untyped-def]
        parent = scop.op.parent_op()
        assert isinstance(parent, FuncOp)
        assert parent.sym_name.data != function, "a defect"
        return build(scop, *rest, **options)

    monkeypatch.setattr("polyir.codegen.lower.build_ast", failing)
    source = tmp_path / "in.mlir"
    source.write_text(FUNCTIONS)
    assert polyir_opt([str(source), "--tile=sizes=16,16", "--emit=c"]) == 2
    shown = capsys.readouterr()
    assert "internal error (AssertionError: a defect" in shown.err
    assert f"please report it; '@{function}' is left as it was" in shown.err
    assert shown.err.count("warning: [polyir]") == 1
    tiled = {text.split("(")[0] for text in shown.out.split("\nvoid ")[1:] if "ti" in text}
    assert tiled == {"first", "both", "last"} - {function}
