"""Pragmas that say how the loop after them is to be executed, and not what it computes.

    #pragma omp parallel for private(t3)
    #pragma ivdep

Without them, a program means the same. In a region, passes decide how its loops are executed.
"""

from __future__ import annotations

import re
from typing import Final

from pycparser import c_ast

from polyir.frontend.c.names import nodes_below
from polyir.frontend.c.rewriting import rebuilt

_HINT: Final = re.compile(
    r"\s*(?:GCC\s+(?:ivdep|unroll|novector)|clang\s+loop|ivdep|(?:no)?vector|simd"
    r"|(?:no_?)?unroll(?:_and_jam)?|loop_count|omp\s+(?:parallel\s+)?for(?:\s+simd)?|omp\s+simd)\b"
)
# Variables that are set in the loop have other values after it than in C without OpenMP, and sums
# need no order.
_CHANGES: Final = re.compile(r"\b(?:reduction|firstprivate|linear|ordered)\b")


def without_loop_pragmas(node: c_ast.Node) -> c_ast.Node:
    """A statement without such pragmas in it."""
    if not any(_is_about_loop(inner) for inner in nodes_below(node)):
        return node
    if _is_about_loop(node):
        return c_ast.EmptyStatement(node.coord)
    return rebuilt(node, without_loop_pragmas)


def _is_about_loop(node: c_ast.Node) -> bool:
    if not isinstance(node, c_ast.Pragma):
        return False
    text = node.string or ""
    return _HINT.match(text) is not None and _CHANGES.search(text) is None
