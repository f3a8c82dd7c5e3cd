"""Random edits of printed schedule trees: refused with an example, or they run as the original.

`make fuzz-edits N=300` makes that many further edits, and tells what became of them.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hand_edits import edited, orders_claimed
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, Argument, Oracle, mlir_opt_available
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import LegalityError, PolyirError, remarks_to
from polyir.base.limits import ResourceError, time_limited_to
from polyir.codegen.ast_build import IncorrectAstError
from polyir.passes.lower_poly import LowerPolyPass
from polyir.proofs.remembered import unchecked
from polyir.runtime import compare_bits
from polyir.universe import new_context

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FURTHER = int(os.environ.get("POLYIR_FUZZ_EDITS", "0"))
FIRST = int(os.environ.get("POLYIR_FUZZ_FIRST", "1000"))
NUMBERS = range(FIRST, FIRST + FURTHER) if FURTHER else range(16)

SECONDS = 10 if FURTHER else 0
SIZE = 6

PIPELINES = (
    *("poly-dependences", "poly-dependences", "pluto-schedule", "isl-builtin-schedule"),
    *("pluto-schedule,tile{sizes=3},mark-parallel", "tile{sizes=2},mark-parallel{which=all}"),
)

PROGRAMS = {
    "recurrence": """
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    %0 = affine.load %A[%i - 1] : memref<?xf64>
    %1 = affine.load %A[%i] : memref<?xf64>
    %2 = arith.addf %0, %1 : f64
    affine.store %2, %A[%i] : memref<?xf64>
  }
  return
}""",
    "independent": """
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %B[%i, %j] : memref<?x?xf64>
      %1 = arith.mulf %0, %0 : f64
      affine.store %1, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}""",
    "producer and consumer": """
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf64>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %A[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %2 = affine.load %A[%i] : memref<?xf64>
      %3 = affine.load %B[%j, %i] : memref<?x?xf64>
      %4 = arith.addf %2, %3 : f64
      affine.store %4, %B[%j, %i] : memref<?x?xf64>
    }
  }
  return
}""",
    "skewed": """
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %B[%i - 1, %j + 1] : memref<?x?xf64>
      %1 = affine.load %B[%i, %j] : memref<?x?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}""",
    "every other": """
func.func @f(%n: index, %A: memref<?xf64>, %B: memref<?x?xf64>) {
  affine.for %i = 0 to %n step 2 {
    %0 = affine.load %A[%i + 1] : memref<?xf64>
    affine.store %0, %A[%i + 2] : memref<?xf64>
    affine.store %0, %B[0, %i] : memref<?x?xf64>
  }
  return
}""",
}

CHOICES = (*PROGRAMS, *PROGRAMS, "gemm", "jacobi-1d", "atax", "trisolv", "lu", "seidel-2d", "syrk")

EXAMPLE = re.compile(
    r"\w+\[[^\]]*\] must run before \w+\[|does not hold for \w+\[|above the loops that it tiles"
)


@dataclass(frozen=True)
class Original:
    """A program that is edited: its text, and what is called with what."""

    text: str
    function: str
    kernel: str | None

    def arguments(self) -> tuple[Argument, ...]:
        if self.kernel is not None:
            kernel = KERNELS[self.kernel]
            sizes = {name: SIZE + k for k, name in enumerate(kernel.size_names)}
            return kernel.make_arguments(sizes)
        draw = np.random.default_rng(0)
        extent = SIZE + 3
        return SIZE, draw.uniform(-1, 1, extent), draw.uniform(-1, 1, (extent, extent))


def original(name: str) -> Original:
    if name in PROGRAMS:
        return Original(PROGRAMS[name], "f", None)
    kernel = KERNELS[name]
    return Original(kernel.path.read_text(), kernel.function, name)


@cache
def printed(name: str, pipeline: str) -> str:
    """The program at the level of schedule trees, as text."""
    with remarks_to(lambda remark: None):
        return api.emit(api.run_pipeline(api.parse(original(name).text), pipeline), "poly")


@dataclass(frozen=True)
class Edited:
    """An edited program that is well-formed; `text` is what a person would have in the editor."""

    name: str
    text: str
    module: ModuleOp


def some_edit(number: int) -> Edited:
    random = Random(f"edit {number}")
    while True:
        name = random.choice(CHOICES)
        text = edited(printed(name, random.choice(PIPELINES)), random)
        try:
            module = api.parse(text)
            module.verify()
        except PolyirError:
            continue
        return Edited(name, text, module)


def lowered(module: ModuleOp) -> ModuleOp:
    """The loops; never those of the original order instead."""
    loops = module.clone()
    LowerPolyPass(fall_back=False).apply(new_context(), loops)
    return loops


def difference(edit: Edited, folder: Path, order: ModuleOp) -> object:
    """The first difference between the original and the edited program, executed in an order."""
    program = original(edit.name)
    expected, actual = program.arguments(), program.arguments()
    Oracle(program.text, folder)(program.function, *expected)
    with unchecked():
        loops = lowered(order)
    api.compile_loops(loops, backend="llvm")[program.function](*actual)
    return compare_bits(expected, actual)


def refusal(edit: Edited) -> PolyirError | None:
    """Why the edited program is not lowered, if it is not."""
    try:
        lowered(edit.module)
    except PolyirError as error:
        return error
    return None


def fate(edit: Edited, folder: Path) -> str:
    """What becomes of an edited program; fails if it is believed and wrong."""
    error = refusal(edit)
    if isinstance(error, ResourceError):
        return "too slow"
    if error is not None:
        assert isinstance(error, LegalityError), f"{error.message}\n{edit.text}"
        assert EXAMPLE.search(error.message), f"{error.message}\n{edit.text}"
        return "caught"
    for name, order in orders_claimed(edit.module).items():
        try:
            found = difference(edit, folder, order)
        except (ResourceError, IncorrectAstError):
            # isl takes too long for an order that nobody asked for, or finds no loops for it.
            continue
        assert found is None, f"{found} {name}:\n{edit.text}"
    return "proved legal"


def test_edits_are_caught_or_run_as_the_original(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fates: Counter[str] = Counter()
    with remarks_to(lambda remark: None), time_limited_to(SECONDS):
        for number in NUMBERS:
            fates[fate(some_edit(number), tmp_path)] += 1
            if FURTHER and not (number + 1) % 25:
                with capsys.disabled():
                    print(f"\n{number + 1 - NUMBERS.start} edits: {dict(fates)}", flush=True)
    assert fates["caught"] >= len(NUMBERS) // 4, fates
    assert fates["proved legal"] >= len(NUMBERS) // 4, fates


def test_edits_that_are_caught_would_give_other_results(tmp_path: Path) -> None:
    wrong = 0
    with remarks_to(lambda remark: None), time_limited_to(SECONDS):
        for number in range(8):
            edit = some_edit(number)
            if isinstance(refusal(edit), LegalityError):
                orders = orders_claimed(edit.module).values()
                wrong += any(difference(edit, tmp_path, order) for order in orders)
    assert wrong
