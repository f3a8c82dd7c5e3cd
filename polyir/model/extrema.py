"""Minima and maxima as programs write them: calls, and choices after a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from xdsl.dialects import affine, arith, func, scf
from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.pure_functions import is_pure_call
from polyir.dialects.scop import StmtOp
from polyir.model.memory_accesses import ElementLoad
from polyir.model.raising.effects import LOADS, is_pure, stores_in


@dataclass(frozen=True)
class Choice:
    """`first > second ? first : second`, or with `<` if it `is_least`.

    Of floating-point numbers, the second one is chosen if one of them is NaN, or both are zeros.
    """

    first: SSAValue
    second: SSAValue
    is_least: bool
    is_unsigned: bool = False


def choice_of(select: Operation) -> Choice | None:
    """What an `arith.select` chooses, if it is a minimum or maximum of the compared numbers."""
    if not isinstance(select, arith.SelectOp):
        return None
    return _choice(select.cond, select.lhs, select.rhs)


def _choice(condition: SSAValue, chosen: SSAValue, other: SSAValue) -> Choice | None:
    comparison = condition.owner
    if not isinstance(comparison, arith.CmpfOp | arith.CmpiOp):
        return None
    number = comparison.predicate.value.data
    if isinstance(comparison, arith.CmpfOp):
        name = arith.CMPF_COMPARISON_OPERATIONS[number]
        if name in _OPPOSITES:
            # It holds for NaN: then, and only then, its opposite does not.
            name = _OPPOSITES[name]
            chosen, other = other, chosen
    else:
        name = arith.CMPI_COMPARISON_OPERATIONS[number]
    if name[1:] not in ("lt", "le", "gt", "ge"):
        return None
    left, right = comparison.lhs, comparison.rhs
    is_least = name[1] == "l"
    is_unsigned = isinstance(comparison, arith.CmpiOp) and name[0] == "u"
    if are_same(chosen, left) and are_same(other, right):
        return Choice(left, right, is_least, is_unsigned)
    if are_same(chosen, right) and are_same(other, left):
        return Choice(right, left, not is_least, is_unsigned)
    return None


_OPPOSITES: Final = MappingProxyType({"ugt": "ole", "uge": "olt", "ult": "oge", "ule": "ogt"})

_CALLS: Final[Mapping[str, type[Operation]]] = MappingProxyType(
    {
        "fmax": arith.MaxnumfOp,
        "fmaxf": arith.MaxnumfOp,
        "fmin": arith.MinnumfOp,
        "fminf": arith.MinnumfOp,
    }
)


def simplify_extrema(statement: StmtOp) -> None:
    """Let a statement update its element by operations of arith for minima and maxima.

    Calls of C's `fmax` and its like become `arith.maxnumf`, choices between integers
    `arith.maxsi`, and other choices one `arith.select` after one comparison, of values loaded
    once. Only operations that lead from a load of the element that the statement stores to its
    one store change. Their results are the same, but for the sign of a zero that is the result of
    a call.
    """
    first, *others = stores_in(statement)
    if isinstance(first.op, affine.StoreOp) and not others:
        _simplify(first.value, first.op)


def _simplify(value: SSAValue, store: affine.StoreOp) -> bool:
    """Simplify the minimum or maximum that is `value`; whether the old element leads to it."""
    op = value.owner
    if not isinstance(op, Operation) or op.parent is not store.parent:
        return False
    if not isinstance(op, func.CallOp):
        return _simplify_choice(op, store)
    operation = _CALLS.get(op.callee.string_value())
    if operation is None or len(op.operands) != 2 or not is_pure_call(op):
        return False
    is_float = isinstance(value.type, AnyFloat)
    if not is_float or any(operand.type != value.type for operand in op.operands):
        return False
    if not any(_leads_to(operand, store) for operand in tuple(op.operands)):
        return False
    made: Any = operation
    _replace(op, made(*op.operands))
    return True


def _simplify_choice(op: Operation, store: affine.StoreOp) -> bool:
    """Simplify an operation that chooses a value after a comparison, as `_simplify`."""
    choice = choice_of(op) if isinstance(op, arith.SelectOp) else _branches_of(op)
    if choice is None:
        return False
    if not any(_leads_to(value, store) for value in (choice.first, choice.second)):
        return False
    # What is compared may be other values by now.
    choice = choice_of(op) if isinstance(op, arith.SelectOp) else _branches_of(op)
    assert choice is not None
    type = choice.first.type
    if isinstance(type, IntegerType):
        made: Any = _EXTREMA[choice.is_least, choice.is_unsigned]
        _replace(op, made(choice.first, choice.second))
        return True
    condition = op.operands[0]
    comparison = condition.owner
    assert isinstance(comparison, arith.CmpfOp)
    is_opposite = arith.CMPF_COMPARISON_OPERATIONS[comparison.predicate.value.data] in _OPPOSITES
    pair = (choice.first, choice.second)
    _replace(op, arith.SelectOp(condition, *(reversed(pair) if is_opposite else pair)))
    return True


_EXTREMA: Final[Mapping[tuple[bool, bool], type[Operation]]] = MappingProxyType(
    {
        (False, False): arith.MaxSIOp,
        (False, True): arith.MaxUIOp,
        (True, False): arith.MinSIOp,
        (True, True): arith.MinUIOp,
    }
)


def _branches_of(op: Operation) -> Choice | None:
    """What an `scf.if` chooses, as `choice_of`; its branches do nothing but load and compute."""
    if not isinstance(op, scf.IfOp) or len(op.results) != 1:
        return None
    chosen: list[SSAValue] = []
    for region in op.regions:
        *computed, end = region.block.ops
        if not all(isinstance(each, LOADS) or is_pure(each) for each in computed):
            return None
        chosen += end.operands
    return _choice(op.cond, chosen[0], chosen[1])


def _leads_to(value: SSAValue, store: affine.StoreOp) -> bool:
    """Whether a value is the old one of the element, or a minimum or maximum of it."""
    load = value.owner
    if isinstance(load, affine.LoadOp):
        is_element = load.memref is store.memref and load.map == store.map
        return is_element and all(map(are_same, load.indices, store.indices))
    return _simplify(value, store)


def are_same(one: SSAValue, other: SSAValue) -> bool:
    """Whether two values in a body whose only store comes last are computed in the same way."""
    if one is other:
        return True
    if not isinstance(one, OpResult) or not isinstance(other, OpResult):
        return False
    left, right = one.op, other.op
    return (
        one.index == other.index
        and left.name == right.name
        and (is_pure(left) or isinstance(left, LOADS))
        and left.properties == right.properties
        and left.attributes == right.attributes
        and len(left.operands) == len(right.operands)
        and all(map(are_same, left.operands, right.operands))
    )


def _replace(op: Operation, new: Operation) -> None:
    """Replace an operation, and erase what only it used."""
    inputs = [operand for inner in op.walk() for operand in inner.operands]
    new.location = op.location
    Rewriter.insert_op(new, InsertPoint.before(op))
    Rewriter.replace_op(op, [], new.results)
    for value in inputs:
        _erase_unused(value)


def _erase_unused(value: SSAValue) -> None:
    op = value.owner
    if not isinstance(op, Operation) or op.parent is None or not _is_unused(op):
        return
    inputs = list(op.operands)
    Rewriter.erase_op(op)
    for each in inputs:
        _erase_unused(each)


def _is_unused(op: Operation) -> bool:
    """Whether nothing needs a load or a pure operation of a statement."""
    inside = isinstance(op, ElementLoad) or is_pure(op)
    return inside and not any(True for result in op.results for _ in result.uses)
