"""Functions that all ranks of a communicator of mpi4py call together.

    module = polyir.compile(text, "pluto-schedule,tile,wavefront,distribute-memory")
    module.gemm(comm, n, alpha, A, B, C)    # on the first rank, with its arrays
    module.gemm(comm)                       # on all others

The first rank has the arrays; it is told what they become. What another rank passes besides the
communicator must agree: numbers equal those of the first rank, and arrays are `None`. Arguments are
checked before any work, and what is wrong on one rank is an error on all of them.
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from polyir.diagnostics import MissingPackageError
from polyir.irregular.plans import Plans
from polyir.runtime.argument_checks import ArgumentChecks, ArgumentError, ArgumentTypeError
from polyir.runtime.compiler import CompilationError, CompilerOptions
from polyir.runtime.functions import (
    C_TYPES,
    Argument,
    NativeFunction,
    Result,
    public_signatures,
)
from polyir.runtime.library import LibraryModule
from polyir.runtime.mpi import find_mpi
from polyir.target.abi import ArrayParameter, ScalarParameter, Signature
from polyir.target.c import COptions, c_text

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

    from polyir.runtime.functions import CScalar, Value
    from polyir.runtime.given_functions import GivenFunctions

COMMUNICATOR: Final = "polyir_communicator"
"""The variable of emitted C that has the communicator."""


@dataclass(frozen=True)
class _Told:
    """What a rank tells all others of its arguments: numbers, shapes, or what is wrong.

    A number is its bytes in C; `None` is what a rank has not been given.
    """

    values: tuple[bytes | tuple[int, ...] | None, ...] = ()
    wrong: str | None = None
    is_type_error: bool = False


class DistributedFunction(NativeFunction):
    """A compiled function whose first argument is a communicator; all its ranks must call it."""

    _owner: DistributedModule

    @property
    def __signature__(self) -> inspect.Signature:
        rest = list(super().__signature__.parameters.values())
        name = "comm"
        while any(each.name == name for each in rest):
            name = f"_{name}"
        return inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY), *rest]
        )

    def __call__(
        self,
        *arguments: Argument | Intracomm | None,
        unchecked: bool = False,
        **named: Argument | None,
    ) -> None:
        """Call the function on all ranks of a communicator, the first argument.

        The first rank passes all arguments; the arrays are changed in place. The others may leave
        out all of them, or pass `None` for arrays, and for numbers or the same numbers.

        Raises `ArgumentTypeError` and `ArgumentError` as functions that are not distributed do: on
        all ranks if an argument of any rank is wrong. If a message fails, all processes are ended.
        """
        if not arguments:
            raise ArgumentTypeError(f"{self.signature.symbol} takes a communicator first")
        communicator = self._communicator(arguments[0])
        is_first = communicator.Get_rank() == 0
        values: Sequence[Value] = ()
        addresses: Sequence[int] = ()
        try:
            given = self._given(arguments[1:], named)
            if is_first:
                values, addresses = self._checked(given, unchecked)
                mine = _Told(tuple(map(_described, values)))
            else:
                mine = _Told(tuple(self._other(n, each) for n, each in enumerate(given)))
        except (ArgumentError, ArgumentTypeError) as error:
            mine = _Told((), str(error), isinstance(error, ArgumentTypeError))
        everyone = communicator.allgather(mine)
        self._require_agreement(everyone)
        self._owner.run(communicator, self, self._passed(everyone[0].values, addresses))

    def enter(self, passed: Sequence[object]) -> Result:
        """Call the code."""
        return self._enter(passed)

    def _communicator(self, value: object) -> Intracomm:
        try:
            from mpi4py import MPI
        except ImportError:
            message = "mpi4py is not installed (pip install 'polyir[mpi]')"
            raise MissingPackageError(message) from None
        if not isinstance(value, MPI.Intracomm) or value == MPI.COMM_NULL:
            what = f"not {type(value).__name__}"
            wrong = f"takes a communicator first, a mpi4py.MPI.Intracomm, {what}"
            raise ArgumentTypeError(f"{self.signature.symbol} {wrong}")
        return value

    def _given(
        self, arguments: Sequence[object], named: Mapping[str, object]
    ) -> tuple[object, ...]:
        """The arguments in order; all are `None` if there are none."""
        if not arguments and not named:
            return (None,) * len(self.signature.parameters)
        return self._in_order(tuple(arguments), named)  # type: ignore[arg-type]

    def _checked(
        self, given: tuple[object, ...], unchecked: bool
    ) -> tuple[Sequence[Value], Sequence[int]]:
        """The arguments of the first rank in C's types, and the addresses of its arrays."""
        _, values, addresses = self.checked(given, {}, unchecked)  # type: ignore[arg-type]
        if self.checks.index_checks and not unchecked:
            # Few programs have index arrays.
            from polyir.runtime.index_checks import check_indices

            check_indices(self, self._owner, dict(enumerate(values)))
        return values, addresses

    def _other(self, position: int, value: object) -> bytes | None:
        """A number as another rank than the first one tells it."""
        if value is None:
            return None
        if isinstance(self.signature.parameters[position], ArrayParameter):
            wrong = "must be None: only the first rank has arrays"
            raise ArgumentTypeError(f"{self._argument(position)} {wrong}")
        return bytes(self.converted(position, value))  # type: ignore[arg-type]

    def _require_agreement(self, everyone: Sequence[_Told]) -> None:
        """Raise what is wrong on any rank, the same on all."""
        for rank, each in enumerate(everyone):
            if each.wrong is not None:
                kind = ArgumentTypeError if each.is_type_error else ArgumentError
                raise kind(f"rank {rank}: {each.wrong}")
        for rank, each in enumerate(everyone[1:], 1):
            pairs = zip(everyone[0].values, each.values, strict=True)
            for position, (first, other) in enumerate(pairs):
                if other is not None and other != first:
                    wrong = f"rank {rank}: {self._argument(position)} is not that of the first rank"
                    raise ArgumentError(wrong)

    def _passed(
        self, told: Sequence[bytes | tuple[int, ...] | None], addresses: Sequence[int]
    ) -> list[object]:
        """What the code gets on this rank: arrays without memory where it has none."""
        passed: list[object] = []
        remaining = iter(addresses)
        for number, value in enumerate(told):
            if isinstance(value, tuple):
                passed.append(ctypes.c_void_p(next(remaining, None)))
                passed += [ctypes.c_int64(value[each]) for each in self._dynamic[number]]
            else:
                assert value is not None
                passed.append(self._number_type(number).from_buffer_copy(value))
        return passed

    def _number_type(self, position: int) -> CScalar:
        parameter = self.signature.parameters[position]
        assert isinstance(parameter, ScalarParameter)
        return C_TYPES[parameter.type]


def _described(value: Value) -> bytes | tuple[int, ...]:
    if isinstance(value, np.ndarray):
        return value.shape
    assert isinstance(value, ctypes._SimpleCData)
    return bytes(value)


class DistributedModule(LibraryModule):
    """Functions that all ranks of a communicator call together, compiled by `mpicc`."""

    _Function = DistributedFunction

    def __init__(
        self,
        source: str,
        signatures: Sequence[Signature],
        options: CompilerOptions,
        checks: Mapping[str, ArgumentChecks],
        given: GivenFunctions | None = None,
        plans: Plans = MappingProxyType({}),
    ) -> None:
        for each in signatures:
            if each.results:
                wrong = "returns a number, which only the first rank would have"
                raise CompilationError(f"@{each.symbol} {wrong}")
        super().__init__(source, signatures, options, checks, given, plans)
        self._lock = Lock()

    def run(
        self, communicator: Intracomm, function: DistributedFunction, passed: Sequence[object]
    ) -> None:
        """Call a function on the ranks of a communicator.

        Its messages are in a communicator of their own. Raises `CompilationError` if mpi4py uses
        another MPI than the one that compiled the functions.
        """
        from mpi4py import MPI

        self._require_same_mpi(MPI.Get_library_version())
        own = communicator.Dup()
        try:
            # There is one variable for all threads of a process.
            with self._lock:
                size = MPI._sizeof(MPI.Comm)
                variable = (ctypes.c_char * size).in_dll(self._library, COMMUNICATOR)
                handle = MPI._handleof(own) % 2 ** (8 * size)
                variable.raw = handle.to_bytes(size, sys.byteorder)
                function.enter(passed)
        finally:
            own.Free()

    def _require_same_mpi(self, version: str) -> None:
        """In one process, the other MPI has not been initialised."""
        flag = ctypes.c_int(0)
        self._library.MPI_Initialized(ctypes.byref(flag))
        if not flag.value:
            name = version.splitlines()[0].strip("\0 ")
            raise CompilationError(
                f"mpi4py uses {name}, and {find_mpi().compiler} compiles for another MPI: install "
                "only one, or put the folder of that one first in PATH"
            )


def compile_distributed(
    module: ModuleOp,
    options: CompilerOptions | None,
    checks: Mapping[str, ArgumentChecks],
    given: GivenFunctions | None = None,
    plans: Plans = MappingProxyType({}),
) -> DistributedModule:
    """Compile a module in loop form that calls MPI; see `compile_module`. `options` has flags.

    Raises `TargetError` for operations that C does not support, and `CompilationError`, also if
    there is no MPI.
    """
    mpi = find_mpi()
    text = c_text(module, COptions())
    # A library that was compiled for another MPI in the same place is not used.
    digest = hashlib.sha256(mpi.version.encode()).hexdigest()[:16]
    source = f"// For MPI {digest}\n{text if given is None else given.c_text() + text}"
    flags = (options or CompilerOptions()).flags
    compiler = CompilerOptions(mpi.compiler, flags)
    return DistributedModule(source, public_signatures(module), compiler, checks, given, plans)
