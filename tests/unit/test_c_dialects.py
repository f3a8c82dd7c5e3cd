"""What the languages of the C family write in their own way."""

from __future__ import annotations

import pytest

from polyir.target.abi import Scalar
from polyir.target.c.affine import linear_index
from polyir.target.c.dialect import C99
from polyir.target.c.helpers import HELPERS
from polyir.target.c.printer import Printer
from polyir.target.c.syntax import (
    Address,
    Array,
    Binary,
    Expression,
    IntegerLiteral,
    Name,
    Variable,
    arithmetic,
    literal,
)
from polyir.target.gpu.language import Language

CUDA, OPENCL = Language.CUDA.words.device, Language.OPENCL.words.device


def name(text: str) -> Name:
    return Name(Scalar.INT64, Variable(text))


i, j, k, m, n, p = map(name, "ijkmnp")


@pytest.mark.parametrize(
    ("indices", "extents", "text"),
    [
        ((i,), (n,), "i"),
        ((i, j), (m, n), "i * n + j"),
        ((i, j, k), (m, n, p), "(i * n + j) * p + k"),
        ((arithmetic("+", i, literal(1)), j), (m, n), "(i + 1) * n + j"),
        ((i, arithmetic("-", j, literal(1))), (m, n), "i * n + j - 1"),
        ((i, arithmetic("-", j, k)), (m, n), "i * n + j - k"),
        ((i, arithmetic("-", j, arithmetic("+", k, i))), (m, n), "i * n + j - (k + i)"),
        ((literal(0), j), (m, n), "j"),
        ((i, literal(0)), (m, n), "i * n"),
        ((literal(0), literal(2), k), (m, n, p), "2 * p + k"),
        ((literal(3), literal(2)), (m, literal(10)), "32"),
        ((i, j), (m, literal(1)), "i + j"),
        ((), (), "0"),
    ],
)
def test_one_subscript_for_several(
    indices: tuple[Expression, ...], extents: tuple[Expression, ...], text: str
) -> None:
    assert Printer(()).expression(linear_index(indices, extents)) == text


def test_helpers_in_each_language() -> None:
    text = HELPERS["polyir_mod"].text
    assert C99.helper_text(text) == text
    assert CUDA.helper_text(text).startswith(
        "__host__ __device__ static inline int64_t polyir_mod("
    )
    assert "long polyir_mod(long a, long b)" in OPENCL.helper_text(text)
    assert "const long r" in OPENCL.helper_text(text)
    # The qualifier is in front of the function, not of the comment above it.
    effects = CUDA.helper_text(HELPERS["polyir_has_effects"].text)
    assert effects.startswith("// ")
    assert "\n__host__ __device__ static inline void" in effects


@pytest.mark.parametrize(("value", "name"), [(-(2**31), "INT32_MIN"), (-(2**63), "INT64_MIN")])
def test_the_least_integers(value: int, name: str) -> None:
    number = IntegerLiteral(Scalar.INT64, value)
    assert Printer(()).expression(number) == name
    for dialect in (CUDA, OPENCL):
        text = Printer((), dialect).expression(Binary(Scalar.INT64, "*", i, number))
        assert eval(text.replace("L", ""), {"i": 1}) == value


def test_a_pointer_to_rows() -> None:
    rows = Array(Variable("A"), Scalar.DOUBLE, (literal(4), literal(8)), True)
    assert Printer((), CUDA).argument(Address(Variable("A"), rows=rows)) == "(double (*)[8])A"
