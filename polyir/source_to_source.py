"""C to C: the regions of a file are transformed, all else stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.diagnostics import PolyirError, location_of
from polyir.frontend.c.errors import NotModelledError
from polyir.frontend.c.layout import line_of_function
from polyir.frontend.c.places import SourceArgument, SourceScalar
from polyir.frontend.c.source import SourceRegion, TranslatedRegion
from polyir.frontend.c.types import Arithmetic
from polyir.model.raising import raise_function
from polyir.passes.lower_poly import LowerPolyPass
from polyir.passes.prerequisites import scops_in
from polyir.target.abi import Scalar
from polyir.target.c.region import Form, RegionText, region_text
from polyir.target.c.syntax import Spelling


@dataclass(frozen=True)
class TransformedRegion:
    """A region after the passes, in loop form, or the error for which it stays as it is."""

    region: SourceRegion
    module: ModuleOp | None
    error: PolyirError | None


def transform_region(
    region: SourceRegion, passes: Sequence[ModulePass], context: Context
) -> TransformedRegion:
    """The region after `passes`. What cannot be modelled or refused by a pass is an error."""
    content = region.content
    if isinstance(content, PolyirError):
        return TransformedRegion(region, None, content)
    try:
        _raise(region, content)
        for each in passes:
            each.apply(context, content.module)
        content.module.verify()
        if len(content.function.function_type.inputs) != len(content.arguments):
            raise PolyirError(
                "symbolic tile sizes are further arguments of a function, and a region has none",
                region.location,
            )
        if scops_in(content.module):
            LowerPolyPass(fall_back=False).apply(context, content.module)
    except PolyirError as error:
        error.location = error.location or region.location
        return TransformedRegion(region, None, error)
    return TransformedRegion(region, content.module, None)


def _raise(region: SourceRegion, content: TranslatedRegion) -> None:
    outcome = raise_function(content.function)
    if outcome.scops:
        return
    if outcome.left:
        left = outcome.left[0]
        raise NotModelledError(left.reason, location_of(left.operation) or region.location)
    raise NotModelledError("no loop in it writes to memory", region.location)


@dataclass(frozen=True)
class Replacement:
    """The text of a region's new statements, and the line before which its helpers stand."""

    region: SourceRegion
    text: RegionText
    unused: tuple[str, ...]


def rewrite(
    text: str, transformed: Sequence[TransformedRegion], macros: Sequence[str], openmp: bool = True
) -> str:
    """`text` with every region that was transformed replaced by its new statements.

    The functions that these call, minima and quotients of indices, are defined before the
    function around the first region that needs them. Raises `PolyirError` for what has no C.
    """
    lines = text.splitlines(keepends=True)
    defined: dict[str, None] = {}
    insertions: list[tuple[int, list[str]]] = []
    for item in transformed:
        if item.module is None:
            continue
        region, content = item.region, item.region.content
        assert isinstance(content, TranslatedRegion)
        replacement = _replacement(region, content, macros, openmp)
        missing = [helper for helper in replacement.text.helpers if helper[0] not in defined]
        defined.update(dict.fromkeys(name for name, _ in missing))
        head = line_of_function(text, region.function_line)
        ending = _line_ending(lines[region.first_line - 1])
        insertions.append((head - 1, [_with_ending(text, ending) for _, text in missing]))
        first = region.first_line - 1
        lines[first] = _block(replacement, lines[first], ending)
        for number in range(region.first_line, region.last_line):
            lines[number] = ""
    for position, helpers in reversed(insertions):
        lines[position:position] = helpers
    return "".join(lines)


def _replacement(
    region: SourceRegion, content: TranslatedRegion, macros: Sequence[str], openmp: bool
) -> Replacement:
    forms = [_form(argument) for argument in content.arguments]
    words = [word for form in forms for word in re.findall(r"\w+", _text_of(form))]
    taken = (*macros, *words)
    text = region_text(content.function, forms, taken, openmp)
    present = dict.fromkeys(re.findall(r"\w+", "\n".join(text.lines)))
    unused = tuple(name for name in content.own if name not in present or name not in words)
    return Replacement(region, text, unused)


def _text_of(form: Form) -> str:
    if form.spelling is None:
        return form.text
    parts = [part for part in form.spelling.parts if isinstance(part, str)]
    return " ".join((*parts, *form.spelling.strides))


def _form(argument: SourceArgument) -> Form:
    type = scalar_of(argument.type if isinstance(argument, SourceScalar) else argument.element)
    if isinstance(argument, SourceScalar):
        return Form(type, argument.text)
    spelling = Spelling(argument.parts, argument.strides)
    text = "".join(part for part in argument.parts if isinstance(part, str))
    return Form(type, text, spelling)


def scalar_of(type: Arithmetic) -> Scalar:
    """The C target's name for a type of the C frontend."""
    if type.is_bool:
        return Scalar.BOOL
    if type.is_float:
        return Scalar.DOUBLE if type.width == 64 else Scalar.FLOAT
    return Scalar(f"{'' if type.is_signed else 'u'}int{type.width}_t")


def _block(replacement: Replacement, pragma: str, ending: str) -> str:
    """The statements in braces, indented as the pragma was, without its line."""
    indentation = pragma[: len(pragma) - len(pragma.lstrip())]
    marks = " ".join(f"(void){name};" for name in replacement.unused)
    inner = ([f"  {marks}"] if marks else []) + list(replacement.text.lines)
    lines = ["{", *inner, "}"]
    return "".join(f"{indentation}{line}{ending}" for line in lines)


def _line_ending(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n"


def _with_ending(text: str, ending: str) -> str:
    return (text.rstrip("\n") + "\n\n").replace("\n", ending)
