"""Between which numbers a subscript must be, as far as that is known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import islpy as isl
from xdsl.ir import Block, SSAValue

from polyir.codegen.ast import expression_from_isl
from polyir.codegen.ast_expressions import AstExpressionReader
from polyir.irregular.slices import Values
from polyir.loops.code import Code
from polyir.model.index_arrays import facts_of
from polyir.model.index_expressions import IndexExpression
from polyir.sets.lists import parameters_of

_ARGUMENT: Final = re.compile(r"arg(\d+)")


@dataclass(frozen=True)
class PromisedRange:
    """The numbers from `first` to `last`."""

    first: SSAValue
    last: SSAValue


def promised_range(code: Code, memory: SSAValue, values: Values) -> PromisedRange | None:
    """What the elements of an index array are promised to be, in an inspector.

    `values` stand for those of the program. `None` if nothing simple is known.
    """
    found = _ends(memory)
    if found is None:
        return None
    first, last = found
    arguments = _arguments(memory)
    known = {
        f"arg{number}": IndexExpression.of(values.get(value, value))
        for number, value in arguments.items()
    }
    reader = AstExpressionReader(known)
    build = isl.AstBuild.from_context(isl.Set.universe(first.get_domain_space().params()))
    lower, upper = (expression_from_isl(build.expr_from_pw_aff(end)) for end in (first, last))
    return PromisedRange(reader.value(lower, code.builder), reader.value(upper, code.builder))


def sources_of_range(memory: SSAValue) -> tuple[SSAValue, ...]:
    """The arguments that the range of an index array follows from."""
    return () if _ends(memory) is None else tuple(_arguments(memory).values())


def has_range(memory: SSAValue) -> bool:
    """Whether `promised_range` gives one."""
    return _ends(memory) is not None


def _ends(memory: SSAValue) -> tuple[isl.PwAff, isl.PwAff] | None:
    """The least and the greatest element that an index array may have."""
    facts = facts_of(memory)
    if facts is None or facts.range is None:
        return None
    if not all(_ARGUMENT.fullmatch(name) for name in parameters_of(facts.range.get_space())):
        return None
    is_bounded = facts.range.dim_has_any_lower_bound(isl.dim_type.set, 0)
    if not is_bounded or not facts.range.dim_has_any_upper_bound(isl.dim_type.set, 0):
        return None
    ends = (facts.range.dim_min(0), facts.range.dim_max(0))
    first, last = (end.gist(facts.range.params()).coalesce() for end in ends)
    return (first, last) if first.n_piece() == last.n_piece() == 1 else None


def _arguments(memory: SSAValue) -> Mapping[int, SSAValue]:
    """The arguments in the range of an index array, by their positions."""
    facts = facts_of(memory)
    assert facts is not None
    assert facts.range is not None
    assert isinstance(memory.owner, Block)
    names = parameters_of(facts.range.get_space())
    positions = (int(found[1]) for name in names if (found := _ARGUMENT.fullmatch(name)))
    return {position: memory.owner.args[position] for position in positions}
