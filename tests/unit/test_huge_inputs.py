"""Large and deep programs end in a result or in a clear refusal, with bounded memory."""

from __future__ import annotations

import resource

import pytest
from scaling import chain, nest, wide

from polyir import api
from polyir.diagnostics import RemarkKind, remarks_to
from polyir.limits import isl_operations_limited_to

SCHEDULERS = ("pluto-schedule", "isl-schedule", "feautrier-schedule", "isl-builtin-schedule")
PROGRAMS = {"chain": chain(60), "nest": nest(12), "wide": wide(60)}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_result_or_refusal(name: str, scheduler: str) -> None:
    missed: list[str] = []
    with (
        isl_operations_limited_to(100_000),
        remarks_to(lambda remark: missed.append(remark.message) if is_missed(remark) else None),
    ):
        module = api.run_pipeline(api.parse(PROGRAMS[name]), "poly-dependences")
        result = api.run_pipeline(module, scheduler)
    if result.is_structurally_equivalent(module):
        assert any("--max-isl-operations" in message for message in missed)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20


def is_missed(remark: object) -> bool:
    return getattr(remark, "kind", None) is RemarkKind.MISSED
