"""Which elements of memory an operation reads and writes: one description for all dialects.

The loads and stores of `affine`, `memref` and `vector` are known here. An operation of another
package describes itself by a trait, and is then raised and scheduled as they are:

    class _Accesses(AccessesMemory):
        def accesses(self, op: Operation) -> tuple[MemoryAccess, ...]:
            return (MemoryAccess(op, op.operands[0], tuple(op.operands[1:]), is_write=True),)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import islpy as isl
from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import AffineMapAttr, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.traits import OpTrait

from polyir.base.walks import operations_in
from polyir.model.affine import IndexReader
from polyir.model.index_expressions import IndexExpression, compose

ElementLoad = affine.LoadOp | memref.LoadOp
ElementStore = affine.StoreOp | memref.StoreOp
ElementAccess = ElementLoad | ElementStore
"""The loads and stores of one element, where a pass changes or removes the operation."""


class MemoryAccess(NamedTuple):
    """An access of `op` to elements of `memref`.

    The subscripts are the results of `map` for `indices`, or `indices` themselves. They are those
    of the first element: along the last dimensions, as many follow as `extents` says. Without
    `is_write`, the access reads; with `is_certain`, it happens whenever `op` is executed.
    """

    op: Operation
    memref: SSAValue
    indices: Sequence[SSAValue]
    map: AffineMap | None = None
    is_write: bool = False
    extents: tuple[int, ...] = ()
    is_certain: bool = True

    @property
    def rank(self) -> int:
        """The number of subscripts."""
        return len(self.indices if self.map is None else self.map.results)

    @property
    def value(self) -> SSAValue:
        """What a load or store of `affine`, `memref` or `vector` loads or stores."""
        return self.op.operands[_FORMS[self.op.name][1]] if self.is_write else self.op.results[0]

    def read(self, reader: IndexReader) -> list[isl.PwAff]:
        """The subscripts as `reader` reads them; raises `NotAffineError`."""
        if self.map is None:
            return [reader.read(index) for index in self.indices]
        return reader.read_map(self.map, self.indices)

    def subscripts(
        self, of: Callable[[SSAValue], IndexExpression] = IndexExpression.of
    ) -> tuple[IndexExpression, ...]:
        """The subscripts, where an index is what `of` says; raises `NotAffineError`."""
        indices = [of(index) for index in self.indices]
        return tuple(indices) if self.map is None else compose(self.map, indices)

    def move(
        self, memref: SSAValue, indices: Sequence[SSAValue], map: AffineMap | None = None
    ) -> None:
        """Let `op` access another element here, and in other accesses of the same one."""
        operands, own = tuple(self.op.operands), (self.memref, *self.indices)
        for start in range(len(operands)):
            if operands[start : start + len(own)] == own:
                rest = operands[start + len(own) :]
                self.op.operands = (*operands[:start], memref, *indices, *rest)
                break
        if map is not None:
            self.op.properties["map"] = AffineMapAttr(map)


class AccessesMemory(OpTrait, ABC):
    """The trait of an operation that accesses memory in no other way than it says.

    Among the operands, the subscripts come right after the memref. A map is the property `map`.
    """

    @abstractmethod
    def accesses(self, op: Operation) -> tuple[MemoryAccess, ...]:
        """The accesses of `op`; it reads before it writes."""


def accesses_of(op: Operation) -> tuple[MemoryAccess, ...]:
    """The accesses of a load, a store, or another operation that describes its accesses."""
    form = _FORMS.get(op.name)
    if form is None:
        trait = _trait_of(type(op))
        return () if trait is None else trait.accesses(op)
    position, stored, is_masked = form
    operands, map = op.operands, op.properties.get("map")
    is_write = op.name.endswith("store")
    extents: tuple[int, ...] = ()
    if "vector" in op.name:
        vector = (operands[stored] if is_write else op.results[0]).type
        extents = vector.get_shape() if isinstance(vector, VectorType) else ()
    return (
        MemoryAccess(
            op,
            operands[position],
            tuple(operands[position + 1 : -2 if is_masked else None]),
            map.data if isinstance(map, AffineMapAttr) else None,
            is_write,
            extents,
            not is_masked,
        ),
    )


def access_of(op: Operation) -> MemoryAccess | None:
    """The only access of a load or store of `affine`, `memref` or `vector`."""
    return accesses_of(op)[0] if op.name in _FORMS else None


def load_of(value: SSAValue) -> MemoryAccess | None:
    """The load that has `value` as its result, if it is one."""
    return access_of(value.owner) if isinstance(value.owner, Operation) else None


def is_load(op: Operation) -> bool:
    """Whether reading is all that an operation does to memory."""
    accesses = accesses_of(op)
    return bool(accesses) and not any(access.is_write for access in accesses)


def accesses_in(code: Operation | Block) -> Iterator[MemoryAccess]:
    """The accesses of an operation and of what is inside it, or of a block."""
    for inner in operations_in(code) if isinstance(code, Operation) else code.walk():
        yield from accesses_of(inner)


# By name: the dialect of vectors takes a while to import.
_FORMS = {
    "affine.load": (0, 0, False),
    "affine.store": (1, 0, False),
    "affine.vector_load": (0, 0, False),
    "affine.vector_store": (1, 0, False),
    "memref.load": (0, 0, False),
    "memref.store": (1, 0, False),
    "vector.load": (0, 0, False),
    "vector.store": (1, 0, False),
    "vector.maskedload": (0, 0, True),
    "vector.maskedstore": (0, -1, True),
}
"""The positions of the memref, before the subscripts, and of what is stored; is there a mask?"""


@cache
def _trait_of(kind: type[Operation]) -> AccessesMemory | None:
    return kind.get_trait(AccessesMemory)
