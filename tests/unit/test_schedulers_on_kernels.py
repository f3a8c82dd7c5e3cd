"""The schedulers on the 30 kernels: legal with every policy, and as parallel as isl's own."""

from __future__ import annotations

from functools import cache

import pytest
from kernels import KERNELS
from suites import in_turn

from polyir import api
from polyir.base.diagnostics import Remark, RemarkKind, remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.live_ranges import require_same_values
from polyir.model.scop import Scop, scop_of
from polyir.proofs.legality import violations
from polyir.schedule.comparison import Figures, figures_of

POLICIES = (
    "pluto-schedule",
    "pluto-schedule{fuse=max}",
    "pluto-schedule{fuse=none}",
    "feautrier-schedule",
    "feautrier-schedule{serialize=true}",
    "isl-schedule",
    "isl-schedule{fusion=max}",
    "isl-schedule{fusion=min}",
    "isl-schedule{outer-coincidence=true}",
    "isl-schedule{input-dependences=true}",
    "isl-builtin-schedule",
    "isl-builtin-schedule{algorithm=feautrier}",
    "isl-builtin-schedule{serialize-sccs=true}",
    "isl-builtin-schedule{whole-component=true}",
    "isl-builtin-schedule{outer-coincidence=true maximize-band-depth=true}",
    "isl-builtin-schedule{treat-coalescing=false split-scaled=false}",
    "isl-builtin-schedule{maximize-coincidence=false separate-components=false}",
    "isl-builtin-schedule{carry-self-first=false input-dependences=true}",
    "spatial-schedule",
    "spatial-schedule{fusion=max}",
    "spatial-schedule{fusion=min}",
    "spatial-schedule{line-size=2 register-limit=0}",
    "spatial-schedule{target=gpu}",
    "spatial-schedule{target=gpu fusion=max}",
    "spatial-schedule{target=gpu fusion=min}",
)
LIVE_RANGE_POLICIES = (
    "isl-schedule{live-range-reordering=true}",
    "isl-schedule{fusion=max live-range-reordering=true}",
    "isl-builtin-schedule{live-range-reordering=true}",
    "spatial-schedule{live-range-reordering=true}",
    "spatial-schedule{target=gpu live-range-reordering=true}",
)
# Those for which a scheduler in Python takes more than a second.
LARGE = ("adi", "deriche", "correlation", "ludcmp", "3mm")
SMALL = tuple(name for name in KERNELS if name not in LARGE)


@cache
def original(name: str) -> Scop:
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[name].path.read_text()), "poly-dependences")
    return scop_of(scops_in(module)[0])


@cache
def scheduled(name: str, policy: str) -> Scop:
    """The kernel after the pass; the pass must have found a schedule."""

    def never_missed(remark: Remark) -> None:
        assert remark.kind is not RemarkKind.MISSED, remark.message

    with remarks_to(never_missed):
        module = api.run_pipeline(api.parse(KERNELS[name].path.read_text()), policy)
    return scop_of(scops_in(module)[0])


def figures(name: str, policy: str) -> Figures:
    dependences = original(name).dependences
    assert dependences is not None
    return figures_of(scheduled(name, policy).schedule, dependences)


def check_legal(name: str, policy: str) -> None:
    dependences = original(name).dependences
    assert dependences is not None
    assert not violations(dependences, scheduled(name, policy).schedule)


def check_values(name: str, policy: str) -> None:
    result = scheduled(name, policy)
    require_same_values(original(name), result.schedule, policy)
    assert result.dependences is not None
    assert not violations(result.dependences, result.schedule)


def rotated(policies: tuple[str, ...]) -> list[tuple[str, str]]:
    """Two policies for each small kernel, so that each policy meets many kernels."""
    return [
        (name, policies[(2 * number + part) % len(policies)])
        for number, name in enumerate(SMALL)
        for part in range(2)
    ]


@pytest.mark.parametrize(("name", "policy"), rotated(POLICIES))
def test_legal(name: str, policy: str) -> None:
    check_legal(name, policy)


@pytest.mark.parametrize(
    ("name", "policy"),
    in_turn(["deriche", "durbin", "symm", "gramschmidt"], LIVE_RANGE_POLICIES, 2),
)
def test_live_ranges(name: str, policy: str) -> None:
    check_values(name, policy)


@pytest.mark.parametrize("name", SMALL)
def test_as_many_coincident_dimensions_as_isl(name: str) -> None:
    ours, baseline = figures(name, "isl-schedule"), figures(name, "isl-builtin-schedule")
    assert ours.total_outer_coincident >= baseline.total_outer_coincident


@pytest.mark.matrix
@pytest.mark.parametrize("name", LARGE)
def test_as_many_coincident_dimensions_as_isl_in_large_kernels(name: str) -> None:
    ours, baseline = figures(name, "isl-schedule"), figures(name, "isl-builtin-schedule")
    assert ours.total_outer_coincident >= baseline.total_outer_coincident


@pytest.mark.matrix
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("policy", POLICIES)
def test_legal_with_every_policy(name: str, policy: str) -> None:
    check_legal(name, policy)


@pytest.mark.matrix
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("policy", LIVE_RANGE_POLICIES)
def test_live_ranges_of_every_kernel(name: str, policy: str) -> None:
    check_values(name, policy)
