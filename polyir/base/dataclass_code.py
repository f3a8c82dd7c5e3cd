"""The code of dataclasses, kept from one run of a command to the next.

For each dataclass, Python writes up to six functions as text and compiles them. polyir and xDSL
have some hundred dataclasses, so that this takes a quarter of a short run. What Python compiles of
modules it keeps in `__pycache__`; here, it is in polyir's cache.
"""

from __future__ import annotations

import atexit
import dataclasses
import marshal
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

from polyir.base.cache import cache_folder, is_cache_on, read_entry, write_entry


def keep_code_of_dataclasses() -> None:
    """Let dataclasses of this process have the functions that earlier processes compiled.

    Others are compiled, and kept when the process ends. A cache that cannot be used is not.
    """
    if not is_cache_on():
        return
    with suppress(Exception):
        path = cache_folder() / f"{sys.implementation.cache_tag}-{sys.hexversion:x}.dataclasses"
        kept = read_entry(path)
        codes: dict[str, CodeType] = {} if kept is None else marshal.loads(kept)
        _use(path, codes)


def _use(path: Path, codes: dict[str, CodeType]) -> None:
    known = len(codes)

    def execute(text: str, names: dict[str, Any], found: Mapping[str, object]) -> None:
        code = codes.get(text)
        if code is None:
            code = codes[text] = compile(text, "<string>", "exec")
        exec(code, names, found)

    def keep() -> None:
        if len(codes) > known:
            with suppress(Exception):
                write_entry(path, marshal.dumps(codes))

    # The module calls `exec` by this name, which is otherwise that of the built-in function.
    vars(dataclasses)["exec"] = execute
    atexit.register(keep)
