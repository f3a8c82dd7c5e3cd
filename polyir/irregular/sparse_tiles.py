"""Full sparse tiling: tiles across the loops of time steps, which an inspector finds.

The tiling function comes from `tile_growth`, the schedule function from `tile_schedule`, and the
dependence graph of tiles from `tile_graph`. How tiles run is in `tile_runs` (A. Rajopadhye and
others, "Computations on Iteration Spaces", The Compiler Design Handbook, 2007, section 15.3.2.4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import Report
from polyir.irregular.counting_sorts import sort_numbers
from polyir.irregular.inspection import Inspection, Size
from polyir.irregular.loop_parts import Bounds, bounds_before, move_body
from polyir.irregular.shadows import Shadows
from polyir.irregular.slices import Values
from polyir.irregular.tile_graph import EdgeLists, Edges, TileGraph, find_fronts, room_for_edges
from polyir.irregular.tile_growth import Growth, Levels, Seed
from polyir.irregular.tile_numbers import Colouring
from polyir.irregular.tile_runs import (
    ArraySize,
    InOrder,
    InReadyQueue,
    InWavefronts,
    TileRuns,
)
from polyir.irregular.tile_schedule import Schedule, find_wavefront_order
from polyir.irregular.time_steps import TimeSteps
from polyir.irregular.unknowns import require_any_order_of_unknowns
from polyir.loops.affine_to_scf import legalize_affine
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop


@dataclass(frozen=True)
class TilingOptions:
    """What a sparse tiling is like.

    That is the seed, whether tiles are coloured, how they run, whether the iterations of a loop in
    a tile run in the order of their wavefronts, and whether the unknowns get another order, that of
    the coloured tiles.
    """

    seed: Seed
    is_coloured: bool
    runs: type[InOrder] | type[InWavefronts] | type[InReadyQueue]
    by_wavefronts: bool
    reorders: bool = False


def sparse_tile(steps: TimeSteps, options: TilingOptions, report: Report) -> None:
    """Replace the loop of time steps by one that runs several of them tile by tile.

    Raises `PolyirError` if the inspector cannot run before the loop, or if the unknowns cannot get
    the order that is asked for.
    """
    if options.reorders:
        require_any_order_of_unknowns(steps)
    inspection = Inspection(*steps.slices, around=steps.loop)
    inspection.explain(report)
    outputs = _Outputs(inspection, options)
    _inspect(inspection, steps, options, outputs)
    executor = _Executor(steps, options.seed, inspection.program_bounds)
    schedule, starts, *arrays = inspection.finish()
    executor.replace(schedule, starts, options.runs(*arrays))


class _Outputs:
    """Declares what an inspector of sparse tiles fills: the schedule function, and `runs`."""

    def __init__(self, inspection: Inspection, options: TilingOptions) -> None:
        self._seed, self._program = options.seed, inspection.program_bounds
        sizes: dict[ArraySize | None, Size] = {
            ArraySize.TILES: self._tiles,
            ArraySize.ENDS: self._ends,
            ArraySize.EDGES: self._edges,
        }
        self.iterations = inspection.output("iterations", self._points)
        self.starts = inspection.output("starts", self._cells)
        self.runs = options.runs(
            *(inspection.output(name, sizes.get(size)) for name, size in options.runs.outputs())
        )

    def _tiles(self, code: Code, _: Bounds, values: Values) -> list[SSAValue]:
        return [self._seed.tiles(code, self._program[self._seed.loop].mapped(values))]

    def _ends(self, code: Code, bounds: Bounds, values: Values) -> list[SSAValue]:
        (count,) = self._tiles(code, bounds, values)
        return [code.sum(count, 1)]

    def _points(self, code: Code, _: Bounds, values: Values) -> list[SSAValue]:
        total = code.constant(0)
        for each in self._program:
            total = code.sum(total, each.mapped(values).iterations(code))
        return [code.product(total, self._seed.sweeps)]

    def _cells(self, code: Code, bounds: Bounds, values: Values) -> list[SSAValue]:
        (count,) = self._tiles(code, bounds, values)
        return [code.sum(code.product(count, self._seed.sweeps * len(self._program)), 1)]

    def _edges(self, code: Code, bounds: Bounds, values: Values) -> list[SSAValue]:
        (count,) = self._tiles(code, bounds, values)
        (points,) = self._points(code, bounds, values)
        return [room_for_edges(code, count, points)]


def _inspect(
    inspection: Inspection, steps: TimeSteps, options: TilingOptions, outputs: _Outputs
) -> None:
    """Add the code that fills the outputs."""
    code, values, extents = inspection.code, inspection.values, inspection.extents()
    levels = Levels(code, steps.slices, inspection.all_bounds, values, options.seed)
    # Two parts of an inspector may use shadows at the same time.
    shadows = Shadows(code, extents), Shadows(code, extents)
    numbers, arrays = _number(code, levels, shadows[0], options)
    tile_of = code.array("tile_of", code.product(levels.total, options.seed.sweeps))
    orders: list[SSAValue] = []
    if options.by_wavefronts:
        orders += (code.array("order", size) for size in levels.sizes)
    _grow(code, Growth(levels, tile_of, numbers), levels, shadows, orders)
    schedule = Schedule(levels, outputs.iterations, outputs.starts)

    def sort(code: Code) -> None:
        schedule.sort(code, tile_of, orders or None)

    if isinstance(outputs.runs, InOrder):
        sort(code)
        code.store(levels.tiles, outputs.runs.tiles)
    else:
        _fill_graph(code, levels, shadows, tile_of, outputs.runs, sort)
    code.free(*orders, tile_of, *arrays)
    for each in shadows:
        each.free(code)


def _number(
    code: Code, levels: Levels, shadows: Shadows, options: TilingOptions
) -> tuple[SSAValue | None, list[SSAValue]]:
    """The tiles of blocks, unless they have the same numbers, and the arrays that were made.

    Sets the order of the unknowns if that is asked for.
    """
    if not (options.is_coloured or options.reorders):
        return None, []
    colouring = Colouring(code, levels, shadows, keeps_order=not options.reorders)
    if not options.reorders:
        numbers = colouring.number(code)
        return numbers, [numbers]
    numbers, unknowns = colouring.renumber(code)
    levels.orders[options.seed.loop] = unknowns
    return numbers, [numbers, unknowns]


def _grow(
    code: Code,
    growth: Growth,
    levels: Levels,
    shadows: tuple[Shadows, Shadows],
    orders: list[SSAValue],
) -> None:
    """Find all tiles, and the orders of the loops by wavefronts."""
    before, after = shadows

    def backwards(code: Code) -> None:
        growth.grow_backwards(code, before)

    def forwards(code: Code) -> None:
        growth.grow_forwards(code, after)

    def by_wavefronts(code: Code) -> None:
        for loop, order in enumerate(orders):
            find_wavefront_order(code, levels, after, loop, order)

    def forwards_and_orders(code: Code) -> None:
        forwards(code)
        by_wavefronts(code)

    growth.sow(code)
    if growth.is_one_sided:
        code.at_once(backwards, forwards_and_orders)
    else:
        code.at_once(backwards, by_wavefronts) if orders else backwards(code)
        forwards(code)


def _fill_graph(
    code: Code,
    levels: Levels,
    shadows: tuple[Shadows, Shadows],
    tile_of: SSAValue,
    runs: TileRuns,
    sort: Callable[[Code], None],
) -> None:
    """Fill the schedule function, by `sort`, and what says when tiles run."""
    lists = EdgeLists(code, levels), EdgeLists(code, levels)
    edges = [Edges(levels, *each) for each in zip(shadows, (tile_of,) * 2, lists, strict=True)]
    code.at_once(
        lambda code: edges[1].find(code, is_reversed=True),
        lambda code: edges[0].find(code, is_reversed=False),
        sort,
    )
    lists[0].take(code, lists[1])
    if isinstance(runs, InReadyQueue):
        lists[0].store(code, TileGraph(runs.edges, runs.successors, runs.predecessors))
        code.store(levels.tiles, runs.tiles)
    elif isinstance(runs, InWavefronts):
        graph, fronts = lists[0].store(code), code.array("wavefront", levels.tiles)
        find_fronts(code, graph, levels.tiles, fronts, runs.wavefronts)
        results = (runs.order, runs.fronts, runs.wavefronts)
        sort_numbers(code, fronts, levels.tiles, results)
        code.free(fronts, graph.starts, graph.successors, graph.predecessors)
    for each in lists:
        each.free(code)


class _Executor:
    """Makes the loops that run tiles."""

    def __init__(self, steps: TimeSteps, seed: Seed, bounds: tuple[Bounds, ...]) -> None:
        self._steps, self._seed = steps, seed
        self._bounds = dict(zip((each.loop for each in steps.slices), bounds, strict=True))

    def replace(self, iterations: SSAValue, starts: SSAValue, runs: TileRuns) -> None:
        """Replace the loop of time steps by one that runs a schedule function."""
        self._iterations, self._starts = iterations, starts
        loop = self._steps.loop
        bounds = bounds_before(loop)
        code = Code(InsertPoint.before(loop))
        size = code.product(bounds.step, self._seed.sweeps)
        scratch = runs.prepare(code)
        with code.loop("first", bounds.lower, bounds.upper, size) as (body, first):
            # Fewer time steps at the end are a part of each tile that depends on no other part.
            end = body.minimum(body.sum(first, size), bounds.upper)
            with (
                runs.loops(body, scratch) as (tiles, tile),
                tiles.loop("step", first, end, bounds.step) as (inner, step),
            ):
                sweep = inner.quotient(inner.difference(step, first), bounds.step)
                self._run_step(inner, tile, sweep, step)
        code.free(*scratch)
        Rewriter.erase_op(loop)

    def _run_step(self, code: Code, tile: SSAValue, sweep: SSAValue, step: SSAValue) -> None:
        """Run the part of a tile in a time step."""
        block = self._steps.loop.body.block
        step.name_hint = block.args[0].name_hint
        loops = list(self._bounds)
        block.args[0].replace_all_uses_with(step)
        levels = self._seed.sweeps * len(loops)
        cell = code.sum(code.product(tile, levels), code.product(sweep, len(loops)))
        for op in tuple(block.ops):
            if isinstance(op, SequentialLoop):
                self._run_level(code, code.sum(cell, loops.index(op)), op)
            elif op is not block.last_op:
                op.detach()
                code.add(op)
                legalize_affine(op)

    def _run_level(self, code: Code, cell: SSAValue, loop: SequentialLoop) -> None:
        """Run the iterations of a loop that are in a cell of the schedule function."""
        bounds = self._bounds[loop]
        first = code.load(self._starts, cell)
        end = code.load(self._starts, code.sum(cell, 1))
        with code.loop("p", first, end) as (body, place):
            number = body.load(self._iterations, place)
            move_body(loop, bounds.counter(body, number), body)
