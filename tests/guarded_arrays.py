"""Arrays that end where memory ends: a read or write behind the last element is a crash.

They begin wherever that is, so nothing can rely on their alignment either.
"""

from __future__ import annotations

import ctypes
import mmap

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]

_LIBRARY = ctypes.CDLL(None, use_errno=True)
_NO_ACCESS = 0


def guarded(array: Array) -> Array:
    """A copy of an array, right before a page that nothing may access."""
    size = -(-max(array.nbytes, 1) // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, size + mmap.PAGESIZE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    behind, length = ctypes.c_void_p(start + size), ctypes.c_size_t(mmap.PAGESIZE)
    if _LIBRARY.mprotect(behind, length, _NO_ACCESS) != 0:
        raise OSError(ctypes.get_errno(), "mprotect")
    flat = np.frombuffer(memory, array.dtype, array.size, size - array.nbytes)
    copy = flat.reshape(array.shape)
    copy[...] = array
    return copy
