"""Source text as HTML with colours, by Pygments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
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


def highlighted(text: str, language: str) -> list[str]:
    """The lines of a text (`"c"` or `"mlir"`) as HTML, in which each colour is a class of `i`.

    Whatever the text has is escaped. Long programs have so many tokens that their elements are most
    of a page: plain tokens have none, and neighbours of a colour one for all of them.
    """
    lexer = CLexer() if language == "c" else MlirLexer()
    # Neither changes what the text has at its ends.
    lexer.stripnl = lexer.ensurenl = False
    lines: list[list[tuple[str, str]]] = [[]]
    for kind, value in lexer.get_tokens(text):
        first, *others = value.split("\n")
        lines[-1].append((_colour(kind), first))
        lines += ([(_colour(kind), other)] for other in others)
    marked = ["".join(_elements(line)) for line in lines]
    return marked[:-1] if text.endswith("\n") else marked


@cache
def _colour(kind: _TokenType) -> str:
    return next((name for known, name in _COLOURS if kind in known), "")


def _elements(line: Sequence[tuple[str, str]]) -> Iterator[str]:
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
