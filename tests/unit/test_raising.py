"""Raising affine IR to scops: how statements are split, and their domains."""

from __future__ import annotations

import islpy as isl
from raised import domains, function, only_scop, raised, stores

from polyir.model.scop import scop_of
from polyir.model.statements import AccessKind


def test_value_loaded_before_a_store_is_not_loaded_again() -> None:
    scop = only_scop(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %y = arith.addf %x, %x : f64
          affine.store %y, %A[%i] : memref<?xf64>
          affine.store %x, %B[%i] : memref<?xf64>
        }""")
    )
    assert stores(scop) == [["A", "B"]]


def test_stores_of_one_value_are_split_where_it_stays_the_same() -> None:
    scop = only_scop(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          affine.store %x, %B[%i] : memref<?xf64>
          affine.store %x, %B[%i + %n] : memref<?xf64>
        }""")
    )
    assert stores(scop) == [["B"], ["B"]]


def test_store_between_unrelated_stores_stays_together_with_them() -> None:
    scop = only_scop(
        function(
            """
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %z = affine.load %C[%i] : memref<?xf64>
          affine.store %z, %B[%i] : memref<?xf64>
          affine.store %z, %A[%i] : memref<?xf64>
          affine.store %z, %B[%i + %n] : memref<?xf64>
          affine.store %x, %B[%i + %n] : memref<?xf64>
        }""",
            "%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>",
        )
    )
    assert stores(scop) == [["B"], ["A", "B", "B"]]


def test_iteration_arguments_may_be_exchanged() -> None:
    _, outcome = raised("""
        func.func @f(%n: index, %a: f64, %b: f64, %A: memref<?xf64>) -> (f64, f64) {
          %r:2 = affine.for %i = 0 to %n iter_args(%x = %a, %y = %b) -> (f64, f64) {
            affine.store %x, %A[%i] : memref<?xf64>
            affine.yield %y, %x : f64, f64
          }
          return %r#0, %r#1 : f64, f64
        }""")
    assert stores(outcome.scops[0]) == [["x"], ["y"], ["A"], ["x", "y"]]


def test_reduction_without_a_store_is_a_scop() -> None:
    module, outcome = raised("""
        func.func @f(%n: index, %A: memref<?xf64>) -> f64 {
          %zero = arith.constant 0.0 : f64
          %sum = affine.for %i = 0 to %n iter_args(%s = %zero) -> (f64) {
            %a = affine.load %A[%i] : memref<?xf64>
            %t = arith.addf %s, %a : f64
            affine.yield %t : f64
          }
          return %sum : f64
        }""")
    assert stores(outcome.scops[0]) == [["s"], ["s"]]
    assert "memref.alloca() : memref<f64>" in str(module)


def test_value_of_an_outer_loop_is_loaded_again_where_it_stays_the_same() -> None:
    scop = only_scop(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %y = arith.mulf %x, %x : f64
          affine.for %j = 0 to %n {
            affine.store %y, %B[%j] : memref<?xf64>
          }
        }""")
    )
    assert stores(scop) == [["B"]]


def test_value_of_an_outer_loop_is_kept_in_memory_where_it_changes() -> None:
    scop = only_scop(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %y = arith.mulf %x, %x : f64
          affine.for %j = 0 to %n {
            affine.store %y, %A[%j] : memref<?xf64>
          }
        }""")
    )
    assert stores(scop) == [["y"], ["A"]]


def test_value_is_loaded_again_where_only_other_elements_change() -> None:
    scop = only_scop(
        function(
            """
        affine.for %k = 0 to %n {
          affine.for %i = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
            %pivot = affine.load %A[%i, %k] : memref<?x?xf64>
            affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %n {
              %x = affine.load %A[%i, %j] : memref<?x?xf64>
              %y = affine.load %A[%k, %j] : memref<?x?xf64>
              %p = arith.mulf %pivot, %y : f64
              %d = arith.subf %x, %p : f64
              affine.store %d, %A[%i, %j] : memref<?x?xf64>
            }
          }
        }""",
            "%n: index, %A: memref<?x?xf64>",
        )
    )
    assert stores(scop) == [["A"]]


def test_value_used_behind_the_scop() -> None:
    _, outcome = raised("""
        func.func @f(%n: index, %A: memref<?xf64>) -> (f64, f64) {
          %x = affine.load %A[0] : memref<?xf64>
          affine.for %i = 0 to %n {
            affine.store %x, %A[%i + 1] : memref<?xf64>
          }
          %y = affine.load %A[1] : memref<?xf64>
          %z = arith.addf %x, %y : f64
          affine.for %i = 0 to %n {
            affine.store %z, %A[%i] : memref<?xf64>
          }
          return %y, %z : f64, f64
        }""")
    assert stores(outcome.scops[0]) == [["A"], ["y"], ["z"], ["A"]]


def test_else_is_the_complement() -> None:
    scop = only_scop(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          affine.if affine_set<(d0)[s0] : (d0 - 2 >= 0, s0 - d0 - 3 >= 0)>(%i)[%n] {
            affine.store %x, %B[%i] : memref<?xf64>
          } else {
            affine.store %x, %B[%i + %n] : memref<?xf64>
          }
        }""")
    )
    then, otherwise = domains(scop)
    assert then.is_equal(isl.Set("[n] -> { S0[i] : 2 <= i <= n - 3 }"))
    assert otherwise.is_equal(isl.Set("[n] -> { S1[i] : 0 <= i < n and (i < 2 or i > n - 3) }"))


def test_conditional_with_a_result() -> None:
    scop = only_scop(
        function("""
        %zero = arith.constant 0.0 : f64
        affine.for %i = 0 to %n {
          %v = affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) -> f64 {
            %x = affine.load %A[%i - 1] : memref<?xf64>
            affine.yield %x : f64
          } else {
            affine.yield %zero : f64
          }
          affine.store %v, %B[%i] : memref<?xf64>
        }""")
    )
    assert stores(scop) == [["v"], ["v"], ["B"]]


def test_steps_and_several_bounds() -> None:
    scop = only_scop(
        function("""
        %x = arith.constant 1.0 : f64
        affine.for %i = 1 to %n step 3 {
          affine.for %j = max affine_map<(d0) -> (d0, 2)>(%i)
              to min affine_map<(d0)[s0] -> (d0 + 5, s0)>(%i)[%n] step 2 {
            affine.store %x, %A[(%j - %i) floordiv 2 + %i mod 4] : memref<?xf64>
          }
        }""")
    )
    (domain,) = domains(scop)
    expected = isl.Set(
        "[n] -> { S0[i, j] : 1 <= i < n and i mod 3 = 1 and i <= j < i + 5 and 2 <= j < n"
        " and ((i >= 2 and (j - i) mod 2 = 0) or (i = 1 and j mod 2 = 0)) }"
    )
    assert domain.is_equal(expected)


def test_data_dependent_condition_is_one_statement_with_may_writes() -> None:
    scop = only_scop(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %y = affine.load %B[%i] : memref<?xf64>
          %c = arith.cmpf olt, %x, %y : f64
          %r = scf.if %c -> (f64) {
            affine.store %x, %B[%i] : memref<?xf64>
            %old = affine.load %A[%i + 1] : memref<?xf64>
            scf.yield %old : f64
          } else {
            affine.store %y, %A[%i] : memref<?xf64>
            scf.yield %x : f64
          }
          affine.store %r, %A[%i + 1] : memref<?xf64>
        }""")
    )
    assert stores(scop) == [["B", "A", "A"]]
    (statement,) = scop_of(scop).statements
    kinds = [access.kind for access in statement.accesses if access.kind is not AccessKind.READ]
    assert kinds == [AccessKind.MAY_WRITE, AccessKind.MAY_WRITE, AccessKind.WRITE]


def test_condition_on_indices_restricts_the_domain() -> None:
    scop = only_scop(
        function("""
        %c2 = arith.constant 2 : index
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %c = arith.cmpi slt, %i, %c2 : index
          scf.if %c {
            affine.store %x, %B[%i] : memref<?xf64>
          }
        }""")
    )
    assert domains(scop)[0].is_equal(isl.Set("[n] -> { S0[i] : 0 <= i < n and i < 2 }"))
    assert scop_of(scop).statements[0].accesses[-1].kind is AccessKind.WRITE


def test_scf_loop_with_affine_bounds() -> None:
    scop = only_scop(
        function("""
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %m = arith.addi %n, %c1 : index
        scf.for %i = %c0 to %m step %c2 {
          %k = arith.minsi %i, %n : index
          scf.for %j = %c1 to %k step %c1 {
            %x = memref.load %A[%j] : memref<?xf64>
            memref.store %x, %B[%i] : memref<?xf64>
          }
        }""")
    )
    assert domains(scop)[0].is_equal(
        isl.Set("[n] -> { S0[i, j] : 0 <= i <= n and i mod 2 = 0 and 1 <= j < i and j < n }")
    )


def test_parallel_loop_is_a_loop() -> None:
    scop = only_scop(
        function(
            """
        affine.parallel (%i, %j) = (0, 1) to (%n, %n) step (1, 2) {
          %x = affine.load %A[%i, %j] : memref<?x?xf64>
          affine.store %x, %B[%i] : memref<?xf64>
        }""",
            "%n: index, %A: memref<?x?xf64>, %B: memref<?xf64>",
        )
    )
    assert domains(scop)[0].is_equal(
        isl.Set("[n] -> { S0[i, j] : 0 <= i < n and 1 <= j < n and j mod 2 = 1 }")
    )


def test_scf_parallel_loop_is_a_loop() -> None:
    scop = only_scop(
        function(
            """
        %c0 = arith.constant 0 : index
        %c2 = arith.constant 2 : index
        scf.parallel (%i, %j) = (%c0, %c2) to (%n, %n) step (%c2, %c2) {
          %x = memref.load %A[%i, %j] : memref<?x?xf64>
          memref.store %x, %B[%i] : memref<?xf64>
          scf.reduce
        }""",
            "%n: index, %A: memref<?x?xf64>, %B: memref<?xf64>",
        )
    )
    assert domains(scop)[0].is_equal(
        isl.Set("[n] -> { S0[i, j] : 0 <= i < n and 2 <= j < n and i mod 2 = 0 and j mod 2 = 0 }")
    )


def test_long_chain_of_index_arithmetic() -> None:
    chain = "\n".join(f"%m{k + 1} = arith.addi %m{k}, %n : index" for k in range(60))
    scop = only_scop(
        function(
            f"""
        {chain}
        affine.for %i = 0 to %m60 {{
          %x = affine.load %A[%i] : memref<?xf64>
          affine.store %x, %B[%i] : memref<?xf64>
        }}""",
            "%n: index, %m0: index, %A: memref<?xf64>, %B: memref<?xf64>",
        )
    )
    assert domains(scop)[0].is_equal(isl.Set("[n, m0] -> { S0[i] : 0 <= i < m0 + 60 n }"))


def test_parameters_are_read_through_affine_arithmetic_only() -> None:
    scop = only_scop(
        function(
            """
        %c1 = arith.constant 1 : index
        %next = arith.addi %n, %c1 : index
        affine.for %i = 0 to %n {
          %mod = arith.muli %n, %next : index
          %x = affine.load %A[%i] : memref<?xf64>
          scf.for %j = %i to %mod step %c1 {
            %k = arith.addi %j, %next : index
            memref.store %x, %B[%k] : memref<?xf64>
          }
        }""",
        )
    )
    assert [name.data for name in scop.parameter_names] == ["n", "_mod"]


def test_sizes_give_the_context() -> None:
    scop = only_scop(
        function(
            """
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %x = arith.constant 1.0 : f64
        %rows = memref.dim %A, %c0 : memref<?x100xf64>
        %again = memref.dim %A, %c0 : memref<?x100xf64>
        %columns = memref.dim %A, %c1 : memref<?x100xf64>
        affine.for %i = 0 to %rows {
          affine.for %j = %n to %columns {
            affine.store %x, %A[%i, %j] : memref<?x100xf64>
          }
        }
        affine.for %i = 0 to %again {
          affine.store %x, %A[%i, 0] : memref<?x100xf64>
        }""",
            "%n: index, %A: memref<?x100xf64>",
        )
    )
    assert scop.context.data.is_equal(
        isl.Set("[rows, n, columns, again] -> { : rows = again >= 0 and columns = 100 }")
    )


def test_accesses_are_in_bounds() -> None:
    scop = only_scop(
        function(
            """
        %x = arith.constant 1.0 : f64
        %T = memref.alloc(%n) : memref<?xf64>
        affine.for %i = 0 to %m {
          affine.store %x, %A[%i] : memref<100xf64>
          affine.store %x, %T[%i + symbol(%n) - 200] : memref<?xf64>
        }
        affine.for %i = 0 to %m {
          affine.for %j = 0 to %k {
            affine.store %x, %A[%j] : memref<100xf64>
          }
        }
        %c = arith.cmpf olt, %x, %x : f64
        scf.if %c {
          affine.store %x, %A[%m + 50] : memref<100xf64>
        }
        memref.dealloc %T : memref<?xf64>""",
            "%n: index, %m: index, %k: index, %A: memref<100xf64>",
        )
    )
    # Nothing is known of k where m is 0, nor of n where it is; the last store may not happen.
    assert scop.context.data.is_equal(isl.Set("[m, n, k] -> { : n >= 0 and m <= 100 }"))


def _two_stores(work: str, first: str = "%y", second: str = "%y") -> list[list[str]]:
    scop = only_scop(
        function(f"""
        affine.for %i = 0 to %n {{
          %x = affine.load %A[%i] : memref<?xf64>
          {work}
          affine.store {first}, %B[%i] : memref<?xf64>
          affine.store {second}, %B[%i + %n] : memref<?xf64>
        }}""")
    )
    return stores(scop)


def test_stores_that_need_the_same_work_are_one_statement() -> None:
    product = "%y = arith.mulf %x, %x : f64"
    assert _two_stores(product) == [["B"], ["B"]]
    assert _two_stores("%y = arith.divf %x, %x : f64") == [["B", "B"]]
    assert _two_stores("%y = math.sqrt %x : f64") == [["B", "B"]]
    assert _two_stores("%y = math.absf %x : f64") == [["B"], ["B"]]
    assert _two_stores(f"{product}\n%z = arith.addf %x, %y : f64", "%z", "%z") == [["B", "B"]]
    # Each needs the product, and only one the sum.
    assert _two_stores(f"{product}\n%z = arith.addf %x, %y : f64", "%y", "%z") == [["B"], ["B"]]


def test_addresses_and_conversions_are_no_work_to_share() -> None:
    conversions = """
        %f = arith.truncf %x : f64 to f32
        %y = arith.extf %f : f32 to f64"""
    assert _two_stores(conversions) == [["B"], ["B"]]
    scop = only_scop(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %c = arith.constant 2 : index
          %m = arith.muli %i, %c : index
          %j = arith.addi %m, %c : index
          %k = arith.addi %j, %n : index
          memref.store %x, %B[%j] : memref<?xf64>
          memref.store %x, %B[%k] : memref<?xf64>
        }""")
    )
    assert stores(scop) == [["B"], ["B"]]


def test_work_of_a_loop_around_does_not_keep_stores_together() -> None:
    scop = only_scop(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %y = math.sqrt %x : f64
          affine.for %j = 0 to %n {
            affine.store %y, %B[%j] : memref<?xf64>
            affine.store %y, %B[%j + %n] : memref<?xf64>
          }
        }""")
    )
    assert stores(scop) == [["B"], ["B"]]


def test_stores_between_those_that_share_work_stay_in_the_order_of_the_text() -> None:
    scop = only_scop(
        function("""
        affine.for %i = 0 to %n {
          %x = affine.load %A[%i] : memref<?xf64>
          %y = math.sqrt %x : f64
          affine.store %x, %B[%i + %n] : memref<?xf64>
          affine.store %y, %B[%i] : memref<?xf64>
          affine.store %x, %B[%i + 2] : memref<?xf64>
          affine.store %y, %B[%i + 1] : memref<?xf64>
          affine.store %x, %B[%i + 4] : memref<?xf64>
        }""")
    )
    assert [len(each) for each in stores(scop)] == [1, 3, 1]
