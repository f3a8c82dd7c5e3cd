"""Code for messages: between the first rank and the others, or between the parts that ranks pass,
and at the end of a step.

In a step, a rank sends at most one message to each other rank for each type of element. The
messages between ranks that have several blocks are those of `polyir.distributed.dealt_exchange`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from xdsl.dialects import arith, llvm, mpi
from xdsl.dialects.builtin import MemRefType, i32, i64
from xdsl.dialects.cf import AssertOp
from xdsl.ir import Attribute, SSAValue

from polyir.distributed.blocks import Blocks, Parts, RankArguments
from polyir.distributed.boxes import Values
from polyir.distributed.elements import OWN, PEER
from polyir.distributed.neighbours import Neighbours
from polyir.distributed.transfers import PACK, UNPACK, Transfer
from polyir.loops.code import Code


def exchange(
    code: Code,
    blocks: Blocks,
    transfer: Transfer,
    values: Values,
    place: RankArguments,
    whole: Parts,
    memory: Mapping[str, SSAValue],
    is_gather: bool,
) -> None:
    """The first rank, which has whole arrays, gives each block of another rank elements.

    If it `is_gather`, it takes them.
    """
    with code.either(place.rank, "eq", 0) as (root, others):
        with blocks.every(root, place, "block") as (body, block):
            known = {**values, **blocks.bounds(body, place, block, PEER)}
            owner = blocks.owner(body, place, block)
            with body.conditional(body.compared(owner, "ne", 0)) as another:
                _move(another, transfer, known, whole, owner, is_sent=not is_gather)
        with blocks.own(others, place) as (body, block):
            known = {**values, **blocks.bounds(body, place, block, PEER)}
            parts = blocks.parts(body, place, block, memory)
            _move(body, transfer, known, parts, None, is_sent=is_gather)


def _move(
    code: Code,
    transfer: Transfer,
    values: Values,
    parts: Parts,
    other: SSAValue | None,
    is_sent: bool,
) -> None:
    """Send elements of `parts` to another rank, or the first one, or receive them, in pieces."""
    with _pieces(code, transfer, values, parts) as (piece, buffer, start, count):
        if is_sent:
            transfer.copy(piece, values, parts, (buffer, start), PACK)
            _send(piece, buffer, count, other or piece.constant(0))
        else:
            _receive(piece, buffer, count, other or piece.constant(0))
            transfer.copy(piece, values, parts, (buffer, start), UNPACK)


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

OUT, IN = 0, 1
"""The rows of tables for what a rank sends and for what it receives."""

Holder = Callable[[Code, SSAValue], Parts]
"""Adds code for the parts of arrays that the rank that runs has for one of its blocks."""


def between_parts(
    code: Code,
    blocks: Blocks,
    transfer: Transfer,
    values: Values,
    place: RankArguments,
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
    exchange = BlockExchange(blocks, transfer, values, place, source, target, 0)
    exchange.begin(code)
    exchange.send(code)
    exchange.end(code)


class Exchange(ABC):
    """The messages between all ranks at the end of a step, of elements of one type.

    Its methods add code in this order: `begin`, which receives early, `send` once the elements
    are there, and `end`, which waits.
    """

    def __init__(
        self, blocks: Blocks, element: Attribute, values: Values, place: RankArguments, tag: int
    ) -> None:
        self._blocks, self.element, self._place = blocks, element, place
        self._values, self._tag = values, tag

    def begin(self, code: Code) -> None:
        """Count what goes out and comes in, and post the receives."""
        ranks = self._place.ranks
        self._starts = code.array("starts", 2, code.sum(ranks, 1))
        self._next = code.array("next", ranks)
        self._count(code)
        self._buffers = [
            code.array(name, code.load(self._starts, row, ranks), element=self.element)
            for row, name in ((OUT, "outgoing"), (IN, "incoming"))
        ]
        requests = mpi.AllocateTypeOp(mpi.RequestType, i32_of(code, code.product(ranks, 2)))
        code.add(requests)
        self._requests = requests.result
        self._posted = code.cell("posted")
        code.store(0, self._posted)
        self._post(code, mpi.IrecvOp, IN)

    def send(self, code: Code) -> None:
        """Pack what goes out, and send it."""
        self._copy_starts(code, OUT)
        self._copy(code, OUT)
        self._post(code, mpi.IsendOp, OUT)

    def end(self, code: Code) -> None:
        """Wait, and unpack what came."""
        code.add(mpi.WaitallOp(self._requests, i32_of(code, code.load(self._posted))))
        self._copy_starts(code, IN)
        self._copy(code, IN)
        code.free(*self._buffers, self._starts, self._next)

    @abstractmethod
    def _count_each(self, code: Code, row: int) -> None:
        """Set `starts[.][r + 1]`, which is 0, to the number of elements for or from rank r."""

    @abstractmethod
    def _copy(self, code: Code, row: int) -> None:
        """Copy elements to or from the places in a buffer that `next` has for each rank."""

    def _known(self, code: Code, source: SSAValue, target: SSAValue) -> dict[str, SSAValue]:
        """The parameters for a block that elements come from, and for one that they go to."""
        own, peer = (
            self._blocks.bounds(code, self._place, block, who)
            for block, who in ((source, OWN), (target, PEER))
        )
        return {**self._values, **own, **peer}

    def _count(self, code: Code) -> None:
        """Set `starts[.][r]` to where the elements for or from rank r start in a buffer."""
        starts, ranks = self._starts, self._place.ranks
        with code.loop("peer", 0, code.sum(ranks, 1)) as (body, peer):
            for row in (OUT, IN):
                body.store(0, starts, row, peer)
        for row in (OUT, IN):
            self._count_each(code, row)
        with code.loop("peer", 0, ranks) as (body, peer):
            end = body.sum(peer, 1)
            for row in (OUT, IN):
                total = body.sum(body.load(starts, row, peer), body.load(starts, row, end))
                body.store(total, starts, row, end)

    def _copy_starts(self, code: Code, row: int) -> None:
        with code.loop("peer", 0, self._place.ranks) as (body, peer):
            body.store(body.load(self._starts, row, peer), self._next, peer)

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


class BlockExchange(Exchange):
    """The messages where each rank has one block."""

    def __init__(
        self,
        blocks: Blocks,
        transfer: Transfer,
        values: Values,
        place: RankArguments,
        source: Holder,
        target: Holder,
        tag: int,
        neighbours: tuple[Neighbours | None, Neighbours | None] = (None, None),
    ) -> None:
        super().__init__(blocks, transfer.element, values, place, tag)
        self._transfer = transfer
        self._parts = source, target
        self._neighbours = neighbours

    def begin(self, code: Code) -> None:
        """Find the neighbours first."""
        self._ranges = [self._range(code, row) for row in (OUT, IN)]
        super().begin(code)

    def _range(self, code: Code, row: int) -> tuple[SSAValue, SSAValue]:
        """The first rank that a message may go to or come from, and the one after the last."""
        known = self._neighbours[row]
        if known is None:
            return code.constant(0), self._place.ranks
        who = OWN if row == OUT else PEER
        own = self._blocks.bounds(code, self._place, self._place.rank, who)
        ends = known.tiles(code, {**self._values, **own})
        first, last = (
            None if tile is None else self._blocks.rank_of(code, self._place, known.division, tile)
            for tile in ends
        )
        begin = code.constant(0) if first is None else code.maximum(first, 0)
        if last is None:
            return begin, self._place.ranks
        return begin, code.minimum(code.sum(last, 1), self._place.ranks)

    @contextmanager
    def _others(self, code: Code, row: int) -> Iterator[tuple[Code, SSAValue, Values, Parts]]:
        """Code for each other rank, the values for both, and the parts of this one."""
        own = self._place.rank
        with (
            code.loop("other", *self._ranges[row]) as (inner, other),
            inner.conditional(inner.compared(own, "ne", other)) as body,
        ):
            known = self._known(body, *((own, other) if row == OUT else (other, own)))
            yield body, other, known, self._parts[row](body, own)

    def _count_each(self, code: Code, row: int) -> None:
        with self._others(code, row) as (body, other, known, parts):
            count = self._transfer.count(body, known, parts)
            body.store(count, self._starts, row, body.sum(other, 1))

    def _copy(self, code: Code, row: int) -> None:
        with self._others(code, row) as (body, other, known, parts):
            first = body.load(self._next, other)
            action = PACK if row == OUT else UNPACK
            self._transfer.copy(body, known, parts, (self._buffers[row], first), action)


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
