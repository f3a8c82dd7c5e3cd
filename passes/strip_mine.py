"""The pass `strip-mine`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import parse_address
from polyir.transform.strip_mine import StripMineOptions, strip_mine


@dataclass(frozen=True)
class StripMinePass(NamingPass):
    """Cut a loop into a loop over strips and a loop within a strip.

    `loop` is cut into strips of `size` values. The order stays: tiling is strip-mining and
    interchange.

    Before:

        poly.band "[{ S0[i] -> [(i)] }]" coincident [true]

    After `--strip-mine="loop=S0.0 size=16"`:

        poly.band "[{ S0[i] -> [(i - (i) mod 16)] }, { S0[i] -> [(i)] }]"
            permutable coincident [true, true]
    """

    name = "strip-mine"

    loop: str
    size: int = 32

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    @property
    def named(self) -> tuple[str, ...]:
        return statements_named(self._options().loop)

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        return strip_mine(scop.schedule, dependences, self._options())

    def _options(self) -> StripMineOptions:
        return StripMineOptions(parse_address(self.loop), self.size)
