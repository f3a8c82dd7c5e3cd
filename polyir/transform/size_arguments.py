"""Tile sizes as further arguments of the function around a scop."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, IndexType, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue

from polyir.diagnostics import LegalityError, location_of
from polyir.dialects.isl_attributes import SetAttr
from polyir.dialects.scop import ScopOp
from polyir.isl_lists import parameters_of
from polyir.model.scop import Scop, scop_of
from polyir.model.symbolic_tiles import all_tiles

MOST_SIZES = 32
"""More than any band has loops."""


def free_size_names(scop: Scop) -> tuple[str, ...]:
    """Names `T0`, `T1`, ... for tile sizes of a scop, without those that its function uses.

    Two scops of one function get the same names as long as neither has its tiles.
    """
    taken = {*scop.op.parameter_values, *parameters_of(scop.context.get_space())}
    taken |= {value.name_hint or "" for value in _values_of(scop.op.function)}
    names = (f"T{number}" for number in range(MOST_SIZES + len(taken)))
    return tuple(name for name in names if name not in taken)[:MOST_SIZES]


def _values_of(function: FuncOp | None) -> Iterator[SSAValue]:
    for op in () if function is None else function.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def require_extensible(scop: ScopOp) -> None:
    """Raise `LegalityError` if the function around `scop` cannot take further arguments.

    There must be a function, and no call of it in its module: calls would not pass tile sizes.
    """
    function = scop.function
    if function is None:
        raise LegalityError("tile sizes must be arguments of a function, and the scop is in none")
    module = function.parent_op()
    for op in () if module is None else module.walk():
        if isinstance(op, CallOp) and op.callee.root_reference == function.sym_name:
            raise LegalityError(
                f"@{function.sym_name.data} cannot take tile sizes as arguments: it is called in "
                "its module",
                location_of(op),
            )


def declare_sizes(scop: ScopOp) -> tuple[str, ...]:
    """Give a scop parameters for all sizes of its tiles that it has no parameters for yet.

    Their values are arguments of the function around it, of type index, which are added after
    the others unless a scop of the function has them. Returned are the names.
    """
    sizes = (size for tiles in all_tiles(scop_of(scop).schedule.get_root()) for size in tiles.sizes)
    names = [name for name in dict.fromkeys(sizes) if name not in scop.parameter_values]
    if not names:
        return ()
    function = scop.function
    assert function is not None
    values = [_argument(function, name) for name in names]
    scop.operands = (*scop.operands, *values)
    known = scop.parameter_names.data
    scop.parameter_names = ArrayAttr([*known, *map(StringAttr, names)])
    anything = isl.Set(f"[{', '.join(names)}] -> {{ : }}")
    scop.context = SetAttr(scop.context.data.align_params(anything.get_space()))
    return tuple(names)


def _argument(function: FuncOp, name: str) -> SSAValue:
    """The argument of that name, added if there is none."""
    block = function.body.blocks[0]
    for argument in block.args:
        if argument.name_hint == name:
            return argument
    added = block.insert_arg(IndexType(), len(block.args))
    added.name_hint = name
    kind = function.function_type
    function.function_type = FunctionType.from_lists([*kind.inputs, IndexType()], [*kind.outputs])
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr([*function.arg_attrs, DictionaryAttr({})])
    return added
