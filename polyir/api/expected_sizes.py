"""Sizes that arguments of functions are expected to have, by name."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from polyir.base.diagnostics import OptionError, nearest
from polyir.dialects.expected_sizes import (
    SIZE,
    SIZES,
    expect,
    expected_extents,
    extents_attribute,
    size_attribute,
)
from polyir.runtime.functions import public_functions
from polyir.target.abi import ArrayParameter, extent_name, signature_of


def require_sizes(sizes: Mapping[str, int]) -> Mapping[str, int]:
    """The sizes, if they are positive integers; raises `OptionError` otherwise."""
    for name, size in sizes.items():
        if not isinstance(size, int) or size < 1:
            raise OptionError(f"the size of '{name}' is not a positive integer: {size!r}")
    return sizes


def with_expected_sizes(module: ModuleOp, sizes: Mapping[str, int]) -> ModuleOp:
    """A copy of a module in which all functions that have arguments of these names expect them.

    Raises `OptionError` for a name that is neither an integer nor an extent of any function.
    """
    require_sizes(sizes)
    result = module.clone()
    known: dict[str, None] = {}
    for op in public_functions(result):
        known |= dict.fromkeys(_expect(op, sizes))
    for name in sizes:
        if name not in known:
            hint = nearest(name, known) or f" (there are: {', '.join(known) or 'none'})"
            raise OptionError(f"sizes: no function has the size '{name}'{hint}")
    return result


def _expect(function: FuncOp, sizes: Mapping[str, int]) -> list[str]:
    """Give arguments of a function their sizes; returns the names of all its sizes."""
    names: list[str] = []
    found: dict[int, dict[str, Attribute]] = {}
    parameters = signature_of(function).parameters
    for argument, parameter in zip(function.body.block.args, parameters, strict=False):
        if isinstance(parameter, ArrayParameter):
            extents = [extent_name(parameter.name, n) for n in range(len(parameter.type.extents))]
            names += extents
            if not sizes.keys().isdisjoint(extents):
                known = expected_extents(argument) or (None,) * len(extents)
                pairs = zip(extents, known, strict=True)
                stated = extents_attribute(sizes.get(name, size) for name, size in pairs)
                found[argument.index] = {SIZES: stated}
        elif not parameter.type.is_float:
            names.append(parameter.name)
            if parameter.name in sizes:
                found[argument.index] = {SIZE: size_attribute(sizes[parameter.name])}
    expect(function, found)
    return names
