"""Text of kernels and of the functions that launch them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from math import prod
from typing import Final

from polyir.target.c.dialect import Dialect
from polyir.target.c.printer import Printer, wrapped
from polyir.target.c.syntax import (
    Address,
    Argument,
    Expression,
    ExtensionStatement,
    Function,
    Variable,
    scalar_of,
)
from polyir.target.gpu.host import DeviceAllocation, DeviceCopy, DeviceFree, Finish, Launch
from polyir.target.gpu.kernels import Barrier, KernelFunction, LaunchMemory, LaunchMemoryPart
from polyir.target.gpu.language import Language
from polyir.target.gpu.vectors import VectorCopy

_MEMORY: Final = "polyir_shared"


class GpuPrinter(Printer):
    """Prints in one dialect of a language of kernels."""

    def __init__(self, used: Container[Variable], dialect: Dialect, language: Language) -> None:
        super().__init__(used, dialect)
        self._words = language.words

    def extension(self, statement: ExtensionStatement, indent: str) -> Iterator[str]:
        match statement:
            case Launch():
                yield from self._launch(statement, indent)
            case LaunchMemoryPart(array=array) if array.variable not in self._used:
                pass
            case _:
                yield from wrapped(f"{indent}{self._device_statement(statement)};")

    def _device_statement(self, statement: ExtensionStatement) -> str:
        """A statement of one line, without the semicolon."""
        match statement:
            case Barrier():
                return self._words.barrier
            case LaunchMemory():
                return f"extern {self._dialect.shared_space}double2 {_MEMORY}[]"
            case LaunchMemoryPart(array=array, offset=offset):
                start = f"((char *){_MEMORY} + {offset})" if offset else _MEMORY
                return f"{self.pointer(array, False)} = ({self.pointer_type(array)}){start}"
            case VectorCopy(target=target, source=source, type=type, width=width):
                return self._words.vector_copy.format(
                    target=self.expression(target),
                    source=self.expression(source),
                    type=self._words.vectors.get(type, ""),
                    width=width,
                )
            case DeviceAllocation(array=array):
                name = array.variable.name
                call = f'polyir_allocate("{name}", {self.byte_count(array)})'
                if self._words.device_pointer is None:
                    return self.allocation(array, call)
                return f"{self._words.device_pointer} {name} = {call}"
            case DeviceCopy(function=function, target=target, source=source, array=array):
                pointers = f"{self.argument(target)}, {self.argument(source)}"
                return f"{function}({pointers}, {self.byte_count(array)})"
            case DeviceFree(array=array):
                return f"polyir_free({array.variable.name})"
            case Finish(function=function):
                return f'polyir_finish("{function}")'
            case _:
                raise TypeError(f"unknown statement {statement!r}")

    def _launch(self, launch: Launch, indent: str) -> Iterator[str]:
        texts = {
            "kernel": launch.kernel,
            "grid": self._list(launch.grid),
            "block": self._list(launch.block),
            "arguments": ", ".join(map(self._passed, launch.arguments)),
            "count": str(len(launch.arguments)),
            "memory": str(launch.memory),
        }
        for line in self._words.large_launch if launch.memory else self._words.launch:
            yield from wrapped(indent + line.format(**texts))

    def _passed(self, argument: Argument) -> str:
        """An argument of a kernel."""
        if isinstance(argument, Address):
            type = self._words.device_pointer or ""
        else:
            type = self.spell_memory(scalar_of(argument))
        return self._words.argument.format(type=type, value=self.argument(argument))

    def _list(self, expressions: Sequence[Expression]) -> str:
        return ", ".join(map(self.expression, expressions))

    def unused_parameters(self, function: Function) -> Iterator[str]:
        # Compilers of kernels do not warn of them.
        return (
            iter(())
            if isinstance(function, KernelFunction)
            else super().unused_parameters(function)
        )

    def head(self, function: Function) -> str:
        if not isinstance(function, KernelFunction):
            return super().head(function)
        size = function.block_size
        text = ""
        if size is not None:
            x, y, z = size
            text = self._words.block_size.format(x=x, y=y, z=z, threads=prod(size))
        return f"{self._words.kernel}void {text}".rstrip()
