"""Orders of data by libraries, for the function that `reorder-data{method=given}` declares.

    functions = {"moldyn_order": graph_orders.cuthill_mckee}
    module = polyir.compile(text, "reorder-data{method=given}", functions=functions)

Each takes a graph, whose node e has the neighbours `neighbours[starts[e]:starts[e + 1]]`, and
stores the nodes in `elements`, in the new order. SciPy and pymetis come with
`pip install 'polyir[irregular]'`; without them, a call raises `MissingPackageError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from polyir.base.diagnostics import MissingPackageError

Indices = npt.NDArray[np.int64]


def cuthill_mckee(starts: Indices, neighbours: Indices, elements: Indices) -> None:
    """The reverse order of Cuthill and McKee, by SciPy."""
    try:
        from scipy.sparse.csgraph import reverse_cuthill_mckee
    except ImportError:
        raise _missing("SciPy") from None
    elements[:] = reverse_cuthill_mckee(_matrix(starts, neighbours), symmetric_mode=True)


def partition(size: int = 1024) -> Callable[[Indices, Indices, Indices], None]:
    """A function that orders nodes by parts of about `size`, which have few edges between them.

    METIS finds the parts.
    """

    def order(starts: Indices, neighbours: Indices, elements: Indices) -> None:
        try:
            from pymetis import CSRAdjacency, part_graph
        except ImportError:
            raise _missing("pymetis") from None
        count = -(-len(elements) // size)
        if count < 2:
            elements[:] = np.arange(len(elements))
            return
        matrix = _matrix(starts, neighbours)
        _, parts = part_graph(count, CSRAdjacency(matrix.indptr, matrix.indices))
        elements[:] = np.argsort(np.asarray(parts), kind="stable")

    return order


def _matrix(starts: Indices, neighbours: Indices) -> Any:
    """The graph as a sparse matrix, with each edge once, and none from a node to itself."""
    try:
        from scipy.sparse import csr_array
    except ImportError:
        raise _missing("SciPy") from None
    size = len(starts) - 1
    sources = np.repeat(np.arange(size), np.diff(starts))
    kept = sources != neighbours
    ones = np.ones(int(kept.sum()), np.int8)
    matrix = csr_array((ones, (sources[kept], neighbours[kept])), shape=(size, size))
    matrix.sort_indices()
    return matrix


def _missing(library: str) -> MissingPackageError:
    return MissingPackageError(
        f"this order needs {library}, which is not installed (pip install 'polyir[irregular]')"
    )
