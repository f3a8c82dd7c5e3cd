"""The orders that reorder-data gives to data: those that are generated, and those of libraries."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
import pytest
from irregular_programs import PROGRAMS, Arguments
from sparse_matrices import laplacian, of_entries

import polyir
from polyir.base.diagnostics import MissingPackageError, OptionError
from polyir.runtime import CompiledModule, graph_orders
from polyir.runtime.compiler import CompilationError
from polyir.runtime.given_functions import GivenFunction

Indices = npt.NDArray[np.int64]

MOLDYN = PROGRAMS["moldyn"]
SIDE = 12


def compiled(
    method: str, backend: polyir.runtime.Backend = "c", order: GivenFunction | None = None
) -> CompiledModule:
    functions = {} if order is None else {"moldyn_order": order}
    text = MOLDYN.path.read_text()
    return polyir.compile(text, f"reorder-data{{{method}}}", backend=backend, functions=functions)


def grid(random: np.random.Generator) -> Arguments:
    """Molecules on a square grid, numbered at random, and a few that have no pairs."""
    matrix = laplacian((SIDE, SIDE)).permuted(random.permutation(SIDE * SIDE))
    given = MOLDYN.arguments(matrix, random, 2)
    return {
        **given,
        "molecules": matrix.size + 3,
        **{name: np.append(given[name], [1.0, 2.0, 3.0]) for name in ("x", "vx", "fx")},
    }


def order_of(module: CompiledModule, given: Arguments) -> tuple[Indices, Indices]:
    """The new places of elements, and the element in each place."""
    size = len(given["x"])
    places, elements = np.full((2, size), -1)
    pairs = given["left"].shape
    outputs = {"places": places, "elements": elements}
    outputs |= {"left_updated": np.zeros(pairs, int), "right_updated": np.zeros(pairs, int)}
    inspector = module.moldyn_inspector
    inspector(
        **{each.name: (given | outputs)[each.name] for each in inspector.signature.parameters}
    )
    assert sorted(elements) == list(range(size))
    assert np.array_equal(places[elements], np.arange(size))
    for name in ("left", "right"):
        assert np.array_equal(outputs[f"{name}_updated"], places[given[name]])
    return places, elements


def distances(places: Indices, given: Arguments) -> Indices:
    return np.abs(places[given["left"]] - places[given["right"]])


def assert_same_bits(module: CompiledModule, given: Arguments) -> None:
    original = polyir.compile(MOLDYN.path.read_text(), "")
    results = []
    for each in (original, module):
        own = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()}
        each.moldyn(**own)
        results.append([own[name].tobytes() for name in ("x", "vx", "fx")])
    assert results[0] == results[1]


@pytest.mark.parametrize("method", ["packing", "breadth-first", "cuthill-mckee", "partition"])
def test_all_are_permutations(method: str) -> None:
    module = compiled(f"method={method}")
    for seed in range(5):
        order_of(module, grid(np.random.default_rng(seed)))


def test_cuthill_mckee_is_as_narrow_as_the_grid() -> None:
    given = grid(np.random.default_rng(1))
    places, _ = order_of(compiled("method=cuthill-mckee"), given)
    # From a corner, the elements at one distance are a diagonal.
    assert distances(places, given).max() <= SIDE
    assert distances(np.arange(len(places)), given).max() > 5 * SIDE


def test_cuthill_mckee_on_a_path() -> None:
    """A path that is numbered at random: elements are in its order, from one end."""
    random = np.random.default_rng(2)
    names = random.permutation(50)
    matrix = of_entries(50, names[:-1], names[1:], np.ones(49))
    rows, columns = np.minimum(names[:-1], names[1:]), np.maximum(names[:-1], names[1:])
    given = MOLDYN.arguments(matrix, random, 1) | {"left": rows, "right": columns, "pairs": 49}
    _, elements = order_of(compiled("method=cuthill-mckee"), given)
    assert list(elements) in (list(names), list(names[::-1]))


def test_parts_are_connected() -> None:
    given = grid(np.random.default_rng(3))
    places, elements = order_of(compiled("method=partition part=16"), given)
    # Parts of 16 points of a grid have about 8 edges to others; in random order, almost all lead
    # to others.
    inside = places[given["left"]] // 16 == places[given["right"]] // 16
    assert inside.mean() > 0.55
    # What begins the first part begins the order.
    assert elements[0] == 0


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_scipy(backend: polyir.runtime.Backend) -> None:
    module = compiled("method=given", backend, graph_orders.cuthill_mckee)
    given = grid(np.random.default_rng(4))
    places, _ = order_of(module, given)
    assert distances(places, given).max() <= SIDE
    assert_same_bits(module, given)


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_metis(backend: polyir.runtime.Backend) -> None:
    module = compiled("method=given", backend, graph_orders.partition(16))
    given = grid(np.random.default_rng(5))
    places, _ = order_of(module, given)
    assert (distances(places, given) < 32).mean() > 0.6
    assert_same_bits(module, given)
    # One part is the order of the program.
    places, _ = order_of(compiled("method=given", backend, graph_orders.partition()), given)
    assert np.array_equal(places, np.arange(len(places)))


@pytest.mark.parametrize("library", ["scipy", "pymetis"])
def test_missing_libraries(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    order = graph_orders.cuthill_mckee if library == "scipy" else graph_orders.partition(16)
    for name in (library, "scipy.sparse", "scipy.sparse.csgraph"):
        monkeypatch.setitem(sys.modules, name, None)
    module = compiled("method=given", order=order)
    with pytest.raises(MissingPackageError, match=r"pip install 'polyir\[irregular\]'"):
        module.moldyn(**grid(np.random.default_rng(6)))


WRONG = {
    "no element": lambda elements: elements.fill(-7),
    "too large": lambda elements: elements.fill(2**40),
    "one element": lambda elements: elements.fill(3),
    "nothing": lambda elements: None,
}


@pytest.mark.parametrize("wrong", WRONG)
def test_orders_that_are_none(wrong: str) -> None:
    """What is no order is made one: no element has two places, or none."""
    module = compiled(
        "method=given", order=lambda starts, neighbours, elements: WRONG[wrong](elements)
    )
    given = grid(np.random.default_rng(7))
    _, elements = order_of(module, given)
    assert elements[0] == (3 if wrong == "one element" else 0)
    assert_same_bits(module, given)


def test_the_graph() -> None:
    graphs = []

    def order(starts: Indices, neighbours: Indices, elements: Indices) -> None:
        graphs.append((starts.copy(), neighbours.copy(), elements.copy()))

    given = grid(np.random.default_rng(8))
    order_of(compiled("method=given", order=order), given)
    ((starts, neighbours, elements),) = graphs
    assert np.array_equal(elements, np.arange(len(given["x"])))
    rows = np.repeat(elements, np.diff(starts))
    found = sorted(zip(rows, neighbours, strict=True))
    pairs = list(zip(given["left"], given["right"], strict=True))
    assert found == sorted(pairs + [(b, a) for a, b in pairs])


def test_who_gives_the_order() -> None:
    given = grid(np.random.default_rng(9))

    def fails(starts: Indices, neighbours: Indices, elements: Indices) -> None:
        raise RuntimeError("no order today")

    with pytest.raises(RuntimeError, match="no order today"):
        compiled("method=given", order=fails).moldyn(**given)
    with pytest.raises(CompilationError, match="nothing defines 'moldyn_order'"):
        compiled("method=given")
    with pytest.raises(OptionError, match="part must be 1 or more: part=0"):
        compiled("method=partition part=0")
    text = """void moldyn_order(int64_t *starts, int64_t s, int64_t *neighbours, int64_t n,
                                int64_t *elements, int64_t size) {
      for (int64_t i = 0; i < size; i++)
        elements[i] = size - 1 - i;
    }"""
    module = compiled("method=given", order=text)
    places, _ = order_of(module, given)
    assert np.array_equal(places, np.arange(len(places))[::-1])
    assert_same_bits(module, given)


def test_inspected_once() -> None:
    """The function for the order runs in the inspection, and not in the calls after it."""
    calls = []

    def order(starts: Indices, neighbours: Indices, elements: Indices) -> None:
        calls.append(len(elements))
        graph_orders.cuthill_mckee(starts, neighbours, elements)

    given = grid(np.random.default_rng(10))
    inspected = compiled("method=given", order=order).moldyn.inspect(**given)
    for _ in range(3):
        inspected(**given)
    assert calls == [len(given["x"])]
