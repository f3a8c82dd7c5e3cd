"""Run-time checks that the memory which a region accesses under two names is not the same.

As in Polly (Doerfert, Grosser, Hack: Optimistic Loop Optimization, CGO 2017), the addresses
between the first and the last element that may be accessed are compared before the region.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.codegen.ast import AstExpression, expression_from_isl
from polyir.codegen.ast_expressions import AstExpressionReader
from polyir.diagnostics import SourceLocation
from polyir.dialects.scop import ScopOp
from polyir.frontend.c.advice import RESTRICT
from polyir.frontend.c.entry_values import return_only
from polyir.frontend.c.errors import NotModelledError, location_of_node
from polyir.frontend.c.overlaps import PossibleOverlap
from polyir.frontend.c.places import SourceArgument
from polyir.limits import limited
from polyir.model.index_expressions import IndexExpression
from polyir.model.scop import Scop, scop_of

_MOST_PIECES = 8
"""Bounds with more cases than this are not worth computing at run time."""


@dataclass(frozen=True)
class _SubscriptBox:
    """The first and the last subscript of each dimension, and whether there is an element."""

    ends: tuple[tuple[AstExpression, AstExpression], ...]
    condition: AstExpression


@dataclass(frozen=True)
class ArgumentRange:
    """The elements of an argument in a box of subscripts, or the whole argument.

    `ends` are positions among the values that the check's function returns: the first and the
    last subscript of each dimension. `None` stands for the whole object. `condition` is the
    position of a condition without which the pointer to the elements must not be read.
    """

    operand: int | str
    ends: tuple[tuple[int, int], ...] | None
    condition: int | None = None


@dataclass(frozen=True)
class AliasCheck:
    """What must be apart. `function` takes the region's arguments and returns the subscripts.

    It may call the functions `called`. The values at the positions `conditions` must be true.
    """

    function: func.FuncOp
    pairs: tuple[tuple[ArgumentRange, ArgumentRange], ...]
    called: tuple[func.FuncOp, ...] = ()
    conditions: tuple[int, ...] = ()


def with_assumptions(check: AliasCheck | None, assumed: func.FuncOp) -> AliasCheck:
    """A check that also tests what `assumed`, with the same arguments, returns."""
    last = assumed.body.block.last_op
    assert last is not None
    if check is None:
        return AliasCheck(assumed, (), conditions=tuple(range(len(last.operands))))
    block = check.function.body.block
    end = block.last_op
    assert end is not None
    values: dict[SSAValue, SSAValue] = dict(zip(assumed.body.block.args, block.args, strict=True))
    for op in assumed.body.block.ops:
        if op is not last:
            block.insert_op_before(op.clone(value_mapper=values), end)
    known = len(end.operands)
    operands = (*end.operands, *(values.get(each, each) for each in last.operands))
    Rewriter.replace_op(end, func.ReturnOp(*operands), new_results=[])
    return replace(check, conditions=tuple(range(known, len(operands))))


def alias_check(
    module: ModuleOp,
    arguments: Sequence[SourceArgument],
    overlaps: Sequence[PossibleOverlap],
    location: SourceLocation,
) -> AliasCheck:
    """The check that the pairs `overlaps` of a region's arguments do not overlap.

    `module` holds the region's function after raising; it is not changed. Raises
    `NotModelledError` if the elements that the region accesses are not known before it.
    """
    copy = module.clone()
    function = next(op for op in copy.ops if isinstance(op, func.FuncOp) and not op.is_declaration)
    finder = _RangeFinder(function, arguments, location)
    pairs = tuple(
        (one, other)
        for overlap in overlaps
        for one in finder.ranges(overlap.first)
        for other in finder.ranges(overlap.second)
    )
    finder.finish()
    return AliasCheck(function, pairs)


@dataclass
class _RangeFinder:
    """Computes ranges in front of the scops of a function."""

    function: func.FuncOp
    arguments: Sequence[SourceArgument]
    location: SourceLocation
    _results: list[SSAValue] = field(default_factory=list)
    _known: dict[int | str, tuple[ArgumentRange, ...]] = field(default_factory=dict)

    def ranges(self, operand: int | str) -> tuple[ArgumentRange, ...]:
        """The ranges that the region accesses; several if it has several parts."""
        found = self._known.get(operand)
        if found is None:
            found = self._known[operand] = tuple(self._ranges(operand))
        return found

    def _ranges(self, operand: int | str) -> Iterator[ArgumentRange]:
        whole = ArgumentRange(operand, None)
        if isinstance(operand, str):
            yield whole
            return
        memory = self.function.body.block.args[operand]
        if not isinstance(memory.type, MemRefType) or not memory.type.get_shape():
            yield whole
            return
        is_object = self.arguments[operand].origin.pointer is None
        if self._is_accessed_outside(memory):
            yield self._unknown(operand, whole, is_object)
            return
        for op in tuple(self.function.walk()):
            if not isinstance(op, ScopOp):
                continue
            if op.parent_block() is not self.function.body.block:
                yield self._unknown(operand, whole, is_object)
                return
            scop = scop_of(op)
            name = next((name for name, value in scop.arrays.items() if value is memory), None)
            if name is None:
                continue
            box = _limited_box(scop, name, self.location)
            if box is None:
                yield self._unknown(operand, whole, is_object)
                return
            yield self._range(operand, op, box)

    def _is_accessed_outside(self, memory: SSAValue) -> bool:
        """Whether an operation in no scop accesses `memory`."""
        return any(
            not _is_in_scop(op)
            for op in self.function.walk()
            if memory in op.operands and not isinstance(op, ScopOp)
        )

    def _unknown(self, operand: int, whole: ArgumentRange, is_object: bool) -> ArgumentRange:
        if is_object:
            return whole
        origin = self.arguments[operand].origin
        raise NotModelledError(
            f"'{origin.pointer}' may point to memory that the region accesses under another name; "
            f"which elements the region accesses is not known before it ({RESTRICT})",
            location_of_node(origin.node) or self.location,
        )

    def _range(self, operand: int, scop: ScopOp, box: _SubscriptBox) -> ArgumentRange:
        """Compute the ends of a box in front of a scop."""
        values: Mapping[str, IndexExpression] = {
            name: IndexExpression.of(value) for name, value in scop.parameter_values.items()
        }
        reader = AstExpressionReader(values)
        builder = Builder(InsertPoint.before(scop))

        def position(value: SSAValue) -> int:
            self._results.append(value)
            return len(self._results) - 1

        ends = tuple(
            (position(reader.value(first, builder)), position(reader.value(last, builder)))
            for first, last in box.ends
        )
        origin = self.arguments[operand].origin
        if origin.pointer in (None, origin.root):
            return ArgumentRange(operand, ends)
        return ArgumentRange(operand, ends, position(reader.condition(box.condition, builder)))

    def finish(self) -> None:
        """Only the computation of the results stays in the function."""
        return_only(self.function, self._results)


def _is_in_scop(op: Operation) -> bool:
    parent = op.parent_op()
    return isinstance(parent, ScopOp) or (parent is not None and _is_in_scop(parent))


def _limited_box(scop: Scop, array: str, location: SourceLocation) -> _SubscriptBox | None:
    return limited("the range of an array", lambda: _box(scop, array), location)


def _box(scop: Scop, array: str) -> _SubscriptBox | None:
    """The box around the elements of `array` that a scop accesses; `None` if it has no bounds."""
    relations = [
        access.relation
        for statement in scop.statements
        for access in statement.accesses
        if access.array == array
    ]
    if not relations:
        return None
    accessed = relations[0].range()
    for relation in relations[1:]:
        accessed = accessed.union(relation.range())
    accessed = accessed.intersect_params(scop.context.params()).coalesce()
    build_all = isl.AstBuild.from_context(scop.context.params())
    build = isl.AstBuild.from_context(accessed.params())
    ends: list[tuple[AstExpression, AstExpression]] = []
    for position in range(accessed.dim(isl.dim_type.set)):
        if not _is_bounded(accessed, position):
            return None
        pair = (accessed.dim_min(position), accessed.dim_max(position))
        bounds = [bound.coalesce().gist(accessed.params()).coalesce() for bound in pair]
        if any(bound.n_piece() > _MOST_PIECES for bound in bounds):
            return None
        first, last = (expression_from_isl(build.expr_from_pw_aff(bound)) for bound in bounds)
        ends.append((first, last))
    return _SubscriptBox(
        tuple(ends), expression_from_isl(build_all.expr_from_set(accessed.params()))
    )


def _is_bounded(accessed: isl.Set, position: int) -> bool:
    dimension = isl.dim_type.set
    return all(
        part.dim_has_lower_bound(dimension, position)
        and part.dim_has_upper_bound(dimension, position)
        for part in map(isl.Set.from_basic_set, accessed.get_basic_sets())
    )
