"""How many kernels there are, and how often they are launched, against a paper's table.

Zinenko, Verdoolaege, Reddy, Shirako, Grosser, Sarkar, Cohen: Unified Polyhedral Modeling of
Temporal and Spatial Locality (2017), the table of GPU kernels of the spatial version.
"""

from __future__ import annotations

import islpy as isl
import pytest
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.codegen.kernels import host_and_kernels
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of
from polyir.sets.lists import sets_of


@pytest.mark.parametrize(
    ("name", "sizes", "kernels", "launches"),
    [
        # The paper has 6 kernels a time step; two of them are fused with others here.
        ("adi", {"tsteps": 512, "n": 512}, 4, 2048),
        ("gramschmidt", {"m": 2048, "n": 2048}, 7, 12287),
        ("lu", {"n": 4096}, 2, 8190),
        ("seidel-2d", {"tsteps": 1024, "n": 4096}, 1, 16372),
        ("symm", {"m": 2048, "n": 2048}, 2, 2),
        ("trisolv", {"n": 4096}, 3, 8192),
    ],
)
def test_kernels_and_launches(
    name: str, sizes: dict[str, int], kernels: int, launches: int
) -> None:
    with remarks_to(lambda remark: None):
        module = api.parse(KERNELS[name].path.read_text())
        module = api.run_pipeline(module, "spatial-schedule{target=gpu},gpu-kernels")
    (op,) = scops_in(module)
    parts = host_and_kernels(scop_of(op))
    assert len(parts.kernels) == kernels
    count = 0
    for statement in sets_of(parts.host.schedule.domain):
        for parameter in range(statement.dim(isl.dim_type.param)):
            value = sizes[statement.get_dim_name(isl.dim_type.param, parameter)]
            statement = statement.fix_val(isl.dim_type.param, parameter, isl.Val(value))
        count += statement.count_val().to_python()
    assert count == launches
