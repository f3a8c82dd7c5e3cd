"""Reductions: what is one, and how its parts of the schedule tree become kernels."""

from __future__ import annotations

import math

import pytest
from xdsl.dialects.builtin import FloatAttr, IntegerAttr

from polyir import api
from polyir.base.diagnostics import OptionError
from polyir.choose.gpu import GENERIC_GPU
from polyir.dialects.mark_attributes import OneBlockAttr
from polyir.dialects.scop import scops_in
from polyir.model.gpu import is_one_block
from polyir.model.scop import Scop, scop_of
from polyir.model.updates import update_of
from polyir.transform.gpu.one_block import has_one_block, join_blocks
from polyir.transform.reassociation.plan import (
    NoReductionError,
    ReassociateOptions,
    find_reduction,
)
from polyir.tree.names import statements_of


def scop_with(body: str, element: str = "f64") -> Scop:
    """A scop with a loop over i around `body`, on arrays A and X and a number s."""
    text = f"""
func.func @f(%n: index, %A: memref<?x{element}>, %X: memref<?x{element}>, %s: memref<{element}>) {{
  affine.for %i = 0 to %n {{
    %a = affine.load %A[%i] : memref<?x{element}>
    %x = affine.load %s[] : memref<{element}>
    {body}
    affine.store %new, %s[] : memref<{element}>
  }}
  return
}}"""
    (op,) = scops_in(api.run_pipeline(api.parse(text), "poly-raise,poly-dependences"))
    return scop_of(op)


@pytest.mark.parametrize(
    ("operation", "element", "neutral"),
    [
        ("addf", "f64", -0.0),
        ("mulf", "f32", 1.0),
        ("maximumf", "f64", -math.inf),
        ("minimumf", "f32", math.inf),
        ("maxnumf", "f64", math.nan),
        ("addi", "i32", 0),
        ("muli", "i64", 1),
        ("maxsi", "i8", -128),
        ("minsi", "i16", 32767),
        ("maxui", "i32", 0),
        ("minui", "i32", -1),
        ("andi", "i64", -1),
        ("ori", "i64", 0),
        ("xori", "i64", 0),
    ],
)
def test_neutral_elements(operation: str, element: str, neutral: float) -> None:
    scop = scop_with(f"%new = arith.{operation} %a, %x : {element}", element)
    update = update_of(scop.bodies[0])
    assert update is not None
    constant = update.combiner.neutral_element(update.element_type).value
    assert isinstance(constant, IntegerAttr | FloatAttr)
    value = constant.value.data
    assert repr(value) == repr(neutral)
    assert update.array == "s"
    assert [access.array for access in update.others] == ["A"]


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        ("%0 = arith.addf %x, %a : f64\n%new = arith.addf %a, %0 : f64", 2),
        ("%0 = arith.subf %x, %a : f64\n%new = arith.addf %0, %a : f64", 2),
        ("%new = arith.subf %x, %a : f64", 1),
        # The old value is taken away, combined by two operations, used twice, or not used.
        ("%new = arith.subf %a, %x : f64", None),
        ("%0 = arith.mulf %x, %a : f64\n%new = arith.addf %0, %a : f64", None),
        ("%new = arith.addf %x, %x : f64", None),
        ("%0 = arith.mulf %x, %a : f64\n%new = arith.addf %x, %0 : f64", None),
        ("%new = arith.addf %a, %a : f64", None),
        ("%new = arith.divf %x, %a : f64", None),
    ],
)
def test_updates(body: str, steps: int | None) -> None:
    update = update_of(scop_with(body).bodies[0])
    assert (None if update is None else len(update.chain.steps)) == steps


def test_options() -> None:
    for lanes, blocks in ((3, None), (1, None), (2048, None), (None, 0), (None, 24)):
        with pytest.raises(OptionError, match="must be a power of two from"):
            ReassociateOptions(lanes, blocks)


def test_a_reduction_without_its_pass() -> None:
    scop = scop_with("%new = arith.addf %x, %a : f64")
    assert scop.dependences is not None
    found = find_reduction(scop, scop.dependences, "S0", ReassociateOptions(16, 8), GENERIC_GPU)
    assert found is not None
    assert (found.lanes, found.blocks, found.results) == (16, 8, ())
    assert [loop.extent for loop in found.reduced] == [None]
    assert found.before == found.after == ()


TREE = """
func.func @f(%n: index, %X: memref<?xf64>, %s: memref<f64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %X[%i] : memref<?xf64>
    affine.store %0, %s[] : memref<f64>
    affine.for %j = 0 to %n {
      %1 = affine.load %X[%j] : memref<?xf64>
      %2 = affine.load %s[] : memref<f64>
      %3 = arith.addf %1, %2 : f64
      affine.store %3, %s[] : memref<f64>
    }
    %4 = affine.load %s[] : memref<f64>
    affine.store %4, %X[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %5 = affine.load %s[] : memref<f64>
      affine.store %5, %X[%j] : memref<?xf64>
    }
  }
  return
}"""


def test_neighbours_without_loops_join_a_block() -> None:
    (op,) = scops_in(api.run_pipeline(api.parse(TREE), "poly-raise"))
    schedule = scop_of(op).schedule
    assert join_blocks(schedule) is schedule
    sequence = schedule.root.child(0).child(0)
    marked = sequence.child(1).child(0).insert_mark(OneBlockAttr()).schedule
    assert has_one_block(marked.root)
    joined = join_blocks(marked).root.child(0).child(0)
    assert [statements_of(joined.child(each).child(0)) for each in range(2)] == [
        ("S0", "S1", "S2"),
        ("S3",),
    ]
    assert is_one_block(joined.child(0).child(0))
    assert not is_one_block(joined.child(1).child(0))


def test_what_is_combined_must_not_be_updated() -> None:
    text = TREE.replace(
        "%3 = arith.addf %1, %2", "%5 = affine.load %s[] : memref<f64>\n%3 = arith.addf %5, %2"
    )
    (op,) = scops_in(api.run_pipeline(api.parse(text), "poly-raise,poly-dependences"))
    scop = scop_of(op)
    assert scop.dependences is not None
    with pytest.raises(
        NoReductionError, match=r"S1\[.*\] reads an element of s that S1\[.*\] updates"
    ):
        find_reduction(scop, scop.dependences, "S1", ReassociateOptions(), GENERIC_GPU)
