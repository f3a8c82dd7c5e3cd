"""Reports of the examples of the papers, and a page that says what to see in each.

    make gallery        # writes build/gallery/index.html

`polyir-opt --report` makes each of them; the table below has the passes.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment

from polyir.tools import polyir_opt

EXAMPLES = Path(__file__).parent
TILED = ("--pluto-schedule", "--tile=32", "--wavefront", "--mark-parallel")


@dataclass(frozen=True)
class Entry:
    """An example: its path without `.mlir`, the passes, what it is, and what to see."""

    path: str
    options: tuple[str, ...]
    title: str
    see: str

    @property
    def page(self) -> str:
        """The name of its report."""
        return f"{self.path.replace('/', '-')}.html"

    @property
    def command(self) -> str:
        """What runs its passes, for a shell."""
        return shlex.join(("polyir-opt", *self.options, f"examples/{self.path}.mlir"))


SECTIONS: dict[str, tuple[Entry, ...]] = {
    "Tiling and wavefronts (Bondhugula et al., 2008)": (
        Entry(
            "stencil-1d",
            TILED,
            "A stencil in place",
            "The input carries (1,-1), which forbids tiles. pluto-schedule skews i by t, and its "
            "band is permutable; tile makes two loops over tiles; wavefront skews those, and the "
            "second becomes parallel. Ask the first loop why it is sequential.",
        ),
        Entry(
            "trapezoid",
            ("--interchange=loops=S0.0,S0.1",),
            "Bounds of interchanged loops",
            "The inner loop has a maximum and a minimum as its bounds. When the loops are "
            "interchanged, the bounds come from a projection onto the other axis.",
        ),
        Entry(
            "fig4-stencil",
            TILED,
            "Figure 4: wavefronts of tiles",
            "The band is permutable from the start, and neither loop is parallel. After wavefront "
            "the first loop over tiles counts diagonals, and the second is parallel.",
        ),
        Entry(
            "fig1b-jacobi-1d-imperfect",
            TILED,
            "Figure 1(b): imperfectly nested Jacobi",
            "Two statements that stand in loops of their own get one band: look at the values of "
            "its loops for S0 and S1, of which the second is shifted.",
        ),
        Entry(
            "fig7-jacobi-2d-imperfect",
            TILED,
            "Figure 7: Jacobi in two dimensions",
            "The same with three loops: 2t + i and 2t + j keep all distances from being negative. "
            "See the column of distances before and after pluto-schedule.",
        ),
        Entry(
            "fig8-lu",
            TILED,
            "Figure 8: LU decomposition",
            "The division is one loop shallower than the update; pluto-schedule sinks it into a "
            "band of three loops, in which both are tiled together.",
        ),
        Entry(
            "sec41-transpose",
            TILED,
            "Figure 5: dependences that are not uniform",
            "a[i,j] reads a[j,i]: distances grow with i - j. A schedule exists all the same, and "
            "the C says how tiles are cut.",
        ),
    ),
    "Fusion": (
        Entry(
            "fig3-matvec-pair",
            ("--pluto-schedule", "--mark-parallel"),
            "Figure 3: two products of a matrix and a vector",
            "The paper fuses i of the first product with j of the second. The second one writes "
            "the y that the first reads in each row, so that this is not legal: see the anti "
            "dependence through y. Each has its own band, of which the outer loop is parallel.",
        ),
        Entry(
            "fig9-matmul-chain",
            TILED,
            "Figure 9: a chain of two matrix products",
            "Two loops are common: an element of C is used right after it is made. The outer one "
            "is parallel, so that wavefront has nothing to do, and says so.",
        ),
        Entry(
            "fig10-five-stencils",
            ("--pluto-schedule", "--mark-parallel"),
            "Figure 10: five stencils in sequence",
            "All five share one loop, each shifted by one against the one before. The shifts make "
            "the loop sequential: its answer lists every array.",
        ),
        Entry(
            "fig11-tce-four-index",
            TILED,
            "Figure 11: the four-index transform",
            "Four nests of depth five; the tree shows where their bands part, and the colours "
            "which nests stay together.",
        ),
        Entry(
            "sec36-matvec-chain",
            TILED,
            "Section 3.6: fusion of neighbours",
            "Either neighbouring pair can be fused, not all three: S0 and S1 share a loop, S2 has "
            "its own.",
        ),
        Entry(
            "three-products",
            TILED,
            "Three products (Pouchet et al., 2011)",
            "G needs all of a row of C and of a column of F. See which loops the three statements "
            "share, and what carries the dependence through F.",
        ),
    ),
    "Reductions and memory": (
        Entry(
            "sec36-scalar-sum",
            ("--pluto-schedule", "--tile=32", "--mark-parallel"),
            "Section 3.6: a sum into one scalar",
            "Every iteration reads what the one before wrote; both loops say which two iterations "
            "must stay in order, and tile says why there are no tiles.",
        ),
        Entry(
            "row-sums",
            ("--privatize", "--mark-parallel", "--promote"),
            "One scalar for the sum of each row",
            "Before privatize the loop over rows is sequential because of the scalar. With a copy "
            "for each row it is parallel; promote makes the copies small again.",
        ),
        Entry(
            "equations/convolved-triangle",
            ("--scop-to-equations", "--simplify-reductions", "--pluto-schedule"),
            "From loops to equations (Gautam and Rajopadhye)",
            "The loops take cubic time. As equations the sum is simplified to quadratic time: see "
            "the remarks, and the loops that come back.",
        ),
        Entry(
            "c-abi",
            ("--pluto-schedule", "--mark-parallel"),
            "All kinds of arguments",
            "Not of a paper: scalars, arrays of fixed and of free sizes, and what they are in C.",
        ),
    ),
    "Index arrays: inspectors and executors": (
        Entry(
            "irregular/fig15-15",
            ("--inspect-wavefronts",),
            "Figure 15.15: two index arrays",
            "Which iterations depend on each other is known when p and q are. The C has an "
            "inspector that numbers the wavefronts, and loops over them.",
        ),
        Entry(
            "irregular/fig15-16",
            ("--privatize", "--mark-parallel"),
            "Figure 15.16: fill and gather",
            "The facts about the index array are in the input; with them privatize proves that "
            "each iteration reads what it wrote itself.",
        ),
        Entry(
            "irregular/fig15-17",
            ("--runtime-test",),
            "Figure 15.17: a test at run time",
            "The C has the loop twice, and a test of the index array that chooses between them.",
        ),
        Entry(
            "irregular/fig15-19",
            ("--runtime-test",),
            "Figure 15.19: a test with a table",
            "As before with two index arrays: the test marks elements in a table.",
        ),
        Entry(
            "irregular/moldyn",
            ("--irregular-reductions=block=128",),
            "Figure 15.21: molecular dynamics",
            "Forces of pairs are sums that may come in any order; blocks of pairs get colours, and "
            "those of one colour run in parallel.",
        ),
        Entry(
            "irregular/mesh-edges",
            ("--irregular-reductions=block=128",),
            "Edges of a mesh",
            "The same for fluxes between the nodes of a mesh.",
        ),
        Entry(
            "irregular/pagerank",
            ("--irregular-reductions=block=128",),
            "PageRank by links",
            "Only the loop over links needs colours: compare the loops before and after.",
        ),
        Entry(
            "irregular/gauss-seidel",
            ("--sparse-tile=tile=100 sweeps=4",),
            "Figure 15.25: Gauss-Seidel",
            "Sparse tiles run four sweeps over a part of the matrix; the inspector grows them.",
        ),
        Entry(
            "irregular/sor",
            ("--inspect-wavefronts",),
            "Successive over-relaxation",
            "The C: wavefronts of rows that do not need each other.",
        ),
        Entry(
            "irregular/symmetric-gauss-seidel",
            ("--inspect-wavefronts",),
            "Symmetric Gauss-Seidel",
            "Two loops over rows, one of which runs backwards: both have wavefronts.",
        ),
        Entry(
            "irregular/triangular-solve",
            ("--inspect-wavefronts=block=100",),
            "A triangular system",
            "Wavefronts of blocks of 100 rows: fewer barriers than wavefronts of rows.",
        ),
        Entry(
            "irregular/spmv",
            ("--poly-raise=data-loops", "--mark-parallel"),
            "A sparse matrix times a vector",
            "Bounds of the inner loop come from an array. The outer loop is parallel whatever it "
            "holds.",
        ),
    ),
}

INDEX = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gallery - polyir</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
dt { margin-top: 1rem; font-weight: 600; }
dd { margin: 0; }
code { font-size: 0.85rem; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>What polyir does to the examples of the papers</h1>
<p>Each page shows a whole compilation, pass by pass. Left and right go from pass to pass.</p>
{% for section, entries in sections.items() %}
<h2>{{ section }}</h2>
<dl>
{% for each in entries %}
<dt><a href="{{ each.page }}">{{ each.title }}</a></dt>
<dd>{{ each.see }}<br>
<code>{{ each.command }}</code></dd>
{% endfor %}
</dl>
{% endfor %}
</body>
</html>
"""


def write(entry: Entry, folder: Path) -> Path:
    """Write the report of an example."""
    written = folder / entry.page
    source = EXAMPLES / f"{entry.path}.mlir"
    options = (*entry.options, "--emit=none", f"--report={written}", str(source))
    if polyir_opt.main(options) != 0:
        raise RuntimeError(f"no report of {source}")
    return written


def index() -> str:
    """The page that leads to all reports."""
    page: str = Environment(autoescape=True).from_string(INDEX).render(sections=SECTIONS)
    return page


def main(arguments: Sequence[str]) -> int:
    """Write all reports, and the page that leads to them, into a folder."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for entry in (each for entries in SECTIONS.values() for each in entries):
        write(entry, folder)
    (folder / "index.html").write_text(index(), encoding="utf-8")
    print(f"open {folder / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
