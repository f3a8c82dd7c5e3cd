"""The memory of partial results, and the statements that set and combine them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr
from xdsl.rewriter import InsertPoint

from polyir.dialects.affine_extra import affine_load, affine_store
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.affine_maps import Valued, expressions_of, map_over
from polyir.model.scop import Scop
from polyir.model.updates import Update
from polyir.sets.boxes import constant_side, from_lower
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.expansion.temporaries import StatementValues
from polyir.transform.reassociation.partial_results import PartialResults

Element = tuple[SSAValue, Valued]
"""A memref and subscripts, whose dimensions number iterators, then the parameters of the scop."""


class PartialResultsBuilder:
    """Makes the memory of partial results, and the statements that set and combine them.

    The numbers of the part are the first subscripts, or the last. A part that has a single result
    has an array of `padding` elements for it, if that is not 0.
    """

    def __init__(
        self,
        op: ScopOp,
        scop: Scop,
        results: PartialResults,
        parts_first: bool = True,
        padding: int = 0,
    ) -> None:
        self._op, self._scop, self._results = op, scop, results
        self._parts_first = parts_first
        self._padding = (padding,) if padding and not results.box else ()
        self._chain = results.updates[0].chain
        self.original = results.updates[0].memory
        name = results.updates[0].statement.name
        self._updating = next(each for each in op.statements if each.sym_name.data == name)

    def allocate(self, allocator: Allocator, *parts: int) -> SSAValue:
        """Allocate partial results: a dimension for each number of parts."""
        sides, box = [constant_side(count) for count in parts], self._results.box
        sides = [*sides, *box] if self._parts_first else [*box, *sides]
        self._partial = allocator.allocate(self.original, sides, self._padding)
        self._partial.name_hint = f"{self._results.name}_partial"
        return self._partial

    def accumulate(self, part_of: Callable[[Update, StatementValues], Valued]) -> None:
        """Let the updates use the partial results of the part that `part_of` says."""
        results = self._results
        for update, place in zip(results.updates, results.places, strict=True):
            values = StatementValues(self._scop, update.statement)
            cell = values.expressions(from_lower(place, results.box))
            element = self._element(part_of(update, values), cell)
            for access in (update.load, update.store):
                values.redirect(access.operation, *element)
            update.chain.allow_overflow()

    def partial(self, domain: isl.Set, part: Valued, first: int) -> Element:
        """A partial result in a new statement, whose iterators from `first` on are the result."""
        iterators = self._iterators(domain, first)[: len(self._results.box)]
        return self._element(part, self._expressions(from_lower(iterators, self._results.box)))

    def result(self, domain: isl.Set) -> Element:
        """The element of X in a new statement, whose last iterators are its subscripts."""
        return self.element(self._iterators(domain, self._results.depth))

    def element(self, place: Sequence[isl.Aff]) -> Element:
        """The element of X at functions of the iterators."""
        return self.original, self._expressions(place)

    def initial(self, domain: isl.Set, target: Element) -> StmtOp:
        """A statement that sets a partial result to the neutral element."""
        body = _Body(self._op, domain)
        body.store(self._chain.neutral(body.builder), target)
        return body.finished(self._updating)

    def combination(
        self, domain: isl.Set, target: Element, values: Sequence[Element], updates: bool
    ) -> StmtOp:
        """A statement that stores the combination of some values, or `updates` the target by it."""
        body = _Body(self._op, domain)
        total = self._chain.combined(map(body.load, values), body.builder)
        if updates:
            total = self._chain.combined((body.load(target), total), body.builder)
        body.store(total, target)
        return body.finished(self._updating)

    def insert(self, statements: Sequence[StmtOp]) -> None:
        """Add statements after the first one that updates."""
        self._op.body.block.insert_ops_after(statements, self._updating)

    def _element(self, part: Valued, cell: Valued) -> Element:
        subscripts = (*part, *cell) if self._parts_first else (*cell, *part)
        return self._partial, (*subscripts, *(AffineConstantExpr(0) for _ in self._padding))

    def _expressions(self, functions: Sequence[isl.Aff]) -> Valued:
        return expressions_of(functions, tuple(self._op.parameter_values))

    @staticmethod
    def _iterators(domain: isl.Set, first: int) -> list[isl.Aff]:
        local = isl.LocalSpace.from_space(domain.get_space())
        places = range(first, domain.dim(isl.dim_type.set))
        return [isl.Aff.var_on_domain(local, isl.dim_type.set, place) for place in places]


class _Body:
    """A statement with a domain, whose body grows."""

    def __init__(self, op: ScopOp, domain: isl.Set) -> None:
        self._domain = domain
        self._block = Block(arg_types=[IndexType()] * domain.dim(isl.dim_type.set))
        for position, argument in enumerate(self._block.args):
            argument.name_hint = domain.get_dim_name(isl.dim_type.set, position)
        self._values = [*self._block.args, *op.parameter_values.values()]
        self.builder = Builder(InsertPoint.at_end(self._block))

    def load(self, element: Element) -> SSAValue:
        memory, subscripts = element
        load = self.builder.insert(affine_load(memory, *map_over(subscripts, self._values)))
        return load.results[0]

    def store(self, value: SSAValue, element: Element) -> None:
        memory, subscripts = element
        self.builder.insert(affine_store(value, memory, *map_over(subscripts, self._values)))

    def finished(self, like: StmtOp) -> StmtOp:
        """The statement; its operations are said to be where that of `like` is in the source."""
        statement = StmtOp(self._domain.get_tuple_name(), self._domain, Region(self._block))
        for operation in statement.walk():
            operation.location = like.location
        return statement
