"""Vectors of neighbouring elements that a thread of a GPU loads or stores at once.

Their address must be a multiple of their size. Arrays begin at such an address: so do allocations
of CUDA and OpenCL, and local arrays say their alignment. So it is the number of the first element
that decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Final

import islpy as isl
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FixedBitwidthType,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    VectorType,
)

from polyir.model.memory_accesses import access_of
from polyir.model.statements import Access, Statement
from polyir.sets.values import isl_value

VECTOR_BYTES: Final = 16
"""The size of the longest loads and stores of a thread."""


def vector_width(type: MemRefType) -> int:
    """How many elements of an array a thread loads at once; 1 if there are no such vectors."""
    element = type.element_type
    if not isinstance(element, Float32Type | Float64Type | IntegerType):
        return 1
    return {32: 4, 64: 2}.get(element.bitwidth, 1)


def elements_form_vectors(type: MemRefType) -> bool:
    """Whether successive elements of an array can be loaded and stored as one vector.

    Truth values take a byte each in memory, and a bit in a vector. Elements that are vectors
    themselves form none.
    """
    element = type.element_type
    if isinstance(element, IntegerType):
        return element.bitwidth in (8, 16, 32, 64)
    return isinstance(element, AnyFloat | IndexType)


def has_vectors(statement: Statement) -> bool:
    """Whether the elements of all arrays that a statement accesses form vectors.

    Those that a loop in the statement accesses do not.
    """
    if statement.has_loops:
        return False
    operands = (each for access in statement.accesses for each in access.operation.operands)
    types = {each.type for each in operands if isinstance(each.type, MemRefType)}
    return all(map(elements_form_vectors, types))


def vector_of(access: Access) -> VectorType | None:
    """The type of the vector that an access loads or stores; `None` if it is of one element."""
    own = access_of(access.operation)
    type = own.value.type if own is not None and own.extents else None
    return type if isinstance(type, VectorType) else None


def first_elements(access: Access) -> isl.Map:
    """`{ S[i] -> A[a] }`: the element of an access; of a vector, the first one."""
    return access.relation if vector_of(access) is None else access.relation.lexmin()


def element_bytes(type: MemRefType) -> int:
    """The bytes of an element of an array."""
    element = type.element_type
    bits = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    return -(-bits // 8)


def element_number(space: isl.Space, type: MemRefType) -> isl.PwAff | None:
    """`{ [..., a] -> [n] }`: how many elements are in front of A[a] in memory.

    The last dimensions of `space` are the subscripts. `None` if that depends on unknown extents.
    """
    shape = type.get_shape()
    if not isinstance(type.layout, NoneAttr) or DYNAMIC_INDEX in shape[1:]:
        return None
    strides = _strides(shape)
    first = space.dim(isl.dim_type.set) - len(shape)
    number = isl.Aff.zero_on_domain(space)
    for position, stride in enumerate(strides):
        number = number.set_coefficient_val(isl.dim_type.in_, first + position, isl_value(stride))
    return isl.PwAff.from_aff(number)


def _strides(shape: Sequence[int]) -> list[int]:
    """The strides of the dimensions, in rows; the outermost extent does not matter."""
    return [*accumulate([1, *reversed(shape[1:])], mul)][::-1]


def aligned(number: isl.PwAff, width: int) -> isl.Set:
    """Where the number of an element is a multiple of the width of vectors."""
    return number.mod_val(isl_value(width)).zero_set()
