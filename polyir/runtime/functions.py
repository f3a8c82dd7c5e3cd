"""Functions of compiled modules, called with NumPy arrays and numbers.

The C and the LLVM backend share this module: a function is the address of its code and a signature,
and follows the calling convention of `polyir/target/abi.py`.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.diagnostics import nearest
from polyir.target.abi import (
    ArrayParameter,
    Scalar,
    ScalarParameter,
    Signature,
    is_private,
    signature_of,
)

if TYPE_CHECKING:
    from ctypes import _SimpleCData

    CScalar = type[_SimpleCData[bool]] | type[_SimpleCData[int]] | type[_SimpleCData[float]]

Array = npt.NDArray[np.generic]
Argument = Array | bool | int | float | np.generic
Number = bool | int | float
Result = Number | tuple[Number, ...] | None

_C_TYPES: Final[Mapping[Scalar, CScalar]] = MappingProxyType(
    {
        Scalar.BOOL: ctypes.c_bool,
        Scalar.INT8: ctypes.c_int8,
        Scalar.INT16: ctypes.c_int16,
        Scalar.INT32: ctypes.c_int32,
        Scalar.INT64: ctypes.c_int64,
        Scalar.FLOAT: ctypes.c_float,
        Scalar.DOUBLE: ctypes.c_double,
    }
)


def numpy_type(scalar: Scalar) -> np.dtype[np.generic]:
    """The NumPy element type of a C scalar type."""
    return np.dtype(_C_TYPES[scalar])


class CompiledFunction:
    """A compiled function. Call it with numbers and NumPy arrays, which it changes in place."""

    def __init__(self, address: int, signature: Signature, owner: object) -> None:
        self.signature = signature
        # The code lives as long as its module.
        self._owner = owner
        result = None if signature.returned is None else _C_TYPES[signature.returned]
        # Each argument is passed as an object of its C type: no argument types are needed here.
        self._entry = ctypes.CFUNCTYPE(result)(address)

    @property
    def __name__(self) -> str:
        return self.signature.symbol

    def __call__(self, *arguments: Argument) -> Result:
        """Call the function. Returns its result, or a tuple of several.

        Raises `TypeError` for a wrong number of arguments, type or element type, and `ValueError`
        for a wrong rank or extent, a value out of range, and an array that is not contiguous,
        aligned and writable. The function has not run then.
        """
        signature = self.signature
        if len(arguments) != len(signature.parameters):
            raise TypeError(
                f"{signature.symbol} takes {len(signature.parameters)} arguments, "
                f"not {len(arguments)}"
            )
        passed: list[object] = []
        for position, (parameter, value) in enumerate(
            zip(signature.parameters, arguments, strict=True)
        ):
            where = f"{signature.symbol}: argument {position} '{parameter.name}'"
            if isinstance(parameter, ArrayParameter):
                passed.extend(_pass_array(parameter, value, where))
            else:
                passed.append(_pass_number(parameter, value, where))
        outputs = [_C_TYPES[type]() for type in signature.pointer_results]
        result: Result = self._entry(*passed, *(ctypes.byref(output) for output in outputs))
        return tuple(output.value for output in outputs) if outputs else result

    def __repr__(self) -> str:
        parameters = ", ".join(parameter.name for parameter in self.signature.parameters)
        return f"<compiled function {self.signature.symbol}({parameters})>"


def _pass_array(parameter: ArrayParameter, value: Argument, where: str) -> Iterator[object]:
    """The pointer and the dynamic extents of an array that fits its parameter."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{where} must be a NumPy array, not {type(value).__name__}")
    extents = parameter.type.extents
    wanted = numpy_type(parameter.type.element)
    if value.dtype != wanted:
        raise TypeError(f"{where} must have elements of type {wanted}, not {value.dtype}")
    if value.ndim != len(extents):
        raise ValueError(f"{where} must have rank {len(extents)}, not {value.ndim}")
    for dimension, (extent, actual) in enumerate(zip(extents, value.shape, strict=True)):
        if extent is not None and extent != actual:
            raise ValueError(
                f"{where} must have extent {extent} in dimension {dimension}, not {actual}"
            )
    if not value.flags.c_contiguous:
        raise ValueError(f"{where} must be C-contiguous (try numpy.ascontiguousarray)")
    if not value.flags.aligned:
        raise ValueError(f"{where} must be aligned")
    if not value.flags.writeable:
        raise ValueError(f"{where} must be writable")
    yield ctypes.c_void_p(value.ctypes.data)
    for dimension in parameter.type.dynamic_dimensions:
        yield ctypes.c_int64(value.shape[dimension])


def _pass_number(parameter: ScalarParameter, value: Argument, where: str) -> object:
    """A number in the C type of its parameter."""
    number = value.item() if isinstance(value, np.generic) else value
    if parameter.type.is_float:
        if not isinstance(number, int | float):
            raise TypeError(f"{where} must be a number, not {type(value).__name__}")
        return _float(parameter.type, number, where)
    if not isinstance(number, int):
        raise TypeError(f"{where} must be an integer, not {type(value).__name__}")
    if parameter.type is Scalar.BOOL:
        if number not in (0, 1):
            raise ValueError(f"{where} must be 0 or 1, not {number}")
        return ctypes.c_bool(bool(number))
    half = 2 ** (parameter.type.width - 1)
    if not -half <= number < half:
        raise ValueError(f"{where} must fit into {parameter.type.width} bits: {number} does not")
    make: Callable[[int], object] = _C_TYPES[parameter.type]
    return make(number)


def _float(type: Scalar, number: int | float, where: str) -> object:
    try:
        value = float(number)
    except OverflowError:
        raise ValueError(f"{where} is too large for a floating-point number") from None
    return ctypes.c_float(value) if type is Scalar.FLOAT else ctypes.c_double(value)


class CompiledModule(ABC):
    """A compiled module: its functions are attributes and items."""

    def __init__(self, source: str, functions: Sequence[CompiledFunction]) -> None:
        self.source = source
        """The text that was compiled: C or LLVM IR."""
        self._functions = MappingProxyType(
            {function.signature.symbol: function for function in functions}
        )

    def __getitem__(self, name: str) -> CompiledFunction:
        """The function named `name`; raises `KeyError`, which suggests similar names."""
        if name not in self._functions:
            raise KeyError(f"no function '{name}' in the module{nearest(name, self._functions)}")
        return self._functions[name]

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


def public_signatures(module: ModuleOp) -> tuple[Signature, ...]:
    """The signatures of the functions that can be called from outside `module`.

    `module` is at the level of loops: its functions take memrefs.
    """
    return tuple(
        signature_of(op)
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and not op.is_declaration and not is_private(op)
    )
