"""Hexagonal tiles: their shape, the partition, time steps and slopes, what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import floor

import islpy as isl
import pytest
from execution import Instance, assert_respects, execution, flow, pairs, schedule
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import LegalityError, OptionError, remarks_to
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import ParallelAttr
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.proofs.bands import active_at, facts_of_band
from polyir.sets.lists import maps_of, sets_of
from polyir.transform.hexagonal import HexagonalOptions, hexagonal_tile
from polyir.transform.hexagons import Hexagons
from polyir.transform.stencils import time_steps
from polyir.tree import Kind, Schedule, ScheduleNode, mapped_children
from polyir.tree.nodes import is_same

BAND = Kind.BAND

STENCIL = """{ domain: "[T, n] -> { S[t, i] : 0 <= t < T and 0 <= i < n }", child: {
  schedule: "[T, n] -> [{ S[t, i] -> [t] }, { S[t, i] -> [t + i] }]", permutable: 1 } }"""


def to(*targets: str) -> Dependences:
    """Dependences of `STENCIL` from S[t, i] to the given instances."""
    inside = "0 <= t, u < T and 0 <= i, k < n"
    return flow(
        *(
            f"[T, n] -> {{ S[t, i] -> S[u, k] : exists a, b : u = t + a and k = i + b and {inside} "
            f"and {target} }}"
            for target in targets
        )
    )


JACOBI = to("a = 1 and -1 <= b <= 1")


def bands_of(tree: Schedule) -> list[ScheduleNode]:
    """The bands from the root down, as long as there is one way."""
    node, found = tree.root, []
    while node.n_children == 1:
        node = node.child(0)
        if node.kind is BAND:
            found.append(node)
    return found


def scheduled(kernel: str, scheduler: str = "pluto-schedule") -> tuple[Scop, Dependences]:
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[kernel].path.read_text()), scheduler)
    (op,) = scops_in(module)
    scop = scop_of(op)
    assert scop.dependences is not None
    return scop, scop.dependences


def points(shape: isl.Set) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()

    def add(point: isl.Point) -> None:
        t, s = (point.get_coordinate_val(isl.dim_type.set, place) for place in (0, 1))
        found.add((int(t.to_python()), int(s.to_python())))

    shape.foreach_point(add)
    return found


def tile_map(hexagons: Hexagons) -> isl.Map:
    """`{ [t, s] -> [wave, position] }`."""
    wave = isl.Map.from_pw_aff(hexagons.wave())
    return wave.flat_range_product(isl.Map.from_pw_aff(hexagons.position()))


def hexagon(hexagons: Hexagons, wave: int, position: int) -> set[tuple[int, int]]:
    """The points of one hexagon."""
    where = isl.Set(f"{{ [{wave}, {position}] }}")
    return points(tile_map(hexagons).intersect_range(where).domain())


def hexagon_of_the_paper(
    h: int, w0: int, delta0: Fraction, delta1: Fraction
) -> set[tuple[int, int]]:
    """The points (a, b) that the constraints (6) to (13) of the paper allow."""
    left, right = floor(delta1 * h), floor(delta0 * h)
    rounding0, rounding1 = (Fraction(d.denominator - 1, d.denominator) for d in (delta0, delta1))
    return {
        (a, b)
        for a, b in product(range(2 * h + 2), range(-50, 50))
        if delta0 * a - b <= (2 * h + 1) * delta0 - right
        and delta1 * a + b <= (2 * h + 1) * delta1 + right + w0
        and delta1 * a + b >= h * delta1 - rounding1
        and delta0 * a - b >= h * delta0 - right - w0 - left - rounding0
    }


@pytest.mark.parametrize(
    ("h", "w0", "delta0", "delta1"),
    [(2, 3, "1", "2"), (2, 3, "1", "1"), (0, 0, "1", "1"), (3, 4, "1/2", "5/3"), (4, 1, "0", "1")],
)
def test_shape_of_the_paper(h: int, w0: int, delta0: str, delta1: str) -> None:
    high, low = Fraction(delta0), -Fraction(delta1)
    hexagons = Hexagons(h + 1, w0 + 1, low, high)
    expected = hexagon_of_the_paper(h, w0, high, -low)
    for wave, position in [(0, 0), (1, 0), (-3, 2)]:
        t, s = wave * hexagons.height, wave * hexagons.shift + position * hexagons.period
        assert hexagon(hexagons, wave, position) == {(t + a, s + b) for a, b in expected}


def test_rows_of_a_hexagon() -> None:
    """With h = 2 and w0 = 3: of slopes 1 and 2, and those of jacobi-1d."""

    def rows(low: int, high: int) -> list[tuple[int, int]]:
        shape = hexagon(Hexagons(3, 4, Fraction(low), Fraction(high)), 0, 0)
        columns = [[s for t, s in shape if t == row] for row in range(6)]
        return [(min(row), len(row)) for row in columns]

    assert rows(-2, 1) == [(4, 4), (2, 7), (0, 10), (0, 10), (1, 7), (2, 4)]
    assert rows(-1, 1) == [(2, 4), (1, 6), (0, 8), (0, 8), (1, 6), (2, 4)]


def crossings(hexagons: Hexagons) -> isl.Map:
    """Pairs of hexagons with a dependence that the order of the waves does not respect."""
    low, high = hexagons.low, hexagons.high
    cone = isl.Map(
        f"{{ [t, s] -> [u, v] : u > t and {low.numerator}*(u - t) <= {low.denominator}*(v - s) "
        f"and {high.denominator}*(v - s) <= {high.numerator}*(u - t) }}"
    )
    tiles = tile_map(hexagons)
    wrong = isl.Map("{ [w, p] -> [v, q] : v < w or (v = w and p != q) }")
    return cone.apply_domain(tiles).apply_range(tiles).intersect(wrong)


@pytest.mark.parametrize("height", [1, 2, 3, 4])
@pytest.mark.parametrize("low", ["0", "-1/2", "-1", "-2"])
@pytest.mark.parametrize("high", ["0", "1/2", "1", "5/3"])
def test_hexagons_of_a_wave_are_independent(height: int, low: str, high: str) -> None:
    """For all points of the plane and the whole cone of dependences."""
    narrow = Hexagons(height, 1, Fraction(low), Fraction(high))
    for extra in (0, 1, 3):
        hexagons = Hexagons(height, narrow.least_width + extra, narrow.low, narrow.high)
        tiles = tile_map(hexagons)
        assert tiles.is_single_valued()
        assert tiles.domain().is_equal(isl.Set("{ [t, s] }"))
        assert crossings(hexagons).is_empty()


@pytest.mark.parametrize(("low", "high", "least"), [(-2, 1, 2), (-1, 3, 3), (0, 2, 2)])
def test_narrower_hexagons_depend_on_each_other(low: int, high: int, least: int) -> None:
    hexagons = Hexagons(3, least, Fraction(low), Fraction(high))
    assert hexagons.least_width == least
    assert not crossings(Hexagons(3, least - 1, hexagons.low, hexagons.high)).is_empty()


@pytest.mark.parametrize(
    ("kernel", "scheduler", "multiple", "constants"),
    [
        ("jacobi-1d", "pluto-schedule", 2, {"S0": 0, "S1": 1}),
        ("heat-3d", "isl-schedule", 2, {"S0": 0, "S1": 1}),
        ("fdtd-2d", "pluto-schedule", 2, {"S0": 0, "S1": 0, "S2": 0, "S3": 1}),
    ],
)
def test_time_steps(kernel: str, scheduler: str, multiple: int, constants: dict[str, int]) -> None:
    scop, dependences = scheduled(kernel, scheduler)
    (band,) = bands_of(scop.schedule)
    steps = time_steps(active_at(band, dependences), band.band.functions_by_statement, "the band")
    assert steps == (multiple, constants)


def places(nodes: Sequence[ScheduleNode], **parameters: int) -> dict[Instance, tuple[int, ...]]:
    """The values of the members of some bands for each instance; there is one of each."""
    found: dict[Instance, tuple[int, ...]] = {}
    for node in nodes:
        function = isl.UnionMap.from_multi_union_pw_aff(node.band.partial_schedule)
        seen: set[Instance] = set()
        for part in maps_of(function.intersect_domain(node.schedule.domain)):
            for instance, values in pairs(part, **parameters):
                assert instance not in seen
                seen.add(instance)
                found[instance] = (*found.get(instance, ()), *values)
    return found


@pytest.mark.parametrize(
    ("kernel", "parameters"),
    [
        ("jacobi-1d", {"tsteps": 9, "n": 50}),
        ("jacobi-2d", {"tsteps": 5, "n": 14}),
        ("heat-3d", {"tsteps": 3, "n": 8}),
        ("fdtd-2d", {"tmax": 4, "nx": 9, "ny": 12}),
    ],
)
@pytest.mark.parametrize(("height", "width"), [(2, 3), (3, 4)])
def test_tiles_of_a_kernel(
    kernel: str, parameters: dict[str, int], height: int, width: int
) -> None:
    """Instance by instance: each is in one tile, and no two tiles of a wave need an order."""
    scop, dependences = scheduled(kernel)
    options = HexagonalOptions(height, width, (3,))
    outcome = hexagonal_tile(scop.schedule, dependences, options)
    assert outcome.missed == ()
    bands = bands_of(outcome.schedule)
    tiles = places(bands[:-1], **parameters)
    instances = {
        instance
        for part in sets_of(scop.schedule.domain)
        for instance, _ in pairs(isl.Map.from_domain(part), **parameters)
    }
    assert set(tiles) == instances
    assert len({tile[:2] for tile in tiles.values()}) >= 4
    crossing = 0
    for dependence in dependences.ordering:
        for source, target in pairs(dependence.relation, **parameters):
            before, after = tiles[source], tiles[dependence.target, target]
            assert before[0] <= after[0]
            if before[0] == after[0]:
                assert before[1] == after[1]
                assert before[2:] <= after[2:]
            crossing += before != after
    assert crossing
    assert_respects(execution(outcome.schedule, **parameters), dependences, **parameters)


@pytest.mark.parametrize("kernel", ["jacobi-1d", "jacobi-2d", "heat-3d", "fdtd-2d"])
@pytest.mark.parametrize("scheduler", ["pluto-schedule", "isl-schedule"])
def test_flags(kernel: str, scheduler: str) -> None:
    """For all sizes: the hexagons of a wave, and the points of a time step, are parallel."""
    scop, dependences = scheduled(kernel, scheduler)
    tree = hexagonal_tile(scop.schedule, dependences, HexagonalOptions(3, 8, (8,))).schedule
    wave, position, *classical, time = bands_of(tree)
    assert facts_of_band(position, dependences).coincident == (True,)
    flags = [band.coincident for band in (wave, position, time)]
    assert flags == [(False,), (True,), (False,)]
    assert all(not any(band.coincident) for band in classical)
    assert all(band.permutable for band in classical)
    steps = time.child(0)
    assert steps.kind is Kind.SEQUENCE
    assert steps.n_children == 2
    for number in range(2):
        inside = steps.child(number).child(0)
        assert all(inside.coincident)


def test_points_do_not_move_with_time() -> None:
    """Loops that the scheduler skewed are loops over elements again."""
    scop, dependences = scheduled("fdtd-2d", "isl-schedule")
    tree = hexagonal_tile(scop.schedule, dependences, HexagonalOptions(4, 4, (32,))).schedule
    steps = bands_of(tree)[-1].child(0)
    inner = steps.child(1).child(0).band.partial_schedule
    expected = isl.MultiUnionPwAff("[{ S3[t, i, j] -> [i] }, { S3[t, i, j] -> [j] }]")
    assert all(inner.get_at(n).plain_is_equal(expected.get_at(n)) for n in range(2))


def test_parallelograms_start_at_the_same_points_in_each_wave() -> None:
    scop, dependences = scheduled("jacobi-2d")
    tree = hexagonal_tile(scop.schedule, dependences, HexagonalOptions(2, 3, (4,))).schedule
    bands = bands_of(tree)
    tiles = places(bands[:3], tsteps=8, n=30)
    starts: dict[int, set[int]] = {}
    for (name, (t, _, j)), (wave, _, tile) in tiles.items():
        # The first time step of a wave, which has no skewed rows yet.
        if 2 * t + (name == "S1") == 2 * wave:
            assert tile == j - j % 4
            starts.setdefault(wave, set()).add(tile)
    assert len(starts) > 3


def test_a_loop_and_the_bands_inside_it() -> None:
    """A nest that nobody has skewed."""
    text = STENCIL.replace(
        ', { S[t, i] -> [t + i] }]", permutable: 1 }',
        ']", child: { schedule: "[T, n] -> [{ S[t, i] -> [i] }]" } }',
    )
    outcome = hexagonal_tile(schedule(text), JACOBI, HexagonalOptions(2, 2, (32,)))
    assert outcome.done == (
        "tiled the nest of 2 over S: hexagons of height 2 and width 2 along loops 1 and 2",
    )
    assert [band.coincident for band in bands_of(outcome.schedule)] == [
        (False,),
        (True,),
        (False,),
        (True,),
    ]
    assert_respects(execution(outcome.schedule, T=9, n=11), JACOBI, T=9, n=11)


def test_slopes_that_are_no_integers() -> None:
    """Two steps to the right in three, one to the left in two."""
    dependences = to("a = 3 and b = 2", "a = 2 and b = -1", "a >= 4 and b = 0")
    outcome = hexagonal_tile(schedule(STENCIL), dependences, HexagonalOptions(2, 2, (32,)))
    assert outcome.missed == ()
    assert_respects(execution(outcome.schedule, T=14, n=17), dependences, T=14, n=17)


def test_what_is_below_the_nest_stays() -> None:
    """Each point sums up in a loop of its own."""
    tree = schedule(
        """{ domain: "{ S[t, i, k] : 0 <= t < 6 and 0 <= i < 9 and 0 <= k < 3 }", child: {
          schedule: "[{ S[t, i, k] -> [t] }, { S[t, i, k] -> [t + i] }]", permutable: 1, child: {
          schedule: "[{ S[t, i, k] -> [k] }]" } } }"""
    )
    dependences = flow(
        "{ S[t, i, k] -> S[t, i, k + 1] : 0 <= t < 6 and 0 <= i < 9 and 0 <= k < 2 }",
        "{ S[t, i, 2] -> S[t + 1, j, 0] : i - 1 <= j <= i + 1 and 0 <= t < 5 and 0 <= i, j < 9 }",
    )
    outcome = hexagonal_tile(tree, dependences, HexagonalOptions(2, 2, (32,)))
    assert outcome.done == (
        "tiled the band of 2 over S: hexagons of height 2 and width 2 along loops 1 and 2",
    )
    assert [band.coincident for band in bands_of(outcome.schedule)] == [
        (False,),
        (True,),
        (False,),
        (True,),
        (False,),
    ]
    assert_respects(execution(outcome.schedule), dependences)


def test_statements_without_a_cycle_need_no_time_steps() -> None:
    """R reads what S writes in the same iteration, but S nothing of R's: R is a step later."""
    tree = schedule(
        """{ domain: "{ S[t, i] : 0 <= t, i < 8; R[t, i] : 0 <= t, i < 8 }", child: {
          schedule: "[{ S[t,i] -> [t]; R[t,i] -> [t] }, { S[t,i] -> [t+i]; R[t,i] -> [t+i+1] }]",
          permutable: 1, child: { sequence: [ { filter: "{ S[t, i] }" },
                                              { filter: "{ R[t, i] }" } ] } } }"""
    )
    dependences = flow(
        "{ S[t, i] -> S[t + 1, k] : i - 1 <= k <= i + 1 and 0 <= t < 7 and 0 <= i, k < 8 }",
        "{ S[t, i] -> R[t, k] : i - 1 <= k <= i and 0 <= t, i, k < 8 }",
    )
    (band,) = bands_of(tree)
    steps = time_steps(active_at(band, dependences), band.band.functions_by_statement, "the band")
    assert steps == (1, {"S": 0, "R": 1})
    outcome = hexagonal_tile(tree, dependences, HexagonalOptions(2, 4, (32,)))
    assert outcome.missed == ()
    assert_respects(execution(outcome.schedule), dependences)


def test_attributes_of_loops() -> None:
    """The loop over the hexagons of a wave has those for a loop over blocks."""

    def marked(node: ScheduleNode) -> ScheduleNode:
        if node.kind is BAND:
            node = node.with_loop_attributes([(), (ParallelAttr(),)])
        return mapped_children(node, marked)

    tree = marked(schedule(STENCIL).root).schedule
    outcome = hexagonal_tile(tree, JACOBI, HexagonalOptions(2, 2, (32,)))
    assert outcome.missed == ()
    attributes = [band.loop_attributes for band in bands_of(outcome.schedule)]
    assert attributes == [((),), ((ParallelAttr(),),), ((),), ((),)]


@pytest.mark.parametrize(
    ("dependences", "reason"),
    [
        (
            to("a = 1 and -1 <= b <= 1", "a = 0 and b = 1"),
            "the band of 2 over S cannot run in time steps of independent instances: within an "
            "iteration of loop 1, array A carries (0,1): S[0, 0] must run before S[0, 1] "
            "(T = 1, n = 2)",
        ),
        (
            to("a = 1 and -1 <= b <= 1", "a = 1 and b >= 0"),
            "the band of 2 over S is not a stencil: no multiple of the distance in time bounds the "
            "distance along loop 2: array A carries (1,+): S[0, 0] must run before S[1, 0] "
            "(T = 2, n = 1)",
        ),
        (
            to("a = 1 and b = 2", "a = 3 and b = 6"),
            "the band of 2 over S needs no hexagons: every dependence has a distance of 3 along "
            "loop 2 for each time step, so tiles along that slope are independent",
        ),
        (flow(), "loop 1 of the band of 2 over S carries no dependence, so it is not a time loop"),
        (
            to("a = -1 and b = 0", "a = 1 and b = 1"),
            "loop 1 of the band of 2 over S goes back along a dependence: array A carries (-1,-1): "
            "S[1, 0] must run before S[0, 0] (T = 2, n = 1)",
        ),
        (
            to("a = 1 and -4 <= b <= 3"),
            "hexagons of width 2 are too narrow for the band of 2 over S: with height=2, the width "
            "must be 4 or more",
        ),
    ],
)
def test_refusals(dependences: Dependences, reason: str) -> None:
    outcome = hexagonal_tile(schedule(STENCIL), dependences, HexagonalOptions(2, 2, (32,)))
    assert is_same(outcome.schedule.tree, schedule(STENCIL).tree)
    assert outcome.missed == (f"nothing was tiled: {reason}",)


def test_the_result_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hexagons for other slopes than those of the dependences are found out."""
    wrong = Hexagons(2, 3, Fraction(0), Fraction(0))
    monkeypatch.setattr("polyir.transform.hexagonal._Tiling.hexagons", wrong)
    with pytest.raises(LegalityError, match="hexagonal tiling violates the flow dependence"):
        hexagonal_tile(schedule(STENCIL), JACOBI, HexagonalOptions(2, 3, (32,)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"height": 0}, "height must be 1 or more: height=0"),
        ({"width": 0}, "width must be 1 or more: width=0"),
        ({"sizes": (4, 0)}, "tile sizes must be 1 or more: sizes=4,0"),
        ({"sizes": ()}, "tile sizes must be 1 or more: sizes=none"),
    ],
)
def test_bad_options(options: dict[str, int], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        HexagonalOptions(**{"height": 4, "width": 4, "sizes": (4,), **options})  # type: ignore[arg-type]
