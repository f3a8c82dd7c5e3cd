"""Expansion to single assignment: each write instance has a cell of its own.

Feautrier, "Array expansion" (1988): every writing statement gets memory that its iterators
index, and each read goes to the cell of its source, the instance whose value it finds. Where
the source is of several statements or shapes, the read is a conditional:

    %t = affine.load %temp[]      =>     %t = affine.if (k - 1 >= 0) {
                                           affine.load %temp_1[i, k - 1]
                                         } else {
                                           affine.load %temp_0[i]
                                         }
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineSetAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from polyir.base.limits import limited
from polyir.model.affine_maps import set_over
from polyir.model.dataflow import ArrayFlow, ReadFlow
from polyir.model.outcome import Rewritten
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind, Statement
from polyir.sets.boxes import NoBoxError, Side, box_of, from_lower
from polyir.sets.lists import basic_sets_of, pieces_of
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.expansion.temporaries import (
    StatementValues,
    extents_of,
    remove_unused,
    temporaries,
)


class NotExpandableError(ValueError):
    """An array whose reads have no source that is a function; the message says why."""


def expand(scop: Scop, arrays: Sequence[str] = ()) -> Rewritten:
    """Expand the temporaries of a scop to single assignment, for the order of its tree.

    `arrays` are the only ones to look at; without them all temporaries are. A statement that
    writes each element once at most keeps its subscripts, the others get their iterators.

    The dependences of the scop are out of date after it.
    """
    plan = limited("expansion", lambda: _plan(scop, arrays), ir=scop.op)
    allocator = Allocator(scop.op)
    done = tuple(_Expansion(scop, each, allocator).rewrite() for each in plan.expanded)
    return Rewritten(done, plan.missed)


def _plan(scop: Scop, arrays: Sequence[str]) -> _ExpansionPlan:
    flows, missed = temporaries(scop, arrays)
    expanded: list[_ExpandedArray] = []
    for name, flow in flows.items():
        writers = tuple(dict.fromkeys(writer for writer, _ in flow.writes))
        if len(writers) == 1 and not _overwrites(flow, writers[0]):
            if arrays:
                missed.append(f"{name} was not expanded: no element is written twice")
            continue
        try:
            _require_writes(flow)
            reads = [(read, _pieces(read)) for read in flow.reads]
            boxes = _boxes(scop, flow)
            cases = tuple((read, _decision(pieces, boxes)) for read, pieces in reads if pieces)
            expanded.append(_ExpandedArray(flow, boxes, cases))
        except (NoBoxError, NotExpandableError) as error:
            missed.append(f"{name} was not expanded: {error}")
    return _ExpansionPlan(tuple(expanded), tuple(missed))


def _boxes(scop: Scop, flow: ArrayFlow) -> dict[str, tuple[Side, ...]]:
    """The box of the instances of each writing statement, without sides if none overwrites."""
    domains = {statement.name: statement.domain for statement in scop.statements}
    return {
        name: box_of(domains[name], scop.context) if _overwrites(flow, name) else ()
        for name in dict.fromkeys(name for name, _ in flow.writes)
    }


def _require_writes(flow: ArrayFlow) -> None:
    for name, access in flow.writes:
        if access.kind is not AccessKind.WRITE:
            raise NotExpandableError(f"{name} may or may not write it")


def _overwrites(flow: ArrayFlow, writer: str) -> bool:
    """Do two instances of a statement write the same element?"""
    relations = (access.relation for name, access in flow.writes if name == writer)
    return not reduce(isl.Map.union, relations).is_injective()


@dataclass(frozen=True)
class _Piece:
    """Where the value comes from for the instances `domain` of a reading statement.

    `source` is the instance of `writer`, one function for each of its iterators.
    """

    domain: isl.Set
    writer: str
    source: tuple[isl.Aff, ...]


@dataclass(frozen=True)
class _Case:
    """The source of a read in the instances of `parts`, where no case before it holds.

    The last case has no parts: it holds in all other instances.
    """

    parts: tuple[isl.BasicSet, ...]
    writer: str
    source: tuple[isl.Aff, ...]


@dataclass(frozen=True)
class _ExpandedArray:
    """An array to expand: the boxes of the writing statements, and the cases of each read."""

    flow: ArrayFlow
    boxes: dict[str, tuple[Side, ...]]
    cases: tuple[tuple[ReadFlow, tuple[_Case, ...]], ...]


@dataclass(frozen=True)
class _ExpansionPlan:
    """The arrays to expand; what is left, and why."""

    expanded: tuple[_ExpandedArray, ...]
    missed: tuple[str, ...]


def _decision(pieces: Sequence[_Piece], boxes: Mapping[str, tuple[Side, ...]]) -> tuple[_Case, ...]:
    """The cases to decide between, one after the other.

    Pieces are joined that the old subscripts tell apart: those without a box of their own.
    """
    joined: dict[tuple[str, str], _Piece] = {}
    for piece in pieces:
        shape = str(piece.source) if boxes[piece.writer] else ""
        known = joined.get((piece.writer, shape), piece)
        domain = known.domain.union(piece.domain)
        joined[piece.writer, shape] = replace(known, domain=domain)
    *tested, last = joined.values()
    cases: list[_Case] = []
    for position, piece in enumerate(tested):
        left = (other.domain for other in (*tested[position:], last))
        domain = piece.domain.gist(reduce(isl.Set.union, left))
        parts = basic_sets_of(domain.compute_divs().make_disjoint())
        cases.append(_Case(tuple(parts), piece.writer, piece.source))
    return (*cases, _Case((), last.writer, last.source))


def _pieces(read: ReadFlow) -> tuple[_Piece, ...]:
    """The sources of a read, case by case; raises `NotExpandableError`."""
    pieces: list[_Piece] = []
    seen: isl.Set | None = None
    for relation in read.sources:
        source = relation.reverse()
        domain = source.domain()
        if not source.is_single_valued() or (seen is not None and not seen.is_disjoint(domain)):
            raise NotExpandableError(f"a read in {read.statement} has several sources")
        seen = domain if seen is None else seen.union(domain)
        pieces += _cases(isl.PwMultiAff.from_map(source.coalesce()).coalesce())
    return tuple(pieces)


def _cases(source: isl.PwMultiAff) -> list[_Piece]:
    """The pieces of a function; those that another piece's expression covers are one with it."""
    merged: list[tuple[isl.Set, isl.MultiAff]] = []
    for domain, function in pieces_of(source):
        here = isl.Map.from_multi_aff(function).intersect_domain(domain)
        for position, (known, other) in enumerate(merged):
            if isl.Map.from_multi_aff(other).intersect_domain(domain).is_equal(here):
                merged[position] = (known.union(domain), other)
                break
        else:
            merged.append((domain, function))
    return [_piece(domain.coalesce(), function) for domain, function in merged]


def _piece(domain: isl.Set, function: isl.MultiAff) -> _Piece:
    writer = function.get_tuple_name(isl.dim_type.out)
    assert writer is not None
    count = function.dim(isl.dim_type.out)
    return _Piece(domain, writer, tuple(function.get_at(position) for position in range(count)))


@dataclass(frozen=True)
class _Cells:
    """The memory of one writing statement: where an instance keeps its value.

    The subscripts are the iterators less the corner of `box`, if it has sides, then those that
    the access had before, if they are kept.
    """

    memory: SSAValue
    box: tuple[Side, ...]
    keeps_subscripts: bool


class _Expansion:
    """Rewrites the accesses to one array."""

    def __init__(self, scop: Scop, plan: _ExpandedArray, allocator: Allocator) -> None:
        flow = plan.flow
        self._old = scop.arrays[flow.array]
        self._flow = flow
        self._cases = plan.cases
        self._statements = {statement.name: statement for statement in scop.statements}
        self._values = {
            name: StatementValues(scop, self._statements[name]) for name in flow.statements
        }
        self._cells = self._allocate(plan.boxes, allocator)

    def _allocate(
        self, boxes: Mapping[str, tuple[Side, ...]], allocator: Allocator
    ) -> dict[str, _Cells]:
        """Memory for each writing statement."""
        writers = [name for name, _ in self._flow.writes]
        cells: dict[str, _Cells] = {}
        for name, box in boxes.items():
            keeps = not box or writers.count(name) > 1
            inner = extents_of(self._old) if keeps else ()
            cells[name] = _Cells(allocator.allocate(self._old, box, inner), box, keeps)
        return cells

    def rewrite(self) -> str:
        """Rewrite all accesses; says what became of the array."""
        for name, access in self._flow.writes:
            own = _own_iterators(self._statements[name])
            self._redirect(access.operation, name, name, own)
        for read, cases in self._cases:
            self._rewrite_read(read, cases)
        remove_unused(self._old)
        types = ", ".join(f"{cells.memory.type} for {name}" for name, cells in self._cells.items())
        return f"{self._flow.array} has one element for each write: {types}"

    def _redirect(
        self, access: Operation, statement: str, writer: str, source: Sequence[isl.Aff]
    ) -> None:
        """Let an access in the body of `statement` go to the cell of an instance of `writer`."""
        cells, values = self._cells[writer], self._values[statement]
        kept = values.subscripts(access) if cells.keeps_subscripts else ()
        # Without a box the old subscripts are enough, and the source does not matter.
        place = from_lower(source if cells.box else (), cells.box)
        values.redirect(access, cells.memory, (*values.expressions(place), *kept))

    def _rewrite_read(self, read: ReadFlow, cases: Sequence[_Case]) -> None:
        """Let a read go to the cells of its sources, by cases if there are several."""
        load = read.access.operation
        if len(cases) == 1:
            self._redirect(load, read.statement, cases[0].writer, cases[0].source)
            return
        assert load.parent is not None
        choice = self._choice(load, read.statement, cases)
        load.parent.insert_op_before(choice, load)
        choice.results[0].name_hint = load.results[0].name_hint
        load.results[0].replace_all_uses_with(choice.results[0])
        load.parent.erase_op(load)

    def _choice(self, load: Operation, statement: str, cases: Sequence[_Case]) -> Operation:
        """The value of the first of `cases` that holds for the instance."""
        first, *others = cases
        if not others:
            copy = load.clone()
            self._redirect(copy, statement, first.writer, first.source)
            return copy
        otherwise = self._choice(load, statement, others)
        for part in reversed(first.parts):
            value = self._choice(load, statement, (first,))
            otherwise = self._conditional(part, value, otherwise, statement)
        return otherwise

    def _conditional(
        self, part: isl.BasicSet, value: Operation, otherwise: Operation, statement: str
    ) -> Operation:
        values = self._values[statement]
        constraints = [each for each in part.get_constraints() if not each.is_div_constraint()]
        expressions = values.expressions([each.get_aff() for each in constraints])
        equalities = [bool(each.is_equality()) for each in constraints]
        condition = tuple(zip(expressions, equalities, strict=True))
        integer_set, operands = set_over(condition, values.values)
        blocks = [Block([op, affine.YieldOp.get(op.results[0])]) for op in (value, otherwise)]
        choice = affine.IfOp.build(
            operands=[operands],
            result_types=[[value.results[0].type]],
            properties={"condition": AffineSetAttr(integer_set)},
            regions=[Region(block) for block in blocks],
        )
        choice.location = value.location
        return choice


def _own_iterators(statement: Statement) -> list[isl.Aff]:
    """The iterators of a statement as functions of themselves."""
    local = statement.domain.get_space()
    count = statement.domain.dim(isl.dim_type.set)
    return [isl.Aff.var_on_domain(local, isl.dim_type.set, position) for position in range(count)]
