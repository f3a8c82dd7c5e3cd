"""What is combined: tables of factors, and the pipeline of each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kernel_matrix.covering import Row
from polyir.passes.strategy_names import StrategyName

BACKENDS = ("c", "c-checked", "llvm")
"""C by the compiler's flags that are the default, C by few of them and without warnings, LLVM."""

ON_AND_OFF = ("off", "on")

TREES: Mapping[str, str] = MappingProxyType(
    {
        "original": "BLOCKS,mark-parallel",
        "packed-blocks": "pluto-schedule{fuse=none},BLOCKS,mark-parallel",
        "register-blocks": "pluto-schedule{fuse=none},tile{sizes=8,12,7},mark-parallel,BLOCKS",
        "untiled-blocks": "pluto-schedule{fuse=none},mark-parallel,BLOCKS",
        "blocks-of-results": "tile{sizes=8,12},mark-parallel,BLOCKS",
        "blocks-in-waves": "spatial-schedule,tile{sizes=6,5,11},wavefront,"
        "mark-parallel{schedule=balanced},BLOCKS",
        "locality": "spatial-schedule,tile{sizes=7},wavefront,intra-tile-order,"
        "mark-parallel{schedule=balanced},BLOCKS",
        "untiled-locality": "spatial-schedule,mark-parallel,BLOCKS",
        "tiles": "pluto-schedule,tile{sizes=5,8,9},wavefront,mark-parallel,BLOCKS",
        "time-tiles": "pluto-schedule,intra-tile-order{distribute=false},tile{sizes=4,6,16},"
        "wavefront,intra-tile-order,wavefront{which=inner},mark-parallel,BLOCKS",
        "sweeps": "tile{sizes=5 min-width=1},wavefront{which=inner},promote-private,mark-parallel,"
        "BLOCKS",
        "split": "split-sequential,mark-parallel,BLOCKS",
    }
)
"""The strategies of `optimize`, with tiles that are small enough for there to be many."""


@dataclass(frozen=True)
class Case:
    """A kernel, the passes that it goes through, and what compiles and runs it."""

    kernel: str
    pipeline: str
    backend: str
    threads: int

    def __str__(self) -> str:
        return f"{self.kernel} [{self.backend}, {self.threads} threads] {self.pipeline}"


Factors = Mapping[str, Sequence[str]]

TABLES: Mapping[str, Factors] = MappingProxyType(
    {
        "optimize": {
            "strategy": StrategyName.choices(),
            "machine": ("128", "256", "512"),
            "backend": BACKENDS,
            "threads": ("1", "2"),
        },
        "passes": {
            "tree": tuple(TREES),
            "privatize": ON_AND_OFF,
            "blocks": ("off", "apart", "masked"),
            "shape": ("2x1", "3x2", "1x3"),
            "width": ("2", "4", "8"),
            "vectorize": ON_AND_OFF,
            "pack": ("off", "on", "ahead"),
            "scalar-replacement": ("off", "1", "all"),
            "backend": BACKENDS,
            "threads": ("1", "2"),
        },
    }
)
"""The strategies of `optimize` for machines with vectors of each width, and its passes one by one.
"""


def case_of(row: Row) -> Case:
    """The case of a row of either table."""
    pipeline = _optimize(row) if "strategy" in row else _passes(row)
    return Case(row["kernel"], pipeline, row["backend"], int(row["threads"]))


def _optimize(row: Row) -> str:
    machine = f"tests/machines/{row['machine']}.json"
    options = f'threads={row["threads"]} machine="{machine}" strategy={row["strategy"]}'
    return f"optimize{{{options}}}"


def _passes(row: Row) -> str:
    tree = TREES[row["tree"]].replace("BLOCKS", _blocks(row))
    passes = ["privatize{loops=all}"] if row["privatize"] == "on" else []
    passes.append(tree)
    if row["vectorize"] == "on":
        passes.append("vectorize")
    if row["pack"] != "off":
        passes.append(f"pack{{ahead={'true' if row['pack'] == 'ahead' else 'false'}}}")
    if row["scalar-replacement"] != "off":
        passes.append(f"scalar-replacement{{levels={row['scalar-replacement']}}}")
    return ",".join(passes).replace(",,", ",").strip(",")


def _blocks(row: Row) -> str:
    if row["blocks"] == "off":
        return ""
    rows, vectors, width = (*map(int, row["shape"].split("x")), int(row["width"]))
    options = f"rows={rows} vectors={vectors} width={width}"
    if row["blocks"] == "masked":
        options += " masked=true"
    if row["tree"] == "packed-blocks":
        options += f" tiles={2 * rows},{2 * vectors * width},5"
    return f"register-tile{{{options}}}"
