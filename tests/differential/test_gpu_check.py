"""`check-gpu` proves what `map-to-gpu` makes of all kernels."""

from __future__ import annotations

import pytest
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.proofs.remembered import are_kernels_proved, kernels_of

MAPPINGS = ("map-to-gpu", "map-to-gpu{shared=none registers=none tile=7 block=5,3}")


@pytest.mark.matrix
@pytest.mark.parametrize("mapping", MAPPINGS)
@pytest.mark.parametrize("scheduler", ["isl-schedule", "pluto-schedule"])
@pytest.mark.parametrize("name", sorted(KERNELS))
def test_kernels_are_proved(name: str, scheduler: str, mapping: str) -> None:
    text = KERNELS[name].path.read_text()
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(text), f"{scheduler},{mapping},check-gpu")
    scops = scops_in(module)
    assert any(map(kernels_of, scops))
    assert all(map(are_kernels_proved, scops))
