"""What tiles touch of each array, and the traffic between caches, as the cost model sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from polyir.choose.loop_tree import Leaf, Loop, Node, Parts, bands_of, loop_tree
from polyir.choose.machine import Machine
from polyir.choose.model import CostModel
from polyir.choose.states import State, touched
from polyir.model.scop import Scop
from polyir.report.trees import NodeView

MACHINE: Final = Machine()
"""The machine of the estimates: a report does not depend on where it is made."""


@dataclass(frozen=True)
class Footprint:
    """What one tile touches: about how many elements of each array, `None` where nobody knows.

    `loops` are the addresses of the loops over tiles, `sizes` their strides.
    """

    loops: tuple[str, ...]
    sizes: tuple[int, ...]
    elements: Mapping[str, int | None]
    bytes: int


@dataclass(frozen=True)
class Estimate:
    """What is estimated of a tree, for numbers in place of parameters.

    `traffic` are the bytes that come into each level of cache from the next one.
    """

    parameters: Mapping[str, int]
    footprints: tuple[Footprint, ...]
    traffic: tuple[float, ...]


def estimate_of(scop: Scop, tree: NodeView) -> Estimate | None:
    """The footprints of the tiles of a tree in force, and the traffic of all of it."""
    model = CostModel(scop, MACHINE)
    loops = loop_tree(scop.schedule, model.values)
    states = {
        name: State(each.region)
        for name, each in model.statements.items()
        if not each.region.is_empty
    }
    bands = tuple(_bands(tree))
    footprints = tuple(_footprints(loops, states, model, bands))
    return Estimate(model.values, footprints, model.cost(loops).traffic)


def _bands(tree: NodeView) -> Iterator[NodeView]:
    """The bands of a tree, parents first, as the cost model numbers them."""
    if tree.kind == "band":
        yield tree
    for child in tree.children:
        yield from _bands(child)


def _footprints(
    node: Node, states: Mapping[str, State], model: CostModel, bands: Sequence[NodeView]
) -> Iterator[Footprint]:
    """A footprint for each band of loops over tiles, of a tile in the middle of those around it."""
    match node:
        case Leaf():
            return
        case Parts(children):
            for filters, child in children:
                inner = {name: state for name, state in states.items() if name in filters}
                yield from _footprints(child, inner, model, bands)
        case Loop():
            members = bands_of(node)[0]
            for loop in members:
                states = _in_the_middle(loop, states)
            if node.band < len(bands) and all(loop.runs_over_tiles for loop in members) and states:
                yield _footprint(bands[node.band], states, model)
            yield from _footprints(members[-1].body, states, model, bands)


def _in_the_middle(loop: Loop, states: Mapping[str, State]) -> dict[str, State]:
    """What is left of the statements in the iteration in the middle of a loop."""
    own = {name: state for name, state in states.items() if name in loop.functions}
    ranges = [state.range(loop.functions[name]) for name, state in own.items()]
    if not ranges:
        return {}
    low, high = min(low for low, _ in ranges), max(high for _, high in ranges)
    step = min(loop.functions[name].step for name in own)
    value = low + step * ((high - low) // step // 2)
    inner = {name: state.at(loop.functions[name], value) for name, state in own.items()}
    return {name: state for name, state in inner.items() if not state.region.is_empty}


def _footprint(band: NodeView, states: Mapping[str, State], model: CostModel) -> Footprint:
    references = {name: model.statements[name].references for name in states}
    unknown = {each.array for own in references.values() for each in own if each.subscripts is None}
    elements: dict[str, int | None] = dict.fromkeys(sorted(unknown))
    total = 0.0
    for array, (found, size) in touched(states, references).items():
        cells = min(found.most, sum(cells for _, cells, _ in found.boxes))
        total += cells * size
        if array not in unknown:
            elements[array] = round(cells)
    return Footprint(
        tuple(" ".join(loop.addresses) for loop in band.loops),
        tuple(loop.stride for loop in band.loops),
        elements,
        round(total),
    )
