"""Systems of equations as `poly.scop`: order, memory, processors, and what is refused."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import numpy as np
import pytest
from equation_systems import random_system
from few_operations import budget_of
from xdsl.dialects.builtin import ModuleOp

import polyir
from polyir import api
from polyir.base.diagnostics import (
    LegalityError,
    OptionError,
    PolyirError,
    Remark,
    RemarkKind,
    remarks_to,
)
from polyir.base.limits import within_operations
from polyir.dialects.dependence import union_of
from polyir.dialects.schedule_tree import BandOp, walk_tree
from polyir.dialects.scop import ScopOp, scops_in
from polyir.equations.element_types import ElementType
from polyir.equations.evaluation import evaluate
from polyir.equations.first_schedule import first_schedule
from polyir.equations.inlining import inlined
from polyir.equations.pieces import definitions_of
from polyir.equations.statements import computations_of
from polyir.equations.text.reader import read_program
from polyir.equations.to_scop import add_function
from polyir.model.analysis import ORDERING_KINDS, compute_dependences
from polyir.model.scop import scop_of
from polyir.tree import Schedule

STRIDED = """
affine strided [N] -> {: N > 0}
inputs A : {[i] : 0 <= i < N}
outputs X : {[i] : 0 <= i < N and (i mod 2 = 0 or i mod 3 = 0)}
let X[i] = case {
      {: i mod 6 = 3 or i mod 6 = 4} : X[i - 1] * A[i];
      {: i mod 6 = 0 or i mod 6 = 2} : A[i];
    };
.
"""

STENCIL = """
affine stencil [T, N] -> {: T > 0 and N > 2}
inputs A : {[i, j] : 0 <= i < N and 0 <= j < N}
outputs R : {[i, j] : 0 <= i < N and 0 <= j < N}
locals X : {[t, i, j] : 0 <= t <= T and 0 <= i < N and 0 <= j < N}
let X[t, i, j] = case {
      {: t = 0} : A[i, j];
      {: t > 0 and j > 0} : X[t - 1, i, j] + X[t - 1, i, j - 1];
      {: t > 0 and j = 0} : X[t - 1, i, j];
    };
    R[i, j] = X[T, i, j];
.
"""


SUMS = """
affine sums [N] -> {: N > 0}
inputs A : {[i, j] : 0 <= i < N and 0 <= j <= i}
outputs R : {[i] : 0 <= i < N}  M : {}
let R[i] = reduce(+, [j], case { {: j = 0} : A[i, j]; {: 0 < j <= i} : A[i, j] * A[i, j - 1]; });
    M = reduce(max, [i], R[i] + 1);
.
"""


def scop_of_text(text: str, element_type: ElementType = ElementType.F64) -> ScopOp:
    """The scop of the last system of a text."""
    program = read_program(text)
    module = ModuleOp([])
    add_function(module, inlined(program, program.systems[-1].name), element_type)
    module.verify()
    return scops_in(module)[0]


def sequential_loops(scop: ScopOp) -> int:
    """How many loops of the tree are sequential and have more than a constant number of steps."""
    count = 0
    for node in walk_tree(scop.tree):
        if isinstance(node, BandOp):
            schedule = node.schedule.data
            for place, flag in enumerate(node.coincident):
                if not flag.value.data:
                    functions = schedule.get_at(place).get_pw_aff_list()
                    values = (functions.get_at(n) for n in range(functions.n_pw_aff()))
                    count += not all(each.is_cst() for each in values)
    return count


def test_the_strided_loop_takes_constant_time() -> None:
    """The example of section 15.2.2: the longest chain has three points."""
    scop = scop_of_text(STRIDED)
    assert sequential_loops(scop) == 0
    # The points of each remainder of 6 by which the chain goes are a statement.
    assert len(scop.statements) == 3


def test_without_lattices_it_takes_linear_time() -> None:
    line = STRIDED.replace("(i mod 2 = 0 or i mod 3 = 0)", "i >= 0")
    line = line.replace("i mod 6 = 3 or i mod 6 = 4", "i > 0").replace(
        "i mod 6 = 0 or i mod 6 = 2", "i = 0"
    )
    assert sequential_loops(scop_of_text(line)) == 1


def test_each_element_is_written_once_unless_a_reduction_does() -> None:
    scop = scop_of(scop_of_text(STENCIL))
    for array in ("X", "R"):
        writes = [
            access.relation
            for statement in scop.statements
            for access in statement.accesses
            if access.array == array and access.kind.value == "write"
        ]
        assert writes
        elements = isl.Set.empty(writes[0].get_space().range())
        for write in writes:
            assert write.is_injective()
            assert write.range().is_disjoint(elements)
            elements = elements.union(write.range())


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("X[i] = case { {: i > 0} : A[i]; };", r"'X' is not defined at .* example \[0\] for N = 1"),
        ("X[i] = case { A[i]; {: i = 2} : A[i]; };", r"'X' is defined twice at .* example \[2\]"),
        (
            "X[i] = case { {: i < N - 1} : A[i] + X[i + 1] ; {: i = N - 1} : X[0] ; };",
            "'X' needs itself, and no order",
        ),
        (
            "X[i] = Y[i] + 1; Y[i] = X[i] * 2;",
            "'X' and 'Y' need each other, and no order",
        ),
    ],
)
def test_what_is_refused(equation: str, message: str) -> None:
    line = "{[i] : 0 <= i < N}"
    needs_y = f"locals Y : {line}" if "Y" in equation else ""
    text = (
        f"affine bad [N] -> {{: N > 0}} inputs A : {line} outputs X : {line} {needs_y} "
        f"let {equation} ."
    )
    with pytest.raises(PolyirError, match=message):
        scop_of_text(text)


def test_memory_of_local_variables_is_shared() -> None:
    module = api.parse(STENCIL)
    with remarks_to(lambda remark: None):
        whole = api.run_pipeline(module, "equations-to-scop,allocate-memory{mapping=identity}")
        shared = api.run_pipeline(module, "equations-to-scop,allocate-memory")
    assert "memref<?x?x?xf64>" in str(whole)
    assert "memref<2x?x?xf64>" in str(shared)


def test_memory_of_a_stencil_in_three_dimensions_is_shared() -> None:
    """Under a skewed schedule, with statements for the boundary."""
    text = (Path(__file__).parents[2] / "benchmarks/equations/heat-3d.alpha").read_text()
    remarks: list[str] = []
    with remarks_to(lambda remark: remarks.append(remark.message)):
        api.run_pipeline(api.parse(text), "pluto-schedule,allocate-memory")
    assert "Y contracted from memref<?x?x?x?xf64> to memref<?x?x?xf64>" in remarks
    assert "X contracted from memref<?x?x?x?xf64> to memref<2x?x?x?xf64>" in remarks


def test_processors_of_the_parallel_loops() -> None:
    remarks: list[str] = []
    with remarks_to(lambda remark: remarks.append(remark.message)):
        result = api.run_pipeline(api.parse(STENCIL), "feautrier-schedule,allocate-processors")
    assert "S_X_0 on processor [i, j]" in remarks
    assert str(result).count("#poly.parallel") >= 4


def test_processors_that_are_given() -> None:
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(STENCIL), "equations-to-scop")
        names = [each.sym_name.data for each in scops_in(module)[0].statements]
        arity = {
            each.sym_name.data: len(each.body.block.args) for each in scops_in(module)[0].statements
        }

        def allocated(of: str) -> ModuleOp:
            rows = {3: f"[t, i, j] -> [{of}]", 2: "[i, j] -> [i, j]"}
            text = "; ".join(f"{name}{rows[arity[name]]}" for name in names)
            return api.run_pipeline(module, f'allocate-processors{{allocation="{{ {text} }}"}}')

        skewed = allocated("i + j, j")
        assert "[(i + j)]" in str(skewed)
        with pytest.raises(LegalityError, match=r"S_X\w*\[.*\] and S_X\w*\[.*\] run at one time"):
            allocated("i + j")
    with pytest.raises(OptionError, match="not an allocation"):
        api.run_pipeline(module, 'allocate-processors{allocation="[i"}')


@pytest.mark.parametrize("pipeline", [None, "optimize", "allocate-processors"])
def test_compile_takes_a_file_of_equations(tmp_path: Path, pipeline: str | None) -> None:
    file = tmp_path / "stencil.alpha"
    file.write_text(STENCIL)
    with remarks_to(lambda remark: None):
        kernels = polyir.compile(str(file), pipeline=pipeline)
    array = np.random.default_rng(0).random((9, 9))
    result = np.zeros((9, 9))
    kernels.stencil(4, 9, array, result)
    program = read_program(STENCIL)
    expected = evaluate(inlined(program, "stencil"), {"T": 4, "N": 9}, {"A": array})
    assert np.array_equal(result, expected.outputs["R"])


@pytest.mark.parametrize("text", [STENCIL, SUMS], ids=["stencil", "sums"])
def test_dependences_are_those_of_dataflow_analysis(text: str) -> None:
    op = scop_of_text(text)
    assert op.dependences is not None
    known = op.dependences.data
    found = compute_dependences(scop_of(op))
    assert [(each.kind, each.array, each.source, each.target) for each in known.items] == [
        (each.kind, each.array, each.source, each.target) for each in found.items
    ]
    for one, other in zip(known.items, found.items, strict=True):
        assert one.relation.is_equal(other.relation)


@pytest.mark.parametrize("seed", range(20))
def test_dependences_of_random_systems(seed: int) -> None:
    system = random_system(seed)
    module = ModuleOp([])
    add_function(module, system)
    scop = scop_of(scops_in(module)[0])
    known = scop.dependences
    assert known is not None
    found = compute_dependences(scop, is_bounded=False)
    space = scop.context.get_space()
    for kind in ORDERING_KINDS:
        one = union_of(known.of_kind(kind), space)
        other = union_of(found.of_kind(kind), space)
        assert one.is_equal(other), kind


def test_wrong_equations_are_not_compiled(tmp_path: Path) -> None:
    """A traceback has the place, and a path names a file, with whatever an editor puts in it."""
    file = tmp_path / "wrong.alpha"
    head = "\ufeffaffine wrong [N] -> {: N > 0} // \u2264\r\n inputs A : [N]"
    text = f"{head} outputs X : [N]\r\n let X = "
    file.write_text(f"{text}(i -> i + 1)@A; .", encoding="utf-8", newline="")
    with pytest.raises(PolyirError, match="'A' is used outside its domain") as caught:
        polyir.compile(file)
    assert caught.value.__notes__ == [f"at {file}:3:23"]
    file.write_text(f"{text}A; .", encoding="utf-8", newline="")
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        kernels = polyir.compile(file)
    assert all(each.kind is RemarkKind.REMARK for each in remarks)
    found = np.zeros(2)
    kernels.wrong(2, np.array([3.0, 4.0]), found)
    assert found.tolist() == [3.0, 4.0]


def test_reductions_as_trees() -> None:
    text = """
    affine total [N] -> {: N > 0}
    inputs A : {[i] : 0 <= i < N}
    outputs S, M : {}
    let S = reduce(+, [i], A[i]); M = reduce(max, [i], A[i]);
    .
    """
    program = read_program(text)
    with remarks_to(lambda remark: None):
        for spec, statements in (("", 4), ("tree=8", 6), ("tree=8 reassociate=true", 8)):
            pipeline = f"equations-to-scop{{{spec}}}"
            module = api.run_pipeline(api.parse(text), pipeline)
            assert len(scops_in(module)[0].statements) == statements
        whole = api.run_pipeline(api.parse(text), "equations-to-scop{element-type=i64 tree=8}")
        kernels = api.compile(whole, pipeline="")
    numbers = np.arange(100) ** 3
    total, greatest = np.zeros((), np.int64), np.zeros((), np.int64)
    kernels.total(100, numbers, total, greatest)
    expected = evaluate(program.systems[0], {"N": 100}, {"A": numbers}, ElementType.I64).outputs
    assert (total, greatest) == (expected["S"], expected["M"])
    with pytest.raises(OptionError, match="tree must be"):
        api.run_pipeline(api.parse(text), "equations-to-scop{tree=1}")


def test_late_statements_run_before_what_needs_them() -> None:
    """Boundary values are copied step by step, so that memory for two steps is enough."""
    text = (Path(__file__).parents[2] / "benchmarks/equations/jacobi-1d.alpha").read_text()
    with remarks_to(lambda remark: None):
        early = api.run_pipeline(
            api.parse(text), "equations-to-scop,feautrier-schedule,allocate-memory"
        )
        late = api.run_pipeline(
            api.parse(text), "equations-to-scop,feautrier-schedule{late=true},allocate-memory"
        )
    assert "%X = memref.alloc(%0, %1) : memref<?x?xf64>" in str(early)
    assert "%X = memref.alloc(%1) : memref<?xf64>" in str(late)


def test_arrays_of_the_caller_need_an_affine_least_index() -> None:
    line = "{[i] : i >= 0 and i >= N - 5 and i < N}"
    text = f"affine s [N] -> {{: N > 0}} outputs X : {line} let X[i] = 1; ."
    with pytest.raises(PolyirError, match="the least index of 'X' along dimension 1"):
        scop_of_text(text)
    # Locals may have more memory than they need.
    text = (
        f"affine s [N] -> {{: N > 0}} outputs R : {{}} locals X : {line} "
        "let X[i] = val[i]; R = reduce(+, [i], X[i]); ."
    )
    system = read_program(text).systems[0]
    kernels = api.compile(text, pipeline="")
    for n in (3, 9):
        result = np.zeros(())
        kernels.s(n, result)
        assert result == evaluate(system, {"N": n}, {}).outputs["R"]


# Where the parts of its reductions overlapped, isl took twenty times as many.
def test_order_of_sums_over_lattices_is_found_in_few_operations() -> None:
    system = random_system(255)
    context = system.context.intersect(system.body.context)
    definitions = definitions_of(system)

    def order() -> Schedule:
        return first_schedule(computations_of(definitions, context), context)[1]

    assert within_operations(budget_of(3_000_000), order) is not None
