"""Nests with local arrays compute the same bits as MLIR's lowering of the input.

The nests are those of `tests/filecheck/promote`, and kernels.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from kernel_runs import FLAGS, assert_same_bits
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from suites import rarely
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of
from polyir.runtime import CompiledModule, CompilerOptions, compare_bits, compile_module
from polyir.runtime.data import Value, make_arguments

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FOLDER = Path(__file__).parents[1] / "filecheck" / "promote"

SQUARE = 'tile{loops="S0.0","S0.1" sizes=8}'
CUBE = 'tile{loops="S0.0","S0.1","S0.2" sizes=8}'
STRIPS = 'strip-mine{loop="S0.0" size=8}'
PACKED = "pluto-schedule,tile{sizes=8,16,4}"
NESTS = [
    ("packing", f'{PACKED},promote{{arrays=A,B loop="S1.2" alignment=64}},mark-parallel'),
    ("packing", f'{PACKED},promote{{arrays=A loop="S1.2" order=1,0 space=heap}}'),
    ("packing", f'{PACKED},promote{{loop="S1.2" reverse=0,1 padding=3}}'),
    ("packing", 'tile-symbolic,mark-parallel,promote{arrays=A,B loop="S1.2"}'),
    ("transposed", f'{CUBE},promote{{arrays=A loop="S0.2" order=1,0 padding=1}}'),
    ("triangular", f'{SQUARE},promote{{arrays=L loop="S0.1" footprint=exact}}'),
    ("triangular", f'{SQUARE},promote{{arrays=L,x,y loop="S0.1"}}'),
    ("halo", 'tile{loops="S0.1","S0.2" sizes=8,16},promote{arrays=A,B loop="S0.2"}'),
    (
        "registers",
        'tile{sizes=2,2,8},promote{arrays=C loop="S0.1" space=register},unroll{loop="S0.4"}',
    ),
    ("registers", 'promote{arrays=C loop="S0.1" space=register}'),
    ("convolution", f'{SQUARE},promote{{loop="S0.1"}},unroll{{loop="S0.5"}}'),
    (
        "convolution",
        f'{SQUARE},promote{{arrays=image loop="S0.1"}},promote{{arrays=out loop="S0.3"}}',
    ),
    ("strided", f'{STRIPS},promote{{arrays=A loop="S0.0" footprint=exact}}'),
    ("strided", f'{STRIPS},promote{{arrays=A loop="S0.0" reverse=0}},mark-parallel'),
    ("partial", f'{STRIPS},promote{{arrays=A loop="S0.0"}},mark-parallel'),
    ("between", f'{STRIPS},promote{{arrays=line loop="S0.0"}}'),
    ("between", 'promote{arrays=line loop="S0.0"},reverse{loop="S0.1"}'),
    ("whole_iterations", 'promote{loop="S0.1"}'),
    ("whole_iterations", 'promote{loop="S0.1" space=heap alignment=32},promote{loop="S1.1"}'),
    ("temporaries", 'promote{arrays=sum loop="S1.1"}'),
    ("temporaries", f"privatize,{STRIPS},promote,mark-parallel"),
    ("temporaries", "privatize,tile-symbolic{min-width=1},promote,mark-parallel"),
    ("refused", 'promote{loop="S0.0"}'),
    ("rows", 'promote{arrays=p loop="S0.1" space=heap},mark-parallel'),
    ("rows", 'tile{loops="S0.1" sizes=8},promote{arrays=p loop="S0.1" space=heap order=1,0}'),
    ("private", "tile{sizes=8 min-width=1},wavefront{which=inner},promote-private,mark-parallel"),
    ("private", "promote-private,mark-parallel,promote-private"),
    ("several_loops", 'promote{arrays=p,q loop="S0.1","S2.1" space=heap},mark-parallel'),
]
"""Nests of `FOLDER`, and what they go through."""

TILED = "pluto-schedule,tile{sizes=8}"
PROMOTED_KERNELS = [
    ("gemm", f'{TILED},promote{{arrays=A,B loop="S1.2"}},promote{{arrays=C loop="S1.4"}}'),
    ("mvt", f'{TILED},promote{{arrays=A loop="S0.1" order=1,0}},mark-parallel'),
    ("trmm", f'{TILED},promote{{arrays=A loop="S0.2"}}'),
    ("atax", f'{TILED},promote{{arrays=A,x loop="S2.1" padding=1}}'),
    ("fdtd-2d", 'tile{loops="S1.1","S1.2" sizes=8},promote{arrays=ey,hz loop="S1.2"}'),
    rarely("lu", f'{TILED},promote{{arrays=A loop="S1.5"}}'),
    ("adi", "tile{sizes=5 min-width=1},wavefront{which=inner},promote-private,mark-parallel"),
    ("heat-3d", 'tile{loops="S0.2","S0.3" sizes=4},promote{arrays=A loop="S0.3"}'),
]


@cache
def parsed(text: str) -> ModuleOp:
    """The module, raised."""
    with remarks_to(lambda remark: None):
        return api.run_pipeline(api.parse(text), "poly-raise")


def transformed(text: str, pipeline: str) -> tuple[ModuleOp, int]:
    """The loops that a pipeline gives, and how many sizes of tiles their function takes too."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(text), pipeline)
        assert "poly.local_array" in str(module)
        lowered = api.lower(module)
    counts = [len(_function(each).body.blocks[0].args) for each in (parsed(text), lowered)]
    return lowered, counts[1] - counts[0]


def _function(module: ModuleOp) -> FuncOp:
    (function,) = (op for op in module.walk() if isinstance(op, FuncOp))
    return function


def check(text: str, pipeline: str, sizes: tuple[int, ...]) -> None:
    """Run a nest with and without its local arrays, and compare all bits."""
    module, tiles = transformed(text, pipeline)
    compiled = compile_module(module, CompilerOptions(flags=FLAGS))
    for size in sizes:
        check_size(text, compiled, tiles, size)


def check_size(text: str, compiled: CompiledModule, tiles: int, size: int) -> None:
    raised = parsed(text)
    function = _function(raised)
    scops = tuple(scop_of(op) for op in scops_in(raised))
    expected = make_arguments(function, scops, {}, size)
    expected = tuple(_data(value) for value in expected)
    arguments, original = deepcopy(expected), deepcopy(expected)
    Oracle(text)(function.sym_name.data, *expected)
    # Nests over few elements may do nothing.
    assert size == 1 or compare_bits(original, expected) is not None
    with compiled.threads(2):
        compiled[function.sym_name.data](*arguments, *[5] * tiles)
    assert compare_bits(expected, arguments) is None, size


def _data(value: Value) -> Value:
    """Integers that are subscripts in bounds, numbers of both signs."""
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype == np.int64:
        return np.arange(value.size, dtype=np.int64)[::-1].reshape(value.shape).copy()
    return value - 0.5


@pytest.mark.parametrize(("name", "pipeline"), NESTS)
def test_nests_compute_the_same_bits(name: str, pipeline: str) -> None:
    check((FOLDER / f"{name}.mlir").read_text(), pipeline, (1, 23))


@pytest.mark.parametrize(("name", "pipeline"), PROMOTED_KERNELS)
def test_kernels_compute_the_same_bits(name: str, pipeline: str) -> None:
    kernel = KERNELS[name]
    text = kernel.path.read_text()
    assert_same_bits(kernel, transformed(text, pipeline)[0])
