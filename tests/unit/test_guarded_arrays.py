"""Arrays that end where memory ends."""

from __future__ import annotations

import ctypes
import faulthandler
import multiprocessing
import signal

import numpy as np
import pytest
from guarded_arrays import guarded


@pytest.mark.parametrize("shape", [(), (3,), (0,), (512,), (17, 31)])
def test_a_guarded_array_is_a_copy(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).random(shape)
    copy = guarded(array)
    assert np.array_equal(copy, array)
    assert copy.flags.writeable
    assert copy.flags.c_contiguous
    copy[...] = 2.0
    assert np.all(copy == 2.0)


def _read(elements: int) -> None:
    faulthandler.disable()
    array = guarded(np.ones(100))
    ctypes.string_at(array.ctypes.data, elements * array.itemsize)


@pytest.mark.parametrize(("elements", "code"), [(100, 0), (101, -signal.SIGSEGV)])
def test_what_is_behind_it_cannot_be_read(elements: int, code: int) -> None:
    process = multiprocessing.get_context("fork").Process(target=_read, args=(elements,))
    process.start()
    process.join()
    assert process.exitcode == code
