"""The operations of the gpu dialect in host code, for xDSL's interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from xdsl.dialects import gpu
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Operation

from polyir.dialects.gpu_extra import CORRECTED
from polyir.runtime.functions import numpy_type
from polyir.runtime.gpu.adoption import Substitutes
from polyir.runtime.gpu.device import Buffer, Device, DeviceArray, DeviceError, Size
from polyir.runtime.gpu.host import shape_of
from polyir.target.abi import (
    ArrayParameter,
    Parameter,
    array_type,
    symbol_of,
)
from polyir.target.errors import unsupported


@dataclass(frozen=True)
class CompiledKernel:
    """A compiled kernel, what it takes, and the memory of a block that a launch must ask for."""

    handle: object
    parameters: tuple[Parameter, ...]
    launch_memory: int = 0


class GpuFunctions(InterpreterFunctions):
    """Memory, copies and kernels of one call of a function, on one device."""

    def __init__(
        self, device: Device, kernels: Mapping[str, CompiledKernel], substitutes: Substitutes
    ) -> None:
        self._device = device
        self._kernels = kernels
        self._substitutes = substitutes
        self._allocated: dict[DeviceArray, None] = {}

    def release(self) -> None:
        """Free what the call has not: it ended with an error."""
        for array in list(self._allocated):
            del self._allocated[array]
            with suppress(DeviceError):
                self._device.free(array.buffer)

    def run_alloc(
        self, interpreter: Interpreter, op: gpu.AllocOp, args: PythonValues
    ) -> PythonValues:
        first = len(op.asyncDependencies)
        sizes = args[first : first + len(op.dynamicSizes)]
        element = array_type(op.result.type, op).element
        shape = shape_of(op.result.type, sizes)
        if op in self._substitutes:
            (argument,) = interpreter.get_values([self._substitutes[op]])
            is_usable = isinstance(argument, DeviceArray) and argument.is_aligned
            if is_usable and argument.shape == shape:
                return _with_token(op, argument)
        size = int(np.prod(shape, dtype=object)) * numpy_type(element).itemsize
        array = DeviceArray(self._device.allocate(size), shape)
        self._allocated[array] = None
        return _with_token(op, array)

    def run_dealloc(
        self, interpreter: Interpreter, op: gpu.DeallocOp, args: PythonValues
    ) -> PythonValues:
        array = _on_device(op, args[-1])
        # What belongs to the caller is not freed.
        if array in self._allocated:
            del self._allocated[array]
            self._device.free(array.buffer)
        return _with_token(op)

    def run_memcpy(
        self, interpreter: Interpreter, op: gpu.MemcpyOp, args: PythonValues
    ) -> PythonValues:
        target, source = args[-2:]
        if target.shape != source.shape:
            raise unsupported(
                op, f"an array of shape {source.shape} is copied to one of shape {target.shape}"
            )
        match target, source:
            case DeviceArray(), DeviceArray() if target is source:
                pass
            case DeviceArray(), DeviceArray():
                self._device.copy(target.buffer, source.buffer)
            case DeviceArray(), _:
                self._device.copy_in(target.buffer, source)
            case _, DeviceArray():
                self._device.copy_out(target, source.buffer)
            case _:
                np.copyto(target, source)
        return _with_token(op)

    def run_wait(
        self, interpreter: Interpreter, op: gpu.WaitOp, args: PythonValues
    ) -> PythonValues:
        return _with_token(op)

    def run_launch(
        self, interpreter: Interpreter, op: gpu.LaunchFuncOp, args: PythonValues
    ) -> PythonValues:
        first = len(op.asyncDependencies)
        grid: Size = args[first : first + 3]
        block: Size = args[first + 3 : first + 6]
        kernel = self._kernels[symbol_of(op.kernel)]
        last = first + 6 + len(op.kernelOperands)
        if all(grid) and all(block):
            passed = _passed(op, kernel, args[first + 6 : last])
            self._device.launch(kernel.handle, grid, block, passed, kernel.launch_memory)
        return _with_token(op)


_IMPLEMENTATIONS: Mapping[type[Operation], Callable[..., PythonValues]] = {
    gpu.AllocOp: GpuFunctions.run_alloc,
    gpu.DeallocOp: GpuFunctions.run_dealloc,
    gpu.MemcpyOp: GpuFunctions.run_memcpy,
    gpu.WaitOp: GpuFunctions.run_wait,
    gpu.LaunchFuncOp: GpuFunctions.run_launch,
}
for _type, _implementation in _IMPLEMENTATIONS.items():
    # xDSL's operations, and those that are corrected.
    for _number, _each in enumerate(dict.fromkeys((_type, CORRECTED.get(_type, _type)))):
        setattr(GpuFunctions, f"{_implementation.__name__}_{_number}", impl(_each)(_implementation))
register_impls(GpuFunctions)


def _passed(
    op: gpu.LaunchFuncOp, kernel: CompiledKernel, values: Sequence[object]
) -> list[Buffer | np.generic]:
    """What the C convention passes: for an array, its memory and its dynamic extents."""
    found: list[Buffer | np.generic] = []
    for parameter, value in zip(kernel.parameters, values, strict=True):
        if isinstance(parameter, ArrayParameter):
            array = _on_device(op, value)
            found.append(array.buffer)
            found += [np.int64(array.shape[n]) for n in parameter.type.dynamic_dimensions]
        else:
            found.append(numpy_type(parameter.type).type(value))
    return found


def _on_device(op: Operation, value: object) -> DeviceArray:
    if not isinstance(value, DeviceArray):
        raise unsupported(op, f"'{op.name}' needs an array of the device")
    return value


def _with_token(op: Operation, *results: object) -> PythonValues:
    """The results of an operation: a token for others to wait for carries nothing."""
    return (*results, *(None for _ in op.results[len(results) :]))
