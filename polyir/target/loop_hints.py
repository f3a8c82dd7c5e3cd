"""What the attributes of a loop ask of the compiler of the emitted code.

Loop operations (`affine.for`, `affine.parallel`, `scf.for`, `scf.parallel`) and what they become
on the way to a target (`omp.wsloop`, the branch back to the head of a loop) have them in
`attributes`, each under its own name (`polyir.dialects.loop_attributes`). A target leaves out what
it cannot express, and attributes that it does not know.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute, Operation

from polyir.dialects.loop_attributes import DynamicAttr, UnrollAttr, VectorAttr


@dataclass(frozen=True)
class LoopHints:
    """The hints of one loop; `None` for those that it does not have.

    A dynamic loop is parallel, and its iterations take different times.
    """

    vector_width: int | None = None
    unroll_factor: int | None = None
    is_dynamic: bool = False


def loop_hints(op: Operation) -> LoopHints:
    """The hints in the attributes of a loop, or of what a loop has become.

    A loop that carries values is not executed in vectors: its iterations depend on each other.
    """
    vector = None if op.results else op.attributes.get(VectorAttr.name)
    unroll = op.attributes.get(UnrollAttr.name)
    return LoopHints(
        vector.data if isinstance(vector, VectorAttr) else None,
        unroll.data if isinstance(unroll, UnrollAttr) else None,
        isinstance(op.attributes.get(DynamicAttr.name), DynamicAttr),
    )


def hint_attributes(op: Operation) -> dict[str, Attribute]:
    """The attributes that hold the hints of a loop."""
    hints = loop_hints(op)
    attributes: dict[str, Attribute] = {}
    if hints.vector_width is not None:
        attributes[VectorAttr.name] = VectorAttr(hints.vector_width)
    if hints.unroll_factor is not None:
        attributes[UnrollAttr.name] = UnrollAttr(hints.unroll_factor)
    return attributes
