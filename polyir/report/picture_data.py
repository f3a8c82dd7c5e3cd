"""What the script of a page reads to draw pictures, as JSON."""

from __future__ import annotations

import json
from itertools import chain

from polyir.report.pictures import Arrows, Axis, Execution, Pictures, Scene


def json_of(pictures: Pictures) -> str:
    """All pictures as JSON that may stand in a `<script>`: it has no `<`."""
    data = {
        "scenes": list(map(_scene, pictures.scenes)),
        "arrows": list(map(_arrows, pictures.arrows)),
        "executions": list(map(_execution, pictures.executions)),
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _scene(scene: Scene) -> dict[str, object]:
    """Places and iterators are lists of numbers, one point after the other."""
    numbers = {name: number for number, name in enumerate(scene.statements)}
    return {
        "statements": scene.statements,
        "of": [numbers[name] for name, _ in scene.nodes],
        "iterators": [iterators for _, iterators in scene.nodes],
        "places": [_short(value) for place in scene.places for value in place],
        "axes": list(map(_axis, scene.axes)),
        "titles": [{"text": text, "at": place} for text, place in scene.titles],
    }


def _axis(axis: Axis) -> dict[str, object]:
    ends = [_short(value) for value in (*axis.start, *axis.end)]
    return {"name": axis.name, "ends": ends, "range": [axis.low, axis.high]}


def _arrows(arrows: Arrows) -> dict[str, list[int]]:
    """For each kind the source and the target of one arrow after the other."""
    return {kind: list(chain.from_iterable(pairs)) for kind, pairs in arrows.pairs.items()}


def _execution(execution: Execution) -> dict[str, object]:
    return {
        "scene": execution.scene,
        "arrows": execution.arrows,
        "order": execution.order,
        "tiles": execution.tiles,
        "fronts": execution.fronts,
    }


def _short(value: float) -> float | int:
    """A number with as few digits as a picture needs."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded
