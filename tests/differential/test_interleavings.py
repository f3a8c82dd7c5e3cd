"""Kernels under their legal interleavings: all of a kernel that has 200 of them, or 200 of more.

The short selection runs one of each kernel but the slowest; `make check-interleavings` runs them
all.
"""

from __future__ import annotations

import pytest
from beyond_kernels import ALL_KERNELS
from interleavings import constraints_of_kernel
from kernel_matrix.references import digests_of, reference_of
from suites import examples, rarely

from polyir import api
from polyir.base.diagnostics import Remark, RemarkKind, remarks_to
from polyir.dialects.scop import scops_in
from polyir.interleaving.of_schedule import interleaving_of_schedule
from polyir.interleaving.point import interleaving_of_text
from polyir.interleaving.schedule import InterleavingScheduler
from polyir.model.scop import scop_of
from polyir.runtime import CompilerOptions

SLOW = ("lbm-d2q9", "lu-float", "red-black", "wave-3d")
"""Kernels that take half of all time; heat-3d, jacobi-2d, lu and unsharp-mask are like them."""

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off")


def patterns(kernel: str, number: int) -> list[str]:
    """Some legal interleavings of the outermost level as text."""
    scheduler = InterleavingScheduler(constraints_of_kernel(kernel))
    return [each.text(scheduler.names) for each in scheduler.legal_space.sample(number, seed=1)]


@pytest.mark.parametrize("kernel", [rarely(name) if name in SLOW else name for name in ALL_KERNELS])
def test_interleavings_compute_the_same(kernel: str) -> None:
    origin = api.parse(ALL_KERNELS[kernel].path.read_text())
    options = CompilerOptions(compiler="gcc", flags=FLAGS)
    for pattern in patterns(kernel, examples(1, 200)):
        remarks: list[Remark] = []
        pipeline = f'interleaving-schedule{{pattern="{pattern}"}}'
        with remarks_to(remarks.append):
            module = api.run_pipeline(origin, pipeline)
            scop = scop_of(scops_in(module)[0])
            loops = api.lower(api.run_pipeline(module, "tile{sizes=7,5,9},mark-parallel"))
        said = [each for each in remarks if each.pass_name == "interleaving-schedule"]
        assert said
        assert all(each.kind is not RemarkKind.MISSED for each in said)
        names = [each.name for each in scop.statements]
        point = interleaving_of_text(pattern, names)
        assert interleaving_of_schedule(scop.schedule, names, 1) == point
        compiled = api.compile_loops(loops, options, "c", origin)
        arguments = ALL_KERNELS[kernel].make_arguments("mini")
        with compiled.threads(2):
            compiled[ALL_KERNELS[kernel].function](*arguments)
        assert digests_of(arguments) == reference_of(kernel, "mini").digests, pattern
