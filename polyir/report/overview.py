"""The overview of a compilation: a row for each function, or for each region of a C file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import SourceLocation, location_of
from polyir.choose.remarks import CHOSEN
from polyir.loops.features import loop_features
from polyir.report.recording import PREPARATIONS, Left, Recording, Step

Features = Mapping[str, tuple[str, ...]]
"""What can be seen of the loops of each function, by its name."""


@dataclass(frozen=True)
class Row:
    """What was done to a function or a region, or why it was left."""

    name: str
    step: int | None
    """The number of the last of its steps, if there are any."""
    done: str
    features: tuple[str, ...]
    left: str


def features_of(module: ModuleOp) -> Features:
    """Whether the loops of each function of a lowered module are parallel, and in vectors."""
    functions = (op for op in module.walk() if isinstance(op, FuncOp) and not op.is_declaration)
    return {op.sym_name.data: tuple(loop_features(op)) for op in functions}


def overview_of(
    recording: Recording, is_changed: Sequence[bool], features: Sequence[Features]
) -> tuple[Row, ...]:
    """The rows; `is_changed` and `features` are those of the program after each step.

    Regions of a file, and what was left of it, are in the order of their lines.
    """
    rows: list[Row] = []
    left: dict[str, list[Left]] = {}
    for each in recording.left:
        left.setdefault(each.part, []).append(each)
    numbered = list(enumerate(recording.steps))
    for region, group in groupby(numbered, lambda pair: pair[1].region):
        steps = list(group)
        last = steps[-1][0]
        passes = _passes(step for number, step in steps if is_changed[number])
        reasons = _reasons(left.pop(region, []))
        known = features[last]
        if region:
            done = ", ".join(_chosen(steps, None)) or passes
            seen = dict.fromkeys(word for words in known.values() for word in words)
            # What passes did to a region that was left is in no output.
            rows.append(Row(region, last, *(("", ()) if reasons else (done, tuple(seen))), reasons))
            continue
        for function in recording.steps[last].module.walk():
            if isinstance(function, FuncOp) and not function.is_declaration:
                name = function.sym_name.data
                done = ", ".join(_chosen(steps, location_of(function))) or passes
                rows.append(Row(f"@{name}", last, done, known.get(name, ()), ""))
    rows += (Row(part, None, "", (), _reasons(items)) for part, items in left.items())
    return tuple(sorted(rows, key=lambda row: _first_line(row.name)))


def _reasons(left: Iterable[Left]) -> str:
    return "; ".join(dict.fromkeys(each.reason for each in left))


def _first_line(name: str) -> int:
    """The line at which a part of a file begins; functions stay in their order."""
    found = re.match(r"lines? (\d+)", name)
    return int(found[1]) if found is not None else 0


def _passes(steps: Iterable[Step]) -> str:
    names = (step.name.partition("{")[0] for step in steps)
    return ", ".join(dict.fromkeys(name for name in names if name and name not in PREPARATIONS))


def _chosen(steps: Iterable[tuple[int, Step]], place: SourceLocation | None) -> Iterator[str]:
    """The choices of `optimize`, at a place or anywhere."""
    for _, step in steps:
        for remark in step.remarks:
            is_here = place is None or remark.location == place
            if is_here and remark.message.startswith(CHOSEN):
                chosen = remark.message.removeprefix(CHOSEN)
                yield "the original order, which is best" if chosen == "original" else chosen
