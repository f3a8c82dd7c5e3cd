"""What the tools print of passes: `--help`, `--help-all`, `--list-passes`, `--help-pass`."""

from __future__ import annotations

import argparse
import inspect
import json
import textwrap

from polyir.base.diagnostics import OptionError, nearest
from polyir.pipeline import AvailablePasses
from polyir.tools.command_line import ArgumentParser, Information, add_version
from polyir.universe import PASS_NAMES, PASSES_BY_TOPIC


def add_information(
    parser: argparse.ArgumentParser, available: AvailablePasses, *short_names: str
) -> None:
    """The options that print passes, and those of all tools (`short_names` mean `--version`)."""

    assert isinstance(parser, ArgumentParser)
    own = parser
    own.passes = tuple(available)

    class ListPasses(Information):
        def text(self, value: str) -> str:
            return _json(available) if "--json" in own.arguments else _list_of_passes(available)

    class HelpPass(Information):
        def text(self, value: str) -> str:
            return _help_of_pass(value, available)

    class Json(argparse.Action):
        def __call__(self, *_: object) -> None:
            if "--list-passes" not in own.arguments:
                raise OptionError("only --list-passes prints --json")

    parser.add_argument("--list-passes", nargs=0, action=ListPasses, help="list all passes")
    parser.add_argument(
        "--json", nargs=0, action=Json, help="with --list-passes: as JSON, with their options"
    )
    parser.add_argument(
        "--help-pass", metavar="NAME", action=HelpPass, help="describe a pass and its options"
    )
    add_version(parser, *short_names)


def passes_by_topic(available: AvailablePasses) -> str:
    """A line for each pass of polyir and of other packages, without xDSL's."""
    others = [name for name in _described(available) if name not in PASS_NAMES]
    topics = {**PASSES_BY_TOPIC, "passes of other packages": others}
    width = max(map(len, _described(available)))
    lines = ["passes (polyir-opt --help-pass=NAME prints the options of one):"]
    for topic, names in topics.items():
        lines += ["", f"{topic}:"] if names else []
        lines += [f"  --{name:{width}}  {_summary_of(name, available)}" for name in names]
    return "\n".join(lines)


def describe_passes(available: AvailablePasses) -> str:
    """Every pass of polyir and of other packages with its options, and xDSL's by name."""
    from polyir.passes.options import describe_options

    lines = ['passes of polyir, which are flags; options are given as --name="option=value":']
    for name in _described(available):
        lines.append(f"  --{name}\n      {_summary_of(name, available)}")
        lines += [f"        {option}" for option in describe_options(available[name]())]
    lines.append("passes of xDSL, which are flags, too:")
    lines += textwrap.wrap(
        ", ".join(_of_xdsl(available)),
        78,
        initial_indent="  ",
        subsequent_indent="  ",
        break_on_hyphens=False,
    )
    return "\n".join(lines)


def _list_of_passes(available: AvailablePasses) -> str:
    names = (*_described(available), *_of_xdsl(available))
    width = max(map(len, names))
    return "\n".join(f"{name:{width}}  {_summary_of(name, available)}".rstrip() for name in names)


def _json(available: AvailablePasses) -> str:
    """Every pass: its name, topic, summary, description and options."""
    from polyir.passes.options import describe_options

    topics = {name: topic for topic, names in PASSES_BY_TOPIC.items() for name in names}
    xdsl = set(_of_xdsl(available))
    passes = [
        {
            "name": name,
            "topic": topics.get(name, "xDSL" if name in xdsl else "other packages"),
            "summary": _summary_of(name, available),
            "description": inspect.getdoc(available[name]()) or "",
            "options": [
                {
                    "name": option.name,
                    "type": option.type,
                    "default": option.default,
                    "required": option.is_required,
                }
                for option in describe_options(available[name]())
            ],
        }
        for name in (*_described(available), *_of_xdsl(available))
    ]
    return json.dumps(passes, indent=2, ensure_ascii=False)


def _help_of_pass(name: str, available: AvailablePasses) -> str:
    from polyir.passes.options import describe_options

    if name not in available:
        raise OptionError(f"unknown pass '{name}'{nearest(name, available)}", name="unknown-pass")
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


def _summary_of(name: str, available: AvailablePasses) -> str:
    return (inspect.getdoc(available[name]()) or "").strip().partition("\n")[0]
