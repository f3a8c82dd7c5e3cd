"""Pipelines of polyir-cc that were found by measuring: `--tuned` and `--measure`."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, PolyirError, print_diagnostic
from polyir.frontend.c.source import SourceRegion
from polyir.tools.command_line import require_writable, write_output

if TYPE_CHECKING:
    # Few C files have been measured.
    from polyir.tuning.record import TuningFile


def tuning_of(options: argparse.Namespace, passes: Sequence[ModulePass]) -> TuningFile | None:
    """What the file of `--tuned` says. That, and `--measure`, exclude passes and targets."""
    given = [name for name in ("tuned", "measure") if getattr(options, name) is not None]
    if not given:
        return None
    what = "passes" if passes else "target" if options.target is not None else ""
    if what or len(given) > 1:
        what = what or "other one"
        raise OptionError(f"--{given[0]} is a pipeline for the processor: no {what} can be given")
    if options.tuned is None:
        require_writable(options.measure)
        return None
    from polyir.tuning.record import read_tuning

    return read_tuning(options.tuned)


def pipelines_of(
    regions: Sequence[SourceRegion],
    chosen: Sequence[ModulePass],
    tuned: TuningFile | None,
    options: argparse.Namespace,
    compiler_options: Sequence[str],
) -> list[Sequence[ModulePass]]:
    """The passes of each region: those that were found for it by measuring, or the `chosen` ones.

    Raises `PolyirError` if no region is one that was tuned.
    """
    if options.measure is not None:
        tuned = _measured(
            options.measure, regions, compiler_options, options.time_limit, options.quiet
        )
    if tuned is None:
        return [chosen] * len(regions)
    records = [
        None if isinstance(each.content, PolyirError) else tuned.find(each.content.module)
        for each in regions
    ]
    found = [each for each in records if each is not None]
    if not found and options.measure is None:
        raise tuned.refusal()
    for record in found[:1]:
        record.warn_of_machine(tuned.path)
    return [chosen if each is None else each.passes(tuned.path) for each in records]


SECONDS: Final = 60.0
"""What the measurement of a region takes at most."""

_GENERATES_CODE: Final = re.compile("-[Ofm]")


def _measured(
    path: str,
    regions: Iterable[SourceRegion],
    options: Sequence[str],
    time_limit: float,
    is_quiet: bool,
) -> TuningFile:
    """The tuning file of that name, after a record for each region that it lacked was added.

    Versions are compiled with those `options` for the C compiler that have to do with code. A
    region that cannot be measured is left out, with a warning.
    """
    from polyir.runtime import CompilerOptions
    from polyir.runtime.compiler import DEFAULT_FLAGS
    from polyir.runtime.threads import default_thread_count
    from polyir.tuning.choice import measured_choice
    from polyir.tuning.kernel import measured_function
    from polyir.tuning.programs import Flags
    from polyir.tuning.record import TuningFile, read_tuning

    more = [each for each in options if _GENERATES_CODE.match(each)]
    flags = Flags(CompilerOptions(), CompilerOptions(flags=(*DEFAULT_FLAGS, *more)), time_limit)
    file = read_tuning(path) if Path(path).exists() else TuningFile(path, ())
    for region in regions:
        content = region.content
        if isinstance(content, PolyirError) or file.find(content.module) is not None:
            continue
        try:
            kernel = measured_function(content.module, content.name, {}, None)
            record = measured_choice(kernel, default_thread_count(), flags, SECONDS)
        except PolyirError as error:
            print_diagnostic(f"{region.location}: warning: not measured: {error.full_message}")
            continue
        file = TuningFile(path, (*file.records, record))
        # What is known is not lost if a later region fails.
        write_output(path, file.to_json().encode())
        if not is_quiet:
            print_diagnostic(f"{region.location}: note: measured: {str(record).strip()}")
    return file
