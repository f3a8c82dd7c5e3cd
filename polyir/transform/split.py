"""Index-set splitting.

M. Griebl, P. Feautrier, C. Lengauer, "Index set splitting", IJPP 28 (2000).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.sets.lists import parameters_of, union_set
from polyir.transform.bands import listed, require_free, split_at
from polyir.transform.loop_attributes import settled
from polyir.tree import Schedule
from polyir.tree.addresses import Directory, LoopAddress, StatementAddress, StatementPart


@dataclass(frozen=True)
class SplitOptions:
    """Which instances of `statements` are to run before all others of `loop`.

    `condition` is one of isl's, on the iterators of the statements, by their names, and on the
    parameters: `i < floor(n/2)`, which can be written `i < n floordiv 2` too. Without `loop`, it
    is the outermost one around the first statement. Raises `OptionError` if there is no statement.
    """

    statements: tuple[StatementAddress, ...]
    condition: str
    loop: LoopAddress | None = None

    def __post_init__(self) -> None:
        if not self.statements:
            raise OptionError("give a statement to split, as in statements=S0")


def split(schedule: Schedule, dependences: Dependences, options: SplitOptions) -> Outcome:
    """Split the instances of statements at a loop: those that meet a condition run first.

        band [i]        =>        sequence
                                    filter { S0[i] : condition }
                                      band [i]
                                    filter { the rest }
                                      band [i]

    Afterwards a statement with instances on both sides has two parts, `S0/0` and `S0/1`. Where
    the condition holds for all or for none, nothing changes. All flags of the result are exact.

    Raises `OptionError` for names of no statement or loop, for statements that are not in the
    loop and for malformed conditions, `LegalityError` if a dependence is violated.
    """
    directory = Directory(schedule)
    parts = tuple(
        part for reference in options.statements for part in directory.parts_of(reference)
    )
    if not parts:
        raise OptionError(f"{listed(options.statements)} has no instances")
    loop = directory.loop(options.loop or LoopAddress(parts[0].reference, 0))
    for part in parts:
        if loop.place not in part.loops:
            raise OptionError(f"{part.reference} is not inside loop {loop}")
    what = f"splitting {listed(options.statements)} by '{options.condition}'"
    require_free(loop.band, what)
    chosen = _chosen(parts, options.condition)
    inside = loop.band.domain
    for count, instances in (("none", chosen), ("all", inside.subtract(chosen))):
        if instances.is_empty():
            reason = f"'{options.condition}' holds for {count} of the instances in {loop}"
            return Outcome(schedule, (), (f"nothing was split: {reason}",), name="not-split")
    band = split_at(loop.band, loop.member)
    changed = band.order_before(chosen).schedule
    done = f"split {listed(options.statements)} by '{options.condition}' at {loop}"
    return settled(schedule, changed, dependences, what, [done])


def _chosen(parts: tuple[StatementPart, ...], condition: str) -> isl.UnionSet:
    """The instances of the parts that meet the condition."""
    met = (part.instances.intersect(_meeting(part.instances, condition)) for part in parts)
    chosen = union_set(met, parts[0].instances.get_space())
    return isl.UnionSet.empty(chosen.get_space()) if chosen.is_empty() else chosen


def _meeting(instances: isl.Set, condition: str) -> isl.Set:
    """`{ S[i] : condition }` in the space of `instances`; raises `OptionError`."""
    name = instances.get_tuple_name()
    parameters = parameters_of(instances.get_space())
    iterators = [
        instances.get_dim_name(isl.dim_type.set, position) or f"i{position}"
        for position in range(instances.dim(isl.dim_type.set))
    ]
    space = f"[{', '.join(parameters)}] -> {{ {name}[{', '.join(iterators)}]"
    text = f"{space} : ({_isl_notation(condition)}) }}"
    try:
        return isl.Set(text)
    except isl.Error:
        known = ", ".join([*iterators, *parameters])
        raise OptionError(
            f"'{condition}' is not an affine condition on {known} of {name}, in isl's notation: "
            "i < floor(n/2) and j != 0"
        ) from None


_FLOORDIV = re.compile(r"(\w+|\([^()]*\))\s+floordiv\s+(\d+)")


def _isl_notation(condition: str) -> str:
    """`condition` with floor divisions as isl writes them.

    Raises `OptionError` for a quotient of a product without parentheses, where the notations of
    MLIR and isl have different precedences.
    """

    def rewrite(match: re.Match[str]) -> str:
        before = condition[: match.start()].rstrip()
        if before.endswith(("*", "-", "mod", "floordiv")) or before[-1:].isdigit():
            raise OptionError(f"put what floordiv divides into parentheses in '{condition}'")
        return f"floor(({match[1]})/{match[2]})"

    return _FLOORDIV.sub(rewrite, condition)
