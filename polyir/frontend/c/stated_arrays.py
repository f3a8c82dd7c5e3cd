"""What the pragmas before a region say of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pycparser import c_ast

from polyir.frontend.c.array_sizes import StatedSizes, is_size_pragma, stated_sizes
from polyir.frontend.c.index_arrays import StatedFacts, is_index_array_pragma, stated_facts
from polyir.frontend.c.scopes import Scopes


@dataclass(frozen=True)
class StatedArrays:
    """The facts about index arrays, and the sizes of arrays, by the names of the arrays."""

    facts: Mapping[str, StatedFacts] = field(default_factory=dict)
    sizes: Mapping[str, StatedSizes] = field(default_factory=dict)

    def after(self, pragma: c_ast.Pragma, scopes: Scopes) -> StatedArrays:
        """The same with what another pragma says, for which `is_about_array` holds.

        Raises `InputSyntaxError` for a pragma that makes no sense.
        """
        if is_size_pragma(pragma):
            array, sizes = stated_sizes(pragma, scopes)
            return replace(self, sizes={**self.sizes, array: sizes})
        array, facts = stated_facts(pragma, scopes)
        return replace(self, facts={**self.facts, array: facts})


def is_about_array(node: c_ast.Node | None) -> bool:
    """Whether a node is a pragma that says something of an array."""
    return is_index_array_pragma(node) or is_size_pragma(node)
