"""Optimise the loops between `#pragma scop` and `#pragma endscop` of a C file.

In a file without these pragmas, all loops that can be transformed are found. The rest of the file
does not change. Passes are flags, as for polyir-opt; without any, the default pipeline runs. With
--compile, the result is compiled, and options that polyir-cc does not know are passed to the C
compiler.

Exit code: 0 if every region was transformed or is best as it is, 2 if some were not, and 1 after an
error, which leaves no output. With --strict, a region that was not transformed is an error. Without
pragmas, loops that cannot be modelled count with --strict only.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import (
    OptionError,
    PolyirError,
    Remark,
    SourceLocation,
    named,
    print_all,
    print_diagnostic,
    print_missed,
    print_missed_by_default,
    remarks_to,
    show_origins,
)
from polyir.base.internal_errors import DefectError
from polyir.base.limits import time_limited_to
from polyir.base.supervisor import read_input
from polyir.frontend.c.errors import NotModelledError
from polyir.frontend.c.layout import (
    line_origins,
    one_statement_a_line,
    rejoined,
    without_marks,
    words_of,
)
from polyir.frontend.c.preprocess import Preprocessed, first_error, is_read_again, preprocess
from polyir.frontend.c.region_pragmas import OutsideFunctionError, UnreadFileError, files_of_regions
from polyir.frontend.c.sizes_of_regions import SizesOfRegions
from polyir.frontend.c.source import (
    SourceFile,
    cxx_file,
    detect_regions,
    read_regions,
)
from polyir.pipeline import (
    DEFAULT_PIPELINE,
    GPU_PIPELINE,
    RANKS_PIPELINE,
    AvailablePasses,
    passes_of_pipeline,
    split_pass_flags,
)
from polyir.regions.source_to_source import (
    TransformedRegion,
    UnchangedError,
    has_index_arrays,
    rewrite,
    takes_data_regions,
    transform_region,
    with_replacements,
)
from polyir.runtime.compiler import CompilationError, CompilerOptions, find_compiler
from polyir.tools.cc_arguments import Dependencies, Input, compiler_arguments
from polyir.tools.cc_compile import PREPROCESSING_FLAGS, Command, Translated, rule_of, rule_text
from polyir.tools.cc_summary import Tally
from polyir.tools.cc_tuning import pipelines_of, tuning_of
from polyir.tools.command_line import (
    ArgumentParser,
    add_required_checks,
    add_time_limit,
    exit_code_of,
    parsed_positive_sizes,
    require_writable,
    required_checks,
    write_output,
)
from polyir.tools.pass_help import add_information
from polyir.universe import available_passes, new_context

if TYPE_CHECKING:
    # Few C files are for GPUs or for ranks, or have been tuned.
    from polyir.regions.device_regions import KernelFile
    from polyir.regions.rank_regions import RankFile
    from polyir.tools.cc_report import ReportOfFile
    from polyir.tuning.record import TuningFile

LEFT = 2
"""The exit code if a region was not transformed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code and prints any error as one diagnostic."""
    return exit_code_of(_run, arguments)


@dataclass(frozen=True)
class _Task:
    """What is to be done to each file: the options, the passes, and the flags of preprocessors."""

    options: argparse.Namespace
    passes: Sequence[ModulePass]
    is_told: bool
    """Whether the passes are those that the user named."""
    tuned: TuningFile | None
    is_for_ranks: bool
    compiler: tuple[str, ...]
    flags: Sequence[str]
    compiler_options: Sequence[str]
    dependencies: Dependencies | None
    sizes: SizesOfRegions

    @property
    def chooses_loops(self) -> bool:
        """Whether `optimize` chooses what is best for the processor."""
        is_measured = self.tuned is not None or self.options.measure is not None
        is_here = self.options.target is None and not self.is_for_ranks
        return is_here and not is_measured and takes_data_regions(self.passes)


def _run(arguments: Sequence[str]) -> int:
    available = available_passes()
    passes, others = split_pass_flags(arguments, available)
    options, rest = _parse_options(others, available)
    found = compiler_arguments(rest, options.compile, [f"--{name}" for name in available])
    has_passes = any(
        argument in ("-p", "--passes") or argument.startswith("--passes=") for argument in arguments
    )
    tuned = tuning_of(options, passes)
    for_ranks = _is_for_ranks(options, passes)
    pipeline = DEFAULT_PIPELINE if options.target is None else GPU_PIPELINE
    if options.target is None and options.compile and found.may_reassociate:
        pipeline = f"{DEFAULT_PIPELINE}{{reassociate}}"
    if for_ranks:
        pipeline = RANKS_PIPELINE
    chosen = passes or (() if has_passes else passes_of_pipeline(pipeline, available))
    compiler = _mpi_compiler(options.compile) if for_ranks else find_compiler(CompilerOptions())
    command = Command(compiler, found, options.compile, options.output, options.target)
    if found.ends_early or not found.sources:
        command.run_as_it_is()
        return 0
    _require_one_file(options, found.sources)
    flags = (*(PREPROCESSING_FLAGS if options.compile else ()), *found.for_preprocessor)
    command.require_writable_rules()
    task = _Task(
        options,
        chosen,
        bool(passes),
        tuned,
        for_ranks,
        compiler,
        flags,
        found.options,
        found.dependencies,
        SizesOfRegions(dict(options.size)),
    )
    tally = Tally()
    with time_limited_to(options.time_limit), required_checks(options.require_checked):
        files = [_translated(task, source, tally) for source in found.sources]
    for unknown in task.sizes.unknown():
        print_diagnostic(named(f"warning: --size: {unknown}", "sizes"))
    is_whole = not tally.missed and not (options.strict and tally.passed_over)
    if is_whole or not options.strict:
        if options.compile:
            command.run(files)
        else:
            _write(options, files[0])
        command.write_rules(files)
    if not options.quiet:
        print(tally.line(), file=sys.stderr)
    return 0 if is_whole else 1 if options.strict else LEFT


def _translated(task: _Task, source: Input, tally: Tally) -> Translated:
    """A file after the passes. What is left of it is reported, and added to `tally`."""
    options, chosen = task.options, task.passes
    path, original = _read(source)
    # Only whole lines can be replaced.
    broken = one_statement_a_line(original)
    text = without_marks(broken)
    show_origins(path, () if text == original else line_origins(broken))
    kernels = _kernel_file(options, path, text)
    ranks = _rank_file(options, path, text) if task.is_for_ranks else None
    report = _report(options, path, text)
    with rule_of(task.dependencies) as (flags, rule):
        preprocessed = preprocess(task.compiler, [*task.flags, *flags], path, text)
        rule_for_make = rule_text(rule, source, not is_read_again(path, text))
    is_detecting = options.detect or path not in files_of_regions(preprocessed.text)
    file = _read_file(task, preprocessed, path, text, is_detecting, original)
    context = new_context()
    if file.data_regions and task.chooses_loops:
        # Few files have such loops.
        from polyir.regions.data_regions import with_data_regions

        file = with_data_regions(file, chosen, context, options.assume_no_alias)
    default = print_missed if task.is_told else print_missed_by_default
    sink = print_all if options.remarks else _ignore if is_detecting else default
    if report is not None:
        report.begin(preprocessed, kernels, ranks)
    with remarks_to(sink) if report is None else report.recording.in_force(sink):
        contents = (each.content for each in file.regions)
        task.sizes.attach(each for each in contents if not isinstance(each, PolyirError))
        pipelines = pipelines_of(file.regions, chosen, task.tuned, options, task.compiler_options)
        pairs = enumerate(zip(file.regions, pipelines, strict=True))
        transformed = tuple(
            transform_region(
                region,
                each,
                context,
                options.assume_no_alias,
                kernels,
                ranks,
                None if report is None else report.between(number, region),
            )
            for number, (region, each) in pairs
        )
        if options.emit == "c":
            transformed = with_replacements(
                broken, transformed, preprocessed.macros, kernels=kernels, ranks=ranks
            )
    if report is not None:
        report.write(file, transformed)
    tally.add(file, transformed, is_detecting)
    _print_left(task, file, transformed, is_detecting, text)
    is_telling = options.remarks or any(item.is_missed for item in transformed) or not file.regions
    if is_telling and file.data_regions and kernels is None:
        from polyir.regions.data_regions import hints

        for location, message in hints(file):
            print_diagnostic(f"{location}: note: {message}")
    if options.emit == "c":
        result = rejoined(rewrite(broken, transformed, preprocessed.macros), broken)
    else:
        result = _module_text(transformed)
    other = kernels.text() if kernels is not None and kernels.names else None
    if ranks is not None and any(item.ranked is not None for item in transformed):
        other = ranks.text()
    return Translated(source, result, other, rule_for_make)


def _print_left(
    task: _Task,
    file: SourceFile,
    transformed: Sequence[TransformedRegion],
    is_detecting: bool,
    text: str,
) -> None:
    """Say what was left: a warning if it was asked for, an error if all of it was, or a remark."""
    options = task.options
    kind = "error" if options.strict else "warning"
    # A remark on it was printed.
    is_told = task.is_told and not is_detecting and not options.strict
    for error in file.skipped:
        print_diagnostic(f"{error.location}: {kind}: function skipped: {error.full_message}")
    for lost in file.lost:
        what = "" if isinstance(lost, UnreadFileError) else "region not transformed: "
        print_diagnostic(f"{lost.location}: {kind}: {what}{lost.full_message}")
    for each in file.unused:
        print_diagnostic(f"{each.location}: warning: {each.full_message}")
    passed_over = [each for each in file.left if not isinstance(each, DefectError)]
    for defect in (each for each in file.left if isinstance(each, DefectError)):
        print_diagnostic(f"{defect.location}: {kind}: loop left: {defect.full_message}")
    for item in transformed:
        if is_detecting and isinstance(item.error, NotModelledError):
            passed_over.append(item.error)
        elif item.is_missed and not (is_told and isinstance(item.error, UnchangedError)):
            print_diagnostic(_left_message(item, text, is_detecting, kind))
    if options.remarks or options.strict:
        level = "error" if options.strict else "remark"
        for left in passed_over:
            print_diagnostic(f"{left.location}: {level}: loop left: {left.full_message}")


def _require_one_file(options: argparse.Namespace, sources: Sequence[Input]) -> None:
    """Raise `OptionError` for several files with an option that is about one of them."""
    for name in ("report", "tuned", "emit"):
        if len(sources) > 1 and getattr(options, name) not in (None, "c"):
            raise OptionError(f"--{name} takes one C file, and there are {len(sources)}")
    if options.compile and options.emit != "c":
        raise OptionError(f"--emit={options.emit} does not go with --compile")


def _write(options: argparse.Namespace, file: Translated) -> None:
    """Write a file that is not compiled, and the one with the functions that it calls."""
    # Without these, the C file is of no use.
    if file.other is not None and options.emit == "c":
        require_writable(options.output)
        write_output(str(_other_path(options)), file.other.encode())
    write_output(options.output, file.text.encode(errors="surrogateescape"))


def _report(options: argparse.Namespace, path: str, text: str) -> ReportOfFile | None:
    """What `--report` needs of a compilation."""
    if options.report is None:
        return None
    from polyir.tools.cc_report import ReportOfFile

    return ReportOfFile(options.report, path, text)


def _kernel_file(options: argparse.Namespace, path: str, text: str) -> KernelFile | None:
    """The file for the kernels of a GPU, if there is to be one."""
    if options.target is None:
        return None
    if options.output is None and not options.compile and options.emit == "c":
        raise OptionError("--target writes two files, and needs -o for their names")
    from polyir.regions.device_regions import KernelFile
    from polyir.target.gpu.language import Language

    stem = re.sub(r"\W", "_", Path(path).stem)
    return KernelFile(Language(options.target), f"gpu_{stem}", words_of(text))


def _is_for_ranks(options: argparse.Namespace, passes: Sequence[ModulePass]) -> bool:
    """Whether the regions are to be distributed. Raises `OptionError` for what excludes that."""
    is_distributed = any(each.name == "distribute-memory" for each in passes)
    if options.mpi and passes and not is_distributed:
        raise OptionError("--mpi needs --distribute-memory among the passes, or no passes")
    if not (options.mpi or is_distributed):
        return False
    for other in ("target", "tuned", "measure"):
        if getattr(options, other) is not None:
            raise OptionError(f"--{other} does not go with --mpi")
    return True


def _rank_file(options: argparse.Namespace, path: str, text: str) -> RankFile:
    """The file for the functions that ranks call."""
    if options.output is None and not options.compile and options.emit == "c":
        raise OptionError("--mpi writes two files, and needs -o for their names")
    from polyir.regions.rank_regions import RankFile

    stem = re.sub(r"\W", "_", Path(path).stem)
    return RankFile(f"ranks_{stem}", words_of(text))


def _mpi_compiler(is_needed: bool) -> tuple[str, ...]:
    """The compiler that finds MPI's headers; if there is none, another reads files without them."""
    from polyir.runtime.mpi import find_mpi

    try:
        return (find_mpi().compiler,)
    except CompilationError:
        if is_needed:
            raise
        return find_compiler(CompilerOptions())


def _other_path(options: argparse.Namespace) -> Path:
    """Where the functions that the C file calls are written: beside it."""
    output = Path(options.output)
    if options.target is None:
        return output.with_name(f"{output.stem}_ranks.c")
    return output.with_name(f"{output.stem}_kernels.{'cu' if options.target == 'cuda' else 'c'}")


def _ignore(_: Remark) -> None:
    """A loop that was found need not become better."""


def _read_file(
    task: _Task,
    preprocessed: Preprocessed,
    path: str,
    text: str,
    is_detecting: bool,
    original: str,
) -> SourceFile:
    """The regions between pragmas, or the loops that are found; and what is lost, with reasons.

    `text` may have more line breaks than the `original`, of which a C compiler says what is wrong.
    """
    if "__cplusplus" in preprocessed.macros:
        return cxx_file(preprocessed.text, path)
    read = detect_regions if is_detecting else read_regions
    takes_data = has_index_arrays(task.passes)
    file = read(preprocessed.text, path, preprocessed.macros, text, takes_data)
    if task.options.detect:
        # Then nobody asks for what is between pragmas.
        file = replace(file, lost=(), asked=0)
    is_outside = any(isinstance(error, OutsideFunctionError) for error in file.lost)
    if is_outside or not file.is_complete:
        reason = first_error(task.compiler, task.flags, path, original)
        if reason is not None:
            file = _with_error(file, reason, SourceLocation(path, 1, 1))
    return file


def _with_error(file: SourceFile, reason: str, start: SourceLocation) -> SourceFile:
    """A file of which something is lost since it is not valid C: the compiler says why."""
    message = f"the file is not valid C: {reason}"
    lost = [
        NotModelledError(message, error.location)
        if isinstance(error, OutsideFunctionError)
        else error
        for error in file.lost
    ]
    return replace(file, lost=tuple(lost or [UnreadFileError(message, start)]))


_OPTIONS_OF_COMPILERS = """\
options of C compilers:
  -                     read the C file from standard input
  -D, -U, -I, -include, -isystem, -iquote, -idirafter, -imacros, -std, -x
                        how the file is preprocessed and compiled
  -MD, -MMD, -MF, -MT, -MQ, -MP
                        write a rule for make: the output depends on the file and its headers
  -c, -S, all others    with --compile, as for the C compiler"""


def _parse_options(
    arguments: Sequence[str], available: AvailablePasses
) -> tuple[argparse.Namespace, list[str]]:
    parser = ArgumentParser(
        prog="polyir-cc",
        usage="polyir-cc [OPTION]... [PASS]... FILE.c [-o OUTPUT]\n"
        "       polyir-cc --compile [OPTION]... [PASS]... FILE...",
        description=__doc__,
        epilog=_OPTIONS_OF_COMPILERS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "-o", dest="output", default=None, help="the output file (default: standard output)"
    )
    parser.add_argument(
        "--compile", action="store_true", help="compile the result with the C compiler"
    )
    parser.add_argument(
        "--emit",
        choices=("c", "loops"),
        default="c",
        help="the whole file in C, or the loops of its regions in MLIR (default: c)",
    )
    parser.add_argument(
        "--target",
        choices=("cuda", "opencl"),
        help="make GPU kernels of the regions: -o FILE.c also writes FILE_kernels.cu or "
        "FILE_kernels.c",
    )
    parser.add_argument(
        "--mpi",
        action="store_true",
        help="make functions that all ranks of MPI call: -o FILE.c also writes FILE_ranks.c; the "
        "arrays are those of the first rank",
    )
    parser.add_argument(
        "--tuned",
        metavar="FILE",
        help="run the pipeline that polyir-tune has found on the region for which it was found",
    )
    parser.add_argument(
        "--measure",
        metavar="FILE",
        help="run the pipeline that is the fastest here; a region that FILE has no result for is "
        "measured first, with random data, and added to it",
    )
    parser.add_argument(
        "--report",
        metavar="FILE.html",
        help="write a page that shows all passes on each region: schedule trees, dependences, code",
    )
    parser.add_argument(
        "--strict", action="store_true", help="treat a region that is not transformed as an error"
    )
    parser.add_argument(
        "--detect",
        action="store_true",
        help="transform all loops that can be, not those between pragmas; the default for a file "
        "without pragmas",
    )
    parser.add_argument(
        "--assume-no-alias",
        action="store_true",
        help="assume that memory accessed under different names is not the same, without a check",
    )
    parser.add_argument(
        "--size",
        action="extend",
        type=parsed_positive_sizes,
        default=[],
        metavar="NAME=VALUE,...",
        help="what integers of the regions are expected to be: decides what is the fastest, and no "
        "result; may be given several times",
    )
    parser.add_argument("--remarks", action="store_true", help="print the decisions of the passes")
    parser.add_argument(
        "--quiet", action="store_true", help="leave out the last line, which says what was done"
    )
    add_information(parser, available)
    add_required_checks(parser)
    add_time_limit(parser)
    return parser.parse_known_args(list(arguments))


def _left_message(item: TransformedRegion, text: str, is_detecting: bool, kind: str) -> str:
    error = item.error
    assert error is not None
    where = error.location or item.region.location
    lines = text.splitlines()
    what = "part of the region" if item.region.is_part else "region"
    what = "loop" if is_detecting else what
    message = f"{where}: {kind}: {what} not transformed: {error.full_message}"
    return f"{message}\n{lines[where.line - 1]}" if 0 < where.line <= len(lines) else message


def _module_text(transformed: Sequence[TransformedRegion]) -> str:
    """The functions of all regions in one module."""
    from polyir.target.mlir import print_module

    functions: dict[str, FuncOp] = {}
    for item in transformed:
        for op in tuple(item.module.ops) if item.module is not None else ():
            assert isinstance(op, FuncOp)
            functions.setdefault(op.sym_name.data, op)
    output = StringIO()
    print_module(ModuleOp([op.clone() for op in functions.values()]), output, False)
    return output.getvalue()


def _read(source: Input) -> tuple[str, str]:
    """The name of a file, and its text, which is read once."""
    path = "<stdin>" if source.is_standard_input else source.path
    try:
        data = read_input(source.path)
    except OSError as error:
        raise PolyirError(
            f"cannot read '{source.path}': {error.strerror}", name="file-access"
        ) from None
    return path, data.decode(errors="surrogateescape")


if __name__ == "__main__":
    sys.exit(main())
