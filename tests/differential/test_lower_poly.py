"""Lowered schedule trees, run by the oracle: each instance once, in the tree's order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from execution import with_parallel_loops
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from traces import TracedProgram, lowered, mlir_text, run_trace
from xdsl.dialects import affine, omp
from xdsl.ir import Operation

from polyir.loops.affine_to_scf import convert_affine_to_scf
from polyir.loops.openmp import convert_parallel_to_omp
from polyir.tree.isl_border import from_text

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

RECTANGLE = "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m }"
TRIANGLE = "[n] -> { S[i, j] : 0 <= i < n and i <= j < n }"
SIZES = tuple({"n": n, "m": m} for n, m in ((5, 7), (9, 4), (1, 1), (0, 3), (-2, 8), (13, 13)))


def band(schedule: str, *below: str, options: str = "") -> str:
    """isl's text of a band node."""
    fields = [f'schedule: "{schedule}"']
    fields += [f'options: "{options}"'] if options else []
    fields += [f"child: {{ {child} }}" for child in below]
    return ", ".join(fields)


def marked(below: str) -> str:
    """isl's text of a band marked parallel."""
    return f"mark: parallel, child: {{ {below} }}"


def sequence(**children: str) -> str:
    """isl's text of a sequence of statements with what is below each."""
    filters = []
    for statement, below in children.items():
        child = f", child: {{ {below} }}" if below else ""
        filters.append(f'{{ filter: "{{ {statement} }}"{child} }}')
    return f"sequence: [ {', '.join(filters)} ]"


def program(domain: str, below: str, context: str = "") -> TracedProgram:
    """A traced program with the given domain and the tree below it."""
    tree = f'{{ domain: "{domain}", child: {{ {below} }} }}'
    return TracedProgram(with_parallel_loops(from_text(tree)), context)


PROGRAMS = {
    "rectangle": program(RECTANGLE, band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]")),
    "interchanged": program(TRIANGLE, band("[{ S[i,j] -> [j] }, { S[i,j] -> [i] }]")),
    "known positive": program(
        RECTANGLE, band("[{ S[i,j] -> [i + j] }, { S[i,j] -> [i] }]"), "n > 0 and m > 0"
    ),
    "skewed by a factor": program(RECTANGLE, band("[{ S[i,j] -> [2i + 3j] }, { S[i,j] -> [j] }]")),
    "backwards": program(TRIANGLE, band("[{ S[i,j] -> [-j] }, { S[i,j] -> [-i] }]")),
    "strided schedule": program(RECTANGLE, band("[{ S[i,j] -> [3i] }, { S[i,j] -> [-2j] }]")),
    "strided domain": program(
        "[n, m] -> { S[i, j] : -m <= i < n and i mod 3 = 1 and 0 <= j < m and (i + j) mod 2 = 0 }",
        band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"),
    ),
    "tiled": program(
        TRIANGLE,
        marked(
            band(
                "[{ S[i,j] -> [floor(i/4)] }, { S[i,j] -> [floor(j/3)] }]",
                band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"),
            )
        ),
    ),
    "tiled, scaled": program(
        TRIANGLE,
        marked(
            band(
                "[{ S[i,j] -> [4*floor(i/4)] }, { S[i,j] -> [3*floor(j/3)] }]",
                marked(band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]")),
            )
        ),
    ),
    "tiled in tiles": program(
        RECTANGLE,
        band(
            "[{ S[i,j] -> [floor(i/6)] }, { S[i,j] -> [floor(j/4)] }]",
            band(
                "[{ S[i,j] -> [floor(i/3)] }, { S[i,j] -> [floor(j/2)] }]",
                band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"),
            ),
        ),
    ),
    "wavefront of skewed tiles": program(
        RECTANGLE,
        band(
            "[{ S[i,j] -> [floor(i/2) + floor((i + j)/4)] }]",
            marked(
                band(
                    "[{ S[i,j] -> [floor(i/2)] }]",
                    band("[{ S[i,j] -> [i] }, { S[i,j] -> [i + j] }]"),
                )
            ),
        ),
    ),
    "tiles of negative coordinates": program(
        "[n, m] -> { S[i] : -m <= i < n }",
        band("[{ S[i] -> [floor(-i/3)] }, { S[i] -> [-i mod 3] }]", band("[{ S[i] -> [i] }]")),
    ),
    "remainder outside": program(
        "[n, m] -> { S[i] : -m <= i < n }", band("[{ S[i] -> [i mod 4] }, { S[i] -> [i] }]")
    ),
    "quotient bounds": program(
        "[n, m] -> { S[i, j] : n - m <= 3i <= n and i - m <= 4j and 2j < m }",
        band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"),
    ),
    "minimum and maximum": program(
        "[n, m] -> { S[i] : i >= 0 and i >= n - 5 and i >= 2m - 9 and i < n and i < 2m }",
        marked(band("[{ S[i] -> [i] }]")),
    ),
    "fused": program(
        "[n, m] -> { S[i] : 0 <= i < n; T[i] : 2 <= i < m }",
        marked(band("[{ S[i] -> [i]; T[i] -> [i] }]", sequence(**{"S[i]": "", "T[i]": ""}))),
    ),
    "fused, guarded": program(
        "[n, m] -> { S[i] : 0 <= i < n; T[i] : 0 <= i < m and i mod 3 = 1 }",
        band(
            "[{ S[i] -> [i]; T[i] -> [i + 2] }]",
            sequence(**{"T[i]": "", "S[i]": ""}),
            options="{ atomic[0] }",
        ),
    ),
    "fused, separated": program(
        "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m; T[i] : 1 <= i < n }",
        marked(
            band(
                "[{ S[i,j] -> [floor(i/3)]; T[i] -> [floor(i/3)] }]",
                band(
                    "[{ S[i,j] -> [i]; T[i] -> [i] }]",
                    sequence(**{"S[i,j]": band("[{ S[i,j] -> [j] }]"), "T[i]": ""}),
                    options="{ separate[0] }",
                ),
            )
        ),
    ),
    "unrolled": program(
        RECTANGLE,
        marked(
            band(
                "[{ S[i,j] -> [floor(i/4)] }, { S[i,j] -> [floor(j/2)] }]",
                band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]", options="{ unroll[1] }"),
            )
        ),
    ),
    "full tiles isolated": program(
        RECTANGLE,
        marked(
            band(
                "[{ S[i,j] -> [floor(i/4)] }, { S[i,j] -> [floor(j/4)] }]",
                band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]"),
                options="[n, m] -> { isolate[[] -> [a, b]] : 0 <= 4a and 4a + 3 < n"
                " and 0 <= 4b and 4b + 3 < m }",
            )
        ),
    ),
    "sequence at the top": program(
        "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m; T[i] : 0 <= i < m; U[] }",
        sequence(
            **{
                "T[i]": marked(band("[{ T[i] -> [-i] }]")),
                "U[]": "",
                "S[i,j]": band("[{ S[i,j] -> [j] }, { S[i,j] -> [i] }]"),
            }
        ),
    ),
    "one iteration": program(
        "[n, m] -> { S[i, j] : i = n and 0 <= j < m }",
        marked(band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]")),
    ),
    "two ends": program(
        "[n, m] -> { S[i] : 0 <= i < n and (i < 3 or i > n - 3) and (i != 1) }",
        marked(band("[{ S[i] -> [i] }]")),
    ),
    "two ends, one loop": program(
        "[n, m] -> { S[i] : 0 <= i < n and (i < m or i > 2m) }",
        band("[{ S[i] -> [i] }]", options="{ atomic[0] }"),
    ),
    "minimum as lower bound": program(
        "[n, m] -> { S[i] : n <= i < 12; T[i] : m <= i < n + 9 }",
        marked(
            band(
                "[{ S[i] -> [i]; T[i] -> [i] }]",
                sequence(**{"S[i]": "", "T[i]": ""}),
                options="{ atomic[0] }",
            )
        ),
    ),
    "minimum as inner lower bound": program(
        "[n, m] -> { S[k, i, j] : 0 <= k < 4 and n + k <= i < 12 and i <= 2j < i + k + 4;"
        " T[k, i] : 0 <= k < 4 and m - k <= i < n + 9 }",
        band(
            "[{ S[k,i,j] -> [k]; T[k,i] -> [k] }]",
            marked(
                band(
                    "[{ S[k,i,j] -> [i]; T[k,i] -> [i] }]",
                    sequence(**{"S[k,i,j]": marked(band("[{ S[k,i,j] -> [j] }]")), "T[k,i]": ""}),
                    options="{ atomic[0] }",
                )
            ),
        ),
    ),
    "either or": program(
        "[n, m] -> { S[i, j] : 0 <= i, j < n and i + j < m;"
        " T[i, j] : 0 <= i, j < n and i + j >= m }",
        band(
            "[{ S[i,j] -> [i]; T[i,j] -> [i] }, { S[i,j] -> [j]; T[i,j] -> [j] }]",
            sequence(**{"S[i,j]": "", "T[i,j]": ""}),
            options="{ atomic[0]; atomic[1] }",
        ),
    ),
    "either, or one of two": program(
        "[n, m] -> { S[i] : 0 <= i < n and (i < m or i mod 3 = 1);"
        " T[i] : 0 <= i < n and i >= m and i mod 3 != 1 }",
        band(
            "[{ S[i] -> [i]; T[i] -> [i] }]",
            sequence(**{"S[i]": "", "T[i]": ""}),
            options="{ atomic[0] }",
        ),
    ),
    "instances of one date": program(RECTANGLE, band("[{ S[i,j] -> [floor(i/2)] }]")),
    "no instance": program("[n, m] -> { S[i] : 0 <= i < n and i > n }", band("[{ S[i] -> [i] }]")),
    "pieces": program(
        "[n, m] -> { S[i] : 0 <= i < n }",
        band(
            "[n, m] -> [{ S[i] -> [(i)] : 2i < n; S[i] -> [(n - 2 + m - i)] : 2i >= n },"
            " { S[i] -> [i] }]"
        ),
    ),
    "context node": program(
        RECTANGLE,
        'context: "[n, m] -> { [] : n >= m - 40 }", child: { '
        + band("[{ S[i,j] -> [i] }, { S[i,j] -> [j] }]")
        + " }",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("oracle")


@pytest.fixture(scope="module")
def oracle(folder: Path) -> Oracle:
    """All programs, lowered and compiled as one module."""
    return Oracle(mlir_text(lowered(tuple(PROGRAMS.values()))), folder)


def admitted_sizes(traced: TracedProgram) -> Iterator[dict[str, int]]:
    """Sizes that make loops empty, short, and longer than a tile."""
    for sizes in SIZES:
        values = {parameter: sizes[parameter] for parameter in traced.parameters}
        if traced.admits(values):
            yield values


@pytest.mark.parametrize("name", PROGRAMS)
def test_instances_run_once_in_order(name: str, oracle: Oracle) -> None:
    traced, function = PROGRAMS[name], f"f{tuple(PROGRAMS).index(name)}"
    for values in admitted_sizes(traced):
        assert run_trace(oracle, function, traced, values) == traced.expected(values), values


def test_scf_runs_the_same_instances_in_order(folder: Path) -> None:
    """No affine operation is left, and those of scf and arith do the same."""
    module = lowered(tuple(PROGRAMS.values()))
    convert_affine_to_scf(module)
    module.verify()
    assert not [op.name for op in module.walk() if op.name.startswith("affine.")]
    scf_oracle = Oracle(mlir_text(module), folder)
    for number, (name, traced) in enumerate(PROGRAMS.items()):
        for values in admitted_sizes(traced):
            trace = run_trace(scf_oracle, f"f{number}", traced, values)
            assert trace == traced.expected(values), (name, values)


def test_openmp_runs_the_same_instances(folder: Path) -> None:
    """The threads of a team run each instance once, in whatever order."""
    module = lowered(tuple(PROGRAMS.values()))
    assert not convert_parallel_to_omp(module)
    module.verify()
    assert all(is_in_team(op) for op in module.walk() if isinstance(op, affine.ParallelOp))
    openmp_oracle = Oracle(mlir_text(module), folder)
    for number, (name, traced) in enumerate(PROGRAMS.items()):
        for values in admitted_sizes(traced):
            trace = run_trace(openmp_oracle, f"f{number}", traced, values)
            assert sorted(trace) == sorted(traced.expected(values)), (name, values)


def is_in_team(op: Operation) -> bool:
    """Whether `op` is somewhere in an `omp.parallel`."""
    parent = op.parent_op()
    return parent is not None and (isinstance(parent, omp.ParallelOp) or is_in_team(parent))
