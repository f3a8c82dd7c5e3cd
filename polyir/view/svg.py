"""Schedule trees and dependences as SVG, for notebooks: text, boxes and lines, no library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

_ROW: Final = 24
_CHARACTER: Final = 7.3
_LANE: Final = 10
_INDENT: Final = 22
_FILLS: Final = {
    "band": "#cfe2f3",
    "loop": "#eef5fb",
    "mark": "#fde9c9",
    "sequence": "#e6e6e6",
    "set": "#e6e6e6",
}
_DASHES: Final = {"flow": "", "anti": "6 3", "output": "2 3", "input": "1 4"}


def tree_svg(outline: str) -> str:
    """A schedule tree in words (`polyir.transform.outline`) with a box for each node and loop."""
    lines = outline.splitlines()
    parts: list[str] = []
    above: dict[int, int] = {}
    right = 0.0
    for row, line in enumerate(lines):
        text = line.lstrip()
        depth = (len(line) - len(text)) // 2
        left, top = 8 + depth * _INDENT, 8 + row * _ROW
        width = len(text) * _CHARACTER + 12
        if depth:
            parts.append(_line(left - 12, above[depth - 1] + _ROW - 4, top + 10, left))
        kind = "loop" if ": {" in text else text.split(" ", 1)[0]
        parts.append(_box(left, top, width, text, _FILLS.get(kind, "#ffffff")))
        above[depth] = top
        right = max(right, left + width)
    return _document(right + 8, len(lines) * _ROW + 16, parts)


@dataclass(frozen=True)
class Edge:
    """A dependence in the picture: its ends, its kind in a word, and what is written at it."""

    source: str
    target: str
    kind: str
    label: str


def graph_svg(statements: Sequence[str], edges: Sequence[Edge]) -> str:
    """Boxes for the statements, and below each one its edges, which lead to their targets.

    Flow is solid, anti dashed, output dotted.
    """
    boxes: dict[str, int] = {}
    starts: list[tuple[Edge, int]] = []
    row = 0
    for statement in statements:
        boxes[statement] = row
        own = [edge for edge in edges if edge.source == statement]
        starts += [(edge, row + 1 + number) for number, edge in enumerate(own)]
        row += 1 + len(own)
    longest = max((len(edge.label) for edge in edges), default=0)
    lanes = 44 + longest * _CHARACTER
    parts = [
        _box(8, 8 + row * _ROW, len(name) * _CHARACTER + 12, name, _FILLS["band"])
        for name, row in boxes.items()
    ]
    for lane, (edge, start) in enumerate(starts):
        text_end = 28 + len(edge.label) * _CHARACTER + 6
        box_end = 8 + len(edge.target) * _CHARACTER + 16
        middle = 18 + start * _ROW
        goal = 18 + boxes[edge.target] * _ROW
        parts.append(f'<text x="28" y="{middle + 4}">{escape(edge.label)}</text>')
        dash = f' stroke-dasharray="{_DASHES[edge.kind]}"' if _DASHES[edge.kind] else ""
        path = f"M{text_end:g} {middle}H{lanes + lane * _LANE:g}V{goal}H{box_end:g}"
        parts.append(
            f'<path class="{edge.kind}" d="{path}" fill="none" stroke="#444444"{dash} '
            'marker-end="url(#end)"/>'
        )
    width = max([lanes + len(starts) * _LANE, *(30 + len(name) * _CHARACTER for name in boxes)])
    return _document(width + 8, row * _ROW + 16, parts)


def _box(left: float, top: float, width: float, text: str, fill: str) -> str:
    return (
        f'<rect x="{left}" y="{top}" width="{width:g}" height="20" rx="3" fill="{fill}" '
        f'stroke="#888888"/><text x="{left + 6}" y="{top + 14}">{escape(text)}</text>'
    )


def _line(left: float, top: float, bottom: float, right: float) -> str:
    """A line down from a box and to the right, to one below it."""
    return f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#888888"/>'


def _document(width: float, height: float, parts: Sequence[str]) -> str:
    arrow = (
        '<defs><marker id="end" orient="auto" markerWidth="8" markerHeight="8" refX="7" refY="4">'
        '<path d="M0 0L8 4L0 8z" fill="#444444"/></marker></defs>'
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            'font-family="monospace" font-size="12">',
            arrow,
            *parts,
            "</svg>",
        ]
    )
