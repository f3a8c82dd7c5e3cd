"""The types of C expressions: scalars, and vectors of them as GCC and Clang have them."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.target.abi import PREFIX, Scalar


@dataclass(frozen=True)
class Vector:
    """A vector of `lanes` elements, a power of two.

    A mask, which is a vector of `i1` in MLIR, is a vector of signed integers in C: -1 where it is
    true and 0 where it is not, as C's comparisons give it.
    """

    element: Scalar
    lanes: int

    @property
    def is_float(self) -> bool:
        return self.element.is_float

    @property
    def width(self) -> int:
        """The number of bits of an element."""
        return self.element.width

    @property
    def bits(self) -> int:
        """The number of bits of all elements."""
        return self.element.width * self.lanes

    @property
    def unsigned(self) -> Vector:
        """The vector of unsigned elements of the same width."""
        return Vector(self.element.unsigned, self.lanes)

    @property
    def suffix(self) -> str:
        """The type in the name of a helper function: `f64x8`."""
        letter = "u" if self.element.value.startswith("u") else self.element.suffix[0]
        return f"{letter}{self.element.width}x{self.lanes}"

    @property
    def name(self) -> str:
        """The name of the type in C."""
        return f"{PREFIX}{self.suffix}"

    @property
    def memory_name(self) -> str:
        """The name of the type of a vector in memory, which is aligned as an element is."""
        return f"{PREFIX}{self.suffix}_in_memory"


CType = Scalar | Vector
