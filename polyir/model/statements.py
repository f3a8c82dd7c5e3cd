"""Statements of a scop and their accesses."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import islpy as isl
from xdsl.ir import Operation

from polyir.dialects.scop import StmtOp


class AccessKind(Enum):
    """What an access does to memory, and whether it surely does it."""

    READ = "read"
    WRITE = "write"
    """A must-write: each instance writes exactly the elements of the relation."""
    MAY_WRITE = "may-write"


@dataclass(frozen=True)
class Access:
    """One access of a statement.

    `relation` is `{ S[i] -> A[a] }`, restricted to the statement's domain. For reads and
    may-writes it is an over-approximation where the subscript or the control is not affine; else
    the access is `certain`: each instance accesses exactly the elements of the relation.
    """

    kind: AccessKind
    array: str
    relation: isl.Map
    operation: Operation
    certain: bool


@dataclass(frozen=True)
class Statement:
    """A statement: its domain `{ S[i] : ... }`, its accesses in the order of its body."""

    name: str
    domain: isl.Set
    accesses: tuple[Access, ...]
    op: StmtOp
