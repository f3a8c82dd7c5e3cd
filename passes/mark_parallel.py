"""The pass `mark-parallel`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.base.diagnostics import OptionError
from polyir.choose.sizes import RESULT_ITERATIONS, RESULT_OUTER_ITERATIONS
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.balance import Distribution, with_dynamic_loops
from polyir.transform.parallel import Which, mark_loops, mark_parallel
from polyir.tree.addresses import LoopAddress


@dataclass(frozen=True)
class MarkParallelPass(ScopPass):
    """Mark parallel loops, so that they are lowered to `affine.parallel` or `scf.parallel`.

    `which` is `outermost` (the outermost parallel loop of each nest), `inner` (the innermost
    one) or `all`. The dependences determine exactly which loops are parallel. A loop over tiles of
    1024 iterations or more, of which there are few, is passed over for another one of its band.
    Or `loops` lists the addresses of the loops to mark; a loop that is not parallel is refused.
    With `schedule=balanced`, loops whose iterations do unequal work, as in a triangle or because
    the last of few large tiles is a part of one, get the attribute `#poly.dynamic` too: threads
    take the next iteration whenever they are free. With `reassociate`, the outermost loop of a
    nest that has no parallel loop, but updates one element by an associative operation, gets the
    attribute `#poly.parts`: `vectorize` lets threads compute partial results then, and combines
    them.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [false, true]

    After:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [false, true] loop_attributes [[], [#poly.parallel]]
    """

    name = "mark-parallel"
    moves_nothing = True
    needs_parallel_loops = True

    which: Which = "outermost"
    loops: tuple[LoopAddress, ...] = ()
    schedule: Distribution = "static"
    reassociate: bool = False

    def __post_init__(self) -> None:
        if self.loops and self.which != "outermost":
            raise OptionError(
                "the options 'which' and 'loops' of pass 'mark-parallel' exclude each other"
            )

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        if self.loops:
            outcome = mark_loops(scop.schedule, dependences, self.loops)
        else:
            outcome = mark_parallel(
                scop.schedule,
                dependences,
                self.which,
                scop.statements if self.reassociate else (),
                (RESULT_ITERATIONS, RESULT_OUTER_ITERATIONS),
            )
        return (
            with_dynamic_loops(outcome, scop.statements) if self.schedule == "balanced" else outcome
        )
