"""Texts with dropped, doubled and swapped tokens: a diagnostic or a valid module, nothing else."""

from __future__ import annotations

import io
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import InputSyntaxError
from polyir.frontend.parse import parse_module
from polyir.target.mlir import print_module

ROOT = Path(__file__).parent.parent.parent
INPUTS = (
    *sorted((ROOT / "tests" / "frontend_inputs").glob("*.mlir")),
    *sorted((ROOT / "benchmarks" / "polybench").glob("*.mlir")),
)
TOKEN = re.compile(r"\s+|[\w.$]+|[%@#!^][\w.$-]+|->|.")


@st.composite
def mutated_texts(draw: st.DrawFn) -> str:
    """One of the inputs with one to three of its tokens dropped, doubled or swapped."""
    tokens = TOKEN.findall(draw(st.sampled_from(INPUTS)).read_text())
    for _ in range(draw(st.integers(1, 3))):
        words = [position for position, token in enumerate(tokens) if token.strip()]
        first = draw(st.sampled_from(words))
        match draw(st.sampled_from(("drop", "double", "swap"))):
            case "drop":
                del tokens[first]
            case "double":
                tokens.insert(first, tokens[first])
            case _:
                second = draw(st.sampled_from(words))
                tokens[first], tokens[second] = tokens[second], tokens[first]
    return "".join(tokens)


def module_or_error(text: str) -> ModuleOp | InputSyntaxError:
    try:
        return parse_module(text, "mutated.mlir")
    except InputSyntaxError as error:
        return error


@settings(max_examples=200, deadline=30000)
@given(mutated_texts())
def test_mutated_text_gives_a_diagnostic_or_a_module(text: str) -> None:
    result = module_or_error(text)
    if isinstance(result, ModuleOp):
        result.verify()
        print_module(result, io.StringIO())
        return
    assert result.location is not None
    first, _, caret = result.render().split("\n")
    assert first.startswith(f"mutated.mlir:{result.location.line}:{result.location.column}: ")
    assert caret.strip() == "^"
