"""Raising affine IR to scops: where a scop begins and ends, and what is left."""

from __future__ import annotations

import islpy as isl
import pytest
from raised import function, only_scop, raised, stores
from replay import function_of

from polyir.frontend.parse import parse_module
from polyir.model.raising import RaiseOutcome, raise_module
from polyir.model.scop import scop_of


def test_scops_are_not_raised_again() -> None:
    module, _ = raised(
        function("""affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          affine.store %x, %B[%i] : memref<?xf64>
        }""")
    )
    text = str(module)
    assert raise_module(module) == RaiseOutcome((), ())
    assert str(module) == text


def test_allocations_move_before_and_deallocations_behind() -> None:
    module, outcome = raised(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %t = memref.alloc(%n) : memref<?xf64>
          affine.for %j = 0 to %n {
            affine.store %x, %t[%j] : memref<?xf64>
          }
          affine.for %j = 0 to %n {
            %y = affine.load %t[%j] : memref<?xf64>
            affine.store %y, %B[%j] : memref<?xf64>
          }
          memref.dealloc %t : memref<?xf64>
        }
        %u = memref.alloc() : memref<f64>
        affine.for %i = 0 to %n {
          %y = affine.load %B[%i] : memref<?xf64>
          affine.store %y, %u[] : memref<f64>
          affine.store %y, %A[%i] : memref<?xf64>
        }
        memref.dealloc %u : memref<f64>
        """)
    )
    assert stores(outcome.scops[0]) == [["t"], ["B"], ["u"], ["A"]]
    names = [op.name for op in function_of(module).body.block.ops]
    assert names == [
        "memref.alloc",
        "memref.alloc",
        "poly.scop",
        "memref.dealloc",
        "memref.dealloc",
        "func.return",
    ]


def test_global_is_one_array() -> None:
    scop = only_scop(
        """
        memref.global "private" @table : memref<10xf64> = uninitialized
        func.func @f(%n: index, %A: memref<?xf64>) {
          affine.for %i = 0 to %n {
            %t = memref.get_global @table : memref<10xf64>
            %x = affine.load %A[%i] : memref<?xf64>
            affine.store %x, %t[%i] : memref<10xf64>
          }
          affine.for %i = 0 to %n {
            %u = memref.get_global @table : memref<10xf64>
            %x = affine.load %u[%i] : memref<10xf64>
            affine.store %x, %A[%i + 1] : memref<?xf64>
          }
          return
        }"""
    )
    assert stores(scop) == [["t"], ["A"]]
    (read, _) = scop_of(scop).statements[1].accesses
    assert read.array == "t"


def test_call_ends_a_scop() -> None:
    module = parse_module(
        function("""
        %x = arith.constant 1.0 : f64
        affine.for %i = 0 to %n {
          affine.store %x, %A[%i] : memref<?xf64>
        }
        func.call @g(%A) : (memref<?xf64>) -> ()
        affine.for %i = 0 to %n {
          affine.store %x, %B[%i] : memref<?xf64>
        }""")
    )
    outcome = raise_module(module)
    assert [stores(scop) for scop in outcome.scops] == [[["A"]], [["B"]]]
    assert [left.reason for left in outcome.left] == ["`func.call` to @g may touch memory"]


def test_loops_inside_what_cannot_be_modelled_are_raised() -> None:
    module = parse_module(
        function("""
        %x = arith.constant 1.0 : f64
        affine.for %i = 0 to %n {
          affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
            affine.store %x, %A[%i + %j] : memref<?xf64>
          }
          func.call @g(%A) : (memref<?xf64>) -> ()
        }""")
    )
    outcome = raise_module(module)
    module.verify()
    (left,) = outcome.left
    assert (left.operation.name, left.reason) == (
        "affine.for",
        "`func.call` to @g may touch memory",
    )
    (scop,) = outcome.scops
    assert [name.data for name in scop.parameter_names] == ["i"]


def test_bound_loaded_between_two_loops_separates_scops() -> None:
    _, outcome = raised(
        function(
            """
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        affine.for %i = 0 to %n {
          affine.store %n, %S[%i] : memref<?xindex>
        }
        %m = affine.load %S[0] : memref<?xindex>
        scf.for %i = %c0 to %m step %c1 {
          %k = memref.load %S[%i] : memref<?xindex>
          scf.for %j = %c0 to %k step %c1 {
            memref.store %i, %S[%j] : memref<?xindex>
          }
        }""",
            "%n: index, %S: memref<?xindex>",
        )
    )
    assert [left.reason for left in outcome.left] == [
        "a bound of `scf.for` is not affine: "
        "%k is not an affine function of iterators and parameters"
    ]
    assert [[name.data for name in scop.parameter_names] for scop in outcome.scops] == [
        ["n"],
        ["k"],
    ]


def test_views_of_one_memory_are_not_modelled() -> None:
    text = function("""
        %V = memref.cast %A : memref<?xf64> to memref<10xf64>
        affine.for %i = 0 to %n {
          %x = affine.load %V[%i] : memref<10xf64>
          affine.store %x, %A[%i + 1] : memref<?xf64>
        }""")
    outcome = raise_module(parse_module(text))
    assert outcome.scops == ()
    assert [left.reason for left in outcome.left] == ["%V and %A may be views of the same memory"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            """affine.for %i = 0 to %n {
              %c = arith.constant true
              %x = arith.constant 1.0 : f64
              %v = affine.load %A[%i] : memref<?xf64>
              %d = arith.cmpf olt, %x, %v : f64
              scf.if %d {
                affine.for %j = 0 to %n {
                  affine.store %x, %A[%j] : memref<?xf64>
                }
              }
            }""",
            "a loop inside an `scf.if` on data",
        ),
        (
            """affine.for %i = 0 to %n {
              %x = affine.parallel (%j) = (0) to (%n) reduce ("assign") -> (f64) {
                %v = affine.load %A[%j] : memref<?xf64>
                affine.yield %v : f64
              }
              affine.store %x, %B[%i] : memref<?xf64>
            }""",
            "`affine.parallel` with a reduction 'assign'",
        ),
        (
            """affine.for %i = 0 to %n {
              %x = arith.constant 1.0 : f64
              %t = memref.alloc(%i) : memref<?xf64>
              affine.store %x, %t[0] : memref<?xf64>
            }""",
            "the size of `memref.alloc` changes within the nest",
        ),
        (
            """affine.for %i = 0 to %n {
              memref.copy %A, %B : memref<?xf64> to memref<?xf64>
            }""",
            "`memref.copy` may touch memory",
        ),
    ],
)
def test_reason_why_a_nest_is_left(body: str, reason: str) -> None:
    outcome = raise_module(parse_module(function(body)))
    assert [(left.operation.name, left.reason) for left in outcome.left] == [("affine.for", reason)]


def test_straight_code_is_not_raised() -> None:
    text = function("""
        %x = affine.load %A[0] : memref<?xf64>
        affine.store %x, %B[0] : memref<?xf64>""")
    module = parse_module(text)
    assert raise_module(module) == RaiseOutcome((), ())
    assert str(module) == str(parse_module(text))


def test_division_is_not_moved_out_of_a_loop() -> None:
    """A parameter must be computed before the scop, where a division might fail."""
    outcome = raise_module(
        parse_module(
            function(
                """
        %x = arith.constant 1.0 : f64
        affine.for %i = 0 to %n {
          %c1 = arith.constant 1 : index
          %q = arith.divsi %m, %n : index
          scf.for %j = %i to %q step %c1 {
            memref.store %x, %A[%j] : memref<?xf64>
          }
        }""",
                "%n: index, %m: index, %A: memref<?xf64>",
            )
        )
    )
    assert [left.operation.name for left in outcome.left] == ["affine.for"]
    assert [[name.data for name in scop.parameter_names] for scop in outcome.scops] == [["i", "q"]]


def test_what_is_never_executed_is_no_statement() -> None:
    dead = """
        affine.for %i = %n to %n {
          affine.store %x, %A[%i] : memref<?xf64>
        }"""
    alive = """
        affine.for %i = 0 to %n {
          affine.if affine_set<(d0) : (-d0 - 1 >= 0)>(%i) {
            affine.store %x, %A[%i] : memref<?xf64>
          } else {
            affine.store %x, %B[%i] : memref<?xf64>
          }
        }"""
    arguments = "%n: index, %x: f64, %A: memref<?xf64>, %B: memref<?xf64>"
    assert stores(only_scop(function(dead + alive, arguments))) == [["B"]]
    module, outcome = raised(function(dead, arguments))
    assert outcome == RaiseOutcome((), ())
    assert "affine.for" not in str(module)


def test_names_are_made_valid_and_unique() -> None:
    scop = only_scop(
        function(
            """
        %x = arith.constant 1.0 : f64
        affine.for %n = 0 to %max {
          affine.for %i = 0 to affine_map<(d0) -> (d0)>(%n) {
            affine.for %n_0 = 0 to affine_map<(d0) -> (d0)>(%i) {
              affine.store %x, %mod[%n + %n_0] : memref<?xf64>
            }
          }
        }""",
            "%max: index, %mod: memref<?xf64>",
        )
    )
    (statement,) = scop_of(scop).statements
    text = str(statement.accesses[0].relation)
    assert isl.Map(text).is_equal(statement.accesses[0].relation)
    assert [name.data for name in scop.parameter_names] == ["_max"]


def test_statement_is_located_at_its_store() -> None:
    scop = only_scop(
        function("""affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          affine.store %x, %B[%i] : memref<?xf64>
        }""")
    )
    (statement,) = scop.statements
    location = str(statement.location)
    assert "test.mlir" in location
    assert ":5" in location
