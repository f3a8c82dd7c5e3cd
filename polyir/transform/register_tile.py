"""Register tiles: blocks of iterations that run at once, in vectors and unrolled copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import JamAttr, ParallelAttr, ReductionAttr, VectorAttr
from polyir.model.outcome import Outcome
from polyir.model.statements import AccessKind, Statement
from polyir.model.vectors import has_vectors
from polyir.proofs.bands import active_at, band_facts
from polyir.sets.lists import sets_of
from polyir.transform.bands import anchored, replace_band, start_at
from polyir.transform.common_vectors import (
    are_parallel,
    parallel_vector_loop,
    runs_statements_in_turn,
    vector_loop_around_windows,
    vector_loop_with_updates,
)
from polyir.transform.complete_blocks import complete_blocks, schedule_of_statement
from polyir.transform.directions import (
    direction_of,
    loop_of_sums,
    loop_of_updates,
    without_reuse,
)
from polyir.transform.jammed_rows import jam_rows
from polyir.transform.loop_attributes import cut, settled, with_attribute
from polyir.transform.point_distribution import (
    distribution,
    distribution_inside,
    rewritten,
    untangled,
)
from polyir.transform.tile import runs_over_tiles, tile_values
from polyir.transform.walk import BAND, no_permutable_band, summary
from polyir.tree import BandMember, Kind, Schedule, ScheduleNode
from polyir.tree.addresses import LoopAddress
from polyir.tree.names import describe_band

LEAF = Kind.LEAF


@dataclass(frozen=True)
class RegisterTileOptions:
    """The shape of a register tile: `rows` copies of `vectors` vectors of `width` elements.

    With `loop`, only bands from that loop on get register tiles.
    With `masked`, blocks with rows at borders are not apart from complete ones: they are to run
    with masks.
    `tiles` are the sizes of tiles of blocks, along the rows, the vector loop, and all other loops,
    `shared_tiles` those where tiles of rows are parallel inside the others: threads then share what
    is loaded along the vector loop.
    With `reassociate`, loops that update one element may run in vectors of partial results.

    Raises `OptionError` for numbers that make no sense.
    """

    rows: int
    vectors: int
    width: int
    loop: LoopAddress | None = None
    masked: bool = False
    tiles: tuple[int, ...] = ()
    shared_tiles: tuple[int, ...] = ()
    reassociate: bool = False

    def __post_init__(self) -> None:
        if self.rows < 1:
            raise OptionError(f"rows must be 1 or more: rows={self.rows}")
        if self.vectors < 1:
            raise OptionError(f"vectors must be 1 or more: vectors={self.vectors}")
        if self.width < 2 or self.width.bit_count() != 1:
            raise OptionError(f"width must be a power of two, 2 or more: width={self.width}")
        for name, sizes in (("tiles", self.tiles), ("shared-tiles", self.shared_tiles)):
            if sizes:
                self._require_tiles_of_blocks(name, sizes)
        if self.shared_tiles and not self.tiles:
            raise OptionError("shared-tiles needs tiles, for where rows are not parallel")

    def _require_tiles_of_blocks(self, name: str, sizes: tuple[int, ...]) -> None:
        given = f"{name}={','.join(map(str, sizes))}"
        if len(sizes) != 3 or min(sizes) < 1:
            raise OptionError(f"{name} must be three sizes, 1 or more: {given}")
        columns = self.vectors * self.width
        if sizes[0] % self.rows or sizes[1] % columns:
            raise OptionError(f"{name} must hold whole blocks of {self.rows} x {columns}: {given}")


def register_tile(
    schedule: Schedule,
    dependences: Dependences,
    statements: Sequence[Statement],
    options: RegisterTileOptions,
    jammed: int,
) -> Outcome:
    """Let innermost bands run in blocks whose results stay in registers.

    Of the members of an innermost permutable band, one becomes the vector loop, along which the
    statement's stores are to successive elements; one becomes the loop of the rows, along which
    loads of vectors are the same. Inside all others, both must be parallel. The loops over blocks
    come first, then all other members, and the block innermost. For S[i, j, k],
    C[i, j] += A[i, k] * B[k, j]:

        band [i, j, k]    =>    band [24 floor(j / 24), 8 floor(i / 8)]
                                  band [k]  options isolate (where the block is complete)
                                    band [i, j]  attributes #poly.jam<8>, #poly.vector<8>

    With `tiles`, loops over tiles of blocks come first, along the vector loop, all others and the
    rows: inside them, operands fit into caches, as those of F. Van Zee, R. van de Geijn: "BLIS: a
    framework for rapidly instantiating BLAS functionality" (TOMS 2015). They have the sizes of
    `shared_tiles` if the tiles of rows are parallel inside all others.

    Loops along which every access goes to another row of its array, as those over a batch of
    matrices, come before all others: between their iterations, there is nothing to keep.

    Without a loop for rows, blocks are made along the vector loop only, and only if another loop
    adds up what is stored; else the vector loop becomes the innermost one.
    With `reassociate`, a loop that updates one element, with loads of successive elements, becomes
    the innermost one and gets the attribute `#poly.reduction`, where no parallel loop has vectors.
    Statements that share such a loop get loops of their own, where the dependences allow it.
    Otherwise, where loads along no parallel loop go to successive elements, but along another loop
    do, and each iteration of the parallel one is a sum along that, blocks are as many vectors as
    `rows` take: `vectorize` transposes small squares. If results are not successive either, blocks
    have rows only: several sums at once hide the latency of one.
    Blocks have fewer vectors where no block would be complete otherwise, as in narrow arrays; if
    not even one of one vector is, the vector loop becomes the innermost one.
    Statements that share a band within tiles get bands of their own first, where the dependences
    allow it, if one of them gets a vector loop then (`polyir.transform.point_distribution`).
    Several statements, one after the other in the innermost band, get vector loops of their own
    if all of them have one along the same member:

        band [i, j]            band [i]
          sequence               sequence
            S0          =>         S0: band [j]  attributes #poly.vector<8>
            S1                     S1: band [j]  attributes #poly.vector<8>

    Where all loops below a band have few iterations, as those of a filter, its vector loop is the
    last one of the band.

    Where the block is complete, its loops have a constant number of iterations, and
    `polyir.loops.vectorize` makes vectors and copies of them. Outer-loop vectorisation with
    register tiles is that of Goto and van de Geijn: "Anatomy of high-performance matrix
    multiplication" (TOMS 2008), for any loops whose dependences allow it.

    With `reassociate`, loops around sums in vectors get `jammed` copies (`jam_rows`).

    Raises `LegalityError` if the result violates a dependence; `OptionError` for an address of no
    loop.
    """
    by_name = {each.name: each for each in statements}
    tiler = _RegisterTiler(by_name, dependences, options)
    start = start_at(schedule, dependences, options.loop, "register tiling")
    result = tiler.visit(start).schedule
    if not tiler.done:
        reasons = tiler.missed or [no_permutable_band(start.schedule, dependences)]
        return Outcome(
            schedule, (), (f"no register tiles were made: {summary(reasons)}",), name="not-tiled"
        )
    what, done = "register tiling", (*tiler.done, *tiler.missed)
    outcome = settled(schedule, result, dependences, what, done, exact_flags=True)
    if not options.reassociate:
        return outcome
    copies = jam_rows(outcome.schedule, dependences, statements, jammed)
    return replace(outcome, schedule=copies.schedule, done=(*outcome.done, *copies.done))


@dataclass(frozen=True)
class _Shape:
    """The members of a band that are the vector loop and the loop of the rows, if there are.

    Without one of them, `kept` is a loop that adds up what is stored, in the same elements. With
    `is_transposed`, loads go to successive elements along that one, not along the vector loop.
    `outer` are loops that come outside of the blocks, mostly because nothing is reused along them.
    With `is_reduction`, the vector loop updates one element, and there is no block.
    """

    vector: int | None
    rows: int | None
    kept: int | None = None
    outer: tuple[int, ...] = ()
    is_reduction: bool = False
    is_transposed: bool = False


class _RegisterTiler:
    """Makes register tiles in one tree and notes what it did."""

    def __init__(
        self,
        statements: Mapping[str, Statement],
        dependences: Dependences,
        options: RegisterTileOptions,
    ) -> None:
        self.done: list[str] = []
        self.missed: list[str] = []
        self.has_blocks = False
        self.has_partial_results = False
        self._statements = statements
        self._dependences = dependences
        self._options = options

    def visit(self, node: ScheduleNode) -> ScheduleNode:
        """The tree from `node` down with register tiles in its innermost bands."""
        if node.kind is not BAND:
            return self._below(node)
        if node.child(0).kind is not LEAF:
            return (
                self._distributed(node)
                or self._in_turn(node)
                or self._updates_together(node)
                or self._updates_apart(node)
                or self._around_sums(node)
                or self._around_windows(node)
                or self._below(node)
            )
        if runs_over_tiles(node):
            return node
        name = describe_band(node)
        if node.is_subtree_anchored:
            self.missed.append(anchored(node))
            return node
        shape = self._shape(node)
        if isinstance(shape, str):
            self.missed.append(f"{name} has no vector loop: {shape}")
            return node
        if shape.vector is not None and shape.rows is None and shape.kept is None:
            return self._vectors_only(node, shape, name)
        return self._blocks(node, shape, name)

    def _below(self, node: ScheduleNode) -> ScheduleNode:
        return rewritten(node, range(node.n_children), lambda child, _: self.visit(child))

    def _distributed(self, band: ScheduleNode) -> ScheduleNode | None:
        """`band` with point loops for each statement, if any of them gets a register tile then."""
        if band.is_subtree_anchored:
            return None
        found = distribution(band, self._dependences)
        if found is None:
            return None
        tiler = _RegisterTiler(self._statements, self._dependences, self._options)
        if found.common and (apart := untangled(band, self._dependences)) is not None:
            what = f"tiles of {describe_band(band)} without cycles are apart"
            result = tiler.visit_tiles(band, apart)
        else:
            common = [str(place + 1) for place in found.common]
            where = f" inside loop {', '.join(common)}" if common else ""
            what = f"distributed {describe_band(band)}{where}"
            result = found.apply(band, self._dependences, tiler.visit)
        if not tiler.done:
            return None
        if (
            not tiler.has_blocks
            and parallel_vector_loop(band, self._dependences, self._statements) is not None
        ):
            return None
        self.has_blocks |= tiler.has_blocks
        self.done += [what, *tiler.done]
        self.missed += tiler.missed
        return result

    def _around_sums(self, band: ScheduleNode) -> ScheduleNode | None:
        """Blocks of parallel loops of `band`, inside the bands below; `None` if there are none.

        Loops that add up to one element in a fixed order are not permutable, and so have bands of
        their own, as those of a convolution:

            band [k, y, x]        band [y]
              band [r]              band [48 floor(x / 48), 8 floor(k / 8)]
                band [s]     =>       band [r, s]
                                        band [k, x]  attributes #poly.jam<8>, #poly.vector<16>

        The other parallel loops are outside, so that sums of one iteration are near each other.
        """
        if not band.permutable or band.is_subtree_anchored or runs_over_tiles(band):
            return None
        members = list(band.members)
        innermost = band
        while innermost.child(0).kind is BAND:
            innermost = innermost.child(0)
            members += innermost.members
        has_one_statement = len(sets_of(band.domain)) == 1
        if innermost.child(0).kind is not LEAF or not has_one_statement:
            return None
        shape = self._shape(innermost)
        if not isinstance(shape, str) and None not in (shape.vector, shape.rows):
            return None
        facts = band_facts(active_at(band, self._dependences), band.band.functions_by_statement)
        movable = [place for place, is_free in enumerate(facts.coincident) if is_free]
        name = describe_band(band)
        merged = band
        while merged.child(0).kind is BAND:
            merged = merged.child(0).delete().parent()
        merged = replace_band(merged, members)
        shape = self._shape(merged, movable)
        if isinstance(shape, str) or None in (shape.vector, shape.rows):
            return None
        block = (shape.vector, shape.rows)
        outer = tuple(place for place in movable if place not in block)
        return self._blocks(merged, replace(shape, outer=outer), name)

    def _around_windows(self, band: ScheduleNode) -> ScheduleNode | None:
        """`band` with its vector loop around loops of few iterations, as those of a filter.

        `polyir.loops.vectorize` makes straight-line code of these.
        """
        place = vector_loop_around_windows(
            band, self._dependences, self._statements, self._options.width
        )
        # Threads take single iterations of a loop that they share: compilers make its vectors.
        if place is None or self._is_shared(band, place):
            return None
        return self._vectors_only(band, _Shape(place, None), describe_band(band))

    def visit_tiles(self, band: ScheduleNode, apart: isl.UnionSet) -> ScheduleNode:
        """`band` in two, one of the instances of the tiles `apart`, with register tiles in each."""
        rest = band.order_before(apart).parent()
        number = rest.child_position
        places = (number - 1, number)
        sequence = rewritten(rest.parent(), places, lambda part, _: self.visit(part))
        return sequence.child(number - 1)

    def _shape(self, band: ScheduleNode, movable: Sequence[int] | None = None) -> _Shape | str:
        """Which members are to be the loops of the block, or why there are none.

        They are among the `movable` ones, by default all if `band` is permutable, else the last.
        """
        instances = sets_of(band.domain)
        if len(instances) != 1:
            return "it has several statements"
        statement = self._statements[instances[0].get_tuple_name()]
        if not has_vectors(statement):
            return "the elements of an array form no vectors"
        first = band.schedule_depth
        schedule = schedule_of_statement(band, statement.domain, first)
        members = len(band.members)
        if movable is None:
            movable = range(members) if band.permutable else (members - 1,)
        found = {place: direction_of(statement, schedule, first + place) for place in movable}
        directions = {place: each for place, each in found.items() if each is not None}
        stores = [
            place
            for place, each in enumerate(statement.accesses)
            if each.kind is not AccessKind.READ
        ]
        loads = [place for place in range(len(statement.accesses)) if place not in stores]
        along = [
            place
            for place, each in directions.items()
            if stores and all(map(each.is_successive, stores))
        ]

        def cheap_loads(place: int) -> int:
            each = directions[place]
            return sum(each.is_successive(load) or each.stays(load) for load in loads)

        along.sort(key=lambda place: (cheap_loads(place), place), reverse=True)
        for vector in along:
            rows = [
                place
                for place, each in directions.items()
                if members > 2
                and place != vector
                and any(each.stays(load) and not directions[vector].stays(load) for load in loads)
            ]
            for row in reversed(rows):
                if are_parallel(band, (row, vector), self._dependences):
                    outer = without_reuse(directions, (row, vector))
                    # Some loop must be between the loops over blocks and those of a block.
                    return _Shape(vector, row, outer=outer if members > len(outer) + 2 else ())
            if cheap_loads(vector) == len(loads) and are_parallel(
                band, (vector,), self._dependences
            ):
                kept = [
                    place
                    for place, each in directions.items()
                    if place != vector and all(map(each.stays, stores))
                ]
                # In the order of memory, no part of a cache line has to wait for the others.
                is_alone = self._options.reassociate and not self._is_shared(band, vector)
                return _Shape(vector, None, kept[-1] if kept and not is_alone else None)
        if self._options.reassociate:
            reduced = loop_of_updates(statement, directions)
            if reduced is not None:
                return _Shape(reduced, None, is_reduction=True)
        for row in reversed(directions):
            kept_loop = loop_of_sums(row, directions, stores, loads)
            if kept_loop is not None and are_parallel(band, (row,), self._dependences):
                if row in along:
                    return _Shape(row, None, kept_loop, is_transposed=True)
                return _Shape(None, row, kept_loop)
        return "no parallel loop has accesses to successive elements"

    def _is_shared(self, band: ScheduleNode, member: int) -> bool:
        """Whether threads share the iterations of a member."""
        return ParallelAttr() in band.loop_attributes[member]

    def _in_turn(self, band: ScheduleNode) -> ScheduleNode | None:
        """`band` with a vector loop for each of the statements that run in turn in it."""
        place = parallel_vector_loop(band, self._dependences, self._statements)
        if place is None:
            return None
        self.done.append(f"separated the statements in loop {place + 1} of {describe_band(band)}")
        return self._below(_distribute(band, place))

    def _updates_together(self, band: ScheduleNode) -> ScheduleNode | None:
        """`band` with one vector loop for all statements that run in turn in it, innermost."""
        if not self._options.reassociate:
            return None
        place = vector_loop_with_updates(band, self._dependences, self._statements)
        if place is None:
            return None
        shape = _Shape(place, None, is_reduction=True)
        return self._vectors_only(band, shape, describe_band(band))

    def _updates_apart(self, band: ScheduleNode) -> ScheduleNode | None:
        """`band` with loops for each of the statements that run in turn in it, for their updates.

        One of them gets vectors of partial results then, as a loop can update one element only. As
        many loops stay common as do not keep another statement from vectors.
        """
        if not self._options.reassociate or band.is_subtree_anchored:
            return None
        if not runs_statements_in_turn(band):
            return None
        if any(self._statements[each.get_tuple_name()].has_loops for each in sets_of(band.domain)):
            # These take the time, and get no vectors.
            return None
        best: tuple[ScheduleNode, _RegisterTiler, int] | None = None
        for count in reversed(range(len(band.members))):
            found = distribution_inside(band, self._dependences, tuple(range(count)))
            if found is None:
                continue
            tiler = _RegisterTiler(self._statements, self._dependences, self._options)
            result = found.apply(band, self._dependences, tiler.visit)
            is_better = best is None or len(tiler.missed) < len(best[1].missed)
            if tiler.has_partial_results and is_better:
                best = result, tiler, count
        if best is None:
            return None
        result, tiler, count = best
        loops = f"loops 1 to {count}" if count > 1 else "loop 1"
        where = f" inside {loops}" if count else ""
        self.done += [f"separated the statements in {describe_band(band)}{where}", *tiler.done]
        self.missed += tiler.missed
        self.has_blocks |= tiler.has_blocks
        self.has_partial_results = True
        return result

    def _vectors_only(self, band: ScheduleNode, shape: _Shape, name: str) -> ScheduleNode:
        """`band` with its vector loop innermost."""
        assert shape.vector is not None
        width = self._options.width
        members = list(band.members)
        chosen = members.pop(shape.vector)
        attribute = ReductionAttr(width) if shape.is_reduction else VectorAttr(width)
        members.append(replace(chosen, attributes=with_attribute(chosen.attributes, attribute)))
        what = "partial results" if shape.is_reduction else "vectors"
        self.has_partial_results |= shape.is_reduction
        self.done.append(f"{what} of {width} along loop {shape.vector + 1} of {name}")
        return replace_band(band, members, band.permutable)

    def _blocks(
        self, band: ScheduleNode, shape: _Shape, name: str, vectors: int = 0
    ) -> ScheduleNode:
        """`band` as loops over blocks, the loops that are in no block, and those of a block.

        Where no block would be complete, the blocks have fewer vectors, or there are none.
        """
        members, noted = band.members, len(self.done)
        vectors = vectors or self._options.vectors
        sizes = self._sizes(shape, vectors)
        others = [place for place in range(len(members)) if place not in (*sizes, *shape.outer)]
        if shape.kept is not None:
            others.sort(key=lambda place: place == shape.kept)
        tiles: list[BandMember] = []
        block: list[BandMember] = []
        for place, size in sizes.items():
            is_vector = place == shape.vector
            own = VectorAttr(self._options.width) if is_vector else JamAttr(size)
            outer, inner = cut(members[place].attributes)
            tiles.append(BandMember(tile_values(members[place].function, size), attributes=outer))
            # Both loops of a block get their form here, whatever they had before.
            rest = tuple(each for each in inner if not isinstance(each, VectorAttr | JamAttr))
            block.insert(0, replace(members[place], attributes=(*rest, own)))
        node = band.delete().insert_band(block, True)
        node = node.insert_band([members[place] for place in others])
        node = node.insert_band(tiles, True)
        is_tiled = bool(self._options.tiles) and band.permutable
        depth = 0
        if is_tiled and None not in (shape.vector, shape.rows):
            node = self._tiles_of_blocks(node, members, tuple(sizes), others)
            depth += 1
        if shape.outer:
            node = node.insert_band([members[place] for place in shape.outer], True)
            numbers = ", ".join(str(place + 1) for place in shape.outer)
            plural = "s" * (len(shape.outer) > 1)
            self.done.append(f"blocks are inside loop{plural} {numbers} of {name}")
            depth += 1
        self.done.append(f"blocks of {_block_text(sizes)} of {name}")
        (instances,) = sets_of(band.domain)
        domain = self._statements[instances.get_tuple_name()].domain
        for _ in range(depth):
            node = node.child(0)
        # Masks are for blocks with rows of vectors, or rows to transpose: what is left of a single
        # row runs on its own.
        has_masks = shape.rows is not None or shape.is_transposed
        only_cut = self._options.masked and has_masks
        complete = complete_blocks(node, domain, tuple(sizes.values()), only_cut)
        is_block = None not in (shape.vector, shape.rows)
        if is_block and complete is not None and complete.is_empty():
            del self.done[noted:]
            if vectors > 1:
                return self._blocks(band, shape, name, vectors - 1)
            return self._vectors_only(band, shape, name)
        self.has_blocks |= is_block
        if complete is not None:
            node = node.child(0).changed(options=complete).parent()
        return node.ancestor(depth)

    def _tiles_of_blocks(
        self,
        node: ScheduleNode,
        members: Sequence[BandMember],
        block: Sequence[int],
        inner: Sequence[int],
    ) -> ScheduleNode:
        """Loops over tiles of blocks, above `node`.

        They are for the loops of a `block`, vector and rows, and the `inner` ones in no block.
        """
        vector, rows = block
        for height, columns, others in filter(
            None, (self._options.shared_tiles, self._options.tiles)
        ):
            sizes = {vector: columns} | dict.fromkeys(inner, others) | {rows: height}
            tiles = [
                BandMember(tile_values(members[n].function, each)) for n, each in sizes.items()
            ]
            tiled = node.insert_band(tiles, True)
            if band_facts(
                active_at(tiled, self._dependences), tiled.band.functions_by_statement
            ).coincident[-1]:
                break
        shown = " x ".join(map(str, sizes.values()))
        loops = ", ".join(str(place + 1) for place in sizes)
        self.done.append(f"tiles of {shown} along loops {loops} around the blocks")
        return tiled

    def _sizes(self, shape: _Shape, vectors: int) -> dict[int, int]:
        """The sizes of a block, for the vector loop first.

        Without rows, twice as many vectors make enough sums to wait for none of them. Those that
        are made of rows are as many as have `rows` elements.
        """
        sizes: dict[int, int] = {}
        if shape.vector is not None:
            width = self._options.width * vectors
            sizes[shape.vector] = 2 * width if shape.rows is None else width
        if shape.vector is not None and shape.is_transposed:
            vectors = -(-self._options.rows // self._options.width)
            sizes[shape.vector] = vectors * self._options.width
        if shape.rows is not None:
            sizes[shape.rows] = self._options.rows
        return sizes


def _block_text(sizes: dict[int, int]) -> str:
    """The sizes of a block in words, that of its vector loop, which comes first, last."""
    shown = " x ".join(str(size) for size in reversed(sizes.values()))
    numbers = " and ".join(str(place + 1) for place in reversed(sizes))
    return f"{shown} along loop{'s' * (len(sizes) > 1)} {numbers}"


def _distribute(band: ScheduleNode, place: int) -> ScheduleNode:
    """The node in the place of `band`, with one member inside the sequence below all others."""
    others = list(band.members)
    inner = others.pop(place)
    permutable = band.permutable
    node = band.delete()
    for position in range(node.n_children):
        leaf = node.child(position).child(0)
        own = inner.with_function(inner.function.intersect_domain(leaf.domain.universe()))
        node = leaf.insert_band([own], True).parent().parent()
    return node.insert_band(others, permutable) if others else node
