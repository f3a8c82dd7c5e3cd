"""The pass `unroll`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.strip_mine import UnrollOptions, unroll


@dataclass(frozen=True)
class UnrollPass(UnrollOptions, ScopPass):
    """Unroll a loop, by a factor or completely.

    `loop` is unrolled by `factor`; with 0, completely, which requires a constant number of
    iterations. Remaining iterations at both ends of the loop run under conditions.

    Before:

        poly.band "[{ S0[i] -> [(i)] }]" coincident [true]

    After `--unroll="loop=S0.0 factor=4"`:

        poly.band "[{ S0[i] -> [(i - (i) mod 4)] }]" coincident [true]
            options "{ isolate[[] -> [i]] : ... }" {
          poly.band "[{ S0[i] -> [(i)] }]" coincident [true] loops [unroll]
        }
    """

    name = "unroll"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return unroll(scop.schedule, dependences, self)
