"""What C operations of other packages become: a trait by which they say it themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod

from xdsl.ir import Operation
from xdsl.traits import OpTrait

from polyir.target.c.body import Body


class SpelledInC(OpTrait, ABC):
    """The trait of an operation without regions that has statements in C."""

    @abstractmethod
    def translate(self, body: Body, op: Operation) -> None:
        """Add the statements of `op` to `body`, and define its results.

        `body.value` gives the expression of an operand, `body.element` that of an element of a
        memref, `body.add` adds a statement, and `body.define` gives a result its value
        (`polyir.target.c.syntax` has the parts of C). The operation runs once, in the order of the
        operations around it; it may write to each memref that it has as an operand, and to no other
        memory. Raises `TargetError` for what the language of `body.dialect` cannot say.
        """
