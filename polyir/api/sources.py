"""What a program is given as: a text or a file, in MLIR's syntax, in C, or as equations."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final


class Language(Enum):
    """What a program is written in."""

    MLIR = "MLIR"
    C = "C"
    EQUATIONS = "equations"


@dataclass(frozen=True)
class Source:
    """A text, the name of its file for diagnostics, and its language."""

    text: str
    filename: str
    language: Language
    path: Path | None = None
    """The file that it was read from."""


def read_source(source: str | os.PathLike[str], filename: str = "<string>") -> Source:
    """A text, or what is in the file that `source` names; `filename` is the name of a text.

    A `str` is the name of a file if there is one of this name, or if no program looks like it.
    Raises `OSError` for a file that cannot be read.
    """
    if isinstance(source, str) and not _names_file(source):
        return Source(source, filename, _language(source, filename))
    path = Path(source)
    is_c = path.suffix in _C_SUFFIXES
    # As polyir-cc does: C files may be in any encoding, and have any line endings.
    with path.open(
        encoding="utf-8",
        errors="surrogateescape" if is_c else "strict",
        newline="" if is_c else None,
    ) as stream:
        text = stream.read()
    return Source(text, os.fspath(source), _language(text, path.name), path)


def _names_file(text: str) -> bool:
    if "\n" in text or not text:
        return False
    return _ONE_WORD.fullmatch(text) is not None or Path(text).is_file()


_C_SUFFIXES: Final = (".c", ".h")
_ONE_WORD: Final = re.compile(r"""[^\s"'(){}]*[/\\.][^\s"'(){}]*""")
"""One word with a dot or a slash. A program has braces, parentheses or quotes."""


def _language(text: str, filename: str) -> Language:
    suffix = Path(filename).suffix
    if suffix == ".alpha":
        return Language.EQUATIONS
    if suffix in _C_SUFFIXES:
        return Language.C
    if suffix == ".mlir":
        return Language.MLIR
    if _SYSTEM.search(text):
        return Language.EQUATIONS
    return Language.C if _C_START.match(_COMMENTS.sub(" ", text)) else Language.MLIR


_SYSTEM: Final = re.compile(r"^\s*affine\s+[^\s=.]+\s*(\[|\{)", re.MULTILINE)
"""How a system of equations begins; in MLIR's syntax, a dot follows `affine`."""

_COMMENTS: Final = re.compile(r"\A(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)

_C_START: Final = re.compile(
    r"""\s*(?:
        \#[ \t]*(?:include|define|undef|if|ifdef|ifndef|pragma|error|line)\b(?!\s*=)
      | (?!(?:module|func)\b)[A-Za-z_]\w*\s*(?:\*\s*)*(?:[\s*][A-Za-z_]\w*|\()
      | (?:struct|union|enum)\s*\{
    )""",
    re.VERBOSE,
)
"""How a C file begins: with a directive, or with a declaration, which is two words or more, while
operations of MLIR have one. The exceptions are `module attributes` and `func private`."""
