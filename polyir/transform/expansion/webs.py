"""Webs: the parts of an array's accesses that no value connects.

As in register allocation, a web is a set of writes and of the reads that their values reach.
Two webs of one array can live in different memory (renaming: Cytron and Ferrante, "What's in
a name?", 1987).
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polyir.model.dataflow import ArrayFlow, ReadFlow
from polyir.model.statements import Access


@dataclass(frozen=True)
class Web:
    """Writes of some statements, and the reads of their values."""

    writes: tuple[tuple[str, Access], ...]
    reads: tuple[ReadFlow, ...]

    @property
    def accesses(self) -> tuple[Access, ...]:
        """The writes, then the reads."""
        return (*(access for _, access in self.writes), *(read.access for read in self.reads))


def webs_of(flow: ArrayFlow) -> tuple[Web, ...]:
    """The webs of an array, in the order of their first write.

    All writes of one statement are in one web. A read without any instance is in the first.
    """
    leader: dict[str, str] = {name: name for name, _ in flow.writes}

    def find(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for read in flow.reads:
        for sources in read.sources[1:]:
            leader[find(_source(sources))] = find(_source(read.sources[0]))
    names = list(dict.fromkeys(find(name) for name, _ in flow.writes))

    def home(read: ReadFlow) -> str:
        return find(_source(read.sources[0])) if read.sources else names[0]

    return tuple(
        Web(
            tuple(write for write in flow.writes if find(write[0]) == name),
            tuple(read for read in flow.reads if home(read) == name),
        )
        for name in names
    )


def _source(relation: isl.Map) -> str:
    name = relation.get_tuple_name(isl.dim_type.in_)
    assert name is not None
    return name
