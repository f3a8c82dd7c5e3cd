"""The pass `unroll-jam`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.sizes import JAMMED_ROWS
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.strip_mine import UnrollJamOptions, unroll_jam


@dataclass(frozen=True)
class UnrollJamPass(UnrollJamOptions, ScopPass):
    """Unroll a loop and jam the copies into its inner loops.

    `loop` is unrolled by `factor`, with the copies innermost. Illegal jamming is refused.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" coincident [true, true]

    After `--unroll-jam="loop=S0.0 factor=4"`:

        poly.band "[{ S0[i, j] -> [(i - (i) mod 4)] }]" coincident [true]
            options "{ isolate[[] -> [i]] : ... }" {
          poly.band "[{ S0[i, j] -> [(j)] }]" coincident [true] {
            poly.band "[{ S0[i, j] -> [(i)] }]" coincident [true] loops [unroll]
          }
        }
    """

    name = "unroll-jam"

    factor: int = JAMMED_ROWS

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return unroll_jam(scop.schedule, dependences, self)
