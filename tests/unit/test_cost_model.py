"""The cost model against counts of what small programs do, element by element."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from functools import cache
from math import prod

import islpy as isl
import pytest
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.choose.innermost import overlap_tests
from polyir.choose.loop_tree import bands_of
from polyir.choose.machine import Cache, Machine
from polyir.choose.model import USABLE, CostModel
from polyir.choose.program import Kind, constraints_of, function_of, region_of, strides_of
from polyir.choose.regions import Form, count
from polyir.choose.states import State
from polyir.choose.tile_sizes import tile_sizes
from polyir.dialects.scop import scops_in
from polyir.model.memory_accesses import accesses_in
from polyir.model.scop import Scop, scop_of
from polyir.model.vectors import element_bytes
from polyir.sets.lists import maps_of


@cache
def _scop(kernel: str, passes: str = "poly-dependences") -> Scop:
    return _scop_of(KERNELS[kernel].path.read_text(), passes)


def _scop_of(text: str, passes: str) -> Scop:
    with remarks_to(lambda remark: None):
        (found,) = map(scop_of, scops_in(api.run_pipeline(api.parse(text), passes)))
    return found


@pytest.mark.parametrize(
    ("points", "tolerance"),
    [
        ("{ [i, j] : 0 <= i < 20 and 3 <= j < 9 }", 0.0),
        ("{ [i, j] : 0 <= i < 20 and 0 <= j <= i }", 0.001),
        ("{ [i, j, k] : 0 <= i < 24 and 0 <= j <= i and 0 <= k <= j }", 0.02),
        ("{ [t, x] : 0 <= t < 16 and t <= x < t + 10 }", 0.0),
        # Only together, the constraints say that i is 2 or more.
        ("{ [i, j, k] : 0 <= j <= 20 - i and j <= k <= j + i - 2 }", 0.01),
    ],
)
def test_points_are_counted(points: str, tolerance: float) -> None:
    these = isl.Set(points)
    region = region_of(these, {})
    forms = [Form(((n, 1.0),)) for n in range(these.dim(isl.dim_type.set))]
    exact = these.count_val().to_python()
    assert count(region, forms) == pytest.approx(exact, rel=tolerance)


@pytest.mark.parametrize(
    ("points", "strides"),
    [
        ("{ [i, j, k] : 0 <= i, j, k < 20 and (i + j + k) mod 2 = 0 }", (1, 1, 2)),
        ("{ [i, j] : 0 <= i, j < 20 and i mod 4 = 0 and (i + j) mod 5 = 0 }", (4, 5)),
        ("{ [i, j] : 0 <= i, j < 20 }", (1, 1)),
    ],
)
def test_strides_are_those_inside_the_loops_before(points: str, strides: tuple[int, ...]) -> None:
    these = isl.Set(points)
    assert strides_of(these) == strides
    assert these.count_val().to_python() * prod(strides) == 20 ** len(strides)


def test_a_skewed_form_has_its_exact_range() -> None:
    points = isl.Set("{ [t, i] : 0 <= t < 100 and 0 <= i < 50 and 90 <= 3t + i < 100 }")
    region = region_of(points, {})
    assert constraints_of(points, {})
    low, high = region.range(Form(((0, 2.0), (1, 1.0))))
    exact = isl.Map("{ [t, i] -> [2t + i] }").intersect_domain(points).range()
    assert low == pytest.approx(exact.dim_min_val(0).to_python(), abs=1.5)
    assert high == pytest.approx(exact.dim_max_val(0).to_python(), abs=1.5)


def test_a_wave_of_tiles_fixes_the_first_tile_when_the_second_is_known() -> None:
    points = isl.Set("{ [i, j] : 0 <= i < 256 and 0 <= j < 256 }")
    wave = isl.PwAff("{ [i, j] -> [16*floor(i/16) + 16*floor(j/16)] }")
    second = isl.PwAff("{ [i, j] -> [16*floor(j/16)] }")
    state = State(region_of(points, {})).at(function_of(wave, {}), 96.0)
    state = state.at(function_of(second, {}), 32.0)
    assert (state.region.low, state.region.high) == ([64.0, 32.0], [79.0, 47.0])


def test_private_arrays_are_used_again() -> None:
    passes = "tile{sizes=24 min-width=1},wavefront{which=inner}"
    sizes = {"tsteps": 10, "n": 1000}
    shared = CostModel(_scop("adi", passes), Machine(), sizes, threads=1)
    scop = _scop("adi", f"{passes},promote-private")
    private = CostModel(scop, Machine(), sizes, threads=1)
    # Each tile of 24 lines has one, and copies it out in 1 of 10 time steps.
    (local,) = (r for r in private.statements["S4"].references if r.is_write)
    assert local.array == "q_local"
    assert local.elements == 998 * 24
    assert local.subscripts == (Form(((2, 1.0),)), Form(((1, 1.0),)))
    copy = private.statements["p_out"]
    assert copy.strides == (24, 1, 24, 1, 1)
    exact = copy.statement.domain
    for name, value in sizes.items():
        exact = exact.intersect_params(isl.Set(f"[{name}] -> {{ : {name} = {value} }}"))
    forms = [Form(((n, 1.0),)) for n in range(5)]
    instances = copy.share * count(copy.region, forms)
    assert instances == pytest.approx(exact.count_val().to_python(), rel=0.05)
    whole = shared.estimate(_scop("adi", passes).schedule)
    assert private.estimate(scop.schedule).traffic[-1] < 0.6 * whole.traffic[-1]


PITCH = 13


def _simulated(scop: Scop, size: int, capacity: int, line: int) -> float:
    """The bytes that come into a fully associative cache, and go from it, by running the program.

    Rows of arrays are a bit longer than `size`, so that they start anywhere in a line.
    """
    order: list[tuple[tuple[int, ...], str, tuple[int, ...]]] = []
    statements = {each.name: each for each in scop.statements}
    dates = scop.schedule.map.intersect_domain(scop.domain)
    for part in maps_of(dates):
        for each in range(part.dim(isl.dim_type.param)):
            part = part.fix_val(isl.dim_type.param, each, isl.Val(size))
        name = part.get_tuple_name(isl.dim_type.in_)
        rank = part.dim(isl.dim_type.in_)

        def visit(point: isl.Point, name: str = name, rank: int = rank) -> None:
            values = [
                point.get_coordinate_val(isl.dim_type.set, n).to_python()
                for n in range(point.get_space().dim(isl.dim_type.set))
            ]
            order.append((tuple(values[rank:]), name, tuple(values[:rank])))

        flat = part.domain_factor_domain() if part.domain_is_wrapping() else part
        flat.wrap().flatten().foreach_point(visit)
    longest = max(len(date) for date, _, _ in order)
    order.sort(key=lambda item: (item[0] + (0,) * (longest - len(item[0])), item[1]))
    lines: OrderedDict[tuple[object, ...], bool] = OrderedDict()
    moved = 0
    models = CostModel(scop, Machine(), dict.fromkeys(_parameters(scop), size)).statements
    for _, name, point in order:
        for reference in models[statements[name].name].accesses:
            assert reference.subscripts is not None
            cell = [
                round(form.constant + sum(f * point[v] for v, f in form.terms))
                for form in reference.subscripts
            ]
            number = 0
            for subscript in cell:
                number = number * (size + PITCH) + subscript
            key = (reference.array, number * reference.bytes // line)
            if key not in lines:
                moved += line
            lines[key] = lines.pop(key, False) or reference.is_write
            if len(lines) * line > capacity:
                moved += line * lines.popitem(last=False)[1]
    return moved + line * sum(lines.values())


def _parameters(scop: Scop) -> list[str]:
    return list(scop.op.parameter_values)


@pytest.mark.parametrize(
    ("kernel", "passes", "size", "capacity"),
    [
        ("gemm", "poly-dependences", 32, 4096),
        ("gemm", "poly-dependences", 32, 64 * 1024),
        ("gemm", "pluto-schedule,tile{sizes=8}", 32, 4096),
        ("trmm", "poly-dependences", 32, 64 * 1024),
        ("syrk", "poly-dependences", 32, 1024),
        ("lu", "poly-dependences", 32, 64 * 1024),
        ("jacobi-2d", "poly-dependences", 24, 2048),
        ("atax", "poly-dependences", 48, 4096),
    ],
)
def test_traffic_is_that_of_a_simulated_cache(
    kernel: str, passes: str, size: int, capacity: int
) -> None:
    scop = _scop(kernel, passes)
    machine = Machine(caches=(Cache(round(capacity / USABLE)),))
    sizes = dict.fromkeys(_parameters(scop), size)
    cost = CostModel(scop, machine, sizes, 1).estimate(scop.schedule)
    exact = _simulated(scop, size, capacity, 64)
    assert cost.traffic[0] == pytest.approx(exact, rel=0.35)


def test_sizes_of_arrays_are_as_they_are() -> None:
    scop = _scop("gemm")
    assert {element_bytes(each.type) for each in scop.arrays.values()} == {8}  # type: ignore[arg-type]


def test_work_is_counted_whatever_the_tiles() -> None:
    plain, tiled = _scop("gemm", "pluto-schedule"), _scop("gemm", "pluto-schedule,tile")
    machine = replace(Machine(), loop_cycles=0.001, reorder_operations=1.0)
    costs = [CostModel(s, machine, threads=1).estimate(s.schedule) for s in (plain, tiled)]
    assert costs[0].compute == pytest.approx(costs[1].compute, rel=0.05)


def test_tiles_without_building_the_tree() -> None:
    scop, built = _scop("gemm", "pluto-schedule"), _scop("gemm", "pluto-schedule,tile")
    model = CostModel(scop, Machine(), threads=1)
    tree = model.tree(scop.schedule)
    band = max(bands_of(tree), key=len)[0].band
    cost = model.tiled_cost(tree, band, [(32, 32, 32)])
    whole = CostModel(built, Machine(), threads=1).estimate(built.schedule)
    assert cost.traffic[0] == pytest.approx(whole.traffic[0], rel=0.1)


def test_tiles_pay_for_a_product_and_not_for_a_sum() -> None:
    scop = _scop("gemm", "spatial-schedule")
    model = CostModel(scop, Machine(), threads=1)
    tree = model.tree(scop.schedule)
    band = max(bands_of(tree), key=len)[0].band
    choice = tile_sizes(model, tree, band, must_tile=True)
    assert len(choice.levels[-1]) == len(max(bands_of(tree), key=len))
    assert choice == tile_sizes(model, tree, band, must_tile=True)
    small = _scop("jacobi-1d", "pluto-schedule")
    little = CostModel(small, Machine(), dict.fromkeys(_parameters(small), 100))
    tree = little.tree(small.schedule)
    assert tile_sizes(little, tree, bands_of(tree)[0][0].band).levels == ()


def test_rows_that_may_overlap_are_tested_before_vector_loops() -> None:
    models = [CostModel(_scop("jacobi-2d"), Machine()).statements[name] for name in ("S0", "S1")]
    # B[i] is written; A[i - 1], A[i] and A[i + 1] are of another array.
    assert overlap_tests(models[:1], False) == 0
    assert overlap_tests(models[:1], True) == 3
    seidel = CostModel(_scop("seidel-2d"), Machine()).statements["S0"]
    assert overlap_tests([seidel], False) == 2


SUMS = """
func.func @sums(%n: index, %x: memref<?xf64>, %y: memref<?xf64>, %A: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %x[%i] : memref<?xf64>
      %1 = affine.load %FACTOR : memref<?xf64>
      %2 = arith.mulf %0, %1 : f64
      %3 = arith.mulf %2, %1 : f64
      %4 = arith.divf %3, %0 : f64
      %5 = affine.load %A[%i, %j] : memref<?x?xf64>
      %6 = arith.addf %4, %5 : f64
      affine.store %6, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
"""


def test_what_a_loop_does_not_change_is_computed_before_it() -> None:
    def compute(text: str) -> float:
        scop = _scop_of(text, "poly-dependences")
        return CostModel(scop, Machine(), threads=1).estimate(scop.schedule).compute

    before = SUMS.replace("%FACTOR", "%y[%i]")
    # The division alone takes longer than all the rest.
    assert compute(before) < compute(SUMS.replace("%FACTOR", "%y[%j]")) / 3
    # An element that the loop changes is another one each time.
    in_place = before.replace("%A[%i, %j] : memref<?x?xf64>", "%x[%i] : memref<?xf64>")
    assert compute(in_place) > 3 * compute(before)
    # So is a factor of a product: nothing else needs the iterators of all three loops.
    (product,) = (s for s in CostModel(_scop("gemm"), Machine()).statements.values() if s.is_sum)
    assert product.work.count(Kind.ARITHMETIC) == 2
    assert product.least_arithmetic == 1


def test_loops_that_need_many_tests_for_overlaps_run_without_vectors() -> None:
    lines = "".join(
        f"%{n} = affine.load %A[%i, %j] : memref<?x?xf64>\n"
        f"affine.store %{n}, %B{n}[%i, %j] : memref<?x?xf64>\n"
        for n in range(5)
    )
    arrays = ", ".join(f"%B{n}: memref<?x?xf64>" for n in range(5))
    text = f"""
    func.func @copies(%n: index, %A: memref<?x?xf64>, {arrays}) {{
      affine.for %i = 0 to %n {{
        affine.for %j = 0 to %n {{
          {lines}
        }}
      }}
      return
    }}
    """
    passes = ("poly-dependences", "poly-dependences,mark-parallel")
    scops = [_scop_of(text, each) for each in passes]
    # In a parallel region, where C compilers know no more of pointers, there are 15 tests.
    costs = [CostModel(each, Machine(), threads=2).estimate(each.schedule) for each in scops]
    assert costs[1].compute > 1.5 * costs[0].compute / 2


def test_short_loops_cost_their_starts_beside_the_traffic() -> None:
    scop = _scop("fdtd-2d", "spatial-schedule,tile,wavefront,intra-tile-order,mark-parallel")
    long = _scop("fdtd-2d", "spatial-schedule")
    costs = [CostModel(s, Machine(), threads=1).estimate(s.schedule) for s in (scop, long)]
    assert costs[0].starts > 10 * costs[1].starts
    assert costs[0].cycles == pytest.approx(
        max(costs[0].compute, *costs[0].times) + costs[0].starts + costs[0].overhead
    )


def test_traffic_of_partial_tiles_is_that_of_their_instances() -> None:
    """Far fewer instances are in tiles than in as many complete ones: all parts are scaled."""
    passes = "pluto-schedule,intra-tile-order{distribute=false},tile{sizes=8,16,32,512}"
    tiled, plain = _scop("heat-3d", passes), _scop("heat-3d")
    costs = [CostModel(s, Machine(), threads=1).estimate(s.schedule) for s in (tiled, plain)]
    assert costs[0].traffic[0] < 1.5 * costs[1].traffic[0]


def test_strided_points_without_bounds_or_values() -> None:
    unbounded = region_of(isl.Set("{ [i] : i mod 4 = 0 and i >= 0 }"), {})
    assert unbounded.low == [0.0]
    none = region_of(isl.Set("[n] -> { [i] : i mod 4 = 0 and 10 <= i < n }"), {"n": 3})
    assert none.is_empty


def test_only_full_tiles_that_are_apart_keep_a_row_in_registers() -> None:
    blocks = "register-tile{rows=8 vectors=3 width=8 masked=true}"
    apart = _scop("doitgen", f"pluto-schedule{{fuse=none}},{blocks}")
    tiled = _scop("doitgen", f"spatial-schedule,tile{{sizes=48,48,240}},{blocks}")
    costs = [CostModel(s, Machine(), threads=1).estimate(s.schedule) for s in (apart, tiled)]
    assert costs[1].compute > 1.3 * costs[0].compute


def test_the_value_for_the_next_iteration_stays_in_a_register_but_not_in_tiles() -> None:
    text = """
    func.func @prefix(%n: index, %x: memref<?xi32>) {
      affine.for %i = 1 to %n {
        %0 = affine.load %x[%i - 1] : memref<?xi32>
        %1 = affine.load %x[%i] : memref<?xi32>
        %2 = arith.addi %0, %1 : i32
        affine.store %2, %x[%i] : memref<?xi32>
      }
      return
    }
    """
    costs = []
    for passes in ("poly-dependences", "tile{sizes=32 min-width=1}"):
        found = _scop_of(text, passes)
        costs.append(CostModel(found, Machine(), threads=1).estimate(found.schedule).compute)
    assert costs[1] > 3 * costs[0]


def test_statements_are_not_used_by_the_model() -> None:
    """Narrow integers are found in a copy of the statement, which must not stay."""
    text = """
    func.func @f(%A: memref<100xi8>, %B: memref<100xi8>) {
      %four = arith.constant 4 : i32
      affine.for %i = 0 to 100 {
        %a = affine.load %A[%i] : memref<100xi8>
        %0 = arith.extui %a : i8 to i32
        %1 = arith.muli %0, %four : i32
        %2 = arith.trunci %1 : i32 to i8
        affine.store %2, %B[%i] : memref<100xi8>
      }
      return
    }
    """
    scop = _scop_of(text, "poly-dependences")
    (array, _) = {access.memref for op in scop.op.walk() for access in accesses_in(op)}
    uses = len(tuple(array.uses))
    model = CostModel(scop, Machine(), {})
    assert model.element_bytes == 2
    assert len(tuple(array.uses)) == uses


def test_quotients_of_integers_have_no_vectors_but_by_constants() -> None:
    text = """
    func.func @remainders(%n: index, %m: i32, %a: memref<?xi32>, %b: memref<?xi32>) {
      %c = arith.constant 7 : i32
      affine.for %i = 0 to %n {
        %0 = affine.load %a[%i] : memref<?xi32>
        %1 = arith.remui %0, DIVISOR : i32
        affine.store %1, %b[%i] : memref<?xi32>
      }
      return
    }
    """
    machine = replace(Machine(), integer_division_cycles=25)
    cycles = {}
    for divisor in ("%c", "%m"):
        scop = _scop_of(text.replace("DIVISOR", divisor), "poly-dependences")
        model = CostModel(scop, machine, sizes={"n": 1000})
        cycles[divisor] = model.estimate(scop.schedule).compute
    assert cycles["%m"] == pytest.approx(25_000, rel=0.01)
    assert cycles["%c"] < 2_000
