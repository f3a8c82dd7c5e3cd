"""Messages between ranks that have several blocks, at the end of a step.

A message has each element once, for however many blocks of the receiver. Sender and receiver visit
pairs of blocks in one order, and find in the same way which elements are in the message already: a
block that sends, then all blocks of a receiver. Elements for other blocks of the same rank are
copied from buffer to buffer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from xdsl.ir import SSAValue

from polyir.distributed.blocks import Blocks, RankArguments
from polyir.distributed.boxes import Values
from polyir.distributed.exchange import IN, OUT, Exchange, Holder
from polyir.distributed.numbered_transfers import NumberedTransfer, Numbers
from polyir.distributed.transfers import COUNT, PACK, UNPACK
from polyir.loops.code import Code

_APART = 1 << 40
"""How far apart the places for ranks are while elements are counted."""


class DealtExchange(Exchange):
    """The messages where each rank may have several blocks."""

    def __init__(
        self,
        blocks: Blocks,
        transfer: NumberedTransfer,
        values: Values,
        place: RankArguments,
        parts: Holder,
        tag: int,
    ) -> None:
        super().__init__(blocks, transfer.transfer.element, values, place, tag)
        self._transfer, self._parts = transfer, parts

    def begin(self, code: Code) -> None:
        """Make the tables first."""
        self._groups = code.array("groups", self._place.ranks)
        self._box = self._transfer.new_box(code)
        super().begin(code)

    def end(self, code: Code) -> None:
        """Wait, and unpack what came."""
        self._keep_own(code)
        super().end(code)
        code.free(self._groups, self._box)

    def _count_each(self, code: Code, row: int) -> None:
        with code.loop("peer", 0, self._place.ranks) as (body, peer):
            body.store(body.product(peer, _APART), self._next, peer)
        self._visit(code, row, COUNT)
        with code.loop("peer", 0, self._place.ranks) as (body, peer):
            count = body.difference(body.load(self._next, peer), body.product(peer, _APART))
            body.store(count, self._starts, row, body.sum(peer, 1))

    def _copy(self, code: Code, row: int) -> None:
        self._visit(code, row, PACK if row == OUT else UNPACK)

    def _visit(self, code: Code, row: int, action: int) -> None:
        """Visit what each block sends to each other one, and move `next` on."""
        buffer = None if action == COUNT else self._buffers[row]
        with self._sources(code, row) as (outer, source, numbers):
            with outer.loop("peer", 0, self._place.ranks) as (body, peer):
                body.store(body.load(self._next, peer), self._groups, peer)
            with self._targets(outer, row, source) as (body, target, peer):
                known = self._known(body, source, target)
                parts = self._parts(body, source if row == OUT else target)
                message = buffer, body.load(self._next, peer)
                first = body.load(self._groups, peer)
                end = self._transfer.copy(body, known, parts, message, action, first, numbers)
                body.store(end, self._next, peer)

    @contextmanager
    def _sources(self, code: Code, row: int) -> Iterator[tuple[Code, SSAValue, Numbers]]:
        """Code for each block that sends elements, and tables for these."""
        blocks, place = self._blocks, self._place
        each = blocks.own(code, place) if row == OUT else blocks.every(code, place, "source")
        with each as (outer, source):
            self._transfer.set_empty(outer, self._box)
            total = outer.cell("total")
            outer.store(0, total)
            with self._targets(outer, row, source) as (body, target, _):
                known = self._known(body, source, target)
                parts = self._parts(body, source if row == OUT else target)
                count = self._transfer.measure(body, known, parts, self._box)
                body.store(body.sum(body.load(total), count), total)
            is_some = outer.compared(outer.load(total), "ne", 0)
            with (
                outer.conditional(is_some) as inner,
                self._transfer.numbers(inner, self._box) as numbers,
            ):
                yield inner, source, numbers

    @contextmanager
    def _targets(
        self, code: Code, row: int, source: SSAValue
    ) -> Iterator[tuple[Code, SSAValue, SSAValue]]:
        """Code for each block that gets elements from another one, and the rank of the peer."""
        blocks, place = self._blocks, self._place
        each = blocks.every(code, place, "target") if row == OUT else blocks.own(code, place)
        with (
            each as (inner, target),
            inner.conditional(inner.compared(source, "ne", target)) as body,
        ):
            yield body, target, blocks.owner(body, place, target if row == OUT else source)

    def _keep_own(self, code: Code) -> None:
        """Copy what one block of this rank has for another one."""
        rank = self._place.rank
        first, end = (self._starts_of(code, OUT, each) for each in (rank, code.sum(rank, 1)))
        to = self._starts_of(code, IN, rank)
        with code.loop("e", 0, code.difference(end, first)) as (body, number):
            value = body.load(self._buffers[OUT], body.sum(first, number))
            body.store(value, self._buffers[IN], body.sum(to, number))
