"""Whether all threads of a block reach the barriers of an AST: what is around them decides."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from polyir.codegen.ast import (
    AstBlock,
    AstFor,
    AstIf,
    AstInstance,
    AstLet,
    AstMark,
    AstNode,
    statements_in,
    variables_in,
)


def are_for_all_threads(
    node: AstNode, barriers: AbstractSet[str], threads: AbstractSet[str]
) -> bool:
    """Whether no loop or condition around a barrier depends on the number of the thread.

    `barriers` are the names of statements, `threads` those of parameters.
    """
    match node:
        case AstInstance():
            return True
        case AstBlock():
            return all(are_for_all_threads(child, barriers, threads) for child in node.children)
        case AstMark():
            return are_for_all_threads(node.body, barriers, threads)
        case AstLet():
            is_same = variables_in(node.value).isdisjoint(threads)
            inside = threads if is_same else threads | {node.iterator}
            return are_for_all_threads(node.body, barriers, inside)
        case AstFor():
            deciding = variables_in(node.first) | variables_in(node.bound)
            parts = [node.body]
        case AstIf():
            deciding = variables_in(node.condition)
            parts = [node.then] + ([] if node.otherwise is None else [node.otherwise])
    if deciding.isdisjoint(threads):
        return all(are_for_all_threads(part, barriers, threads) for part in parts)
    return all(barriers.isdisjoint(statements_in(part)) for part in parts)
