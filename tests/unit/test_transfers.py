"""What a device needs of the arrays of a scop, and what the host needs after it."""

from __future__ import annotations

from pathlib import Path

import pytest
from few_operations import allow

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.proofs.transfers import transfers

GEMM = Path(__file__).parents[2] / "benchmarks" / "polybench" / "gemm.mlir"


def raised(text: str, pipeline: str = "poly-raise") -> list[Scop]:
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(text), pipeline)
    return [scop_of(op) for op in scops_in(module)]


def function(body: str, arguments: str) -> str:
    """A function around `body`, where %n is the extent of %A."""
    return f"""
      func.func private @use(memref<?xf64>)
      func.func @f({arguments}, %x: f64, %k: index, %c: i1) {{
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %n = memref.dim %A, %zero : {"memref<?x?xf64>" if "?x?" in arguments else "memref<?xf64>"}
        {body}
        return
      }}
    """


def of(body: str, arguments: str = "%A: memref<?xf64>, %B: memref<?xf64>") -> tuple[str, str]:
    """The names of the arrays that are copied in and out for the only scop of `body`, sorted."""
    (scop,) = raised(function(body, arguments))
    found = transfers(scop)
    return " ".join(sorted(found.copied_in)), " ".join(sorted(found.copied_out))


def filled(array: str, stop: str = "%n", start: str = "0") -> str:
    return f"""affine.for %i = {start} to {stop} {{
      affine.store %x, %{array}[%i] : memref<?xf64>
    }}"""


def copied(source: str, target: str, stop: str = "%n") -> str:
    return f"""affine.for %i = 0 to {stop} {{
      %v = affine.load %{source}[%i] : memref<?xf64>
      affine.store %v, %{target}[%i] : memref<?xf64>
    }}"""


def test_what_is_only_read_goes_in_and_what_is_written_comes_out() -> None:
    body = copied("B", "A")
    assert of(body) == ("B", "A")


def test_a_partial_write_keeps_the_other_elements() -> None:
    assert of(filled("A", "affine_map<(d0) -> (d0 - 1)>(%n)")) == ("A", "A")
    assert of(filled("A", start="1")) == ("A", "A")
    assert of(filled("A", start="1") + "affine.store %x, %A[0] : memref<?xf64>") == ("", "A")


def test_an_extent_that_is_not_known_may_be_larger_than_what_is_written() -> None:
    assert of(filled("B")) == ("B", "B")
    assert of(filled("A", "%k")) == ("A", "A")


@pytest.mark.parametrize(("extent", "copied_in"), [(8, ""), (9, "S")])
def test_extents_of_the_type(extent: int, copied_in: str) -> None:
    body = f"""affine.for %i = 0 to 8 {{
      affine.store %x, %S[%i] : memref<{extent}xf64>
    }}"""
    assert of(body, f"%A: memref<?xf64>, %S: memref<{extent}xf64>") == (copied_in, "S")


def test_a_write_that_depends_on_data_is_not_sure() -> None:
    body = """affine.for %i = 0 to %n {
      %v = affine.load %B[%i] : memref<?xf64>
      %positive = arith.cmpf ogt, %v, %x : f64
      scf.if %positive {
        affine.store %v, %A[%i] : memref<?xf64>
      }
    }"""
    assert of(body) == ("A B", "A")


def test_a_subscript_that_depends_on_data_is_not_sure() -> None:
    body = """affine.for %i = 0 to %n {
      %v = affine.load %P[%i] : memref<?xindex>
      memref.store %x, %A[%v] : memref<?xf64>
    }"""
    assert of(body, "%A: memref<?xf64>, %P: memref<?xindex>") == ("A P", "A")


@pytest.mark.parametrize(
    ("branches", "copied_in"),
    [
        ("affine.store %x, %A[%i] : memref<?xf64>", "A"),
        ("affine.store %x, %A[%i] : memref<?xf64> } else { affine.store %x, %A[%i] : memref<?xf64>",
         ""),
    ],
)  # fmt: skip
def test_affine_conditions_are_followed(branches: str, copied_in: str) -> None:
    body = f"""affine.for %i = 0 to %n {{
      affine.if affine_set<(d0) : (d0 - 5 >= 0)>(%i) {{ {branches} }}
    }}"""
    assert of(body) == (copied_in, "A")


def test_a_triangle_is_not_the_square() -> None:
    arguments = "%A: memref<?x?xf64>"
    columns = "%m = memref.dim %A, %one : memref<?x?xf64>\n"

    def rows(start: str, stop: str) -> str:
        return f"""affine.for %i = 0 to %n {{ affine.for %j = {start} to {stop} {{
          affine.store %x, %A[%i, %j] : memref<?x?xf64>
        }} }}"""

    lower = rows("0", "min affine_map<(d0)[s0] -> (d0 + 1, s0)>(%i)[%m]")
    upper = rows("affine_map<(d0) -> (d0 + 1)>(%i)", "%m")
    assert of(columns + lower, arguments) == ("A", "A")
    assert of(columns + upper, arguments) == ("A", "A")
    assert of(columns + lower + upper, arguments) == ("", "A")
    assert of(columns + rows("0", "%m"), arguments) == ("", "A")
    # Of the columns, the scop knows nothing.
    assert of(rows("0", "%k"), arguments) == ("A", "A")


def test_what_is_written_first_is_not_read() -> None:
    assert of(filled("A") + copied("A", "B")) == ("B", "A B")
    assert of(copied("A", "B") + filled("A")) == ("A B", "A B")
    # Every iteration reads what the one before it has written.
    chain = """affine.for %i = 1 to %n {
      %v = affine.load %A[%i - 1] : memref<?xf64>
      affine.store %v, %A[%i] : memref<?xf64>
    }"""
    assert of(chain) == ("A", "A")
    assert of("affine.store %x, %A[0] : memref<?xf64>" + chain) == ("", "A")


def test_what_an_instance_writes_before_it_reads_it() -> None:
    body = """affine.for %i = 0 to %n {
      affine.store %x, %A[%i] : memref<?xf64>
      %v = affine.load %A[%i] : memref<?xf64>
      %w = arith.addf %v, %v : f64
      affine.store %w, %A[%i] : memref<?xf64>
    }"""
    assert of(body) == ("", "A")


def test_scalars() -> None:
    arguments = "%A: memref<?xf64>, %s: memref<f64>, %r: memref<f64>"
    body = """affine.for %i = 0 to %n {
      %v = affine.load %s[] : memref<f64>
      affine.store %v, %A[%i] : memref<?xf64>
      affine.store %x, %r[] : memref<f64>
    }"""
    # Without an iteration, %r keeps its value.
    assert of(body, arguments) == ("r s", "A r")
    once = "affine.store %x, %r[] : memref<f64>\n"
    assert of(once + body, arguments) == ("s", "A r")


TEMPORARY = "%t = memref.alloc(%n) : memref<?xf64>\n"
FREED = "\nmemref.dealloc %t : memref<?xf64>"


def test_temporaries_stay_on_the_device() -> None:
    work = filled("t") + copied("t", "A")
    assert of(TEMPORARY + work + FREED) == ("", "A")
    # What a temporary has before it is written has no meaning.
    assert of(TEMPORARY + copied("t", "A") + filled("t") + FREED) == ("", "A")
    assert of(TEMPORARY + work + "func.call @use(%t) : (memref<?xf64>) -> ()") == ("", "A t")


def test_the_host_may_fill_and_read_a_temporary() -> None:
    store = "memref.store %x, %t[%k] : memref<?xf64>\nfunc.call @use(%B) : (memref<?xf64>) -> ()\n"
    load = "\nfunc.call @use(%B) : (memref<?xf64>) -> ()\n%w = memref.load %t[%k] : memref<?xf64>"
    part = filled("t", "%k") + copied("t", "A", "%k")
    assert of(TEMPORARY + store + copied("t", "A") + FREED) == ("t", "A")
    assert of(TEMPORARY + part + FREED) == ("A", "A")
    # Elements that nothing has written have no contents to keep.
    assert of(TEMPORARY + part + load + FREED) == ("A", "A t")
    assert of(TEMPORARY + store + part + load + FREED) == ("A t", "A t")
    assert of(TEMPORARY + store + filled("t") + copied("t", "A") + FREED) == ("", "A")


def in_a_loop(body: str) -> str:
    """`body` in a loop that is not raised."""
    return f"""scf.while : () -> () {{
      scf.condition(%c)
    }} do {{
      {body}
      func.call @use(%B) : (memref<?xf64>) -> ()
      scf.yield
    }}"""


def test_what_a_loop_on_the_host_carries_in_a_temporary() -> None:
    carried = copied("t", "A") + filled("t")
    assert of(in_a_loop(TEMPORARY + carried + FREED)) == ("", "A")
    assert of(TEMPORARY + in_a_loop(carried) + FREED) == ("t", "A t")
    # Here, no execution of the scop reads what an earlier one has written.
    assert of(TEMPORARY + in_a_loop(filled("t") + copied("t", "A")) + FREED) == ("", "A")


def test_what_only_some_executions_use() -> None:
    scop = filled("t", "%k") + copied("t", "A", "%k")
    load = "%w = memref.load %t[%k] : memref<?xf64>\n"
    assert of(TEMPORARY + f"scf.if %c {{ {scop} }}" + FREED) == ("A", "A")
    assert of(TEMPORARY + f"scf.if %c {{ {scop} }} {load}" + FREED) == ("A", "A t")
    blocks = f"""cf.cond_br %c, ^first, ^second
    ^first:
      {scop}
      cf.br ^second
    ^second:
      {load}"""
    assert of(TEMPORARY + blocks + FREED) == ("A t", "A t")


def test_what_another_scop_uses() -> None:
    call = "func.call @use(%B) : (memref<?xf64>) -> ()\n"
    body = TEMPORARY + filled("t") + call + copied("t", "A")
    first, second = raised(function(body, "%A: memref<?xf64>, %B: memref<?xf64>"))
    assert transfers(first).copied_out == ("t",)
    assert transfers(second).copied_in == ("t",)


PROMOTED = 'pluto-schedule,tile{sizes=4},promote{arrays=C,A,B loop="S1.2"}'


@pytest.mark.parametrize("pipeline", ["poly-raise", PROMOTED])
def test_copies_of_the_tree_change_nothing(pipeline: str) -> None:
    (scop,) = raised(GEMM.read_text(), pipeline)
    assert len(scop.op.local_arrays) == (3 if pipeline == PROMOTED else 0)
    found = transfers(scop)
    assert (found.copied_in, found.copied_out) == (("C", "A", "B"), ("C",))


def test_a_hard_analysis_copies_more(monkeypatch: pytest.MonkeyPatch) -> None:
    body = filled("A") + copied("A", "B")
    assert of(body) == ("B", "A B")
    allow(monkeypatch, 1, "TRANSFERS")
    assert of(body) == ("A B", "A B")
