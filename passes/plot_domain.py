"""The pass `plot-domain`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.passes.picture_pass import PicturePass


@dataclass(frozen=True)
class PlotDomainPass(PicturePass):
    """Draw the statement instances and the dependences between them, to an SVG or PNG file.

    Points are the instances of statements with at most three iterators, and arrows are
    dependences: black for flow, red for anti, violet for output, grey for input. Statements with
    the same iterators are drawn together; three dimensions are drawn as slices, one for each value
    of the first iterator. All parameters have the value `size`, or those of `values`, in order.

    `statements`, `arrays` and `kinds` (`flow`, `anti`, `output`, `input`) say what is drawn; by
    default, that is everything but input dependences. If there are more than `arrows` arrows
    between statements that are drawn together, only those of some instances are shown, and the
    title says so. With several scops, the second one is drawn to `file-2`, and so on. It requires
    matplotlib: `pip install 'polyir[plot]'`. The IR stays as it is:

        polyir-opt --plot-domain="file=domain.svg values=6,10" --emit=none in.mlir
    """

    name = "plot-domain"

    @property
    def shows_order(self) -> bool:
        return False
