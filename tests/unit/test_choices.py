"""What depends on a machine is said in polyir/choose: the rooms below it have no such number."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "polyir"
ROOMS = ("transform", "schedule", "codegen", "loops", "proofs", "model", "tree", "sets", "base")
WORDS = {
    *("BANDWIDTH", "BITS", "BLOCK", "BYTES", "CACHE", "CORES", "CYCLES", "LANES", "LATENCY"),
    *("LINE", "REGISTERS", "ROWS", "SIZE", "SIZES", "STACK", "THREADS", "TILE", "TILES"),
    *("WARP", "WIDTH"),
}
"""A constant with such a word in its name is taken for a number of a machine."""

ALLOWED = {
    "base/diagnostics.py: LONGEST_LINE": "of a message",
    "codegen/tile_loops.py: LARGEST_SIZE": "so that no number overflows",
    "loops/transposes.py: MOST_ROWS": "more than the registers of any machine",
    "model/index_arrays.py: INDEX_BITS": "index values of the IR",
    "model/integer_ranges.py: MOST_BITS": "the integers whose type is a bound worth knowing",
    "model/vectors.py: VECTOR_BYTES": "the vector types that CUDA and OpenCL have",
    "schedule/sizes.py: LEAST_SIZE": "the parameters for which distances are compared",
    "model/iteration_arrays.py: MOST_ON_STACK": "what every system gives a thread",
    "transform/symbolic_tile.py: MOST_SIZES": "the parameters of a function",
}
"""Constants that are none, though they are named so, and why."""

NEUTRAL = (-1, 0, 1, 2)
"""Numbers that options may have by default: they ask for nothing, or for the simplest there is."""


def programs() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for file in sorted((ROOT / room).rglob("*.py")):
            yield str(file.relative_to(ROOT)), ast.parse(file.read_text())


def imports_of_choose(program: ast.Module) -> list[str]:
    """What a program imports from polyir/choose, also inside of functions and for types only."""
    found = []
    for node in ast.walk(program):
        if isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.Import):
            found += [each.name for each in node.names]
    return [each for each in found if f"{each}.".startswith("polyir.choose.")]


def machine_numbers(program: ast.Module) -> list[str]:
    """The constants of a program, and the defaults of its options, that belong to a machine."""
    found = []
    for node in program.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_number(node.value):
            names = [ast.unparse(each) for each in _targets(node)]
            found += [each for each in names if WORDS & set(each.split("_"))]
        if isinstance(node, ast.ClassDef) and node.name.endswith("Options"):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and _is_number(field.value):
                    assert field.value is not None
                    if ast.unparse(field.value) not in map(str, NEUTRAL):
                        found.append(f"{node.name}.{ast.unparse(field.target)}")
    return found


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _is_number(value: ast.expr | None) -> bool:
    """Whether it is made of numbers alone: `64`, `1 << 16`, `(32, 32)`."""
    kinds = ast.Constant | ast.BinOp | ast.UnaryOp | ast.Tuple | ast.operator | ast.unaryop
    parts = [] if value is None else list(ast.walk(value))
    numbers = [each for each in parts if isinstance(each, ast.Constant)]
    return (
        bool(numbers)
        and all(isinstance(each, kinds | ast.expr_context) for each in parts)
        and all(type(each.value) in (int, float) for each in numbers)
    )


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("LINE_BYTES: Final = 64", ["LINE_BYTES"]),
        ("SHARED_BYTES = 48 * 1024", ["SHARED_BYTES"]),
        ("TILES = ((256, 32), (32, 32, 32))", ["TILES"]),
        ("class TileOptions:\n    sizes: tuple[int, ...] = (32,)", ["TileOptions.sizes"]),
        ("class TileOptions:\n    levels: int = 1\n    sizes: tuple[int, ...] = ()", []),
        ("class TileOptions:\n    sizes: tuple[int, ...]\n    name: str = '32'", []),
        ("MOST_PIECES = 4\nLINE = LINE_BYTES // 8\nCACHE: dict[int, int] = {}", []),
    ],
)
def test_numbers_of_machines_are_found(text: str, numbers: list[str]) -> None:
    assert machine_numbers(ast.parse(text)) == numbers


def test_imports_are_found() -> None:
    text = "def f():\n    from polyir.choose import machine\nimport polyir.choose.model\n"
    assert imports_of_choose(ast.parse(f"{text}from polyir.chosen import choose")) == [
        "polyir.choose.model",
        "polyir.choose.machine",
    ]


def test_rooms_below_choose_choose_nothing() -> None:
    found = {name: wrong for name, program in programs() if (wrong := imports_of_choose(program))}
    assert found == {}


def test_rooms_below_choose_have_no_number_of_a_machine() -> None:
    found = {f"{name}: {each}" for name, program in programs() for each in machine_numbers(program)}
    assert found == set(ALLOWED)
