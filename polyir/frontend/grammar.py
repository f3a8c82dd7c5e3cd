"""The LALR parser of the affine text, and the cache of its tables.

Computing the LALR tables takes a third of a second, reading them a fiftieth. They are kept in the
user's cache folder as JSON, which cannot run code when it is read (lark's own cache is a pickle in
a shared temporary folder). The file name is a digest of everything that the tables depend on. A
cache that cannot be read or written costs time, but does not change results.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.resources
import json
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import lark
from lark import Lark, TextSlice, Token, Tree, UnexpectedCharacters, UnexpectedToken
from lark.grammar import Rule
from lark.lexer import TerminalDef

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
    grammar = importlib.resources.files("polyir.frontend").joinpath("affine.lark").read_text()
    path = _cache_file(grammar)
    if path is not None and (parser := _read_tables(path)) is not None:
        return parser
    parser = Lark(
        grammar,
        start=list(START_SYMBOLS),
        parser="lalr",
        lexer="basic",
        maybe_placeholders=True,
        lexer_callbacks={"IDENTIFIER": classify_word},
    )
    if path is not None:
        _write_tables(parser, path)
    return parser


def _cache_file(grammar: str) -> Path | None:
    """Where the tables of `grammar` are kept; `None` for a user without a home."""
    folder = os.environ.get("XDG_CACHE_HOME")
    try:
        base = Path(folder) if folder else Path.home() / ".cache"
    except RuntimeError:
        return None
    key = "\0".join((grammar, *START_SYMBOLS, lark.__version__, sys.version))
    return base / "polyir" / f"affine-{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _read_tables(path: Path) -> Lark | None:
    """The parser whose tables `_write_tables` wrote; `None` if they are missing or damaged."""
    try:
        content = json.loads(path.read_bytes())
        tables = content["data"]["parser"]["parser"]
        # JSON has no integer keys.
        tables["tokens"] = _with_integer_keys(tables["tokens"])
        tables["states"] = {
            state: _with_integer_keys(actions)
            for state, actions in _with_integer_keys(tables["states"]).items()
        }
        memo = _with_integer_keys(content["memo"])
        parser = Lark._load_from_dict(  # type: ignore[no-untyped-call]
            content["data"], memo, lexer_callbacks={"IDENTIFIER": classify_word}
        )
        return parser if isinstance(parser, Lark) else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _with_integer_keys(table: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in table.items()}


def _write_tables(parser: Lark, path: Path) -> None:
    """Write the tables of `parser` atomically."""
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    # The callback is given again when the tables are read.
    data["options"]["lexer_callbacks"] = {}
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
            json.dump({"data": data, "memo": memo}, file, separators=(",", ":"))
        Path(file.name).replace(path)
