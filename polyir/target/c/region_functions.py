"""How the functions that the statements of a region call get their arrays.

Arrays of the region have the sizes that the file gives them, which are not known here. So these
functions take plain pointers for them, and the usual pointers and extents for all other arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from polyir.model.memory_accesses import is_load
from polyir.target.abi import Scalar, symbol_of
from polyir.target.c.function import PlainPointer

PlainPointers = Mapping[str, Mapping[int, PlainPointer]]
"""For each function, by its symbol, the parameters that are plain pointers."""


def plain_pointers(
    kernel: func.FuncOp, functions: Sequence[func.FuncOp], types: Mapping[SSAValue, Scalar]
) -> PlainPointers:
    """The parameters of `functions` that get arrays of the region, whose elements have `types`."""
    return _Finder(functions).found(kernel, types)


class _Finder:
    def __init__(self, functions: Sequence[func.FuncOp]) -> None:
        self._functions = {op.sym_name.data: op for op in functions}
        self._found: dict[str, dict[int, PlainPointer]] = {}

    def found(self, kernel: func.FuncOp, types: Mapping[SSAValue, Scalar]) -> PlainPointers:
        self._add(kernel, types)
        return self._found

    def _add(self, caller: func.FuncOp, types: Mapping[SSAValue, Scalar]) -> None:
        for op in caller.walk():
            callee = (
                self._functions.get(symbol_of(op.callee)) if isinstance(op, func.CallOp) else None
            )
            if callee is None or not isinstance(op, func.CallOp):
                continue
            inner: dict[SSAValue, Scalar] = {}
            found = self._found.setdefault(callee.sym_name.data, {})
            for argument, own in zip(op.arguments, callee.body.block.args, strict=True):
                if argument in types and isinstance(argument.type, MemRefType):
                    inner[own] = types[argument]
                    found[own.index] = PlainPointer(types[argument], not self._is_written(own))
            self._add(callee, inner)

    def _is_written(self, memory: SSAValue) -> bool:
        """Whether something else than a read is done with an argument."""
        for use in memory.uses:
            op = use.operation
            callee = (
                self._functions.get(symbol_of(op.callee)) if isinstance(op, func.CallOp) else None
            )
            if callee is not None:
                if self._is_written(callee.body.block.args[use.index]):
                    return True
            elif not is_load(op):
                return True
        return False
