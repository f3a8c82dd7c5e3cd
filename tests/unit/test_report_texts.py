"""Which statements the lines of a program come from, at each level.

What is known otherwise: the places that MLIR prints of operations, which lines a loop is around by
how far they are indented, the names in the text of a schedule tree, and the order of statements,
which is the same in loops as in C.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

import pytest

from polyir import api
from polyir.report.contents import Contents, contents_of
from polyir.report.recording import Recording, recorded
from polyir.report.texts import LEVELS, Origin, Text
from polyir.target.levels import LoopsTarget
from polyir.tools.polyir_opt import main
from polyir.universe import new_context

POLYBENCH = Path(__file__).parents[2] / "benchmarks" / "polybench"
KERNELS = ("gemm", "jacobi-2d", "lu")
OPENS = re.compile(r"\s*(affine\.)?(for|if)\b")
PLACE = re.compile(r' loc\("[^"]*":(\d+):\d+\)')
ASSIGNMENT = re.compile(r"^\s+\w+(\[[^]]*\])+ [-+*/]?= ")

TWO_ON_A_LINE = """
func.func @pair(%A: memref<8xf64>, %B: memref<8xf64>, %x: f64) {
  affine.for %i = 0 to 8 {
    affine.store %x, %A[%i] : memref<8xf64> loc("pair.c":7:3)
    affine.store %x, %B[%i] : memref<8xf64> loc("pair.c":7:3)
  }
  return
}
"""

TEMPORARY = """
func.func @temporary(%n: index, %A: memref<?x?xf64>) {
  %t = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %t[%j] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %b = affine.load %t[%n - %j - 1] : memref<?xf64>
      affine.store %b, %A[%i, %j] : memref<?x?xf64>
    }
  }
  memref.dealloc %t : memref<?xf64>
  return
}
"""


def compiled(text: str, pipeline: str) -> tuple[Recording, Contents]:
    recording = recorded(api.parse(text), api.passes_of(pipeline), text)
    return recording, contents_of(recording)


@pytest.fixture(scope="module", params=KERNELS)
def steps(request: pytest.FixtureRequest) -> tuple[Recording, Contents]:
    source = (POLYBENCH / f"{request.param}.mlir").read_text()
    return compiled(source, "pluto-schedule,tile{sizes=32},mark-parallel")


def text_of(contents: Contents, level: str, step: int = -1) -> Text:
    return contents.steps[step].texts[LEVELS.index(level)]


def labelled(text: Text) -> list[tuple[str, frozenset[Origin]]]:
    return [
        (line, text.origins.get(number, frozenset()))
        for number, line in enumerate(text.text.splitlines())
    ]


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def keys_by_line(contents: Contents) -> Mapping[int, str]:
    """The statement of each line of a source that has one operation in a line."""
    return {
        line: statement.key
        for scop in contents.steps[-1].scops
        for statement in scop.statements
        for line in statement.lines
    }


def test_the_texts_are_what_is_emitted(steps: tuple[Recording, Contents]) -> None:
    recording, contents = steps
    for step, view in zip(recording.steps, contents.steps, strict=True):
        texts = [each.text for each in view.texts]
        assert texts == [api.emit(step.module, level) for level in ("poly", "loops", "c")]


def test_c_checks_the_memory_that_passes_have_added(tmp_path: Path) -> None:
    """As the target does, which runs the program as it was where there is none."""
    source, output = tmp_path / "in.mlir", tmp_path / "out.c"
    source.write_text(TEMPORARY)
    options = ["--privatize", "--mark-parallel", "--emit=c", str(source), "-o", str(output)]
    assert main(options) == 0
    _, contents = compiled(TEMPORARY, "privatize,mark-parallel")
    assert text_of(contents, "c").text == output.read_text()
    assert "if (t_1) {" in output.read_text()


def test_operations_come_from_the_statement_of_their_place(
    steps: tuple[Recording, Contents],
) -> None:
    recording, contents = steps
    stream = StringIO()
    module = recording.steps[-1].module.clone()
    LoopsTarget(locations=True).emit(new_context(), module, stream)
    keys = keys_by_line(contents)
    lines = labelled(text_of(contents, "loops"))
    seen = 0
    for (line, origins), printed in zip(lines, stream.getvalue().splitlines(), strict=True):
        if not re.search(r"affine\.(load|store)", line):
            continue
        (place,) = PLACE.findall(printed)
        assert origins == {keys[int(place)]}
        seen += 1
    assert seen >= 6


@pytest.mark.parametrize("level", ["loops", "c"])
def test_a_loop_comes_from_all_that_is_inside(
    steps: tuple[Recording, Contents], level: str
) -> None:
    lines = labelled(text_of(steps[1], level))
    loops = [n for n, (line, _) in enumerate(lines) if OPENS.match(line)]
    assert len(loops) >= 6
    for number in loops:
        head, origins = lines[number]
        inside = set[Origin]()
        for line, inner in lines[number + 1 :]:
            if indent(line) <= indent(head):
                break
            inside |= inner
        assert origins == inside != set()


def test_statements_have_the_same_order_in_c_as_in_loops(steps: tuple[Recording, Contents]) -> None:
    stores = [
        origins
        for line, origins in labelled(text_of(steps[1], "loops"))
        if line.lstrip().startswith("affine.store")
    ]
    found = [
        origins for line, origins in labelled(text_of(steps[1], "c")) if ASSIGNMENT.search(line)
    ]
    assert found == stores
    assert len(frozenset().union(*stores)) == len(set(keys_by_line(steps[1]).values()))


@pytest.mark.parametrize("step", [1, -1])
def test_a_line_of_a_tree_comes_from_the_statements_that_it_names(
    steps: tuple[Recording, Contents], step: int
) -> None:
    keys = {key.partition(":")[0]: key for key in keys_by_line(steps[1]).values()}
    seen = set()
    for line, origins in labelled(text_of(steps[1], "poly", step)):
        word = line.split()[0]
        if word in ("poly.stmt", "poly.band", "poly.filter", "poly.domain"):
            assert origins == {keys[name] for name in set(re.findall(r"\bS\d+\b", line))}
            seen.add(word)
        elif word in ("}", "func.func", "func.return", "builtin.module", "poly.scop"):
            assert not origins
    assert len(seen) == 4


def test_a_program_without_statements_comes_from_the_source() -> None:
    source = (POLYBENCH / "gemm.mlir").read_text()
    _, contents = compiled(source, "pluto-schedule,lower-poly")
    for step in (0, -1):
        for level in LEVELS:
            lines = labelled(text_of(contents, level, step))
            (scaled,) = (each for line, each in lines if "%beta :" in line or "*= beta" in line)
            numbers = {number for number in scaled if isinstance(number, int)}
            assert numbers == scaled
            assert {source.splitlines()[number - 1].strip()[:7] for number in numbers} <= {
                "%scaled",
                "affine.",
            }


def test_statements_of_the_same_place_are_told_apart() -> None:
    _, contents = compiled(TWO_ON_A_LINE, "pluto-schedule")
    (scop,) = contents.steps[-1].scops
    assert [each.lines for each in scop.statements] == [(7,), (7,)]
    for level, spelled in (("poly", "%x, %{}["), ("loops", "%x, %{}["), ("c", "{}[i] = x")):
        lines = labelled(text_of(contents, level))
        for name, array in (("S0", "A"), ("S1", "B")):
            (origins,) = (each for line, each in lines if spelled.format(array) in line)
            assert origins == {f"{name}:7"}
