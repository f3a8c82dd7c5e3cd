"""Which elements of arrays a region accesses, as sets of parameters that are known before it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, arith, func
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.codegen.ast import AstExpression, AstOperation, Operator, expression_from_isl
from polyir.codegen.ast_expressions import AstExpressionReader
from polyir.dialects.scop import ScopOp
from polyir.frontend.c.entry_values import return_only
from polyir.model.affine import IndexReader, NotAffineError
from polyir.model.index_expressions import IndexExpression
from polyir.model.memory_accesses import MemoryAccess, accesses_of
from polyir.model.raising.effects import stores_in
from polyir.model.scop import scop_of

MOST_PIECES = 8
"""Bounds with more cases than this are not worth computing at run time."""

_FOLLOWED = ("affine.apply", "affine.min", "affine.max", "arith.constant")


class AccessedElements:
    """The accesses of a function that has been raised; `block` is its body.

    Sets have the same parameters for the same values, whichever scop they come from.
    """

    def __init__(self, function: func.FuncOp) -> None:
        self.block = function.body.block
        self.context = isl.Set.universe(isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0))
        """What is known of the parameters."""
        self._values: dict[str, SSAValue] = {}
        self._parts: dict[SSAValue, list[isl.Set]] = {}
        self._unknown: set[SSAValue] = set()
        self._stored = {access.memref for access in stores_in(function)}
        for op in self.block.ops:
            self._collect(op, isl.Set.universe(self.context.get_space()))

    def parts(self, array: SSAValue) -> tuple[isl.Set, ...] | None:
        """The elements that each part of the function accesses; `None` if that is not known."""
        return None if array in self._unknown else tuple(self._parts.get(array, ()))

    @property
    def executed(self) -> isl.Set:
        """Where the function accesses anything."""
        space = self.context.get_space()
        if self._unknown:
            return isl.Set.universe(space)
        parts = [part.params() for each in self._parts.values() for part in each]
        return reduce(isl.Set.union, parts, isl.Set.empty(space)).coalesce()

    def reader(self) -> AstExpressionReader:
        """Reads expressions of the parameters."""
        return AstExpressionReader(
            {name: IndexExpression.of(value) for name, value in self._values.items()}
        )

    # What the operations access

    def _collect(self, op: Operation, reached: isl.Set) -> None:
        """Add the accesses of an operation that is executed where `reached` says."""
        if isinstance(op, ScopOp):
            self._collect_scop(op, reached)
        elif accesses := accesses_of(op):
            for access in accesses:
                elements = self._element(access)
                if elements is None:
                    self._unknown.add(access.memref)
                else:
                    parts = self._parts.setdefault(access.memref, [])
                    parts.append(elements.intersect_params(reached))
        elif op.name in ("affine.if", "scf.if"):
            for region in op.regions:
                for inner in region.block.ops if region.blocks else ():
                    self._collect(inner, self._branch(op, reached, region is op.regions[0]))
        else:
            self._unknown.update(
                operand
                for inner in op.walk()
                for operand in inner.operands
                if isinstance(operand.type, MemRefType)
            )

    def _branch(self, op: Operation, reached: isl.Set, is_first: bool) -> isl.Set:
        """Where a branch may be executed."""
        if not isinstance(op, affine.IfOp):
            return reached
        try:
            holds = self._index_reader().read_set(op.condition.data, op.args).params()
        except NotAffineError:
            return reached
        return reached.intersect(holds) if is_first else reached.subtract(holds)

    def _collect_scop(self, op: ScopOp, reached: isl.Set) -> None:
        scop = scop_of(op)
        if op.parent_block() is not self.block or not all(
            map(self._is_known, op.parameter_values.values())
        ):
            self._unknown.update(scop.arrays.values())
            return
        names = {name: self._name(value) for name, value in op.parameter_values.items()}
        context = _renamed(scop.context.params(), names)
        self.context = self.context.intersect(context)
        for statement in scop.statements:
            for access in statement.accesses:
                elements = _renamed(access.relation.range().reset_tuple_id(), names)
                array = scop.arrays[access.array]
                self._parts.setdefault(array, []).append(
                    elements.intersect_params(context).intersect_params(reached)
                )

    def _element(self, access: MemoryAccess) -> isl.Set | None:
        """The element that a load or store outside of scops accesses."""
        if access.extents:
            return None
        try:
            subscripts = access.read(self._index_reader())
        except NotAffineError:
            return None
        element = isl.Map.universe(isl.Space.alloc(isl.DEFAULT_CONTEXT, 0, 0, 0))
        for subscript in subscripts:
            element = element.flat_range_product(isl.Map.from_pw_aff(subscript))
        return element.range()

    # Parameters

    def _index_reader(self) -> IndexReader:
        return IndexReader(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, 0), self._resolve)

    def _resolve(self, value: SSAValue) -> isl.PwAff | None:
        if not isinstance(value.owner, Block) and value.owner.name in _FOLLOWED:
            return None
        if not isinstance(value.type, IndexType) or not self._is_known(value):
            raise NotAffineError("a value that is not known before the region")
        space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 1, 0)
        return isl.PwAff.var_on_domain(
            space.set_dim_name(isl.dim_type.param, 0, self._name(value)), isl.dim_type.param, 0
        )

    def _name(self, value: SSAValue) -> str:
        for name, known in self._values.items():
            if known is value:
                return name
        name = f"#{len(self._values)}"
        self._values[name] = value
        return name

    def _is_known(self, value: SSAValue) -> bool:
        """Whether a value can be computed before the function stores anything."""
        if isinstance(value.owner, Block):
            return value.owner is self.block
        op = value.owner
        is_changed = any(access.memref in self._stored for access in accesses_of(op))
        is_simple = op.parent_block() is self.block and not op.regions and not is_changed
        return is_simple and all(
            isinstance(each.type, MemRefType) or self._is_known(each) for each in op.operands
        )


def _renamed(elements: isl.Set, names: dict[str, str]) -> isl.Set:
    for old, new in names.items():
        position = elements.find_dim_by_name(isl.dim_type.param, old)
        if position >= 0:
            elements = elements.set_dim_name(isl.dim_type.param, position, new)
    return elements


def bounds_text(bounds: Sequence[isl.PwAff], known: isl.Set) -> list[AstExpression] | None:
    """Expressions for `bounds` where `known` holds; `None` if one has too many cases."""
    simple = [bound.coalesce().gist(known).coalesce() for bound in bounds]
    if any(bound.n_piece() > MOST_PIECES for bound in simple):
        return None
    return [bound_text(bound, known) for bound in simple]


def bound_text(bound: isl.PwAff, known: isl.Set) -> AstExpression:
    """An expression for `bound` where `known` holds."""
    found = extremum_text(bound, known)
    if found is not None:
        return found
    return expression_from_isl(isl.AstBuild.from_context(known).expr_from_pw_aff(bound))


def extremum_text(bound: isl.PwAff, known: isl.Set) -> AstExpression | None:
    """The minimum or maximum that `bound` is where `known` holds; `None` if it is neither."""
    build = isl.AstBuild.from_context(known)
    cases = [isl.PwAff.from_aff(case) for _, case in bound.get_pieces()]
    texts = tuple(expression_from_isl(build.expr_from_pw_aff(case)) for case in cases)
    if len(texts) == 1:
        return texts[0]
    for operator, combine in ((Operator.MAX, isl.PwAff.max), (Operator.MIN, isl.PwAff.min)):
        combined = reduce(combine, cases).intersect_domain(known)
        if combined.is_equal(bound.intersect_domain(known)):
            return AstOperation(operator, texts)
    return None


def condition_text(holds: isl.Set, known: isl.Set) -> AstExpression | None:
    """An expression for a condition where `known` holds; `None` if it always holds then."""
    condition = holds.gist(known).coalesce()
    if condition.plain_is_universe():
        return None
    return expression_from_isl(isl.AstBuild.from_context(known).expr_from_set(condition))


class Computed:
    """Values that are computed at the end of a function, and known by their positions.

    The `first` position is another one where these values are to follow others.
    """

    def __init__(self, elements: AccessedElements, first: int = 0) -> None:
        self._first = first
        self._block = elements.block
        self._reader = elements.reader()
        assert self._block.last_op is not None
        self._builder = Builder(InsertPoint.before(self._block.last_op))
        self._values: list[SSAValue] = []

    def number(self, expression: AstExpression) -> int:
        """The position of the value of an expression."""
        return self._position(self._reader.value(expression, self._builder))

    def condition(self, condition: AstExpression) -> int:
        """The position of a condition."""
        return self._position(self._reader.condition(condition, self._builder))

    def constant(self, number: int) -> int:
        """The position of a number."""
        op = arith.ConstantOp.from_int_and_width(number, IndexType())
        return self._position(self._builder.insert(op).result)

    def _position(self, value: SSAValue) -> int:
        self._values.append(value)
        return self._first + len(self._values) - 1

    def finish(self) -> None:
        """Let the function return the values; only their computation stays in it."""
        return_only(self._block, self._values)
