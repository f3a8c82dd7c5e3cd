"""Functions that all ranks of a communicator of mpi4py call together.

    module = polyir.compile(text, "pluto-schedule,tile,wavefront,distribute-memory")
    module.gemm(comm, n, alpha, A, B, C)    # on the first rank, with its arrays
    module.gemm(comm)                       # on all others

The first rank has the arrays; it is told what they become. What another rank passes besides the
communicator must agree: numbers equal those of the first rank, and arrays are `None`. Arguments are
checked before any work, and what is wrong on one rank is an error on all of them.

With `distribute-memory{data=distributed}`, each rank passes its part of each array:

    mine = np.ascontiguousarray(A[module.gemm.part(comm, "A", n=100)])
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

from polyir.base.diagnostics import MissingPackageError, nearest
from polyir.irregular.plans import Plans
from polyir.runtime.argument_checks import ArgumentChecks, ArgumentError, ArgumentTypeError
from polyir.runtime.compiler import CompilationError, CompilerOptions
from polyir.runtime.functions import (
    C_TYPES,
    Argument,
    CompiledModule,
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


@dataclass(frozen=True)
class _Own:
    """What a rank tells all others, and its own arguments: numbers, shapes, and addresses."""

    told: _Told = _Told()
    values: tuple[bytes | tuple[int, ...], ...] = ()
    addresses: Sequence[int] = ()


class DistributedFunction(NativeFunction):
    """A compiled function whose first argument is a communicator; all its ranks must call it."""

    _owner: DistributedModule
    _takes_copies = False

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
        own = _Own()
        try:
            own = self._of_rank(communicator, arguments[1:], named, unchecked)
        except (ArgumentError, ArgumentTypeError) as error:
            own = _Own(_Told((), str(error), isinstance(error, ArgumentTypeError)))
        everyone = communicator.allgather(own.told)
        self._require_agreement(everyone)
        self._owner.run(communicator, self, self._passed(everyone[0], own))

    def _of_rank(
        self,
        communicator: Intracomm,
        arguments: Sequence[object],
        named: Mapping[str, object],
        unchecked: bool,
    ) -> _Own:
        """What a rank passes; raises for wrong arguments."""
        given = self._given(arguments, named)
        if communicator.Get_rank():
            return _Own(_Told(tuple(self._other(n, each) for n, each in enumerate(given))))
        values, addresses = self._checked(given, unchecked)
        shown = tuple(map(_described, values))
        return _Own(_Told(shown), shown, addresses)

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
        _, values, addresses, _ = self.checked(given, {}, unchecked)  # type: ignore[arg-type]
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

    def _passed(self, first: _Told, own: _Own) -> list[object]:
        """What the code gets on this rank: arrays without memory where it has none."""
        return self._in_c(first.values, own.addresses)

    def _in_c(
        self, values: Sequence[bytes | tuple[int, ...] | None], addresses: Sequence[int]
    ) -> list[object]:
        passed: list[object] = []
        remaining = iter(addresses)
        for number, value in enumerate(values):
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


class PartedFunction(DistributedFunction):
    """A function to which each rank of a communicator passes its part of each array."""

    def __init__(
        self,
        address: int,
        signature: Signature,
        owner: CompiledModule,
        checks: ArgumentChecks | None = None,
    ) -> None:
        # Which extents an array needs is said of the whole one.
        kept = checks or ArgumentChecks()
        about_numbers = tuple(
            each
            for each in kept.requirements
            if all(source.dimension is None for source in each.sources)
        )
        super().__init__(address, signature, owner, ArgumentChecks(about_numbers, kept.written))

    def part(
        self, communicator: Intracomm, array: str, *numbers: Argument, **named: Argument
    ) -> tuple[slice, ...]:
        """The part of an array that the rank of this process passes, as subscripts of the whole.

        `numbers` and `named` are those of a call without the arrays. All ranks together pass each
        element that the function accesses once, but arrays without dimensions, and those that
        `replicate` names, each of them whole. Raises `ArgumentTypeError` and `ArgumentError`.
        """
        arrays = [each for each in self.signature.parameters if isinstance(each, ArrayParameter)]
        names = [each.name for each in arrays]
        if array not in names:
            hint = nearest(array, names) or f"; arrays: {', '.join(names)}"
            raise ArgumentTypeError(f"{self.signature.symbol} has no array '{array}'{hint}")
        taken = dict(zip(self._numbers, numbers, strict=False))
        wrong = [name for name in named if name not in self._numbers or name in taken]
        taken |= named
        if wrong or len(numbers) > len(self._numbers) or len(taken) < len(self._numbers):
            expected = ", ".join(self._numbers) or "none"
            message = f"{self.signature.symbol}.part takes the numbers {expected}"
            raise ArgumentTypeError(message)
        group = self._communicator(communicator)
        boxes = self._boxes(group, [taken[name] for name in self._numbers])
        first = sum(len(each.type.extents) for each in arrays[: names.index(array)])
        count = len(arrays[names.index(array)].type.extents)
        return tuple(slice(begin, begin + size) for begin, size in boxes[first : first + count])

    @property
    def _numbers(self) -> list[str]:
        parameters = self.signature.parameters
        return [each.name for each in parameters if isinstance(each, ScalarParameter)]

    def _boxes(self, communicator: Intracomm, numbers: Sequence[Argument]) -> list[list[int]]:
        """The first subscript and the size of this rank's part in each dimension of each array."""
        assert self.signature.part is not None
        asked = self._owner[self.signature.part]
        found = asked.signature.parameters[-1]
        assert isinstance(found, ArrayParameter)
        boxes = np.zeros([each or 0 for each in found.type.extents], np.int64)
        asked(*numbers, communicator.Get_rank(), communicator.Get_size(), boxes)
        return [[int(each) for each in row] for row in boxes]

    def _of_rank(
        self,
        communicator: Intracomm,
        arguments: Sequence[object],
        named: Mapping[str, object],
        unchecked: bool,
    ) -> _Own:
        given = self._in_order(tuple(arguments), named)  # type: ignore[arg-type]
        values, addresses = self._checked(given, unchecked)
        shown = tuple(map(_described, values))
        numbers = [
            value
            for value, parameter in zip(given, self.signature.parameters, strict=True)
            if isinstance(parameter, ScalarParameter)
        ]
        sizes = [size for _, size in self._boxes(communicator, numbers)]
        for position, shape in enumerate(shown):
            if isinstance(shape, tuple):
                part, sizes = tuple(sizes[: len(shape)]), sizes[len(shape) :]
                if part != shape:
                    wrong = f"must have the shape of the rank's part, {part}, not {shape}"
                    raise ArgumentError(f"{self._argument(position)} {wrong}")
        told = tuple(each if isinstance(each, bytes) else None for each in shown)
        return _Own(_Told(told), shown, addresses)

    def _passed(self, first: _Told, own: _Own) -> list[object]:
        return self._in_c(own.values, own.addresses)


class DistributedModule(LibraryModule):
    """Functions that all ranks of a communicator call together, compiled by `mpicc`.

    Those that say which parts of arrays ranks pass are called as others are.
    """

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
        self._part_functions = {each.part for each in signatures}
        super().__init__(source, signatures, options, checks, given, plans)
        self._lock = Lock()

    def _type_of(self, signature: Signature) -> type[NativeFunction]:
        if signature.symbol in self._part_functions:
            return NativeFunction
        return DistributedFunction if signature.part is None else PartedFunction

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
