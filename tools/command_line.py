"""What the tools share: arguments without usage texts, and errors as one diagnostic."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from polyir.diagnostics import OptionError, PolyirError


class ArgumentParser(argparse.ArgumentParser):
    """Raises `OptionError` instead of printing the usage and exiting with code 2."""

    def error(self, message: str) -> NoReturn:
        raise OptionError(message)


def exit_code_of(run: Callable[[], int]) -> int:
    """Run a tool: its exit code, or 1 after an error, which is printed as one diagnostic."""
    try:
        return run()
    except PolyirError as error:
        print(error.render(), file=sys.stderr)
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        sys.stderr.close()
    except Exception as error:
        # A defect of polyir's: still no traceback, unless the one who mends it asks for one.
        if os.environ.get("POLYIR_TRACEBACK"):
            raise
        kind = type(error).__name__
        print(f"error: internal error ({kind}: {error}); please report it", file=sys.stderr)
    return 1
