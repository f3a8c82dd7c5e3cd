"""The C files that peers are given: they have what Pluto's and PPCG's readers of C can read."""

from __future__ import annotations

import re

import pytest
from beyond_kernels import ALL_KERNELS
from kernels import ArrayArgument, Kernel

EACH_KERNEL = pytest.mark.parametrize("kernel", ALL_KERNELS.values(), ids=ALL_KERNELS.keys())

TYPES = r"(?:char|int|long|float|double|unsigned|const|static|base)"


def region_of(kernel: Kernel) -> str:
    """What is between the pragmas, without comments."""
    text = kernel.natural_path.read_text()
    assert text.count("#pragma scop\n") == text.count("#pragma endscop\n") == 1
    region = text.partition("#pragma scop\n")[2].partition("#pragma endscop\n")[0]
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", region, flags=re.DOTALL)


@EACH_KERNEL
def test_regions_have_loops_conditions_and_assignments_only(kernel: Kernel) -> None:
    """No declaration, no cast, no block that is not the body of a loop or a condition."""
    region = region_of(kernel)
    assert not re.search(rf"\b{TYPES}\b", region)
    for before in re.findall(r"([^\s])\s*\{", region):
        assert before in ")e", f"a block stands alone after '{before}'"
    assert not re.search(r"\b(while|do|goto|break|continue|return|switch)\b", region)
    # One assignment a statement: `a = b = c` is what clan cannot read.
    for statement in re.findall(r"[^;{}]+;", re.sub(r"\bfor \([^)]*\)", "", region)):
        assert len(re.findall(r"(?<![=<>!])=(?!=)", statement)) <= 1, statement


@EACH_KERNEL
def test_arrays_are_parameters_of_variable_size(kernel: Kernel) -> None:
    text = kernel.natural_path.read_text()
    found = re.search(rf"static void {kernel.function}\((.*?)\)\s*\{{", text, re.DOTALL)
    assert found is not None
    given = [part.split()[-1] for part in found[1].split(",")]
    sizes, others = given[: len(kernel.size_names)], given[len(kernel.size_names) :]
    assert tuple(sizes) == kernel.size_names
    for argument, declared in zip(kernel.arguments, others, strict=True):
        extents = re.findall(r"\[(\w+)\]", declared)
        shape = argument.shape if isinstance(argument, ArrayArgument) else ()
        assert tuple(extents) == shape, declared
