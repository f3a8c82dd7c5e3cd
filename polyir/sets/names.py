"""Names that isl's notation reads as names."""

from __future__ import annotations

_KEYWORDS = frozenset(
    {"and", "or", "not", "implies", "exists", "true", "false", "mod", "floor", "ceil"}
    | {"floord", "ceild", "min", "max", "rat", "nan", "infty", "infinity"}
)


def is_keyword(name: str) -> bool:
    """Whether isl's notation reads a word as something else than a name, in any case of letters."""
    return name.lower() in _KEYWORDS


def unique_name(wanted: str, taken: set[str]) -> str:
    """`wanted` as an isl identifier, followed by a number if it is taken."""
    cleaned = "".join(c if c.isalnum() and c.isascii() else "_" for c in wanted)
    base = f"_{cleaned}" if cleaned[0].isdigit() or is_keyword(cleaned) else cleaned
    name, number = base, 0
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    return name
