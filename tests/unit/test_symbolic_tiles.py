"""Tiles of symbolic sizes: the mark, its legality, the loops, which tiles they visit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import islpy as isl
import pytest
from execution import execution, flow, schedule
from replay import Machine, function_of
from xdsl.context import Context
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from polyir import api
from polyir.base.diagnostics import LegalityError, OptionError, PolyirError, remarks_to
from polyir.codegen.symbolic_tiles import expand_tiles
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import VectorAttr
from polyir.dialects.mark_attributes import SymbolicTiles, TileAttr
from polyir.dialects.poly import Poly
from polyir.dialects.scop import scops_in
from polyir.model.outcome import Outcome, replace_tree
from polyir.model.scop import scop_of
from polyir.proofs.legality import violations
from polyir.sets.lists import sets_of
from polyir.tools.polyir_cc import main as polyir_cc
from polyir.tools.polyir_run import main as polyir_run
from polyir.transform.affine_change import reverse
from polyir.transform.interchange import InterchangeOptions, interchange
from polyir.transform.parallel import PARALLEL, mark_parallel
from polyir.transform.symbolic_tile import SymbolicTileOptions, tile_symbolically
from polyir.transform.tile import TileOptions, tile
from polyir.transform.wavefront import WavefrontOptions, wavefront
from polyir.tree import Schedule
from polyir.tree.addresses import LoopAddress
from polyir.tree.symbolic_tiles import tiles_at, with_tiles

NAMES = ("T0", "T1", "T2")
OPTIONS = SymbolicTileOptions()
NOTHING = Dependences(value_based=False, items=())
EXAMPLES = Path(__file__).parents[2] / "examples"

SQUARE = """{ domain: "[n] -> { S[i, j] : 0 <= i, j < n }", child: {
  schedule: "[n] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]", permutable: 1 } }"""

FORWARD = flow("[n] -> { S[i, j] -> S[i + 1, j + 1] : 0 <= i, j < n - 1 }")
BACK = flow("[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }")


@pytest.mark.parametrize(
    "tiles",
    [
        SymbolicTiles("outset", ("T0",)),
        SymbolicTiles("box", ("T0", "T1"), wavefront=1),
        SymbolicTiles("outset", ("T0", "T_1"), loops=((VectorAttr(8), PARALLEL), ())),
        SymbolicTiles("outset", ("T0", "T_1", "T2"), 2, ((), (PARALLEL,), ())),
    ],
)
def test_attributes_are_written_and_read(tiles: SymbolicTiles) -> None:
    assert read_attribute(str(TileAttr(tiles))) == TileAttr(tiles)


@pytest.mark.parametrize(
    "text", ["<inset [T0]>", "<outset []>", "<box [T0] wavefront 1>", "<box [T0] loops [[], []]>"]
)
def test_malformed_attributes(text: str) -> None:
    with pytest.raises(ParseError):
        read_attribute(f"#poly.tile{text}")


def read_attribute(text: str) -> Attribute:
    context = Context()
    context.load_dialect(Poly)
    return Parser(context, text).parse_attribute()


def tile_order(tree: Schedule, sizes: Sequence[int], **parameters: int) -> list[object]:
    """The instances in the order that the expanded tree has for these sizes."""
    expanded = expand_tiles(tree, isl.Set("{ : }"))
    domain = expanded.schedule.domain
    count = len(sizes)
    on_grid = isl.UnionSet("{ }")
    for part in sets_of(domain):
        first = part.dim(isl.dim_type.set) - count
        for position, size in enumerate(sizes):
            grid = isl.Set.universe(part.get_space())
            names = [f"d{n}" for n in range(part.dim(isl.dim_type.set))]
            text = f"{part.get_tuple_name()}[{', '.join(names)}]"
            grid = isl.Set(f"{{ {text} : {names[first + position]} mod {size} = 0 }}")
            part = part.intersect(grid)
        on_grid = on_grid.union(isl.UnionSet.from_set(part))
    known = {**parameters, **dict(zip(NAMES, sizes, strict=False))}
    tree = expanded.schedule.within(on_grid)
    return [(name, values[:-count]) for name, values in execution(tree, **known)]


@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (4, 1), (9, 9)])
def test_points_run_tile_by_tile(sizes: tuple[int, int]) -> None:
    outcome = tile_symbolically(schedule(SQUARE), FORWARD, NAMES, OPTIONS)
    assert outcome.done == ("tiled the band of 2 over S by T0 x T1",)
    points = [("S", pair) for pair in product(range(5), repeat=2)]
    points.sort(key=lambda at: (at[1][0] // sizes[0], at[1][1] // sizes[1], at[1]))
    assert tile_order(outcome.schedule, sizes, n=5) == points


def test_a_statement_that_is_tiled_in_part() -> None:
    text = """{ domain: "{ S[i] : 0 <= i < 6; T[i] : 0 <= i < 3 }", child: { sequence: [
      { filter: "{ S[i] : i < 3; T[i] }", child: { schedule: "[{ S[i] -> [i]; T[i] -> [i] }]",
        child: { sequence: [ { filter: "{ S[i] }" }, { filter: "{ T[i] }" } ] } } },
      { filter: "{ S[i] : i >= 3 }", child: { schedule: "[{ S[i] -> [-i] }]" } } ] } }"""
    tree = schedule(text)
    band = tree.root.child(0).child(0).child(0)
    tiled = with_tiles(band, SymbolicTiles("outset", ("T0",))).schedule
    assert tile_order(tiled, (2,)) == execution(tree)


@pytest.mark.parametrize("origins", ["outset", "box"])
def test_no_size_may_violate_a_dependence(origins: str) -> None:
    with pytest.raises(LegalityError, match="tiling violates the flow dependence through A"):
        tile_symbolically(schedule(SQUARE), BACK, NAMES, OPTIONS)
    band = schedule(SQUARE).root.child(0)
    tiled = with_tiles(band, SymbolicTiles("outset", ("T0", "T1"))).schedule
    assert violations(BACK, schedule(SQUARE)) == ()
    assert len(violations(BACK, tiled)) == 1
    assert violations(FORWARD, tiled) == ()


def test_a_change_after_tiling_is_checked_for_all_sizes() -> None:
    down = flow("[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }")
    diagonal = flow("[n] -> { S[i, j] -> S[i + 1, j + 1] : 0 <= i, j < n - 1 }")
    tiled = tile_symbolically(schedule(SQUARE), down, NAMES, OPTIONS).schedule
    assert tiles_at(reverse(tiled, down, LoopAddress.parse("S.1")).schedule.root.child(0))
    # Without tiles the first loop alone carries it.
    assert reverse(schedule(SQUARE), diagonal, LoopAddress.parse("S.1")).done
    with pytest.raises(LegalityError, match=r"reversing S\.1 violates"):
        reverse(tiled, diagonal, LoopAddress.parse("S.1"))


def test_tiles_above_no_band_of_theirs() -> None:
    band = schedule(SQUARE).root.child(0)
    tiled = with_tiles(band, SymbolicTiles("outset", ("T0",))).schedule
    with pytest.raises(LegalityError, match=r"#poly.tile<outset \[T0\]> would no longer be above"):
        violations(NOTHING, tiled)


def test_parallel_and_wavefront_are_of_the_tiles() -> None:
    along = flow("[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }")
    tiled = tile_symbolically(schedule(SQUARE), along, NAMES, OPTIONS).schedule
    marked = mark_parallel(tiled, along)
    assert marked.done == ("loop 2 over tiles of S is parallel",)
    assert tiles_at(marked.schedule.root.child(0)) == SymbolicTiles(
        "outset", ("T0", "T1"), loops=((), (PARALLEL,))
    )
    both = flow(
        "[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }",
        "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }",
    )
    assert mark_parallel(tiled, both).missed != ()
    waves = wavefront(tiled, both, WavefrontOptions("all"))
    marked = mark_parallel(waves.schedule, both)
    assert tiles_at(marked.schedule.root.child(0)) == SymbolicTiles(
        "outset", ("T0", "T1"), 1, ((), (PARALLEL,))
    )


def test_a_loop_that_is_no_longer_parallel_is_unmarked() -> None:
    along = flow("[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }")
    marked = mark_parallel(
        tile_symbolically(schedule(SQUARE), along, NAMES, OPTIONS).schedule, along
    )
    loops = InterchangeOptions((LoopAddress.parse("S.0"), LoopAddress.parse("S.1")))
    changed = interchange(marked.schedule, along, loops)
    assert changed.missed == (
        "removed #poly.parallel from loop 2 over tiles around S: it is no longer parallel",
    )
    assert tiles_at(changed.schedule.root.child(0)) == SymbolicTiles("outset", ("T0", "T1"))


def test_tiles_of_constant_size_inside() -> None:
    tiled = tile_symbolically(schedule(SQUARE), FORWARD, NAMES, OPTIONS).schedule
    twice = tile(tiled, FORWARD, TileOptions((2,))).schedule
    points = [("S", pair) for pair in product(range(7), repeat=2)]
    points.sort(key=lambda at: ([k // 4 for k in at[1]], [k // 2 for k in at[1]], at[1]))
    assert tile_order(twice, (4, 4), n=7) == points


CUBE = """{ domain: "{ S[i, j, k] : 0 <= i, j, k < 4 }", child: {
  schedule: "[{ S[i, j, k] -> [i] }, { S[i, j, k] -> [j] }]",
  child: { schedule: "[{ S[i, j, k] -> [k] }]" } } }"""


@pytest.mark.parametrize(
    ("loops", "message"),
    [
        (("S.0", "S.2"), "S.0, S.2 are not perfectly nested"),
        (("S.1", "S.0"), "are not perfectly nested"),
        (("S.3",), "there is no loop 'S.3'"),
    ],
)
def test_loops_that_are_not_directly_inside_each_other(
    loops: tuple[str, ...], message: str
) -> None:
    options = SymbolicTileOptions(loops=tuple(map(LoopAddress.parse, loops)))
    with pytest.raises(OptionError, match=message):
        tile_symbolically(schedule(CUBE), NOTHING, NAMES, options)


def test_loops_by_address_in_two_bands() -> None:
    options = SymbolicTileOptions(loops=(LoopAddress.parse("S.1"), LoopAddress.parse("S.2")))
    outcome = tile_symbolically(schedule(CUBE), NOTHING, NAMES, options)
    assert outcome.done == ("tiled S.1, S.2 by T0 x T1",)
    points = [("S", point) for point in product(range(4), repeat=3)]
    points.sort(key=lambda at: (at[1][0], at[1][1] // 3, at[1][2] // 2, at[1]))
    assert tile_order(outcome.schedule, (3, 2)) == points


class _Counter(Machine):
    """Counts the iterations of the innermost of so many loops over tiles, and those with stores."""

    def __init__(self, depth: int) -> None:
        super().__init__(0)
        self.visited = 0
        self.filled = 0
        self._depth = depth
        self._around = 0
        self._stores = 0

    def _loop(
        self, op: affine.ForOp | scf.ForOp, iterations: range, inits: Sequence[SSAValue]
    ) -> None:
        self._around += 1
        for iteration in iterations:
            before = self._stores
            super()._loop(op, range(iteration, iteration + 1), inits)
            if self._around == self._depth:
                self.visited += 1
                self.filled += self._stores > before
        self._around -= 1

    def _store(self, op: object, subscripts: Sequence[int]) -> None:
        self._stores += 1


def tiles_visited(function: FuncOp, values: Sequence[int], depth: int) -> tuple[int, int]:
    """How many tiles are visited, and in how many of them points run."""
    machine = _Counter(depth)
    remaining = iter(values)
    for position, argument in enumerate(function.body.block.args):
        is_index = isinstance(argument.type, IndexType)
        machine.values[argument] = next(remaining) if is_index else position
    machine.run_block(function.body.blocks[0])
    return machine.visited, machine.filled


@pytest.mark.parametrize("sizes", [(1, 1), (2, 3), (4, 4), (3, 17), (50, 50)])
def test_the_outset_is_exact_and_the_box_is_the_hull(sizes: tuple[int, int]) -> None:
    # After Pluto the points are a parallelogram: 0 <= t < steps, t + 1 <= j < t + n - 1.
    steps, n = 9, 12
    points = [(t, t + i) for t in range(steps) for i in range(1, n - 1)]
    filled = {(t // sizes[0], j // sizes[1]) for t, j in points}
    hull = [range(min(each), max(each) + 1) for each in zip(*filled, strict=True)]
    text = (EXAMPLES / "stencil-1d.mlir").read_text()
    counts = {}
    for origins in ("outset", "box"):
        pipeline = f"pluto-schedule,tile-symbolic{{origins={origins}}}"
        with remarks_to(lambda remark: None):
            loops = api.lower(api.run_pipeline(api.parse(text), pipeline))
        counts[origins] = tiles_visited(function_of(loops), (steps, n, *sizes), 2)
    assert counts["outset"] == (len(filled), len(filled))
    assert counts["box"] == (len(hull[0]) * len(hull[1]), len(filled))
    if sizes == (2, 3):
        # Corners of the hull are empty.
        assert counts["outset"][0] < counts["box"][0]


CALLED = """
func.func @inner(%n: index, %a: memref<?x?xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.store %zero, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
"""


def test_a_function_that_is_called_keeps_its_arguments() -> None:
    call = """func.func @outer(%n: index, %a: memref<?x?xf64>) {
      call @inner(%n, %a) : (index, memref<?x?xf64>) -> ()
      return
    }"""
    with pytest.raises(
        PolyirError, match="cannot add tile sizes to the arguments of @inner: the module"
    ):
        api.run_pipeline(api.parse(CALLED + call), "tile-symbolic")


def test_sizes_have_names_of_their_own() -> None:
    text = CALLED.replace("%n", "%T0")
    module = api.run_pipeline(api.parse(text), "tile-symbolic,tile-symbolic")
    names = [argument.name_hint for argument in function_of(module).body.block.args]
    assert names == ["T0", "a", "T1", "T2", "T3", "T4"]


def test_polyir_run_gives_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--pluto-schedule", "--tile-symbolic", "--tile-sizes=7,3", "--repeat=1"]
    sizes = ["--size=n=40", "--size=steps=9", "--size=T1=5"]
    assert polyir_run([*flags, *sizes, "--threads=1", str(EXAMPLES / "stencil-1d.mlir")]) == 0
    assert "outputs are bit-identical" in capsys.readouterr().out


def test_a_region_of_a_c_file_has_no_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "in.c"
    source.write_text(
        "void f(int n, double a[n][n]) {\n#pragma scop\n  for (int i = 0; i < n; i++)\n"
        "    for (int j = 0; j < n; j++)\n      a[i][j] = 0;\n#pragma endscop\n}\n"
    )
    assert polyir_cc([str(source), "--passes=tile-symbolic", "-o", str(tmp_path / "o.c")])
    assert "symbolic tile sizes are further arguments" in capsys.readouterr().err


def test_a_size_that_is_no_parameter() -> None:
    module = api.run_pipeline(api.parse(CALLED), "poly-dependences")
    (scop,) = scops_in(module)
    band = scop_of(scop).schedule.root.child(0)
    marked = with_tiles(band, SymbolicTiles("outset", ("X",))).schedule
    replace_tree(scop, Outcome(marked))
    with pytest.raises(PolyirError, match="tiles of the size X, which is not a parameter"):
        api.lower(module)
