"""Copies of several elements at once: a vector that is loaded and stored, and used for no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Operation

from polyir.model.affine_operations import UNDEFINED_DIVISION, has_undefined_division
from polyir.model.vectors import VECTOR_BYTES
from polyir.target.abi import Scalar
from polyir.target.c.body import Body
from polyir.target.c.memory import element_of
from polyir.target.c.plan import is_droppable
from polyir.target.c.syntax import Element, Expression, ExtensionStatement
from polyir.target.errors import unsupported

_LOADS: Final = ("affine.vector_load", "vector.load")
_STORES: Final = ("affine.vector_store", "vector.store")


@dataclass(frozen=True)
class VectorCopy(ExtensionStatement):
    """A copy of `width` elements from `source` on to `target`, by one load and one store."""

    target: Element
    source: Element
    type: Scalar
    width: int

    def operands(self) -> Sequence[Expression]:
        return (self.target, self.source)


def is_vector_access(op: Operation) -> bool:
    """Whether an operation loads or stores a vector."""
    # By name: the dialect takes a while to import, and few programs have vectors.
    return op.name in _LOADS or op.name in _STORES


def is_vector_store(op: Operation) -> bool:
    """Whether an operation stores a vector."""
    return op.name in _STORES


def translate_vector_access(body: Body, op: Operation) -> None:
    """Add the copy of a vector in the place of its store.

    Between it and the load, nothing may be written.
    """
    if has_undefined_division(op):
        raise unsupported(op, UNDEFINED_DIVISION)
    load, store = _copy_of(op)
    if load is None or store is None:
        raise unsupported(op, "a kernel can only copy a vector: load it, and store it right after")
    if op is store:
        source, target = element_of(body, load), element_of(body, store)
        body.add(VectorCopy(target, source, source.type, _width(op, load, source.type)))


def _copy_of(op: Operation) -> tuple[Operation | None, Operation | None]:
    """The load and the store of a copy, one of which is `op`; `None` for what is missing."""
    load: Operation | None = op
    if is_vector_store(op):
        owner = op.operands[0].owner
        load = owner if isinstance(owner, Operation) and owner.name in _LOADS else None
    if load is None or not load.results[0].has_one_use():
        return None, None
    following = load.next_op
    while following is not None and is_droppable(following):
        following = following.next_op
    is_stored = (
        following is not None
        and is_vector_store(following)
        and following.operands[0] is load.results[0]
    )
    return load, following if is_stored else None


def _width(op: Operation, load: Operation, element: Scalar) -> int:
    """How many elements are copied. Raises `TargetError` for what cannot be loaded at once."""
    type = load.results[0].type
    assert isinstance(type, VectorType)
    width = type.element_count()
    if element.width not in (32, 64) or width * element.width != 8 * VECTOR_BYTES:
        raise unsupported(op, f"vectors in kernels must have {VECTOR_BYTES} bytes, not '{type}'")
    return width
