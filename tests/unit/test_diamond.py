"""Diamond tiles: the hyperplanes, the graph of the tiles, what is refused."""

from __future__ import annotations

from collections import Counter

import islpy as isl
import pytest
from execution import Instance, assert_respects, execution, flow, pairs, schedule
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import LegalityError, OptionError, remarks_to
from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.proofs.bands import facts_of_band
from polyir.sets.lists import maps_of
from polyir.transform.diamond import DiamondOptions, diamond_tile
from polyir.transform.tile import TileOptions, tile
from polyir.transform.wavefront import WavefrontOptions, wavefront
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.nodes import is_same

STENCIL = """{ domain: "[T, n] -> { S[t, i] : 0 <= t < T and 0 <= i < n }", child: {
  schedule: "[T, n] -> [{ S[t, i] -> [t] }, { S[t, i] -> [t + i] }]", permutable: 1 } }"""

STENCIL_DEPENDENCES = flow(
    "[T, n] -> { S[t, i] -> S[t + 1, k] : i - 1 <= k <= i + 1 and 0 <= t < T - 1 "
    "and 0 <= i, k < n }"
)


def outermost_band(tree: Schedule) -> ScheduleNode:
    node = tree.root
    while node.kind is not Kind.BAND:
        node = node.child(0)
    return node


def scheduled(kernel: str) -> tuple[Scop, Dependences]:
    """A kernel after Pluto."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[kernel].path.read_text()), "pluto-schedule")
    (op,) = scops_in(module)
    scop = scop_of(op)
    assert scop.dependences is not None
    return scop, scop.dependences


def waves_of_tiles(
    tree: Schedule, dependences: Dependences, size: int, **parameters: int
) -> Counter[int]:
    """How many tiles each wavefront has, given that no two tiles of one depend on each other.

    `tree` begins with tiles of `size`; a wavefront is the tiles of one sum of positions. The
    graph of the tiles is made instance by instance.
    """
    tiles = outermost_band(tree)
    places = isl.UnionMap.from_multi_union_pw_aff(tiles.band.partial_schedule)
    tile_of: dict[Instance, tuple[int, ...]] = {
        instance: tuple(value // size for value in values)
        for part in maps_of(places.intersect_domain(tree.domain))
        for instance, values in pairs(part, **parameters)
    }
    for dependence in dependences.ordering:
        for source, target in pairs(dependence.relation, **parameters):
            first, second = tile_of[source], tile_of[(dependence.target, target)]
            assert first == second or sum(first) < sum(second), (source, target)
    return Counter(sum(position) for position in set(tile_of.values()))


@pytest.mark.parametrize(
    ("kernel", "dimensions", "steps", "extents"),
    [("jacobi-1d", 1, 12, (40, 80)), ("jacobi-2d", 2, 3, (10, 18)), ("heat-3d", 3, 2, (6, 10))],
)
def test_a_wavefront_of_tiles_starts_at_once(
    kernel: str, dimensions: int, steps: int, extents: tuple[int, int]
) -> None:
    """Each wavefront is parallel, and how many there are does not depend on the extent."""
    size = 4
    scop, dependences = scheduled(kernel)
    diamonds = diamond_tile(scop.schedule, dependences, DiamondOptions(size))
    assert diamonds.missed == ()
    small, large = (
        waves_of_tiles(diamonds.schedule, dependences, size, tsteps=steps, n=extent)
        for extent in extents
    )
    assert sorted(small) == sorted(large)
    growth = (extents[1] / extents[0]) ** dimensions
    for wave in small:
        assert large[wave] > small[wave]
    assert large.total() > 0.6 * growth * small.total()
    # Rectangular tiles of the same hyperplanes start one after the other.
    plain = tile(scop.schedule, dependences, TileOptions((size,))).schedule
    few, more = (
        waves_of_tiles(plain, dependences, size, tsteps=steps, n=extent) for extent in extents
    )
    assert len(few) < len(more)
    assert few[min(few)] == more[min(more)] == 1


@pytest.mark.parametrize(
    ("kernel", "dimensions"), [("jacobi-1d", 1), ("jacobi-2d", 2), ("heat-3d", 3)]
)
def test_the_tiles_of_a_wavefront_are_parallel(kernel: str, dimensions: int) -> None:
    """For all sizes of the kernel: no dependence goes from a tile to another of its wavefront."""
    scop, dependences = scheduled(kernel)
    diamonds = diamond_tile(scop.schedule, dependences, DiamondOptions(32)).schedule
    waves = wavefront(diamonds, dependences, WavefrontOptions("all")).schedule
    facts = facts_of_band(outermost_band(waves).child(0), dependences)
    assert facts.coincident == (True,) * dimensions


def test_hyperplanes_of_a_stencil() -> None:
    outcome = diamond_tile(schedule(STENCIL), STENCIL_DEPENDENCES, DiamondOptions(4))
    tiles = outermost_band(outcome.schedule)
    expected = isl.MultiUnionPwAff(
        "[T, n] -> [{ S[t, i] -> [4*floor((t - i)/4)] }, { S[t, i] -> [4*floor((t + i)/4)] }]"
    )
    assert tiles.band.partial_schedule.plain_is_equal(expected)
    assert tiles.permutable
    assert tiles.coincident == (False, False)
    points = tiles.child(0).band.partial_schedule
    assert points.plain_is_equal(outermost_band(schedule(STENCIL)).band.partial_schedule)
    assert outcome.done == (
        "tiled the band of 2 over S by 4: tiles along loop 1 start concurrently in 1 dimension",
    )


def test_tiles_and_wavefronts_keep_the_dependences() -> None:
    tiled = diamond_tile(schedule(STENCIL), STENCIL_DEPENDENCES, DiamondOptions(3)).schedule
    waves = wavefront(tiled, STENCIL_DEPENDENCES).schedule
    for tree in (tiled, waves):
        order = execution(tree, T=7, n=9)
        assert len(order) == 63
        assert_respects(order, STENCIL_DEPENDENCES, T=7, n=9)
    # All of the first time step is in the first two wavefronts.
    first = outermost_band(waves)
    waves_of_start = {
        wave
        for part in maps_of(
            isl.UnionMap.from_multi_union_pw_aff(first.band.partial_schedule)
            .intersect_domain(waves.domain)
            .intersect_domain(isl.UnionSet("{ S[0, i] }"))
        )
        for _, wave in pairs(part, T=7, n=90)
    }
    assert len(waves_of_start) == 2


def test_one_degree_in_a_stencil_of_two_dimensions() -> None:
    scop, dependences = scheduled("jacobi-2d")
    outcome = diamond_tile(scop.schedule, dependences, DiamondOptions(4, degrees=1))
    waves = wavefront(outcome.schedule, dependences, WavefrontOptions(1)).schedule
    first = outermost_band(waves)
    values = isl.UnionMap.from_multi_union_pw_aff(first.band.partial_schedule)
    start = values.intersect_domain(waves.domain.intersect(isl.UnionSet("{ S0[0, i, j] }")))
    found = {wave for part in maps_of(start) for _, wave in pairs(part, tsteps=3, n=30)}
    assert len(found) == 2


def test_more_degrees_than_there_are() -> None:
    outcome = diamond_tile(schedule(STENCIL), STENCIL_DEPENDENCES, DiamondOptions(4, degrees=2))
    assert outcome.missed == ("the band of 2 over S allows 1 degree of parallelism, not 2",)


def test_statements_get_the_constants_that_they_need() -> None:
    """R runs after S in each step and reads it here and to the right."""
    tree = schedule(
        """{ domain: "{ S[t, i] : 0 <= t, i < 8; R[t, i] : 0 <= t, i < 8 }", child: {
          schedule: "[{ S[t,i] -> [t]; R[t,i] -> [t] }, { S[t,i] -> [t+i]; R[t,i] -> [t+i+1] }]",
          permutable: 1, child: { sequence: [ { filter: "{ S[t, i] }" },
                                              { filter: "{ R[t, i] }" } ] } } }"""
    )
    dependences = Dependences(
        value_based=False,
        items=(
            *flow("{ S[t, i] -> R[t, k] : i - 1 <= k <= i and 0 <= t, i, k < 8 }").items,
            *flow("{ R[t, i] -> S[t + 1, i] : 0 <= t < 7 and 0 <= i < 8 }").items,
        ),
    )
    outcome = diamond_tile(tree, dependences, DiamondOptions(2))
    tiles = outermost_band(outcome.schedule).band.partial_schedule
    # The face t needs no multiple: -i, with R one later than S by t - (t + i + 1) + 1.
    expected = isl.UnionPwAff("{ S[t, i] -> [2*floor(-i/2)]; R[t, i] -> [2*floor(-i/2)] }")
    assert tiles.get_at(0).plain_is_equal(expected)
    assert_respects(execution(outcome.schedule), dependences)


@pytest.mark.parametrize("distance", ["t, i + 1", "t, i + 3"])
def test_dependences_along_the_face_are_refused(distance: str) -> None:
    along = f"[T, n] -> {{ S[t, i] -> S[{distance}] : 0 <= t < T and 0 <= i < n - 3 }}"
    dependences = Dependences(
        value_based=False, items=(*STENCIL_DEPENDENCES.items, *flow(along).items)
    )
    outcome = diamond_tile(schedule(STENCIL), dependences, DiamondOptions(32))
    assert is_same(outcome.schedule.tree, schedule(STENCIL).tree)
    (message,) = outcome.missed
    assert message == (
        "nothing was tiled: tiles of the band of 2 over S cannot start concurrently along any "
        f"loop: array A carries (0,{distance[-1]}): S[0, 0] must run before S[0, {distance[-1]}] "
        "(T = 1, n = 4)"
    )


def test_parallel_and_tiled_bands_are_left_alone() -> None:
    text = STENCIL.replace("permutable: 1", "permutable: 1, coincident: [0, 1]")
    outcome = diamond_tile(schedule(text), flow(), DiamondOptions(32))
    assert outcome.missed == (
        "nothing was tiled: loop 2 of the band of 2 over S is already parallel",
    )
    tiled = tile(schedule(STENCIL), STENCIL_DEPENDENCES, TileOptions((8,))).schedule
    again = diamond_tile(tiled, STENCIL_DEPENDENCES, DiamondOptions(2)).schedule
    assert outermost_band(again).band.partial_schedule.plain_is_equal(
        outermost_band(tiled).band.partial_schedule
    )
    assert_respects(execution(again, T=9, n=9), STENCIL_DEPENDENCES, T=9, n=9)


def test_a_band_wrongly_called_permutable_is_refused() -> None:
    back = flow("[T, n] -> { S[t, i] -> S[t + 1, i - 3] : 0 <= t < T - 1 and 3 <= i < n }")
    with pytest.raises(LegalityError, match="diamond tiling violates the flow dependence"):
        diamond_tile(schedule(STENCIL), back, DiamondOptions(32))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 1}, "size must be 2 or more: size=1"),
        ({"degrees": 0}, "degrees must be 1 or more, or all: degrees=0"),
    ],
)
def test_bad_options(options: dict[str, int], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        DiamondOptions(**{"size": 4, **options})
