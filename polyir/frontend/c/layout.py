"""Where functions begin in the text of a C file, despite comments and directives."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"/\*.*?\*/|//(?:\\\n|[^\n])*"  # comments
    r"|^[ \t]*#(?:\\\r?\n|/\*.*?\*/|[^\n])*"  # directives
    r'|"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"  # literals
    r"|[{};]|[^\s]",
    re.DOTALL | re.MULTILINE,
)


def line_of_function(text: str, line: int) -> int:
    """The line, from 1, where the external declaration that contains `line` begins.

    A comment directly above belongs to the declaration. `line` holds the name of a function in
    its definition. In a conditional directive, only the branch that contains the line counts.
    """
    best, depth = 1, 0
    starts_next, is_body = True, False
    previous = ""
    saved: list[int] = []
    comment, comment_end = 0, 0
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token.startswith(("/*", "//")):
            begin = text.count("\n", 0, match.start()) + 1
            if comment_end + 1 < begin or comment == 0:
                comment = begin
            comment_end = text.count("\n", 0, match.end()) + 1
            continue
        directive = token.lstrip()
        if directive.startswith("#"):
            depth = _after_directive(directive, depth, saved)
            if depth == 0:
                starts_next = True
            continue
        if depth == 0 and starts_next:
            begin = text.count("\n", 0, match.start()) + 1
            if begin > line:
                break
            is_commented = comment > best and comment_end + 1 == begin
            best, starts_next = comment if is_commented else begin, False
        if token == "{":
            if depth == 0:
                is_body = previous == ")"
            depth += 1
        elif token == "}":
            depth = max(0, depth - 1)
            starts_next = depth == 0 and is_body
        elif token == ";" and depth == 0:
            starts_next = True
        previous = token
    return best


def _after_directive(directive: str, depth: int, saved: list[int]) -> int:
    """The depth of braces after a directive: each branch begins with that before the first."""
    word = directive[1:].lstrip()
    if word.startswith("if"):
        saved.append(depth)
    elif word.startswith("el") and saved:
        return saved[-1]
    elif word.startswith("endif") and saved:
        saved.pop()
    return depth
