"""Random affine programs compute the same after raising, and after scheduling."""

from __future__ import annotations

from affine_programs import affine_programs
from hypothesis import Phase, assume, given, settings
from replay import function_of, replay
from suites import examples
from xdsl.context import Context

from polyir.base.diagnostics import remarks_to
from polyir.frontend.parse import parse_module
from polyir.model.raising import raise_module
from polyir.passes.pluto_schedule import PlutoSchedulePass


@settings(max_examples=examples(25, 80), deadline=None)
@given(affine_programs())
def test_raised_program_computes_the_same(text: str) -> None:
    original = parse_module(text)
    module = original.clone()
    outcome = raise_module(module)
    module.verify()
    assert outcome.left == ()
    for size in (0, 1, 3, 4):
        assert replay(function_of(original), size) == replay(function_of(module), size), size


# Shrinking would schedule hundreds of programs.
@settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(affine_programs())
def test_scheduled_program_computes_the_same(text: str) -> None:
    assume(text.count("affine.store") < 8)
    original = parse_module(text)
    module = original.clone()
    with remarks_to(lambda remark: None):
        PlutoSchedulePass().apply(Context(), module)
    module.verify()
    for size in (1, 3):
        assert replay(function_of(original), size) == replay(function_of(module), size), size
