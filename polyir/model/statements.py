"""Statements of a scop and their accesses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

import islpy as isl
from xdsl.ir import Operation

from polyir.dialects.scop import StmtOp

if TYPE_CHECKING:
    from polyir.model.uninterpreted import SymbolicSet


class AccessKind(Enum):
    """What an access does to memory, and whether it surely does it."""

    READ = "read"
    WRITE = "write"
    """A must-write: each instance writes exactly the elements of the relation."""
    MAY_WRITE = "may-write"


@dataclass(frozen=True)
class SymbolicAccess:
    """An access whose subscripts are affine in elements of index arrays.

    `{ S[i] -> A[p(i)] }` has one *term*, the application `p(i)`. Loops inside the statement add
    theirs: `{ S[i] -> A[k] : rp(i) <= k < rp(i + 1) }` has the terms `rp(i)`, `rp(i + 1)` and
    `k`. `elements` is the set of all `[i, t, a]`: `rank` dimensions for the instance, `terms`
    for the terms and `element_rank` for the element. `counters` are the names of those terms that
    are counters of loops, by dimension. Conditions on data are left out.
    """

    statement: str
    rank: int
    terms: int
    element_rank: int
    elements: SymbolicSet
    counters: tuple[tuple[int, str], ...] = ()

    @property
    def has_ranges(self) -> bool:
        """Whether a range is known of an index array."""
        return any(each.function.range is not None for each in self.elements.applications)


@dataclass(frozen=True)
class Access:
    """One access of a statement.

    `relation` is `{ S[i] -> A[a] }`, restricted to the statement's domain. For reads and
    may-writes it is an over-approximation where the subscript or the control is not affine; else
    the access is `certain`: each instance accesses exactly the elements of the relation.
    `symbolic` is the exact relation where the subscript comes out of index arrays that the scop
    does not write; `relation` is what facts about them leave of all elements.
    """

    kind: AccessKind
    array: str
    relation: isl.Map
    operation: Operation
    certain: bool
    symbolic: SymbolicAccess | None = None


_LOOPS: Final = ("affine.for", "scf.for", "scf.while")


@dataclass(frozen=True)
class Statement:
    """A statement: its domain `{ S[i] : ... }`, its accesses in the order of its body."""

    name: str
    domain: isl.Set
    accesses: tuple[Access, ...]
    op: StmtOp

    @property
    def has_loops(self) -> bool:
        """Whether the body has loops: those whose bounds are data."""
        return any(op.name in _LOOPS for op in self.op.walk())
