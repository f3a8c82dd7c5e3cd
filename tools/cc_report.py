"""The page of `polyir-cc --report`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.passes import PassPipelineCallbackType

from polyir.frontend.c.preprocess import Preprocessed
from polyir.frontend.c.source import SourceFile, SourceRegion
from polyir.regions.device_regions import KernelFile
from polyir.regions.rank_regions import RankFile
from polyir.regions.source_to_source import TransformedRegion
from polyir.report import report_page, require_packages
from polyir.report.recording import Left, Recording
from polyir.report.regions import RegionsInC
from polyir.tools.command_line import require_writable, write_output


class ReportOfFile:
    """What is recorded of a C file, and the page of it."""

    def __init__(self, page: str, path: str, text: str) -> None:
        """Raises `PolyirError` if the file for the page cannot be written, or a package misses."""
        require_writable(page)
        require_packages()
        self.recording = Recording(text, path)
        self._page = page

    def begin(
        self, preprocessed: Preprocessed, kernels: KernelFile | None, ranks: RankFile | None
    ) -> None:
        """Say how regions are written, before the first of them."""
        self._in_c = RegionsInC(self.recording.source, preprocessed.macros, kernels, ranks)

    def between(self, number: int, region: SourceRegion) -> PassPipelineCallbackType:
        """The callback for the passes of a region, which are steps of its own."""
        self.recording.region = _lines(region)
        self.recording.write_c = self._in_c.writer(number)
        return self.recording.around(lambda previous, module, following: None)

    def write(self, file: SourceFile, transformed: tuple[TransformedRegion, ...]) -> None:
        """Write the page, which also says what was left, and why."""
        self._in_c.transformed = transformed
        self.recording.left += _left(file, transformed)
        write_output(self._page, report_page(self.recording).encode())


def _left(file: SourceFile, transformed: Sequence[TransformedRegion]) -> list[Left]:
    left = [
        Left(_lines(item.region), item.error.message)
        for item in transformed
        if item.error is not None
    ]
    for error in (*file.skipped, *file.lost, *file.left):
        part = "the file" if error.location is None else f"line {error.location.line}"
        left.append(Left(part, error.message))
    return left


def _lines(region: SourceRegion) -> str:
    first, last = region.first_line, region.last_line
    return f"line {first}" if first == last else f"lines {first} to {last}"
