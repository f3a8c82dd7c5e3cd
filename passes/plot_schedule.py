"""The pass `plot-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.passes.picture_pass import PicturePass


@dataclass(frozen=True)
class PlotSchedulePass(PicturePass):
    """Draw the execution order of the instances under the current schedule, and its tiles.

    Draws the picture of `plot-domain` with points numbered in execution order, where the numbers
    can be read, and coloured by tile, and with a line around each tile. The options are the same:

        polyir-opt --pluto-schedule --tile=3 --plot-schedule="file=tiles.svg values=6,10" in.mlir
    """

    name = "plot-schedule"

    @property
    def shows_order(self) -> bool:
        return True
