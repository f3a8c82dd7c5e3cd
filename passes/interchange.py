"""The pass `interchange`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.interchange import InterchangeOptions, interchange


@dataclass(frozen=True)
class InterchangePass(InterchangeOptions, ScopPass):
    """Interchange two loops of a perfect nest.

    `loops` are the addresses of the two loops, as `--print-schedule` shows them. An illegal
    interchange is refused.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [true, false]

    After `--interchange=S0.0,S0.1`:

        poly.band "[{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]"
            permutable coincident [false, true]
    """

    name = "interchange"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return interchange(scop.schedule, dependences, self)
