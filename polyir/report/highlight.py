"""Source text as HTML with colours, by Pygments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from html import escape
from typing import ClassVar, Final

from pygments.lexer import RegexLexer
from pygments.lexers.c_cpp import CLexer
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    _TokenType,
)

_OPERATION: Final = r"\b[a-z_]\w*(\.\w+)+\b"


class MlirLexer(RegexLexer):  # type: ignore[misc]
    """The tokens of MLIR's textual form that are worth a colour."""

    name = "MLIR"
    tokens: ClassVar = {
        "root": [
            (r"//.*?$", Comment.Single),
            (r'"(\\.|[^"\\])*"', String),
            (r"[%][\w.$-]+(#\d+)?", Name.Variable),
            (r"@[\w.$-]+", Name.Function),
            (r"[#!^][\w.$-]+", Name.Decorator),
            (_OPERATION, Keyword),
            (r"\b(index|none|memref|vector|tensor|[su]?i\d+|b?f\d+)\b", Keyword.Type),
            (r"-?\b\d+(\.\d+)?(e[-+]?\d+)?\b", Number),
            (r"\s+", Text),
            (r"\w+", Text),
            (r".", Punctuation),
        ]
    }


_COLOURS: Final = (
    (Comment, "c"),
    (Keyword.Type, "t"),
    (Keyword, "k"),
    (Operator, "k"),
    (Name.Variable, "n"),
    (Name.Function, "n"),
    (Name.Decorator, "n"),
    (Number, "m"),
    (String, "s"),
)
"""The classes of tokens in pages, the first one that fits; all other tokens are plain."""

_CACHED_LINES: Final = 10_000
"""More lines than most pages have."""


def highlighted(text: str, language: str) -> list[str]:
    """The lines of a text (`"c"` or `"mlir"`) as HTML, in which each colour is a class of `i`.

    Whatever the text has is escaped. Long programs have so many tokens that their elements are most
    of a page: plain tokens have none, and neighbours of a colour one for all of them.
    """
    # Pygments, and browsers, would make a line of its own of what follows a carriage return.
    text = text.replace("\r\n", "\n").replace("\r", " ")
    # No token of MLIR's has more than a line, and most lines are also in the text of a step before.
    marked = _c_lines(text) if language == "c" else list(map(_mlir_line, text.split("\n")))
    return marked[:-1] if text.endswith("\n") else marked


@lru_cache(_CACHED_LINES)
def _mlir_line(line: str) -> str:
    return "".join(_elements(_tokens(MlirLexer(), line)))


def _c_lines(text: str) -> list[str]:
    lines: list[list[tuple[str, str]]] = [[]]
    for colour, value in _tokens(CLexer(), text):
        first, *others = value.split("\n")
        lines[-1].append((colour, first))
        lines += ([(colour, other)] for other in others)
    return ["".join(_elements(line)) for line in lines]


def _tokens(lexer: RegexLexer, text: str) -> Iterator[tuple[str, str]]:
    # Neither changes what the text has at its ends.
    lexer.stripnl = lexer.ensurenl = False
    return ((_colour(kind), value) for kind, value in lexer.get_tokens(text))


@cache
def _colour(kind: _TokenType) -> str:
    return next((name for known, name in _COLOURS if kind in known), "")


def _elements(line: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The tokens of a line as HTML; spaces take the colour of what is before them."""
    runs: list[tuple[str, str]] = []
    for colour, value in line:
        if runs and (colour == runs[-1][0] or value.isspace()):
            runs[-1] = runs[-1][0], runs[-1][1] + value
        elif value:
            runs.append((colour, value))
    for colour, value in runs:
        shown = value.rstrip() if colour else value
        inner = escape(shown, quote=False)
        yield f"<i class={colour}>{inner}</i>{value[len(shown) :]}" if colour else inner
