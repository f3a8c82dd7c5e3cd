"""Copies that are shown to be right iteration by iteration, and copies that are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import islpy as isl
import pytest

from polyir import api
from polyir.dialects.scop import scops_in
from polyir.model.local_arrays import local_marks, shared_arrays
from polyir.model.scop import Scop, scop_of
from polyir.proofs.copies import require_right_copies
from polyir.proofs.copy_events import Event, access_events
from polyir.proofs.iteration_copies import are_right_in_iterations
from polyir.sets.maps import moved_along
from polyir.tree.added import added_statements

TEXT = """
func.func @f(%T: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %A[%i - 1] : memref<?xf64>
      %1 = affine.load %A[%i + 1] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %B[%i - 1] : memref<?xf64>
      %1 = affine.load %B[%i + 1] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %A[%i] : memref<?xf64>
    }
  }
  return
}
"""
ROWS = """
func.func @f(%T: index, %n: index, %u: memref<?x?xf64>, %p: memref<?x?xf64>) {
  affine.for %t = 0 to %T {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %u[%i, %j] : memref<?x?xf64>
        affine.store %0, %p[%i, %j] : memref<?x?xf64>
      }
      affine.for %j = 0 to %n {
        %0 = affine.load %p[%i, %n - 1 - %j] : memref<?x?xf64>
        affine.store %0, %u[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
"""
STEPS = (
    "pluto-schedule,hexagonal-tile{height=2 width=4},gpu-kernels,gpu-tile,gpu-map{block=8},"
    "gpu-promote"
)


@pytest.fixture(scope="module")
def scop() -> Scop:
    module = api.run_pipeline(api.parse(TEXT), STEPS)
    (op,) = scops_in(module)
    assert {array.sym_name.data for array in op.local_arrays} == {"A_shared", "B_shared"}
    return scop_of(op)


def events_of(scop: Scop, array: str) -> list[Event]:
    marks = local_marks(scop.schedule, shared_arrays(scop.op))
    events = access_events(scop, marks, added_statements(scop.schedule))
    return [event for event in events if event.array == array]


def test_copies_of_hexagons(scop: Scop) -> None:
    assert are_right_in_iterations(scop, events_of(scop, "A"))
    assert are_right_in_iterations(scop, events_of(scop, "B"))
    require_right_copies(scop)


def without(statement: str) -> Callable[[Event], Event | None]:
    return lambda event: None if event.statement == statement else event


def in_next_cell(event: Event) -> Event:
    """Computations use another cell than the copies of the same element."""
    step = moved_along(event.cells.get_space().range(), 0, 1)
    return event if event.is_copy else replace(event, cells=event.cells.apply_range(step))


def in_one_cell(event: Event) -> Event:
    """All elements are kept in the same cell."""
    if event.mark is None:
        return event
    zero = isl.Set.universe(event.cells.get_space().range()).fix_val(isl.dim_type.set, 0, 0)
    return replace(event, cells=isl.Map.from_domain_and_range(event.cells.domain(), zero))


def written_beside(event: Event) -> Event:
    """What is copied out is computed in the array itself, beside the local array."""
    if event.is_copy or not event.is_write:
        return event
    return replace(event, mark=None, cells=event.elements)


def filled_last(event: Event) -> Event:
    """What copies out fills the local array instead."""
    return replace(event, is_write=not event.is_write) if event.statement == "A_out" else event


@pytest.mark.parametrize(
    "changed",
    [
        without("A_in"),
        without("A_out"),
        in_next_cell,
        in_one_cell,
        written_beside,
        filled_last,
    ],
)
def test_copies_that_are_wrong(scop: Scop, changed: Callable[[Event], Event | None]) -> None:
    found = [changed(event) for event in events_of(scop, "A")]
    assert not are_right_in_iterations(scop, [event for event in found if event is not None])


@pytest.fixture(scope="module")
def rows() -> Scop:
    """Each iteration of the loop over i has its row of p; the last time step copies it out."""
    module = api.run_pipeline(api.parse(ROWS), "promote-private")
    (op,) = scops_in(module)
    assert [array.sym_name.data for array in op.local_arrays] == ["p_local"]
    return scop_of(op)


def test_the_last_writes_are_copied(rows: Scop) -> None:
    events = events_of(rows, "p")
    assert are_right_in_iterations(rows, events)
    require_right_copies(rows)
    none_out = [event for event in events if event.statement != "p_out"]
    assert are_right_in_iterations(rows, none_out, is_live_out=False)


def restricted(event: Event, condition: str) -> Event:
    """The event in a copy out, only for some of its iterations `[t, i]`."""
    if event.statement != "p_out":
        return event
    instances = event.elements.domain()
    chosen = isl.Set(condition).align_params(instances.get_space())
    chosen = chosen.set_tuple_name(event.name)
    return replace(
        event,
        elements=event.elements.intersect_domain(chosen),
        cells=event.cells.intersect_domain(chosen),
    )


def copied_in(event: Event) -> Event:
    """What copies out fills the local array instead: values are passed on."""
    return replace(event, is_write=not event.is_write) if event.statement == "p_out" else event


@pytest.mark.parametrize(
    "changed",
    [
        without("p_out"),
        lambda event: restricted(event, "[n] -> { [t, i, p0, p1] : p1 > 0 }"),
        lambda event: restricted(event, "[n] -> { [t, i, p0, p1] : i < n - 1 }"),
        written_beside,
        copied_in,
    ],
)
def test_last_writes_that_are_not_copied(
    rows: Scop, changed: Callable[[Event], Event | None]
) -> None:
    found = [changed(event) for event in events_of(rows, "p")]
    assert not are_right_in_iterations(rows, [event for event in found if event is not None])
