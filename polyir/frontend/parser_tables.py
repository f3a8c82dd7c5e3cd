"""LALR parsers, and the cache of their tables.

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
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import lark
from lark import Lark, Token
from lark.grammar import Rule
from lark.lexer import TerminalDef

Callbacks: TypeAlias = Mapping[str, Callable[[Token], Token]]

_NO_CALLBACKS: Callbacks = MappingProxyType({})


def parser_with_tables(
    package: str, file: str, options: Mapping[str, Any], callbacks: Callbacks = _NO_CALLBACKS
) -> Lark:
    """The parser for the grammar in a file of a package, with cached tables if possible.

    `options` are lark's, and `callbacks` those of its lexer. Optional parts that are not there are
    `None` in the tree.
    """
    grammar = importlib.resources.files(package).joinpath(file).read_text()
    path = _cache_file(Path(file).stem, grammar, options)
    if path is not None and (parser := _read_tables(path, callbacks)) is not None:
        return parser
    parser = Lark(
        grammar,
        parser="lalr",
        maybe_placeholders=True,
        lexer_callbacks=dict(callbacks),
        **options,
    )
    if path is not None:
        _write_tables(parser, path)
    return parser


def _cache_file(name: str, grammar: str, options: Mapping[str, Any]) -> Path | None:
    """Where the tables of `grammar` are kept; `None` for a user without a home."""
    folder = os.environ.get("XDG_CACHE_HOME")
    try:
        base = Path(folder) if folder else Path.home() / ".cache"
    except RuntimeError:
        return None
    key = "\0".join((grammar, repr(sorted(options.items())), lark.__version__, sys.version))
    return base / "polyir" / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _read_tables(path: Path, callbacks: Callbacks) -> Lark | None:
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
            content["data"], memo, lexer_callbacks=dict(callbacks)
        )
        return parser if isinstance(parser, Lark) else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _with_integer_keys(table: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in table.items()}


def _write_tables(parser: Lark, path: Path) -> None:
    """Write the tables of `parser` atomically."""
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    # Callbacks are given again when the tables are read.
    data["options"]["lexer_callbacks"] = {}
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
            json.dump({"data": data, "memo": memo}, file, separators=(",", ":"))
        Path(file.name).replace(path)
