"""Affine maps and sets as text: short, and read back as they are."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.dialects.func import FuncOp

from polyir.frontend.parse import parse_module
from polyir.target.affine_text import map_text, set_text


def read(text: str) -> AffineMapAttr | AffineSetAttr:
    (op,) = parse_module(f"func.func private @f() attributes {{a = {text}}}").ops
    assert isinstance(op, FuncOp)
    attribute = op.attributes["a"]
    assert isinstance(attribute, AffineMapAttr | AffineSetAttr)
    return attribute


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("s0 - d0 - 1 >= 0", "s0 - d0 >= 1"),
        ("-s0 >= 0", "s0 <= 0"),
        ("s0 - 1 >= 0", "s0 >= 1"),
        ("d0 - 3 == 0", "d0 == 3"),
        ("d0 - d1 - 32 >= 0", "d0 - d1 >= 32"),
        ("d0 - d1 >= 0", "d0 >= d1"),
        ("d0 - d1 == 0", "d0 == d1"),
        ("-d0 + s0 >= 0", "s0 >= d0"),
        ("-d0 - d1 + 5 >= 0", "d0 + d1 <= 5"),
        ("-d0 + d1 >= 0", "-d0 + d1 >= 0"),
        ("d0 mod 2 == 0", "d0 mod 2 == 0"),
        ("d0 * 2 - s0 * 3 + 7 >= 0", "d0 * 2 - s0 * 3 >= -7"),
        ("-d0 + 7 == 0", "-d0 == -7"),
        ("0 >= 0", "0 >= 0"),
    ],
)
def test_constraints(given: str, written: str) -> None:
    attribute = read(f"affine_set<(d0, d1)[s0] : ({given})>")
    assert isinstance(attribute, AffineSetAttr)
    text = set_text(attribute.data)
    assert text == f"(d0, d1)[s0] : ({written})"
    assert read(f"affine_set<{text}>") == attribute


@pytest.mark.parametrize(
    "written",
    ["-d0", "-d0 + s0", "s0 - d0 * 2", "-(d0 mod 3)", "-d0 floordiv 2", "d0 - (-d1) mod 2"],
)
def test_results(written: str) -> None:
    attribute = read(f"affine_map<(d0, d1)[s0] -> ({written})>")
    assert isinstance(attribute, AffineMapAttr)
    assert read(f"affine_map<{map_text(attribute.data)}>") == attribute
