"""Check systems of equations, and print them in dependence or array notation.

The text is that of AlphaZ's .alpha files. Without --show and --ashow, and with --check, what the
equations mean is checked: each value must be defined once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from polyir.base.diagnostics import OptionError, nearest, print_diagnostic
from polyir.base.limits import limited, time_limited_to
from polyir.equations.checks import check_system
from polyir.equations.system import Program
from polyir.equations.text import Form, program_text, read_program, system_text
from polyir.tools.command_line import (
    ArgumentParser,
    add_time_limit,
    add_version,
    exit_code_of,
    read_text,
    write_output,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool. Returns 0 if the text is read and nothing is wrong, else 1."""
    return exit_code_of(_run, arguments)


def _run(arguments: Sequence[str]) -> int:
    options = _parse_options(arguments)
    text = sys.stdin.read() if options.file == "-" else read_text(options.file)
    with time_limited_to(options.time_limit):
        program = read_program(text, options.file)
        systems = _selected(program, options.system)
        if options.check or options.form is None:
            errors = limited(
                "checking the equations",
                lambda: [
                    error for each in systems.systems for error in check_system(each, program)
                ],
            )
            lines = text.split("\n")
            for error in errors:
                if error.location is not None:
                    error.source_line = lines[error.location.line - 1].rstrip("\r")
                print_diagnostic(error.render())
            if errors:
                return 1
        if options.form is not None:
            if options.system is None:
                printed = program_text(program, options.form)
            else:
                printed = system_text(systems.systems[0], program, options.form)
            write_output(None, printed.encode())
    return 0


def _selected(program: Program, name: str | None) -> Program:
    """The program with only the system of that name, which may leave out its packages."""
    if name is None:
        return program
    names = [each.name for each in program.systems]
    found = [each for each in program.systems if each.name == name] or [
        each for each in program.systems if each.name.rpartition(".")[2] == name
    ]
    if not found:
        raise OptionError(f"there is no system '{name}'{nearest(name, names)}")
    if len(found) > 1:
        raise OptionError(f"several systems are called '{name}': give the whole name")
    return replace(program, systems=(found[0],))


def _parse_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = ArgumentParser(
        prog="polyir-alpha",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="systems of equations; '-' is standard input")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument(
        "--show",
        action="store_const",
        const=Form.SHOW,
        dest="form",
        help="print in dependence notation: (i, j -> i, j - 1)@A",
    )
    forms.add_argument(
        "--ashow",
        action="store_const",
        const=Form.ARRAY,
        dest="form",
        help="print in array notation: A[i, j - 1]",
    )
    parser.add_argument("--check", action="store_true", help="check before printing")
    parser.add_argument("--system", metavar="NAME", help="only this system")
    add_time_limit(parser)
    add_version(parser)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
