"""Run passes on MLIR, and print the result as MLIR, C or LLVM IR.

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
from io import StringIO
from pathlib import Path
from typing import NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ShrinkException,
)
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from polyir.diagnostics import (
    InputSyntaxError,
    OptionError,
    PolyirError,
    SourceLocation,
    nearest,
    print_all,
    print_missed,
    remarks_to,
)
from polyir.limits import time_limited_to
from polyir.passes.options import describe_options
from polyir.pipeline import AvailablePasses, split_pass_flags
from polyir.tools.command_line import ArgumentParser, add_time_limit, exit_code_of, write_output
from polyir.universe import OPT_TARGETS, PASS_NAMES, pass_type

SPLIT_MARKER = "// -----"


class PolyirOptMain(xDSLOptMain):
    """The driver; `run` returns the exit code."""

    version_format = "polyir-opt built from xdsl version {xdsl_version}"

    def __init__(self, arguments: Sequence[str]) -> None:
        self.available_frontends = {}
        self.available_passes = {}
        self.available_targets = {}
        self.ctx = Context()
        self.register_all_dialects()  # type: ignore[no-untyped-call]
        self.register_all_frontends()  # type: ignore[no-untyped-call]
        self.register_all_passes()  # type: ignore[no-untyped-call]
        self.register_all_targets()

        passes, others = split_pass_flags(arguments, self.available_passes)
        parser = ArgumentParser(
            prog="polyir-opt",
            description=__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.register_all_arguments(parser)
        if "--help" in others or "-h" in others:
            parser.epilog = _describe_passes(self.available_passes)
        self.args, unknown = parser.parse_known_args(others)
        if unknown:
            self._refuse(unknown[0], parser)
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        self._target = self._find_target(self.args.target)
        self.setup_pipeline()  # type: ignore[no-untyped-call]
        self.pipeline = PassPipeline(passes, self.pipeline.callback)

    def register_all_targets(self) -> None:
        super().register_all_targets()  # type: ignore[no-untyped-call]
        self.available_targets |= OPT_TARGETS

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.set_defaults(target="loops")
        arg_parser.add_argument(
            "--emit",
            dest="target",
            help="the same as -t: loops (default), poly, c, llvm, mlir, none, ...",
        )
        arg_parser.add_argument(
            "--remarks", action="store_true", help="print one line for each decision of a pass"
        )
        arg_parser.add_argument(
            "--no-check",
            action="store_true",
            help="lower schedules that were read from text without checking that they are legal",
        )
        add_time_limit(arg_parser)

    def _refuse(self, argument: str, parser: argparse.ArgumentParser) -> NoReturn:
        name = argument.partition("=")[0]
        known = [f"--{pass_name}" for pass_name in self.available_passes]
        known += list(parser._option_string_actions)
        raise OptionError(f"unknown pass or option '{name}'{nearest(name, known)}")

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
            return replace(target, generic=self.args.print_op_generic)  # type: ignore[call-arg]
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
        """Read, transform and print; after an error, nothing is printed."""
        output = StringIO()
        sink = print_all if self.args.remarks else print_missed
        with remarks_to(sink), time_limited_to(self.args.time_limit), self._checks():
            for number, (chunk, line_offset) in enumerate(self._chunks()):
                if number > 0:
                    output.write(f"{SPLIT_MARKER}\n")
                self._run_chunk(chunk, line_offset, output)
        write_output(self.args.output_file, output.getvalue().encode())
        return 0

    def _checks(self) -> AbstractContextManager[None]:
        """Whether schedules that nobody has proved are checked: with, or without."""
        if not self.args.no_check:
            return nullcontext()
        # Imported when it is needed: start-up is part of every run.
        from polyir.model.proof import unchecked

        return unchecked()

    def _run_chunk(self, text: str, line_offset: int, output: StringIO) -> None:
        try:
            module = self._parse(text, line_offset)
        except PolyirError as error:
            if not (self.args.parsing_diagnostics or self.args.verify_diagnostics):
                raise
            output.write(error.render() + "\n")
            return
        try:
            self.pipeline.apply(self.ctx, module)
            self._target.emit(self.ctx, module, output)
        except DiagnosticException as error:
            diagnostic = _as_diagnostic(error)
            _attach_source_line(diagnostic, text, line_offset, self._input_name())
            if not self.args.verify_diagnostics:
                raise diagnostic from error
            output.write(diagnostic.render() + "\n")

    def _parse(self, text: str, line_offset: int) -> ModuleOp:
        from polyir.frontend.parse import parse_module

        return parse_module(text, self._input_name(), self.ctx, line_offset)

    def _input_name(self) -> str:
        name = self.args.input_file
        return "<stdin>" if name in (None, "-") else str(name)

    def _chunks(self) -> list[tuple[str, int]]:
        """The input, or its parts between split markers, each with its line offset."""
        text = self._read()
        if not self.args.split_input_file:
            return [(text, 0)]
        chunks: list[tuple[str, int]] = []
        line = 0
        for part in text.split(SPLIT_MARKER):
            chunks.append((part, line))
            line += part.count("\n")
        return chunks

    def _read(self) -> str:
        name = self.args.input_file
        try:
            data = sys.stdin.buffer.read() if name in (None, "-") else Path(name).read_bytes()
        except OSError as error:
            raise PolyirError(f"cannot read '{name}': {error.strerror}") from None
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
    return PolyirError(str(error).strip().split("\n", 1)[0])


def _attach_source_line(error: PolyirError, text: str, line_offset: int, name: str) -> None:
    """Add the source line that a diagnostic points at, if it has none."""
    location = error.location
    if error.source_line is not None or location is None or location.file != name:
        return
    lines = text.splitlines()
    number = location.line - line_offset - 1
    if 0 <= number < len(lines):
        error.source_line = lines[number]


def _describe_passes(available: AvailablePasses) -> str:
    lines = ['passes of polyir, which are flags; options are given as --name="option=value":']
    for name in PASS_NAMES:
        found = pass_type(name)
        summary = (found.__doc__ or "").strip().splitlines()[0]
        lines.append(f"  --{name}\n      {summary}")
        lines += [f"        {option}" for option in describe_options(found)]
    others = [name for name in available if name not in PASS_NAMES]
    lines.append(f"passes of xDSL: {', '.join(others)}")
    return "\n".join(lines)


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
