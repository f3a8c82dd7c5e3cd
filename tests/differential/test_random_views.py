"""Random views of views of an array: both back ends compute the bits that MLIR computes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available

import polyir
from polyir.api import Backend
from polyir.runtime import compare_bits

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

SHAPE = (12, 14)


@dataclass(frozen=True)
class Extent:
    """A size or a stride; `is_dynamic` where the type of the memref has `?` for it."""

    value: int
    is_dynamic: bool = False

    def __str__(self) -> str:
        return "?" if self.is_dynamic else str(self.value)


@dataclass(frozen=True)
class View:
    """A memref of the program."""

    name: str
    sizes: tuple[Extent, ...]
    strides: tuple[Extent, ...]
    offset: Extent
    is_array: bool = False

    @property
    def type(self) -> str:
        shape = "x".join([*map(str, self.sizes), "f64"])
        if self.is_array:
            return f"memref<{shape}>"
        strides = ", ".join(map(str, self.strides))
        return f"memref<{shape}, strided<[{strides}], offset: {self.offset}>>"


@dataclass
class Program:
    """A function of an array and of the numbers that are not written as constants."""

    random: Random
    lines: list[str] = field(default_factory=list)
    arguments: dict[int, str] = field(default_factory=dict)

    def number(self, value: int) -> tuple[str, bool]:
        """The text of a number, and whether it is an argument."""
        if self.random.random() < 0.6:
            return str(value), False
        return self.arguments.setdefault(value, f"%n{value}"), True

    def part_of(self, source: View, name: str) -> View:
        """A view of a part of `source`."""
        texts: list[list[str]] = [[], [], []]
        sizes: list[Extent] = []
        strides: list[Extent] = []
        offset = source.offset
        for size, stride in zip(source.sizes, source.strides, strict=True):
            first = self.random.randrange(size.value)
            step = self.random.choice((1, 1, 2, 3))
            count = self.random.randint(1, (size.value - 1 - first) // step + 1)
            written = [self.number(number) for number in (first, count, step)]
            for column, (text, _) in zip(texts, written, strict=True):
                column.append(text)
            (_, first_varies), (_, count_varies), (_, step_varies) = written
            sizes.append(Extent(count, count_varies))
            strides.append(Extent(stride.value * step, stride.is_dynamic or step_varies))
            offset = Extent(
                offset.value + first * stride.value,
                offset.is_dynamic or first_varies or stride.is_dynamic,
            )
        view = View(name, tuple(sizes), tuple(strides), offset)
        columns = " ".join(f"[{', '.join(column)}]" for column in texts)
        self.lines.append(
            f"{name} = memref.subview {source.name}{columns} : {source.type} to {view.type}"
        )
        return view

    def add_nest(self, number: int, source: View, target: View) -> None:
        """Add elements of one view to those of another."""
        counters = [f"%i{number}_{position}" for position in range(len(SHAPE))]
        for counter, size in zip(counters, target.sizes, strict=True):
            self.lines.append(f"affine.for {counter} = 0 to {size.value} {{")
        subscripts = ", ".join(
            f"({self.random.choice(counters)} + {self.random.randrange(9)}) mod {size.value}"
            for size in source.sizes
        )
        own = ", ".join(counters)
        store = self.random.choice(("affine.store", "memref.store"))
        self.lines += [
            f"%a{number} = affine.load {source.name}[{subscripts}] : {source.type}",
            f"%b{number} = affine.load {target.name}[{own}] : {target.type}",
            f"%c{number} = arith.addf %a{number}, %b{number} : f64",
            f"{store} %c{number}, {target.name}[{own}] : {target.type}",
            *("}" for _ in counters),
        ]

    @property
    def text(self) -> str:
        numbers = "".join(f", {name}: index" for name in self.arguments.values())
        body = "\n  ".join((*self.lines, "return"))
        return f"func.func @f(%A: memref<12x14xf64>{numbers}) {{\n  {body}\n}}"


def random_program(seed: int) -> Program:
    program = Program(Random(seed))
    sizes, strides = map(Extent, SHAPE), (Extent(SHAPE[1]), Extent(1))
    views = [View("%A", tuple(sizes), strides, Extent(0), is_array=True)]
    for number in range(program.random.randint(1, 3)):
        views.append(program.part_of(program.random.choice(views), f"%V{number}"))
    for number in range(program.random.randint(1, 3)):
        source, target = program.random.choice(views), program.random.choice(views[1:])
        program.add_nest(number, source, target)
    return program


@pytest.mark.parametrize("pipeline", ["", "pluto-schedule,tile{sizes=4}"])
@pytest.mark.parametrize("seed", range(8))
def test_views_have_the_bits_of_mlir(seed: int, pipeline: str, tmp_path: Path) -> None:
    program = random_program(seed)
    numbers = tuple(program.arguments)
    expected = np.random.default_rng(seed).random(SHAPE)
    start = expected.copy()
    Oracle(program.text, tmp_path)("f", expected, *numbers)
    backends: tuple[Backend, ...] = ("c", "llvm")
    for backend in backends:
        actual = start.copy()
        polyir.compile(program.text, pipeline, backend=backend)["f"](actual, *numbers)
        assert compare_bits([expected], [actual]) is None, program.text
