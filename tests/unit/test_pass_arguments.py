"""The forms in which passes are given, and what an error in them looks like to a user."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import polyir
from polyir import api
from polyir.base.diagnostics import LegalityError, OptionError, PolyirError
from polyir.base.limits import time_limited_to
from polyir.passes.mark_parallel import MarkParallelPass
from polyir.passes.tile import TilePass

TEXT = """
func.func @f(%A: memref<?x?xf64>, %n: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %a = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %b = affine.load %A[%i, %j - 1] : memref<?x?xf64>
      %c = affine.load %A[%i - 1, %j + 1] : memref<?x?xf64>
      %s = arith.addf %a, %b : f64
      %t = arith.addf %s, %c : f64
      affine.store %t, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
"""
SAME: tuple[Any, ...] = (
    "skew{loop=S0.1 by=S0.0 factor=1},tile{sizes=8,4},mark-parallel",
    "--skew='loop=S0.1 by=S0.0 factor=1' --tile=8,4 --mark-parallel",
    "builtin.module(func.func(skew{loop=S0.1 by=S0.0 factor=1},tile{sizes=8,4},mark-parallel))",
    ["skew{loop=S0.1 by=S0.0 factor=1}", "tile{sizes=8,4}", "mark-parallel"],
    ("--skew='loop=S0.1 by=S0.0 factor=1'", TilePass(sizes=(8, 4)), "mark-parallel"),
    ["--skew='loop=S0.1 by=S0.0 factor=1' --tile=8,4", MarkParallelPass()],
    "-p 'skew{loop=S0.1 by=S0.0 factor=1}' --tile=8,4 --mark-parallel",
)


@pytest.fixture(scope="module")
def program() -> polyir.Program:
    return polyir.Program.parse(TEXT)


def test_all_forms_give_the_same(program: polyir.Program) -> None:
    expected = api.passes_of(SAME[0])
    assert len(expected) == 3
    for passes in SAME[1:]:
        assert api.passes_of(passes) == expected, passes
    # A generator is used up once.
    trees = {str(program.run(each).schedules[0]) for each in (SAME[0], iter(SAME[3]))}
    assert len(trees) == 1
    assert api.passes_of(TilePass()) == (TilePass(),)
    assert api.passes_of("") == api.passes_of(" \n") == api.passes_of([]) == ()


WRONG: dict[str, tuple[Any, str]] = {
    "misspelt name": ("tyle", "unknown pass 'tyle'; did you mean 'tile'"),
    "in a list": (["pluto-schedule", "tyle"], "unknown pass 'tyle'; did you mean 'tile'"),
    "misspelt flag": (
        "--pluto-schedule --tyle=3",
        "unknown pass '--tyle=3'; did you mean '--tile'",
    ),
    "one dash": ("-tile", "unknown pass '-tile'; did you mean '--tile'"),
    "option": (["tile{size=3}"], "pass 'tile' has no option 'size'; did you mean 'sizes'"),
    "no comma": ("pluto-schedule tile", "malformed pass pipeline"),
    "quote": ("--tile='3", "malformed passes"),
    "number": ([3], "a pass must be text or an object, not 3"),
    "class": ([TilePass], r"a pass must be text or an object.*write its name, or TilePass\(\)"),
    "no list": (3, "passes must be text or objects, not 3"),
    "no passes": ("builtin.module(tyle)", "unknown pass 'tyle'"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_passes(what: str) -> None:
    passes, message = WRONG[what]
    with pytest.raises(OptionError, match=message):
        polyir.compile(TEXT, passes)


def _illegal(program: polyir.Program) -> Iterator[tuple[str, Callable[[], object]]]:
    (tree,) = program.schedules
    module = program.module
    yield "method", lambda: tree.reverse("S0.1")
    yield "two loops", lambda: tree.interchange(loops=("S0.0", "S0.1"))
    yield "run", lambda: program.run("reverse{loop=S0.0}")
    yield "compile", lambda: polyir.compile(TEXT, ["reverse{loop=S0.0}"])
    yield "function", lambda: polyir.run_pipeline(module, "--reverse=S0.0")
    yield "schedule", lambda: tree.apply_schedule("{ S0[i, j] -> [j, i] }")
    yield "check", lambda: tree.tile(sizes=4, loops=("S0.0", "S0.1"))


def test_an_illegal_transformation_is_one_message(program: polyir.Program) -> None:
    """Steps run in worker processes, whose traceback is nothing to the user."""
    for what, call in _illegal(program):
        with time_limited_to(20), pytest.raises(PolyirError) as caught:
            call()
        error = caught.value
        text = "".join(traceback.format_exception(error))
        assert text.count(error.message) == 1, what
        assert text.count("Traceback") == 1, what
        assert "worker process" not in text, what
        if what in ("method", "two loops", "run", "compile", "function"):
            assert isinstance(error, LegalityError), what
            assert text.rstrip().splitlines()[-1] == "at <string>:3:3", what


def test_errors_in_texts_are_one_message() -> None:
    wrong = {
        "func.func @f() { retrn }": "<string>:1:18",
        "func.func @f(%n: index) { affine.for %i = 0 to %m { } return }": "<string>:1:48",
        "func.func @f( { return }": "<string>:1:15",
        "func.func @f() { %x = arith.constant 1 : floot return }": "<string>:1:42",
        "affine f [N] -> { : N > 0 }\n outputs X : [N]\n let X = Y; .": "<string>:3:10",
    }
    for source, place in wrong.items():
        with pytest.raises(PolyirError) as caught:
            polyir.compile(source)
        text = "".join(traceback.format_exception(caught.value))
        assert text.count("Traceback") == 1, source
        assert f"at {place}" in text, text
        assert text.count(caught.value.message) == 1
