"""What can be seen of loops: whether they are parallel, whether they run in vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation

from polyir.dialects.loop_attributes import VectorAttr

PARALLEL: Final = "parallel"
VECTORS: Final = "vectors"


def loop_features(root: Operation) -> Iterator[str]:
    """`PARALLEL` if some loop in `root` is, and `VECTORS` if something is computed in vectors."""
    ops = tuple(root.walk())
    if any(isinstance(op, affine.ParallelOp | scf.ParallelOp) for op in ops):
        yield PARALLEL
    values = (value for op in ops for value in op.results)
    attributes = (each for op in ops for each in op.attributes.values())
    if any(isinstance(value.type, VectorType) for value in values) or any(
        isinstance(each, VectorAttr) for each in attributes
    ):
        yield VECTORS
