"""Functions that count the elements of a message, and copy them to or from it.

A set of elements is cut into disjoint pieces without a union, and a piece into rows: elements that
differ in their last subscript only, and have all its values in an interval. A loop nest visits the
rows of a piece, so that counting takes time for each row, not for each element.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, UnitAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.codegen.ast_build import expression_of
from polyir.codegen.ast_expressions import AstExpressionReader
from polyir.dialects.scop import KEEPS_LOOPS, StmtOp
from polyir.distributed.functions import Functions, Outlined, Part
from polyir.irregular.code import Code
from polyir.isl_lists import basic_sets_of, parameters_of, pieces_of
from polyir.isl_names import unique_name
from polyir.limits import within_operations
from polyir.model.index_expressions import IndexExpression
from polyir.model.tree import tree_from_schedule

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
        self, code: Code, values: Mapping[str, SSAValue], parts: Mapping[str, Part]
    ) -> SSAValue:
        """Add code for the number of elements."""
        nothing = memref.AllocaOp.get(self.element, shape=[1])
        message = memref.CastOp.get(nothing.memref, MemRefType(self.element, [DYNAMIC_INDEX]))
        code.add(nothing)
        code.add(message)
        return self.copy(code, values, parts, (message.dest, 0), COUNT)

    def copy(
        self,
        code: Code,
        values: Mapping[str, SSAValue],
        parts: Mapping[str, Part],
        message: tuple[SSAValue, SSAValue | int],
        action: int,
    ) -> SSAValue:
        """Add code that copies the elements to or from a place in a message.

        Returns the place after the last element.
        """
        buffer, start = message
        first = code.constant(start) if isinstance(start, int) else start
        others = [buffer, first, code.constant(action)]
        (end,) = self.function.call(code, values, parts, others)
        return end


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
    stand = {} if writers is None else {each: writers.get(each, ()) for each in sets}
    outlined, values, parts, others, code = functions.begin(
        f"transfer_{name}",
        _parameters(functions, [*sets.values(), *(m.domain() for v in stand.values() for m in v)]),
        list(sets),
        [MemRefType(element, [DYNAMIC_INDEX]), IndexType(), IndexType()],
        [IndexType()],
    )
    for value, hint in zip(others, ("message", "start", "action"), strict=True):
        value.name_hint = hint
    message, start, action = others
    cell = code.cell("place")
    code.store(start, cell)
    is_packed, is_unpacked = (code.compared(action, "eq", each) for each in (PACK, UNPACK))
    copier = _Copier(values, message, cell, is_packed, is_unpacked)
    for array, elements in sets.items():
        pieces, are_elements = _items(elements, stand.get(array, ()))
        # isl takes long for many pieces of instances at once.
        for group in [pieces] if are_elements else [[piece] for piece in pieces]:
            scop = functions.scop_op(values)
            scop.attributes[KEEPS_LOOPS] = UnitAttr()
            schedules: list[isl.Schedule] = []
            for number, items in enumerate(group):
                statement = copier.statement(f"Row{number}", items, parts[array], scop.context.data)
                scop.body.block.add_op(statement)
                schedules.append(_in_order(statement.domain.data))
            scop.body.block.add_op(tree_from_schedule(reduce(isl.Schedule.sequence, schedules)))
            code.add(scop)
    code.add(func.ReturnOp(code.load(cell)))
    return Transfer(element, outlined)


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


_OPERATIONS = 200_000
"""How many of its operations isl may take for the pieces of a set of elements."""


def _items(elements: isl.Set, writers: Sequence[isl.Map]) -> tuple[list[_Items], bool]:
    """Disjoint pieces of the elements of an array, or of the instances that stand for them.

    The second result says whether they are elements.
    """
    functions = [_function(each) for each in writers]

    def pieces() -> list[_Items]:
        identity = isl.MultiAff.identity_on_domain_space(elements.get_space())
        return [_Items(each, _components(identity)) for each in disjoint_pieces(elements)]

    if not functions or any(each is None for each in functions):
        return pieces(), True
    found = within_operations(_OPERATIONS, pieces)
    if found is not None:
        return found, True
    instances = [
        _Items(piece, _components(function))
        for map, function in zip(writers, functions, strict=True)
        if function is not None
        for piece in disjoint_pieces(map.domain())
    ]
    return instances, False


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
    pieces = basic_sets_of(elements.make_disjoint().coalesce())
    return [isl.Set.from_basic_set(piece) for piece in pieces]


@dataclass(frozen=True)
class Rows:
    """A set of points as intervals, which start in the places of `starts`.

    `starts` is `{ [x] }` without the last coordinate, which goes from `first` to `last`, functions
    of the parameters and those that `names` gives the coordinates x. If points are no intervals
    of the last coordinate, `starts` has all coordinates, and there are no ends.
    """

    starts: isl.Set
    names: tuple[str, ...]
    ends: tuple[isl.PwAff, isl.PwAff] | None


def rows_of(points: isl.Set, in_rows: bool = True) -> Rows:
    """The rows of a set of points; each point is one if `in_rows` is false."""
    rank = points.dim(isl.dim_type.set)
    taken = set(parameters_of(points.get_space()))
    names = tuple(unique_name(f"x{position}", taken) for position in range(rank))
    for position, name in enumerate(names):
        points = points.set_dim_name(isl.dim_type.set, position, name)
    if not in_rows or not rank:
        return Rows(points, names, None)
    starts = points.project_out(isl.dim_type.set, rank - 1, 1)
    row = points.reset_tuple_id()
    count = row.dim(isl.dim_type.param)
    row = row.move_dims(isl.dim_type.param, count, isl.dim_type.set, 0, rank - 1)
    ends = row.dim_min(0).coalesce(), row.dim_max(0).coalesce()
    first, last = (isl.Set.from_pw_aff(end) for end in ends)
    after, before = isl.Map("{ [e] -> [x] : x >= e }"), isl.Map("{ [e] -> [x] : x <= e }")
    if first.apply(after).intersect(last.apply(before)).is_subset(row):
        return Rows(starts, names[:-1], ends)
    return Rows(points, names, None)


class _Copier:
    """Makes statements that copy a row, to or from the place in a message that `cell` has."""

    def __init__(
        self,
        values: Mapping[str, SSAValue],
        message: SSAValue,
        cell: SSAValue,
        is_packed: SSAValue,
        is_unpacked: SSAValue,
    ) -> None:
        self._values, self._message, self._cell = values, message, cell
        self._is_packed, self._is_unpacked = is_packed, is_unpacked

    def statement(self, name: str, items: _Items, part: Part, context: isl.Set) -> StmtOp:
        """A row of the elements of an array: there is an instance for each."""
        rows = rows_of(items.points, items.has_rows)
        block = Block(arg_types=[IndexType()] * len(rows.names))
        for argument, hint in zip(block.args, rows.names, strict=True):
            argument.name_hint = hint
        code = Code(InsertPoint.at_end(block))
        point: list[SSAValue] = list(block.args)
        length = code.constant(1)
        if rows.ends is not None:
            known = {**self._values, **dict(zip(rows.names, block.args, strict=True))}
            around = _as_parameters(rows.starts).intersect(context)
            first, last = (_value(code, end, around, known) for end in rows.ends)
            length = code.sum(code.difference(last, first), 1)
            point.append(first)
        subscripts = [
            code.difference(self._affine(code, each, point), offset)
            for each, offset in zip(items.elements, part.offsets, strict=True)
        ]
        self._copy(code, part.memory, subscripts, length)
        domain = rows.starts.set_tuple_name(name).drop_unused_params()
        return StmtOp(name, domain, Region(block))

    def _affine(self, code: Code, function: isl.Aff, point: Sequence[SSAValue]) -> SSAValue:
        """An affine function, without division, of a point."""
        names = parameters_of(function.get_domain_space())
        terms = [
            *(
                (isl.dim_type.param, place, self._values.get(each))
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

    def _copy(
        self, code: Code, memory: SSAValue, subscripts: Sequence[SSAValue], length: SSAValue
    ) -> None:
        """Copy a row if that is what to do, and go on to the place after it."""
        place = code.load(self._cell)

        def element(body: Code, number: SSAValue) -> list[SSAValue]:
            return [*subscripts[:-1], *(body.sum(each, number) for each in subscripts[-1:])]

        packed, unpacked = (
            code.choice(condition, length, code.constant(0))
            for condition in (self._is_packed, self._is_unpacked)
        )
        first = code.maximum(code.difference(code.constant(0), place), 0)
        room = code.difference(code.extent(self._message, 0), place)
        packed, unpacked = (code.minimum(each, room) for each in (packed, unpacked))
        with code.loop("e", first, packed) as (body, number):
            value = body.load(memory, *element(body, number))
            body.store(value, self._message, body.sum(place, number))
        with code.loop("e", first, unpacked) as (body, number):
            value = body.load(self._message, body.sum(place, number))
            body.store(value, memory, *element(body, number))
        code.store(code.sum(place, length), self._cell)


def _as_parameters(starts: isl.Set) -> isl.Set:
    """What is known of the parameters and the subscripts of a row, as parameters."""
    count, rank = starts.dim(isl.dim_type.param), starts.dim(isl.dim_type.set)
    plain = starts.reset_tuple_id() if starts.has_tuple_id() else starts
    return plain.move_dims(isl.dim_type.param, count, isl.dim_type.set, 0, rank).params()


def _value(
    code: Code, function: isl.PwAff, context: isl.Set, values: Mapping[str, SSAValue]
) -> SSAValue:
    """A function of parameters, for those in `context`."""
    known = {name: IndexExpression.of(value) for name, value in values.items()}
    context = context.align_params(function.get_domain_space())
    function = function.gist_params(context)
    return AstExpressionReader(known).value(expression_of(function, context), code.builder)


def _in_order(domain: isl.Set) -> isl.Schedule:
    """The instances in lexicographic order."""
    schedule = isl.Schedule.from_domain(isl.UnionSet.from_set(domain))
    if domain.dim(isl.dim_type.set):
        identity = isl.MultiAff.identity_on_domain_space(domain.get_space())
        functions = isl.MultiPwAff.from_multi_aff(identity).reset_tuple_id(isl.dim_type.out)
        schedule = schedule.insert_partial_schedule(
            isl.MultiUnionPwAff.from_multi_pw_aff(functions)
        )
    return schedule
