"""The pass `scale`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import parse_address, parse_reference
from polyir.transform.affine_change import ScaleOptions, scale


@dataclass(frozen=True)
class ScalePass(NamingPass):
    """Spread statements along a loop, with gaps between their iterations.

    The values that `loop` has for `statements` are multiplied by `factor`; without `statements`,
    for all in the loop. Illegal scaling is refused.

    Before:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(i)] }]" coincident [false]

    After `--scale="loop=S1.0 factor=2 statements=S1"`:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(2i)] }]" coincident [false]
    """

    name = "scale"

    loop: str
    factor: int
    statements: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    @property
    def named(self) -> tuple[str, ...]:
        options = self._options()
        return statements_named(options.loop, *options.statements)

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        return scale(scop.schedule, dependences, self._options())

    def _options(self) -> ScaleOptions:
        return ScaleOptions(
            parse_address(self.loop), self.factor, tuple(map(parse_reference, self.statements))
        )
