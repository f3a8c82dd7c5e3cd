"""Tiling with sizes that are arguments of the function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import islpy as isl
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, IndexType, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue

from polyir.base.diagnostics import LegalityError, OptionError, location_of
from polyir.dialects.dependence import Dependences
from polyir.dialects.isl_attributes import SetAttr
from polyir.dialects.loop_attributes import LoopAttributes
from polyir.dialects.mark_attributes import Origins, SymbolicTiles
from polyir.dialects.scop import ScopOp
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop, scop_of
from polyir.sets.lists import parameters_of
from polyir.transform.bands import listed, require_free, split_at
from polyir.transform.loop_attributes import cut, settled
from polyir.transform.tile import Levels, TileOptions, Tiler, run_tiler
from polyir.transform.walk import BAND, MARK
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.addresses import Directory, Loop, LoopAddress, LoopPosition, node_at
from polyir.tree.symbolic_tiles import all_tiles, with_tiles


@dataclass(frozen=True)
class SymbolicTileOptions:
    """How to tile: the loops, or the narrowest band that is tiled; which tiles are visited.

    Raises `OptionError` where `min_width` is below 1.
    """

    loops: tuple[LoopAddress, ...] = ()
    min_width: int = 2
    origins: Origins = "outset"

    def __post_init__(self) -> None:
        if self.min_width < 1:
            raise OptionError(f"min-width must be 1 or more: min-width={self.min_width}")


def tile_symbolically(
    schedule: Schedule,
    dependences: Dependences,
    sizes: Sequence[str],
    options: SymbolicTileOptions,
) -> Outcome:
    """Tile every permutable band that is wide enough, or the given loops, in symbolic sizes.

    A mark above a band stands for the loops over its tiles (`polyir.tree.symbolic_tiles`):

        band [i, j]     =>     mark #poly.tile<outset [T0, T1]>
                                 band [i, j]

    `sizes` are names for the sizes, as many as a band could need: the loop k of each band is cut by
    size k. The tiles are legal for sizes of 1 and more, since that is what a permutable band is: no
    loop goes back along a dependence. Bands are looked for as by `tile`. Loops that are given must
    be directly inside each other; they need not be members of one band, nor called permutable.

    Raises `LegalityError` if tiles of some sizes violate a dependence; `OptionError` for addresses
    of no loop, and of loops that are not directly inside each other.
    """
    if options.loops:
        return _tile_loops(schedule, dependences, sizes, options)
    return run_tiler(_SymbolicTiler(sizes, options, dependences), schedule, dependences)


class _SymbolicTiler(Tiler):
    """Puts marks above the bands of one tree."""

    def __init__(
        self, sizes: Sequence[str], options: SymbolicTileOptions, dependences: Dependences
    ) -> None:
        # Any size above 1: the names stand for it.
        super().__init__(TileOptions((2,), min_width=options.min_width), dependences)
        self._names = sizes
        self._origins = options.origins

    def insert_tiles(self, band: ScheduleNode, levels: Levels) -> ScheduleNode:
        # Tiles around it, by a mark or a band, hold the new ones.
        return _insert_mark(band, self._origins, self._names[: len(band.members)])

    def in_words(self, levels: Levels) -> str:
        return " x ".join(self._names[: len(levels[0])])


def _tile_loops(
    schedule: Schedule,
    dependences: Dependences,
    sizes: Sequence[str],
    options: SymbolicTileOptions,
) -> Outcome:
    directory = Directory(schedule)
    loops = [directory.loop(address) for address in options.loops]
    first, last = loops[0], loops[-1]
    shown = listed(options.loops)
    if [loop.place for loop in loops] != list(islice(_nested(first), len(loops))):
        raise OptionError(f"{shown} are not perfectly nested", name="not-perfectly-nested")
    require_free(first.band, f"tiling {shown}")
    if last.member + 1 < len(last.band.members):
        schedule = last.band.split(last.member + 1).schedule
    band = split_at(node_at(schedule, first.place.path), first.member)
    mark = _insert_mark(band, options.origins, sizes[: len(loops)])
    done = f"tiled {shown} by {' x '.join(sizes[: len(loops)])}"
    return settled(schedule, mark.schedule, dependences, f"tiling {shown}", [done])


def _insert_mark(band: ScheduleNode, origins: Origins, sizes: Sequence[str]) -> ScheduleNode:
    """The mark of the tiles of as many loops as there are sizes, from `band` down."""
    blocks: list[LoopAttributes] = []
    node = band
    while len(blocks) < len(sizes):
        if node.kind is BAND:
            pairs = [cut(member.attributes) for member in node.members]
            blocks += [outer for outer, _ in pairs]
            node = node.with_loop_attributes([inner for _, inner in pairs])
        node = node.child(0)
    node = node.ancestor(node.tree_depth - band.tree_depth)
    return with_tiles(node, SymbolicTiles(origins, tuple(sizes), loops=tuple(blocks)))


def _nested(first: Loop) -> Iterator[LoopPosition]:
    """`first` and the loops directly inside each other from there on."""
    node, path, start = first.band, first.place.path, first.member
    while node.kind in (BAND, MARK):
        if node.kind is BAND:
            yield from (LoopPosition(path, member) for member in range(start, len(node.members)))
            start = 0
        node, path = node.child(0), (*path, 0)


MOST_SIZES = 32
"""More than any band has loops."""


def free_size_names(scop: Scop) -> tuple[str, ...]:
    """Names `T0`, `T1`, ... for tile sizes of a scop, without those that its function uses.

    Two scops of one function get the same names as long as neither has its tiles.
    """
    taken = {*scop.op.parameter_values, *parameters_of(scop.context.get_space())}
    taken |= {value.name_hint or "" for value in _values_of(scop.op.function)}
    names = (f"T{number}" for number in range(MOST_SIZES + len(taken)))
    return tuple(name for name in names if name not in taken)[:MOST_SIZES]


def _values_of(function: FuncOp | None) -> Iterator[SSAValue]:
    for op in () if function is None else function.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def require_extensible(scop: ScopOp) -> None:
    """Raise `LegalityError` if the function around `scop` cannot take further arguments.

    There must be a function, and no call of it in its module: calls would not pass tile sizes.
    """
    function = scop.function
    if function is None:
        raise LegalityError(
            "symbolic tile sizes become function arguments, but the scop is not in a function",
            name="symbolic-sizes",
        )
    module = function.parent_op()
    for op in () if module is None else module.walk():
        if isinstance(op, CallOp) and op.callee.root_reference == function.sym_name:
            raise LegalityError(
                f"cannot add tile sizes to the arguments of @{function.sym_name.data}: the "
                "module calls it",
                location_of(op),
                name="symbolic-sizes",
            )


def declare_sizes(scop: ScopOp) -> tuple[str, ...]:
    """Give a scop parameters for all sizes of its tiles that it has no parameters for yet.

    Their values are arguments of the function around it, of type index, which are added after
    the others unless a scop of the function has them. Returned are the names.
    """
    sizes = (size for tiles in all_tiles(scop_of(scop).schedule.root) for size in tiles.sizes)
    names = [name for name in dict.fromkeys(sizes) if name not in scop.parameter_values]
    if not names:
        return ()
    function = scop.function
    assert function is not None
    values = [_argument(function, name) for name in names]
    scop.operands = (*scop.operands, *values)
    known = scop.parameter_names.data
    scop.parameter_names = ArrayAttr([*known, *map(StringAttr, names)])
    anything = isl.Set(f"[{', '.join(names)}] -> {{ : }}")
    scop.context = SetAttr(scop.context.data.align_params(anything.get_space()))
    return tuple(names)


def _argument(function: FuncOp, name: str) -> SSAValue:
    """The argument of that name, added if there is none."""
    block = function.body.blocks[0]
    for argument in block.args:
        if argument.name_hint == name:
            return argument
    added = block.insert_arg(IndexType(), len(block.args))
    added.name_hint = name
    kind = function.function_type
    function.function_type = FunctionType.from_lists([*kind.inputs, IndexType()], [*kind.outputs])
    if function.arg_attrs is not None:
        function.arg_attrs = ArrayAttr([*function.arg_attrs, DictionaryAttr({})])
    return added
