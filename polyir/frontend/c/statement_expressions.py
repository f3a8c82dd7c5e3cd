"""GNU C's statement expressions in the form of macros that evaluate their arguments once.

    ({ __typeof__(x) _x = (x); __typeof__(y) _y = (y); _x < _y ? _x : _y; })

Where what the variables are set to has no effects, each use of one is as good as its value:

    ((x) < (y) ? (x) : (y))
"""

from __future__ import annotations

import re
from typing import Final

_START: Final = re.compile(r"\(\s*\{")
_END: Final = re.compile(r"\s*\)")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_TYPE_OF: Final = re.compile(r"\s*(?:const\s+)?(?:__typeof__|__typeof|typeof)\s*\(")
_VARIABLE: Final = re.compile(r"\s*(?:const\s+)?([A-Za-z_]\w*)\s*=(?!=)(.*)", re.DOTALL)
_DECLARATION: Final = re.compile(
    r"\s*(?:__auto_type|(?:const\s+)?((?:unsigned\s+|signed\s+)?(?:char|short|int|long|float|double)))"
    r"\b(?=\s+[A-Za-z_]\w*\s*=)"
)
_EFFECT: Final = re.compile(r"\+\+|--|(?<![=<>!])=(?!=)|[A-Za-z_]\w*\s*\(|[{}\"'#\n]")


def without_statement_expressions(text: str) -> str:
    """A preprocessed text with expressions for those of this form; all others stay."""
    # The last one holds no other.
    for start in reversed([match.start() for match in _START.finditer(text)]):
        begin = text.index("{", start) + 1
        end = text.find("}", begin)
        closing = _END.match(text, end + 1) if end >= 0 else None
        if closing is not None:
            value = _value(text[begin:end])
            if value is not None:
                text = f"{text[:start]}({value}){text[closing.end() :]}"
    return text


def _value(body: str) -> str | None:
    """The expression that the statements of a block end with, without the block's variables."""
    *statements, last, rest = ("", *body.split(";"))
    values: dict[str, str] = {}
    for statement in statements[1:]:
        variable = _declared(statement)
        if variable is None:
            return None
        name, value = variable
        if _EFFECT.search(value) or any(each in (*values, name) for each in _NAME.findall(value)):
            return None
        values[name] = value
    if rest.strip() or not last.strip() or _EFFECT.search(last):
        return None
    return _NAME.sub(lambda match: values.get(match[0], match[0]), last).strip()


def _declared(statement: str) -> tuple[str, str] | None:
    """The variable that a statement declares, and its value as an expression in parentheses."""
    type_of = _TYPE_OF.match(statement)
    declaration = _DECLARATION.match(statement)
    cast = ""
    if type_of is not None:
        position = after_parenthesis(statement, type_of.end())
    elif declaration is not None:
        position = declaration.end()
        cast = f"({declaration[1]})" if declaration[1] else ""
    else:
        return None
    variable = _VARIABLE.match(statement, position)
    if variable is None:
        return None
    value = variable[2].strip()
    if type_of is not None and _plain(statement[type_of.end() : position]) != _plain(value):
        # The value may be converted.
        return None
    return variable[1], f"({cast}({value}))"


def _plain(text: str) -> str:
    return re.sub(r"[\s()]", "", text)


def after_parenthesis(text: str, position: int) -> int:
    """The position after the parenthesis that closes the one before `position`."""
    depth = 1
    while depth > 0 and position < len(text):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    return position
