"""Regions of C with loops whose bounds come out of memory, as those over rows of sparse matrices.

Such a loop is part of a statement of the loops around it. For a nest with such loops, that is the
best model only if it makes a loop parallel: what is inside may have a better one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import Remark, SourceLocation, remarks_to
from polyir.frontend.c.source import SourceFile, SourceRegion
from polyir.frontend.c.translation import TranslatedRegion
from polyir.irregular.candidates import FOR_READERS, irregular_loops
from polyir.loops.features import PARALLEL, loop_features
from polyir.regions.source_to_source import transform_region

FOR_DEPENDENCES: Final = "--inspect-wavefronts"
"""The pass that is the first to try for loops that write elements by index arrays."""


def with_data_regions(
    file: SourceFile, passes: Sequence[ModulePass], context: Context, assume_no_alias: bool = False
) -> SourceFile:
    """A file with those of its data regions among its regions whose loops `passes` make parallel.

    They take the place of what was found inside. The passes are tried on copies of them.
    """
    taken: list[SourceRegion] = []
    for region in file.data_regions:
        around = (each for each in file.regions if _lines(each) != _lines(region))
        if not any(_is_inside(region, each) for each in (*taken, *around)):
            content = _content(region)
            copy = replace(region, content=content.in_module(content.module.clone()))
            with remarks_to(_ignore):
                found = transform_region(copy, passes, context, assume_no_alias)
            if found.module is not None and PARALLEL in loop_features(found.module):
                taken.append(region)

    def is_left(place: SourceLocation | None) -> bool:
        return place is None or not any(place.line in _lines(each) for each in taken)

    others = [each for each in file.regions if not any(_is_inside(each, one) for one in taken)]
    return replace(
        file,
        regions=tuple(sorted((*others, *taken), key=lambda each: each.first_line)),
        left=tuple(each for each in file.left if is_left(each.location)),
        left_nests=tuple(filter(is_left, file.left_nests)),
    )


def _lines(region: SourceRegion) -> range:
    return range(region.first_line, region.last_line + 1)


def _is_inside(region: SourceRegion, other: SourceRegion) -> bool:
    return region.first_line in _lines(other) and region.last_line in _lines(other)


def _content(region: SourceRegion) -> TranslatedRegion:
    assert isinstance(region.content, TranslatedRegion)
    return region.content


def _ignore(_: Remark) -> None:
    """What is said of a copy that may not be taken."""


def hints(file: SourceFile) -> Iterator[tuple[SourceLocation, str]]:
    """For data regions that are none of the file's regions: which passes take them."""
    inside: list[SourceRegion] = [each for each in file.regions if each.refused is not None]
    for region in file.data_regions:
        module = _content(region).module
        # Where data ends a loop in another way than by its bounds, it is not index arrays.
        has_while = any(isinstance(op, scf.WhileOp) for op in module.walk())
        if not has_while and not any(_is_inside(region, each) for each in inside):
            inside.append(region)
            passes = fitting_passes(module)
            yield region.location, f"passes for index arrays take these loops: {passes}"


def fitting_passes(module: ModuleOp) -> str:
    """The flags of passes that may make the loops of a function with index arrays parallel."""
    return FOR_DEPENDENCES if irregular_loops(module).slices else FOR_READERS
