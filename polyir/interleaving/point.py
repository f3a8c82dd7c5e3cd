"""One interleaving of statements, and how it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyir.base.diagnostics import OptionError

Block = tuple[int, ...]
"""Statements that share a loop, by their positions in the program, in ascending order."""

Level = tuple[Block, ...]
"""A total preorder of statements: blocks that run one after the other."""


@dataclass(frozen=True)
class Interleaving:
    """Which statements share the loop of each level, from the outermost one, and in what order.

    Every level refines the one above it: a block is divided into blocks that follow one another.
    """

    levels: tuple[Level, ...]

    def __post_init__(self) -> None:
        for upper, lower in zip(self.levels, self.levels[1:], strict=False):
            inner = iter(lower)
            for block in upper:
                # What is apart stays apart, in the same order.
                left = set(block)
                while left:
                    part = next(inner, ())
                    if not part or not left.issuperset(part):
                        raise ValueError("a level divides blocks of the level above it")
                    left.difference_update(part)

    def place(self, level: int) -> dict[int, int]:
        """The number of the block of each statement at a level, which counts from 1."""
        blocks = enumerate(self.levels[level - 1])
        return {each: number for number, block in blocks for each in block}

    def text(self, names: Sequence[str]) -> str:
        """It with the names of the statements: `S0,S1|S2` for a level, `/` between levels."""
        return " / ".join(
            "|".join(",".join(names[each] for each in block) for block in level)
            for level in self.levels
        )


def interleaving_of_text(text: str, names: Sequence[str]) -> Interleaving:
    """The interleaving that is written as `Interleaving.text` writes it.

    Raises `OptionError` unless each level has each statement once and divides the one above it.
    """
    number = {name: position for position, name in enumerate(names)}
    levels: list[Level] = []
    for part in text.split("/"):
        blocks = [[name.strip() for name in block.split(",")] for block in part.split("|")]
        written = [name for block in blocks for name in block]
        for name in written:
            if name not in number:
                known = ", ".join(names)
                raise OptionError(f"pattern={text}: there is no statement '{name}' in {known}")
            if written.count(name) > 1:
                raise OptionError(f"pattern={text}: a level has {name} more than once")
        missing = [name for name in names if name not in written]
        if missing:
            raise OptionError(f"pattern={text}: a level lacks {', '.join(missing)}")
        levels.append(tuple(tuple(sorted(number[name] for name in block)) for block in blocks))
    try:
        return Interleaving(tuple(levels))
    except ValueError as error:
        raise OptionError(f"pattern={text}: {error}") from error
