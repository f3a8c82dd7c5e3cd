"""The last writes that isl finds, against all pairs of instances."""

import islpy as isl
import pytest

from polyir import api
from polyir.dialects.scop import scops_in
from polyir.model.analysis import flow_by_dates
from polyir.model.dataflow import array_flow
from polyir.model.scop import scop_of
from polyir.sets.lists import maps_of

READS = "{ R[i = 3] -> A[86, 86, 86, 0, 1] }"
WRITES = """{ W[i, j, k, l] -> A[a, d, d, b, c] : d = 22i + 8j + 2k + l and a mod 2 = 0 and
  b mod 2 = 0 and i <= 3 and 2 <= j <= 4 and 0 < k <= 4 and 2 <= l <= i and d - 1 <= a <= d and
  -l < b <= 2 - l and 44 - d + 22l <= 22c <= 65 - d + 22l }"""
DATES = """{ R[i = 3] -> [0, 86, 86, 86, 0, 2, e, 0, 0, 0, 0, 0, 3, 0, 0, 1] : e mod 8 = 0 and
  -4 <= e <= 3;
  W[i, j, k, l] -> [0, a, d, d, b, 2, e, f, 2 - l, g, h, 2 - l, 1 + i - j + k, 2 - j, 1, 2] :
  d = 22i + 8j + 2k + l and a mod 2 = 0 and b mod 2 = 0 and e mod 8 = 0 and f mod 6 = 0 and
  g mod 4 = 0 and h mod 3 = 0 and i <= 3 and 2 <= j <= 4 and 0 < k <= 4 and 2 <= l <= i and
  d - 1 <= a <= d and -l < b <= 2 - l and i - j + k - 6 <= e <= i - j + k + 1 and
  -j - 3 <= f <= 2 - j and i - j + k - 2 <= g <= i - j + k + 1 and -j <= h <= 2 - j }"""


def test_dates_with_hidden_equalities() -> None:
    """isl fails for these dates as they are."""
    reads, writes, dates = map(isl.UnionMap, (READS, WRITES, DATES))
    info = isl.UnionAccessInfo.from_sink(reads).set_must_source(writes)
    found = flow_by_dates(info, dates).get_must_dependence()
    pairs = writes.apply_range(reads.reverse()).intersect(dates.lex_lt_union_map(dates))
    assert not pairs.is_empty()
    (date,) = maps_of(dates.intersect_domain(pairs.domain()))
    last = isl.UnionSet.from_set(date.range().lexmax())
    assert found.is_equal(pairs.intersect_domain(dates.intersect_range(last).domain()))


BODIES = {
    "a condition": ("scf.if %c {", "STORE LOAD }", True),
    "a condition after the read": ("scf.if %c {", "LOAD STORE }", False),
    "another condition": ("scf.if %c {", "STORE } scf.if %c { LOAD }", True),
    "a loop": ("scf.for %k = %zero to %count step %one {", "LOAD STORE }", True),
    "a loop around a condition": (
        "scf.for %k = %zero to %count step %one {",
        "scf.if %c { LOAD } else { STORE } }",
        True,
    ),
}
"""What is around a write and a read of one variable; whether the read may find what is written."""


@pytest.mark.parametrize("case", BODIES)
def test_reads_of_what_the_body_may_have_written(case: str) -> None:
    head, rest, is_reached = BODIES[case]
    rest = rest.replace("STORE", "affine.store %b, %t[] : memref<f64>")
    rest = rest.replace(
        "LOAD",
        "%x = affine.load %t[] : memref<f64> affine.store %x, %A[%i] : memref<?xf64>",
    )
    module = api.parse(f"""
        func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?xf64>, %K: memref<?xindex>) {{
          %t = memref.alloc() : memref<f64>
          %zero = arith.constant 0 : index
          %one = arith.constant 1 : index
          affine.for %i = 0 to %n {{
            %a = affine.load %A[%i] : memref<?xf64>
            affine.store %a, %t[] : memref<f64>
            %b = affine.load %B[%i] : memref<?xf64>
            %count = affine.load %K[%i] : memref<?xindex>
            %c = arith.cmpf ogt, %a, %b : f64
            {head} {rest}
          }}
          return
        }}""")
    (op,) = scops_in(api.run_pipeline(module, "poly-raise{data-loops=true}"))
    (read,) = array_flow(scop_of(op), "t").reads
    sources = {each.get_tuple_name(isl.dim_type.in_) for each in read.sources}
    assert sources == ({"S0", read.statement} if is_reached else {"S0"})
