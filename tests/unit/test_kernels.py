"""The table of the PolyBench kernels: it fits the MLIR files, and its data suits a test."""

from __future__ import annotations

import re

import numpy as np
import pytest
from kernels import DATA_SETS, KERNELS, ArrayArgument, Kernel
from reference_kernels import REFERENCES

EACH_KERNEL = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def test_there_are_thirty_kernels_one_file_each() -> None:
    folder = KERNELS["gemm"].path.parent
    assert len(KERNELS) == 30
    assert sorted(KERNELS) == sorted(path.stem for path in folder.glob("*.mlir"))
    assert sorted(KERNELS) == sorted(REFERENCES)


def test_sizes_of_a_data_set_have_names() -> None:
    assert KERNELS["gemm"].sizes("large") == {"ni": 1000, "nj": 1100, "nk": 1200}
    assert KERNELS["syrk"].sizes("mini") == {"n": 30, "m": 20}


@EACH_KERNEL
def test_data_sets_grow(kernel: Kernel) -> None:
    volumes = [np.prod(kernel.data_sets[name], dtype=float) for name in DATA_SETS]
    assert volumes[:4] == sorted(volumes[:4])
    # PolyBench's own oddity: atax and bicg are hardly larger in the last data set.
    assert volumes[4] > 0.9 * volumes[3]


@EACH_KERNEL
def test_arguments_are_those_of_the_function(kernel: Kernel) -> None:
    text = kernel.path.read_text()
    (name, parameters) = re.findall(r"func\.func @(\w+)\((.*?)\) \{", text, re.DOTALL)[0]
    assert name == kernel.function
    assert tuple(re.findall(r"%(\w+):", parameters)) == kernel.argument_names


@EACH_KERNEL
def test_same_seed_gives_same_data(kernel: Kernel) -> None:
    first, again, other = (kernel.make_arguments("mini", seed) for seed in (1, 1, 2))
    arrays = [position for position, value in enumerate(first) if isinstance(value, np.ndarray)]
    assert all(np.array_equal(first[position], again[position]) for position in arrays)
    assert not any(np.array_equal(first[position], other[position]) for position in arrays)


class WriteRecorder(np.ndarray[tuple[int, ...], np.dtype[np.generic]]):
    """An array that remembers in `written` which cells were assigned to."""

    written: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

    def __setitem__(self, key: int | tuple[int, ...], value: complex) -> None:  # type: ignore[override]
        super().__setitem__(key, value)
        self.written[key] = True


def recording(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> WriteRecorder:
    recorder = array.copy().view(WriteRecorder)
    recorder.written = np.zeros(array.shape, dtype=np.bool_)
    return recorder


@EACH_KERNEL
def test_the_kernel_changes_what_it_writes(kernel: Kernel) -> None:
    """Outputs are finite and differ from the initial data in nearly all cells written."""
    before = kernel.make_arguments("mini")
    after = [recording(value) if isinstance(value, np.ndarray) else value for value in before]
    REFERENCES[kernel.name](*after)
    values = dict(zip(kernel.argument_names, zip(before, after, strict=True), strict=True))
    for argument in kernel.arguments:
        if not isinstance(argument, ArrayArgument):
            continue
        initial, final = values[argument.name]
        assert isinstance(final, WriteRecorder)
        assert bool(final.written.any()) == argument.is_output, argument.name
        assert np.isfinite(final).all(), argument.name
        if argument.is_output:
            changed = (np.asarray(final) != initial)[final.written]
            assert changed.mean() > 0.9, argument.name
