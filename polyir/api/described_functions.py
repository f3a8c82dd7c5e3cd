"""What the functions of a module require of their arguments, wherever it is said best."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import PolyirError, remarks_to
from polyir.dialects.scop import ScopOp
from polyir.passes.poly_raise import PolyRaisePass
from polyir.runtime.functions import public_functions
from polyir.target.abi import calls_mpi


def functions_with_scops(module: ModuleOp, origin: ModuleOp | None = None) -> dict[str, FuncOp]:
    """For each public function of `module`, one with the same parameters that has scops.

    It is the function itself, or the one of `origin` that has its name, or else the function with
    its loops raised. Functions that cannot be raised are left out.
    """
    found: dict[str, FuncOp] = {}
    missing = [*public_functions(module)]
    for candidate in _candidates(module, origin):
        if not missing:
            break
        functions = candidate()
        for op in missing:
            name = op.sym_name.data
            # A pass may add arguments, tile sizes, at the end.
            inputs = op.function_type.inputs.data
            given = functions[name].function_type.inputs.data if name in functions else None
            if given is not None and given == inputs[: len(given)]:
                found[name] = functions[name]
        missing = [op for op in missing if op.sym_name.data not in found]
    return found


def described_functions(module: ModuleOp, origin: ModuleOp | None) -> dict[str, FuncOp]:
    """For each public function of `module`, one that says best what it requires.

    It is that with scops, or else the one of `origin`, which has not been lowered yet.
    """
    if calls_mpi(module):
        return functions_with_scops(module, origin)
    found = {op.sym_name.data: op for op in public_functions(module)}
    for op in public_functions(origin) if origin is not None else ():
        name, inputs = op.sym_name.data, op.function_type.inputs.data
        if name in found and found[name].function_type.inputs.data[: len(inputs)] == inputs:
            found[name] = op
    return found | functions_with_scops(module, origin)


def _candidates(
    module: ModuleOp, origin: ModuleOp | None
) -> Iterator[Callable[[], dict[str, FuncOp]]]:
    """Functions with scops, by name, best first: raising takes time, and is seldom needed."""
    for_ranks = calls_mpi(module)
    if not for_ranks:
        yield lambda: _raised_functions(module, only_scops=True)
    if origin is not None and not (for_ranks and calls_mpi(origin)):
        yield lambda: _raised_functions(origin)
    if not for_ranks:
        yield lambda: _raised_functions(module)


def _raised_functions(module: ModuleOp, only_scops: bool = False) -> dict[str, FuncOp]:
    """The functions of `module` that have scops, raised unless `only_scops`, by name."""
    if not only_scops:
        module = module.clone()
        with remarks_to(lambda _: None):
            for op in public_functions(module):
                with suppress(PolyirError):
                    PolyRaisePass().raise_loops(op)
    return {op.sym_name.data: op for op in public_functions(module) if _has_scops(op)}


def _has_scops(function: FuncOp) -> bool:
    return any(isinstance(op, ScopOp) for op in function.walk())
