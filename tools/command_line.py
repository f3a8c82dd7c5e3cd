"""What the tools share: parsing arguments, writing files, and printing errors."""

from __future__ import annotations

import argparse
import errno
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import NoReturn

from polyir.base.diagnostics import (
    MissingPackageError,
    OptionError,
    PolyirError,
    nearest,
    print_diagnostic,
)
from polyir.base.internal_errors import InternalError, internal_error, wants_traceback
from polyir.base.limits import DEFAULT_TIME_LIMIT
from polyir.base.supervisor import INTERRUPTED


class ArgumentParser(argparse.ArgumentParser):
    """Raises `OptionError` instead of printing the usage and exiting with code 2.

    `arguments` are those that it parses, and `passes` the names that are flags besides its own.
    """

    arguments: Sequence[str] = ()
    passes: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        raise OptionError(message)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str], namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """The known arguments and the unknown ones.

        argparse takes an unknown option with a space in its value for a positional argument.
        """
        self.arguments = args
        unknown = [argument for argument in args if self._is_unknown(argument)]
        known = [argument for argument in args if argument not in unknown]
        found, rest = super().parse_known_args(known, namespace)
        return found, [*unknown, *rest]

    def _is_unknown(self, argument: str) -> bool:
        name = argument.partition("=")[0]
        is_option = argument.startswith("--") and " " in argument
        return is_option and name not in self._option_string_actions


def exit_code_of(run: Callable[[Sequence[str]], int], arguments: Sequence[str] | None) -> int:
    """Run a tool and return its exit code: 1 after an error, which is printed as a diagnostic.

    Without `arguments`, they are those of the process, which ends with the tool; Ctrl-C ends it
    without a traceback.
    """
    if arguments is not None:
        return _exit_code_of(run, arguments)
    # The garbage collector must not search what was imported: that stays until the process ends.
    gc.freeze()
    try:
        exit_code = _exit_code_of(run, sys.argv[1:])
    except KeyboardInterrupt:
        exit_code = INTERRUPTED
    # Nor must it search everything once more while Python exits.
    gc.freeze()
    return exit_code


def _exit_code_of(run: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> int:
    try:
        return run(arguments)
    except PolyirError as error:
        print_diagnostic(error.render())
    except BrokenPipeError:
        # The reader of the output closed it, as `head` does.
        sys.stderr.close()
    except Exception as error:
        # A defect of polyir, or of a pass. The developers of polyir ask for the traceback.
        if wants_traceback():
            raise
        internal = error if isinstance(error, InternalError) else internal_error(None, error)
        print_diagnostic(internal.as_error().render())
    return 1


class Information(argparse.Action):
    """An option that prints a text and ends the process."""

    def text(self, value: str) -> str:
        """The text; `value` is the option's argument, or empty."""
        raise NotImplementedError

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        # Flushed here, where a reader that has closed the output is expected.
        print(self.text(values if isinstance(values, str) else ""), flush=True)
        parser.exit()


def add_version(parser: argparse.ArgumentParser, *short_names: str) -> None:
    """The options of all tools that print a text; `short_names` mean `--version`."""

    class Version(Information):
        def text(self, value: str) -> str:
            from importlib.metadata import version

            parts = ", ".join(f"{name} {version(name)}" for name in ("xdsl", "islpy"))
            return f"{parser.prog} {version('polyir')} ({parts})"

    class Explanation(Information):
        def text(self, value: str) -> str:
            return _explanation(value)

    class Completion(Information):
        def text(self, value: str) -> str:
            return _completion(parser, value)

    parser.add_argument(
        *short_names, "--version", nargs=0, action=Version, help="print the version"
    )
    parser.add_argument(
        "--explain",
        metavar="NAME",
        action=Explanation,
        help="explain the diagnostics that end with [NAME]",
    )
    parser.add_argument(
        "--print-completion",
        choices=("bash", "zsh", "tcsh"),
        action=Completion,
        help="print what makes a shell complete options and files",
    )


def _explanation(name: str) -> str:
    """What `--explain` prints."""
    from polyir.base.explanations import explanations

    found = explanations()
    if name not in found:
        raise OptionError(f"no diagnostic has the name '{name}'{nearest(name, found)}")
    return f"# {name}\n\n{found[name]}"


def _completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """What a shell reads to complete the options of a tool, its passes and names of files."""
    try:
        import shtab
    except ImportError:
        raise MissingPackageError(
            "--print-completion needs shtab (pip install 'polyir[completion]')"
        ) from None
    if isinstance(parser, ArgumentParser):
        for name in parser.passes:
            parser.add_argument(f"--{name}", help=f"the pass {name}")
    for action in parser._actions:
        if not action.option_strings or "FILE" in str(action.metavar):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell)).rstrip()


def add_time_limit(parser: argparse.ArgumentParser) -> None:
    """The option `--time-limit`, in `time_limit`."""
    parser.add_argument(
        "--time-limit",
        type=float,
        default=DEFAULT_TIME_LIMIT,
        metavar="SECONDS",
        help="limit on the processor time of each step of a pass (default: %(default)s; 0: no "
        "limit)",
    )


def add_required_checks(parser: argparse.ArgumentParser) -> None:
    """The option `--require-checked`, in `require_checked`."""
    parser.add_argument(
        "--require-checked",
        action="store_true",
        help="treat a check that gives up, or is skipped, as an error; without it, --remarks names "
        "the check",
    )


def required_checks(is_required: bool) -> AbstractContextManager[None]:
    """Where `--require-checked` is in force."""
    if not is_required:
        return nullcontext()
    # Imported when it is needed: start-up is part of every run.
    from polyir.base.checked import checks_required

    return checks_required()


def add_sizes(parser: argparse.ArgumentParser) -> None:
    """Add the options with the sizes of the data that is generated."""
    parser.add_argument(
        "--size",
        action="extend",
        type=parsed_sizes,
        default=[],
        metavar="NAME=VALUE,...",
        help="values of size arguments; may be given several times",
    )
    parser.add_argument(
        "--default-size",
        type=parsed_positive,
        default=200,
        help="the value of all other size arguments, or the nearest one in the context "
        "(default: 200)",
    )


def parsed_sizes(text: str) -> list[tuple[str, int]]:
    """A value of an option, for argparse: numbers by name, with commas between them."""
    found: list[tuple[str, int]] = []
    for part in text.split(","):
        name, _, value = part.rpartition("=")
        try:
            found.append((name.strip(), int(value)))
        except ValueError:
            raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not '{part}'") from None
    return found


def parsed_positive_sizes(text: str) -> list[tuple[str, int]]:
    """As `parsed_sizes`, for numbers that must be positive."""
    found = parsed_sizes(text)
    for name, value in found:
        if value < 1:
            raise argparse.ArgumentTypeError(f"the size of '{name}' must be 1 or more: {value}")
    return found


def parsed_positive(text: str) -> int:
    """A value of an option, for argparse: a positive integer."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, not '{text}'")
    return int(text)


def parsed_counts(text: str) -> tuple[int, ...]:
    """A value of an option, for argparse: positive integers with commas between them."""
    return tuple(parsed_positive(part) for part in text.split(","))


def write_output(name: str | None, data: bytes | bytearray) -> None:
    """Write a file completely, or not at all; `None` and "-" are standard output."""
    if name in (None, "-"):
        with _errors_of_writing("standard output"):
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        return
    assert name is not None
    path = Path(name)
    with _errors_of_writing(name):
        if _is_replaced(path):
            partial = _partial(path)
            partial.write_bytes(data)
            partial.replace(path)
        else:
            path.write_bytes(data)


def require_writable(name: str) -> None:
    """Raise `PolyirError` if `write_output` cannot write a file: to know it before a long run."""
    path = Path(name)
    with _errors_of_writing(name):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if name != "-" and _is_replaced(path):
            partial = _partial(path)
            partial.touch()
            partial.unlink()


def _is_replaced(path: Path) -> bool:
    """Whether a whole new file is put in its place: not in that of a device, like /dev/null."""
    return not path.exists() or path.is_file()


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.partial")


@contextmanager
def _errors_of_writing(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise PolyirError(f"cannot write '{name}': {error.strerror}", name="file-access") from None


def read_text(name: str) -> str:
    """The text of a file; raises `PolyirError`."""
    try:
        return Path(name).read_text(encoding="utf-8")
    except OSError as error:
        raise PolyirError(f"cannot read '{name}': {error.strerror}", name="file-access") from None
    except UnicodeDecodeError:
        raise PolyirError(
            f"cannot read '{name}': it is not UTF-8 text", name="file-access"
        ) from None
