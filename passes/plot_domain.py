"""The pass `plot-domain`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.passes.picture_pass import PicturePass


@dataclass(frozen=True)
class PlotDomainPass(PicturePass):
    """Draw the statement instances and the dependences between them, to an SVG or PNG file.

    Each statement with at most three iterators has a panel: points are its instances, and arrows
    are dependences: black for flow, red for anti, violet for output. All parameters have the value
    `size`, or those of `values`, in order. `statements` lists the statements to draw; by default,
    all of them. With several scops, the second one is drawn to `file-2`, and so on. It requires
    matplotlib: `pip install 'polyir[plot]'`.
    """

    name = "plot-domain"

    @property
    def shows_order(self) -> bool:
        return False
