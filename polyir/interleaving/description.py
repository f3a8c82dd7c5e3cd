"""The schedule of an interleaving in words: loops, shifts, and what is parallel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyir.interleaving.point import Interleaving
from polyir.interleaving.schedule import InterleavingScheduler
from polyir.schedule.constraints import ScheduledStatement
from polyir.schedule.driver import parallel_members
from polyir.schedule.tree import BandNode, RowBand, RowTree, SequenceNode, affine_function


def describe(scheduler: InterleavingScheduler, point: Interleaving) -> list[str]:
    """A line for the outermost band of each block of the outermost level.

    S0 (i, j); S1 (k, 1 + j); parallel members 0
    """
    return [_band(scheduler.statements, each) for each in _bands(scheduler.schedule(point).tree)]


def _bands(tree: RowTree) -> Iterator[RowBand]:
    if isinstance(tree, BandNode):
        yield tree.band
    elif isinstance(tree, SequenceNode):
        for _, child in tree.children:
            yield from _bands(child)


def _band(statements: Sequence[ScheduledStatement], band: RowBand) -> str:
    rows = (
        f"{statements[each].name} ({_rows(statements[each], band)})" for each in band.statements
    )
    return "; ".join([*rows, parallel_members(band)])


def _rows(statement: ScheduledStatement, band: RowBand) -> str:
    """The members of a band as functions of the iterators of a statement."""
    texts: list[str] = []
    for hyperplane in band.hyperplanes:
        row = affine_function(hyperplane[statement.position], statement.domain.get_space())
        _, _, value = str(row).partition("-> [(")
        texts.append(value.partition(")]")[0])
    return ", ".join(texts)
