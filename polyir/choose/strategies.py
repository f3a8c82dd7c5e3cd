"""The pipelines that `optimize` and `polyir-tune` try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt, lcm, sqrt
from types import FunctionType

from xdsl.passes import ModulePass

from polyir.base.diagnostics import PolyirError, missed
from polyir.choose.machine import Machine
from polyir.choose.model import PREDICTED_ITERATIONS, ScheduleModel, usable_bytes
from polyir.choose.remarks import PASS_NAME
from polyir.choose.sizes import PACKED_ELEMENTS
from polyir.choose.thresholds import TURN
from polyir.model.iteration_arrays import MOST_ON_STACK
from polyir.transform.reassociation.private_results import MOST_PARTS
from polyir.universe import pass_type, registered, registered_strategies, require_type

Sizes = tuple[int, ...]
"""The sizes of tiles, of the outermost loop first."""


def made(name: str, **options: object) -> ModulePass:
    """The pass of that name, with options."""
    return pass_type(name)(**options)


@dataclass(frozen=True)
class Strategy:
    """A pipeline of passes on scops.

    Passes change the `memory`, then the `scheduler` makes a tree, and the `steps` change that.
    Those of the memory may change the tree, too: it tells what an iteration keeps for itself.
    With `sums`, it is for nests with statements that add up elements of a result; without, for
    those that have none; `None` for all. One that is `packed` then lets loops read operands from
    contiguous arrays. `if_scheduled`, it is not tried if its scheduler changes nothing. Its `name`
    is the one that it is registered by.
    """

    memory: tuple[ModulePass, ...]
    scheduler: tuple[ModulePass, ...]
    steps: tuple[ModulePass, ...]
    sums: bool | None = None
    packed: bool = False
    if_scheduled: bool = False
    name: str = ""

    @property
    def is_simple(self) -> bool:
        """Whether no loops over tiles are made, but for those of blocks."""
        return not any(each.name == "tile" for each in (*self.memory, *self.steps))

    @property
    def keeps_order(self) -> bool:
        """Whether loops run in the original order, some of them in parallel or in vectors."""
        return self.is_simple and not self.scheduler

    def without(self, name: str) -> Strategy:
        """The strategy without the steps that a pass of that name takes."""
        return replace(self, steps=tuple(each for each in self.steps if each.name != name))

    @property
    def copies_temporaries(self) -> bool:
        """Whether temporaries get copies, for iterations of loops or for all of them."""
        return any(each.name == "privatize" for each in self.memory)

    @property
    def is_for_few_accesses(self) -> bool:
        """Whether it takes long to find for programs with many accesses."""
        makes_order = bool(self.scheduler) and not self.if_scheduled
        return not self.sums and (makes_order or not self.is_simple)

    @property
    def before(self) -> tuple[ModulePass, ...]:
        """The passes before the steps."""
        return self.memory + self.scheduler


@dataclass(frozen=True)
class Situation:
    """What a strategy is made for.

    `element_bytes` is the size of the largest elements, `depth` the number of loops around
    statements. With `reassociate`, sums may be computed in another order, and each of `threads` may
    have results of its own.
    """

    machine: Machine
    element_bytes: int
    depth: int
    threads: int
    reassociate: bool = False

    @property
    def width(self) -> int:
        """The elements of a vector register."""
        return max(2, self.machine.vector_bits // (8 * self.element_bytes))

    @property
    def parallel(self) -> ModulePass:
        """What marks parallel loops, each thread with as much to do."""
        return made("mark-parallel", schedule="balanced", reassociate=self.reassociate)

    @property
    def rows(self) -> int:
        """The rows of a register block: they are a quarter of the vector registers."""
        return max(1, self.machine.vector_registers // 4)

    @property
    def vectors(self) -> int:
        """The vectors of a row: as many as fit, with those of one operand and one of the other."""
        return max(1, (self.machine.vector_registers - 1) // (self.rows + 1))

    @property
    def columns(self) -> int:
        """The elements of a row of a register block."""
        return self.vectors * self.width

    def blocks(self, **options: object) -> ModulePass:
        """Register blocks."""
        sizes = {"rows": self.rows, "vectors": self.vectors, "width": self.width}
        return made("register-tile", **sizes, reassociate=self.reassociate, **options)

    def usable_elements(self, level: int) -> float:
        """How many elements threads together may have in a cache; the first level is 0."""
        usable = usable_bytes(self.machine)
        return usable[min(level, len(usable) - 1)] / self.element_bytes

    def own_elements(self, level: int) -> float:
        """How many elements each of them may have there."""
        caches = self.machine.caches
        sharing = min(self.threads, caches[min(level, len(caches) - 1)].shared_by)
        return self.usable_elements(level) / sharing

    @property
    def square_tiles(self) -> Sizes:
        """Tiles with equal sides, of which the first cache holds three with two dimensions.

        Sides are powers of two, for which isl generates simple loops.
        """
        return (_power_of_two(sqrt(self.own_elements(0) / 3)),)

    @property
    def tiles_in_time(self) -> Sizes:
        """Tiles of time steps, rows and elements; or of time steps and elements.

        So many steps that an array comes from memory and goes back in half of the time that it
        takes to store it in each of them, and twice as many rows: with each step, a tile is a bit
        further on. Rows are the longest ones whose ends are predicted. Two arrays fill half of the
        second cache at most. Sizes are powers of two, for which isl generates simple loops.
        """
        stored = self.machine.vector_stores * self.machine.vector_bits / 8
        steps = _power_of_two(4 * stored / self.machine.memory_bandwidth)
        row = PREDICTED_ITERATIONS * self.width
        others = min(self.depth - 2, 2)
        if others < 1:
            return (steps, max(row, 2 * steps))
        fitting = (self.own_elements(1) / 4 / row) ** (1 / others)
        side = min(2 * steps, _power_of_two(fitting))
        return (max(1, side // 2), *[side] * others, row)

    def tiles_of_sums(self, elements: float, longest: int) -> Sizes:
        """Tiles in which results and operands are so many elements: x by x by `longest` times x.

        That is x * x + 2 * x * (longest * x) elements. The sides hold whole blocks and are equal,
        so that triangular nests have simple bounds.
        """
        least = lcm(self.rows, self.columns)
        side = max(round(sqrt(elements / (1 + 2 * longest)) / least), 1) * least
        return (side, side, longest * side)

    @property
    def last(self) -> tuple[ModulePass, ...]:
        """The last steps of most strategies."""
        return (self.parallel, self.blocks())

    @property
    def in_order(self) -> tuple[ModulePass, ...]:
        """The last steps where loops stay in their order."""
        return (*self.last, made("collapse"))


def situation_of(
    models: Sequence[ScheduleModel], machine: Machine, threads: int, reassociate: bool = False
) -> Situation:
    """What strategies for some scops are made for; there is a model for each scop."""
    element_bytes = max((model.element_bytes for model in models), default=8)
    statements = [each for model in models for each in model.statements.values()]
    depth = max((len(each.region.low) for each in statements), default=0)
    return Situation(machine, element_bytes, depth, threads, reassociate)


def _apart() -> tuple[ModulePass, ...]:
    return (made("pluto-schedule", fuse="none"),)


def _in_elements() -> tuple[ModulePass, ...]:
    return (made("delicm"),)


def _fused() -> tuple[ModulePass, ...]:
    return (made("pluto-schedule"),)


def _in_lines(steps: tuple[ModulePass, ...], sums: bool | None = None) -> Strategy:
    """Steps on loops that go through cache lines, with temporaries of their own."""
    memory = (*_in_elements(), made("privatize", loops="all"))
    return Strategy(memory, (made("spatial-schedule"),), steps, sums)


def packed_blocks(given: Situation) -> Strategy:
    """Tiles whose operands fit into caches, read from contiguous arrays."""
    own = given.tiles_of_sums(given.own_elements(1), 2)
    # The rows of a block fill the first cache while it goes through all columns, those of a tile an
    # eighth of the second one, and columns half of the third one, which threads share.
    terms = max(1, int(given.own_elements(0)) // given.rows)
    rows = int(given.own_elements(1) / 8) // terms
    panel = min(int(given.usable_elements(2) / 2), PACKED_ELEMENTS)
    shared = whole_blocks((rows, panel // terms, terms), given.rows, given.columns)
    whole = given.blocks(masked=True, tiles=own, shared_tiles=shared)
    steps = (whole, given.parallel)
    return Strategy(_in_elements(), _apart(), steps, sums=True, packed=True)


def register_blocks(given: Situation) -> Strategy:
    """Tiles of register blocks."""
    # Results are read and written for each tile of terms, and operands only read: with x results
    # each way and y terms, 2 / x + 2 / y is the least at y = 1.6 x.
    tiles = made("tile", sizes=given.tiles_of_sums(given.own_elements(1), 2))
    return Strategy(_in_elements(), _apart(), (tiles, *given.last), sums=True)


def untiled_blocks(given: Situation) -> Strategy:
    """Register blocks, for sizes that no block divides, too."""
    steps = (given.parallel, given.blocks(masked=True))
    return Strategy(_in_elements(), _apart(), steps, sums=True)


def blocks_in_waves(given: Situation) -> Strategy:
    """Tiles of register blocks, in wavefronts."""
    # A quarter of the cache: wavefronts have many tiles then. Lines are long, so that most blocks
    # are whole. Measured on PolyBench's lu: tiles of 48 x 96 x 48 take six times as long as those
    # of 48 x 48 x 240.
    flat = made("tile", sizes=given.tiles_of_sums(given.own_elements(1) / 4, 5))
    return _in_lines((flat, made("wavefront"), *given.last), sums=True)


def blocks_of_results(given: Situation) -> Strategy:
    """Tiles of results in the original order, each with sums of its own, in register blocks."""
    # All terms are in one tile, and so is what is computed of a sum: sums are on the stack.
    block = lcm(given.rows, given.columns)
    side = max(isqrt(MOST_ON_STACK) // block, 1) * block
    tiles = made("tile", sizes=(side, side))
    return Strategy((made("privatize", loops="all"),), (), (tiles, *given.last), sums=True)


def locality(given: Situation) -> Strategy:
    """Tiles of loops that go through cache lines."""
    tiles = made("tile", sizes=given.square_tiles)
    steps = (tiles, made("wavefront"), made("intra-tile-order"), *given.last)
    return _in_lines(steps, sums=False)


def untiled_locality(given: Situation) -> Strategy:
    """Loops that go through cache lines."""
    return _in_lines(given.last)


def sweeps(given: Situation) -> Strategy:
    """Strips of a few vectors, with temporaries of their own, in the original order."""
    strips = made("tile", sizes=(given.columns,), min_width=1)
    memory = (strips, made("wavefront", which="inner"), made("promote-private"))
    return Strategy(memory, (), given.last, sums=False)


def tiles(given: Situation) -> Strategy:
    """Pluto's tiles."""
    steps = (made("tile", sizes=given.square_tiles), made("wavefront"), *given.last)
    return Strategy(_in_elements(), _fused(), steps, sums=False)


def time_tiles(given: Situation) -> Strategy:
    """Tiles with long rows, for stencils; the more loops there are, the smaller they are."""
    long = made("tile", sizes=given.tiles_in_time)
    before, after = made("intra-tile-order", distribute=False), made("intra-tile-order")
    waves, chains = made("wavefront"), made("wavefront", which="inner")
    steps = (before, long, waves, after, chains, *given.last)
    return Strategy(_in_elements(), _fused(), steps, sums=False)


def split(given: Situation) -> Strategy:
    """Sequential parts apart from parallel ones."""
    return Strategy((), (made("split-sequential"),), given.last, if_scheduled=True)


def private(given: Situation) -> Strategy:
    """The original order, with temporaries for each iteration of a parallel loop."""
    return Strategy((made("privatize"),), (), given.in_order)


def private_arrays(given: Situation) -> Strategy:
    """The original order, with arrays of their own for loops that only memory makes sequential."""
    memory = (made("privatize"), made("promote-private", makes_parallel=True))
    return Strategy(memory, (), given.in_order, if_scheduled=True)


def parallel(given: Situation) -> Strategy:
    """The original order, in parallel."""
    return Strategy((), (), given.in_order)


def reductions(given: Situation) -> Strategy | None:
    """Vectors of partial results on one thread.

    Where only sums are slow, parallel regions may take longer than they do.
    """
    return Strategy((), (), (given.blocks(),)) if given.reassociate else None


def partial_results(given: Situation) -> Strategy | None:
    """Results of its own for each thread."""
    if not given.reassociate or given.threads == 1:
        return None
    parts = made("privatize-reductions", parts=min(given.threads, MOST_PARTS), block=TURN)
    return Strategy((made("privatize"), parts), (), given.last)


def strategies(given: Situation) -> tuple[Strategy, ...]:
    """What is tried, in this order; those with the same scheduler come one after the other.

    Strategies of other packages come last. One that cannot be loaded is left out, with a remark.
    """
    found: list[Strategy] = []
    known = registered_strategies()
    for name in known:
        try:
            made = registered("strategy", name, known, FunctionType)(given)
            if made is not None:
                found.append(replace(require_type(f"strategy '{name}'", made, Strategy), name=name))
        except PolyirError as error:
            missed(PASS_NAME, error.message, once=True, name="no-strategy")
    return tuple(found)


def is_for_threads(given: ModulePass) -> bool:
    """Whether a pass only makes work for several threads; inner wavefronts help one, too."""
    is_outer = given.name == "wavefront" and getattr(given, "which", "") == "outermost"
    return is_outer or given.name in ("mark-parallel", "collapse")


def _power_of_two(number: float) -> int:
    """The largest one that is at most a number, or 1."""
    return 1 << max(0, int(number).bit_length() - 1)


def whole_blocks(sizes: Sizes, rows: int, columns: int) -> Sizes:
    """Sizes for the loops of rows, columns and others that hold whole blocks.

    Columns are a multiple of the rows, too: where both are bounds of each other, as in triangular
    nests, these are simple then.
    """
    if not sizes:
        return ()
    height = max(sizes[0] // rows, 1) * rows
    least = lcm(height, columns)
    return (height, max(sizes[1] // least, 1) * least, max(sizes[2], 1))
