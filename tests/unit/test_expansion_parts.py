"""Where values are kept: sources, webs, boxes, conflicts, moduli, and the kernels' loops."""

from __future__ import annotations

import islpy as isl
import pytest
from kernels import KERNELS
from scop_after import scop_after

from polyir import api
from polyir.base.diagnostics import LegalityError, Remark, remarks_to
from polyir.model.dataflow import array_flow
from polyir.model.scop import Scop
from polyir.model.temporaries import why_no_temporary
from polyir.transform.expansion.contract import require_apart, successive_moduli
from polyir.transform.expansion.lifetimes import conflicts
from polyir.transform.expansion.privatize import webs_of

TWO_USES = """
func.func @two(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %t = memref.alloca() : memref<f64>
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    affine.store %0, %t[] : memref<f64>
    affine.for %j = 0 to 3 {
      %1 = affine.load %t[] : memref<f64>
      %2 = arith.addf %1, %1 : f64
      affine.store %2, %t[] : memref<f64>
    }
  }
  affine.for %i = 0 to %n {
    %3 = affine.load %A[%i] : memref<?xf64>
    affine.store %3, %t[] : memref<f64>
    affine.for %j = 0 to 1 {
      %4 = affine.load %t[] : memref<f64>
      affine.store %4, %B[%i] : memref<?xf64>
    }
  }
  return
}
"""


def raised(text: str, pipeline: str = "poly-raise") -> Scop:
    return scop_after(text, pipeline)


def test_each_read_has_its_sources() -> None:
    flow = array_flow(raised(TWO_USES), "t")
    inner, last = flow.reads
    assert sorted(str(source.coalesce()) for source in inner.sources) == [
        "[n] -> { S0[i] -> S1[i' = i, j = 0] : 0 <= i < n }",
        "[n] -> { S1[i, j] -> S1[i' = i, j' = 1 + j] : 0 <= i < n and 0 <= j <= 1 }",
    ]
    assert [source.get_tuple_name(isl.dim_type.in_) for source in last.sources] == ["S2"]
    assert not flow.is_live_in


def test_a_read_before_every_write_is_live_in() -> None:
    text = TWO_USES.replace("affine.store %0, %t[]", "affine.store %0, %B[%i]").replace(
        "memref<f64>\n    affine.for %j = 0 to 3", "memref<?xf64>\n    affine.for %j = 0 to 3"
    )
    assert array_flow(raised(text), "t").is_live_in


def test_values_that_nothing_connects_are_different_webs() -> None:
    first, second = webs_of(array_flow(raised(TWO_USES), "t"))
    assert [name for name, _ in first.writes] == ["S0", "S1"]
    assert [read.statement for read in first.reads] == ["S1"]
    assert [name for name, _ in second.writes] == ["S2"]
    assert [read.statement for read in second.reads] == ["S3"]


def test_only_memory_of_the_function_is_temporary() -> None:
    scop = raised(TWO_USES)
    assert why_no_temporary(scop, "t") is None
    assert why_no_temporary(scop, "A") == "it is not allocated in the function"
    called = TWO_USES.replace("  return", "  func.call @use(%t) : (memref<f64>) -> ()\n  return")
    scop = raised(f"{called}func.func private @use(memref<f64>)")
    assert why_no_temporary(scop, "t") == "func.call uses it outside the scop"


REPEATED = """
func.func private @more() -> i1
func.func @repeated(%n: index, %x: f64, %A: memref<?xf64>) {
  %t = memref.alloca() : memref<f64>
  scf.while : () -> () {
    %c = func.call @more() : () -> i1
    scf.condition(%c)
  } do {
    affine.for %i = 0 to %n {
      affine.store %x, %t[] : memref<f64>
    }
    affine.for %i = 0 to 8 {
      %v = affine.load %t[] : memref<f64>
      affine.store %v, %A[%i] : memref<?xf64>
    }
    scf.yield
  }
  return
}
"""


def test_an_array_that_keeps_values_between_executions_is_no_temporary() -> None:
    """The scop writes nothing for n = 0, and reads what it has left before."""
    reason = "the scop may read what an earlier execution of it has left there"
    assert why_no_temporary(raised(REPEATED), "t") == reason
    assert why_no_temporary(raised(REPEATED.replace("0 to %n", "0 to 4")), "t") is None
    # Here, every execution has an array of its own.
    alloca = "%t = memref.alloca() : memref<f64>"
    inside = REPEATED.replace(alloca, "").replace("do {", f"do {{ {alloca}")
    assert why_no_temporary(raised(inside), "t") is None


@pytest.mark.parametrize(
    ("together", "moduli"),
    [
        ("{ A[i] -> A[j] : 0 <= i, j < 9 and i - 1 <= j <= i + 1 and i != j }", (2,)),
        ("[n] -> { A[i] -> A[j] : 0 <= i, j < n and i != j }", (None,)),
        # Rows in conflict with the next; in one row, everything is.
        (
            "[n] -> { A[t, i] -> A[u, j] : -1 <= t - u <= 1 and 0 <= i, j < n "
            "and not (t = u and i = j) }",
            (2, None),
        ),
        ("{ A[t, i] -> A[t + 1, i]; A[t, i] -> A[t - 1, i] }", (2, 1)),
        ("{ }", (1, 1)),
    ],
)
def test_moduli_keep_live_values_apart(together: str, moduli: tuple[int | None, ...]) -> None:
    relation = isl.UnionMap(together)
    assert successive_moduli(relation, len(moduli)) == moduli
    require_apart(relation, moduli, "A")


def test_moduli_that_are_too_small_are_found() -> None:
    relation = isl.UnionMap("{ A[i] -> A[i + 2]; A[i] -> A[i - 2] }")
    require_apart(relation, (3,), "A")
    with pytest.raises(LegalityError, match="contracting A would store two live values"):
        require_apart(relation, (2,), "A")


SHIFTED = """
func.func @shifted(%n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %t = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    affine.store %0, %t[%i] : memref<?xf64>
    affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {
      %1 = affine.load %t[%i - 2] : memref<?xf64>
      affine.store %1, %B[%i] : memref<?xf64>
    }
  }
  return
}
"""


def test_values_are_in_conflict_until_their_last_read() -> None:
    scop = raised(SHIFTED)
    together = conflicts(scop, array_flow(scop, "t"))
    wanted = isl.UnionMap("[n] -> { t[a] -> t[b] : 0 <= a, b < n and a != b and -2 <= a - b <= 2 }")
    # The last two values are never read.
    never_read = isl.UnionMap("[n] -> { t[a] -> t[b] : a >= n - 2 and b >= n - 2 }")
    assert together.is_equal(wanted.subtract(never_read))


def parallel(name: str, pipeline: str) -> str:
    """What `mark-parallel` says of a kernel."""
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        api.run_pipeline(api.parse(KERNELS[name].path.read_text()), pipeline)
    return "; ".join(each.message for each in remarks if each.pass_name == "mark-parallel")


@pytest.mark.parametrize(
    ("name", "pipeline", "loops"),
    [
        ("symm", "pluto-schedule,mark-parallel", ["loop 1 around S0, S1, S2, S3 is parallel"]),
        ("ludcmp", "mark-parallel", ["loop 2 around S3, S4, S5 is parallel"]),
        (
            "deriche",
            "mark-parallel",
            [f"loop 1 around {names}" for names in ("S0,", "S5,", "S11 ", "S12,", "S19,", "S28 ")],
        ),
    ],
)
def test_loops_that_only_a_temporary_serialised_are_parallel(
    name: str, pipeline: str, loops: list[str]
) -> None:
    before, after = parallel(name, pipeline), parallel(name, f"privatize,{pipeline}")
    for loop in loops:
        assert loop in after
    assert loops[0] not in before
