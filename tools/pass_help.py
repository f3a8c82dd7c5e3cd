"""Options that print what there is and end: `--list-passes`, `--help-pass`, `--version`."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Sequence

from polyir.diagnostics import OptionError, nearest
from polyir.pipeline import AvailablePasses
from polyir.universe import PASS_NAMES


def add_information(
    parser: argparse.ArgumentParser, available: AvailablePasses, *short_names: str
) -> None:
    """The options `--list-passes`, `--help-pass` and `--version` (`short_names` mean the last)."""

    class ListPasses(_Information):
        def text(self, value: str) -> str:
            return _list_of_passes(available)

    class HelpPass(_Information):
        def text(self, value: str) -> str:
            return _help_of_pass(value, available)

    class Version(_Information):
        def text(self, value: str) -> str:
            from importlib.metadata import version

            parts = ", ".join(f"{name} {version(name)}" for name in ("xdsl", "islpy"))
            return f"{parser.prog} {version('polyir')} ({parts})"

    parser.add_argument("--list-passes", nargs=0, action=ListPasses, help="list all passes")
    parser.add_argument(
        "--help-pass", metavar="NAME", action=HelpPass, help="describe a pass and its options"
    )
    parser.add_argument(
        *short_names, "--version", nargs=0, action=Version, help="print the version"
    )


class _Information(argparse.Action):
    """Prints a text and ends the process."""

    def text(self, value: str) -> str:
        raise NotImplementedError

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,
    ) -> None:
        print(self.text(values if isinstance(values, str) else ""))
        parser.exit()


def describe_passes(available: AvailablePasses) -> str:
    """Every pass of polyir and of other packages with its options, and xDSL's by name."""
    from polyir.passes.options import describe_options

    lines = ['passes of polyir, which are flags; options are given as --name="option=value":']
    for name in _described(available):
        found = available[name]()
        lines.append(f"  --{name}\n      {_summary(inspect.getdoc(found))}")
        lines += [f"        {option}" for option in describe_options(found)]
    lines.append(f"passes of xDSL: {', '.join(_of_xdsl(available))}")
    return "\n".join(lines)


def _list_of_passes(available: AvailablePasses) -> str:
    names = (*_described(available), *_of_xdsl(available))
    width = max(map(len, names))
    return "\n".join(
        f"{name:{width}}  {_summary(inspect.getdoc(available[name]()))}".rstrip() for name in names
    )


def _help_of_pass(name: str, available: AvailablePasses) -> str:
    from polyir.passes.options import describe_options

    if name not in available:
        raise OptionError(f"unknown pass '{name}'{nearest(name, available)}")
    found = available[name]()
    lines = [f"--{name}: {inspect.getdoc(found) or ''}", ""]
    lines += [f"  {option}" for option in describe_options(found)] or ["It has no options."]
    return "\n".join(lines)


def _described(available: AvailablePasses) -> tuple[str, ...]:
    """polyir's passes in the order of a pipeline, then those of other packages."""
    from xdsl.universe import XDSL_UNIVERSE

    own = tuple(name for name in PASS_NAMES if name in available)
    others = (name for name in available if name not in PASS_NAMES)
    return (*own, *(name for name in others if name not in XDSL_UNIVERSE.all_passes))


def _of_xdsl(available: AvailablePasses) -> tuple[str, ...]:
    described = _described(available)
    return tuple(name for name in available if name not in described)


def _summary(documentation: str | None) -> str:
    return (documentation or "").strip().partition("\n")[0]
