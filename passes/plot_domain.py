"""The pass `plot-domain`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.passes.picture_pass import PicturePass


@dataclass(frozen=True)
class PlotDomainPass(PicturePass):
    """Draw the statement instances and the dependences between them, to an SVG or PNG file.

    Each statement with three iterators at most has a panel: its instances are points, and
    dependences are arrows, black for flow, red for anti, violet for output. All parameters
    have the value `size`, or the ones of `values`, in their order. `statements` are the only
    ones to draw. With several scops, the second is drawn to `file-2`, and so on. It needs
    matplotlib, the extra `plot`.
    """

    name = "plot-domain"

    @property
    def shows_order(self) -> bool:
        return False
