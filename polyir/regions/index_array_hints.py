"""Which passes take a region of C with index arrays, for users that gave none of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.frontend.c.preprocess import Preprocessed
from polyir.frontend.c.source import SourceFile, detect_regions, read_regions
from polyir.irregular.candidates import FOR_READERS, irregular_loops

FOR_DEPENDENCES: Final = "--inspect-wavefronts"
"""The pass that is the first to try for loops that write elements by index arrays."""


def fitting_passes(module: ModuleOp) -> str:
    """The flags of passes that may make the loops of a function with index arrays parallel."""
    return FOR_DEPENDENCES if irregular_loops(module).slices else FOR_READERS


def hints(
    file: SourceFile, preprocessed: Preprocessed, path: str, source: str, is_detecting: bool
) -> Iterator[tuple[SourceLocation, str]]:
    """For regions that cannot be modelled, but are taken by passes for index arrays: which ones.

    `file` was read from the file `path` without such a pass.
    """
    read = detect_regions if is_detecting else read_regions
    again = read(preprocessed.text, path, preprocessed.macros, source, takes_data=True)
    for location, module in _modelled(again).items():
        if location not in _modelled(file):
            yield location, f"passes for index arrays take these loops: {fitting_passes(module)}"


def _modelled(file: SourceFile) -> Mapping[SourceLocation, ModuleOp]:
    """The functions of the regions that can be modelled, by the places of these."""
    return {
        each.location: each.content.module
        for each in file.regions
        if not isinstance(each.content, PolyirError)
    }
