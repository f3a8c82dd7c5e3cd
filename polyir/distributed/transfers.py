"""Functions that count the elements of a message, and copy them to or from it.

A set of elements is cut into disjoint pieces without a union, and a piece into rows: elements that
differ in their last subscript only, and have all its values in an interval. A loop nest visits the
rows of a piece, so that counting takes time for each row, not for each element.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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
from polyir.isl_lists import parameters_of
from polyir.isl_names import unique_name
from polyir.model.index_expressions import IndexExpression
from polyir.model.tree import tree_from_schedule

COUNT, PACK, UNPACK = range(3)
"""What a function for a transfer does with the elements."""


@dataclass(frozen=True)
class Transfer:
    """Elements of one type that go from rank to rank in one message, in one order.

    `function` takes the message, the place there of the first element, and what to do; it returns
    the place after the last element.
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
    functions: Functions, name: str, sets: Mapping[str, isl.Set], element: Attribute
) -> Transfer:
    """Add a function for elements of arrays, which are all of one type."""
    order = (*functions.scop_parameters, *_other_parameters(functions, sets))
    used = {each for elements in sets.values() for each in _involved(elements)}
    outlined, values, parts, others, code = functions.begin(
        f"transfer_{name}",
        tuple(each for each in order if each in used),
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
    scop = functions.scop_op(values)
    scop.attributes[KEEPS_LOOPS] = UnitAttr()
    copier = _Copier(values, message, cell, is_packed, is_unpacked)
    schedule: isl.Schedule | None = None
    for array, elements in sets.items():
        for piece in disjoint_pieces(elements):
            number = len(scop.body.block.ops)
            statement = copier.statement(f"Row{number}", piece, parts[array], scop.context.data)
            scop.body.block.add_op(statement)
            own = _in_order(statement.domain.data)
            schedule = own if schedule is None else schedule.sequence(own)
    assert schedule is not None
    scop.body.block.add_op(tree_from_schedule(schedule))
    code.add(scop)
    code.add(func.ReturnOp(code.load(cell)))
    return Transfer(element, outlined)


def _other_parameters(functions: Functions, sets: Mapping[str, isl.Set]) -> list[str]:
    found = {name for each in sets.values() for name in parameters_of(each.get_space())}
    return sorted(found - set(functions.scop_parameters))


def _involved(elements: isl.Set) -> list[str]:
    return [
        name
        for position, name in enumerate(parameters_of(elements.get_space()))
        if elements.involves_dims(isl.dim_type.param, position, 1)
    ]


def disjoint_pieces(elements: isl.Set) -> Iterator[isl.Set]:
    """Basic sets that have the elements, each element once."""
    hull = isl.Set.from_basic_set(elements.simple_hull())
    if hull.is_subset(elements):
        yield hull
        return
    for piece in elements.make_disjoint().coalesce().get_basic_sets():
        yield isl.Set.from_basic_set(piece)


@dataclass(frozen=True)
class Rows:
    """A set of elements as intervals, which start in the places of `starts`.

    `starts` is `{ [x] }` without the last subscript, which goes from `first` to `last`, functions
    of the parameters and those that `names` gives the subscripts x. If elements are no
    intervals of the last subscript, `starts` has all subscripts, and there are no ends.
    """

    starts: isl.Set
    names: tuple[str, ...]
    ends: tuple[isl.PwAff, isl.PwAff] | None


def rows_of(elements: isl.Set) -> Rows:
    """The rows of a set of elements."""
    rank = elements.dim(isl.dim_type.set)
    taken = set(parameters_of(elements.get_space()))
    names = tuple(unique_name(f"x{position}", taken) for position in range(rank))
    for position, name in enumerate(names):
        elements = elements.set_dim_name(isl.dim_type.set, position, name)
    if not rank:
        return Rows(elements, names, None)
    starts = elements.project_out(isl.dim_type.set, rank - 1, 1)
    row = elements.reset_tuple_id()
    count = row.dim(isl.dim_type.param)
    row = row.move_dims(isl.dim_type.param, count, isl.dim_type.set, 0, rank - 1)
    ends = row.dim_min(0).coalesce(), row.dim_max(0).coalesce()
    first, last = (isl.Set.from_pw_aff(end) for end in ends)
    after, before = isl.Map("{ [e] -> [x] : x >= e }"), isl.Map("{ [e] -> [x] : x <= e }")
    if first.apply(after).intersect(last.apply(before)).is_subset(row):
        return Rows(starts, names[:-1], ends)
    return Rows(elements, names, None)


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

    def statement(self, name: str, elements: isl.Set, part: Part, context: isl.Set) -> StmtOp:
        """One row of the elements of an array: there is an instance for each."""
        rows = rows_of(elements)
        block = Block(arg_types=[IndexType()] * len(rows.names))
        for argument, hint in zip(block.args, rows.names, strict=True):
            argument.name_hint = hint
        code = Code(InsertPoint.at_end(block))
        subscripts = [
            code.difference(*pair)
            for pair in zip(block.args, part.offsets[: len(block.args)], strict=True)
        ]
        length = code.constant(1)
        if rows.ends is not None:
            known = {**self._values, **dict(zip(rows.names, block.args, strict=True))}
            around = _as_parameters(rows.starts).intersect(context)
            first, last = (_value(code, end, around, known) for end in rows.ends)
            length = code.difference(code.sum(last, 1), first)
            subscripts.append(code.difference(first, part.offsets[-1]))
        self._copy(code, part.memory, subscripts, length, rows.ends is not None)
        domain = rows.starts.set_tuple_name(name).drop_unused_params()
        return StmtOp(name, domain, Region(block))

    def _copy(
        self,
        code: Code,
        memory: SSAValue,
        subscripts: Sequence[SSAValue],
        length: SSAValue,
        is_row: bool,
    ) -> None:
        place = code.load(self._cell)

        def element(body: Code, number: SSAValue) -> list[SSAValue]:
            last = [body.sum(subscripts[-1], number)] if is_row else list(subscripts[-1:])
            return [*subscripts[:-1], *last]

        with code.loop("e", 0, code.choice(self._is_packed, length, code.constant(0))) as (
            body,
            number,
        ):
            value = body.load(memory, *element(body, number))
            body.store(value, self._message, body.sum(place, number))
        with code.loop("e", 0, code.choice(self._is_unpacked, length, code.constant(0))) as (
            body,
            number,
        ):
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
