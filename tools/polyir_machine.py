"""Print the description of a machine that `optimize` uses, as JSON; by default, of this one.

Change it to describe another machine, and give it to --optimize=machine=FILE. With --measure, a C
program measures the speeds of this one first, which takes some seconds with nothing else running.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from polyir.base.diagnostics import OptionError
from polyir.choose.machine import machine_of_option
from polyir.choose.measured_machine import measured_machine
from polyir.tools.command_line import ArgumentParser, add_version, exit_code_of, write_output
from polyir.universe import registered_machines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool. Returns 0, or 1 after an error."""
    return exit_code_of(_run, arguments)


def _run(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        prog="polyir-machine",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = ", ".join(registered_machines())
    parser.add_argument(
        "machine", nargs="?", default="", help=f"a name ({known}), or a JSON file to complete"
    )
    parser.add_argument("--measure", action="store_true", help="measure the speeds of this machine")
    parser.add_argument("--cc", default="cc", help="the C compiler that it takes (cc)")
    parser.add_argument("-o", dest="output", metavar="FILE", help="the output file")
    add_version(parser)
    options = parser.parse_args(arguments)
    if options.measure and options.machine:
        raise OptionError(f"--measure is for this machine: {options.machine}")
    if options.measure:
        machine = measured_machine(options.cc)
    else:
        machine = machine_of_option(options.machine)
    write_output(options.output, machine.to_json().encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
