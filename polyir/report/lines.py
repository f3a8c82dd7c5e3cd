"""Schedule trees as lines, and which lines of two trees differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from polyir.report.trees import LoopView, NodeView


@dataclass(frozen=True)
class Line:
    """A line of a tree: a node, or a loop of a band.

    `depth` is how far it is indented; `badges` are words about it (`permutable`, `parallel`).
    """

    depth: int
    title: str
    text: str
    badges: tuple[str, ...]
    statements: tuple[str, ...]
    loop: LoopView | None = None
    is_new: bool = False
    """Whether the other tree has no such line."""


def lines_of(tree: NodeView, depth: int = 0) -> tuple[Line, ...]:
    """The lines of a tree, from the root down; a leaf is a line with its statements."""
    return tuple(_lines(tree, depth))


def _lines(node: NodeView, depth: int) -> Iterator[Line]:
    inner = depth + 1
    if node.kind == "leaf":
        yield Line(depth, "", ", ".join(node.statements), (), node.statements)
    elif node.kind == "band":
        title = f"band of {len(node.loops)}"
        badges = ("permutable",) if node.is_permutable and len(node.loops) > 1 else ()
        yield Line(depth, title, "", badges, node.statements)
        for loop in node.loops:
            text = "; ".join(f"{name}{value}" for name, value in loop.values)
            yield Line(inner, loop_name(loop), text, _badges(loop), node.statements, loop)
        inner += 1
    elif node.kind == "filter":
        inner = depth
    else:
        yield Line(depth, node.kind, node.text, (), node.statements)
    for child in node.children:
        yield from _lines(child, inner)


def loop_name(loop: LoopView) -> str:
    """The addresses of a loop: `S0.1 S1.1`."""
    return " ".join(loop.addresses)


def _badges(loop: LoopView) -> tuple[str, ...]:
    parallel = "" if loop.is_parallel is None else "parallel" if loop.is_parallel else "sequential"
    tiles = f"tiles of {loop.stride}" if loop.stride > 1 else ""
    return tuple(filter(None, (parallel, tiles, loop.kind, *loop.attributes)))


def compared(
    before: Sequence[Line], after: Sequence[Line]
) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The same lines, with those marked that the other tree does not have in the same order."""
    mine, theirs = (
        [(each.title, each.text, each.badges) for each in lines] for lines in (before, after)
    )
    one, other = [True] * len(before), [True] * len(after)
    for block in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks():
        for position in range(block.size):
            one[block.a + position] = other[block.b + position] = False
    return _marked(before, one), _marked(after, other)


def _marked(lines: Sequence[Line], marks: Sequence[bool]) -> tuple[Line, ...]:
    return tuple(replace(line, is_new=mark) for line, mark in zip(lines, marks, strict=True))
