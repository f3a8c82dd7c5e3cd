"""Loops over convex sets around instances: used where isl fails, equal in what they execute."""

from __future__ import annotations

import islpy as isl
import pytest
from equation_runs import assert_same, compiled
from equation_systems import random_inputs, random_system
from few_operations import allow

from polyir.codegen import ast_build
from polyir.codegen.wider_domains import is_wider, with_wider_domains
from polyir.equations.element_types import ElementType
from polyir.tree import Schedule
from polyir.tree.isl_border import from_text, to_isl

CONTEXT = isl.Set("[n] -> { : n >= 1 }")


def test_points_without_instances_are_known_by_their_names() -> None:
    domain = "[n] -> { S[i] : 0 <= i < n and (i mod 2 = 0 or i mod 3 = 0); T[i] : 0 <= i < n }"
    schedule = from_text(
        f'{{ domain: "{domain}", child: {{ schedule: "[{{ S[i] -> [i]; T[i] -> [i] }}]" }} }}'
    )
    wider = with_wider_domains(schedule, CONTEXT)
    assert wider is not None
    root = isl.AstBuild.from_context(CONTEXT).node_from_schedule(to_isl(wider))
    text = root.to_C_str()
    assert "for (int c0 = 0; c0 < n; c0 += 1)" in text
    assert all(f" {name}(c0);" in text for name in ("S", "S~", "T"))
    assert "T~" not in text
    assert is_wider("S~")
    assert not is_wider("S")


def test_no_wider_domains() -> None:
    convex = from_text('{ domain: "[n] -> { S[i] : 0 <= i < n }" }')
    assert with_wider_domains(convex, CONTEXT) is None


# With cases of remainders, unions, and reductions over both.
@pytest.mark.parametrize("seed", [2, 7, 39])
def test_used_where_isl_takes_too_many_operations(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, element_type = random_system(seed), ElementType.I64
    usual = compiled(system, element_type)
    allow(monkeypatch, 10, "USUAL_LOOPS", "ATOMIC_LOOPS")
    used: list[bool] = []

    def recorded(schedule: Schedule, context: isl.Set) -> Schedule | None:
        wider = with_wider_domains(schedule, context)
        used.append(wider is not None)
        return wider

    monkeypatch.setattr(ast_build, "with_wider_domains", recorded)
    function = compiled(system, element_type)
    # The original, which runs where memory that was added cannot be allocated, has loops, too.
    assert used
    assert all(used)
    for n in (1, 5, 8):
        inputs = random_inputs(system, {"N": n}, element_type, seed)
        assert_same(system, {"N": n}, inputs, element_type, usual)
        assert_same(system, {"N": n}, inputs, element_type, function)
