"""Tests have small programs and sizes, and `optimize` keeps the original order for these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from unittest.mock import patch

from polyir.choose import schedule_choice
from polyir.choose.candidates import Candidates
from polyir.choose.mixtures import Mixture
from polyir.choose.versions import LeastWork, least_work


@contextmanager
def all_sizes_are_large() -> Iterator[None]:
    """Inside the `with` block, `optimize` prefers any order to the original one, for all sizes.

    The same test of sizes comes before it.
    """

    def no_work(
        candidates: Candidates, original: Mixture, chosen: Mixture, worth: float
    ) -> LeastWork | None:
        found = least_work(candidates, original, chosen, worth)
        if found is None:
            return None
        limits = tuple((size, 0) for size, _ in found.limits)
        return replace(found, amount=0, limits=limits, several_threads=False)

    with (
        patch.object(schedule_choice, "least_work", no_work),
        patch.multiple(schedule_choice, KEPT=inf, MOVED=inf),
    ):
        yield
