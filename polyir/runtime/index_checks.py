"""Index arrays are checked before a kernel runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from polyir.irregular.checked_indices import REPORT_SIZE, IndexCheck
from polyir.runtime.argument_checks import ArgumentError
from polyir.target.abi import ArrayParameter

if TYPE_CHECKING:
    from polyir.runtime.functions import Array, CompiledFunction, CompiledModule, Value


def check_indices(
    kernel: CompiledFunction, module: CompiledModule, given: Mapping[int, Value]
) -> None:
    """Raise `ArgumentError` for a subscript out of bounds that index arrays lead to.

    `given` are arguments by position; of others, nothing is known.
    """
    for check in kernel.checks.index_checks:
        _check(kernel, module, check, given)


def _check(
    kernel: CompiledFunction, module: CompiledModule, check: IndexCheck, given: Mapping[int, Value]
) -> None:
    report = np.zeros(REPORT_SIZE, dtype=np.int64)
    values: list[Value] = []
    for place, operand in enumerate(check.operands):
        if operand < 0:
            values.append(report)
        elif operand in given:
            values.append(given[operand])
        elif place in check.shapes:
            values.append(_unknown(kernel, operand))
        else:
            return
    module[check.symbol].run(values)
    if report[0]:
        raise ArgumentError(f"{kernel.signature.symbol}: {_defect(check, report)}")


def _unknown(kernel: CompiledFunction, position: int) -> Array:
    """What stands for an array that is not there: one of so large a shape that all is in it."""
    parameter = kernel.signature.parameters[position]
    assert isinstance(parameter, ArrayParameter)
    extents = parameter.type.extents
    large = 2 ** (56 // max(len(extents), 1))
    return np.broadcast_to(np.int8(0), [large if each is None else each for each in extents])


def _defect(check: IndexCheck, report: Array) -> str:
    """What is wrong, as a report says it."""
    numbers = [int(each) for each in report]
    access = check.accesses[numbers[0] - 1]
    (subscript,) = (each for each in access.subscripts if each.dimension == numbers[1])
    place = f" ({access.place})" if access.place else ""
    return access.message(subscript).format(*numbers) + place
