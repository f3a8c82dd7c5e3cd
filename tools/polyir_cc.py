"""Optimise the loops between `#pragma scop` and `#pragma endscop` of a C file.

In a file without these pragmas, all loops that can be transformed are found. The rest of the file
does not change. Passes are flags, as for polyir-opt; without any, the default pipeline runs. With
--compile, the result is compiled, and options that polyir-cc does not know are passed to the C
compiler.

Exit code: 0 if every region was transformed, 2 if some were not, and 1 after an error, which
leaves no output. With --strict, a region that was not transformed is an error.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass, PassPipelineCallbackType

from polyir.diagnostics import (
    OptionError,
    PolyirError,
    Remark,
    nearest,
    print_all,
    print_missed,
    print_missed_by_default,
    remarks_to,
)
from polyir.frontend.c.layout import words_of
from polyir.frontend.c.preprocess import Preprocessed, has_region, preprocess
from polyir.frontend.c.source import SourceFile, SourceRegion, detect_regions, read_regions
from polyir.internal_errors import DefectError
from polyir.limits import time_limited_to
from polyir.pipeline import (
    DEFAULT_PIPELINE,
    GPU_PIPELINE,
    RANKS_PIPELINE,
    AvailablePasses,
    passes_of_pipeline,
    split_pass_flags,
)
from polyir.runtime.compiler import CompilationError, CompilerOptions, find_compiler
from polyir.source_to_source import (
    TransformedRegion,
    has_index_arrays,
    rewrite,
    transform_region,
    with_replacements,
)
from polyir.tools.command_line import (
    ArgumentParser,
    add_time_limit,
    exit_code_of,
    require_writable,
    write_output,
)
from polyir.tools.pass_help import add_information
from polyir.universe import available_passes, new_context

if TYPE_CHECKING:
    # Few C files are for GPUs or for ranks, or have been tuned.
    from polyir.device_regions import KernelFile
    from polyir.rank_regions import RankFile
    from polyir.report.recording import Recording
    from polyir.tuning.record import TuningRecord

COMPILE_FLAGS = ("-O3", "-march=native", "-fopenmp", "-ffp-contract=off")
"""The flags that `--compile` passes to the C compiler, before the user's own."""

LEFT = 2
"""The exit code if a region was not transformed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code and prints any error as one diagnostic."""
    return exit_code_of(_run, arguments)


def _run(arguments: Sequence[str]) -> int:
    available = available_passes()
    passes, others = split_pass_flags(arguments, available)
    options, rest = _parse_options(others, available)
    if rest and not options.compile:
        known = [f"--{name}" for name in available]
        name = rest[0].partition("=")[0]
        raise OptionError(f"unknown pass or option '{name}'{nearest(name, known)}")
    has_passes = any(
        argument in ("-p", "--passes") or argument.startswith("--passes=") for argument in arguments
    )
    tuned = _tuning(options, passes)
    for_ranks = _is_for_ranks(options, passes)
    pipeline = DEFAULT_PIPELINE if options.target is None else GPU_PIPELINE
    if for_ranks:
        pipeline = RANKS_PIPELINE
    chosen = passes or (() if has_passes else passes_of_pipeline(pipeline, available))
    path = options.file
    text = _read(path)
    kernels = _kernel_file(options, text)
    ranks = _rank_file(options, text) if for_ranks else None
    recording = _recording(options, text)
    compiler = _mpi_compiler(options.compile) if for_ranks else find_compiler(CompilerOptions())
    flags = _preprocessor_flags(options)
    with time_limited_to(options.time_limit):
        preprocessed = preprocess(compiler, flags, path)
        is_detecting = options.detect or not has_region(preprocessed.text)
        takes_data = has_index_arrays(chosen)
        file = _read_file(preprocessed, path, text, is_detecting, takes_data)
        context = new_context()
        default = print_missed if passes else print_missed_by_default
        sink = print_all if options.remarks else _ignore if is_detecting else default
        with remarks_to(sink) if recording is None else recording.in_force(sink):
            pipelines = _pipelines(file, chosen, tuned, options.tuned)
            pairs = zip(file.regions, pipelines, strict=True)
            transformed = tuple(
                transform_region(
                    region,
                    each,
                    context,
                    options.assume_no_alias,
                    kernels,
                    ranks,
                    None if recording is None else _recorded(recording, region),
                )
                for region, each in pairs
            )
            if options.emit == "c":
                macros = preprocessed.macros
                transformed = with_replacements(
                    text, transformed, macros, kernels=kernels, ranks=ranks
                )
        if recording is not None:
            _write_report(options.report, recording, file, transformed)
    if options.remarks:
        errors = (item.error for item in transformed if is_detecting and item.error is not None)
        for error in (*file.left, *errors):
            print(f"{error.location}: remark: loop left: {error.message}", file=sys.stderr)
    defects = [each for each in file.left if isinstance(each, DefectError)]
    for error in defects:
        print(f"{error.location}: warning: loop left: {error.message}", file=sys.stderr)
    # What was not asked for is not reported as missing.
    is_asked = not is_detecting or options.strict
    reported = [each for each in transformed if is_asked or isinstance(each.error, DefectError)]
    left = tuple(item for item in reported if item.is_missed)
    for item in left:
        assert item.error is not None
        print(_left_message(item, text, options.strict), file=sys.stderr)
    is_telling = options.remarks or bool(left) or not file.regions
    if is_telling and not takes_data and kernels is None:
        _print_hints(file, preprocessed, path, text, is_detecting)
    is_whole = not (left or defects) and (is_detecting or not file.skipped)
    if options.strict and not is_whole:
        return 1
    if options.emit == "c":
        result = rewrite(text, transformed, preprocessed.macros)
    else:
        result = _module_text(transformed)
    has_kernels = kernels is not None and bool(kernels.names)
    other_text = kernels.text() if kernels is not None and has_kernels else None
    if ranks is not None and any(item.ranked is not None for item in transformed):
        other_text = ranks.text()
    if options.compile:
        _compile(compiler, flags, rest, path, result, options.output, options.target, other_text)
    else:
        # Without the functions that it calls, the C file is of no use.
        if other_text is not None and options.emit == "c":
            write_output(str(_other_path(options)), other_text.encode())
        write_output(options.output, result.encode(errors="surrogateescape"))
    return 0 if is_whole else LEFT


def _recording(options: argparse.Namespace, text: str) -> Recording | None:
    """What `--report` needs of a compilation."""
    if options.report is None:
        return None
    require_writable(options.report)
    from polyir.report import require_packages
    from polyir.report.recording import Recording

    require_packages()
    return Recording(text, options.file)


def _recorded(recording: Recording, region: SourceRegion) -> PassPipelineCallbackType:
    """The callback for the passes of a region, which are steps of its own."""
    first, last = region.first_line, region.last_line
    recording.region = f"line {first}" if first == last else f"lines {first} to {last}"
    return recording.around(lambda previous, module, following: None)


def _write_report(
    path: str, recording: Recording, file: SourceFile, transformed: Sequence[TransformedRegion]
) -> None:
    """The page of `--report`, which also says what was left, and why."""
    from polyir.report import report_page

    errors = (item.error for item in transformed if item.error is not None)
    left = (*file.skipped, *file.left, *errors)
    recording.error = "\n".join(f"{error.location}: left: {error.message}" for error in left)
    write_output(path, report_page(recording).encode())


def _tuning(options: argparse.Namespace, passes: Sequence[ModulePass]) -> TuningRecord | None:
    """What the file of `--tuned` says, which excludes other passes and targets."""
    if options.tuned is None:
        return None
    if passes or options.target is not None:
        what = "passes" if passes else "target"
        raise OptionError(f"--tuned is a pipeline for the processor: no {what} can be given")
    from polyir.tuning.record import read_record

    return read_record(options.tuned)


def _print_hints(
    file: SourceFile, preprocessed: Preprocessed, path: str, text: str, is_detecting: bool
) -> None:
    """Name passes for loops with index arrays that other passes cannot take."""
    if not file.left and not any(isinstance(each.content, PolyirError) for each in file.regions):
        return
    # Few files have such loops.
    from polyir.index_array_hints import hints

    for location, message in hints(file, preprocessed, path, text, is_detecting):
        print(f"{location}: note: {message}", file=sys.stderr)


def _pipelines(
    file: SourceFile, chosen: Sequence[ModulePass], tuned: TuningRecord | None, path: str
) -> list[Sequence[ModulePass]]:
    """The passes of each region: those that were found for it, or `chosen`.

    Raises `PolyirError` if no region is the one that was tuned.
    """
    if tuned is None:
        return [chosen] * len(file.regions)
    modules = [
        None if isinstance(each.content, PolyirError) else each.content.module
        for each in file.regions
    ]
    if not any(each is not None and tuned.is_for(each) for each in modules):
        raise tuned.refusal(path)
    tuned.warn_of_machine(path)
    passes = tuned.passes(path)
    return [passes if each is not None and tuned.is_for(each) else chosen for each in modules]


def _kernel_file(options: argparse.Namespace, text: str) -> KernelFile | None:
    """The file for the kernels of a GPU, if there is to be one."""
    if options.target is None:
        return None
    if options.output is None and not options.compile and options.emit == "c":
        raise OptionError("--target writes two files, and needs -o for their names")
    from polyir.device_regions import KernelFile
    from polyir.target.gpu.language import Language

    stem = re.sub(r"\W", "_", Path(options.file).stem)
    return KernelFile(Language(options.target), f"gpu_{stem}", words_of(text))


def _is_for_ranks(options: argparse.Namespace, passes: Sequence[ModulePass]) -> bool:
    """Whether the regions are to be distributed. Raises `OptionError` for what excludes that."""
    is_distributed = any(each.name == "distribute-memory" for each in passes)
    if options.mpi and passes and not is_distributed:
        raise OptionError("--mpi needs --distribute-memory among the passes, or no passes")
    if not (options.mpi or is_distributed):
        return False
    if options.target is not None or options.tuned is not None:
        other = "--target" if options.target is not None else "--tuned"
        raise OptionError(f"{other} does not go with --mpi")
    return True


def _rank_file(options: argparse.Namespace, text: str) -> RankFile:
    """The file for the functions that ranks call."""
    if options.output is None and not options.compile and options.emit == "c":
        raise OptionError("--mpi writes two files, and needs -o for their names")
    from polyir.rank_regions import RankFile

    stem = re.sub(r"\W", "_", Path(options.file).stem)
    return RankFile(f"ranks_{stem}", words_of(text))


def _mpi_compiler(is_needed: bool) -> str:
    """The compiler that finds MPI's headers; if there is none, another reads files without them."""
    from polyir.runtime.mpi import find_mpi

    try:
        return find_mpi().compiler
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
    preprocessed: Preprocessed, path: str, text: str, is_detecting: bool, takes_data: bool
) -> SourceFile:
    """The regions between pragmas, or the loops that are found."""
    read = detect_regions if is_detecting else read_regions
    file = read(preprocessed.text, path, preprocessed.macros, text, takes_data)
    for error in file.skipped:
        print(f"{error.location}: warning: function skipped: {error.message}", file=sys.stderr)
    if is_detecting and not file.regions:
        print(f"{path}: warning: no loop of this file can be transformed", file=sys.stderr)
    return file


def _parse_options(
    arguments: Sequence[str], available: AvailablePasses
) -> tuple[argparse.Namespace, list[str]]:
    parser = ArgumentParser(
        prog="polyir-cc",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", help="the C file")
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
    parser.add_argument("--remarks", action="store_true", help="print the decisions of the passes")
    add_information(parser, available)
    add_time_limit(parser)
    for letter, meaning in (
        ("D", "define a macro"),
        ("U", "undefine a macro"),
        ("I", "add a directory to search for headers"),
    ):
        parser.add_argument(f"-{letter}", action="append", default=[], help=meaning)
    parser.add_argument(
        "-include", action="append", default=[], help="include a file before the first line"
    )
    parser.add_argument("-std", default=None, help="the C standard to preprocess and compile with")
    return parser.parse_known_args(list(arguments))


def _preprocessor_flags(options: argparse.Namespace) -> list[str]:
    flags = [f"-{letter}{value}" for letter in "DUI" for value in getattr(options, letter)]
    for file in options.include:
        flags += ["-include", file]
    if options.std is not None:
        flags.append(f"-std={options.std}")
    return flags


def _left_message(item: TransformedRegion, text: str, is_error: bool) -> str:
    error = item.error
    assert error is not None
    where = error.location or item.region.location
    kind = "error" if is_error else "warning"
    lines = text.splitlines()
    what = "part of the region" if item.region.is_part else "region"
    message = f"{where}: {kind}: {what} not transformed: {error.message}"
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


def _compile(
    compiler: str,
    flags: Sequence[str],
    rest: Sequence[str],
    path: str,
    text: str,
    output: str | None,
    target: str | None,
    other: str | None,
) -> None:
    """Compile the transformed text, which takes the place of the file, with what it calls."""
    if other is not None and "-c" in rest:
        option = "--mpi" if target is None else "--target"
        raise OptionError(f"{option} with --compile makes a program: -c is not possible")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / Path(path).name
        source.write_text(text, errors="surrogateescape", newline="")
        more = [] if other is None else _with_others(Path(folder), target, other)
        beside = str(Path(path).resolve().parent)
        command = [compiler, *COMPILE_FLAGS, "-iquote", beside, *flags, str(source), *more, *rest]
        command += ["-o", output or ("a.out" if "-c" not in rest else f"{Path(path).stem}.o")]
        done = subprocess.run([*command, "-lm"], check=False)
    if done.returncode != 0:
        raise PolyirError(f"the C compiler {compiler} failed")


def _with_others(folder: Path, target: str | None, text: str) -> list[str]:
    """What a program with kernels, or for ranks, is linked of besides its own file."""
    # No name of the user's file is this one.
    path = folder / f"polyir functions.{'cu' if target == 'cuda' else 'c'}"
    path.write_text(text)
    if target is None:
        return [str(path)]
    if target == "opencl":
        return [str(path), "-lOpenCL", "-lpthread"]
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise PolyirError("--target=cuda with --compile needs nvcc, which is not in PATH")
    result = path.with_suffix(".o")
    # With contraction, results would not have the bits of the C program.
    done = subprocess.run([nvcc, "-O3", "-fmad=false", "-c", path, "-o", result], check=False)
    if done.returncode != 0:
        raise PolyirError(f"{nvcc} failed")
    return [str(result), *_cuda_libraries(nvcc)]


def _cuda_libraries(nvcc: str) -> list[str]:
    """What a program with kernels is linked with, where nvcc itself looks for it."""
    command = [nvcc, "--dryrun", "-E", "-x", "cu", os.devnull]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    start = "#$ LIBRARIES="
    folders = [line.removeprefix(start) for line in said.splitlines() if line.startswith(start)]
    libraries = "-lcudart_static -lrt -lpthread -ldl -lstdc++"
    return shlex.split(" ".join((*folders, libraries)))


def _read(path: str) -> str:
    try:
        with Path(path).open(errors="surrogateescape", newline="") as stream:
            return stream.read()
    except OSError as error:
        raise PolyirError(f"cannot read '{path}': {error.strerror}") from None


if __name__ == "__main__":
    sys.exit(main())
