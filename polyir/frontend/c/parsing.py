"""The syntax tree of a C file, as far as its regions need it."""

from __future__ import annotations

from collections.abc import Mapping

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from polyir.base.diagnostics import InputSyntaxError, SourceLocation
from polyir.frontend.c.jumps import with_blocks
from polyir.frontend.c.preprocess import Declarations, Needed, Promise, promises_of


def parsed(
    declarations: Declarations, path: str, is_detecting: bool
) -> tuple[c_ast.FileAST, Mapping[str, Promise], Mapping[SourceLocation, InputSyntaxError]]:
    """The syntax tree of what the regions need, and an error for each function that is left out.

    The errors are given by the places where their functions begin. Between them, what functions
    promise. A declaration that the parser cannot read is left out, with all functions that need it.
    """
    skipped: dict[SourceLocation, InputSyntaxError] = {}
    bodiless: dict[int, None] = {}
    unreadable: dict[int, None] = {}
    while True:
        needed = declarations.needed(path if is_detecting else None, bodiless, unreadable)
        try:
            tree = CParser().parse(needed.text(), path)
        except ParseError as parse_error:
            error = _syntax_error(str(parse_error))
            number = _unreadable_number(needed, error)
            if number is None or number in unreadable:
                raise error from None
            chunk = declarations.chunks[number]
            if number in needed.regions:
                start = SourceLocation(chunk.file, chunk.line, 1)
                skipped[start] = InputSyntaxError(error.message, error.location or start)
            # Another function may need what the definition declares.
            is_first = chunk.body is not None and number not in bodiless
            (bodiless if is_first else unreadable)[number] = None
            continue
        for function, missing in needed.skipped:
            message = f"the declaration at {missing.file}:{missing.line} cannot be parsed"
            location = SourceLocation(function.file, function.line, 1)
            skipped[location] = InputSyntaxError(message, location)
        kept = (chunk for _, chunk in needed.declarations)
        promises = dict(promise for chunk in kept for promise in promises_of(chunk))
        for item in tree.ext:
            if isinstance(item, c_ast.FuncDef):
                declare_parameters(item)
                item.body = with_blocks(item.body)
        places = sorted(skipped, key=lambda place: (place.line, place.file))
        return tree, promises, {place: skipped[place] for place in places}


def _unreadable_number(needed: Needed, error: InputSyntaxError) -> int | None:
    """The number of the declaration with a syntax error."""
    if error.location is not None:
        number = needed.number_at(error.location.file, error.location.line)
        if number is not None:
            return number
    # The first declarations up to it cannot be parsed.
    low, high = 0, len(needed.declarations)
    while low < high:
        middle = (low + high) // 2
        try:
            CParser().parse(needed.text(middle + 1), "")
        except ParseError:
            high = middle
        else:
            low = middle + 1
    return needed.declarations[low][0] if low < len(needed.declarations) else None


def declare_parameters(function: c_ast.FuncDef) -> None:
    """Give the parameters of an old-style definition their types."""
    arguments = function.decl.type.args
    declared = {item.name: item for item in function.param_decls or ()}
    for position, parameter in enumerate(arguments.params if arguments is not None else ()):
        if isinstance(parameter, c_ast.ID):
            integer = c_ast.TypeDecl(
                parameter.name, [], None, c_ast.IdentifierType(["int"]), parameter.coord
            )
            default = c_ast.Decl(parameter.name, [], [], [], [], integer, None, None)
            arguments.params[position] = declared.get(parameter.name, default)


def _syntax_error(message: str) -> InputSyntaxError:
    parts = message.split(":", 3)
    if len(parts) == 4 and parts[1].isdigit() and parts[2].isdigit():
        location = SourceLocation(parts[0], int(parts[1]), int(parts[2]))
        return InputSyntaxError(f"cannot parse this C: {parts[3].strip()}", location)
    return InputSyntaxError(f"cannot parse this C: {message.partition(': ')[2] or message}")
