"""Rewriting accesses: to other memory, with other subscripts."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from polyir.isl_lists import parameters_of
from polyir.model.affine_maps import Valued, affine_expression, map_over, over_values
from polyir.model.scop import Scop
from polyir.model.statements import Statement
from polyir.model.temporaries import AccessOp


class StatementValues:
    """Numbers the values that subscripts in one statement's body may use."""

    def __init__(self, scop: Scop, statement: Statement) -> None:
        self._iterators = list(statement.op.body.block.args)
        self._parameters = list(scop.op.parameter_values)
        self.values: list[SSAValue] = [
            *self._iterators,
            *scop.op.parameter_values.values(),
        ]

    def expressions(self, functions: Sequence[isl.Aff]) -> Valued:
        """Functions of the statement's iterators and the parameters as subscripts."""
        count = len(self._iterators)
        iterators = [AffineDimExpr(position) for position in range(count)]
        results = []
        for function in functions:
            names = parameters_of(function.get_domain_space())
            parameters = [AffineDimExpr(count + self._parameters.index(name)) for name in names]
            results.append(affine_expression(function, iterators, parameters))
        return tuple(results)

    def subscripts(self, access: AccessOp) -> Valued:
        """The subscripts that an access has."""
        return over_values(access.map.data, list(access.indices), self.values)

    def redirect(self, access: AccessOp, memory: SSAValue, subscripts: Valued) -> None:
        """Let `access` access `memory` at `subscripts`."""
        map, operands = map_over(subscripts, self.values)
        stored = [access.value] if isinstance(access, affine.StoreOp | affine.VectorStoreOp) else []
        access.operands = [*stored, memory, *operands]
        access.map = AffineMapAttr(map)
