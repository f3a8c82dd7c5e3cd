"""Random types of `memref.subview`: polyir accepts those that mlir-opt accepts."""

from __future__ import annotations

import random
import re
import subprocess

import pytest
from oracle import MISSING_TOOLS_REASON, MLIR_OPT, mlir_opt_available

from polyir.base.diagnostics import PolyirError
from polyir.frontend.parse import parse_module
from polyir.universe import new_context

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

# `None` is for a number that is known only when the program runs.
Number = int | None

LINES = 4
CASES = 1000


def product(left: Number, right: Number) -> Number:
    if left == 0 or right == 0:
        return 0
    return None if left is None or right is None else left * right


def total(left: Number, right: Number) -> Number:
    return None if left is None or right is None else left + right


def memref(sizes: list[Number], strides: list[Number] | None, offset: Number = 0) -> str:
    def text(number: Number) -> str:
        return "?" if number is None else str(number)

    shape = "".join(f"{text(size)}x" for size in sizes)
    if strides is None:
        return f"memref<{shape}f32>"
    layout = f"strided<[{', '.join(map(text, strides))}], offset: {text(offset)}>"
    return f"memref<{shape}f32, {layout}>"


def source(rng: random.Random, rank: int) -> tuple[str, list[Number], Number]:
    """A type, its strides and its offset."""
    sizes = [rng.choice([1, 1, 2, 4, None]) for _ in range(rank)]
    if rng.random() < 0.5:
        strides: list[Number] = [1]
        for size in reversed(sizes[1:]):
            strides.insert(0, product(strides[0], size))
        return memref(sizes, None), strides, 0
    strides = [rng.choice([1, 2, 3, None, None]) for _ in range(rank)]
    offset = rng.choice([0, 3, None])
    return memref(sizes, strides, offset), strides, offset


def program(rng: random.Random) -> str:
    """A function with a view, whose type is right, without some dimensions, or changed."""
    rank = rng.randint(1, 4)
    source_type, source_strides, offset = source(rng, rank)
    starts = [rng.choice([0, 0, 1, None]) for _ in range(rank)]
    extents = [rng.choice([1, 1, 1, 2, 4, None]) for _ in range(rank)]
    steps = [rng.choice([1, 1, 2, None]) for _ in range(rank)]
    for start, stride in zip(starts, source_strides, strict=True):
        offset = total(offset, product(start, stride))
    kept = [number for number in range(rank) if extents[number] != 1 or rng.random() < 0.5]
    sizes = [extents[number] for number in kept]
    strides = [product(source_strides[number], steps[number]) for number in kept]
    match rng.randrange(8):
        case 0:
            offset = rng.choice([0, 1, 3, None])
        case 1 if strides:
            strides[rng.randrange(len(strides))] = rng.choice([1, 2, None])
        case 2:
            rng.shuffle(strides)
        case 3:
            rng.shuffle(sizes)
        case _:
            pass
    result = memref(sizes, None if rng.random() < 0.1 else strides, offset)
    parts = " ".join(
        f"[{', '.join('%i' if number is None else str(number) for number in numbers)}]"
        for numbers in (starts, extents, steps)
    )
    return (
        f"func.func @f(%A: {source_type}, %i: index) {{\n"
        f"  %V = memref.subview %A{parts} : {source_type} to {result}\n"
        "  return\n"
        "}\n"
    )


def refused_by_mlir(programs: list[str]) -> set[int]:
    command = [MLIR_OPT, "--split-input-file", "-o", "/dev/null"]
    text = "// -----\n".join(programs)
    errors = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    # A part after the first has the line of its marker.
    places = re.findall(r"^(?:within split at )?<stdin>:(\d+).*: error: ", errors.stderr, re.M)
    return {int(line) // (LINES + 1) for line in places}


def refusal(text: str) -> str | None:
    try:
        parse_module(text, "view.mlir", new_context())
    except PolyirError as error:
        return error.message
    return None


def test_types_of_views() -> None:
    rng = random.Random(5)
    programs = [program(rng) for _ in range(CASES)]
    refused = refused_by_mlir(programs)
    assert CASES / 10 < len(refused) < CASES * 9 / 10
    for number, text in enumerate(programs):
        found = refusal(text)
        assert (found is not None) == (number in refused), f"{text}{found}"
