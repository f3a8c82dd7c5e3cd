"""Source text as HTML with colours, by Pygments."""

from __future__ import annotations

from typing import ClassVar, Final

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import RegexLexer
from pygments.lexers.c_cpp import CLexer
from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Text

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


def highlighted(text: str, language: str) -> list[str]:
    """The lines of a text (`"c"` or `"mlir"`) as HTML with the classes of Pygments.

    Whatever the text has is escaped.
    """
    lexer = CLexer() if language == "c" else MlirLexer()
    # Neither changes what the text has at its ends.
    lexer.stripnl = lexer.ensurenl = False
    marked: str = highlight(text, lexer, HtmlFormatter(nowrap=True))
    lines = marked.split("\n")
    return lines[:-1] if text.endswith("\n") else lines
