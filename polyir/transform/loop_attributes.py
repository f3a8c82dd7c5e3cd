"""What becomes of the attributes of loops when a schedule tree is transformed.

A loop that a transformation moves or gives other values (interchange, skewing, shifting,
reversal, scaling) keeps its attributes, and each copy of a loop (distribution, splitting) has
them. For all else there is a rule:

- A loop that is *cut* into a loop over blocks and a loop in a block (tiling, strip-mining): each
  attribute says which of the two has it (`LoopAttribute.part_after_cut`); attributes that say
  nothing go to the loop in a block, which has the values of the loop that was cut.
- Loops that are *merged* into one (fusion): it has the attributes that all of them have.
- A loop that is *combined* from several (the loop over wavefronts): it has none of theirs.
- A new schedule has no attributes.

The passes on loops (`polyir.loops`, conversions to `scf` and `omp`) follow these rules too: the
parts of a loop that is split, and the copies of one that a test moves out of, all have its
attributes; a loop with an attribute of parallel loops is not given values to carry from
iteration to iteration. A loop that runs once goes, and its attributes with it.

An attribute that is true of parallel loops only (`LoopAttribute.requires_parallel`) is taken off
a loop that is not parallel. What a statement loses in any of these ways is reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from xdsl.ir import Attribute

from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import LoopAttributes, requires_parallel, rules_of
from polyir.dialects.mark_attributes import SymbolicTiles
from polyir.model.outcome import Outcome
from polyir.proofs.bands import BandFacts, active_at, annotate_bands, band_facts, facts_of_band
from polyir.proofs.legality import require_legal
from polyir.transform.walk import BAND
from polyir.tree import Kind, Schedule, ScheduleNode, mapped_children
from polyir.tree.names import name_list, statements_of
from polyir.tree.symbolic_tiles import replace_tiles, tiled_loops, tiles_at


def cut(attributes: LoopAttributes) -> tuple[LoopAttributes, LoopAttributes]:
    """The attributes of the loop over blocks, and of the loop in a block."""
    parts = [(attribute, rules_of(attribute).part_after_cut()) for attribute in attributes]
    return (
        tuple(attribute for attribute, part in parts if part != "inner"),
        tuple(attribute for attribute, part in parts if part != "outer"),
    )


def with_attribute(attributes: LoopAttributes, attribute: Attribute) -> LoopAttributes:
    """The attributes of a loop and another one, in the place of one of its name."""
    return (*(each for each in attributes if each.name != attribute.name), attribute)


def merged(loops: Sequence[LoopAttributes]) -> LoopAttributes:
    """The attributes of a loop that several are merged into."""
    first, *others = loops
    return tuple(item for item in first if all(item in attributes for attributes in others))


def settled(
    original: Schedule,
    changed: Schedule,
    dependences: Dependences,
    what: str,
    done: Sequence[str] = (),
    missed: Sequence[str] = (),
    exact_flags: bool = True,
    name: str = "not-transformed",
) -> Outcome:
    """What a transformation hands back: the tree is checked, and what it says of loops is true.

    With `exact_flags`, the flags of all bands are computed anew. `what` names the change.
    `name` is that of the kind of diagnostic of what was `missed`.

    Raises `LegalityError` if `changed` violates a dependence.
    """
    require_legal(dependences, changed, what)
    if exact_flags:
        changed = annotate_bands(changed, dependences)
    lost = lost_attributes(original, changed)
    changed, taken_off = _without_false_attributes(changed, dependences)
    return Outcome(changed, tuple(done), (*missed, *lost, *taken_off), proved=True, name=name)


def lost_attributes(original: Schedule, changed: Schedule) -> tuple[str, ...]:
    """The attributes that no loop around a statement has any more, in words."""
    before, after = _attributes_by_statement(original), _attributes_by_statement(changed)
    losers: dict[Attribute, list[str]] = {}
    for statement, attributes in before.items():
        for attribute in attributes:
            if attribute not in after.get(statement, ()):
                losers.setdefault(attribute, []).append(statement)
    return tuple(
        f"dropped {attribute} from the loops around {name_list(statements)}"
        for attribute, statements in losers.items()
    )


def _attributes_by_statement(schedule: Schedule) -> Mapping[str, dict[Attribute, None]]:
    found: dict[str, dict[Attribute, None]] = {}

    def visit(node: ScheduleNode, around: tuple[Attribute, ...]) -> None:
        if node.kind is Kind.LEAF:
            for name in statements_of(node) if around else ():
                found.setdefault(name, {}).update(dict.fromkeys(around))
            return
        if node.kind is BAND:
            around += tuple(item for loop in node.loop_attributes for item in loop)
        tiles = tiles_at(node)
        if tiles is not None:
            around += tuple(item for loop in tiles.loops for item in loop)
        for child in node.children():
            visit(child, around)

    visit(schedule.root, ())
    return found


def _without_false_attributes(
    schedule: Schedule, dependences: Dependences
) -> tuple[Schedule, tuple[str, ...]]:
    """The tree without attributes that loops have to be parallel for, on loops that are not.

    What is taken off comes second, in words.
    """
    taken_off: list[str] = []

    def visit(node: ScheduleNode) -> ScheduleNode:
        tiles = tiles_at(node)
        if tiles is not None and any(map(requires_parallel, tiles.loops)):
            points = [loop.member for loop in tiled_loops(node)]
            facts = band_facts(active_at(node, dependences), points)
            loops = true_ones(node, tiles.loops, parallel_tile_loops(tiles, facts), " over tiles")
            node = replace_tiles(node, replace(tiles, loops=loops))
        elif node.kind is BAND:
            loops = node.loop_attributes
            if any(map(requires_parallel, loops)):
                loops = true_ones(node, loops, facts_of_band(node, dependences).parallel)
                node = node.with_loop_attributes(loops)
        return mapped_children(node, visit)

    def true_ones(
        node: ScheduleNode,
        loops: Sequence[LoopAttributes],
        parallel: Sequence[bool],
        kind: str = "",
    ) -> tuple[LoopAttributes, ...]:
        kept: list[LoopAttributes] = []
        for position, (attributes, is_parallel) in enumerate(zip(loops, parallel, strict=True)):
            number = node.schedule_depth + position + 1
            true = tuple(
                each for each in attributes if is_parallel or not requires_parallel((each,))
            )
            kept.append(true)
            taken_off.extend(
                f"removed {each} from loop {number}{kind} around "
                f"{name_list(statements_of(node))}: it is no longer parallel"
                for each in attributes
                if each not in true
            )
        return tuple(kept)

    return visit(schedule.root).schedule, tuple(taken_off)


def parallel_tile_loops(tiles: SymbolicTiles, facts: BandFacts) -> tuple[bool, ...]:
    """Which of the loops over tiles of symbolic sizes are parallel for all sizes.

    `facts` are those of the loops over points. In a wavefront all loops but the first are; else
    those along which no dependence has a distance, since tiles of one point separate all that do.
    """
    if tiles.wavefront:
        return (False, *(True for _ in range(tiles.wavefront)), *(False for _ in tiles.sizes))[
            : len(tiles.sizes)
        ]
    return facts.coincident
