"""Code for messages: between the first rank and the others, or between the parts that ranks pass,
and at the end of a step.

In a step, a rank sends at most one message to each other rank for each type of element. It has
the elements for all pairs of a block of the sender and one of the receiver, in the order of the
blocks in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from xdsl.dialects import arith, llvm, mpi
from xdsl.dialects.builtin import MemRefType, i32, i64
from xdsl.dialects.cf import AssertOp
from xdsl.ir import SSAValue

from polyir.distributed.blocks import Blocks, Parts, Place, Values
from polyir.distributed.elements import OWN, PEER
from polyir.distributed.neighbours import Neighbours
from polyir.distributed.transfers import PACK, UNPACK, Transfer
from polyir.irregular.code import Code


def scatter(
    code: Code,
    blocks: Blocks,
    transfer: Transfer,
    values: Values,
    place: Place,
    whole: Parts,
    memory: Mapping[str, SSAValue],
) -> None:
    """The first rank, which has whole arrays, gives each block of another rank elements."""
    with code.either(place.rank, "eq", 0) as (root, others):
        with blocks.every(root, place, "block") as (body, block):
            known = {**values, **blocks.bounds(body, place, block, PEER)}
            owner = blocks.owner(body, place, block)
            with (
                body.conditional(body.compared(owner, "ne", 0)) as another,
                _pieces(another, transfer, known, whole) as (piece, buffer, start, count),
            ):
                transfer.copy(piece, known, whole, (buffer, start), PACK)
                _send(piece, buffer, count, owner)
        with blocks.own(others, place) as (body, block):
            known = {**values, **blocks.bounds(body, place, block, PEER)}
            parts = blocks.parts(body, place, block, memory)
            with _pieces(body, transfer, known, parts) as (piece, buffer, start, count):
                _receive(piece, buffer, count, piece.constant(0))
                transfer.copy(piece, known, parts, (buffer, start), UNPACK)


def gather(
    code: Code,
    blocks: Blocks,
    transfer: Transfer,
    values: Values,
    place: Place,
    whole: Parts,
    memory: Mapping[str, SSAValue],
) -> None:
    """The first rank, which has whole arrays, takes elements of each block of another rank."""
    with code.either(place.rank, "eq", 0) as (root, others):
        with blocks.every(root, place, "block") as (body, block):
            known = {**values, **blocks.bounds(body, place, block, PEER)}
            owner = blocks.owner(body, place, block)
            with (
                body.conditional(body.compared(owner, "ne", 0)) as another,
                _pieces(another, transfer, known, whole) as (piece, buffer, start, count),
            ):
                _receive(piece, buffer, count, owner)
                transfer.copy(piece, known, whole, (buffer, start), UNPACK)
        with blocks.own(others, place) as (body, block):
            known = {**values, **blocks.bounds(body, place, block, PEER)}
            parts = blocks.parts(body, place, block, memory)
            with _pieces(body, transfer, known, parts) as (piece, buffer, start, count):
                transfer.copy(piece, known, parts, (buffer, start), PACK)
                _send(piece, buffer, count, piece.constant(0))


SMALL_PIECE = 1 << 16
MOST_PIECES = 32
"""A rank's part comes and goes in pieces of so many elements, or in so many pieces if it is larger.

So a buffer adds little to the part, and the rows of the elements are visited a few times only.
"""


def pieces_of(count: int) -> int:
    """In how many messages so many elements are scattered or gathered."""
    return -(-count // max(SMALL_PIECE, -(-count // MOST_PIECES)))


@contextmanager
def _pieces(
    code: Code, transfer: Transfer, values: Values, parts: Parts
) -> Iterator[tuple[Code, SSAValue, SSAValue, SSAValue]]:
    """Code for each piece of a message.

    There are a buffer, the place there of the first element of the message, which is negative in
    all pieces but the first one, and the number of elements of the piece.
    """
    count = transfer.count(code, values, parts)
    with code.conditional(code.compared(count, "ne", 0)) as some:
        share = some.steps(0, count, MOST_PIECES)
        length = some.minimum(count, some.maximum(share, SMALL_PIECE))
        buffer = some.array("message", length, element=transfer.element)
        with some.loop("first", 0, count, length) as (piece, first):
            start = piece.difference(piece.constant(0), first)
            yield piece, buffer, start, piece.minimum(length, piece.difference(count, first))
        some.free(buffer)


MOST_ELEMENTS = 2**31 - 1
"""How many elements a message has at most."""

_OUT, _IN = 0, 1

Holder = Callable[[Code, SSAValue], Parts]
"""Adds code for the parts of arrays that the rank that runs has for one of its blocks."""


def between_parts(
    code: Code,
    blocks: Blocks,
    transfer: Transfer,
    values: Values,
    place: Place,
    source: Holder,
    target: Holder,
) -> None:
    """Each rank copies elements to parts of its own, and sends each other rank elements of them."""
    own = place.rank
    known = {**values, **blocks.bounds(code, place, own, OWN)}
    known |= blocks.bounds(code, place, own, PEER)
    with _pieces(code, transfer, known, source(code, own)) as (piece, buffer, start, _):
        transfer.copy(piece, known, source(piece, own), (buffer, start), PACK)
        transfer.copy(piece, known, target(piece, own), (buffer, start), UNPACK)
    exchange = Exchange(blocks, transfer, values, place, source, target, 0)
    exchange.begin(code)
    exchange.send(code)
    exchange.end(code)


class Exchange:
    """The messages between all ranks at the end of a step, of elements of one type.

    Its methods add code in this order: `begin`, which receives early, `send` once the elements
    are there, and `end`, which waits.
    """

    def __init__(
        self,
        blocks: Blocks,
        transfer: Transfer,
        values: Values,
        place: Place,
        source: Holder,
        target: Holder,
        tag: int,
        neighbours: tuple[Neighbours | None, Neighbours | None] = (None, None),
    ) -> None:
        self._blocks, self._transfer, self._place = blocks, transfer, place
        self._values, self._tag = values, tag
        self._parts = source, target
        self._neighbours = neighbours

    def begin(self, code: Code) -> None:
        """Count what goes out and comes in, and post the receives."""
        ranks = self._place.ranks
        self._starts = code.array("starts", 2, code.sum(ranks, 1))
        self._ranges = [self._range(code, row) for row in (_OUT, _IN)]
        self._count(code)
        self._buffers = [
            code.array(name, code.load(self._starts, row, ranks), element=self._transfer.element)
            for row, name in ((_OUT, "outgoing"), (_IN, "incoming"))
        ]
        self._next = code.array("next", ranks)
        requests = mpi.AllocateTypeOp(mpi.RequestType, i32_of(code, code.product(ranks, 2)))
        code.add(requests)
        self._requests = requests.result
        self._posted = code.cell("posted")
        code.store(0, self._posted)
        self._post(code, mpi.IrecvOp, _IN)

    def send(self, code: Code) -> None:
        """Pack what goes out, and send it."""
        self._copy_starts(code, _OUT)
        with self._pairs(code, _OUT) as (body, own, other, owner):
            known = {**self._values, **self._bounds(body, own, OWN)}
            known |= self._bounds(body, other, PEER)
            self._copy(body, known, own, owner, _OUT)
        self._post(code, mpi.IsendOp, _OUT)

    def end(self, code: Code) -> None:
        """Wait, and unpack what came."""
        code.add(mpi.WaitallOp(self._requests, i32_of(code, code.load(self._posted))))
        if self._blocks.has_several:
            self._keep_own(code)
        self._copy_starts(code, _IN)
        with self._pairs(code, _IN, others_first=True) as (body, own, other, owner):
            known = {**self._values, **self._bounds(body, other, OWN)}
            known |= self._bounds(body, own, PEER)
            self._copy(body, known, own, owner, _IN)
        code.free(*self._buffers, self._starts, self._next)

    def _bounds(self, code: Code, block: SSAValue, who: str) -> dict[str, SSAValue]:
        return self._blocks.bounds(code, self._place, block, who)

    @contextmanager
    def _pairs(
        self, code: Code, row: int, others_first: bool = False
    ) -> Iterator[tuple[Code, SSAValue, SSAValue, SSAValue]]:
        """Code for each block of this rank and each other block, and the rank that has that.

        Blocks of ranks with which there is no message may be left out.
        """
        blocks, place = self._blocks, self._place
        if others_first:
            with (
                self._others(code, row) as (outer, other),
                blocks.own(outer, place) as (inner, own),
                inner.conditional(inner.compared(own, "ne", other)) as body,
            ):
                yield body, own, other, blocks.owner(body, place, other)
        else:
            with (
                blocks.own(code, place) as (outer, own),
                self._others(outer, row) as (inner, other),
                inner.conditional(inner.compared(own, "ne", other)) as body,
            ):
                yield body, own, other, blocks.owner(body, place, other)

    @contextmanager
    def _others(self, code: Code, row: int) -> Iterator[tuple[Code, SSAValue]]:
        if self._blocks.has_several:
            with self._blocks.every(code, self._place, "other") as found:
                yield found
        else:
            with code.loop("other", *self._ranges[row]) as found:
                yield found

    def _range(self, code: Code, row: int) -> tuple[SSAValue, SSAValue]:
        """The first rank that a message may go to or come from, and the one after the last."""
        known = self._neighbours[row]
        if known is None or self._blocks.has_several:
            return code.constant(0), self._place.ranks
        own = self._bounds(code, self._place.rank, OWN if row == _OUT else PEER)
        ends = known.tiles(code, {**self._values, **own})
        first, last = (
            None if tile is None else self._blocks.rank_of(code, self._place, known.division, tile)
            for tile in ends
        )
        begin = code.constant(0) if first is None else code.maximum(first, 0)
        if last is None:
            return begin, self._place.ranks
        return begin, code.minimum(code.sum(last, 1), self._place.ranks)

    def _count(self, code: Code) -> None:
        """Set `starts[.][r]` to where the elements for or from rank r start in a buffer."""
        starts, ranks = self._starts, self._place.ranks
        with code.loop("peer", 0, code.sum(ranks, 1)) as (body, peer):
            for row in (_OUT, _IN):
                body.store(0, starts, row, peer)
        for row in (_OUT, _IN):
            with self._pairs(code, row) as (body, own, other, owner):
                end = body.sum(owner, 1)
                source, target = (own, other) if row == _OUT else (other, own)
                known = {**self._values, **self._bounds(body, source, OWN)}
                known |= self._bounds(body, target, PEER)
                count = self._transfer.count(body, known, self._parts[row](body, own))
                body.store(body.sum(body.load(starts, row, end), count), starts, row, end)
        with code.loop("peer", 0, ranks) as (body, peer):
            end = body.sum(peer, 1)
            for row in (_OUT, _IN):
                total = body.sum(body.load(starts, row, peer), body.load(starts, row, end))
                body.store(total, starts, row, end)

    def _copy_starts(self, code: Code, row: int) -> None:
        with code.loop("peer", 0, self._place.ranks) as (body, peer):
            body.store(body.load(self._starts, row, peer), self._next, peer)

    def _copy(self, code: Code, values: Values, own: SSAValue, owner: SSAValue, row: int) -> None:
        """Copy the elements for a pair of blocks to or from the next place in a buffer."""
        parts = self._parts[row](code, own)
        action = PACK if row == _OUT else UNPACK
        first = code.load(self._next, owner)
        end = self._transfer.copy(code, values, parts, (self._buffers[row], first), action)
        code.store(end, self._next, owner)

    def _keep_own(self, code: Code) -> None:
        """Copy what one block of this rank has for another one."""
        rank = self._place.rank
        first, end = (self._starts_of(code, _OUT, each) for each in (rank, code.sum(rank, 1)))
        to = self._starts_of(code, _IN, rank)
        with code.loop("e", 0, code.difference(end, first)) as (body, number):
            value = body.load(self._buffers[_OUT], body.sum(first, number))
            body.store(value, self._buffers[_IN], body.sum(to, number))

    def _starts_of(self, code: Code, row: int, rank: SSAValue) -> SSAValue:
        return code.load(self._starts, row, rank)

    def _post(self, code: Code, kind: type[mpi.IsendOp] | type[mpi.IrecvOp], row: int) -> None:
        """Send to or receive from each other rank with which there is a message."""
        with code.loop("peer", 0, self._place.ranks) as (body, peer):
            start = self._starts_of(body, row, peer)
            count = body.difference(self._starts_of(body, row, body.sum(peer, 1)), start)
            is_other = body.compared(peer, "ne", self._place.rank)
            is_some = body.compared(count, "ne", 0)
            with body.conditional(body.both(is_other, is_some)) as some:
                pointer, type = pointer_to(some, self._buffers[row], start)
                number = some.load(self._posted)
                request = mpi.VectorGetOp(self._requests, i32_of(some, number))
                some.add(request)
                length, other = length_of(some, count), i32_of(some, peer)
                tag = i32_of(some, some.constant(self._tag))
                some.add(kind(pointer, length, type, other, tag, request.result))
                some.store(some.sum(number, 1), self._posted)


def i32_of(code: Code, value: SSAValue) -> SSAValue:
    """An index as an integer of 32 bits, as MPI has them."""
    return code.builder.insert(arith.IndexCastOp(value, i32)).result


def length_of(code: Code, count: SSAValue) -> SSAValue:
    """The number of elements of a message, which MPI counts with 32 bits."""
    is_known = code.compared(count, "sle", MOST_ELEMENTS)
    code.add(AssertOp(is_known, f"a message has more than {MOST_ELEMENTS} elements"))
    return i32_of(code, count)


def pointer_to(
    code: Code, buffer: SSAValue, start: SSAValue | None = None
) -> tuple[SSAValue, SSAValue]:
    """A pointer into a buffer, and the type of its elements for MPI."""
    whole = mpi.UnwrapMemRefOp(buffer)
    code.add(whole)
    if start is None:
        return whole.ptr, whole.type
    assert isinstance(buffer.type, MemRefType)
    place = code.builder.insert(arith.IndexCastOp(start, i64)).result
    element = llvm.GEPOp(
        whole.ptr, [llvm.GEP_USE_SSA_VAL], buffer.type.element_type, ssa_indices=[place]
    )
    code.add(element)
    return element.result, whole.type


def _send(code: Code, buffer: SSAValue, count: SSAValue, peer: SSAValue) -> None:
    pointer, type = pointer_to(code, buffer)
    tag = i32_of(code, code.constant(0))
    code.add(mpi.SendOp(pointer, length_of(code, count), type, i32_of(code, peer), tag))


def _receive(code: Code, buffer: SSAValue, count: SSAValue, peer: SSAValue) -> None:
    pointer, type = pointer_to(code, buffer)
    tag = i32_of(code, code.constant(0))
    code.add(mpi.RecvOp(pointer, length_of(code, count), type, i32_of(code, peer), tag))
