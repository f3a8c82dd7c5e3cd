"""Passes from text: mlir-opt's flags and xDSL's pipelines."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from polyir.base.diagnostics import OptionError, nearest
from polyir.passes.options import pass_from_spec, pass_with_options, quoted

DEFAULT_PIPELINE: Final = "optimize"
"""What runs unless told otherwise."""

EQUATIONS_PIPELINE: Final = "equations-to-scop,pluto-schedule,allocate-memory"
"""What runs before that for equations: an order that needs little memory, and no more of it."""

GPU_PIPELINE: Final = "optimize{target=gpu}"
"""What runs unless told otherwise if the program is to run on a GPU."""

GPU_RUN_PIPELINE: Final = "optimize{target=gpu sequential=device}"
"""The same where code of the host is interpreted, and therefore slow."""

RANKS_PIPELINE: Final = "pluto-schedule,tile,wavefront,distribute-memory,mark-parallel"
"""What runs unless told otherwise if the program is to run on ranks of MPI."""

AvailablePasses = Mapping[str, Callable[[], type[ModulePass]]]
"""Pass classes by name, imported on demand."""


def passes_of_pipeline(text: str, available: AvailablePasses) -> tuple[ModulePass, ...]:
    """The passes of a pipeline such as `pluto-schedule,tile{sizes=32,8}`.

    Raises `OptionError` for malformed text, an unknown pass or a bad option.
    """
    try:
        specs = tuple(parse_pipeline(quoted(text)))
    except (ArgSpecParseError, StopIteration):
        raise OptionError(f"malformed pass pipeline '{text}'", name="bad-pipeline") from None
    for spec in specs:
        if spec.name not in available:
            raise OptionError(
                f"unknown pass '{spec.name}'{nearest(spec.name, available)}", name="unknown-pass"
            )
    return tuple(pass_from_spec(available[spec.name](), spec) for spec in specs)


def passes_of_text(text: str, available: AvailablePasses) -> tuple[ModulePass, ...]:
    """The passes of a text in any of the forms that polyir-opt takes.

    They are flags (`--pluto-schedule --tile=32`), a pipeline of mlir-opt (`builtin.module(tile)`),
    or one of xDSL. Raises `OptionError`.
    """
    stripped = text.strip()
    if stripped.startswith("builtin.module("):
        return passes_of_nested_pipeline(stripped, available)
    if not stripped.startswith("-"):
        return passes_of_pipeline(stripped, available)
    try:
        arguments = shlex.split(stripped)
    except ValueError as error:
        raise OptionError(
            f"malformed passes '{text}': {error}".lower(), name="bad-pipeline"
        ) from None
    passes, others = split_pass_flags(arguments, available)
    for name in others:
        flags = [f"--{each}" for each in available]
        raise OptionError(
            f"unknown pass '{name}'{nearest(name.partition('=')[0], flags)}", name="unknown-pass"
        )
    return passes


def passes_of_nested_pipeline(text: str, available: AvailablePasses) -> tuple[ModulePass, ...]:
    """The passes of a pipeline as mlir-opt has it, `builtin.module(func.func(tile{sizes=8}))`.

    The passes run on the whole module, those inside `func.func(...)` too: they treat each function
    for itself. Raises `OptionError`.
    """
    found: list[str] = [""]
    in_options = anchors = 0
    for piece in _PIPELINE_PIECE.findall(text.strip()):
        in_options += {"{": 1, "}": -1}.get(piece, 0)
        if in_options or piece not in "(),":
            found[-1] += piece
            continue
        if piece == "(":
            _check_anchor(found[-1].strip(), is_outermost=anchors == 0)
            found[-1] = ""
        anchors += {"(": 1, ")": -1}.get(piece, 0)
        if anchors <= 0 and (piece != ")" or anchors):
            break
        found.append("")
    names = [each.strip() for each in found if each.strip()]
    if anchors != 0 or in_options or not text.strip().endswith(")"):
        raise OptionError(
            f"malformed pass pipeline '{text}': expected 'builtin.module(...)'", name="bad-pipeline"
        )
    return passes_of_pipeline(",".join(names), available) if names else ()


def nested_pipeline(passes: Iterable[ModulePass]) -> str:
    """A text from which `passes_of_nested_pipeline` makes the same passes."""
    return f"builtin.module({','.join(map(_pass_text, passes))})"


def _pass_text(given: ModulePass) -> str:
    options = " ".join(
        f"{name.replace('_', '-')}={','.join(map(_value_text, values))}"
        if values
        else name.replace("_", "-")
        for name, values in given.pipeline_pass_spec().parameters.items()
    )
    return f"{given.name}{{{options}}}" if options else given.name


def _value_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


_PIPELINE_PIECE = re.compile(r""""(?:\\.|[^"\\])*"|'[^']*'|[{}(),]|[^{}(),"']+|["']""")


def _check_anchor(name: str, is_outermost: bool) -> None:
    expected = ("builtin.module",) if is_outermost else ("builtin.module", "func.func", "any")
    if name not in expected:
        hint = nearest(name, expected) or f" (one of: {', '.join(expected)})"
        raise OptionError(f"a pipeline cannot run on '{name}'{hint}", name="bad-pipeline")


def split_pass_flags(
    arguments: Sequence[str], available: AvailablePasses
) -> tuple[tuple[ModulePass, ...], tuple[str, ...]]:
    """The passes that a command line names, in the order given, and all other arguments.

    A pass is named by a flag (`--tile=32`), in a pipeline after `-p`, or in a pipeline of mlir-opt
    after `--pass-pipeline`. Raises `OptionError`.
    """
    passes: list[ModulePass] = []
    others: list[str] = []
    rest: Iterator[str] = iter(arguments)
    for argument in rest:
        name, _, value = argument.removeprefix("--").partition("=")
        if argument.startswith("--") and name in available:
            passes.append(pass_with_options(available[name](), value))
        elif argument in ("-p", "--passes"):
            passes += passes_of_pipeline(next(rest, ""), available)
        elif argument in ("-pass-pipeline", "--pass-pipeline"):
            passes += passes_of_nested_pipeline(next(rest, ""), available)
        elif argument.startswith(("-pass-pipeline=", "--pass-pipeline=")):
            passes += passes_of_nested_pipeline(argument.partition("=")[2], available)
        elif argument.startswith("--passes="):
            passes += passes_of_pipeline(value, available)
        else:
            others.append(argument)
    return tuple(passes), tuple(others)
