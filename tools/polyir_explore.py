"""Transform a program by hand, on a page in the browser.

The page has the source, the schedule tree, code and pictures. Choose a loop of the tree, and what
to do with it; what is illegal says why. The steps can be copied as a command and as Python. The
page is served on 127.0.0.1 only, under an address that nobody else knows. Ctrl-C ends it.
"""

from __future__ import annotations

import argparse
import sys
import webbrowser
from collections.abc import Sequence

from polyir.base.limits import time_limited_to
from polyir.report import require_packages
from polyir.tools.command_line import (
    ArgumentParser,
    add_time_limit,
    add_version,
    exit_code_of,
    read_text,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool until Ctrl-C. Returns 0, or 1 after an error."""
    return exit_code_of(_run, arguments)


def _run(arguments: Sequence[str]) -> int:
    parser = ArgumentParser(
        prog="polyir-explore",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", help="a program in MLIR, C or equations")
    parser.add_argument("--port", type=int, default=0, help="a port instead of a free one")
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    add_version(parser)
    add_time_limit(parser)
    options = parser.parse_args(arguments)
    source = read_text(options.file)
    require_packages()
    from polyir.explore.server import Server
    from polyir.explore.session import Session

    server = Server(Session(options.file), source, options.port)
    print(server.url, flush=True)
    if not options.no_browser:
        webbrowser.open(server.url)
    with time_limited_to(options.time_limit):
        server.serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
