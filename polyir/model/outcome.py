"""What transformations hand back."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from xdsl.passes import ModulePass

from polyir.base.diagnostics import missed, remark
from polyir.dialects.dependence import Dependences
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.scop import ScopOp
from polyir.tree import Schedule
from polyir.tree.operations import set_schedule

if TYPE_CHECKING:
    from polyir.model.scop import Scop


@dataclass(frozen=True)
class Outcome:
    """A schedule, and what was and was not done to reach it, in words for the user.

    `done` becomes remarks. `missed` (what was asked for and left out, with the reason) becomes
    warnings. Both in the order of the decisions. `dependences` are the scop's from now on, where
    other false dependences hold in the new order than in the old one.

    `proved` says that all that was changed in the tree is proved: its order, flags and attributes
    of loops. What was not is checked before loops are made of it.
    """

    schedule: Schedule
    done: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    dependences: Dependences | None = None
    proved: bool = False
    name: str = "not-transformed"
    """The name of the kind of diagnostic that `missed` is."""


@dataclass(frozen=True)
class TreePass(ModulePass):
    """A pass that gives each scop another schedule tree, and can tell which without doing it."""

    @abstractmethod
    def outcome(self, scop: Scop) -> Outcome:
        """What the pass makes of a scop, whose operations do not change; it reports what it did."""


def require_outcome(outcome: object, scop: Scop) -> None:
    """Raise `TypeError` or `ValueError` if a pass does not return what it must for a scop."""
    if not isinstance(outcome, Outcome):
        raise TypeError(f"'transform' must return an Outcome, not {_kind(outcome)}")
    if not isinstance(outcome.schedule, Schedule):
        kind = _kind(outcome.schedule)
        raise TypeError(f"the schedule of an Outcome must be a polyir.tree.Schedule, not {kind}")
    for name in ("done", "missed"):
        messages: object = getattr(outcome, name)
        if not isinstance(messages, tuple) or not all(isinstance(m, str) for m in messages):
            raise TypeError(f"'{name}' of an Outcome must be a tuple of texts, not {messages!r}")
    if outcome.dependences is not None and not isinstance(outcome.dependences, Dependences):
        kind = _kind(outcome.dependences)
        raise TypeError(f"the dependences of an Outcome must be Dependences, not {kind}")
    if outcome.schedule is scop.schedule:
        return
    before, now = scop.domain, outcome.schedule.domain
    if now.is_equal(before):
        return
    # A schedule may order instances that the context excludes.
    within = now.intersect_params(scop.context)
    missing = before.intersect_params(scop.context).subtract(within)
    more = within.subtract(before)
    for what, instances in (("misses", missing), ("has further instances:", more)):
        if not instances.is_empty():
            raise ValueError(
                f"the schedule of an Outcome must be of the scop's domain, and {what} {instances}"
            )


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__qualname__


@dataclass(frozen=True)
class Rewritten:
    """What was done to the memory of a scop (remarks), and what was left and why (warnings)."""

    done: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()


class Messages(Protocol):
    """The messages of a transformation."""

    @property
    def done(self) -> tuple[str, ...]:
        """What it did."""

    @property
    def missed(self) -> tuple[str, ...]:
        """What it was asked to do and did not do, with the reasons."""


def report_outcome(pass_name: str, messages: Messages, scop: ScopOp, name: str) -> None:
    """Report what a pass did to a scop, and what it did not do.

    `name` is that of the kind of diagnostic of the latter.
    """
    for message in messages.done:
        remark(pass_name, message, scop)
    for message in messages.missed:
        missed(pass_name, message, scop, name=name)


def replace_tree(scop_op: ScopOp, outcome: Outcome) -> None:
    """Put the schedule of `outcome`, and its dependences if it has any, in the scop."""
    if outcome.dependences is not None:
        scop_op.dependences = DependencesAttr(outcome.dependences)
    set_schedule(scop_op, outcome.schedule)
