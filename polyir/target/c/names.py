"""C names for SSA values and symbols: kept from the source where C allows them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.ir import SSAValue

from polyir.target.c.expressions import Variable
from polyir.target.c.helpers import PREFIX
from polyir.target.c.operations import LIBRARY_FUNCTIONS, MATH_MACROS
from polyir.target.c.types import Scalar

# The words that emitted code gives a meaning to; other names of the C library are only declared
# in files that include them and may be shadowed by a local variable.
_KEYWORDS: Final = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while _Bool _Complex _Imaginary asm typeof"
)
_LIBRARY: Final = (
    "true false malloc free memcpy NULL size_t INT32_MIN INT64_MIN main abort exit abs"
)

RESERVED: Final = (
    *_KEYWORDS.split(),
    *_LIBRARY.split(),
    *MATH_MACROS,
    *(scalar.value for scalar in Scalar),
    *LIBRARY_FUNCTIONS.values(),
    *(f"{name}f" for name in LIBRARY_FUNCTIONS.values()),
)


def identifier(name: str) -> str:
    """`name` with what C does not allow replaced by underscores."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    return text if text and not text[0].isdigit() else f"v{text}"


def symbol_name(name: str) -> str:
    """The C name of a function or global: its own, with an underscore where C has taken that."""
    text = identifier(name)
    return f"{text}_" if text in RESERVED or text.startswith(PREFIX) else text


def symbol_of(reference: SymbolRefAttr) -> str:
    """The symbol that a reference names; nested references are joined by dots."""
    nested = (name.data for name in reference.nested_references.data)
    return ".".join((reference.root_reference.data, *nested))


class NameTable:
    """The names in scope. A name is unique among those of the scopes around it."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._scopes: list[dict[str, None]] = [dict.fromkeys((*RESERVED, *taken))]

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names made inside the `with` block are free again after it."""
        self._scopes.append({})
        try:
            yield
        finally:
            self._scopes.pop()

    def fresh(self, hint: str, suffixes: Sequence[str] = ("",)) -> Variable:
        """A variable named `hint`, or `hint_1` and so on.

        The name with each of `suffixes` is free, and is taken now.
        """
        stem = candidate = identifier(hint)
        count = 0
        while any(self._is_taken(candidate + suffix) for suffix in suffixes):
            count += 1
            candidate = f"{stem}_{count}"
        for suffix in suffixes:
            self._scopes[-1][candidate + suffix] = None
        return Variable(candidate)

    def for_value(self, value: SSAValue, default: str) -> Variable:
        """A variable named as `value` is in the source."""
        return self.fresh(value.name_hint or default)

    def _is_taken(self, name: str) -> bool:
        return name.startswith(PREFIX) or any(name in scope for scope in self._scopes)
