"""What a C compiler does by itself to loops that have no vectors yet.

Loops with a small constant number of iterations are unrolled completely, from the inside, before
vectors are made: the loop around them is the innermost one then. The limits are those of gcc
("GNU Compiler Collection", section "Optimize Options", parameters `max-completely-peel-times` and
`max-completely-peeled-insns`); those of clang are similar.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from polyir.choose.innermost import operations_of
from polyir.choose.loop_tree import Filters, Leaf, Loop, Node, Parts
from polyir.choose.program import StatementModel
from polyir.choose.regions import FAR
from polyir.dialects.loop_attributes import UNROLLED_ITERATIONS

MOST_OPERATIONS: Final = 200

Unrolled = dict[str, tuple[tuple[Loop, float], ...]]
"""For each statement, the loops around it that are unrolled, with their numbers of iterations."""


def unroll_small_loops(
    tree: Node, statements: Mapping[str, StatementModel]
) -> tuple[Node, Unrolled]:
    """The loops that are left, and those that are straight-line code for each statement.

    for i < n                      for i < n
      for k < 3                      s += a[i] * b[0]
        s += a[i + k] * b[k]         s += a[i + 1] * b[1]
                                     s += a[i + 2] * b[2]
    """
    unroller = _Unroller(statements)
    node, _ = unroller.unroll(tree, tuple(statements))
    return node, unroller.unrolled


class _Unroller:
    def __init__(self, statements: Mapping[str, StatementModel]) -> None:
        self._statements = statements
        self.unrolled: Unrolled = {}

    def unroll(self, node: Node, names: Iterable[str]) -> tuple[Node, float | None]:
        """The loops that are left of a node, and how many operations it is if none are left."""
        match node:
            case Leaf():
                return node, float(sum(operations_of(self._statements[name]) for name in names))
            case Parts(children):
                return self._parts(children, names)
            case _:
                return self._loop(node, names)

    def _parts(
        self, children: Iterable[tuple[Filters, Node]], names: Iterable[str]
    ) -> tuple[Node, float | None]:
        found, total = [], 0.0
        has_loops = False
        for filters, child in children:
            left, size = self.unroll(child, [name for name in names if name in filters])
            has_loops = has_loops or size is None
            total += size or 0.0
            found.append((filters, left))
        return Parts(tuple(found)), None if has_loops else total

    def _loop(self, loop: Loop, names: Iterable[str]) -> tuple[Node, float | None]:
        own = [name for name in names if name in loop.functions]
        body, size = self.unroll(loop.body, own)
        left = loop if body is loop.body else replace(loop, body=body)
        is_plain = not (loop.width or loop.rows or loop.is_parallel or loop.is_reduction)
        if size is None or not is_plain or not own:
            return left, None
        iterations = max(self._iterations(loop, name) for name in own)
        if iterations > UNROLLED_ITERATIONS or iterations * size > MOST_OPERATIONS:
            return left, None
        for name in own:
            self.unrolled[name] = ((left, iterations), *self.unrolled.get(name, ()))
        return body, iterations * size

    def _iterations(self, loop: Loop, name: str) -> float:
        """How many iterations a loop has at most, whatever the parameters are."""
        function, model = loop.functions[name], self._statements[name]
        if function.divisions or not function.linear.terms or model.constant.is_empty:
            return FAR
        low, high = model.constant.range(function.linear)
        return (high - low) / model.step(function) + 1
