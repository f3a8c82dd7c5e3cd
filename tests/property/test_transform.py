"""Transformed schedules of random programs against the programs' execution.

The oracle is the execution in Python: two accesses of one element, one of them a write, keep
their order, and are never in two iterations of a loop that is marked parallel.
"""

from __future__ import annotations

from contextlib import suppress

import islpy as isl
from execution import Instance, execution, pairs
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_programs import SIZE, Mode, Program, execute, names_in, ordered_pairs, poly_text, programs
from poly_text import poly_module, scops_of

from polyir.base.diagnostics import LegalityError, OptionError
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.model.analysis import compute_dependences
from polyir.sets.lists import maps_of
from polyir.transform.bands import split_at
from polyir.transform.diamond import DiamondOptions, diamond_tile
from polyir.transform.distribute import DistributeOptions, distribute
from polyir.transform.full_tiles import separate_full_tiles
from polyir.transform.fuse import FuseOptions, fuse
from polyir.transform.hexagonal import HexagonalOptions, hexagonal_tile
from polyir.transform.intra_tile_order import IntraTileOptions, intra_tile_order
from polyir.transform.parallel import PARALLEL, Which, mark_parallel
from polyir.transform.tile import TileOptions, tile
from polyir.transform.wavefront import WavefrontOptions, wavefront
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.isl_border import from_text

bounded = settings(max_examples=40, deadline=None, derandomize=True)

Pair = tuple[Instance, Instance]

tilings = st.builds(
    TileOptions,
    st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple),
    levels=st.integers(1, 2),
    min_width=st.integers(1, 2),
    ratio=st.integers(1, 3),
)
choices: st.SearchStrategy[Which] = st.sampled_from(["outermost", "inner", "all"])


def conflicts(program: Program) -> tuple[list[Instance], list[Pair]]:
    """The instances in order, and the pairs of them that must keep their order."""
    steps = execute(program)
    found = [
        (first.instance, second.instance)
        for first, second in ordered_pairs(steps)
        if (first.mode, second.mode) != (Mode.READ, Mode.READ)
    ]
    return list(dict.fromkeys(step.instance for step in steps)), list(dict.fromkeys(found))


def assert_in_order(order: list[Instance], conflicting: list[Pair]) -> None:
    place = {instance: position for position, instance in enumerate(order)}
    for first, second in conflicting:
        assert place[first] < place[second], (first, second)


def positions(
    relation: isl.UnionMap, instances: isl.UnionSet, size: int
) -> dict[Instance, tuple[int, ...]]:
    parts = maps_of(relation.intersect_domain(instances))
    return {instance: date for part in parts for instance, date in pairs(part, n=size)}


def assert_parallel_loops_are(tree: Schedule, conflicting: list[Pair], size: int) -> int:
    """Assert that loops with the attribute carry no conflict; the number of these loops."""
    loops: list[ScheduleNode] = []

    def collect(node: ScheduleNode) -> bool:
        if node.kind is Kind.BAND:
            for position, attributes in enumerate(node.loop_attributes):
                if PARALLEL in attributes:
                    loops.append(split_at(node, position))
        return True

    assert tree.root.every(collect)
    for band in loops:
        member = isl.UnionMap.from_union_pw_aff(band.members[0].function)
        outside = positions(band.prefix_schedule, band.domain, size)
        iteration = positions(member, band.domain, size)
        for first, second in conflicting:
            if first in outside and second in outside and outside[first] == outside[second]:
                assert iteration[first] == iteration[second], (first, second)
    return len(loops)


@bounded
@given(programs(), tilings, st.integers(1, 2), st.booleans(), choices, st.booleans(), st.booleans())
def test_random_programs(
    program: Program,
    options: TileOptions,
    degrees: int,
    waves: bool,
    which: Which,
    ordered: bool,
    separated: bool,
) -> None:
    (scop,) = scops_of(poly_module(poly_text(program)))
    instances, conflicting = conflicts(program)
    dependences = compute_dependences(scop)
    tree = tile(scop.schedule, dependences, options).schedule
    if waves:
        tree = wavefront(tree, dependences, WavefrontOptions(degrees)).schedule
    if ordered:
        tree = intra_tile_order(tree, dependences, scop.statements, IntraTileOptions(4)).schedule
    if separated:
        tree = separate_full_tiles(tree, dependences, scop.context).schedule
    outcome = mark_parallel(tree, dependences, which)
    order = execution(outcome.schedule, n=SIZE)
    assert sorted(order) == sorted(instances)
    assert_in_order(order, conflicting)
    assert_parallel_loops_are(outcome.schedule, conflicting, SIZE)


@st.composite
def requests(draw: st.DrawFn) -> tuple[Program, tuple[str, ...]]:
    """A program, and two statements of it that run one after the other."""
    program = draw(programs().filter(lambda program: len(statements_in(program)) > 1))
    names = statements_in(program)
    first = draw(st.integers(0, len(names) - 2))
    return program, (names[first], names[first + 1])


def statements_in(program: Program) -> list[str]:
    return [name for item in program.body for name in names_in(item)]


@bounded
@given(requests(), st.integers(1, 2))
def test_fusion_and_distribution_are_legal_or_refused(
    request: tuple[Program, tuple[str, ...]], depth: int
) -> None:
    program, statements = request
    (scop,) = scops_of(poly_module(poly_text(program)))
    instances, conflicting = conflicts(program)
    dependences = compute_dependences(scop)
    trees = [scop.schedule]
    for transform in (
        lambda tree: fuse(tree, dependences, FuseOptions(statements, depth)),
        lambda tree: distribute(tree, dependences, DistributeOptions(statements[1:], depth - 1)),
    ):
        with suppress(OptionError, LegalityError):
            trees.append(transform(trees[-1]).schedule)
    for tree in trees:
        order = execution(tree, n=SIZE)
        assert sorted(order) == sorted(instances)
        assert_in_order(order, conflicting)


vectors = st.lists(
    st.tuples(st.integers(0, 2), st.integers(-2, 2)).filter(lambda vector: vector > (0, 0)),
    min_size=1,
    max_size=4,
    unique=True,
)


def stencil(distances: list[tuple[int, int]], skew: int) -> tuple[Schedule, Dependences]:
    """A stencil with these distance vectors and the permutable band [t, i + skew t]."""
    tree = from_text(
        '{ domain: "[n] -> { S[t, i] : 0 <= t, i < n }", child: { schedule: '
        f'"[n] -> [{{ S[t, i] -> [t] }}, {{ S[t, i] -> [i + {skew}t] }}]", '
        "permutable: 1 } }",
    )
    relations = [
        isl.Map(
            f"[n] -> {{ S[t, i] -> S[t + {down}, i + {right}] : "
            f"0 <= t, i < n and 0 <= t + {down} < n and 0 <= i + {right} < n }}"
        )
        for down, right in distances
    ]
    items = tuple(Dependence(DependenceKind.FLOW, "A", relation) for relation in relations)
    return tree, Dependences(value_based=False, items=items)


forward_vectors = st.lists(
    st.tuples(st.integers(1, 2), st.integers(-2, 2)), min_size=1, max_size=4, unique=True
)


@bounded
@given(forward_vectors, st.integers(2, 4))
def test_random_stencils_start_concurrently_in_diamond_tiles(
    distances: list[tuple[int, int]], tile_size: int
) -> None:
    """Whatever the stencil, the tiles that touch the first time step are in few wavefronts."""
    skew = max(0, *(-right for _, right in distances))
    size = 12
    tree, dependences = stencil(distances, skew)
    outcome = diamond_tile(tree, dependences, DiamondOptions(tile_size))
    if not outcome.done:
        (reason,) = outcome.missed
        assert "parallel as it is" in reason
        return
    order = execution(outcome.schedule, n=size)
    assert len(order) == size * size
    conflicting = [
        (source, ("S", target))
        for dependence in dependences.items
        for source, target in pairs(dependence.relation, n=size)
    ]
    assert_in_order(order, conflicting)
    tiles = outcome.schedule.root.child(0).band.partial_schedule
    places = positions(isl.UnionMap.from_multi_union_pw_aff(tiles), outcome.schedule.domain, size)
    waves = {
        instance: sum(value // tile_size for value in place) for instance, place in places.items()
    }
    for source, target in conflicting:
        assert places[source] == places[target] or waves[source] < waves[target]
    assert len({wave for (_, (t, _)), wave in waves.items() if t == 0}) <= 2


@bounded
@given(forward_vectors, st.integers(1, 4), st.integers(4, 6))
def test_random_stencils_in_hexagonal_tiles(
    distances: list[tuple[int, int]], height: int, width: int
) -> None:
    """Whatever the stencil, no dependence goes from a hexagon to another of its wave."""
    size = 12
    tree, dependences = stencil(distances, max(0, *(-right for _, right in distances)))
    outcome = hexagonal_tile(tree, dependences, HexagonalOptions(height, width, (32,)))
    if not outcome.done:
        (reason,) = outcome.missed
        assert "needs no hexagons" in reason
        assert len({right / down for down, right in distances}) == 1
        return
    order = execution(outcome.schedule, n=size)
    assert len(order) == size * size
    conflicting = [
        (source, ("S", target))
        for dependence in dependences.items
        for source, target in pairs(dependence.relation, n=size)
    ]
    assert_in_order(order, conflicting)
    marked = mark_parallel(outcome.schedule, dependences).schedule
    assert assert_parallel_loops_are(marked, conflicting, size) == 1
    assert marked.root.child(0).child(0).loop_attributes == ((PARALLEL,),)


@bounded
@given(vectors, tilings.filter(lambda options: max(options.sizes) > 1), st.booleans())
def test_random_stencils_in_skewed_tiles_and_wavefronts(
    distances: list[tuple[int, int]], options: TileOptions, tiled: bool
) -> None:
    skew = max((-d[1] for d in distances if d[0] > 0), default=0)
    size = 5
    tree, dependences = stencil(distances, max(skew, 0))
    if tiled:
        tree = tile(tree, dependences, options).schedule
    outcome = mark_parallel(wavefront(tree, dependences).schedule, dependences)
    order = execution(outcome.schedule, n=size)
    assert len(order) == size * size
    conflicting = [
        (source, ("S", target))
        for dependence in dependences.items
        for source, target in pairs(dependence.relation, n=size)
    ]
    assert_in_order(order, conflicting)
    marks = assert_parallel_loops_are(outcome.schedule, conflicting, size)
    assert marks == 1, outcome.missed
