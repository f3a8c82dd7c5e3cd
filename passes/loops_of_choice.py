"""The loops that the pass `optimize` makes of what it has chosen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import remark
from polyir.loops.common_values import share_values
from polyir.loops.packing import pack
from polyir.loops.scalar_replacement import scalar_replacement
from polyir.loops.vectorize import vectorize
from polyir.passes.pack import PackPass
from polyir.passes.scalar_replacement import ScalarReplacementPass
from polyir.passes.vectorize import VectorizePass


def improve_loops(
    function: FuncOp, packed: bool, step: Callable[[str], AbstractContextManager[None]]
) -> None:
    """Make vector code of the loops that were chosen for it, and keep elements in SSA values.

    Loops may read operands from contiguous arrays if they are to be `packed`. What is done is a
    `step` by the name of a pass.
    """
    with step(VectorizePass.name):
        said = partial(remark, VectorizePass.name)
        vectorize(function, said, said)
    if packed:
        with step(PackPass.name):
            pack(function, PackPass.elements, partial(remark, PackPass.name), ahead=True)
    with step(ScalarReplacementPass.name):
        kept = partial(remark, ScalarReplacementPass.name)
        scalar_replacement(function, 1, kept, lambda *reason: None)
        share_values([function])
