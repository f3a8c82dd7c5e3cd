"""Full sparse tiling: tiles across the loops of time steps, which an inspector finds.

The tiling function comes from `tile_growth`, the schedule function from `tile_schedule`. Tiles
run one after the other, or those of a wavefront of the tile dependence graph at the same time
(A. Rajopadhye and others, "Computations on Iteration Spaces", The Compiler Design Handbook, 2007,
section 15.3.2.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.codegen.affine_to_scf import legalize_affine
from polyir.irregular.code import Code
from polyir.irregular.inspection import Inspection
from polyir.irregular.loop_parts import Bounds, bounds_before, move_body
from polyir.irregular.shadows import Shadows, find_wavefronts
from polyir.irregular.slices import Values
from polyir.irregular.tile_growth import Growth, Levels, Seed, iterations
from polyir.irregular.tile_numbers import Colouring
from polyir.irregular.tile_schedule import Schedule, wavefront_orders
from polyir.irregular.time_steps import TimeSteps
from polyir.irregular.wavefronts import Report, sort_by_wavefront
from polyir.loops.loop_forms import SequentialLoop


@dataclass(frozen=True)
class TilingOptions:
    """What a sparse tiling is like.

    That is the seed, whether tiles are coloured and run in parallel, and whether the iterations of
    a loop in a tile run in the order of their wavefronts.
    """

    seed: Seed
    is_coloured: bool
    is_parallel: bool
    by_wavefronts: bool


@dataclass(frozen=True)
class _Outputs:
    """What an inspector of sparse tiles fills.

    `iterations` and `starts` are the schedule function. `count` is the number of tiles, or of
    wavefronts if they run in parallel. Then, the tiles of wavefront w are in `order`, from the
    place `fronts[w]`.
    """

    iterations: SSAValue
    starts: SSAValue
    count: SSAValue
    order: SSAValue | None = None
    fronts: SSAValue | None = None


def sparse_tile(module: ModuleOp, steps: TimeSteps, options: TilingOptions, report: Report) -> None:
    """Replace the loop of time steps by one that runs several of them tile by tile.

    Raises `PolyirError` if the inspector cannot run before the loop.
    """
    inspection = Inspection(module, *steps.slices, around=steps.loop)
    for message, op in inspection.messages:
        report(message, op)
    outputs = _declare(inspection, options)
    _inspect(inspection, steps, options, outputs)
    executor = _Executor(steps, options.seed, inspection.program_bounds)
    executor.replace(_Outputs(*inspection.finish()))


def _declare(inspection: Inspection, options: TilingOptions) -> _Outputs:
    """Declare the outputs of the inspector."""
    seed, program = options.seed, inspection.program_bounds

    def points(code: Code, _: Bounds, values: Values) -> list[SSAValue]:
        total = code.constant(0)
        for each in program:
            total = code.sum(total, iterations(code, each.mapped(values)))
        return [code.product(total, seed.sweeps)]

    def tiles(code: Code, _: Bounds, values: Values) -> list[SSAValue]:
        return [seed.tiles(code, program[seed.loop].mapped(values))]

    def cells(code: Code, bounds: Bounds, values: Values) -> list[SSAValue]:
        (count,) = tiles(code, bounds, values)
        return [code.sum(code.product(count, seed.sweeps * len(program)), 1)]

    def ends(code: Code, bounds: Bounds, values: Values) -> list[SSAValue]:
        (count,) = tiles(code, bounds, values)
        return [code.sum(count, 1)]

    schedule = inspection.output("iterations", points), inspection.output("starts", cells)
    if not options.is_parallel:
        return _Outputs(*schedule, inspection.output("tiles"))
    return _Outputs(
        *schedule,
        inspection.output("wavefronts"),
        inspection.output("order", tiles),
        inspection.output("fronts", ends),
    )


def _inspect(
    inspection: Inspection, steps: TimeSteps, options: TilingOptions, outputs: _Outputs
) -> None:
    """Add the code that fills the outputs."""
    code, values, extents = inspection.code, inspection.values, inspection.extents()
    levels = Levels(code, steps.slices, inspection.all_bounds, values, options.seed)
    shadows = Shadows(code, extents)
    numbers = None
    if options.is_coloured:
        numbers = Colouring(code, levels, shadows).number(code)
    tile_of = code.array("tile_of", code.product(levels.total, options.seed.sweeps))
    Growth(levels, shadows, tile_of, numbers).grow(code)
    schedule = Schedule(levels, outputs.iterations, outputs.starts)
    orders = wavefront_orders(code, levels, shadows) if options.by_wavefronts else None
    schedule.sort(code, tile_of, orders)
    code.free(*(orders or ()))
    code.free(tile_of, *([] if numbers is None else [numbers]))
    if outputs.order is None or outputs.fronts is None:
        code.store(levels.tiles, outputs.count)
    else:
        fronts = code.array("wavefront", levels.tiles)
        shadows.fill(code, 0)
        find_wavefronts(code, levels.tiles, shadows, schedule.visit, fronts, outputs.count)
        results = (outputs.order, outputs.fronts, outputs.count)
        sort_by_wavefront(code, fronts, levels.tiles, results)
        code.free(fronts)
    shadows.free(code)


class _Executor:
    """Makes the loops that run tiles."""

    def __init__(self, steps: TimeSteps, seed: Seed, bounds: tuple[Bounds, ...]) -> None:
        self._steps, self._seed = steps, seed
        self._bounds = dict(zip((each.loop for each in steps.slices), bounds, strict=True))

    def replace(self, outputs: _Outputs) -> None:
        """Replace the loop of time steps."""
        self._outputs = outputs
        loop = self._steps.loop
        bounds = bounds_before(loop)
        code = Code(InsertPoint.before(loop))
        size = code.product(bounds.step, self._seed.sweeps)
        with code.loop("first", bounds.lower, bounds.upper, size) as (body, first):
            # Fewer time steps at the end are a part of each tile that depends on no other part.
            end = body.minimum(body.sum(first, size), bounds.upper)
            with (
                self._tiles(body) as (tiles, tile),
                tiles.loop("step", first, end, bounds.step) as (inner, step),
            ):
                sweep = inner.quotient(inner.difference(step, first), bounds.step)
                self._run_step(inner, tile, sweep, step)
        Rewriter.erase_op(loop)

    @contextmanager
    def _tiles(self, code: Code) -> Iterator[tuple[Code, SSAValue]]:
        """The loops over tiles: code for the body, and the number of a tile."""
        count = code.load(self._outputs.count)
        order, fronts = self._outputs.order, self._outputs.fronts
        if order is None or fronts is None:
            with code.loop("tile", 0, count) as (body, tile):
                yield body, tile
            return
        with code.loop("w", 0, count) as (body, wavefront):
            first = body.load(fronts, wavefront)
            end = body.load(fronts, body.sum(wavefront, 1))
            with body.parallel_loop("q", first, end) as (inner, place):
                yield inner, inner.load(order, place)

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
        first = code.load(self._outputs.starts, cell)
        end = code.load(self._outputs.starts, code.sum(cell, 1))
        with code.loop("p", first, end) as (body, place):
            number = body.load(self._outputs.iterations, place)
            counter = body.sum(bounds.lower, body.product(number, bounds.step))
            move_body(loop, counter, body)
