"""Numbers that inspectors use only to know whether a loop has an iteration.

An inspector does nothing if the loop around it, such as one over time steps, has no iteration. What
it finds is then the same for all numbers of steps for which the comparison has the same result.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

_PREDICATES: Final[Mapping[int, Callable[[int, int], bool]]] = {
    0: operator.eq,
    1: operator.ne,
    2: operator.lt,
    3: operator.le,
    4: operator.gt,
    5: operator.ge,
}
"""The comparisons of signed numbers, by the numbers of their predicates in `arith.cmpi`."""


@dataclass(frozen=True)
class ComparedNumber:
    """An argument of a kernel, by its position, or without one a constant."""

    position: int | None
    constant: int = 0


@dataclass(frozen=True)
class Guard:
    """A comparison by a predicate of `arith.cmpi`."""

    predicate: int
    left: ComparedNumber
    right: ComparedNumber

    def holds(self, arguments: Mapping[int, int]) -> bool:
        """Whether it holds for some arguments, which are given by their positions."""
        left, right = (
            each.constant if each.position is None else arguments[each.position]
            for each in (self.left, self.right)
        )
        return _PREDICATES[self.predicate](left, right)

    def positions(self) -> tuple[int, ...]:
        """The arguments that are compared."""
        found = (self.left.position, self.right.position)
        return tuple(position for position in found if position is not None)


@dataclass(frozen=True)
class Guards:
    """The arguments of a kernel that are `only_compared`, and all comparisons of these."""

    only_compared: frozenset[int]
    comparisons: tuple[Guard, ...]


def guards_of(bodies: Sequence[tuple[Block, Sequence[int]]]) -> Guards:
    """What functions only compare of the arguments of a kernel.

    Each body has the positions of its own arguments among those of the kernel.
    """
    used: dict[int, list[Guard | None]] = {}
    for block, positions in bodies:
        pairs = tuple(zip(block.args, positions, strict=True))
        known: dict[SSAValue, int] = dict(pairs)
        for argument, position in pairs:
            if _is_number(argument.type):
                guards = [_guard(use.operation, known) for use in argument.uses]
                used.setdefault(position, []).extend(guards)
    compared = {
        position: guards for position, guards in used.items() if guards and None not in guards
    }
    found = (guard for guards in compared.values() for guard in guards if guard is not None)
    return Guards(frozenset(compared), tuple(dict.fromkeys(found)))


def _is_number(type: Attribute) -> bool:
    is_bool = isinstance(type, IntegerType) and type.width.data == 1
    return isinstance(type, IndexType | IntegerType) and not is_bool


def _guard(op: object, known: Mapping[SSAValue, int]) -> Guard | None:
    """The comparison that an operation is; `None` if it is something else."""
    if not isinstance(op, arith.CmpiOp):
        return None
    predicate = op.predicate.value.data
    left, right = (_number(value, known) for value in (op.lhs, op.rhs))
    if predicate not in _PREDICATES or left is None or right is None:
        return None
    return Guard(predicate, left, right)


def _number(value: SSAValue, known: Mapping[SSAValue, int]) -> ComparedNumber | None:
    if value in known:
        return ComparedNumber(known[value])
    number = const_evaluate_operand(value)
    return None if number is None else ComparedNumber(None, number)
