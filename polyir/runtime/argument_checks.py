"""What is checked before a compiled function is called: sizes within the context, no overlap.

The checks are compiled to a Python function of the arguments, so that they take microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from types import MappingProxyType
from typing import Final

import islpy as isl
import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue, Use
from xdsl.traits import SymbolTable

from polyir.base import budgets
from polyir.base.diagnostics import PolyirError
from polyir.base.limits import within_operations
from polyir.irregular.checked_indices import IndexCheck
from polyir.model.arguments import Source
from polyir.model.memory_accesses import is_load
from polyir.model.requirements import Requirement
from polyir.sets.lists import basic_sets_of
from polyir.sets.values import isl_value

Span = tuple[int, int, int]
"""The addresses of an array's first byte and of the byte after its last, and its position."""


class ArgumentError(PolyirError, ValueError):
    """A function is called with an argument that it does not take."""

    name = "bad-argument"


class ArgumentTypeError(PolyirError, TypeError):
    """A function is called with too few or many arguments, or with one of another type."""

    name = "bad-argument"


@dataclass(frozen=True)
class ArgumentChecks:
    """The checks of one function's arguments: its requirements, and the arrays that it writes.

    Without `written`, it may write all of them. With `restricted`, only these arrays must not
    overlap others. Functions of the module make the `index_checks`, of
    its index arrays.
    """

    requirements: tuple[Requirement, ...] = ()
    written: frozenset[int] | None = None
    index_checks: tuple[IndexCheck, ...] = ()
    restricted: frozenset[int] | None = None

    def writes(self, argument: int) -> bool:
        """Whether the function may write to an array that it is given."""
        return self.written is None or argument in self.written

    @cached_property
    def first_violated(self) -> Callable[[Sequence[object]], int]:
        """A function of arguments: the number of the first requirement that they violate, or -1."""
        names: dict[Source, str] = {}
        defined: dict[str, Callable[..., int]] = {}
        tests: list[str] = []
        for number, requirement in enumerate(self.requirements):
            variables = [names.setdefault(each, f"v{len(names)}") for each in requirement.sources]
            test = _test(requirement.excluded, variables)
            if test is None:
                test = f"contains{number}({', '.join(variables)})"
                defined[f"contains{number}"] = lru_cache(partial(_contains, requirement.excluded))
            tests.append(f"  if {test}: return {number}")
        reads = [f"  {name} = {_read(source)}" for source, name in names.items()]
        # Only integers and generated names are in this text.
        exec("\n".join(["def check(a):", *reads, *tests, "  return -1"]), defined)
        return defined["check"]

    def __reduce__(self) -> tuple[object, ...]:
        return ArgumentChecks, (
            self.requirements,
            self.written,
            self.index_checks,
            self.restricted,
        )

    def require(
        self,
        function: str,
        names: Sequence[str],
        values: Sequence[object],
        spans: list[Span],
        copied: frozenset[int],
    ) -> None:
        """Raise `ArgumentError` for `values` that violate a requirement, or arrays that overlap.

        `names` are those of the parameters, `spans` the addresses of the arrays, `copied` those for
        which the function gets copies.
        """
        violated = self.first_violated(values)
        if violated >= 0:
            raise ArgumentError(f"{function}: {describe(self.requirements[violated], values)}")
        if len(spans) > 1:
            apart = None if self.restricted is None else self.restricted | copied
            if apart is None or apart:
                self._require_apart(function, names, values, spans, apart)

    def _require_apart(
        self,
        function: str,
        names: Sequence[str],
        values: Sequence[object],
        spans: list[Span],
        apart: frozenset[int] | None,
    ) -> None:
        """Refuse arrays that overlap, unless the function only reads both."""
        ordered = sorted(spans)
        end = ordered[0][1]
        for start, after, _ in ordered[1:]:
            if start < end:
                break
            end = after
        else:
            return
        for number, (_, end, first) in enumerate(ordered):
            for start, after, second in ordered[number + 1 :]:
                if start >= end:
                    break
                pair = {first, second}
                if apart is not None and not pair & apart:
                    continue
                is_written = bool(self.written and self.written & pair)
                if start < after and is_written and _share(values[first], values[second]):
                    one, other = (f"'{names[each]}'" for each in sorted((first, second)))
                    raise ArgumentError(
                        f"{function}: the arrays {one} and {other} overlap, and one is written"
                    )


def _share(one: object, other: object) -> bool:
    """Whether arrays between whose ends there is common memory may have a common element."""
    if not (isinstance(one, np.ndarray) and isinstance(other, np.ndarray)):
        return True
    try:
        # NumPy's types have only the special values.
        return np.shares_memory(one, other, max_work=_SHARING_WORK)  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


_SHARING_WORK: Final = 10_000
"""What NumPy may try until arrays are taken to share memory: rows and columns take a few tries."""


def describe(requirement: Requirement, values: Sequence[object]) -> str:
    """What is wrong with `values`, which violate `requirement`."""
    if not requirement.sources:
        return f"no call is correct: {requirement.reason}"
    pairs = zip(requirement.names, requirement.sources, strict=True)
    given = ", ".join(f"{name} = {_value(source, values)}" for name, source in pairs)
    verb = "is" if len(requirement.sources) == 1 else "are"
    context = within_operations(budgets.ARGUMENT_TEST, lambda: requirement.context)
    shown = "" if context is None else f" {context}"
    return f"{given} {verb} outside the context{shown}: {requirement.reason}"


def _value(source: Source, values: Sequence[object]) -> object:
    value = values[source.argument]
    if source.dimension is None:
        return value
    shape: tuple[int, ...] = getattr(value, "shape", ())
    return shape[source.dimension]


def _read(source: Source) -> str:
    """Python's text for the value of `source` in the arguments `a`."""
    if source.dimension is None:
        return f"int(a[{source.argument}])"
    return f"a[{source.argument}].shape[{source.dimension}]"


def _test(points: isl.Set, variables: Sequence[str]) -> str | None:
    """Python's text for whether the parameters `variables` are in `points`.

    `None` if isl finds none in time: schedules with large coefficients lead to such sets.
    """
    known = within_operations(budgets.ARGUMENT_TEST, points.compute_divs)
    if known is None:
        return None
    parts = [
        " and ".join(_constraint(each, variables) for each in part.get_constraints()) or "True"
        for part in basic_sets_of(known)
    ]
    return " or ".join(parts)


def _contains(points: isl.Set, *values: int) -> bool:
    """Whether parameters are in `points`, by isl."""
    for position, value in enumerate(values):
        points = points.fix_val(isl.dim_type.param, position, isl_value(value))
    return not points.is_empty()


def _constraint(constraint: isl.Constraint, variables: Sequence[str]) -> str:
    comparison = "==" if constraint.is_equality() else ">="
    return f"{_sum(constraint.get_aff(), variables)} {comparison} 0"


def _sum(expression: isl.Aff, variables: Sequence[str]) -> str:
    """Python's text for an expression of parameters with integer coefficients."""
    terms = [_whole(expression.get_constant_val())]
    for position, variable in enumerate(variables):
        coefficient = expression.get_coefficient_val(isl.dim_type.param, position)
        if not coefficient.is_zero():
            terms.append(f"{_whole(coefficient)} * {variable}")
    for position in range(expression.dim(isl.dim_type.div)):
        coefficient = expression.get_coefficient_val(isl.dim_type.div, position)
        if not coefficient.is_zero():
            divided = expression.get_div(position)
            by = divided.get_denominator_val()
            floor = f"(({_sum(divided.scale_val(by), variables)}) // {_whole(by)})"
            terms.append(f"{_whole(coefficient)} * {floor}")
    return " + ".join(terms)


def _whole(value: isl.Val) -> str:
    assert value.is_int(), "constraints have integer coefficients"
    return str(value.to_python())


_VIEWS: Final = frozenset(
    f"memref.{name}"
    for name in ("cast", "subview", "reinterpret_cast", "collapse_shape", "expand_shape", "view")
)


def _is_read(use: Use, entered: Mapping[SSAValue, None]) -> bool:
    """Whether a use of an array only reads it. That is assumed for arrays that were `entered`."""
    op = use.operation
    if op.name in _VIEWS:
        return all(only_reads(result, entered) for result in op.results)
    if isinstance(op, CallOp):
        callee = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(callee, FuncOp) or callee.is_declaration:
            return False
        return only_reads(callee.body.block.args[use.index], entered)
    # Few programs need the dialect, and importing it takes time. The source is the last operand.
    if op.name == "gpu.memcpy":
        return use.index == len(op.operands) - 1
    return isinstance(op, memref.DimOp) or is_load(op)


def written_arguments(function: FuncOp) -> frozenset[int]:
    """The arguments, by position, that `function` may use for something else than to be read."""
    block = function.body.first_block
    arguments = () if block is None else block.args
    return frozenset(argument.index for argument in arguments if not only_reads(argument))


def only_reads(array: SSAValue, entered: Mapping[SSAValue, None] = MappingProxyType({})) -> bool:
    """Whether code only reads from `array`, also through views and in functions that it calls."""
    if array in entered:
        return True
    inside = {**entered, array: None}
    return all(_is_read(use, inside) for use in array.uses)
