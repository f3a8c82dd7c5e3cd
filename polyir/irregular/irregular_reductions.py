"""Irregular reductions in parallel: loops that only update elements which index arrays choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from xdsl.dialects.builtin import AnyFloat

from polyir.base.diagnostics import Report, location_of
from polyir.irregular.atomic_updates import require_atomic, use_atomic_updates
from polyir.irregular.colouring import find_colours
from polyir.irregular.iteration_order import require_any_order
from polyir.irregular.loop_parts import IrregularLoopError
from polyir.irregular.private_copies import require_neutral, use_private_copies
from polyir.irregular.reduction_loops import updates_in
from polyir.irregular.slices import address_slice, has_known_effects, subscripts_of
from polyir.irregular.wavefronts import first_wavefronts, inspect_wavefronts
from polyir.loops.loop_forms import SequentialLoop
from polyir.model.updates import Chain


@dataclass(frozen=True)
class ReductionOptions:
    """How irregular reductions run in parallel; the options of the pass."""

    method: Literal["colouring", "private-copies", "atomics"]
    block: int
    copies: int
    reassociate: bool


def parallelize(loop: SequentialLoop, options: ReductionOptions, report: Report) -> None:
    """Let the iterations of an irregular reduction run in parallel.

    Raises `PolyirError`, with the place that is the reason, for a loop that does anything else,
    for floating-point updates in another order that are not allowed, and where an inspector is
    needed that cannot be.
    """
    for op in loop.walk():
        if not has_known_effects(op):
            raise IrregularLoopError(f"it is not known what '{op.name}' does", location_of(op))
    chains = updates_in(loop)
    for chain in chains:
        # Nothing has changed yet where subscripts have a form that code is not made for.
        subscripts_of(chain.store, loop)
    match options.method:
        case "colouring":
            _colour(loop, chains, options, report)
        case "private-copies":
            require_neutral(chains)
            require_any_order(loop, options.reassociate)
            use_private_copies(loop, chains, options.copies, report)
        case "atomics":
            require_atomic(chains)
            require_any_order(loop, options.reassociate)
            use_atomic_updates(loop, chains)


def _colour(
    loop: SequentialLoop,
    chains: Sequence[Chain],
    options: ReductionOptions,
    report: Report,
) -> None:
    """Run blocks of one colour in parallel.

    Where their order must stay, the colours are wavefronts: a block has a higher one than each
    block before it with a common element.
    """
    # An update accesses one element, at which the store alone is visited.
    slice = address_slice(loop).only([chain.store for chain in chains])
    has_floats = any(isinstance(chain.load.results[0].type, AnyFloat) for chain in chains)
    keeps_order = has_floats and not options.reassociate
    if not keeps_order:
        require_any_order(loop, options.reassociate)
    number = partial(first_wavefronts, has_loads=False) if keeps_order else find_colours
    inspect_wavefronts(slice, options.block, report, number)
