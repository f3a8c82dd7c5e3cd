"""Whether the AST that isl generates does what the schedule tree says.

isl has been seen to lose instances of strided statements, and to generate statements of the same
date in the wrong order. Both checks are exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, takewhile

import islpy as isl

from polyir.codegen.ast import AstBlock, AstFor, AstIf, AstInstance, AstLet, AstMark, AstNode
from polyir.isl_lists import maps_of


def is_partition(parts: Sequence[isl.UnionSet], whole: isl.UnionSet) -> bool:
    """Whether every element of `whole` is in exactly one of `parts`."""
    union = isl.UnionSet.empty(whole.get_space())
    for part in parts:
        if not union.is_disjoint(part):
            return False
        union = union.union(part)
    return whole.is_subset(union)


def is_in_order(root: AstNode, dates: Sequence[isl.Map], times: isl.UnionMap) -> bool:
    """Whether instances are executed in the order of their times.

    `dates` are the iterators of the loops around each instance node, `{ S[i] -> [c] }`, by the
    numbers of the nodes, and `times` is `{ S[i] -> [t] }` by the schedule tree. Loops count up,
    so only instances in one iteration of the loops that two nodes have in common may be in the
    wrong order.
    """
    by_statement = {each.get_tuple_name(isl.dim_type.in_): each for each in maps_of(times)}
    for (first, loops), (second, others) in combinations(_instances(root, ()), 2):
        names = (dates[node.number].get_tuple_name(isl.dim_type.in_) for node in (first, second))
        earlier, later = (by_statement[name] for name in names)
        if _is_always_earlier(earlier, later):
            continue
        pairs = zip(loops, others, strict=False)
        common = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        before, after = (_outer(dates[node.number], common) for node in (first, second))
        wrong = before.apply_range(after.reverse()).intersect(earlier.lex_gt_map(later))
        if not wrong.is_empty():
            return False
    return True


def _instances(
    node: AstNode, loops: tuple[AstFor | AstLet, ...]
) -> Iterator[tuple[AstInstance, tuple[AstFor | AstLet, ...]]]:
    """The instance nodes in the order of execution, each with the loops around it."""
    match node:
        case AstFor() | AstLet():
            yield from _instances(node.body, (*loops, node))
        case AstIf():
            yield from _instances(node.then, loops)
            if node.otherwise is not None:
                yield from _instances(node.otherwise, loops)
        case AstBlock():
            for child in node.children:
                yield from _instances(child, loops)
        case AstMark():
            yield from _instances(node.body, loops)
        case AstInstance():
            yield node, loops


def _outer(dates: isl.Map, loops: int) -> isl.Map:
    """`{ S[i] -> [c] }` for so many outer loops."""
    inner = dates.dim(isl.dim_type.out) - loops
    return dates.project_out(isl.dim_type.out, loops, inner)


def _is_always_earlier(first: isl.Map, second: isl.Map) -> bool:
    """Whether constants at the beginning of the times say so, as those of a sequence do."""
    for position in range(first.dim(isl.dim_type.out)):
        one, other = (
            times.plain_get_val_if_fixed(isl.dim_type.out, position) for times in (first, second)
        )
        if not (one.is_int() and other.is_int() and one.eq(other)):
            return bool(one.is_int() and other.is_int() and one.lt(other))
    return False
