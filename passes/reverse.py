"""The pass `reverse`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import Address, parse_address
from polyir.transform.affine_change import reverse


@dataclass(frozen=True)
class ReversePass(NamingPass):
    """Run a loop from its last iteration to its first.

    `loop` is the address of the loop, as `--print-schedule` shows it. Illegal reversal is
    refused.

    Before:

        poly.band "[{ S0[i] -> [(i)] }]" coincident [true]

    After `--reverse=S0.0`:

        poly.band "[{ S0[i] -> [(-i)] }]" coincident [true]
    """

    name = "reverse"

    loop: str

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    @property
    def named(self) -> tuple[str, ...]:
        return statements_named(self._options())

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        return reverse(scop.schedule, dependences, self._options())

    def _options(self) -> Address:
        return parse_address(self.loop)
