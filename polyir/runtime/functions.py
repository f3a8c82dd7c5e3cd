"""Functions of compiled modules, called with NumPy arrays and numbers.

All backends share the checks of arguments. A function of the C and the LLVM backend is the address
of its code and a signature, and follows the calling convention of `polyir/target/abi.py`.
"""

from __future__ import annotations

import ctypes
import inspect
import keyword
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from operator import getitem
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from numpy.lib.array_utils import byte_bounds
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import nearest
from polyir.irregular.plans import Plans
from polyir.runtime.argument_checks import (
    ArgumentChecks,
    ArgumentError,
    ArgumentTypeError,
    Span,
)
from polyir.runtime.array_layouts import contiguous, copy_defect, wrong_shape
from polyir.target.abi import (
    ArrayParameter,
    Parameter,
    Scalar,
    ScalarParameter,
    Signature,
    is_private,
    signature_of,
)

if TYPE_CHECKING:
    from ctypes import _SimpleCData

    from polyir.runtime.given_functions import GivenFunctions
    from polyir.runtime.gpu.device import DeviceArray
    from polyir.runtime.inspected import InspectedFunction

    CNumber = _SimpleCData[bool] | _SimpleCData[int] | _SimpleCData[float]
    CScalar = type[_SimpleCData[bool]] | type[_SimpleCData[int]] | type[_SimpleCData[float]]
    Value = npt.NDArray[np.generic] | DeviceArray | CNumber

Array = npt.NDArray[np.generic]
Argument = Array | bool | int | float | np.generic
Number = bool | int | float
Result = Number | tuple[Number, ...] | None

C_TYPES: Final[Mapping[Scalar, CScalar]] = MappingProxyType(
    {
        Scalar.BOOL: ctypes.c_bool,
        Scalar.INT8: ctypes.c_int8,
        Scalar.INT16: ctypes.c_int16,
        Scalar.INT32: ctypes.c_int32,
        Scalar.INT64: ctypes.c_int64,
        Scalar.UINT8: ctypes.c_uint8,
        Scalar.UINT16: ctypes.c_uint16,
        Scalar.UINT32: ctypes.c_uint32,
        Scalar.UINT64: ctypes.c_uint64,
        Scalar.FLOAT: ctypes.c_float,
        Scalar.DOUBLE: ctypes.c_double,
    }
)
"""The types of ctypes."""


@cache
def numpy_type(scalar: Scalar) -> np.dtype[np.generic]:
    """The NumPy element type of a C scalar type."""
    return np.dtype(C_TYPES[scalar])


class Checked(NamedTuple):
    """The arguments of a call: in order, in C's types, and the addresses of the arrays.

    `copies` are arrays of the caller, each with the array that the function changes in its place.
    """

    given: tuple[Argument, ...]
    values: list[Value]
    addresses: list[int]
    copies: list[tuple[Array, Array]]

    def write_back(self) -> None:
        """Give the caller's arrays the elements of what stood for them."""
        for array, copy in self.copies:
            array[...] = copy


class CompiledFunction(ABC):
    """A compiled function. Call it with numbers and NumPy arrays, which it changes in place."""

    _takes_copies = True
    """Whether an array that is not contiguous may be copied."""

    def __init__(
        self, signature: Signature, owner: CompiledModule, checks: ArgumentChecks | None = None
    ) -> None:
        self.signature = signature
        self.checks = checks or ArgumentChecks()
        """What is required of the arguments besides their types."""
        # The code lives as long as its module.
        self._owner = owner
        self._names = tuple(parameter.name for parameter in signature.parameters)
        self._elements = tuple(_element(parameter) for parameter in signature.parameters)
        self.__doc__ = self._documentation()

    @abstractmethod
    def _run(self, values: Sequence[Value], addresses: Sequence[int]) -> Result:
        """Call the code with arguments that were checked; `addresses` are those of the arrays."""

    @property
    def __name__(self) -> str:
        return self.signature.symbol

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters, for `help` and completion; those without a usable name have a number."""
        return inspect.Signature(
            [
                *(_described(n, each) for n, each in enumerate(self.signature.parameters)),
                inspect.Parameter("unchecked", inspect.Parameter.KEYWORD_ONLY, default=False),
            ]
        )

    def __call__(self, *arguments: Argument, unchecked: bool = False, **named: Argument) -> Result:
        """Call the function. Returns its result, or a tuple of several.

        Raises `ArgumentTypeError` (a `TypeError`) for missing and unknown arguments and for a
        wrong type or element type. Raises `ArgumentError` (a `ValueError`) for a wrong rank or
        extent, a value out of range, an array that the function writes and must not, sizes with
        which an access would be out of bounds, index arrays with such elements, and arrays that
        overlap where the function writes one of them. The function has not run then.

        An array that is not contiguous in C's order (`A.T`, `A[::2]`), or not aligned, is copied,
        and back if the function may write it; `ArrayCopyWarning` says so.

        With `unchecked`, sizes, index arrays and overlap are not checked: where they are wrong, the
        behaviour is undefined.
        """
        checked = self.checked(arguments, named, unchecked)
        values = checked.values
        if self.checks.index_checks and not unchecked:
            # Few programs have index arrays.
            from polyir.runtime.index_checks import check_indices

            check_indices(self, self._owner, dict(enumerate(values)))
        if not checked.copies:
            return self._run(values, checked.addresses)
        try:
            return self._run(values, checked.addresses)
        finally:
            checked.write_back()

    def converted(self, position: int, value: Argument) -> Value:
        """An argument in its C type; raises as a call does."""
        parameter = self.signature.parameters[position]
        if isinstance(parameter, ArrayParameter):
            return self._array(position, parameter, value)[0]
        return self._number(position, parameter, value)

    def run(self, values: Sequence[Value]) -> Result:
        """Call the code with arguments that were converted and checked."""
        arrays = (value for value in values if isinstance(value, np.ndarray))
        return self._run(values, [array.__array_interface__["data"][0] for array in arrays])

    def inspect(
        self, *arguments: Argument, check: bool = True, **named: Argument
    ) -> InspectedFunction:
        """Run the inspectors of this kernel; what is returned runs only its executor.

        The arguments are those of the kernel; those that the inspectors do not need may be left
        out. With `check`, each call requires that the index arrays are still as they are now.
        Raises `ArgumentError` and `ArgumentTypeError` as a call does, and `InspectionError` for a
        function without an inspector, or with one that cannot run before the kernel.
        """
        # Few programs have index arrays.
        from polyir.runtime.inspected import inspected

        plan = self._owner.plans.get(self.signature.symbol)
        return inspected(self, self._owner, plan, arguments, named, check)

    def checked(
        self,
        arguments: tuple[Argument, ...],
        named: Mapping[str, Argument],
        unchecked: bool = False,
    ) -> Checked:
        """The arguments of a call; raises as `__call__`."""
        parameters = self.signature.parameters
        if named or len(arguments) != len(parameters):
            arguments = self._in_order(arguments, named)
        values: list[Value] = []
        addresses: list[int] = []
        spans: list[Span] = []
        copies: list[tuple[Array, Array]] = []
        copied: list[int] = []
        for position, (parameter, value) in enumerate(zip(parameters, arguments, strict=True)):
            if isinstance(parameter, ArrayParameter):
                array, address, size = self._array(position, parameter, value)
                values.append(array)
                addresses.append(address)
                if array is not value and isinstance(value, np.ndarray):
                    assert isinstance(array, np.ndarray)
                    copied.append(position)
                    if self.checks.writes(position):
                        copies.append((value, array))
                    spans.append((*byte_bounds(value), position))
                elif size:
                    spans.append((address, address + size, position))
            else:
                values.append(self._number(position, parameter, value))
        if not unchecked:
            shown = self._shown(arguments)
            self.checks.require(self.signature.symbol, self._names, shown, spans, frozenset(copied))
        return Checked(arguments, values, addresses, copies)

    def __reduce__(self) -> tuple[object, ...]:
        return getitem, (self._owner, self.signature.symbol)

    def _in_order(
        self, arguments: tuple[Argument, ...], named: Mapping[str, Argument]
    ) -> tuple[Argument, ...]:
        """The arguments by position; raises unless there is one for each parameter."""
        symbol, names = self.signature.symbol, self._names
        rest = names[len(arguments) :]
        for name in named:
            if name not in names:
                hint = nearest(name, names) or f"; parameters: {', '.join(names) or 'none'}"
                raise ArgumentTypeError(f"{symbol} has no parameter '{name}'{hint}")
            if name not in rest:
                raise ArgumentTypeError(f"{symbol} gets two values for the parameter '{name}'")
        if len(arguments) + len(named) != len(names):
            missing = [f"'{name}'" for name in rest if name not in named]
            which = f": {', '.join(missing)} missing" if missing and named else ""
            count = len(arguments) + len(named)
            raise ArgumentTypeError(f"{symbol} takes {len(names)} arguments, not {count}{which}")
        return (*arguments, *(named[name] for name in rest))

    def _array(
        self, position: int, parameter: ArrayParameter, value: Argument
    ) -> tuple[Array | DeviceArray, int, int]:
        """`value` as an array that fits its parameter, its address, and its size in bytes."""
        if not isinstance(value, np.ndarray):
            wrong = f"must be a NumPy array, not {type(value).__name__}"
            raise ArgumentTypeError(f"{self._argument(position)} {wrong}")
        self._require_fit(position, parameter, value.dtype, value.shape)
        flags = value.flags
        is_written = self.checks.writes(position)
        defect = None
        if not flags.writeable and is_written:
            defect = "must be writable: the function may change it"
        elif not (flags.c_contiguous and flags.aligned):
            defect = copy_defect(value, is_written, self._takes_copies)
            if defect is None:
                value = contiguous(value, is_written, self._argument(position))
        if defect is not None:
            raise ArgumentError(f"{self._argument(position)} {defect}")
        return value, value.__array_interface__["data"][0], value.nbytes

    def _require_fit(
        self,
        position: int,
        parameter: ArrayParameter,
        element: np.dtype[np.generic],
        shape: Sequence[int],
    ) -> None:
        """Raise unless an array has the elements and the extents of its parameter."""
        wanted = self._elements[position]
        if element != wanted:
            wrong = f"must have elements of type {wanted}, not {element}"
            raise ArgumentTypeError(f"{self._argument(position)} {wrong}")
        extents = self._required_extents(position, parameter)
        defect = None if extents is None else wrong_shape(shape, extents)
        if defect is not None:
            raise ArgumentError(f"{self._argument(position)} {defect}")

    def _required_extents(
        self, position: int, parameter: ArrayParameter
    ) -> Sequence[int | None] | None:
        """The extents that an array must have; `None` for any rank and any extents."""
        return parameter.type.extents

    def _shown(self, arguments: Sequence[Argument]) -> Sequence[object]:
        """The arguments as the function sees them, for the checks of sizes."""
        return arguments

    def _number(self, position: int, parameter: ScalarParameter, value: Argument) -> CNumber:
        """A number in the C type of its parameter."""
        number = value.item() if isinstance(value, np.generic) else value
        if not isinstance(number, int | float if parameter.type.is_float else int):
            wanted = "a number" if parameter.type.is_float else "an integer"
            wrong = f"must be {wanted}, not {type(value).__name__}"
            raise ArgumentTypeError(f"{self._argument(position)} {wrong}")
        try:
            return _c_number(parameter.type, number)
        except ValueError as error:
            raise ArgumentError(f"{self._argument(position)} {error}") from None

    def _argument(self, position: int) -> str:
        """How a message names an argument."""
        return f"{self.signature.symbol}: argument {position} '{self._names[position]}'"

    def _documentation(self) -> str:
        """What `help` shows of a function: its parameters, and what it returns."""
        parameters = self.signature.parameters
        shown = "".join(f"{name}, " for name in self._names)
        lines = [f"{self.signature.symbol}({shown}*, unchecked=False)", ""]
        for position, parameter in enumerate(parameters):
            lines.append(f"    {parameter.name}: {self._use(position, parameter)}")
        results = ", ".join(str(numpy_type(each)) for each in self.signature.results)
        lines += ["", f"Returns {results}." if results else "Returns nothing."]
        if any(isinstance(parameter, ArrayParameter) for parameter in parameters):
            lines.append("Arrays are checked before each call, unless `unchecked` is true.")
        return "\n".join(lines)

    def _use(self, position: int, parameter: Parameter) -> str:
        """What a parameter takes, in NumPy's terms, and whether the function changes it."""
        if isinstance(parameter, ScalarParameter):
            return str(numpy_type(parameter.type))
        extents = self._required_extents(position, parameter)
        shape = "any shape"
        if extents is not None:
            inner = ", ".join("any" if each is None else str(each) for each in extents)
            shape = f"shape ({inner}{',' * (len(extents) == 1)})"
        changed = "changed" if self.checks.writes(position) else "only read"
        return f"array of {numpy_type(parameter.type.element)}, {shape}, {changed}"

    def __repr__(self) -> str:
        return f"<compiled function {self.signature.symbol}({', '.join(self._names)})>"


class NativeFunction(CompiledFunction):
    """A function whose code is at an address in this process."""

    def __init__(
        self,
        address: int,
        signature: Signature,
        owner: CompiledModule,
        checks: ArgumentChecks | None = None,
    ) -> None:
        super().__init__(signature, owner, checks)
        result = None if signature.returned is None else C_TYPES[signature.returned]
        # Each argument is passed as an object of its C type: no argument types are needed here.
        self._entry = ctypes.CFUNCTYPE(result)(address)

        self._dynamic = tuple(
            parameter.type.dynamic_dimensions if isinstance(parameter, ArrayParameter) else ()
            for parameter in signature.parameters
        )

    def _run(self, values: Sequence[Value], addresses: Sequence[int]) -> Result:
        """Call the code. Raises any exception of a function that was given."""
        passed: list[object] = []
        remaining = iter(addresses)
        for value, dimensions in zip(values, self._dynamic, strict=True):
            if isinstance(value, np.ndarray):
                passed.append(ctypes.c_void_p(next(remaining)))
                for dimension in dimensions:
                    passed.append(ctypes.c_int64(value.shape[dimension]))
            else:
                passed.append(value)
        return self._enter(passed)

    def _enter(self, passed: Sequence[object]) -> Result:
        """Call the code with arguments as the calling convention has them."""
        outputs = [C_TYPES[type]() for type in self.signature.pointer_results]
        result: Result = self._entry(*passed, *(ctypes.byref(output) for output in outputs))
        if self._owner.given is not None:
            self._owner.given.raise_error()
        return tuple(output.value for output in outputs) if outputs else result


def _element(parameter: Parameter) -> np.dtype[np.generic]:
    """The NumPy type of a number, or of the elements of an array."""
    if isinstance(parameter, ArrayParameter):
        return numpy_type(parameter.type.element)
    return numpy_type(parameter.type)


def _described(position: int, parameter: Parameter) -> inspect.Parameter:
    """A parameter for `inspect`: with a name of Python's, and its type."""
    name = parameter.name
    if not name.isidentifier() or keyword.iskeyword(name) or name == "unchecked":
        name = f"_{position}"
    if isinstance(parameter, ScalarParameter):
        annotation = parameter.type.value
    else:
        shape = "x".join("?" if each is None else str(each) for each in parameter.type.extents)
        annotation = f"{parameter.type.element.value}[{shape}]"
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)


def _c_number(type: Scalar, number: int | float) -> CNumber:
    """A number in a C type; raises `ValueError` if it does not fit."""
    if type.is_float:
        return _float(type, number)
    assert isinstance(number, int)
    if type is Scalar.BOOL:
        if number not in (0, 1):
            raise ValueError(f"must be 0 or 1, not {number}")
        return ctypes.c_bool(bool(number))
    least = 0 if type.unsigned is type else -(2 ** (type.width - 1))
    if not least <= number < least + 2**type.width:
        raise ValueError(f"must fit into {type.width} bits: {number} does not")
    make: Callable[[int], CNumber] = C_TYPES[type]
    return make(number)


def _float(type: Scalar, number: int | float) -> CNumber:
    try:
        value = float(number)
    except OverflowError:
        raise ValueError("is too large for a floating-point number") from None
    return ctypes.c_float(value) if type is Scalar.FLOAT else ctypes.c_double(value)


class CompiledModule(ABC):
    """A compiled module: its functions are attributes and items."""

    def __init__(
        self,
        source: str,
        functions: Sequence[CompiledFunction],
        given: GivenFunctions | None = None,
        plans: Plans = MappingProxyType({}),
    ) -> None:
        self.source = source
        """The text that was compiled: C or LLVM IR."""
        self.given = given
        """The functions that it calls and does not define."""
        self.plans = dict(plans)
        """How inspectors are called apart from the kernels that they are for."""
        self._functions = MappingProxyType(
            {function.signature.symbol: function for function in functions}
        )

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """The signatures of the functions."""
        return tuple(function.signature for function in self._functions.values())

    @property
    def checks(self) -> dict[str, ArgumentChecks]:
        """What is required of the arguments of each function besides their types."""
        return {name: function.checks for name, function in self._functions.items()}

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        """A module does not change: it is its own copy."""
        return self

    def __getitem__(self, name: str) -> CompiledFunction:
        """The function named `name`; raises `KeyError`, which suggests similar names."""
        if name not in self._functions:
            raise KeyError(f"no function '{name}' in the module{nearest(name, self._functions)}")
        return self._functions[name]

    def __call__(self, *arguments: Argument, unchecked: bool = False, **named: Argument) -> Result:
        """Call the function of a module that has only one; see `CompiledFunction.__call__`.

        Raises `ArgumentTypeError` if there are several, or none.
        """
        functions = self._own_functions()
        if len(functions) != 1:
            names = ", ".join(functions) or "none"
            raise ArgumentTypeError(
                f"only a module with one function can be called; this one has: {names}"
            )
        return self._functions[functions[0]](*arguments, unchecked=unchecked, **named)

    @property
    def __signature__(self) -> inspect.Signature:
        """That of the only function, if there is one."""
        functions = self._own_functions()
        if len(functions) != 1:
            raise AttributeError("__signature__")
        return self._functions[functions[0]].__signature__

    def _own_functions(self) -> list[str]:
        """The functions but those that polyir made: inspectors, executors, checks of indices."""
        made = {check.symbol for each in self.checks.values() for check in each.index_checks}
        for plan in self.plans.values():
            if not isinstance(plan, str):
                made |= {call.symbol for call in (*plan.inspectors, plan.sizes, plan.executor)}
        return [name for name in self._functions if name not in made]

    def __getattr__(self, name: str) -> CompiledFunction:
        if name.startswith("_") or name not in self._functions:
            raise AttributeError(
                f"no function '{name}' in the module{nearest(name, self._functions)}"
            )
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the functions."""
        return iter(self._functions)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._functions]

    @abstractmethod
    def threads(self, count: int) -> AbstractContextManager[None]:
        """Run the functions with `count` threads inside the `with` block.

        Outside it, `OMP_NUM_THREADS` decides, or the number of processors.
        """

    def __repr__(self) -> str:
        functions = ", ".join(repr(function) for function in self._functions.values())
        return f"<compiled module: {functions}>"


def public_functions(module: ModuleOp) -> tuple[FuncOp, ...]:
    """The functions that can be called from outside `module`."""
    return tuple(
        op
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and not op.is_declaration and not is_private(op)
    )


def public_signatures(module: ModuleOp) -> tuple[Signature, ...]:
    """The signatures of the functions that can be called from outside `module`.

    `module` is at the level of loops: its functions take memrefs.
    """
    return tuple(signature_of(op) for op in public_functions(module))
