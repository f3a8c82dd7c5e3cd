"""The pass `mark-parallel`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import Address, parse_address
from polyir.transform.parallel import Which, mark_loops, mark_parallel


@dataclass(frozen=True)
class MarkParallelPass(NamingPass):
    """Mark parallel loops, which then are lowered to `affine.parallel` or `scf.parallel`.

    `which` is `outermost` (the outermost parallel loop of each nest), `inner` (the innermost
    one) or `all`. That a loop is parallel is decided exactly from the dependences. `loops` has
    the addresses of the loops that are to be marked, and no others; one that is not parallel is
    refused.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [false, true]

    After:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [false, true] loop_attributes [[], [#poly.parallel]]
    """

    name = "mark-parallel"

    which: Which = "outermost"
    loops: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        if self._addresses() and self.which != "outermost":
            raise OptionError(f"which is for loops that are searched: which={self.which}")

    @property
    def named(self) -> tuple[str, ...]:
        return statements_named(*self._addresses())

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        if self.loops:
            return mark_loops(scop.schedule, dependences, self._addresses())
        return mark_parallel(scop.schedule, dependences, self.which)

    def _addresses(self) -> tuple[Address, ...]:
        return tuple(map(parse_address, self.loops))
