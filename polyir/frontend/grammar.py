"""The LALR parser of the affine text."""

from __future__ import annotations

from functools import cache

from lark import Lark, TextSlice, Token, Tree, UnexpectedCharacters, UnexpectedToken

from polyir.frontend.parser_tables import parser_with_tables
from polyir.frontend.vocabulary import classify_word

START_SYMBOLS = (
    "start",
    "operation",
    "parallel_bounds",
    "location",
    "attribute_alias",
    "map",
    "set",
    "plain_type",
)


def parse_tree(text: str) -> Tree[Token]:
    """The syntax tree of `text`.

    Raises lark's `UnexpectedToken` or `UnexpectedCharacters` if the text is not in the grammar.
    """
    parsed = _parser().parse(text, start="start")
    assert isinstance(parsed, Tree)
    return parsed


def parse_prefix(text: str, position: int, start: str) -> tuple[Tree[Token], int]:
    """The tree of the part of `text` that begins at `position` and is a `start`, and its end.

    `start` is one of `START_SYMBOLS`. Raises the same as `parse_tree` if no such part begins there.
    """
    interactive = _parser().parse_interactive(TextSlice(text, position, len(text)), start=start)
    state = interactive.parser_state
    end = position
    try:
        for token in interactive.lexer_thread.lex(state):  # type: ignore[no-untyped-call]
            interactive.feed_token(token)
            end = token.end_pos or end
    except (UnexpectedToken, UnexpectedCharacters):
        # The token after the part may have completed it before it was refused.
        if (
            state.position != state.parse_conf.end_state
            and "$END" not in state.parse_conf.states[state.position]
        ):
            raise
    if state.position != state.parse_conf.end_state:
        interactive.feed_eof()  # type: ignore[no-untyped-call]
    parsed = state.value_stack[-1]
    assert isinstance(parsed, Tree)
    return parsed, end


@cache
def _parser() -> Lark:
    return parser_with_tables(
        "polyir.frontend",
        "affine.lark",
        {"start": list(START_SYMBOLS), "lexer": "basic"},
        {"IDENTIFIER": classify_word},
    )
