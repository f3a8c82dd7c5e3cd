"""Run passes on MLIR or systems of equations, and print the result as MLIR, C or LLVM IR.

Every pass is a flag; passes run in the order given (--pluto-schedule --tile=32). A pipeline can
also be given with -p. Unless --emit or -t selects another target, scops are lowered and the
result is printed as loops in MLIR.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property, partial
from io import StringIO
from typing import TYPE_CHECKING, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ShrinkException,
)
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from polyir.base.diagnostics import (
    InputSyntaxError,
    LegalityError,
    OptionError,
    PolyirError,
    Remark,
    SourceLocation,
    nearest,
    print_all,
    print_diagnostic,
    print_missed,
    remarks_kept,
    remarks_to,
)
from polyir.base.internal_errors import InternalError, Pipeline, internal_errors_of, wants_traceback
from polyir.base.limits import time_limited_to
from polyir.base.supervisor import read_input
from polyir.pipeline import passes_of_nested_pipeline, split_pass_flags
from polyir.target.cpu import CpuTarget
from polyir.tools.command_line import (
    ArgumentParser,
    add_required_checks,
    add_time_limit,
    exit_code_of,
    require_writable,
    required_checks,
    write_output,
)
from polyir.tools.instrumentation import Instrumentation, add_instrumentation
from polyir.tools.pass_help import add_information, describe_passes, passes_by_topic
from polyir.universe import available_passes, available_targets, installed

if TYPE_CHECKING:
    from polyir.report.recording import Recording
    from polyir.tools.reproducer import Reproduced, Reproducer

    # Few programs have been tuned.
    from polyir.tuning.record import TuningFile

LEFT = 2
"""The exit code if functions are as they were because a pass has a defect."""

SPLIT_MARKER = "// -----"

FRONTENDS = ("mlir", "alpha")
"""The languages that `_parse` reads."""


class PolyirOptMain(xDSLOptMain):
    """The driver; `run` returns the exit code."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self.available_frontends = {}
        self.available_passes = {}
        self.available_targets = {}
        self.ctx = Context()
        self.register_all_dialects()
        self.register_all_passes()
        self.register_all_targets()

        passes, others = split_pass_flags(arguments, self.available_passes)
        parser = ArgumentParser(
            prog="polyir-opt",
            description=__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            # xDSL's own options are described, and some replaced.
            conflict_handler="resolve",
        )
        self.register_all_arguments(parser)
        if "--help" in others or "-h" in others:
            parser.epilog = passes_by_topic(self.available_passes)
        elif "--help-all" in others:
            parser.epilog = describe_passes(self.available_passes)
        self.args, unknown = parser.parse_known_args(others)
        if unknown:
            self._refuse(unknown[0], parser)
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        self.args.disable_verify |= not self.args.verify_each
        self._target = self._find_target(self.args.target)
        self.setup_pipeline()  # type: ignore[no-untyped-call]
        assert self.pipeline.callback is not None
        self._instrumentation = Instrumentation(self.args, self.available_passes)
        self._tuned = self._tuning(passes)
        if self._tuned is not None:
            passes = self._tuned.only.passes(self.args.tuned)
        if self.args.run_reproducer:
            passes = self._passes_of_reproducer(passes)
        callback = self._instrumentation.around(self.pipeline.callback)
        self._recording = self._new_recording()
        if self._recording is not None:
            callback = self._recording.around(callback)
        self._reproducer = self._new_reproducer()
        if self._reproducer is not None:
            callback = self._reproducer.around(passes, callback)
        self._verified = Pipeline(passes, self.pipeline.callback)
        self.pipeline = Pipeline(passes, callback)
        self._has_defects = False

    def register_all_dialects(self) -> None:
        for name, factory in installed().all_dialects.items():
            self.ctx.register_dialect(name, factory)

    def register_all_passes(self) -> None:
        self.available_passes = available_passes()

    def register_all_targets(self) -> None:
        self.available_targets = {**available_targets()}

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument(
            "-f",
            "--frontend",
            choices=FRONTENDS,
            help="the language of the input (default: alpha for *.alpha, else mlir)",
        )
        arg_parser.add_argument(
            "--remarks", action="store_true", help="print one line for each decision of a pass"
        )
        arg_parser.add_argument(
            "--no-check",
            action="store_true",
            help="lower schedules that were read from text without checking that they are legal",
        )
        arg_parser.add_argument(
            "--pass-pipeline",
            metavar="'builtin.module(...)'",
            help="a pipeline as mlir-opt has it",
        )
        arg_parser.add_argument(
            "--verify-diagnostics",
            action="store_true",
            help="check the comments 'expected-error', 'expected-warning' and 'expected-remark' in "
            "the input: every error and warning must have one, and every one must be met",
        )
        arg_parser.add_argument(
            "--tuned",
            metavar="FILE",
            help="run the pipeline that polyir-tune has found for this very program",
        )
        arg_parser.add_argument(
            "--report",
            metavar="FILE.html",
            help="write a page that shows all passes: schedule trees, dependences, code",
        )
        arg_parser.add_argument(
            "--crash-reproducer",
            "--mlir-pass-pipeline-crash-reproducer",
            metavar="FILE",
            help="if a pass fails, write the program as it was before it, with the passes left",
        )
        arg_parser.add_argument(
            "--run-reproducer",
            action="store_true",
            help="run the pipeline in the input, which --crash-reproducer wrote",
        )
        for name, what in (
            ("op-generic", "operations in their generic form"),
            ("debuginfo", "the places of operations in the source"),
        ):
            arg_parser.add_argument(
                f"--print-{name}",
                f"--mlir-print-{name}",
                action="store_true",
                help=f"print {what}",
            )
        # xDSL lists the names of all passes and targets in the help of these options.
        arg_parser.add_argument(
            "-p",
            "--passes",
            default="",
            metavar="PASS,...",
            help="passes, with commas between them",
        )
        arg_parser.add_argument(
            "-t",
            "--target",
            "--emit",
            default="loops",
            help="what to print: loops (default), poly, c, cuda, opencl, llvm, mlir, none, ...",
        )
        arg_parser.add_argument(
            "--help-all",
            action="help",
            help="this text, with the options of passes, and xDSL's passes",
        )
        add_instrumentation(arg_parser)
        add_information(arg_parser, self.available_passes, "-v")
        add_required_checks(arg_parser)
        add_time_limit(arg_parser)

    @cached_property
    def _reproduced(self) -> Reproduced | None:
        """What the input says if it is a reproducer; raises if it should be one and is not."""
        if not self.args.run_reproducer and "mlir_reproducer" not in self._input:
            return None
        from polyir.tools.reproducer import reproduced

        found = reproduced(self._input)
        if found is None and self.args.run_reproducer:
            name = self._input_name()
            raise PolyirError(
                f"'{name}' is not a reproducer: it does not end with a pipeline",
                name="bad-pipeline",
            )
        return found

    def _passes_of_reproducer(self, passes: Sequence[ModulePass]) -> tuple[ModulePass, ...]:
        """The passes of the input, which exclude other passes."""
        assert self._reproduced is not None
        if passes:
            raise OptionError("--run-reproducer runs a pipeline: no passes can be given")
        self.args.disable_verify |= not self._reproduced.verifies_each
        return passes_of_nested_pipeline(self._reproduced.pipeline, self.available_passes)

    def _new_reproducer(self) -> Reproducer | None:
        """What `--crash-reproducer` keeps of a compilation."""
        if self.args.crash_reproducer is None:
            return None
        self._require_one_program("--crash-reproducer")
        from polyir.tools.reproducer import Reproducer

        return Reproducer(self.args.crash_reproducer, not self.args.disable_verify)

    def _require_one_program(self, option: str) -> None:
        if self.args.split_input_file or self.args.verify_diagnostics:
            other = "split-input-file" if self.args.split_input_file else "verify-diagnostics"
            raise OptionError(f"{option} is of one program: no --{other} is possible")

    def _new_recording(self) -> Recording | None:
        """What `--report` needs of a compilation."""
        if self.args.report is None:
            return None
        self._require_one_program("--report")
        require_writable(self.args.report)
        from polyir.report import require_packages
        from polyir.report.recording import Recording

        require_packages()

        return Recording(filename=self._input_name())

    def _refuse(self, argument: str, parser: argparse.ArgumentParser) -> NoReturn:
        name = argument.partition("=")[0]
        known = [f"--{pass_name}" for pass_name in self.available_passes]
        known += list(parser._option_string_actions)
        message = f"unknown pass or option '{name}'{nearest(name, known)}"
        raise OptionError(message, name="unknown-pass")

    def _tuning(self, passes: Sequence[ModulePass]) -> TuningFile | None:
        """What the file of `--tuned` says, which excludes other passes."""
        if self.args.tuned is None:
            return None
        if passes:
            raise OptionError("--tuned is a pipeline: no passes can be given")
        from polyir.tuning.record import read_tuning

        return read_tuning(self.args.tuned)

    def _find_target(self, text: str) -> Target:
        try:
            spec = parse_spec(text)
        except (ArgSpecParseError, StopIteration):
            raise OptionError(f"malformed target '{text}'") from None
        if spec.name not in self.available_targets:
            hint = nearest(spec.name, self.available_targets)
            known = f" (targets: {', '.join(self.available_targets)})"
            raise OptionError(f"unknown target '{spec.name}'{hint or known}")
        factory = self.available_targets[spec.name]
        try:
            target: Target = factory().from_spec(spec)  # type: ignore[call-arg, union-attr]
        except ValueError as error:
            raise OptionError(f"bad option of target '{spec.name}': {error}") from None
        if spec.name in ("loops", "poly"):
            return replace(
                target,
                generic=self.args.print_op_generic,  # type: ignore[call-arg]
                locations=self.args.print_debuginfo,
            )
        if spec.name == "mlir":
            return replace(
                target,
                print_generic_format=self.args.print_op_generic,  # type: ignore[call-arg]
                print_properties_as_attributes=self.args.print_no_properties,
                print_debuginfo=self.args.print_debuginfo,
                syntax_highlight=self.args.syntax_highlight,
            )
        return target

    def run(self) -> int:
        """Read, transform and print; returns 1 if any part of the input had an error.

        The other parts are printed, but an output file is only written if there was no error.
        Returns 2 if functions are as they were, because a pass has a defect.
        """
        output = bytearray()
        failed = False
        in_file = self.args.output_file not in (None, "-")
        with time_limited_to(self.args.time_limit), self._checks():
            for number, (chunk, line_offset) in enumerate(self._chunks()):
                stream = StringIO()
                if number > 0:
                    stream.write(f"{SPLIT_MARKER}\n")
                failed |= not self._run_chunk(chunk, line_offset, stream)
                output += stream.getvalue().encode()
                if not in_file:
                    # In order with the diagnostics of this part and the next ones.
                    write_output(None, output)
                    output.clear()
            self._instrumentation.print_times()
            if in_file and not failed:
                write_output(self.args.output_file, output)
            self._write_report()
        return 1 if failed else LEFT if self._has_defects else 0

    def _write_report(self) -> None:
        """The page of `--report`, also of a compilation that failed."""
        if self._recording is None:
            return
        from polyir.report import report_page

        write_output(self.args.report, report_page(self._recording).encode())

    def _checks(self) -> AbstractContextManager[None]:
        """Whether schedules that nobody has proved are checked: with, or without."""
        if not self.args.no_check:
            return required_checks(self.args.require_checked)
        if self.args.require_checked:
            raise OptionError("--require-checked does not go with --no-check")
        # Imported when it is needed: start-up is part of every run.
        from polyir.proofs.remembered import unchecked

        return unchecked()

    def _run_chunk(self, text: str, line_offset: int, output: StringIO) -> bool:
        """Treat one part of the input; returns whether it was in order."""
        if self.args.verify_diagnostics:
            return self._verify_diagnostics_of(text, line_offset, output)
        sink = print_all if self.args.remarks else print_missed
        record = self._recording
        with remarks_to(sink) if record is None else record.in_force(sink):
            error = self._transform(text, line_offset, output)
        if record is not None:
            record.source, record.error = text, "" if error is None else error.render()
            record.violated = error.violated if isinstance(error, LegalityError) else None
        if error is None:
            return True
        if isinstance(error, InputSyntaxError) and self.args.parsing_diagnostics:
            output.write(error.render() + "\n")
            return True
        print_diagnostic(error.render())
        return False

    def _verify_diagnostics_of(self, text: str, line_offset: int, output: StringIO) -> bool:
        from polyir.tools.expected_diagnostics import Diagnostic, mismatches

        remarks: list[Remark] = []
        with remarks_to(remarks.append):
            error = self._transform(text, line_offset, output)
        diagnostics = [Diagnostic.of_remark(remark) for remark in remarks]
        if error is not None:
            diagnostics.append(Diagnostic.of_error(error))
        name, all_remarks = self._input_name(), self.args.remarks
        try:
            found = mismatches(text, name, line_offset, diagnostics, all_remarks=all_remarks)
        except PolyirError as malformed:
            found = [malformed]
        for mismatch in found:
            _attach_source_line(mismatch, text, line_offset, name)
            print_diagnostic(mismatch.render())
        return not found

    def _transform(self, text: str, line_offset: int, output: StringIO) -> PolyirError | None:
        """Parse, run the passes and print; the error that ended this, if any."""
        try:
            output.write(self._output_for(text, line_offset))
        except InternalError as error:
            if wants_traceback():
                raise
            diagnostic: PolyirError = error.as_error()
            name = self._input_name()
            diagnostic.location = diagnostic.location or SourceLocation(name, line_offset + 1, 1)
            return diagnostic
        except DiagnosticException as error:
            diagnostic = _as_diagnostic(error)
            _attach_source_line(diagnostic, text, line_offset, self._input_name())
            return diagnostic
        return None

    def _output_for(self, text: str, line_offset: int) -> str:
        """Parse, run the passes and print; functions that an internal error is about stay.

        Raises `InternalError` if there is no output even so.
        """
        with internal_errors_of(None), self._instrumentation.timed("parse"):
            module = self._parse(text, line_offset)
        try:
            with remarks_kept() as said, internal_errors_of(None):
                return self._compiled(module)
        except InternalError as error:
            if wants_traceback():
                raise
            # Few programs meet a defect.
            from polyir.tools.defects import Compilation, compile_others

            parse = partial(self._parse, text, line_offset)
            transform = partial(self._verified.apply, self.ctx)
            result = compile_others(error, Compilation(parse, transform, self._emitted), said)
            self._has_defects = True
            return result

    def _emitted(self, module: ModuleOp) -> str:
        output = StringIO()
        with internal_errors_of(None):
            self._target.emit(self.ctx, module, output)
        return output.getvalue()

    def _compiled(self, module: ModuleOp) -> str:
        """Run the passes and print."""
        if self._tuned is not None:
            self._tuned.require(module).warn_of_machine(self.args.tuned)
        target = self._target
        threads = target.threads if isinstance(target, CpuTarget) else None
        original = None if threads is None else module.clone()
        with self._instrumentation.in_force(), self._reproducer_on_failure():
            self.pipeline.apply(self.ctx, module)
            with self._instrumentation.timed("print"):
                if threads is not None and original is not None:
                    from polyir.target.added_memory import check_added_memory

                    with internal_errors_of(None):
                        check_added_memory(self.ctx, module, original, threads)
                return self._emitted(module)

    def _reproducer_on_failure(self) -> AbstractContextManager[None]:
        reproducer = self._reproducer
        return nullcontext() if reproducer is None else reproducer.written_on_failure()

    def _parse(self, text: str, line_offset: int) -> ModuleOp:
        name = self._input_name()
        if self.args.frontend == "alpha" or (not self.args.frontend and name.endswith(".alpha")):
            from polyir.equations.reading import alpha_module

            return alpha_module(text, name, line_offset)
        from polyir.frontend.parse import parse_module

        return parse_module(text, name, self.ctx, line_offset)

    def _input_name(self) -> str:
        name = self.args.input_file
        return "<stdin>" if name in (None, "-") else str(name)

    def _chunks(self) -> list[tuple[str, int]]:
        """The input, or its parts between split markers, each with its line offset."""
        text = self._input if self._reproduced is None else self._reproduced.program
        if not self.args.split_input_file:
            return [(text, 0)]
        chunks: list[tuple[str, int]] = []
        line = 0
        for part in text.split(SPLIT_MARKER):
            chunks.append((part, line))
            line += part.count("\n")
        return chunks

    @cached_property
    def _input(self) -> str:
        name = self.args.input_file
        try:
            data = read_input(name or "-")
        except OSError as error:
            raise PolyirError(
                f"cannot read '{name}': {error.strerror}", name="file-access"
            ) from None
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            before = data[: error.start]
            line = before.count(b"\n") + 1
            column = error.start - (before.rfind(b"\n") + 1) + 1
            location = SourceLocation(self._input_name(), line, column)
            raise InputSyntaxError("the input is not UTF-8 text", location) from None


def _as_diagnostic(error: DiagnosticException) -> PolyirError:
    """An exception of xDSL as a diagnostic: its first line, without the module that follows."""
    if isinstance(error, PolyirError):
        return error
    return PolyirError(str(error).strip().split("\n", 1)[0], name="syntax")


def _attach_source_line(error: PolyirError, text: str, line_offset: int, name: str) -> None:
    """Add the source line that a diagnostic points at, if it has none."""
    location = error.location
    if error.source_line is not None or location is None or location.file != name:
        return
    lines = text.splitlines()
    number = location.line - line_offset - 1
    if 0 <= number < len(lines):
        error.source_line = lines[number]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; returns the exit code and prints any error as one diagnostic."""
    return exit_code_of(_run, arguments)


def _run(arguments: Sequence[str]) -> int:
    try:
        return PolyirOptMain(arguments).run()
    except ShrinkException:
        print("Success, can shrink")
        return 0


if __name__ == "__main__":
    sys.exit(main())
