"""Full sparse tiling: tiles across the loops of time steps, which an inspector finds.

The tiling function comes from `tile_growth`, the schedule function from `tile_schedule`, and the
dependence graph of tiles from `tile_graph`. How tiles run is in `tile_runs` (A. Rajopadhye and
others, "Computations on Iteration Spaces", The Compiler Design Handbook, 2007, section 15.3.2.4).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.codegen.affine_to_scf import legalize_affine
from polyir.irregular.code import Code
from polyir.irregular.inspection import Bounds, Inspection, bounds_before, move_body
from polyir.irregular.shadows import Shadows
from polyir.irregular.slices import Values
from polyir.irregular.tile_graph import Edges, TileGraph, find_fronts, room_for_edges
from polyir.irregular.tile_growth import Growth, Levels, Seed, iterations
from polyir.irregular.tile_numbers import Colouring
from polyir.irregular.tile_runs import EDGES, ENDS, TILES, InOrder, InReadyQueue, InWavefronts, TileRuns
from polyir.irregular.tile_schedule import Schedule, wavefront_orders
from polyir.irregular.time_steps import TimeSteps
from polyir.irregular.unknowns import require_any_order
from polyir.irregular.wavefronts import Report, sort_by_wavefront
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
    runs: type[TileRuns]
    by_wavefronts: bool
    reorders: bool = False


def sparse_tile(module: ModuleOp, steps: TimeSteps, options: TilingOptions, report: Report) -> None:
    """Replace the loop of time steps by one that runs several of them tile by tile.

    Raises `PolyirError` if the inspector cannot run before the loop, or if the unknowns cannot get
    the order that is asked for.
    """
    if options.reorders:
        require_any_order(steps)
    inspection = Inspection(module, *steps.slices, around=steps.loop)
    for message, op in inspection.messages:
        report(message, op)
    outputs = _Outputs(inspection, options)
    _inspect(inspection, steps, options, outputs)
    executor = _Executor(steps, options.seed, inspection.program_bounds)
    schedule, starts, *arrays = inspection.finish()
    executor.replace(schedule, starts, options.runs(*arrays))


class _Outputs:
    """Declares what an inspector of sparse tiles fills: the schedule function, and `runs`."""

    def __init__(self, inspection: Inspection, options: TilingOptions) -> None:
        self._seed, self._program = options.seed, inspection.program_bounds
        sizes = {TILES: self._tiles, ENDS: self._ends, EDGES: self._edges}
        self.iterations = inspection.output("iterations", self._points)
        self.starts = inspection.output("starts", self._cells)
        self.runs = options.runs(
            *(
                inspection.output(each.name, sizes.get(each.metadata.get("size")))
                for each in fields(options.runs)
            )
        )

    def _tiles(self, code: Code, _: Bounds, values: Values) -> list[SSAValue]:
        return [self._seed.tiles(code, self._program[self._seed.loop].mapped(values))]

    def _ends(self, code: Code, bounds: Bounds, values: Values) -> list[SSAValue]:
        (count,) = self._tiles(code, bounds, values)
        return [code.sum(count, 1)]

    def _points(self, code: Code, _: Bounds, values: Values) -> list[SSAValue]:
        total = code.constant(0)
        for each in self._program:
            total = code.sum(total, iterations(code, each.mapped(values)))
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
    shadows = Shadows(code, extents)
    arrays: list[SSAValue] = []
    numbers = None
    if options.is_coloured or options.reorders:
        colouring = Colouring(code, levels, shadows, keeps_order=not options.reorders)
        if options.reorders:
            numbers, levels.orders[options.seed.loop] = colouring.renumber(code)
        else:
            numbers = colouring.number(code)
        arrays += (numbers, *levels.orders.values())
    tile_of = code.array("tile_of", code.product(levels.total, options.seed.sweeps))
    Growth(levels, shadows, tile_of, numbers).grow(code)
    schedule = Schedule(levels, outputs.iterations, outputs.starts)
    orders = wavefront_orders(code, levels, shadows) if options.by_wavefronts else []
    schedule.sort(code, tile_of, orders or None)
    code.free(*orders)
    _fill_runs(code, levels, shadows, tile_of, outputs.runs)
    code.free(tile_of, *arrays)
    shadows.free(code)


def _fill_runs(
    code: Code, levels: Levels, shadows: Shadows, tile_of: SSAValue, runs: TileRuns
) -> None:
    """Fill what says when tiles run."""
    match runs:
        case InOrder():
            code.store(levels.tiles, runs.tiles)
        case InWavefronts():
            edges = Edges(code, levels, shadows, tile_of)
            edges.find(code)
            graph = edges.store(code)
            fronts = code.array("wavefront", levels.tiles)
            find_fronts(code, graph, levels.tiles, fronts, runs.wavefronts)
            results = (runs.order, runs.fronts, runs.wavefronts)
            sort_by_wavefront(code, fronts, levels.tiles, results)
            code.free(fronts, graph.starts, graph.successors, graph.predecessors)
        case InReadyQueue():
            edges = Edges(code, levels, shadows, tile_of)
            edges.find(code)
            edges.store(code, TileGraph(runs.edges, runs.successors, runs.predecessors))
            code.store(levels.tiles, runs.tiles)


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
            counter = body.sum(bounds.lower, body.product(number, bounds.step))
            move_body(loop, counter, body)
