"""Random programs with temporaries compute the same wherever the temporaries are kept."""

from __future__ import annotations

from itertools import count

import islpy as isl
import pytest
from affine_programs import Writer
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from replay import function_of, replay
from suites import examples
from xdsl.ir import Block

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.frontend.parse import parse_module
from polyir.model.affine import constant
from polyir.model.scop import Scop, scop_of, statement_reader
from polyir.transform.expansion.temporaries import extents_of

SCALARS = ("s", "t")


@st.composite
def programs_with_temporaries(draw: st.DrawFn) -> str:
    """Loops over statements that store to and load from local memory of rank 0 and 1.

    Loop bodies often begin with stores, so that values of many temporaries stay in an iteration.
    """
    writer = Writer(draw, ["%x"], [], count())
    for _ in range(draw(st.integers(1, 2))):
        _nest(writer, draw, draw(st.integers(1, 3)))
    body = "\n".join(writer.lines)
    return f"""
func.func @f(%n: index, %x: f64, %A: memref<?xf64>, %B: memref<?x?xf64>, %C: memref<f64>) -> f64 {{
%s = memref.alloca() : memref<f64>
%t = memref.alloca() : memref<f64>
%T = memref.alloc(%n) : memref<?xf64>
affine.store %x, %s[] : memref<f64>
affine.store %x, %t[] : memref<f64>
{body}
memref.dealloc %T : memref<?xf64>
return %x : f64
}}"""


def _nest(writer: Writer, draw: st.DrawFn, depth: int) -> None:
    iterator = writer.fresh()
    writer.lines.append(f"affine.for {iterator} = 0 to {writer.bound()} {{")
    inner = writer.inner(iterator)
    for scalar in SCALARS:
        if draw(st.integers(0, 3)):
            inner.lines.append(f"affine.store {inner.some_value()}, %{scalar}[] : memref<f64>")
    for _ in range(draw(st.integers(1, 3))):
        _step(inner, draw, depth)
    writer.lines.append("}")


def _step(writer: Writer, draw: st.DrawFn, depth: int) -> None:
    kind = draw(st.integers(0, 6))
    if kind <= 1 and depth > 1:
        _nest(writer, draw, depth - 1)
    elif kind == 2:
        # A loop that fills the temporary array, and one that uses it.
        iterator, value, other = (writer.fresh() for _ in range(3))
        writer.lines += [
            f"affine.for {iterator} = 0 to %n {{",
            f"{value} = affine.load %A[{iterator} + {draw(st.integers(0, 2))}] : memref<?xf64>",
            f"affine.store {value}, %T[{iterator}] : memref<?xf64>",
            "}",
            f"affine.for {iterator}_ = 0 to %n {{",
            f"{other} = affine.load %T[{iterator}_] : memref<?xf64>",
            f"affine.store {other}, %B[{writer.iterators[-1]}, {iterator}_] : memref<?x?xf64>",
            "}",
        ]
    elif kind == 3:
        writer.load()
        writer.compute()
        writer.store()
    else:
        scalar, value, new = draw(st.sampled_from(SCALARS)), writer.fresh(), writer.fresh()
        writer.lines += [
            f"{value} = affine.load %{scalar}[] : memref<f64>",
            f"{new} = arith.addf {value}, {writer.some_value()} : f64",
        ]
        target = draw(st.sampled_from(SCALARS))
        if draw(st.booleans()):
            writer.lines.append(f"affine.store {new}, %{target}[] : memref<f64>")
        else:
            writer.lines.append(f"affine.store {new}, {writer.some_element()}")


PIPELINES = [
    "privatize",
    "privatize{loops=all}",
    "expand",
    "contract",
    "expand,contract",
]


@pytest.mark.parametrize("pipeline", PIPELINES)
@settings(
    max_examples=examples(8, 15),
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(programs_with_temporaries())
def test_program_computes_the_same(pipeline: str, text: str) -> None:
    original = parse_module(text)
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(original, pipeline)
    for size in (0, 1, 3):
        before = replay(function_of(original), size)
        assert replay(function_of(module), size) == before, size
    for op in scops_in(module):
        assert_inside(scop_of(op))


def assert_inside(scop: Scop) -> None:
    """Assert that all accesses to memory of the function are within its extents."""
    space = scop.context.get_space().set_from_params()
    reader = statement_reader(scop.op, Block(), space)
    for statement in scop.statements:
        for access in statement.accesses:
            memory = scop.arrays[access.array]
            if isinstance(memory.owner, Block):
                continue
            elements = access.relation.intersect_params(scop.context).range().reset_tuple_id()
            for position, extent in enumerate(extents_of(memory)):
                count = elements.dim(isl.dim_type.set)
                part = elements.project_out(isl.dim_type.set, position + 1, count - position - 1)
                part = part.project_out(isl.dim_type.set, 0, position)
                size = constant(space, extent) if isinstance(extent, int) else reader.read(extent)
                limit = isl.Map.from_pw_aff(size).range()
                assert part.is_subset(part.lower_bound_val(isl.dim_type.set, 0, isl.Val(0)))
                assert part.lex_ge_set(limit).is_empty(), access
