"""The pass `split`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import parse_address, parse_reference
from polyir.transform.split import SplitOptions, split


@dataclass(frozen=True)
class SplitPass(NamingPass):
    """Split the instances of statements by a condition: those that meet it run first.

    `condition` is in isl's notation, on the iterators of `statements` and the parameters. They
    are split at `loop`, all of whose other instances run second; without `loop`, at the
    outermost one around the first statement. An illegal split is refused.

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

    statements: tuple[str, ...]
    condition: str
    loop: str | None = None

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    @property
    def named(self) -> tuple[str, ...]:
        options = self._options()
        return statements_named(*options.statements, options.loop)

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        return split(scop.schedule, dependences, self._options())

    def _options(self) -> SplitOptions:
        return SplitOptions(
            tuple(map(parse_reference, self.statements)),
            self.condition,
            None if self.loop is None else parse_address(self.loop),
        )
