"""The extents of memrefs that stand for pointers of C, as far as they are known.

Constant ones are in the type. Of others, a pragma may say how they follow from arguments of the
function: `polyir.extents = affine_map<(d0, d1) -> (d0 + 1)>` is an extent of one more than the
first argument.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineMap

from polyir.dialects.index_arrays import EXTENTS
from polyir.irregular.extents import Extent
from polyir.irregular.slices import Values
from polyir.loops.code import Code
from polyir.loops.loop_forms import computed
from polyir.model.index_expressions import IndexExpression, compose
from polyir.model.raising.context import shape_of


def stated_extents(code: Code, memory: SSAValue, values: Values) -> list[Extent | None]:
    """The extents of a memref in an inspector, in which `values` stand for those of the program."""
    found: list[Extent | None] = []
    map = _map(memory)
    expressions: Sequence[IndexExpression] = ()
    if map is not None:
        arguments = (values.get(each, each) for each in _arguments(memory, map))
        expressions = compose(map, [IndexExpression.of(each) for each in arguments])
    for dimension, size in enumerate(shape_of(memory)):
        if size != DYNAMIC_INDEX:
            found.append(Extent(code.constant(size)))
        elif dimension < len(expressions):
            found.append(Extent(computed(expressions[dimension], False, code.builder)))
        else:
            found.append(None)
    return found


def is_checkable(memory: SSAValue) -> bool:
    """Whether an extent of a memref is known."""
    return _map(memory) is not None or any(size != DYNAMIC_INDEX for size in shape_of(memory))


def sources_of_extents(memory: SSAValue) -> tuple[SSAValue, ...]:
    """The arguments that the extents of a memref follow from."""
    map = _map(memory)
    if map is None:
        return ()
    used = {dimension for result in map.results for dimension in result.used_dims()}
    return tuple(each for number, each in enumerate(_arguments(memory, map)) if number in used)


def _map(memory: SSAValue) -> AffineMap | None:
    owner = memory.owner
    function = owner.parent_op() if isinstance(owner, Block) else None
    if not isinstance(function, func.FuncOp) or function.arg_attrs is None:
        return None
    assert isinstance(memory, BlockArgument)
    attribute = function.arg_attrs.data[memory.index].data.get(EXTENTS)
    return attribute.data if isinstance(attribute, AffineMapAttr) else None


def _arguments(memory: SSAValue, map: AffineMap) -> Sequence[SSAValue]:
    """The arguments that a map is about; passes may have added others after them."""
    assert isinstance(memory.owner, Block)
    return memory.owner.args[: map.num_dims]
