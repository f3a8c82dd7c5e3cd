"""The pass `split`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.split import SplitOptions, split


@dataclass(frozen=True)
class SplitPass(SplitOptions, ScopPass):
    """Split the instances of statements by a condition: those that meet it run first.

    `condition` is in isl's notation, on the iterators of `statements` and the parameters. The
    split is at `loop` (by default, the outermost loop around the first statement), all of whose
    other instances run second. An illegal split is refused.

    Before:

        poly.band "[{ S0[i] -> [(i)] }]" coincident [true]

    After `--split="statements=S0 condition='i < floor(n/2)'"`:

        poly.sequence {
          poly.filter "[n] -> { S0[i] : 2i <= -2 + n }" {
            poly.band "[{ S0[i] -> [(i)] }]" coincident [true]
          }
          poly.filter "[n] -> { S0[i] : 2i >= -1 + n }" {
            poly.band "[{ S0[i] -> [(i)] }]" coincident [true]
          }
        }
    """

    name = "split"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return split(scop.schedule, dependences, self)
