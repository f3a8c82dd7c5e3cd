"""Modules whose kernels run on a device: xDSL's interpreter runs the functions around them."""

from __future__ import annotations

import pickle
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects import gpu, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.interpreter import Interpreter, InterpreterFunctions, PythonValues
from xdsl.interpreters.func import FuncFunctions
from xdsl.interpreters.scf import ScfFunctions
from xdsl.ir import Attribute, Operation

from polyir.base.diagnostics import PolyirError
from polyir.runtime.argument_checks import ArgumentChecks, ArgumentError
from polyir.runtime.functions import (
    Argument,
    Array,
    CompiledFunction,
    CompiledModule,
    Result,
    public_functions,
    public_signatures,
)
from polyir.runtime.gpu.adoption import Substitutes, substitutes
from polyir.runtime.gpu.device import Device, DeviceArray, GpuTarget, open_device
from polyir.runtime.gpu.host import AffineFunctions, Globals, MemoryFunctions, ParallelFunctions
from polyir.runtime.gpu.operations import CompiledKernel, GpuFunctions
from polyir.runtime.gpu.scalars import ScalarFunctions
from polyir.sets.pickle import pickled
from polyir.target.abi import (
    ArrayParameter,
    Parameter,
    Scalar,
    ScalarParameter,
    Signature,
    array_type,
    scalar_type,
    symbol_name,
    symbol_of,
)
from polyir.target.errors import unsupported_operation
from polyir.target.gpu import Language, kernel_source, launch_memory

if TYPE_CHECKING:
    from polyir.runtime.functions import Value


class ExecutionError(PolyirError):
    """Code of the host cannot be run to its end."""

    name = "device"


class GpuFunction(CompiledFunction):
    """A function that is interpreted, and launches kernels."""

    def __init__(
        self,
        signature: Signature,
        owner: GpuModule,
        checks: ArgumentChecks | None = None,
        on_device: Container[int] = (),
    ) -> None:
        super().__init__(signature, owner, checks)
        self._module = owner
        self._on_device = on_device

    def _run(self, values: Sequence[Value], addresses: Sequence[int]) -> Result:
        """Interpret the function. Raises `DeviceError`, and `ExecutionError` if host code fails."""
        passed = [
            value if isinstance(value, np.ndarray | DeviceArray) else value.value
            for value in values
        ]
        results = self._module.interpret(self.signature.symbol, passed)
        numbers = tuple(
            bool(value) if type is Scalar.BOOL else value
            for value, type in zip(results, self.signature.results, strict=True)
        )
        return numbers[0] if len(numbers) == 1 else numbers or None

    def _array(
        self, position: int, parameter: ArrayParameter, value: Argument
    ) -> tuple[Array | DeviceArray, int, int]:
        """An array of NumPy, or one that is on the device."""
        if isinstance(value, np.ndarray):
            if position in self._on_device:
                raise ArgumentError(
                    f"{self._argument(position)} must be an array of the device: it was assumed to "
                    "be there"
                )
            return super()._array(position, parameter, value)
        try:
            adopted = self._module.device.adopt(value)
        except ArgumentError as error:
            raise ArgumentError(f"{self._argument(position)} {error}") from None
        if adopted is None:
            return super()._array(position, parameter, value)
        self._require_fit(position, parameter, adopted.element, adopted.array.shape)
        return adopted.array, adopted.address, adopted.array.buffer.size


class GpuModule(CompiledModule):
    """Functions that launch kernels on a device."""

    def __init__(
        self,
        module: ModuleOp,
        target: GpuTarget,
        checks: Mapping[str, ArgumentChecks] = MappingProxyType({}),
        native: CompiledModule | None = None,
        device: Device | None = None,
    ) -> None:
        _require_supported(module, native or ())
        language = Language.OPENCL if target == "opencl" else Language.CUDA
        modules = [op for op in module.ops if isinstance(op, gpu.ModuleOp)]
        sources = [kernel_source(each, language) for each in modules]
        self.device = device or open_device(target)
        """Where the kernels run."""
        self._module = module
        self._target: GpuTarget = target
        self._native = native
        self._globals: Globals = {}
        self._substitutes: Substitutes = {}
        on_device: dict[str, frozenset[int]] = {}
        for function in public_functions(module):
            self._substitutes |= substitutes(function)
            on_device[function.sym_name.data] = _passed_to_kernels(function)
        self._kernels = {
            name: kernel
            for each, source in zip(modules, sources, strict=True)
            for name, kernel in _built(self.device, each, source, language)
        }
        functions: list[CompiledFunction] = [
            native[each.symbol]
            if native is not None and each.symbol in native
            else GpuFunction(each, self, checks.get(each.symbol), on_device[each.symbol])
            for each in public_signatures(module)
        ]
        super().__init__("\n".join(sources), functions)

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (pickled(self._module), self._target, self.checks, self._native)

    def threads(self, count: int) -> nullcontext[None]:
        """Nothing changes inside the `with` block: the device has its own threads."""
        if count < 1:
            raise ValueError(f"the number of threads must be at least 1, not {count}")
        return nullcontext()

    def interpret(self, symbol: str, arguments: Sequence[object]) -> PythonValues:
        """Run a function. The device is done afterwards, and has no memory of it any more."""
        kernels = GpuFunctions(self.device, self._kernels, self._substitutes)
        interpreter = Interpreter(self._module, index_bitwidth=64)
        for functions in (*_STATELESS, MemoryFunctions(self._globals), kernels):
            interpreter.register_implementations(functions)
        with _reported(symbol):
            try:
                results = interpreter.call_op(symbol, tuple(arguments))
                self.device.synchronise()
            finally:
                kernels.release()
        return results


_STATELESS: tuple[InterpreterFunctions, ...] = (
    FuncFunctions(),
    ScfFunctions(),
    ScalarFunctions(),
    AffineFunctions(),
    ParallelFunctions(),
)


def compile_gpu(
    module: ModuleOp,
    target: GpuTarget,
    checks: Mapping[str, ArgumentChecks] = MappingProxyType({}),
    native: CompiledModule | None = None,
    device: Device | None = None,
) -> GpuModule:
    """Compile the kernels of a module that is outlined; its public functions can then be called.

    `checks` are those of their arguments, by symbol. They run on `device`, or on the one that is
    opened for `target`; those that `native` has are taken from there. Raises `TargetError` for
    operations that are not supported, `MissingPackageError`, and `DeviceError` if there is no
    device or it rejects the kernels.
    """
    return GpuModule(module, target, checks, native, device)


def without_device(module: ModuleOp) -> ModuleOp | None:
    """A module with the functions that use no device, which need not be interpreted.

    `None` if there are none, or if the module has globals, of which all functions must see the
    same.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    if any(isinstance(op, memref.GlobalOp) for op in module.ops):
        return None
    with_device: set[str] = set()
    count = -1
    while count != len(with_device):
        count = len(with_device)
        with_device |= {
            name
            for name, function in functions.items()
            if any(_uses_device(op, with_device) for op in function.walk())
        }
    rest = ModuleOp([op.clone() for name, op in functions.items() if name not in with_device])
    return rest if public_functions(rest) else None


def _uses_device(op: Operation, with_device: Container[str]) -> bool:
    """Whether an operation is of the gpu dialect, or calls a function of `with_device`."""
    if isinstance(op, CallOp):
        return symbol_of(op.callee) in with_device
    return op.dialect_name() == "gpu"


def _unpickled(
    module: bytes,
    target: GpuTarget,
    checks: Mapping[str, ArgumentChecks],
    native: CompiledModule | None,
) -> GpuModule:
    return GpuModule(pickle.loads(module), target, checks, native)


def _passed_to_kernels(function: FuncOp) -> frozenset[int]:
    """The positions of the arrays that kernels get as they are, without a copy."""
    block = function.body.first_block
    return frozenset(
        argument.index
        for argument in (() if block is None else block.args)
        if isinstance(argument.type, MemRefType)
        and any(isinstance(use.operation, gpu.LaunchFuncOp) for use in argument.uses)
    )


def _built(
    device: Device, module: gpu.ModuleOp, source: str, language: Language
) -> Iterator[tuple[str, CompiledKernel]]:
    """The kernels of a gpu.module by the symbols that launch them."""
    functions = [op for op in module.body.ops if isinstance(op, gpu.FuncOp)]
    names = [symbol_name(op.sym_name.data) for op in functions]
    handles = device.build(source, names)
    for op, name in zip(functions, names, strict=True):
        parameters = tuple(_parameter(op, type) for type in op.function_type.inputs.data)
        yield (
            f"{module.sym_name.data}.{op.sym_name.data}",
            CompiledKernel(handles[name], parameters, launch_memory(op, language)),
        )


def _parameter(op: gpu.FuncOp, type: Attribute) -> Parameter:
    if isinstance(type, MemRefType):
        return ArrayParameter("", array_type(type, op))
    return ScalarParameter("", scalar_type(type, op))


def _require_supported(module: ModuleOp, others: Iterable[str]) -> None:
    """Raise `TargetError` for an operation of the host that no implementation is known of.

    The functions `others` are not interpreted.
    """
    native = set(others)
    implementations = [type(each) for each in _STATELESS] + [MemoryFunctions, GpuFunctions]
    known = {operation for each in implementations for operation, _ in each._impls()}
    for function in module.ops:
        if isinstance(function, FuncOp) and function.sym_name.data not in native:
            for op in function.walk():
                if type(op) not in known and op is not function:
                    raise unsupported_operation(op, "the code around kernels")


@contextmanager
def _reported(symbol: str) -> Iterator[None]:
    """Errors of interpreted code without the copies of the module that xDSL adds to them."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "__notes__"):
            del error.__notes__
        if isinstance(error, PolyirError):
            raise
        message = f"{symbol}: {type(error).__name__}: {error}"
        raise ExecutionError(message) from error
