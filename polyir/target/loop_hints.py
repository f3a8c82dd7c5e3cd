"""What a pass asks of the code of a loop: attributes of loops, as the targets read them.

Loop operations (`affine.for`, `affine.parallel`, `scf.for`, `scf.parallel`) have these attributes
in `attributes`, each under its own name. A target that cannot express one leaves it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import IntAttr, IntegerAttr, UnregisteredAttr
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

VECTOR: Final = "poly.vector"
"""The loop is executed in vectors of so many iterations, which are independent of each other."""

UNROLL: Final = "poly.unroll"
"""The loop is unrolled so many times."""


@dataclass(frozen=True)
class LoopHints:
    """The hints of one loop; `None` for those that it does not have."""

    vector_width: int | None = None
    unroll_factor: int | None = None


def loop_hints(op: Operation) -> LoopHints:
    """The hints in the attributes of a loop, or of the branch that a loop has become."""
    attributes = hint_attributes(op)
    return LoopHints(
        _integer_parameter(attributes.get(VECTOR)), _integer_parameter(attributes.get(UNROLL))
    )


def hint_attributes(op: Operation) -> dict[str, Attribute]:
    """The attributes of a loop that are hints.

    A loop that carries values is not executed in vectors: its iterations depend on each other.
    """
    names = (UNROLL,) if op.results else (VECTOR, UNROLL)
    return {name: op.attributes[name] for name in names if name in op.attributes}


def _integer_parameter(attribute: Attribute | None) -> int | None:
    """The integer that is an attribute, or its first parameter; `None` if there is none."""
    match attribute:
        case IntegerAttr():
            return int(attribute.value.data)
        case IntAttr():
            return int(attribute.data)
        case UnregisteredAttr(value=text):
            return int(text.data) if text.data.isdigit() else None
        case ParametrizedAttribute(parameters=(first, *_)):
            return _integer_parameter(first)
        case _:
            return None
