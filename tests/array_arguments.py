"""Arguments of calls: copies of them, and what a call leaves in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import TypeVar

import numpy as np

_Argument = TypeVar("_Argument")


def copied(arguments: Mapping[str, _Argument]) -> dict[str, _Argument]:
    """The same arguments, with arrays in other memory."""
    return {name: copy(value) for name, value in arguments.items()}


def bits(arguments: Iterable[object]) -> list[bytes]:
    """The bytes of all arrays among some arguments."""
    return [value.tobytes() for value in arguments if isinstance(value, np.ndarray)]
