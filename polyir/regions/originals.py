"""The original statements of a region as a function of their own, beside the one that they are in.

    static __attribute__((__noinline__, __aligned__(64))) void f_original(int n, double *a) {
      ...
    }

    void f(int n, double *a) {
      if (n >= 1000) {
        ... the new statements
      } else {
        f_original(n, a);
      }
    }

C compilers then make of them what they did before: after a test, gcc 12 interchanges no loops, and
a function of many statements has worse registers for each. It begins at a cache line: where short
loops cross one, they may take twice as long.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from polyir.frontend.c.source import SourceRegion

_SIGNATURE: Final = re.compile(
    r"(?:(?:static|inline|extern)\s+)*(void\s+(\w+)\s*\(((?:[^()]|\(\s*\*[^()]*\))*)\)\s*)"
)
_PARAMETER: Final = re.compile(r".*\W(\w+)\s*\)?\s*(?:\[[^\]]*\]\s*)*", re.DOTALL)
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_NO_CODE: Final = re.compile(rf"{_COMMENT.pattern}|^\s*#[^\n]*", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class OriginalFunction:
    """The lines of the function, and a call of it."""

    lines: tuple[str, ...]
    call: str


def original_function(
    region: SourceRegion, source: Sequence[str], head: int, words: Collection[str]
) -> OriginalFunction | None:
    """The function for a region that is all of one without a result; `None` for other regions.

    `source` are the lines of the file, and `words` the names that are taken. The first line of the
    function, or of a comment above it, has the number `head`.
    """
    before = "".join(source[head - 1 : region.first_line - 1])
    after = _NO_CODE.sub("", "".join(source[region.last_line :])).lstrip()
    signature, _, declarations = _COMMENT.sub(" ", before).partition("{")
    is_all = not _NO_CODE.sub("", declarations).strip() and after.startswith("}")
    found = _SIGNATURE.fullmatch(signature.strip())
    if not region.is_body or found is None or not is_all:
        return None
    name = f"{found[2]}_original"
    parameters = [] if found[3].strip() in ("", "void") else _split(found[3])
    names = [_PARAMETER.fullmatch(f" {each}") for each in parameters]
    if name in words or None in names:
        return None
    given = ", ".join(each[1] for each in names if each is not None)
    declared = re.sub(rf"\b{found[2]}\b", name, found[1].strip(), count=1)
    lines = source[region.statement_lines]
    ending = "\r\n" if lines[0].endswith("\r\n") else "\n"
    head_line = f"static __attribute__((__noinline__, __aligned__(64))) {declared} {{{ending}"
    return OriginalFunction((head_line, *lines, f"}}{ending}", ending), f"{name}({given});")


def _split(parameters: str) -> list[str]:
    """Parameters, between commas that are in no brackets."""
    parts, depth = [""], 0
    for character in parameters:
        depth += (character in "[(") - (character in "])")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts
