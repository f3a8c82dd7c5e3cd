"""Functions that count the elements of a message, and copy them to or from it.

A set of elements is cut into disjoint pieces without a union, and a piece into rows: elements that
differ in their last subscript only, and have all its values in an interval. A loop nest visits the
rows of a piece, so that counting takes time for each row, not for each element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.ir import Attribute, SSAValue

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.distributed.functions import Functions, LocalPart, Outlined
from polyir.distributed.scan import bounds, row_of, scan
from polyir.loops.code import Code
from polyir.sets.hulls import coalesced
from polyir.sets.lists import basic_sets_of, parameters_of, pieces_of

COUNT, PACK, UNPACK = range(3)
"""What a function for a transfer does with the elements."""


@dataclass(frozen=True)
class Transfer:
    """Elements of one type that go from rank to rank in one message, in one order.

    `function` takes the message, the place there of the first element, and what to do; it returns
    the place after the last element. Elements whose places are outside of the message are left out,
    so that a long message can be sent in pieces.
    """

    element: Attribute
    function: Outlined

    def count(
        self, code: Code, values: Mapping[str, SSAValue], parts: Mapping[str, LocalPart]
    ) -> SSAValue:
        """Add code for the number of elements."""
        return self.copy(code, values, parts, (None, 0), COUNT)

    def copy(
        self,
        code: Code,
        values: Mapping[str, SSAValue],
        parts: Mapping[str, LocalPart],
        message: tuple[SSAValue | None, SSAValue | int],
        action: int,
        more: Sequence[SSAValue] = (),
    ) -> SSAValue:
        """Add code that copies the elements to or from a place in a message.

        `message` has the buffer, which counting needs not, and the place; `more` are the further
        arguments of the function. Returns the place after the last element.
        """
        buffer, start = message
        if buffer is None:
            buffer = no_memory(code, self.element)
        first = code.constant(start) if isinstance(start, int) else start
        others = [buffer, first, code.constant(action), *more]
        (end,) = self.function.call(code, values, parts, others)
        return end


def no_memory(code: Code, element: Attribute, rank: int = 1) -> SSAValue:
    """Add code for memory that is not used, as an argument."""
    nothing = memref.AllocaOp.get(element, shape=[1] * rank)
    code.add(nothing)
    type = MemRefType(element, [DYNAMIC_INDEX] * rank)
    memory: SSAValue = nothing.memref
    if rank:
        cast = memref.CastOp.get(memory, type)
        code.add(cast)
        memory = cast.dest
    return memory


def transfer(
    functions: Functions,
    name: str,
    sets: Mapping[str, isl.Set],
    element: Attribute,
    writers: Mapping[str, Sequence[isl.Map]] | None = None,
) -> Transfer:
    """Add a function for elements of arrays, which are all of one type.

    `writers` has `{ S[i] -> A[x] }` for each array: instances that stand for the elements, one for
    each. They are visited where a set of elements is too hard for isl.
    """
    function = outlined_transfer(functions, name, sets, element, writers, Copier)
    return Transfer(element, function)


def outlined_transfer(
    functions: Functions,
    name: str,
    sets: Mapping[str, isl.Set],
    element: Attribute,
    writers: Mapping[str, Sequence[isl.Map]] | None,
    copier_of: type[Copier],
    more: Sequence[Attribute] = (),
) -> Outlined:
    """A function that has a copier visit all rows; `more` are types of more arguments."""
    stand = {} if writers is None else {each: writers.get(each, ()) for each in sets}
    outlined, values, parts, others, code = functions.begin(
        f"transfer_{name}",
        _parameters(functions, [*sets.values(), *(m.domain() for v in stand.values() for m in v)]),
        list(sets),
        [MemRefType(element, [DYNAMIC_INDEX]), IndexType(), IndexType(), *more],
        [IndexType()],
    )
    copier = copier_of(code, values, others, parts)
    context = functions.context(values)
    for array, elements in sets.items():
        for items in _items(elements, stand.get(array, ())):
            copier.copy(code, items, array, context)
    code.add(func.ReturnOp(code.load(copier.cell)))
    return outlined


def _parameters(functions: Functions, sets: Sequence[isl.Set]) -> tuple[str, ...]:
    """The parameters that sets depend on, those of the scop first."""
    used = {name for each in sets for name in _involved(each)}
    own = [name for name in functions.scop_parameters if name in used]
    return (*own, *sorted(used.difference(own)))


def _involved(elements: isl.Set) -> list[str]:
    return [
        name
        for position, name in enumerate(parameters_of(elements.get_space()))
        if elements.involves_dims(isl.dim_type.param, position, 1)
    ]


@dataclass(frozen=True)
class _Items:
    """A piece of a set, and the element of an array that each of its points stands for."""

    points: isl.Set
    elements: tuple[isl.Aff, ...]

    @property
    def has_rows(self) -> bool:
        """Whether neighbours along the last dimension stand for neighbours in a row."""
        rank = self.points.dim(isl.dim_type.set)
        if not rank:
            return False
        strides = [
            each.get_coefficient_val(isl.dim_type.in_, rank - 1).to_python()
            for each in self.elements
        ]
        return strides == [0] * (len(strides) - 1) + [1]


def _items(elements: isl.Set, writers: Sequence[isl.Map]) -> list[_Items]:
    """Disjoint pieces of the elements of an array, or of the instances that stand for them."""
    functions = [_function(each) for each in writers]

    def pieces() -> list[_Items]:
        identity = isl.MultiAff.identity_on_domain_space(elements.get_space())
        return [_Items(each, _components(identity)) for each in disjoint_pieces(elements)]

    if not functions or any(each is None for each in functions):
        return pieces()
    found = within_operations(budgets.DISTRIBUTED_SET, pieces)
    if found is not None:
        return found
    return [
        _Items(piece, _components(function))
        for map, function in zip(writers, functions, strict=True)
        if function is not None
        for piece in disjoint_pieces(map.domain())
    ]


def _function(map: isl.Map) -> isl.MultiAff | None:
    """A map as an affine function without division, if it is one."""
    if not map.is_single_valued():
        return None
    pieces = pieces_of(isl.PwMultiAff.from_map(map))
    first = pieces[0][1]
    if any(not each.plain_is_equal(first) for _, each in pieces):
        return None
    is_simple = all(
        not each.dim(isl.dim_type.div) and each.get_denominator_val().is_one()
        for each in _components(first)
    )
    return first if is_simple else None


def _components(function: isl.MultiAff) -> tuple[isl.Aff, ...]:
    return tuple(function.get_at(place) for place in range(function.dim(isl.dim_type.out)))


def disjoint_pieces(elements: isl.Set) -> list[isl.Set]:
    """Basic sets that have the elements, each element once."""
    hull = isl.Set.from_basic_set(elements.simple_hull())
    if hull.is_subset(elements):
        return [hull]
    pieces = basic_sets_of(coalesced(elements.make_disjoint()))
    return [isl.Set.from_basic_set(piece) for piece in pieces]


class Copier:
    """Adds loops that copy rows, to or from the place in a message that `cell` has."""

    def __init__(
        self,
        code: Code,
        values: Mapping[str, SSAValue],
        others: Sequence[SSAValue],
        parts: Mapping[str, LocalPart],
    ) -> None:
        for value, hint in zip(others, ("message", "start", "action"), strict=False):
            value.name_hint = hint
        self.message, start, action, *self.more = others
        self.values, self.parts = values, parts
        self.cell = code.cell("place")
        code.store(start, self.cell)
        self.is_packed, self.is_unpacked = (
            code.compared(action, "eq", each) for each in (PACK, UNPACK)
        )

    def copy(self, code: Code, items: _Items, array: str, context: isl.Set) -> None:
        """Add loops over the rows of a piece, for parameters in `context`."""
        points = items.points.gist_params(context)
        rank = points.dim(isl.dim_type.set)
        row = row_of(points) if items.has_rows else None
        starts = points if row is None else points.project_out(isl.dim_type.set, rank - 1, 1)
        names = [f"x{position}" for position in range(starts.dim(isl.dim_type.set))]

        def visit(body: Code, start: Sequence[SSAValue]) -> None:
            point, length = list(start), body.constant(1)
            if row is not None:
                first, last = bounds(body, row, start, self.values)
                length = body.sum(body.difference(last, first), 1)
                point.append(first)
            subscripts = [self._affine(body, each, point) for each in items.elements]
            self.copy_row(body, array, subscripts, length)

        scan(code, starts, names, self.values, visit)

    def _affine(self, code: Code, function: isl.Aff, point: Sequence[SSAValue]) -> SSAValue:
        """An affine function, without division, of a point."""
        names = parameters_of(function.get_domain_space())
        terms = [
            *(
                (isl.dim_type.param, place, self.values.get(each))
                for place, each in enumerate(names)
            ),
            *((isl.dim_type.in_, place, each) for place, each in enumerate(point)),
        ]
        constant = int(function.get_constant_val().to_python())
        total: SSAValue | None = None
        for kind, place, value in terms:
            coefficient = int(function.get_coefficient_val(kind, place).to_python())
            if not coefficient:
                continue
            assert value is not None
            term = code.product(value, coefficient)
            total = term if total is None else code.sum(total, term)
        return code.constant(constant) if total is None else code.sum(total, constant)

    def places(self, code: Code, array: str, subscripts: Sequence[SSAValue]) -> list[SSAValue]:
        """Where an element is in the memory for a part."""
        offsets = self.parts[array].offsets
        return [code.difference(*each) for each in zip(subscripts, offsets, strict=True)]

    def copy_row(
        self, code: Code, array: str, subscripts: Sequence[SSAValue], length: SSAValue
    ) -> None:
        """Copy a row if that is what to do, and go on to the place after it."""
        memory, first_element = self.parts[array].memory, self.places(code, array, subscripts)
        place = code.load(self.cell)
        packed, unpacked = (
            code.choice(condition, length, code.constant(0))
            for condition in (self.is_packed, self.is_unpacked)
        )
        first = code.maximum(code.difference(code.constant(0), place), 0)
        room = code.difference(code.extent(self.message, 0), place)
        packed, unpacked = (code.minimum(each, room) for each in (packed, unpacked))
        with code.loop("e", first, packed) as (body, number):
            value = body.load(memory, *along_row(body, first_element, number))
            body.store(value, self.message, body.sum(place, number))
        with code.loop("e", first, unpacked) as (body, number):
            value = body.load(self.message, body.sum(place, number))
            body.store(value, memory, *along_row(body, first_element, number))
        code.store(code.sum(place, length), self.cell)


def along_row(code: Code, first: Sequence[SSAValue], number: SSAValue) -> list[SSAValue]:
    """The subscripts of an element of a row, from those of the first one."""
    return [*first[:-1], *(code.sum(each, number) for each in first[-1:])]
