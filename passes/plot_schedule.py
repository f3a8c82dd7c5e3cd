"""The pass `plot-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.passes.picture_pass import PicturePass


@dataclass(frozen=True)
class PlotSchedulePass(PicturePass):
    """Draw the order in which the schedule in force runs the instances, and its tiles.

    The picture is that of `plot-domain`, with each point numbered in execution order and
    coloured by tile. All options are the same.
    """

    name = "plot-schedule"

    @property
    def shows_order(self) -> bool:
        return True
