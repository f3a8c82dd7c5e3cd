"""What the languages of the C family spell in different ways, as tables.

One printer and one translation serve all of them. What a language lacks, or says with another
word, is a field of its `Dialect`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from polyir.target.abi import Scalar
from polyir.target.c.helpers import MESSAGE_STEM

_NO_NAMES: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class Dialect:
    """The words of one language.

    `target` names it in messages. `types` and `memory_types` are the names of types: the latter
    where values are passed or are in memory. `functions` are the names of functions of `math.h`
    and of its macros where they differ.

    With `has_variable_extents`, arrays may have extents that are not constants; without, such an
    array is accessed through a pointer to its elements, with one subscript. With `has_vectors`,
    there are GCC's vector types. With
    `has_array_parameters`, a parameter may be written `A[restrict 8][9]`. With
    `has_limit_macros`, the least integers have names. With `converts_pointers`, a `void *` becomes
    any other pointer by itself.

    `global_space` and `shared_space` come before the element type of memory of the device and of
    arrays of a block of threads. `linkage` comes before a function that others call, `helper`
    before a helper, `static` and `static_array` before what only the file uses. `unroll` is the
    pragma with a factor; a loop has none if it is `None`. No variable is named as one of
    `reserved`. The functions `declared` are in headers.
    """

    target: str
    types: Mapping[Scalar, str]
    memory_types: Mapping[Scalar, str]
    functions: Mapping[str, str] = field(default_factory=lambda: _NO_NAMES)
    restrict: str = "restrict"
    has_variable_extents: bool = True
    has_array_parameters: bool = True
    has_limit_macros: bool = True
    has_vectors: bool = False
    converts_pointers: bool = True
    global_space: str = ""
    shared_space: str = ""
    linkage: str = ""
    helper: str = ""
    static: str = "static "
    static_array: str = "static "
    unroll: str | None = "GCC unroll {}"
    reserved: Sequence[str] = ()
    declared: Sequence[str] = ()

    def helper_text(self, text: str) -> str:
        """The definition of a helper, which is written in C99, in this language."""
        types = {type.value: name for type, name in self.types.items()}
        marked = text.replace("static inline", f"{self.helper}static inline", 1)
        return _TYPE_PATTERN.sub(lambda match: types[match[0]], marked)


_TYPE_PATTERN: Final = re.compile(r"\b(?:u?int\d+_t|bool)\b")


STANDARD_TYPES: Final = MappingProxyType({scalar: scalar.value for scalar in Scalar})

C99: Final = Dialect("the C target", STANDARD_TYPES, STANDARD_TYPES, has_vectors=True)
"""C99 with the extensions of GCC and Clang."""

C99_OF_RANKS: Final = replace(C99, functions=MappingProxyType({"malloc": f"{MESSAGE_STEM}malloc"}))
"""C99 in a program of MPI: where there is no memory on one rank, the run ends on all."""
