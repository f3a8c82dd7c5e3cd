"""Arrays between poisoned guard zones, so that a write beside an array is seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
Argument = int | float | Array

PAGE = 4096
"""Alignment of an array, as in PolyBench, and the size of each guard zone, in bytes."""

_POISON = 0xFB
"""As doubles and floats huge negative numbers: a result made from them is wrong."""


class GuardedArray:
    """A writable array of a shape and element type, with guard zones before and after it."""

    def __init__(self, original: Array) -> None:
        size = original.nbytes
        self._memory = np.full(size + 3 * PAGE, _POISON, dtype=np.uint8)
        start = PAGE + -(self._memory.ctypes.data + PAGE) % PAGE
        self._before = self._memory[start - PAGE : start]
        self._after = self._memory[start + size : start + size + PAGE]
        inside = self._memory[start : start + size]
        self.array: Array = inside.view(original.dtype).reshape(original.shape)

    def is_intact(self) -> bool:
        """Whether both guard zones still hold the poison."""
        return bool(np.all(self._before == _POISON) and np.all(self._after == _POISON))


class GuardedArguments:
    """A kernel's arguments, its arrays guarded; `restore` gives them their first values."""

    def __init__(self, initial: Sequence[Argument]) -> None:
        self._initial = tuple(initial)
        self._guarded = {
            position: GuardedArray(value)
            for position, value in enumerate(initial)
            if isinstance(value, np.ndarray)
        }
        self.values: tuple[Argument, ...] = tuple(
            self._guarded[position].array if position in self._guarded else value
            for position, value in enumerate(initial)
        )

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The working arrays in the order of the parameters."""
        return tuple(guarded.array for guarded in self._guarded.values())

    def restore(self) -> None:
        """Copy the first values into the working arrays."""
        for position, guarded in self._guarded.items():
            guarded.array[...] = self._initial[position]

    def overrun(self) -> int | None:
        """The position of an argument beside which something was written."""
        for position, guarded in self._guarded.items():
            if not guarded.is_intact():
                return position
        return None
