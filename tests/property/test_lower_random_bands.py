"""Random band schedules of random statements: each instance runs once, in order."""

from __future__ import annotations

import pytest
from execution import with_parallel_loops
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from suites import examples
from traces import TracedProgram, lowered, mlir_text, run_trace

from polyir.tree.isl_border import from_text

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

SIZES = ({"n": 6, "m": 5}, {"n": 0, "m": 4}, {"n": 11, "m": -2})

# Each is a one-to-one function of (i, j) to two schedule dimensions.
SKEWS = ("i, j", "j, i", "-i, j", "i + j, j", "j - i, i", "i - 2j, -j", "2i + j, i", "i, 3j - i")
BOUNDS = (
    "0 <= i < n and 0 <= j < m",
    "0 <= i < n and i <= j < n",
    "-m <= i < n and i <= 2j < i + 7",
    "0 <= i < n and 0 <= j <= i and (i + 2j) mod 3 = 1",
    "0 <= i < n and (j = 2 or j = n - i)",
    "-n <= 3i <= m and i - m <= 4j <= n",
)
KINDS = ("default", "atomic", "separate")
TREES = examples(2, 6)


@st.composite
def trees(draw: st.DrawFn) -> str:
    """isl's text of a tree: statements scheduled alike but for a shift, perhaps tiled."""
    statements = ("S", "T")[: draw(st.integers(1, 2))]
    domain = "; ".join(f"{name}[i, j] : {draw(st.sampled_from(BOUNDS))}" for name in statements)
    shifts = {name: draw(st.integers(-3, 3)) for name in statements}
    skew = draw(st.sampled_from(SKEWS)).split(", ")
    tile = draw(st.sampled_from((0, 2, 3)))

    def member(position: int, form: str) -> str:
        parts = []
        for name in statements:
            expression = f"({skew[position]}) + {shifts[name] if position == 0 else 0}"
            parts.append(f"{name}[i, j] -> [{form.format(expression)}]")
        return f"{{ {'; '.join(parts)} }}"

    def band(form: str, child: str, kind: str) -> str:
        schedule = ", ".join(member(position, form) for position in range(2))
        mark = draw(st.booleans())
        options = "" if kind == "default" else f', options: "{{ {kind}[0]; {kind}[1] }}"'
        node = f'schedule: "[{schedule}]"{options}{child}'
        return f"mark: parallel, child: {{ {node} }}" if mark else node

    inner = ""
    if len(statements) > 1:
        order = draw(st.permutations(statements))
        filters = ", ".join(f'{{ filter: "{{ {name}[i, j] }}" }}' for name in order)
        inner = f", child: {{ sequence: [ {filters} ] }}"
    tree = band("{}", inner, draw(st.sampled_from(KINDS)))
    if tile:
        form = draw(st.sampled_from((f"floor(({{}})/{tile})", f"{tile}*floor(({{}})/{tile})")))
        tree = band(form, f", child: {{ {tree} }}", "default")
    return f'{{ domain: "[n, m] -> {{ {domain} }}", child: {{ {tree} }} }}'


@given(st.lists(trees(), min_size=TREES, max_size=TREES))
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
def test_instances_run_once_in_order(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    """Several programs at a time: the oracle's tools take longer to start than to run."""
    programs = [TracedProgram(with_parallel_loops(from_text(text))) for text in texts]
    oracle = Oracle(mlir_text(lowered(programs)), tmp_path_factory.getbasetemp() / "oracle")
    for number, program in enumerate(programs):
        for sizes in SIZES:
            values = {name: sizes[name] for name in program.parameters}
            trace = run_trace(oracle, f"f{number}", program, values)
            assert trace == program.expected(values), (texts[number], values)
