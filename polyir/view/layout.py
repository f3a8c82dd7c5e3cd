"""Where a picture of a scop puts its points: planes, slices of space, rows. Nothing here draws.

Statements with the same iterators share a plane, so that dependences between them are short: those
without iterators stand in a row, those with one have a row each, and the others stand side by side
at each place. Space is cut into slices, one for each value of the first iterator, which stand
beside and below each other, each in a frame; or it is seen obliquely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, cos, pi, sin, sqrt
from typing import Final

from polyir.view.picture import Arrow, Coordinates, Panel

Place = tuple[float, float]
Node = tuple[str, Coordinates]

MOST_IN_PLANE: Final = 4
"""So many statements share a plane at most."""

SPREAD: Final = 0.46
"""How far the statements at one place are apart, from the first to the last."""


DEPTH: Final = (0.5, 0.37)
"""Where a step away from the reader leads in space that is seen obliquely."""


@dataclass(frozen=True)
class Frame:
    """A box around points, with a title above it, and the names and ranges of its axes."""

    title: str
    names: tuple[str, str]
    ranges: tuple[tuple[int, int], tuple[int, int]]
    corner: Place
    """The place of the point with the least coordinates."""

    @property
    def far_corner(self) -> Place:
        """The place of the point with the greatest coordinates."""
        (_, right), (_, top) = self.ranges
        return self.place(right, top)

    def place(self, first: int, second: int) -> Place:
        """The place of a point of the slice."""
        (left, _), (bottom, _) = self.ranges
        return self.corner[0] + first - left, self.corner[1] + second - bottom


@dataclass(frozen=True)
class Plane:
    """Statements that are drawn together: each point's place, one apart from the next.

    `names` are those of the axes; without `frames`, coordinates are iterators, or those of
    space that is seen obliquely.
    """

    statements: tuple[str, ...]
    names: tuple[str, ...]
    places: Mapping[Node, Place]
    frames: tuple[Frame, ...] = ()
    steps: tuple[Place, ...] = ()
    """Where a step of each iterator leads, unless there are frames."""

    @property
    def box(self) -> tuple[Place, Place]:
        """The least and the greatest coordinates of points, and of corners of frames."""
        places = list(self.places.values()) or [(0.0, 0.0)]
        places += [corner for frame in self.frames for corner in (frame.corner, frame.far_corner)]
        columns = list(zip(*places, strict=True))
        return (min(columns[0]), min(columns[1])), (max(columns[0]), max(columns[1]))


def planes_of(panels: Sequence[Panel], is_oblique: bool = False) -> tuple[Plane, ...]:
    """The planes of a picture, in the order of their first statements."""
    groups: list[list[Panel]] = []
    for panel in panels:
        for group in groups:
            if group[0].names == panel.names and len(group) < MOST_IN_PLANE:
                group.append(panel)
                break
        else:
            groups.append([panel])
    return tuple(_plane(group, is_oblique) for group in groups)


def _plane(group: Sequence[Panel], is_oblique: bool) -> Plane:
    statements = tuple(panel.statement for panel in group)
    names = group[0].names
    points = [instance.iterators for panel in group for instance in panel.instances]
    is_cut = len(names) == 3 and not is_oblique
    frames = _frames(names, points) if is_cut and points else {}
    steps = () if is_cut else steps_of(points, len(names))
    places: dict[Node, Place] = {}
    for number, panel in enumerate(group):
        apart = SPREAD / (len(group) - 1) if len(group) > 1 else 0.0
        shift = (number - (len(group) - 1) / 2) * apart
        for instance in panel.instances:
            match instance.iterators:
                case (slice_, second, third) if is_cut:
                    x, y = frames[slice_].place(second, third)
                    place = (x + shift, y)
                case (first,):
                    place = (float(first), float(-number))
                case ():
                    place = (float(number), 0.0)
                case iterators:
                    x, y = place_of(iterators, steps)
                    place = (x + shift, y)
            places[panel.statement, instance.iterators] = place
    return Plane(statements, names[-2:] if is_cut else names, places, tuple(frames.values()), steps)


def steps_of(points: Sequence[Coordinates], rank: int) -> tuple[Place, ...]:
    """Where a step of each of up to three iterators leads.

    Of three, the one with the fewest values leads away from the reader, the one with the most to
    the right, so that as little as possible is hidden.
    """
    flat = ((1.0, 0.0), (0.0, 1.0))
    if rank < 3:
        return flat[:rank]
    columns = list(zip(*points, strict=True)) or [()] * rank
    extents = [max(each, default=0) - min(each, default=0) for each in columns]
    depth = extents.index(min(extents))
    right, up = sorted((n for n in range(rank) if n != depth), key=lambda n: -extents[n])
    found = {depth: DEPTH, right: flat[0], up: flat[1]}
    return tuple(found[position] for position in range(rank))


def place_of(iterators: Coordinates, steps: Sequence[Place]) -> Place:
    """The place of a point if a step of each iterator leads so far."""
    return (
        sum(value * step[0] for value, step in zip(iterators, steps, strict=True)),
        sum(value * step[1] for value, step in zip(iterators, steps, strict=True)),
    )


def _frames(names: Sequence[str], points: Sequence[Coordinates]) -> dict[int, Frame]:
    """A frame for each value of the first of three iterators, all of the same size."""
    slices, first, second = zip(*points, strict=True)
    left, right, bottom, top = min(first), max(first), min(second), max(second)
    values = sorted(set(slices))
    wanted = max(1, round(sqrt(len(values) * (top - bottom + 2) / (right - left + 2))))
    columns = ceil(len(values) / ceil(len(values) / wanted))
    return {
        value: Frame(
            f"{names[0]} = {value}",
            (names[1], names[2]),
            ((left, right), (bottom, top)),
            (
                float(number % columns * (right - left + 2.2)),
                float(-(number // columns) * (top - bottom + 2.6)),
            ),
        )
        for number, value in enumerate(values)
    }


def sampled(arrows: Sequence[Arrow], most: int) -> tuple[Arrow, ...]:
    """About `most` arrows: all of those that leave some instances, which are spread evenly.

    The instances are those for which a sum of multiples of their iterators is small modulo 1, as in
    M. Roberts, "The unreasonable effectiveness of quasirandom sequences" (2018).
    """
    if len(arrows) <= most:
        return tuple(arrows)
    share = most / len(arrows)
    numbers = {name: number for number, name in enumerate({each.source[0]: 0 for each in arrows})}

    def fraction(source: Node) -> float:
        name, iterators = source
        terms = zip((*iterators, numbers[name]), _FACTORS, strict=False)
        return sum(value * factor for value, factor in terms) % 1.0

    return tuple(each for each in arrows if fraction(each.source) < share)


_ROOT: Final = 1.1673039782614187
"""The root of x**5 = x + 1."""

_FACTORS: Final = tuple(_ROOT**-power for power in range(1, 5))


def outline(places: Sequence[Place], radius: float) -> tuple[Place, ...]:
    """The corners of a smooth line around `places` at a distance of `radius`, in order.

    It is the convex hull of circles around them, by Andrew's monotone chain.
    """
    angles = [2 * pi * step / 16 for step in range(16)]
    points = sorted(
        {
            (round(x + radius * cos(angle), 6), round(y + radius * sin(angle), 6))
            for x, y in places
            for angle in angles
        }
    )
    lower, upper = _chain(points), _chain(points[::-1])
    return (*lower[:-1], *upper[:-1])


def _chain(points: Sequence[Place]) -> list[Place]:
    chain: list[Place] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _turn(first: Place, second: Place, third: Place) -> float:
    """Positive if the three places turn left."""
    (ax, ay), (bx, by), (cx, cy) = first, second, third
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
