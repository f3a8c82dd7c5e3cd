"""Statements that a rewriting adds to a scop."""

from __future__ import annotations

import islpy as isl
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from polyir.dialects.affine_extra import affine_load, affine_store
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.affine_maps import Valued, affine_expression, map_over
from polyir.sets.lists import parameters_of


class NewStatement:
    """A statement with a domain, whose body grows.

    Subscripts number the iterators, then the parameters of the scop.
    """

    def __init__(self, op: ScopOp, domain: isl.Set) -> None:
        self._domain = domain
        self._parameters = list(op.parameter_values)
        self._block = Block(arg_types=[IndexType()] * domain.dim(isl.dim_type.set))
        for position, argument in enumerate(self._block.args):
            argument.name_hint = domain.get_dim_name(isl.dim_type.set, position)
        self._values = [*self._block.args, *op.parameter_values.values()]

    def add(self, *operations: Operation) -> SSAValue:
        """The result of the last of some operations at the end of the body."""
        self._block.add_ops(operations)
        (result,) = operations[-1].results
        return result

    def load(self, memory: SSAValue, subscripts: Valued) -> SSAValue:
        """An element of an array."""
        return self.add(affine_load(memory, *map_over(subscripts, self._values)))

    def store(self, value: SSAValue, memory: SSAValue, subscripts: Valued) -> None:
        """Store to an element of an array."""
        self._block.add_op(affine_store(value, memory, *map_over(subscripts, self._values)))

    def subscript(self, function: isl.Aff) -> AffineExpr:
        """A function of the iterators and parameters as a subscript."""
        count = function.dim(isl.dim_type.in_)
        names = parameters_of(function.get_domain_space())
        parameters = [AffineDimExpr(count + self._parameters.index(name)) for name in names]
        iterators = [AffineDimExpr(each) for each in range(count)]
        return affine_expression(function, iterators, parameters)

    def finished(self, like: StmtOp) -> StmtOp:
        """The statement; its operations are said to be where that of `like` is in the source."""
        statement = StmtOp(self._domain.get_tuple_name(), self._domain, Region(self._block))
        for operation in statement.walk():
            operation.location = like.location
        return statement
