"""Programs for `sparse-tile`, matrices for them, and the schedules that their inspectors find."""

from __future__ import annotations

from functools import cache

import numpy as np
from kernel_runs import FLAGS, loops_of
from sparse_tiles import Indices, Schedule

from polyir.runtime import CompiledModule, CompilerOptions, compile_module

GAUSS_SEIDEL = """
func.func @kernel(%t: index, %n: index, %rp: memref<?xindex>, %ci: memref<?xindex>,
    %v: memref<?xf64>, %x: memref<?xf64>, %b: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %lo = affine.load %rp[%i] : memref<?xindex>
      %hi = affine.load %rp[%i + 1] : memref<?xindex>
      %b0 = affine.load %b[%i] : memref<?xf64>
      %sum = scf.for %k = %lo to %hi step %c1 iter_args(%a = %b0) -> f64 {
        %c = memref.load %ci[%k] : memref<?xindex>
        %xv = memref.load %x[%c] : memref<?xf64>
        %vv = memref.load %v[%k] : memref<?xf64>
        %m = arith.mulf %vv, %xv : f64
        %r = arith.subf %a, %m : f64
        scf.yield %r : f64
      }
      affine.store %sum, %x[%i] : memref<?xf64>
    }
  }
  return
}
"""


@cache
def compiled(program: str, options: str | None) -> CompiledModule:
    pipeline = "" if options is None else f"sparse-tile{{{options}}}"
    return compile_module(loops_of(program, pipeline), CompilerOptions(flags=FLAGS))


def laplacian(shape: tuple[int, ...], order: Indices) -> tuple[Indices, Indices]:
    """The graph of a grid in CSR form; point p of the grid is unknown `order[p]`."""
    points = order.reshape(shape)
    rows: list[list[int]] = [[] for _ in order]
    for axis, size in enumerate(shape):
        ends = (np.take(points, range(k, size - 1 + k), axis).ravel().tolist() for k in (0, 1))
        for one, other in zip(*ends, strict=True):
            rows[one].append(other)
            rows[other].append(one)
    return csr(rows)


def csr(rows: list[list[int]]) -> tuple[Indices, Indices]:
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return starts, np.array([c for row in rows for c in sorted(row)], dtype=np.int64)


def matrix(kind: str, generator: np.random.Generator) -> tuple[Indices, Indices]:
    match kind:
        case "square":
            return laplacian((6, 5), np.arange(30))
        case "cube":
            return laplacian((3, 4, 3), np.arange(36))
        case "shuffled":
            return laplacian((3, 4, 3), generator.permutation(36))
        case "random":
            return csr([generator.integers(0, 25, 3).tolist() for _ in range(25)])
        case "chain":
            return csr([[max(i - 1, 0)] for i in range(10)])
        case _:
            return csr([])


def inspected(module: CompiledModule, options: str, loops: int, **arguments: object) -> Schedule:
    """The schedule that the inspector of a module finds; `sizes` are those of the `loops`."""
    inspector = module["kernel_inspector"]
    named = dict(item.split("=") for item in options.split())
    tile, levels = int(named["tile"]), int(named["sweeps"]) * loops
    sizes = arguments.pop("sizes")
    assert isinstance(sizes, tuple)
    seed = "ijk".index(named["seed"]) if "seed" in named else loops // 2
    tiles = max(1, -(-sizes[seed] // tile))
    points = sum(sizes) * int(named["sweeps"])
    filled = {
        "iterations": np.zeros(points, np.int64),
        "starts": np.zeros(tiles * levels + 1, np.int64),
        "wavefronts": np.zeros((), np.int64),
        "tiles": np.zeros((), np.int64),
        "order": np.zeros(tiles, np.int64),
        "fronts": np.zeros(tiles + 1, np.int64),
        "edges": np.zeros(tiles + 1, np.int64),
        "successors": np.zeros(min(tiles * (tiles - 1) // 2, points + 32 * tiles), np.int64),
        "predecessors": np.zeros(tiles, np.int64),
    }
    # Without time steps, an inspector does nothing.
    known = {"t": 1, **arguments, **filled}
    inspector(**{p.name: known[p.name] for p in inspector.signature.parameters})
    found = Schedule(levels, filled["iterations"], filled["starts"])
    if named.get("run") == "queue":
        assert filled["tiles"] == tiles
        found.edges, found.predecessors = filled["edges"], filled["predecessors"]
        found.successors = filled["successors"][: found.edges[-1]]
    elif named.get("parallel") == "false":
        assert filled["tiles"] == tiles
    else:
        found.order, found.fronts = filled["order"], filled["fronts"][: filled["wavefronts"] + 1]
    return found
