"""Every operation on scalars in kernels: the same bits as in C, on the CPU through PoCL.

A kernel holds all operations on operands of the same types. Row `p` of the arrays belongs to
operation number `p`, and block `i` computes column `i`.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scalar_operations import CASES, TEXT, Case, Number, calls_of
from test_c_operations import FLAGS
from xdsl.dialects import gpu

from polyir.frontend.parse import parse_module
from polyir.runtime import CompilerOptions, compile_module
from polyir.target.gpu import Language, kernel_source

Group = tuple[tuple[str, ...], str]

# What a library computes differs in the last bits.
APPROXIMATE = (
    *("acos", "asin", "atan", "cbrt", "cosh", "cos", "erf", "exp", "exp2", "log", "log10", "log2"),
    *("sinh", "sin", "tan", "tanh", "atan2", "powf"),
)


def _groups() -> dict[Group, list[Case]]:
    found: dict[Group, list[Case]] = {}
    for case in CASES:
        found.setdefault((case.operands, case.result), []).append(case)
    return found


GROUPS = _groups()


def _name(group: Group) -> str:
    return "_".join((*group[0], "to", group[1]))


def _kernel(group: Group) -> str:
    operands, result = group
    named = tuple(zip("abc", operands, strict=False))
    parameters = [f"%{name}: memref<?x?x{type}>" for name, type in named]
    lines = ["%i = gpu.block_id x"]
    for row, case in enumerate(GROUPS[group]):
        lines.append(f"%p{row} = arith.constant {row} : index")
        text = case.text
        for name, type in named:
            lines.append(f"%{name}{row} = memref.load %{name}[%p{row}, %i] : memref<?x?x{type}>")
            text = text.replace(f"%{name}", f"%{name}{row}")
        last = operands[-1]
        types = last if last == result or "cmp" in text else f"{last} to {result}"
        lines.append(f"%r{row} = {text} : {types}")
        lines.append(f"memref.store %r{row}, %r[%p{row}, %i] : memref<?x?x{result}>")
    head = f"gpu.func @{_name(group)}({', '.join(parameters)}, %r: memref<?x?x{result}>) kernel"
    return f"{head} {{\n" + "\n".join(lines) + "\ngpu.return\n}\n"


@cache
def _module() -> gpu.ModuleOp:
    text = "".join(_kernel(group) for group in GROUPS)
    module = parse_module(
        f"module attributes {{gpu.container_module}} {{ gpu.module @m {{\n{text}}} }}"
    )
    return next(op for op in module.walk() if isinstance(op, gpu.ModuleOp))


_DTYPES = {"i1": np.bool_, "index": np.int64, "f32": np.float32, "f64": np.float64}


def _array(rows: Sequence[Sequence[Number]], type: str) -> np.ndarray[Any, Any]:
    return np.array(rows, _DTYPES.get(type) or f"int{type[1:]}")


@pytest.fixture(scope="module")
def program() -> Any:
    cl = pytest.importorskip("pyopencl", reason="pyopencl is not installed: pip install pyopencl")
    try:
        context = cl.create_some_context(interactive=False)
    except cl.Error as error:
        pytest.skip(f"no OpenCL device: {error}")
    built = cl.Program(context, kernel_source(_module(), Language.OPENCL))
    return cl, context, built.build(options=["-cl-std=CL1.2"])


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYIR_CACHE", str(tmp_path_factory.mktemp("cache")))
        return compile_module(parse_module(TEXT), CompilerOptions(flags=FLAGS))


@pytest.mark.parametrize("group", GROUPS, ids=_name)
def test_operation_in_a_kernel_has_the_bits_of_c(group: Group, program: Any, expected: Any) -> None:
    cl, context, kernels = program
    operands, result = group
    cases = GROUPS[group]
    inputs = [list(calls_of(case)) for case in cases]
    width = max(map(len, inputs))
    padded = [rows + [rows[0]] * (width - len(rows)) for rows in inputs]
    arrays = [
        _array([[values[n] for values in row] for row in padded], type)
        for n, type in enumerate(operands)
    ]
    arrays.append(_array([[0] * width] * len(cases), result))
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffers = [cl.Buffer(context, flags, hostbuf=array) for array in arrays]
    extents = (np.int64(len(cases)), np.int64(width))
    arguments = [argument for buffer in buffers for argument in (buffer, *extents)]
    getattr(kernels, _name(group))(queue, (width,), (1,), *arguments)
    cl.enqueue_copy(queue, arrays[-1], buffers[-1])
    for case, row, actual in zip(cases, inputs, arrays[-1], strict=True):
        wanted = _array([expected[case.name](*values) for values in row], result)
        got = actual[: len(row)]
        if case.text.split()[0].removeprefix("math.") in APPROXIMATE:
            np.testing.assert_allclose(got, wanted, rtol=1e-6 if result == "f32" else 1e-14)
        else:
            both_nan = (got != got) & (wanted != wanted)
            same = _bits(got) == _bits(wanted)
            assert (same | both_nan).all(), (case.text, row, got, wanted)


def _bits(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return values.view(f"u{values.itemsize}")


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed")
def test_nvcc_compiles_every_operation_without_a_warning(tmp_path: Path) -> None:
    source = tmp_path / "kernels.cu"
    source.write_text(kernel_source(_module(), Language.CUDA))
    flags = ("-arch=sm_90", "-Xcompiler", "-Wall", "--Werror", "all-warnings")
    command = ["nvcc", *flags, "-c", str(source), "-o", str(tmp_path / "kernels.o")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
