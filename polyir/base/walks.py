"""The operations inside of another, faster than xDSL's `walk`.

That passes each operation through a generator for each operation, region and block around it, and
schedule trees are deep.
"""

from __future__ import annotations

from typing import TypeVar

from xdsl.ir import Operation

Found = TypeVar("Found", bound=Operation)


def operations_in(root: Operation) -> list[Operation]:
    """An operation and all inside of it in the order of the text, as `walk` gives them."""
    found: list[Operation] = []
    _add(root, found)
    return found


def _add(op: Operation, found: list[Operation]) -> None:
    found.append(op)
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                _add(inner, found)


def outermost(root: Operation, kind: type[Found]) -> tuple[Found, ...]:
    """The operations of a kind in the order of the text, without those inside of others."""
    if isinstance(root, kind):
        return (root,)
    blocks = (block for region in root.regions for block in region.blocks)
    return tuple(found for block in blocks for op in block.ops for found in outermost(op, kind))
