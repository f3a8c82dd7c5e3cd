"""Regions of a C file that run on ranks of MPI: a function that all ranks call, and its call.

The functions are in a file of their own. A region must be all that its C function does: that
function is then called by all ranks, with the same numbers, and the arrays are those of the first
rank. What another rank passes as an array is not accessed, but has the same type: the lengths of
rows are read from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import count

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr

from polyir.base.diagnostics import SourceLocation
from polyir.frontend.c.errors import NotModelledError
from polyir.frontend.c.places import SourceArgument, SourceArray, SourcePointer, SourceScalar
from polyir.frontend.c.source import SourceRegion
from polyir.frontend.c.translation import TranslatedRegion
from polyir.regions.device_regions import (
    extent_text,
    has_subscripts_last,
    parameter_types,
    place_text,
)
from polyir.regions.read_checks import ReadCheck
from polyir.target.abi import ArrayParameter, Signature, calls_mpi, signature_of, symbol_name
from polyir.target.c import COptions, c_text
from polyir.target.c.printer import wrapped
from polyir.target.c.region import NATIVE, RegionText


def require_whole_function(
    region: SourceRegion, content: TranslatedRegion, assume_no_alias: bool
) -> None:
    """Raise `NotModelledError` for a region that cannot be run by all ranks together."""
    if not region.is_body:
        raise NotModelledError(
            "other statements of its function would need the arrays on all ranks: for ranks, a "
            "region is all that a function does, besides declarations and a return",
            region.location,
            name="not-distributed",
        )
    if content.overlaps and not assume_no_alias:
        raise NotModelledError(
            "pointers that may lead to one array, which ranks do not check (declare them as "
            "restrict, or give --assume-no-alias)",
            region.location,
            name="may-overlap",
        )
    if content.assumed is not None:
        raise NotModelledError(
            "rows whose length is not known to be enough for the elements accessed in them, which "
            "ranks do not check (test it in an if around the loops)",
            region.location,
            name="may-overlap",
        )
    for op in content.module.ops:
        if isinstance(op, func.FuncOp) and op.is_declaration:
            message = f"the function '{op.sym_name.data}', which another file cannot call"
            raise NotModelledError(message, region.location, name="not-distributed")
    for argument in content.arguments:
        if isinstance(argument, SourcePointer):
            message = f"the pointer '{argument.text}', which is passed to a function"
            raise NotModelledError(message, region.location, name="not-distributed")
        if isinstance(argument, SourceArray) and not has_subscripts_last(argument):
            message = f"'{place_text(argument)}' is not contiguous in memory"
            raise NotModelledError(message, region.location, name="not-distributed")


def require_readable(reads: ReadCheck | None, location: SourceLocation) -> None:
    """Raise `NotModelledError` if a part of a region must run although a check does not hold."""
    if reads is not None and not reads.is_whole:
        message = "only a part of it reads some numbers in memory, which all ranks read before it"
        raise NotModelledError(message, location, name="not-distributed")


class RankFile:
    """The file with the functions for a C file's regions."""

    def __init__(self, prefix: str, taken: Collection[str]) -> None:
        """An empty file; names of functions begin with `prefix`, and none is one of `taken`."""
        self.names: frozenset[str] = frozenset()
        """The names of the functions that the C file may call."""
        self._prefix = prefix
        self._taken = frozenset(taken)
        self._module = ModuleOp([])

    def name(self, function: func.FuncOp) -> None:
        """Give a region's function the name that it has in this file, before its passes."""
        names = (f"{self._prefix}_{number}" for number in count())
        free = next(each for each in names if each not in self._taken | self.names)
        function.sym_name = StringAttr(free)
        self.names |= {free}

    def add(self, module: ModuleOp, region: SourceRegion, content: TranslatedRegion) -> Signature:
        """Add the functions of a region after its passes; the signature of the one to call.

        Raises `PolyirError` if it is not distributed, or for what has no C.
        """
        if not calls_mpi(module):
            raise NotModelledError(
                "no part of it is distributed", region.location, name="not-distributed"
            )
        c_text(module, COptions())
        name = content.function.sym_name.data
        functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
        kernel = next(op for op in functions if op.sym_name.data == name)
        if signature_of(kernel).part is not None:
            message = "its C function has whole arrays: data=distributed takes parts of them"
            raise NotModelledError(message, region.location, name="not-distributed")
        for op in module.ops:
            self._module.body.block.add_op(op.clone())
        return signature_of(kernel)

    def text(self) -> str:
        """The whole file."""
        return c_text(self._module, COptions())


def call_on_ranks(signature: Signature, arguments: Sequence[SourceArgument]) -> RegionText:
    """The statements that call a function of a `RankFile`, and its declaration."""
    passed: list[str] = []
    for argument, parameter in zip(arguments, signature.parameters, strict=True):
        if isinstance(argument, SourceScalar):
            passed.append(argument.text)
        elif isinstance(argument, SourceArray) and isinstance(parameter, ArrayParameter):
            element = NATIVE.types[parameter.type.element]
            passed.append(f"({element} *){_address(argument)}")
            passed += _extents(argument, parameter)
    name = symbol_name(signature.symbol)
    types = ", ".join(parameter_types(signature)) or "void"
    comment = "  // All ranks call this; the arrays are those of the first one."
    return RegionText(
        (comment, *wrapped(f"  {name}({', '.join(passed)});")),
        ((name, "\n".join(wrapped(f"void {name}({types});")) + "\n"),),
    )


def _address(argument: SourceArray) -> str:
    """A pointer to the first element, which may be null."""
    first = next((n for n, each in enumerate(argument.parts) if isinstance(each, int)), None)
    text = "".join(str(each) for each in argument.parts[:first])
    if argument.offset:
        return f"&{text}[{argument.offset}]"
    return f"&{text}" if first is None else text


def _extents(argument: SourceArray, parameter: ArrayParameter) -> Iterator[str]:
    """The lengths of rows; how many rows there are does not matter."""
    for dimension in parameter.type.dynamic_dimensions:
        yield extent_text(argument, dimension) if dimension else "0"
