"""What the pragmas before a region say of arrays, and of sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pycparser import c_ast

from polyir.frontend.c.array_sizes import StatedSizes, is_size_pragma, stated_sizes
from polyir.frontend.c.expected_sizes import StatedSize, expectations_of, is_expectation
from polyir.frontend.c.index_arrays import StatedFacts, is_index_array_pragma, stated_facts
from polyir.frontend.c.names import names_assigned_in
from polyir.frontend.c.scopes import Scopes
from polyir.frontend.c.size_bounds import Bounds, both, bounds_after


@dataclass(frozen=True)
class Stated:
    """The facts about index arrays, and the sizes of arrays, by the names of the arrays.

    `expected` are the sizes that integers are expected to have, by their spelling, and `bounds`
    what conditions say of them.
    """

    facts: Mapping[str, StatedFacts] = field(default_factory=dict)
    sizes: Mapping[str, StatedSizes] = field(default_factory=dict)
    expected: Mapping[str, StatedSize] = field(default_factory=dict)
    bounds: Bounds = field(default_factory=dict)

    def after(self, pragma: c_ast.Pragma, scopes: Scopes) -> Stated:
        """The same with what another pragma says, for which `is_stating` holds.

        Raises `InputSyntaxError` for a pragma that makes no sense.
        """
        if is_expectation(pragma):
            expected = expectations_of(pragma, scopes)
            return replace(self, expected={**self.expected, **expected})
        if is_size_pragma(pragma):
            array, sizes = stated_sizes(pragma, scopes)
            return replace(self, sizes={**self.sizes, array: sizes})
        array, facts = stated_facts(pragma, scopes)
        return replace(self, facts={**self.facts, array: facts})

    def within(self, bounds: Bounds) -> Stated:
        """The same where a condition holds, too."""
        return replace(self, bounds=both(self.bounds, bounds)) if bounds else self

    def after_statement(self, item: c_ast.Node, scopes: Scopes) -> Stated:
        """The same after a statement, with what it says of integers that it does not change."""
        after = self.within(bounds_after(item, scopes))
        if not after.bounds:
            return after
        changed = names_assigned_in(item)
        kept = {name: each for name, each in after.bounds.items() if each.root not in changed}
        return replace(after, bounds=kept)


def is_stating(node: c_ast.Node | None) -> bool:
    """Whether a node is a pragma that says something of an array, or of sizes."""
    return is_index_array_pragma(node) or is_size_pragma(node) or is_expectation(node)
