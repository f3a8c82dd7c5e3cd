"""What to write instead of C that is refused, where something is known that is accepted."""

from __future__ import annotations

import re
from typing import Final

RESTRICT: Final = "declare pointers as restrict, or give --assume-no-alias"

_ADVICE: Final = (
    (r"'(\+\+|--)' inside an expression", "make it a statement of its own"),
    (r"an assignment inside an expression|the comma operator", "make it a statement of its own"),
    (r"a (do-)?while loop$", "if it counts, write a for loop"),
    (r"a loop that does not set its counter first", "set it in the header of the loop"),
    (r"a step that is not a nonzero constant", "it can be a number, or a const integer"),
    (r"'!=' in a loop", "use '<' or '>'"),
    (r"the counter '.*', which may wrap around", "declare it as a signed integer"),
    (r"the pointer '.*', which the region changes", "use subscripts instead"),
    (r"the pointer '.*' is changed", "use subscripts instead"),
    (r"'.*', an array of pointers, which may overlap", "pass one array, as 'double (*a)[n]'"),
    (r"a cast of a pointer", "assign it to a pointer before the region"),
    (r"a call through a pointer", "call a function of this file by its name"),
    (r"a call of '.*', which is declared without a prototype", "declare its parameters"),
    (
        r"a call of '.*', which may have side effects$",
        "if it has none, define it in this file as static inline, or declare it as "
        "__attribute__((const)) or pure",
    ),
    (
        r"a call of '.*', which cannot be inlined: its definition is not known",
        "define it in this file as static inline",
    ),
    (r"'.*' is declared in the region and used after it", "declare it before the region"),
    (r"the static variable '.*' in the region", "declare it before the region"),
    (r"the size of the array '.*' is not constant", "declare it before the region"),
    (r"the array '.*' has an initialiser", "assign to its elements instead"),
    (r"'.*' points to .*, and the region accesses both", "use one of the names in the region"),
    (r"'.*' points to the same memory as '.*'", "use one of the names in the region"),
)


def advised(message: str) -> str:
    """The message that refuses something, with what would be accepted, if that is known."""
    for pattern, advice in _ADVICE:
        if re.match(pattern, message):
            return f"{message} ({advice})"
    return message
