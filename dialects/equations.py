"""The equations dialect: systems of equations over integer sets.

    equations.system @sums parameters ["N"] context "[N] -> {  : N > 0 }" {
      equations.variable @X input "[N] -> { [i] : 0 <= i < N }"
      equations.variable @Y output "[N] -> { [i] : 0 <= i < N }"
      equations.body context "[N] -> {  :  }" {
        equations.define @Y {
          %0 = equations.read @X : <1>
          %1 = equations.depend %0 by "[N] -> { [i, j] -> [(j)] }"
          %2 = equations.restrict %1 to "[N] -> { [i, j] : 0 <= j <= i }"
          %3 = equations.reduce "+" %2 by "[N] -> { [i, j] -> [(i)] }"
          equations.yield %3 : <1>
        }
      }
    }

A value is an expression, of type `!equations.expression<1>`: a function from points of so many
dimensions to values. `equations.compute` computes a system in a function, on arrays of that.
`polyir.equations.ir` converts a module from and to `polyir.equations.system`
without loss, and passes work on that. What a system means, and where expressions are defined, is
said there; verifiers check names, dimensions and parameters.
"""

from xdsl.ir import Dialect

from polyir.dialects.equation_definitions import ConnectOp, DefineOp, UseOp, YieldOp
from polyir.dialects.equation_expressions import (
    ApplyOp,
    AutoRestrictOp,
    CaseOp,
    ConstantOp,
    DependOp,
    IfOp,
    IndexOp,
    PolynomialOp,
    ReadOp,
    ReduceOp,
    RestrictOp,
)
from polyir.dialects.equation_runs import ComputeOp
from polyir.dialects.equation_systems import BodyOp, ExternalOp, SystemOp, VariableOp
from polyir.dialects.equation_types import ExpressionType

Equations = Dialect(
    "equations",
    [
        ExternalOp,
        SystemOp,
        VariableOp,
        BodyOp,
        DefineOp,
        YieldOp,
        UseOp,
        ConnectOp,
        ConstantOp,
        ReadOp,
        IndexOp,
        PolynomialOp,
        DependOp,
        RestrictOp,
        AutoRestrictOp,
        ReduceOp,
        CaseOp,
        IfOp,
        ApplyOp,
        ComputeOp,
    ],
    [ExpressionType],
)
