"""LALR parsers, and the cache of their tables.

Computing the LALR tables takes a third of a second, reading them a fiftieth. They are kept in
polyir's cache. The file name is a digest of everything that the tables depend on. A cache that
cannot be read or written costs time, but does not change results.
"""

from __future__ import annotations

import importlib.resources
import marshal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import lark
from lark import Lark, Token
from lark.grammar import Rule
from lark.lexer import TerminalDef

from polyir.base.cache import cache_at, cache_folder, digest, is_cache_on, read_entry, write_entry
from polyir.base.diagnostics import CacheError

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
        data, memo = parser.memo_serialize([TerminalDef, Rule])
        # Callbacks are given again when the tables are read.
        data["options"]["lexer_callbacks"] = {}
        with suppress(CacheError):
            write_entry(path, marshal.dumps((data, memo)))
    return parser


def _cache_file(name: str, grammar: str, options: Mapping[str, Any]) -> Path | None:
    """Where the tables of `grammar` are kept; `None` without a cache."""
    key = grammar, repr(sorted(options.items())), lark.__version__, sys.version
    # They are not part of what is compiled, whose cache may be another. A user may have no home.
    with cache_at(True), suppress(CacheError, RuntimeError):
        if is_cache_on():
            return cache_folder() / f"{name}-{digest(key)}.tables"
    return None


def _read_tables(path: Path, callbacks: Callbacks) -> Lark | None:
    """The parser whose tables are in a file; `None` if it is missing or damaged."""
    kept = read_entry(path)
    if kept is None:
        return None
    data, memo = marshal.loads(kept)
    parser = Lark._load_from_dict(  # type: ignore[no-untyped-call]
        data, memo, lexer_callbacks=dict(callbacks)
    )
    assert isinstance(parser, Lark)
    return parser
