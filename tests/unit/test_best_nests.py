"""Trees that agree on what runs in turn, mixed by what their nests cost."""

from __future__ import annotations

from functools import reduce

import islpy as isl
import pytest

from polyir.base.diagnostics import LegalityError
from polyir.choose.best_nests import ScoredSchedule, best_nests
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.tree import Domain, Filter, Schedule, SequenceNode

DOMAIN = "{ A[i] : 0 <= i < 9; B[i] : 0 <= i < 9; C[i] : 0 <= i < 9; D[i] : 0 <= i < 9 }"


def scored(order: str, costs: tuple[float, ...], factor: int = 1) -> ScoredSchedule:
    """Nests in an order, as `AB C D`, with a loop whose function has a factor."""
    return ScoredSchedule(in_sequence(nests(order, factor)), costs)


def in_sequence(parts: list[Filter]) -> Schedule:
    domain = reduce(isl.UnionSet.union, (each.instances for each in parts))
    return Schedule(Domain((SequenceNode(tuple(parts)),), domain))


def nests(order: str, factor: int = 1) -> list[Filter]:
    parts: list[Filter] = []
    for nest in order.split():
        own = isl.UnionSet("{ " + "; ".join(f"{n}[i] : 0 <= i < 9" for n in nest) + " }")
        loop = isl.MultiUnionPwAff(
            "[{ " + "; ".join(f"{n}[i] -> [({factor}i)]" for n in nest) + " }]"
        )
        parts.append(Filter(Schedule.from_functions(loop, own).tree.children, own))
    return parts


def dependences(*relations: str) -> Dependences:
    items = [Dependence(DependenceKind.FLOW, "x", isl.Map(each)) for each in relations]
    return Dependences(True, tuple(items))


NONE = dependences()


def test_what_costs_less_is_taken_between_places_where_both_agree() -> None:
    best = scored("A B C D", (10, 10, 10, 10))
    other = scored("B A C D", (4, 4, 20, 9), factor=2)
    outcome, replaced = best_nests(best, [other], [0.95], NONE)
    assert [(each.statements, each.cost, each.cost_before) for each in replaced] == [
        (("A", "B"), 8, 20),
        (("D",), 9, 10),
    ]
    expected = in_sequence([*nests("B A", 2), *nests("C"), *nests("D", 2)])
    order = expected.map.intersect_domain(isl.UnionSet(DOMAIN))
    assert outcome.schedule.map.intersect_domain(isl.UnionSet(DOMAIN)).is_equal(order)
    assert outcome.proved


def test_the_margin_decides() -> None:
    best = scored("A B", (10, 10))
    other = scored("A B", (9, 10), factor=2)
    assert best_nests(best, [other], [0.9], NONE)[1] == ()
    assert [each.other for each in best_nests(best, [other], [0.91], NONE)[1]] == [0]


def test_equal_costs_are_no_reason() -> None:
    best = scored("A B", (10, 10))
    assert best_nests(best, [scored("A B", (10, 10), factor=2)], [1.1], NONE)[1] == ()


def test_of_several_the_largest_gain_is_taken() -> None:
    best = scored("A B C", (10, 10, 10))
    others = [scored("AB C", (12, 10), factor=2), scored("A B C", (3, 10, 10), factor=3)]
    replaced = best_nests(best, others, [0.9, 0.9], NONE)[1]
    assert [(each.statements, each.other) for each in replaced] == [(("A", "B"), 0)]


def test_sequences_that_never_agree_are_not_mixed() -> None:
    best = scored("A B C", (10, 10, 10))
    assert best_nests(best, [scored("C B A", (1, 1, 1))], [0.9], NONE)[1] == ()


def test_sequences_in_sequences_are_nests_of_their_own() -> None:
    best = scored("A B", (10, 10))
    whole = isl.UnionSet(DOMAIN)
    pairs = (isl.UnionSet("{ A[i]; B[i] }"), isl.UnionSet("{ C[i]; D[i] }"))
    filters = [whole.intersect(pair) for pair in pairs]
    outer = Schedule.from_domain(whole).root.child(0).insert_sequence(filters)
    inner = [isl.UnionSet("{ A[i] }"), isl.UnionSet("{ B[i] }")]
    nested = outer.child(0).child(0).insert_sequence(inner).schedule
    best = ScoredSchedule(nested, (10, 10, 10))
    other = scored("A B CD", (10, 2, 10), factor=2)
    replaced = best_nests(best, [other], [0.9], NONE)[1]
    assert [each.statements for each in replaced] == [("B",)]


def test_the_result_is_checked() -> None:
    best = scored("A B", (10, 10))
    wrong = scored("A B", (10, 1), factor=-1)
    backwards = dependences("{ B[i] -> B[i + 1] : 0 <= i < 8 }")
    with pytest.raises(LegalityError, match="running each nest as in its best schedule violates"):
        best_nests(best, [wrong], [0.9], backwards)
