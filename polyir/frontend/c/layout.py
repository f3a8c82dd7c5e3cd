"""Where functions and statements begin in the text of a C file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pycparser import c_ast

from polyir.frontend.c.errors import location_of_node
from polyir.frontend.c.names import nodes_below

_TOKEN = re.compile(
    r"/\*.*?\*/|//(?:\\\n|[^\n])*"  # comments
    r"|^[ \t]*#(?:\\\r?\n|/\*.*?\*/|[^\n])*"  # directives
    r'|"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"  # literals
    r"|[{};]|[^\s]",
    re.DOTALL | re.MULTILINE,
)

_WORDS = re.compile(
    _TOKEN.pattern.removesuffix(r"|[^\s]") + r"|\w+|[^\s]", re.DOTALL | re.MULTILINE
)


def _is_comment(match: re.Match[str]) -> bool:
    return match.group().startswith(("/*", "//"))


def words_of(text: str) -> frozenset[str]:
    """All words of a C file that are not in comments or literals: whatever may be a name."""
    found: set[str] = set()
    for match in _WORDS.finditer(text):
        if not _is_comment(match) and match.group()[0] not in "\"'":
            found.update(re.findall(r"\w+", match.group()))
    return frozenset(found)


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


def starting_lines(
    statements: Sequence[c_ast.Node], path: str, lines: Sequence[str], end: int
) -> tuple[int, ...] | None:
    """The lines, from 1, where statements begin, and `end`, the line after the last one.

    `None` if a line holds a part of two statements, or there are directives between them, or the
    text `lines` of the file `path` is not known.
    """
    ranges: list[tuple[int, int]] = []
    for statement in statements:
        found = [location_of_node(node) for node in nodes_below(statement)]
        places = [place for place in found if place is not None]
        if not places or any(place.file != path for place in places):
            return None
        ranges.append((min(place.line for place in places), max(place.line for place in places)))
    starts = (*(first for first, _ in ranges), end)
    is_apart = all(last < start for (_, last), start in zip(ranges, starts[1:], strict=True))
    text = lines[starts[0] - 1 : end - 1] if starts[0] <= len(lines) else []
    if not text or not is_apart or any(line.lstrip().startswith("#") for line in text):
        return None
    if any(not _begins_statement(lines[start - 1]) for start in starts[:-1]):
        return None
    return starts if all(one < other for one, other in pairwise(starts)) else None


def _begins_statement(line: str) -> bool:
    """Whether a line with the first token of a statement has no end of something else before."""
    before, closing, _ = line.partition("*/")
    ends_comment = bool(closing) and "/*" not in before
    return not ends_comment and not line.lstrip().startswith(("}", ";"))


def lines_of_statement(text: str, line: int) -> tuple[int, int] | None:
    """The first and the last line of the `for` statement that begins at `line`, from 1.

    `None` if the lines hold anything else but comments, or a directive.
    """
    offset = sum(len(part) for part in text.splitlines(keepends=True)[: line - 1])
    words = [match for match in _WORDS.finditer(text, offset) if not _is_comment(match)]
    end = _end_of_statement([match.group() for match in words], 0)
    if not words or words[0].group() != "for" or end is None:
        return None
    used = words[:end]
    first, last = used[0].start(), used[-1].end()
    if any(match.group().lstrip().startswith("#") for match in used):
        return None
    begin = text.count("\n", 0, first) + 1
    follows = words[end].start() if end < len(words) else len(text)
    before = text[text.rfind("\n", 0, first) + 1 : first]
    if begin != line or before.strip() or "\n" not in text[last:follows]:
        return None
    return begin, text.count("\n", 0, last) + 1


def _end_of_statement(words: Sequence[str], position: int) -> int | None:
    """The position after the statement that begins at `position`; `None` if it does not end."""
    if position >= len(words):
        return None
    word = words[position]
    if word == "{":
        return _closed(words, position, "{", "}")
    if word in ("for", "if", "while"):
        head = _closed(words, position + 1, "(", ")")
        end = None if head is None else _end_of_statement(words, head)
        if word == "if" and end is not None and words[end : end + 1] == ["else"]:
            return _end_of_statement(words, end + 1)
        return end
    if word == "do":
        end = _end_of_statement(words, position + 1)
        is_loop = end is not None and words[end : end + 1] == ["while"]
        head = _closed(words, end + 1, "(", ")") if end is not None and is_loop else None
        return head + 1 if head is not None and words[head : head + 1] == [";"] else None
    if word in ("switch", "else", "case", "default"):
        return None
    return next((n + 1 for n in range(position, len(words)) if words[n] == ";"), None)


def _closed(words: Sequence[str], position: int, opening: str, closing: str) -> int | None:
    """The position after the bracket that closes the one at `position`."""
    depth = 0
    for number in range(position, len(words)):
        depth += {opening: 1, closing: -1}.get(words[number], 0)
        if depth == 0:
            return number + 1 if number > position else None
    return None


ADDED_BREAK: Final = "\x1f\n"
"""A line break that was not in the text: the character before it is white space, and no one's."""


def one_statement_a_line(text: str) -> str:
    """The same C with an added line break after each statement on a line that has a loop.

    Only whole lines can be replaced, and a text in a program is often one line.
    """
    pieces: list[str] = []
    position = nesting = 0
    words = [match for match in _WORDS.finditer(text) if not _is_comment(match)]
    breaks = [match.start() for match in re.finditer("\n", text)]
    lines = [bisect_left(breaks, match.start()) for match in words]
    with_loops = {line for match, line in zip(words, lines, strict=True) if match.group() == "for"}
    for (match, following), line in zip(pairwise((*words, None)), lines, strict=True):
        assert match is not None
        word = match.group()
        nesting += {"(": 1, ")": -1}.get(word, 0)
        if line not in with_loops:
            continue
        begin = text.rfind("\n", 0, match.start()) + 1
        if word == "for" and text[begin : match.start()].strip():
            pieces += (text[position : match.start()], ADDED_BREAK)
            position = match.start()
        is_end = word in ("{", "}", ";") and nesting == 0
        if is_end and following is not None and following.group() not in (";", ","):
            between = text[match.end() : following.start()]
            if "\n" not in between and "//" not in between:
                pieces += (text[position : match.end()], ADDED_BREAK)
                position = match.end()
    return "".join((*pieces, text[position:]))


def without_marks(broken: str) -> str:
    """A text whose added line breaks are like others."""
    return broken.replace(ADDED_BREAK, "\n")


def rejoined(text: str, broken: str) -> str:
    """`text` without the line breaks added in `broken` after which the line is as it was."""
    unchanged = {part.partition("\n")[0] for part in broken.split(ADDED_BREAK)[1:]}
    first, *parts = text.split(ADDED_BREAK)
    joints = ("" if part.partition("\n")[0] in unchanged else "\n" for part in parts)
    return "".join((first, *(word for pair in zip(joints, parts, strict=True) for word in pair)))


def line_origins(broken: str) -> tuple[tuple[int, int], ...]:
    """Where each line of `broken` was before: its line from 1, and the column from 0."""
    origins: list[tuple[int, int]] = []
    for number, line in enumerate(broken.replace(ADDED_BREAK, ADDED_BREAK[0]).split("\n"), 1):
        column = 0
        for part in line.split(ADDED_BREAK[0]):
            origins.append((number, column))
            column += len(part)
    return tuple(origins)
