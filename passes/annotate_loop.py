"""The pass `annotate-loop`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import verify_loop_attributes
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.options import PassWithOptions
from polyir.passes.prerequisites import ScopPass
from polyir.transform.parallel import mark_loops
from polyir.tree.addresses import LoopAddress


@dataclass(frozen=True)
class AnnotateLoopPass(PassWithOptions):
    """Give a loop an attribute.

    `loop` is its address, as `--print-schedule` shows it, and `attribute` any attribute of a
    dialect. An attribute of the same name is replaced. `#poly.parallel`, `#poly.vector` and
    `#poly.map` are refused for a loop that carries a dependence.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [false, true]

    After `--annotate-loop="loop=S0.1 attribute='#poly.vector<8>'"`:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [false, true] loop_attributes [[], [#poly.vector<8>]]
    """

    name = "annotate-loop"

    loop: LoopAddress
    attribute: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            parser = Parser(ctx, self.attribute)
            attribute = parser.parse_attribute()
            if parser.pos < len(self.attribute):
                parser.raise_error("unexpected text after the attribute")
            verify_loop_attributes((attribute,))
        except (ParseError, VerifyException) as error:
            reason = error.msg if isinstance(error, ParseError) else str(error)
            raise OptionError(f"malformed loop attribute '{self.attribute}': {reason}") from None
        _Annotation(self.loop, attribute).apply(ctx, op)


@dataclass(frozen=True)
class _Annotation(ScopPass):
    """The pass with its attribute parsed, which takes the dialects of the context."""

    name = AnnotateLoopPass.name

    loop: LoopAddress
    attribute: Attribute

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return mark_loops(scop.schedule, dependences, [self.loop], self.attribute)
