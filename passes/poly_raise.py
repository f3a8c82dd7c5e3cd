"""`poly-raise`: affine IR to the polyhedral level."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base import budgets
from polyir.base.diagnostics import PolyirError, location_of, missed, remark
from polyir.base.limits import within_operations
from polyir.dialects.affine_extra import DelinearizeIndexOp
from polyir.model.raising import raise_function
from polyir.model.raising.control import LOOPS
from polyir.model.raising.raising import RaiseOutcome
from polyir.model.raising.regions import Left


@dataclass(frozen=True)
class PolyRaisePass(ModulePass):
    """Replace the static control parts of every function by `poly.scop` operations.

    Before:

        affine.for %i = 0 to %n {
          %a = affine.load %A[%i] : memref<?xf64>
          affine.store %a, %B[%i] : memref<?xf64>
        }

    After:

        poly.scop (%n as "n") {
          poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
            %a = affine.load %A[%i] : memref<?xf64>
            affine.store %a, %B[%i] : memref<?xf64>
          }
          poly.domain "[n] -> { S0[i] : 0 <= i < n }" {
            poly.band "[n] -> [{ S0[i] -> [(i)] }]"
          }
        }

    With `data-loops`, a loop inside of others whose bounds come out of memory, such as that over
    the elements of a row of a sparse matrix, is part of a statement; without, the loops around it
    are not raised.

    The schedule tree has the original order. Code that cannot be modelled does not change, except
    that `affine.delinearize_index` with a constant basis becomes `affine.apply`.
    """

    name = "poly-raise"

    data_loops: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in tuple(op.walk()):
            if isinstance(function, func.FuncOp):
                self.raise_loops(function)

    def raise_loops(self, function: func.FuncOp, shares_cells: bool = False) -> bool:
        """Raise the loops of one function, and say why not; whether it has any.

        `shares_cells` is as in `raise_function`.

        Raises `PolyirError` if isl exceeds the budget for that, and for facts about index
        arrays that make no sense.
        """
        if not any(isinstance(inner, LOOPS) for inner in function.walk()):
            return False
        if function.arg_attrs is not None:
            # Few functions have facts, and start-up is part of every run.
            from polyir.model.index_arrays import require_right_facts, unused_facts

            require_right_facts(function)
            for name, write in unused_facts(function):
                reason = f"what is said of '{name}' is not used: it may be written here"
                missed(self.name, reason, write, once=True, name="no-scop")
        if any(isinstance(inner, DelinearizeIndexOp) for inner in function.walk()):
            from polyir.loops.views import expand_index_operations

            expand_index_operations(function, only_affine=True)
        outcome = within_operations(
            budgets.RAISING, lambda: raise_function(function, shares_cells, self.data_loops)
        )
        if outcome is None:
            raise PolyirError(budgets.RAISING.exceeded, location_of(function), name="too-complex")
        for left in _causes(outcome):
            remark(self.name, f"left as it is: {left.reason}", left.operation, once=True)
        if not outcome.scops:
            nothing = "none of its loops stores to memory"
            reason = outcome.left[0].reason if outcome.left else nothing
            name = function.sym_name.data
            missed(self.name, f"@{name} has no scop: {reason}", function, once=True, name="no-scop")
        return True


def _causes(outcome: RaiseOutcome) -> list[Left]:
    """What is to be named: each reason once in a nest of loops, and once if there is no scop."""
    named: list[Left] = []
    for left in outcome.left:
        same = [each.operation for each in named if each.reason == left.reason]
        if not same or (outcome.scops and not any(op.is_ancestor(left.operation) for op in same)):
            named.append(left)
    # The warning about the whole function says the first.
    return named if outcome.scops else named[1:]
