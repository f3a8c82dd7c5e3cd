"""Programs, schedule trees, dependences and domains as Python objects."""

from __future__ import annotations

import copy
import inspect
import pickle
import pydoc
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import polyir
from polyir.api.results import CheckedSchedule, Drawing, Report, SchedulerComparison
from polyir.base.diagnostics import LegalityError, OptionError
from polyir.runtime.argument_checks import ArgumentError
from polyir.universe import PASS_NAMES

TEXT = """
func.func @sweep(%A: memref<?xf64>, %n: index) {
  affine.for %t = 0 to %n {
    affine.for %i = 1 to %n {
      %a = affine.load %A[%i - 1] : memref<?xf64>
      %b = affine.load %A[%i] : memref<?xf64>
      %s = arith.addf %a, %b : f64
      affine.store %s, %A[%i] : memref<?xf64>
    }
  }
  return
}
"""
TWO = TEXT + TEXT.replace("@sweep", "@second").replace("%i - 1", "%i")


@pytest.fixture(scope="module")
def program() -> polyir.Program:
    return polyir.Program.parse(TEXT)


@pytest.fixture(scope="module")
def tree(program: polyir.Program) -> polyir.ScheduleTree:
    (found,) = program.schedules
    return found


def test_passes_of_trees_that_give_trees(tree: polyir.ScheduleTree) -> None:
    for name in ("privatize", "expand", "contract", "poly_dependences", "poly_raise", "skew"):
        method = getattr(tree, name)
        result = method("S0.1", by="S0.0") if name == "skew" else method()
        assert isinstance(result, polyir.ScheduleTree), name


def test_passes_that_lower_a_tree_give_a_program(tree: polyir.ScheduleTree) -> None:
    for name in ("lower_poly", "convert_affine_to_scf", "split_loops", "lower_to_llvm"):
        lowered = getattr(tree, name)()
        assert isinstance(lowered, polyir.Program), name
    assert "affine.for" in tree.lower_poly().emit("loops")


def test_a_lowered_program_still_checks_its_arguments(tree: polyir.ScheduleTree) -> None:
    lowered = tree.pluto_schedule().tile(4).lower_poly().scalar_replacement()
    sweep = lowered.compile().sweep
    sweep(np.zeros(9), 9)
    with pytest.raises(ArgumentError, match="A_0 = 8"):
        sweep(np.zeros(8), 9)


def test_check_schedule(tree: polyir.ScheduleTree, capsys: pytest.CaptureFixture[str]) -> None:
    assert tree.check_schedule() == CheckedSchedule(len(tree.dependences))
    skewed = "{ S0[t, i] -> [t, t + i] }"
    assert repr(tree.check_schedule(schedule=skewed)).startswith("<the schedule respects all ")
    with pytest.raises(LegalityError, match=r"the schedule violates the .* dependence through A"):
        tree.check_schedule(schedule="{ S0[t, i] -> [i, t] }")
    with pytest.raises(LegalityError):
        tree.check_schedule("{ S0[t, i] -> [-t, i] }")
    assert capsys.readouterr().out == ""


def test_compare_schedules(tree: polyir.ScheduleTree) -> None:
    found = tree.compare_schedules()
    assert isinstance(found, SchedulerComparison)
    assert next(iter(found))["scheduler"] == "original"
    assert {row["legal"] for row in found} == {"yes"}
    assert str(found).startswith("scheduler  ")


def test_pictures(tree: polyir.ScheduleTree, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "domain.png"
    written = tree.plot_domain(str(file), size=4)
    assert isinstance(written, Drawing)
    assert written._repr_png_() == file.read_bytes()
    assert written._repr_svg_() is None
    shown = tree.plot_schedule(size=4)
    assert shown.file is None
    assert _tag(shown._repr_svg_()) == "svg"
    with pytest.raises(OptionError, match="'S1'"):
        tree.plot_domain(statements="S1", size=4)
    with pytest.raises(OptionError, match=r"requires the option 'file'"):
        tree.program.plot_domain()


def _tag(svg: str | None) -> str:
    assert svg is not None
    return ElementTree.fromstring(svg).tag.rpartition("}")[2]


def test_svg_of_trees_dependences_and_domains(tree: polyir.ScheduleTree) -> None:
    text = tree.pluto_schedule().tile(4)._repr_svg_()
    assert _tag(text) == "svg"
    assert text.count("<rect") == len(str(tree.pluto_schedule().tile(4)).splitlines())
    edges = ElementTree.fromstring(tree.dependences._repr_svg_())
    kinds = [each.get("class") for each in edges.iter() if each.get("class")]
    assert kinds == [each.kind.value for each in tree.dependences]
    pytest.importorskip("matplotlib")
    assert _tag(tree.domains["S0"]._repr_svg_()) == "svg"
    assert _tag(tree.domains._repr_svg_()) == "svg"


def test_domains_are_a_mapping(tree: polyir.ScheduleTree) -> None:
    assert list(tree.domains) == ["S0"]
    assert tree.domains["S0"].isl.is_equal(tree.scop.statements[0].domain)
    with pytest.raises(OptionError, match=r"there is no statement 'S1' \(there are: S0\)"):
        tree.domains["S1"]


def test_a_domain_that_cannot_be_drawn_has_no_picture() -> None:
    deep = "func.func @f(%A: memref<?xf64>, %n: index) {\n"
    for level in range(4):
        deep += f"affine.for %i{level} = 0 to %n {{\n"
    deep += "%a = affine.load %A[%i0] : memref<?xf64>\naffine.store %a, %A[%i1] : memref<?xf64>\n"
    (tree,) = polyir.Program.parse(deep + "}" * 4 + "\nreturn }").schedules
    assert tree.domains["S0"]._repr_svg_() is None


def test_dependences_are_a_sequence(tree: polyir.ScheduleTree) -> None:
    table = tree.dependences
    assert table[0] is next(iter(table))
    assert table[-1].kind.value == "output"
    assert list(table[:2]) == [table[0], table[1]]
    flow = table.filter(kind="flow", array="A", source="S0", target="S0")
    assert 0 < len(flow) < len(table)
    assert {each.kind.value for each in flow} == {"flow"}
    assert all(line.startswith("flow") for line in str(flow).splitlines())
    with pytest.raises(IndexError):
        table[99]
    for wrong, message in (
        ({"kind": "flew"}, "no kind of dependences 'flew'; did you mean 'flow'"),
        ({"array": "B"}, r"no array 'B' \(there are: A\)"),
        ({"source": "S1"}, r"no statement 'S1' \(there are: S0\)"),
    ):
        with pytest.raises(OptionError, match=message):
            table.filter(**wrong)


def test_printing_passes_print_and_give_the_tree(
    tree: polyir.ScheduleTree, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tree.print_schedule() is tree
    assert "// schedule of @sweep:" in capsys.readouterr().out
    assert tree.print_dependences() is tree
    assert "// flow" in capsys.readouterr().out


def test_graphs(tree: polyir.ScheduleTree, tmp_path: Path) -> None:
    graph = tree.dot(what="tree")
    assert graph.startswith('digraph "sweep schedule"')
    file = tmp_path / "sweep.dot"
    assert tree.dot(file=str(file)) == file.read_text()


def test_each_tree_is_shown_for_itself() -> None:
    first, second = polyir.Program.parse(TWO).schedules
    assert "sweep" in first.dot()
    assert "second" in second.dot()
    assert "sweep" not in second.dot()
    assert str(second.dependences[0].relation) != str(first.dependences[0].relation)
    assert second.check_schedule().dependences == len(second.dependences)


@pytest.mark.parametrize("name", PASS_NAMES)
def test_signatures_show_the_options(name: str, tree: polyir.ScheduleTree) -> None:
    method = getattr(tree, name.replace("-", "_"))
    assert method.__name__ == name.replace("-", "_")
    assert inspect.getdoc(method)
    assert "self" not in inspect.signature(method).parameters


def test_help(tree: polyir.ScheduleTree) -> None:
    shown = pydoc.plain(pydoc.render_doc(tree.tile))
    assert "tile(sizes: tuple[int, ...] = (" in shown
    assert "Options:" in shown
    assert str(inspect.signature(tree.reverse)).startswith("(loop: ")
    assert "tile_symbolic" in dir(tree)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tree: tree.tile(sizes="a"), "option 'sizes' of pass 'tile' must be"),
        (lambda tree: tree.tile(sizes=(4, "b")), "must be"),
        (lambda tree: tree.tile(sizes=True), "must be"),
        (lambda tree: tree.tile(size=4), "has no option 'size'; did you mean 'sizes'"),
        (lambda tree: tree.tile(4, sizes=4), "two values for the option 'sizes'"),
        (lambda tree: tree.reverse(), "pass 'reverse' requires the option 'loop'"),
        (lambda tree: tree.reverse(loop=3), "option 'loop' of pass 'reverse' must be"),
        (lambda tree: tree.dot(what="trees"), "cannot be 'trees'; did you mean 'tree'"),
        (lambda tree: tree.program.emit("pol"), "unknown target 'pol'; did you mean 'poly'"),
        (lambda tree: tree.program.compile(backend="cuda"), "unknown backend 'cuda'"),
        (lambda tree: tree.program.compile(options="-O1"), "options must be"),
        (lambda tree: tree.program.run("tyle"), "unknown pass 'tyle'; did you mean 'tile'"),
    ],
)
def test_bad_arguments_are_diagnostics(
    call: object, message: str, tree: polyir.ScheduleTree
) -> None:
    assert callable(call)
    with pytest.raises(OptionError, match=message):
        call(tree)


def test_integers_of_numpy_are_integers(tree: polyir.ScheduleTree) -> None:
    tiled = tree.pluto_schedule().tile(np.int64(4))
    assert str(tiled) == str(tree.pluto_schedule().tile((4,)))
    assert tiled.program.emit("poly") == tree.pluto_schedule().tile(4).program.emit("poly")


def test_copy_and_pickle(tree: polyir.ScheduleTree) -> None:
    tiled = tree.pluto_schedule().tile(4).mark_parallel()
    assert copy.copy(tiled) is tiled
    for twin in (copy.deepcopy(tiled), pickle.loads(pickle.dumps(tiled))):
        assert str(twin) == str(tiled)
        assert twin.program.module is not tiled.program.module
        assert twin.program.emit("poly") == tiled.program.emit("poly")
        assert str(twin.wavefront()) == str(tiled.wavefront())
    table = pickle.loads(pickle.dumps(tiled.dependences))
    assert str(table) == str(tiled.dependences)
    assert str(copy.deepcopy(tree.domains)) == str(tree.domains)
    lowered = pickle.loads(pickle.dumps(tiled.lower_poly()))
    assert lowered.emit("c") == tiled.lower_poly().emit("c")
    with pytest.raises(ArgumentError):
        lowered.compile().sweep(np.zeros(3), 9)


def _steps(report: Report) -> list[str]:
    """The titles of the steps on a page, which come after the source."""
    titles: list[str] = re.findall(r"<h2>(.*)</h2>", report.html)
    return [title for title in titles if title != "Source"]


def test_a_report_shows_the_passes_since_the_program_was_read(tmp_path: Path) -> None:
    program = polyir.Program.parse(TEXT, "sweep.mlir").pluto_schedule().tile(8)
    report = program.report()
    analysis = ["poly-raise", "poly-dependences"]
    assert _steps(report) == ["input", *analysis, "pluto-schedule", "tile{sizes=8}"]
    report.save(tmp_path / "sweep.html")
    assert (tmp_path / "sweep.html").read_text("utf-8") == report.html


def test_a_report_of_a_tree_shows_the_analysis(tree: polyir.ScheduleTree) -> None:
    changed = tree.skew("S0.1", by="S0.0")
    for program in (changed.program, pickle.loads(pickle.dumps(changed)).program):
        steps = _steps(program.report())
        assert steps[:3] == ["input", "poly-raise", "poly-dependences"]
        assert len(steps) == 4


def test_a_report_of_a_module_has_its_text_as_source() -> None:
    module = polyir.parse(TEXT)
    html = polyir.Program(module).poly_dependences().report().html
    lines = re.findall(r'<li data-line="\d+" .*data-statements="S0:\d+">(.*)</li>', html)
    assert len(lines) == 4
    assert "affine.store" in lines[-1]


def test_a_notebook_shows_a_report_in_a_frame() -> None:
    report = Report('<p title="a">&amp;</p>')
    frame = ElementTree.fromstring(report._repr_html_())
    assert frame.tag == "iframe"
    assert frame.attrib["srcdoc"] == report.html


def test_passes_that_print_are_silent_in_a_report(
    tree: polyir.ScheduleTree, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tree.program.run("print-schedule")
    capsys.readouterr()
    program.report()
    assert capsys.readouterr().out == ""
