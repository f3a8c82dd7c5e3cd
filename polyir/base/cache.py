"""What was compiled before: files in a directory that only the user can read and write.

The directory is `$POLYIR_CACHE`, or `polyir` in the platform's cache directory; `POLYIR_CACHE=off`
turns the cache off, as does `cache_at(False)` inside a `with` block. The name of an entry is a
digest of all that it depends on. An entry is written under another name first and then renamed, so
that concurrent processes never see a part of it, and ends with a digest of what is in it: one that
was damaged counts as missing.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from polyir.base.diagnostics import CacheError

VARIABLE: Final = "POLYIR_CACHE"
OFF: Final = "off"

Place = bool | str | os.PathLike[str] | None
"""Where entries are: in a folder, where the environment says (`None`, `True`), nowhere."""

_place: ContextVar[Place] = ContextVar("polyir_cache", default=None)
_MARK: Final = b"polyir\0"


@contextmanager
def cache_at(place: Place) -> Iterator[None]:
    """Inside the `with` block, entries are at `place`; `None` leaves it as it is."""
    token = _place.set(_place.get() if place is None else place)
    try:
        yield
    finally:
        _place.reset(token)


def is_cache_on() -> bool:
    """Whether what is compiled is kept for later."""
    place = _place.get()
    if place in (None, True):
        return os.environ.get(VARIABLE, "").lower() != OFF
    return place is not False


def cache_folder() -> Path:
    """The directory of the cache; created, for this user only, if it is missing.

    Without a cache, it is one of this process, which is removed at its end. Raises `CacheError` if
    it cannot be created, belongs to another user, or others can read or write it.
    """
    place = _place.get()
    if not is_cache_on():
        own = Path(_own_folder(os.getpid()).name)
        own.mkdir(mode=0o700, exist_ok=True)
        return own
    if place in (None, True):
        place = os.environ.get(VARIABLE) or _platform_cache() / "polyir"
    assert not isinstance(place, bool | None)
    folder = Path(place)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = folder.stat()
    except OSError as error:
        raise _error(
            f"cannot create the cache directory {folder}: {error.strerror} ({_OTHER_PLACE})"
        ) from None
    # Others could replace the code that runs here, or see what it is.
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            raise _error(f"the cache directory {folder} belongs to another user ({_OTHER_PLACE})")
        if stat.S_IMODE(status.st_mode) & 0o077:
            raise _error(
                f"the cache directory {folder} is open to other users: 'chmod 700 {folder}' "
                f"closes it ({_OTHER_PLACE})"
            )
    return folder


_OTHER_PLACE: Final = f"{VARIABLE} names another one, or is '{OFF}'"


def _error(message: str) -> CacheError:
    # Commands read the cache before they import xDSL, which this does.
    from polyir.base.diagnostics import CacheError

    return CacheError(message)


@cache
def _own_folder(process: int) -> tempfile.TemporaryDirectory[str]:
    """A directory of the process with this number: a fork must not remove that of its parent."""
    return tempfile.TemporaryDirectory(prefix="polyir-")


def _platform_cache() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def digest(parts: Iterable[str]) -> str:
    """The name for an entry that depends on `parts`."""
    content = hashlib.sha256()
    for part in parts:
        encoded = part.encode(errors="surrogateescape")
        content.update(b"%d:" % len(encoded))
        content.update(encoded)
    return content.hexdigest()[:32]


def read_entry(path: Path) -> bytes | None:
    """What `write_entry` wrote; `None` if it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    payload, end = content[: -len(_MARK) - 32], content[-len(_MARK) - 32 :]
    return payload if end == _MARK + hashlib.sha256(payload).digest() else None


def write_entry(path: Path, payload: bytes) -> None:
    """Write a file at once. Raises `CacheError` if that is not possible."""
    name = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            name = file.name
            file.write(payload + _MARK + hashlib.sha256(payload).digest())
        Path(name).replace(path)
    except OSError as error:
        if name is not None:
            with suppress(OSError):
                Path(name).unlink()
        raise _error(
            f"cannot write to the cache directory {path.parent}: {error.strerror}"
        ) from None


def kept_file(path: Path, make: Callable[[], bytes]) -> Path:
    """The file `path` of the cache, with what `make` gives unless it is there and whole.

    It has further bytes at its end, which loaders of libraries do not look at.
    """
    if read_entry(path) is None:
        write_entry(path, make())
    return path
