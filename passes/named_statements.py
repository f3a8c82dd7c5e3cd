"""What passes share that change the nests of statements given by name."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.diagnostics import OptionError, nearest
from polyir.dialects.dependence import Dependences
from polyir.dialects.scop import ScopOp
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass, analysed_scops
from polyir.transform.address import Address, Reference


@dataclass(frozen=True)
class NamingPass(ScopPass):
    """A pass on the scops that have all `named` statements; the other scops are left alone.

    Raises `OptionError` if there is no such scop.
    """

    @property
    @abstractmethod
    def named(self) -> tuple[str, ...]:
        """The names of the statements that the options speak of."""

    @abstractmethod
    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        """The new schedule of a scop that has the statements."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = analysed_scops(ctx, op)
        if scops and not any(set(self.named) <= set(_names(scop)) for scop in scops):
            self._refuse(scops)
        super().apply(ctx, op)

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        if not set(self.named) <= set(_names(scop.op)):
            return Outcome(scop.schedule, (f"left alone: not all of {self._shown()} are here",))
        return self.transform_named(scop, dependences)

    def _refuse(self, scops: tuple[ScopOp, ...]) -> None:
        valid = list(dict.fromkeys(name for scop in scops for name in _names(scop)))
        for name in self.named:
            if name not in valid:
                hint = nearest(name, valid) or f" (statements: {', '.join(valid)})"
                raise OptionError(f"pass '{self.name}': there is no statement '{name}'{hint}")
        raise OptionError(f"pass '{self.name}': {self._shown()} are not in one scop")

    def _shown(self) -> str:
        return ", ".join(self.named)


def statements_named(*items: Address | Reference | None) -> tuple[str, ...]:
    """The names of the statements that addresses and references speak of, each once."""
    return tuple(dict.fromkeys(item.statement for item in items if item is not None))


def _names(scop: ScopOp) -> tuple[str, ...]:
    return tuple(statement.sym_name.data for statement in scop.statements)
