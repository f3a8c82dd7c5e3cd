"""Statement expressions of GNU C that are one value, and those that are more than that."""

from __future__ import annotations

import pytest

from polyir.frontend.c.statement_expressions import without_statement_expressions

SAME = [
    "({ f(x); y; })",
    "({ int v = x++; v; })",
    "({ int v = g(x); v + v; })",
    "({ int v = x; v = 3; v; })",
    "({ __typeof__(x) v = (y); v; })",
    "({ int v = v; v; })",
    "({ for (;;) {} 1; })",
    "({ ; })",
    "({ x })",
    "(int[]){1, 2}",
]


@pytest.mark.parametrize("text", SAME)
def test_others_stay(text: str) -> None:
    assert without_statement_expressions(f"a = {text};\n") == f"a = {text};\n"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("({ __typeof__(n) _x = (n); _x < 3 ? _x : 3; })", "((((n))) < 3 ? (((n))) : 3)"),
        ("({ const float w = 1; w / 2; })", "(((float)(1)) / 2)"),
        ("({ __auto_type v = p->x; v * v; })", "(((p->x)) * ((p->x)))"),
        ("({ int a = 1; ({ int b = 2; a + b; }); })", "((((int)(1)) + ((int)(2))))"),
        ("({ x + 1; })", "(x + 1)"),
    ],
)
def test_values(text: str, value: str) -> None:
    assert without_statement_expressions(f"f({text});") == f"f({value});"
