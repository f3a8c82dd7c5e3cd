"""Two attributes of loops, and a pass that sets them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import CutPart, LoopAttribute
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.parallel import mark_loops
from polyir.tree.addresses import LoopAddress


class NumberAttr(Data[int]):
    """An attribute with a number."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        with parser.in_angle_brackets():
            return parser.parse_integer()

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.data))


@irdl_attr_definition
class DistanceAttr(NumberAttr):
    """`#prefetching.distance<3>`: without rules of its own."""

    name = "prefetching.distance"


@irdl_attr_definition
class BlockAttr(NumberAttr, LoopAttribute):
    """`#prefetching.block<3>`: stays with the loop over tiles."""

    name = "prefetching.block"

    def part_after_cut(self) -> CutPart:
        return "outer"


@dataclass(frozen=True)
class PrefetchPass(ScopPass):
    """Give a loop both attributes."""

    name = "prefetch"

    loop: LoopAddress
    distance: int = 1

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        schedule = scop.schedule
        for attribute in (DistanceAttr(self.distance), BlockAttr(self.distance)):
            schedule = mark_loops(schedule, dependences, [self.loop], attribute).schedule
        return Outcome(schedule, (f"prefetch {self.distance} ahead in {self.loop}",))
