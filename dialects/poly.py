"""The poly dialect: static control parts as statements and one schedule tree.

    poly.scop (%n as "n") context "[n] -> { : n > 0 }" {
      poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
        %0 = affine.load %A[%i] : memref<?xf64>
        affine.store %0, %B[%i] : memref<?xf64>
      }
      poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
        poly.band "[n] -> [{ S0[i] -> [(i)] }]" permutable coincident [true]
      }
    }

A statement's body is ordinary IR over its iterators; its access relations are read from the
body (`polyir.model.scop`), never stored. The tree operations mirror isl's schedule tree node
types; a node without children stands above a leaf. `polyir.model.tree` converts the tree from
and to `Schedule` without loss.
"""

from xdsl.ir import Dialect

from polyir.dialects.index_arrays import IndexArrayAttr
from polyir.dialects.isl_attributes import (
    AffAttr,
    DependencesAttr,
    MultiAffAttr,
    MultiUnionPwAffAttr,
    PwQPolynomialAttr,
    SetAttr,
    UnionMapAttr,
    UnionPwMultiAffAttr,
    UnionSetAttr,
)
from polyir.dialects.loop_attributes import (
    ClampedAttr,
    DynamicAttr,
    JamAttr,
    MapAttr,
    ParallelAttr,
    PartsAttr,
    ReductionAttr,
    UnrollAttr,
    VectorAttr,
)
from polyir.dialects.mark_attributes import KernelAttr, LocalAttr, OneBlockAttr, TileAttr
from polyir.dialects.schedule_tree import (
    BandOp,
    ContextOp,
    DomainOp,
    ExpansionOp,
    ExtensionOp,
    FilterOp,
    GuardOp,
    MarkOp,
    SequenceOp,
    SetOp,
)
from polyir.dialects.scop import LocalArrayOp, ScopOp, StmtOp

Poly = Dialect(
    "poly",
    [
        ScopOp,
        LocalArrayOp,
        StmtOp,
        DomainOp,
        BandOp,
        SequenceOp,
        SetOp,
        FilterOp,
        MarkOp,
        ContextOp,
        GuardOp,
        ExtensionOp,
        ExpansionOp,
    ],
    [
        SetAttr,
        UnionSetAttr,
        UnionMapAttr,
        MultiUnionPwAffAttr,
        UnionPwMultiAffAttr,
        AffAttr,
        MultiAffAttr,
        PwQPolynomialAttr,
        DependencesAttr,
        IndexArrayAttr,
        ParallelAttr,
        ClampedAttr,
        DynamicAttr,
        VectorAttr,
        ReductionAttr,
        PartsAttr,
        UnrollAttr,
        JamAttr,
        MapAttr,
        TileAttr,
        LocalAttr,
        OneBlockAttr,
        KernelAttr,
    ],
)
