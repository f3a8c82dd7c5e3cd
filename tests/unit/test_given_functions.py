"""Functions that a program declares only, and that are given where it is compiled."""

from __future__ import annotations

import ctypes
import math
import pickle
from collections.abc import Callable

import numpy as np
import pytest

import polyir
from polyir.base.diagnostics import OptionError, remarks_to
from polyir.runtime import CompiledModule
from polyir.runtime.compiler import CompilationError
from polyir.runtime.given_functions import GivenFunction

TEXT = """
external blend(2)
external weight(1)
affine blended [N] -> {: N > 0}
inputs A : [N]
outputs Y : [N]  S : {}
let Y[i] = blend(A[i], weight(val[i]));
    S = reduce(blend, [i], A[i]);
.
"""

C_BLEND = "double blend(double a, double b) { return 2 * a + b; }"
C_WEIGHT = "static double h(double x) { return x - 3; }\ndouble weight(double a) { return h(a); }"

backends = pytest.mark.parametrize("backend", ["c", "llvm"])


def compiled(backend: polyir.api.Backend, **functions: GivenFunction) -> CompiledModule:
    with remarks_to(lambda remark: None):
        return polyir.compile(TEXT, backend=backend, functions=functions)


def blend(a: float, b: float) -> float:
    return 2 * a + b


def weight(a: float) -> float:
    return a - 3


def assert_agrees(
    kernels: CompiledModule,
    blend: Callable[[float, float], float],
    weight: Callable[[float], float],
) -> None:
    numbers = np.random.default_rng(1).random(7)
    found, last = np.zeros(7), np.zeros(())
    kernels.blended(7, numbers, found, last)
    expected = numbers[0]
    for number in numbers[1:]:
        expected = blend(expected, number)
    assert last == expected
    assert found.tolist() == [blend(each, weight(i)) for i, each in enumerate(numbers)]


@backends
def test_c_text_and_python(backend: polyir.api.Backend) -> None:
    assert_agrees(compiled(backend, blend=C_BLEND, weight=C_WEIGHT), blend, weight)
    both = f"{C_BLEND}\n{C_WEIGHT}"
    assert_agrees(compiled(backend, blend=both, weight=both), blend, weight)
    assert_agrees(compiled(backend, blend=C_BLEND, weight=weight), blend, weight)
    assert_agrees(
        compiled(backend, blend=np.hypot, weight=lambda a: np.float64(a)), math.hypot, float
    )


@backends
def test_functions_of_ctypes(backend: polyir.api.Backend) -> None:
    library = ctypes.CDLL(None)
    assert_agrees(compiled(backend, blend=library.pow, weight=library.cos), math.pow, math.cos)


@backends
def test_the_same_code_calls_what_was_given(backend: polyir.api.Backend) -> None:
    first = compiled(backend, blend=blend, weight=weight)
    second = compiled(backend, blend=max, weight=abs)
    assert_agrees(first, blend, weight)
    assert_agrees(second, max, abs)
    assert_agrees(first, blend, weight)


@backends
def test_functions_of_the_process_are_not_called_instead(backend: polyir.api.Backend) -> None:
    text = TEXT.replace("weight", "gamma")
    with remarks_to(lambda remark: None):
        functions = {"blend": C_BLEND, "gamma": C_WEIGHT.replace("weight", "gamma")}
        kernels = polyir.compile(text, backend=backend, functions=functions)
    assert_agrees(kernels, blend, weight)


@backends
def test_exceptions_come_back(backend: polyir.api.Backend) -> None:
    def fails(a: float) -> float:
        raise RuntimeError(f"no weight for {a}")

    kernels = compiled(backend, blend=blend, weight=fails)
    with pytest.raises(RuntimeError, match=r"no weight for 0\.0"):
        assert_agrees(kernels, blend, weight)


@backends
def test_pickled(backend: polyir.api.Backend) -> None:
    kernels = compiled(backend, blend=C_BLEND, weight=weight)
    assert_agrees(pickle.loads(pickle.dumps(kernels)), blend, weight)


@backends
def test_what_is_refused(backend: polyir.api.Backend) -> None:
    with pytest.raises(CompilationError, match="nothing defines 'weight'"):
        compiled(backend, blend=C_BLEND)
    with pytest.raises(CompilationError, match=r"nothing defines '(blend|weight)'"):
        compiled(backend)
    with pytest.raises(OptionError, match="declares no function 'blent'; did you mean 'blend'"):
        compiled(backend, blent=C_BLEND, weight=C_WEIGHT)
    with pytest.raises(OptionError, match="must be C text or a function, not int"):
        compiled(backend, blend=3)  # type: ignore[arg-type]
    with pytest.raises(CompilationError, match="conflicting types"):
        compiled(backend, blend="int blend(int a) { return a; }", weight=weight)


def test_integers() -> None:
    with remarks_to(lambda remark: None):
        kernels = polyir.compile(
            TEXT,
            pipeline="equations-to-scop{element-type=i32}",
            functions={"blend": lambda a, b: a * b, "weight": lambda a: a + 1},
        )
    found, last = np.zeros(3, np.int32), np.zeros((), np.int32)
    kernels.blended(3, np.array([5, 6, 2**30], np.int32), found, last)
    # 30 * 2^30 wraps.
    assert found.tolist() == [5, 12, -(2**30)]
    assert last == -(2**31)


def test_only_for_the_processor() -> None:
    with pytest.raises(OptionError, match="functions are for the target 'cpu'"):
        polyir.compile(
            "affine s [N] -> {: N > 0} inputs A : [N] outputs X : [N] let X = A; .",
            target="opencl",
            functions={"f": abs},
        )
