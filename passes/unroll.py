"""The pass `unroll`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import parse_address
from polyir.transform.strip_mine import UnrollOptions, unroll


@dataclass(frozen=True)
class UnrollPass(NamingPass):
    """Unroll a loop, by a factor or completely.

    `loop` is unrolled by `factor`; with 0, completely, which needs a constant number of
    iterations. What is left of the loop at its ends runs too, with conditions.

    Before:

        poly.band "[{ S0[i] -> [(i)] }]" coincident [true]

    After `--unroll="loop=S0.0 factor=4"`:

        poly.band "[{ S0[i] -> [(i - (i) mod 4)] }]" coincident [true]
            options "{ isolate[[] -> [i]] : ... }" {
          poly.band "[{ S0[i] -> [(i)] }]" coincident [true] loops [unroll]
        }
    """

    name = "unroll"

    loop: str
    factor: int = 0

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    @property
    def named(self) -> tuple[str, ...]:
        return statements_named(self._options().loop)

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        return unroll(scop.schedule, dependences, self._options())

    def _options(self) -> UnrollOptions:
        return UnrollOptions(parse_address(self.loop), self.factor)
