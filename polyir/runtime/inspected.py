"""Kernels with index arrays whose inspectors have run: they run only their executors.

inspected = kernel.inspect(n=n, p=p, q=q, A=A)
for _ in range(steps):
    inspected(n, p, q, b, A)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from polyir.base.diagnostics import PolyirError
from polyir.irregular.guards import Guards
from polyir.irregular.plans import InspectionPlan
from polyir.runtime.argument_checks import ArgumentError, ArgumentTypeError
from polyir.runtime.functions import Argument, CompiledFunction, CompiledModule, Result
from polyir.runtime.index_checks import check_indices
from polyir.target.abi import ArrayParameter

Array = npt.NDArray[np.generic]


class InspectionError(PolyirError, ValueError):
    """A function has no inspector that can run before it."""

    name = "irregular-loop"


@dataclass(frozen=True)
class _Seen:
    """What an inspector has seen of an argument: a number, or an array's shape and elements."""

    number: Argument | None
    shape: tuple[int, ...] | None
    elements: Array | None


class InspectedFunction:
    """A kernel after its inspectors. Call it as the kernel, with the same index arrays.

    The other arguments may be different ones each time.
    """

    def __init__(
        self,
        kernel: CompiledFunction,
        module: CompiledModule,
        plan: InspectionPlan,
        seen: Mapping[int, _Seen],
        outputs: Sequence[Array],
        check: bool,
    ) -> None:
        self.kernel = kernel
        """The kernel that was inspected."""
        self._module = module
        self._executor = module[plan.executor.symbol]
        self._call, self._guards = plan.executor, plan.guards
        self._seen, self._outputs = dict(seen), tuple(outputs)
        self._checks = check
        self._checked: tuple[object, ...] | None = None

    def __call__(self, *arguments: Argument, **named: Argument) -> Result:
        """Run the executor. Raises what the kernel raises, and `ArgumentError` for index arrays,
        sizes or numbers that are not those that were inspected."""
        given, values, *_ = self.kernel.checked(arguments, named)
        for position, seen in self._seen.items():
            if position not in self._guards.only_compared:
                defect = _difference(seen, given[position])
                if defect is not None:
                    raise self._error(position, defect)
        changed = _changed_number(self._guards, self._seen, given)
        if changed is not None:
            defect = _difference(self._seen[changed], given[changed])
            raise self._error(changed, defect or "has changed since its inspection")
        if self._checks:
            # Index arrays that are the same need not be checked twice, with the same shapes.
            sizes = tuple(each.shape if isinstance(each, np.ndarray) else each for each in given)
            if sizes != self._checked:
                check_indices(self.kernel, self._module, dict(enumerate(values)))
                self._checked = sizes if self._sees_all() else None
        known = (*given, *self._outputs)
        return self._executor(*(known[number] for number in self._call.operands), unchecked=True)

    def _error(self, position: int, defect: str) -> ArgumentError:
        name = self.kernel.signature.parameters[position].name
        return ArgumentError(f"{self.kernel.signature.symbol}: '{name}' {defect}: inspect again")

    def _sees_all(self) -> bool:
        """Whether no other index arrays lead to subscripts than those that were inspected."""
        return all(
            operand < 0 or operand in self._seen or place in check.shapes
            for check in self.kernel.checks.index_checks
            for place, operand in enumerate(check.operands)
        )

    def __repr__(self) -> str:
        return f"<inspected {self.kernel!r}>"


def inspected(
    kernel: CompiledFunction,
    module: CompiledModule,
    plan: InspectionPlan | str | None,
    arguments: Sequence[Argument],
    named: Mapping[str, Argument],
    check: bool,
) -> InspectedFunction:
    """Run the inspectors of `kernel` on some of its arguments; see `CompiledFunction.inspect`."""
    symbol = kernel.signature.symbol
    if plan is None:
        raise InspectionError(
            f"{symbol} has no inspector: it needs a pass that makes one, as inspect-wavefronts"
        )
    if isinstance(plan, str):
        raise InspectionError(f"the inspector of {symbol} cannot run before it: {plan}")
    supplied = _supplied(kernel, plan, arguments, named)
    count = len(kernel.signature.parameters)
    if check and len(supplied) == count:
        kernel.checked(tuple(supplied[number] for number in range(count)), {})
    if check:
        values = {n: kernel.converted(n, value) for n, value in supplied.items()}
        check_indices(kernel, module, values)
    given = {number: supplied[number] for number in sorted(plan.needed)}
    known: dict[int, Argument] = dict(given)
    sizes = _sizes(module[plan.sizes.symbol], [known[number] for number in plan.sizes.operands])
    shapes = [[sizes[-1 - each] if each < 0 else each for each in shape] for shape in plan.outputs]
    try:
        outputs = [np.empty(shape, np.int64) for shape in shapes]
    except (MemoryError, ValueError) as error:
        raise ArgumentError(f"the inspector of {symbol} fills arrays: {error}") from None
    known |= {count + number: output for number, output in enumerate(outputs)}
    for call in plan.inspectors:
        module[call.symbol](*(known[number] for number in call.operands), unchecked=True)
    seen = dict(_seen(plan, given, check))
    return InspectedFunction(kernel, module, plan, seen, outputs, check)


def _supplied(
    kernel: CompiledFunction,
    plan: InspectionPlan,
    arguments: Sequence[Argument],
    named: Mapping[str, Argument],
) -> dict[int, Argument]:
    """The arguments by position; raises unless there are those that the inspectors need."""
    parameters = kernel.signature.parameters
    symbol = kernel.signature.symbol
    positions = {parameter.name: number for number, parameter in enumerate(parameters)}
    unknown = [name for name in named if name not in positions]
    if unknown or len(arguments) > len(parameters):
        wrong = f"no parameter '{unknown[0]}'" if unknown else f"only {len(parameters)} parameters"
        raise ArgumentTypeError(f"{symbol} has {wrong}")
    found = dict(enumerate(arguments)) | {positions[name]: value for name, value in named.items()}
    missing = [
        f"'{parameters[number].name}'" + ("" if number in _read(kernel, plan) else " (its shape)")
        for number in sorted(plan.needed)
        if number not in found
    ]
    if missing:
        raise ArgumentTypeError(f"the inspector of {symbol} needs {', '.join(missing)}")
    return found


def _read(kernel: CompiledFunction, plan: InspectionPlan) -> frozenset[int]:
    """The arguments whose values inspectors need."""
    parameters = enumerate(kernel.signature.parameters)
    scalars = {number for number, each in parameters if not isinstance(each, ArrayParameter)}
    return plan.index_arrays | scalars


def _sizes(function: CompiledFunction, arguments: Sequence[Argument]) -> tuple[int, ...]:
    result = function(*arguments, unchecked=True)
    found = result if isinstance(result, tuple) else () if result is None else (result,)
    return tuple(int(size) for size in found)


def _seen(
    plan: InspectionPlan, given: Mapping[int, Argument], check: bool
) -> Iterator[tuple[int, _Seen]]:
    for number, value in given.items():
        if isinstance(value, np.ndarray):
            is_kept = check and number in plan.index_arrays
            yield number, _Seen(None, value.shape, value.copy() if is_kept else None)
        else:
            yield number, _Seen(value, None, None)


def _changed_number(
    guards: Guards, seen: Mapping[int, _Seen], given: Sequence[Argument]
) -> int | None:
    """The position of a number for which the inspectors would do something else."""

    def number(value: Argument | None) -> int:
        assert isinstance(value, int | float | np.generic)
        return int(value)

    for guard in guards.comparisons:
        positions = guard.positions()
        before = {each: number(seen[each].number) for each in positions}
        if guard.holds(before) != guard.holds({each: number(given[each]) for each in positions}):
            return next(each for each in positions if each in guards.only_compared)
    return None


def _difference(seen: _Seen, value: Argument) -> str | None:
    """What is different from when it was inspected: NaN is the same as NaN."""
    if not isinstance(value, np.ndarray):
        is_same = value == seen.number or (value != value and seen.number != seen.number)
        return None if is_same else f"is {value}, and was {seen.number} in inspection"
    if value.shape != seen.shape:
        return f"has the shape {value.shape}, and had {seen.shape} in inspection"
    if seen.elements is None:
        return None
    changed = _bytes(value) != _bytes(seen.elements)
    if not changed.any():
        return None
    place = np.unravel_index(int(changed.argmax()) // value.itemsize, value.shape)
    text = ", ".join(map(str, place))
    change = f"from {seen.elements[place]} to {value[place]} at [{text}]"
    return f"has changed since its inspection, {change}"


def _bytes(array: Array) -> npt.NDArray[np.uint8]:
    """The bytes of a contiguous array, in the order of its elements."""
    return array.reshape(-1).view(np.uint8)
