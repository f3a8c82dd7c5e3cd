"""Sizes that are expected of all regions of C files that have an integer of this name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from polyir.base.diagnostics import nearest
from polyir.frontend.c.expected_sizes import attach_expected, sized_arguments
from polyir.frontend.c.translation import TranslatedRegion


class SizesOfRegions:
    """Expected sizes by the spelling of integers. They come before those of pragmas."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._sizes = {re.sub(r"\s", "", name): size for name, size in sizes.items()}
        self._names: set[str] = set()
        self._has_regions = False

    def attach(self, regions: Iterable[TranslatedRegion]) -> None:
        """Give the functions of regions the sizes of what they have."""
        for region in regions:
            self._has_regions = True
            self._names |= sized_arguments(region.arguments).keys()
            attach_expected(region.function, region.arguments, self._sizes)

    def unknown(self) -> list[str]:
        """What to say of names that no region has; nothing without regions."""
        left = [each for each in self._sizes if self._has_regions and each not in self._names]
        return [
            f"no region has the integer '{name}'"
            + (nearest(name, self._names) or f" (there are: {', '.join(sorted(self._names))})")
            for name in left
        ]
