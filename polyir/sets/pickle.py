"""isl objects in pickles, as isl's text."""

from __future__ import annotations

import io
import pickle
from typing import IO, Any

import islpy as isl

_MODULE = isl.Set.__module__


def reduce_isl_object(item: object) -> Any:
    """How to pickle an isl object, for `reducer_override`; `NotImplemented` for all else."""
    if type(item).__module__ == _MODULE and hasattr(type(item), "read_from_str"):
        return _read, (type(item), str(item))
    return NotImplemented


class IslPickler(pickle.Pickler):
    """Writes isl objects as text. What it writes is read as any pickle."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)

    def reducer_override(self, item: object) -> Any:
        return reduce_isl_object(item)


def pickled(item: object) -> bytes:
    """`item`, which may have isl objects in it, for `pickle.loads`."""
    file = io.BytesIO()
    IslPickler(file).dump(item)
    return file.getvalue()


def _read(kind: Any, text: str) -> object:
    return kind.read_from_str(isl.DEFAULT_CONTEXT, text)
