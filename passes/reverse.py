"""The pass `reverse`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.affine_change import reverse
from polyir.tree.addresses import LoopAddress


@dataclass(frozen=True)
class ReversePass(ScopPass):
    """Run a loop from its last iteration to its first.

    `loop` is the address of the loop, as `--print-schedule` shows it. Illegal reversal is
    refused.

    Before:

        poly.band "[{ S0[i] -> [(i)] }]" coincident [true]

    After `--reverse=S0.0`:

        poly.band "[{ S0[i] -> [(-i)] }]" coincident [true]
    """

    name = "reverse"

    loop: LoopAddress

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return reverse(scop.schedule, dependences, self.loop)
