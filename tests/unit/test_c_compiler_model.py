"""What the cost model takes C compilers to make of plain loops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.c_compiler import unroll_small_loops
from polyir.choose.loop_tree import Loop, Node, Parts
from polyir.choose.machine import Cache, Machine
from polyir.choose.model import Cost, CostModel
from polyir.choose.processors import PROCESSORS
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of

MACHINE = Machine(caches=(Cache(1 << 30),), loop_cycles=1e-9, predicted_loop_cycles=1e-9)


def _model(
    c: str, tmp_path: Path, machine: Machine = MACHINE, n: int | None = None
) -> tuple[CostModel, Node]:
    source = tmp_path / "in.c"
    source.write_text(c)
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(source), "poly-dependences")
    (scop,) = map(scop_of, scops_in(module))
    model = CostModel(scop, machine, None if n is None else {"n": n}, threads=1)
    return model, model.tree(scop.schedule)


def _cost(c: str, tmp_path: Path, machine: Machine = MACHINE, n: int | None = None) -> Cost:
    model, tree = _model(c, tmp_path, machine, n)
    return model.cost(tree)


def _loops(node: Node) -> int:
    match node:
        case Loop():
            return 1 + _loops(node.body)
        case Parts(children):
            return sum(_loops(child) for _, child in children)
        case _:
            return 0


def _window(size: str) -> str:
    return f"""void f(int n, float *restrict out, float *restrict in, float *restrict k) {{
  for (int x = 0; x < n; x++) {{
    float s = 0;
    for (int r = 0; r < {size}; r++)
      s += k[r] * in[x + r];
    out[x] = s;
  }}
}}"""


@pytest.mark.parametrize(("size", "left"), [("5", 1), ("16", 1), ("17", 2), ("n", 2)])
def test_loops_of_few_constant_iterations_are_unrolled(
    size: str, left: int, tmp_path: Path
) -> None:
    model, tree = _model(_window(size), tmp_path)
    found, unrolled = unroll_small_loops(tree, model.statements)
    assert _loops(found) == left
    assert [count for each in unrolled.values() for _, count in each] == [
        float(size) for _ in range(2 - left)
    ]


def test_the_loop_around_an_unrolled_one_runs_in_vectors(tmp_path: Path) -> None:
    """A sum of 16 is straight-line code in vectors of eight, one of 17 a chain of additions."""
    short, long = (_cost(_window(size), tmp_path).compute for size in ("16", "17"))
    assert long > 4 * short


_SUM = """void f(int n, {type} *restrict r, const {type} *restrict a) {{
  for (int i = 0; i < n; i++)
    r[0] += a[i];
}}"""


def test_sums_of_integers_run_in_vectors_and_of_floats_do_not(tmp_path: Path) -> None:
    integers, floats = (_cost(_SUM.format(type=t), tmp_path).compute for t in ("int", "float"))
    assert floats > 8 * integers


_SELECT = """void f(int n, {type} *restrict r, const {type} *restrict a) {{
  for (int i = 0; i < n; i++)
    r[i] = a[i] > 9 ? 9 : a[i];
}}"""


def test_selects_run_in_vectors(tmp_path: Path) -> None:
    """Vectors of 256 bits have 32 elements of one byte; the value that is chosen is an int."""
    wide, narrow = (
        _cost(_SELECT.format(type="int"), tmp_path, replace(MACHINE, compiler_vector_bits=bits))
        for bits in (256, 128)
    )
    assert narrow.compute == pytest.approx(2 * wide.compute, rel=0.1)


_ROWS = """void f(int n, int m, double *restrict r, double a[n][{width}]) {{
  for (int i = 0; i < n; i++) {{
    double s = 0;
    for (int j = 0; j < {width}; j++)
      s += a[i][j];
    r[i] = s;
  }}
}}"""


def test_short_chains_overlap(tmp_path: Path) -> None:
    """A processor computes sums of several rows at once if they are short enough."""
    rows = (_ROWS.format(width=width) for width in (24, 2400))
    short, long = (_cost(each, tmp_path, n=1000).compute for each in rows)
    assert long > 150 * short
    few = replace(MACHINE, reorder_operations=1.0)
    assert _cost(_ROWS.format(width=24), tmp_path, few, 1000).compute > 1.4 * short


_INTERLEAVED = """void f(int n, double c[n][2], double a[n][2]) {
  for (int i = 0; i < n; i++) {
    c[i][0] = 2.0 * a[i][0];
    c[i][1] = 3.0 * a[i][1];
  }
}"""


def test_interleaved_sequences_run_in_vectors_and_fill_their_lines(tmp_path: Path) -> None:
    cost = _cost(_INTERLEAVED, tmp_path, n=1000)
    assert cost.compute < 2.0 * 1000
    # Lines of elements that follow each other are counted once: two arrays, one written.
    assert cost.traffic[0] == pytest.approx(3 * 16 * 1000, rel=0.02)


def test_a_cache_that_holds_all_has_it_before(tmp_path: Path) -> None:
    text = _SELECT.format(type="int")
    held, not_held = (
        _cost(text, tmp_path, replace(MACHINE, caches=(Cache(bytes),))) for bytes in (1 << 30, 4096)
    )
    assert held.times == (0.0,)
    assert not_held.times[0] > 0


@pytest.mark.parametrize("name", PROCESSORS)
def test_known_processors_price_everything(name: str, tmp_path: Path) -> None:
    """A million elements, of which each is a sum of five products."""
    cost = _cost(_window("5"), tmp_path, PROCESSORS[name].machine)
    assert 0.1 < cost.cycles / 1e6 < 5
