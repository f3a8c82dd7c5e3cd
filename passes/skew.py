"""The pass `skew`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import parse_address
from polyir.transform.affine_change import SkewOptions, skew


@dataclass(frozen=True)
class SkewPass(NamingPass):
    """Add a multiple of one loop to another.

    `loop` becomes `loop + factor * by`, where `by` is a loop around it or inside. Illegal skewing
    is refused.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]" coincident [false, false]

    After `--skew="loop=S0.1 by=S0.0"`:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(i + j)] }]"
            permutable coincident [false, false]
    """

    name = "skew"

    loop: str
    by: str
    factor: int = 1

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    @property
    def named(self) -> tuple[str, ...]:
        options = self._options()
        return statements_named(options.loop, options.by)

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        return skew(scop.schedule, dependences, self._options())

    def _options(self) -> SkewOptions:
        return SkewOptions(parse_address(self.loop), parse_address(self.by), self.factor)
