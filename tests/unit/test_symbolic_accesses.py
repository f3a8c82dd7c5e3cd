"""Symbolic relations of accesses through index arrays, against execution on concrete arrays."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import islpy as isl
import pytest
from few_operations import allow
from index_array_programs import PROGRAMS, SIZE, Arrays, Instance, Pair
from xdsl.utils.exceptions import VerifyException

from polyir.base.diagnostics import InputSyntaxError, PolyirError
from polyir.dialects.dependence import Dependence
from polyir.frontend.parse import parse_module
from polyir.model import uninterpreted
from polyir.model.analysis import compute_dependences, ends_of
from polyir.model.dependence_text import format_dependences
from polyir.model.index_arrays import require_right_facts
from polyir.model.raising import raise_module
from polyir.model.scop import Scop, scop_of
from polyir.model.uninterpreted import Application, SymbolicPairs, symbolic_pairs
from polyir.universe import new_context


def scop_in(text: str) -> Scop:
    (op,) = raise_module(parse_module(text, "test.mlir", new_context()), data_loops=True).scops
    return scop_of(op)


def with_values(pairs: SymbolicPairs, arrays: Arrays) -> isl.Map:
    """The pairs for concrete index arrays: each function is a finite table."""
    points = pairs.terms.points
    for each in pairs.terms.applications:
        points = points.intersect(graph(each, points, arrays[each.function.name]))
    return pairs.without_terms(points)


def graph(application: Application, like: isl.Set, values: Iterable[int]) -> isl.Set:
    (argument,) = map(isl.PwAff.from_aff, application.arguments)
    local = isl.LocalSpace.from_space(like.get_space())
    result = isl.PwAff.from_aff(isl.Aff.var_on_domain(local, isl.dim_type.set, application.result))
    zero = isl.PwAff.from_aff(isl.Aff.zero_on_domain(local))
    found = isl.Set.empty(like.get_space())
    for index, value in enumerate(values):
        place = argument.eq_set(zero.add_constant_val(isl.Val(index)))
        found = found.union(place.intersect(result.eq_set(zero.add_constant_val(isl.Val(value)))))
    return found


def enumerated(dependence: Dependence, relation: isl.Map) -> set[Pair]:
    position = relation.find_dim_by_name(isl.dim_type.param, "n")
    if position >= 0:
        relation = relation.fix_val(isl.dim_type.param, position, isl.Val(SIZE))
    found: list[tuple[Instance, Instance]] = []
    count = relation.dim(isl.dim_type.in_)

    def add(point: isl.Point) -> None:
        width = point.get_space().dim(isl.dim_type.set)
        values = tuple(
            int(point.get_coordinate_val(isl.dim_type.set, n).to_python()) for n in range(width)
        )
        found.append(((dependence.source, values[:count]), (dependence.target, values[count:])))

    relation.project_out(
        isl.dim_type.param, 0, relation.dim(isl.dim_type.param)
    ).wrap().flatten().foreach_point(add)
    return {(dependence.kind, dependence.array, *pair) for pair in found}


@pytest.mark.parametrize("name", PROGRAMS)
def test_conditions_give_what_an_execution_finds(name: str) -> None:
    program = PROGRAMS[name]
    scop = scop_in(program.text)
    dependences = compute_dependences(scop, value_based=False)
    random = Random(name)
    for _ in range(12):
        arrays = program.arrays(random)
        found: set[Pair] = set()
        allowed: set[Pair] = set()
        for each in dependences.items:
            allowed |= enumerated(each, each.relation)
            for pairs in symbolic_pairs(each, *ends_of(scop, each)):
                found |= enumerated(each, with_values(pairs, arrays))
        expected = program.pairs(arrays)
        assert found == expected
        assert expected <= allowed


@pytest.mark.parametrize("name", PROGRAMS)
def test_value_based_dependences_order_what_an_execution_finds(name: str) -> None:
    program = PROGRAMS[name]
    dependences = compute_dependences(scop_in(program.text))
    random = Random(name)
    for _ in range(12):
        arrays = program.arrays(random)
        before: dict[Instance, set[Instance]] = {}
        for each in dependences.items:
            for _, _, source, target in enumerated(each, each.relation):
                before.setdefault(target, set()).add(source)
        for _, _, source, target in program.pairs(arrays):
            assert _reaches(before, source, target)


def _reaches(before: dict[Instance, set[Instance]], source: Instance, target: Instance) -> bool:
    waiting, seen = [target], {target}
    while waiting:
        for each in before.get(waiting.pop(), ()):
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return source in seen


def test_without_facts_every_pair_may_depend() -> None:
    scop = scop_in(PROGRAMS["copy"].text)
    expected = isl.Map("[n] -> { S0[i] -> S0[j] : 0 <= i < j < n }")
    items = compute_dependences(scop).items
    assert len(items) == 3
    assert all(each.relation.is_equal(expected) for each in items)


def test_injective_arrays_write_each_element_once() -> None:
    assert compute_dependences(scop_in(PROGRAMS["scatter"].text)).items == ()


def test_even_and_odd_elements_do_not_meet() -> None:
    text = format_dependences(
        scop := scop_in(PROGRAMS["even and odd"].text), compute_dependences(scop)
    )
    assert text.splitlines() == [
        "output  A  S0 (may) -> S0 (may)  (+)  "
        "[n] -> { S0[i] -> S0[i'] : p(i) = p(i') and i >= 0 and i < i' < n }"
    ]


def test_a_range_narrows_the_elements() -> None:
    scop = scop_in(PROGRAMS["scatter"].text)
    (access,) = [a for each in scop.statements for a in each.accesses if a.array == "A"]
    assert access.relation.range().is_equal(isl.Set("[n] -> { A[a] : 0 <= a <= 4 and n > 0 }"))


def test_facts_that_are_hard_to_use_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    scop = scop_in(PROGRAMS["scatter"].text)
    allow(monkeypatch, 5, "FACTS")
    (dependence,) = compute_dependences(scop).items
    assert dependence.relation.is_equal(isl.Map("[n] -> { S0[i] -> S0[j] : 0 <= i < j < n }"))


def test_the_time_that_facts_take_does_not_count_for_the_analysis(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[int] = []

    def narrowed(dependence: Dependence, *_: object) -> Dependence:
        limits.append(isl.DEFAULT_CONTEXT.get_max_operations())
        return dependence

    monkeypatch.setattr(uninterpreted, "without_impossible", narrowed)
    compute_dependences(scop_in(PROGRAMS["scatter"].text))
    assert limits == [0]


def test_a_parameter_that_is_cut_off_is_not_the_argument_of_a_range() -> None:
    text = """
    func.func @f(%n: index, %A: memref<?xf64>, %p: memref<?xindex> {
        poly.index_array = #poly.index_array<range = "[arg0] -> { [x] : 0 <= x < arg0 }">}) {
      CAST
      %zero = arith.constant 0.0 : f64
      affine.for %i = 0 to %m {
        %e = affine.load %p[%i] : memref<?xindex>
        memref.store %zero, %A[%e] : memref<?xf64>
      }
      return
    }"""
    for type, is_bounded in (("i64", True), ("i8", False)):
        casts = (
            f"%k = arith.index_cast %n : index to {type} %m = arith.index_cast %k : {type} to index"
        )
        scop = scop_in(text.replace("CAST", casts))
        (access,) = (a for each in scop.statements for a in each.accesses if a.array == "A")
        least = isl.Set("[m] -> { A[a] : a = -1 and m > 0 }")
        greatest = isl.Set("[m] -> { A[a] : a = m and m > 0 }")
        elements = access.relation.range()
        assert elements.is_disjoint(least)
        assert elements.is_disjoint(greatest) == is_bounded


def test_a_number_that_is_cut_off_is_no_element_of_the_array() -> None:
    text = (
        PROGRAMS["scatter"]
        .text.replace("%A[%e]", "%A[%wide]")
        .replace(
            "memref.store",
            "%narrow = arith.index_cast %e : index to i8\n"
            "%wide = arith.index_cast %narrow : i8 to index\nmemref.store",
        )
    )
    assert len(compute_dependences(scop_in(text)).items) == 1


def test_rows_of_a_sparse_matrix_do_not_meet() -> None:
    assert compute_dependences(scop_in(PROGRAMS["elements of rows"].text)).items == ()
    assert compute_dependences(scop_in(PROGRAMS["every other element"].text)).items != ()


@pytest.mark.parametrize(
    ("facts", "type", "message"),
    [
        ("injective", "index", "it is not a memref"),
        ("injective", "memref<?xf64>", "its elements are not integers"),
        ("increasing", "memref<?x?xindex>", "'increasing' needs one dimension"),
        ('range = "[arg7] -> { [x] : x < arg7 }"', "memref<?xindex>", "the function has 2"),
        ('range = "[arg1] -> { [x] : x < arg1 }"', "memref<?xindex>", "which is not an integer"),
        (
            'range = "[arg1_dim1] -> { [x] : x < arg1_dim1 }"',
            "memref<?xindex>",
            "which is not a dimension of a memref",
        ),
    ],
)
def test_facts_must_fit_their_argument(facts: str, type: str, message: str) -> None:
    attribute = f"{{poly.index_array = #poly.index_array<{facts}>}}"
    module = parse_module(
        f"func.func @f(%n: index, %p: {type} {attribute}) {{ return }}", "test.mlir", new_context()
    )
    (function,) = module.ops
    with pytest.raises(PolyirError, match=message):
        require_right_facts(function)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ("", "a fact about an index array"),
        ("sorted", "expected a fact: one of injective, increasing"),
        ("increasing, decreasing", "the second 'direction'"),
        ('range = "{ [x, y] }"', "a set of single numbers"),
        ('range = "{ [x] : x < 0 < x }"', "is empty"),
        ('range = "[n] -> { [x] : x < n }"', "depends on 'n'"),
        ('range = "{ [x"', "malformed"),
    ],
)
def test_facts_must_make_sense(facts: str, message: str) -> None:
    with pytest.raises((InputSyntaxError, PolyirError, VerifyException), match=message):
        parse_module(
            "func.func @f(%p: memref<?xindex> "
            f"{{poly.index_array = #poly.index_array<{facts}>}}) {{ return }}",
            "test.mlir",
            new_context(),
        ).verify()
