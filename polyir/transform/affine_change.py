"""Skewing, shifting, reversing and scaling: affine changes of the values of one loop.

The unimodular ones are those of U. Banerjee, "Unimodular transformations of double loops"
(1990); shifting and scaling statement by statement are those of W. Kelly and W. Pugh, "A
framework for unifying reordering transformations" (1993).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.sets.lists import parameters_of, union_set
from polyir.sets.values import isl_value
from polyir.transform.bands import listed, replace_band, require_free
from polyir.transform.loop_attributes import settled
from polyir.tree import Schedule
from polyir.tree.addresses import Directory, Loop, LoopAddress, StatementAddress
from polyir.tree.names import name_list, statements_of

_Change = Callable[[isl.UnionPwAff], isl.UnionPwAff]


@dataclass(frozen=True)
class SkewOptions:
    """Add `factor` times the loop `by` to `loop`; raises `OptionError` for a factor of 0."""

    loop: LoopAddress
    by: LoopAddress
    factor: int = 1

    def __post_init__(self) -> None:
        if self.factor == 0:
            raise OptionError("factor must not be 0")
        if self.loop == self.by:
            raise OptionError(f"a loop cannot be skewed by itself: loop={self.loop} by={self.by}")


@dataclass(frozen=True)
class ShiftOptions:
    """Add `by` to the values that `loop` has for `statements`, or for all if there are none.

    `by` is an affine expression of the parameters in isl's notation: `1`, `n`, `2n - 1`.
    """

    loop: LoopAddress
    by: int | str
    statements: tuple[StatementAddress, ...] = ()


@dataclass(frozen=True)
class ScaleOptions:
    """Multiply the values that `loop` has for `statements` (none: for all) by `factor`.

    Raises `OptionError` unless the factor is 2 or more.
    """

    loop: LoopAddress
    factor: int
    statements: tuple[StatementAddress, ...] = ()

    def __post_init__(self) -> None:
        if self.factor < 2:
            raise OptionError(f"factor must be 2 or more: factor={self.factor}")


def skew(schedule: Schedule, dependences: Dependences, options: SkewOptions) -> Outcome:
    """Skew a loop by another one that is nested with it, around or inside.

        band [i, j]        =>        band [i, f i + j]           skew j by i

    All flags of the result are exact.

    Raises `OptionError` for addresses of no loop and where `by` is not a loop of all instances
    of `loop`, `LegalityError` if a dependence is violated.
    """
    directory = Directory(schedule)
    loop, by = directory.loop(options.loop), directory.loop(options.by)
    if loop.place == by.place:
        raise OptionError(f"{loop} and {by} are the same loop")
    if not loop.band.domain.is_subset(by.band.domain):
        raise OptionError(
            f"cannot skew {loop} by {by}: {loop} contains {name_list(statements_of(loop.band))}, "
            f"but {by} contains only {name_list(statements_of(by.band))}"
        )
    term = by.band.members[by.member].function.scale_val(isl_value(options.factor))
    changed = _with_values(loop, _values(loop).add(term), f"skewing {loop}")
    what = f"skewing {loop} by {options.factor} * {by}"
    done = f"skewed {loop} by {options.factor} * {by}"
    return settled(schedule, changed, dependences, what, [done])


def shift(schedule: Schedule, dependences: Dependences, options: ShiftOptions) -> Outcome:
    """Shift statements along a loop: their iterations run `by` later.

        band [S0: i, S1: i]        =>        band [S0: i, S1: i + b]        shift S1

    All flags of the result are exact.

    Raises `OptionError` for addresses of no loop, for statements that are not in it and where
    `by` is not an affine expression of the parameters, `LegalityError` if a dependence is violated.
    """
    directory = Directory(schedule)
    loop = directory.loop(options.loop)
    moved = _instances(directory, loop, options.statements)
    amount = parametric(str(options.by), schedule.domain.get_space())

    def shifted(values: isl.UnionPwAff) -> isl.UnionPwAff:
        domain = values.domain()
        return values.add(isl.UnionPwAff.pw_aff_on_domain(domain, amount))

    names = listed(options.statements) or name_list(statements_of(loop.band))
    changed = _change_some(loop, moved, shifted, f"shifting {names}")
    what = f"shifting {names} by {options.by} along {loop}"
    done = f"shifted {names} by {options.by} along {loop}"
    return settled(schedule, changed, dependences, what, [done])


def reverse(schedule: Schedule, dependences: Dependences, address: LoopAddress) -> Outcome:
    """Run a loop from its last iteration to its first.

        band [i]        =>        band [-i]

    All flags of the result are exact.

    Raises `OptionError` for an address of no loop, `LegalityError` if a dependence is violated.
    """
    loop = Directory(schedule).loop(address)
    changed = _with_values(loop, _values(loop).neg(), f"reversing {loop}")
    return settled(schedule, changed, dependences, f"reversing {loop}", [f"reversed {loop}"])


def scale(schedule: Schedule, dependences: Dependences, options: ScaleOptions) -> Outcome:
    """Spread the iterations of statements along a loop, with gaps for those of others.

        band [S0: i, S1: i]        =>        band [S0: i, S1: f i]        scale S1

    All flags of the result are exact.

    Raises `OptionError` for addresses of no loop and for statements that are not in it,
    `LegalityError` if a dependence is violated.
    """
    directory = Directory(schedule)
    loop = directory.loop(options.loop)
    moved = _instances(directory, loop, options.statements)
    names = listed(options.statements) or name_list(statements_of(loop.band))
    factor = isl_value(options.factor)
    changed = _change_some(loop, moved, lambda values: values.scale_val(factor), f"scaling {names}")
    what = f"scaling {names} by {options.factor} along {loop}"
    done = f"scaled {names} by {options.factor} along {loop}"
    return settled(schedule, changed, dependences, what, [done])


def parametric(text: str, space: isl.Space) -> isl.PwAff:
    """The affine expression `text` of the parameters of `space`, in isl's notation.

    Raises `OptionError` if it is none.
    """
    names = parameters_of(space)
    try:
        return isl.PwAff(f"[{', '.join(names)}] -> {{ [({text})] }}")
    except isl.Error:
        known = ", ".join(names) or "there are none"
        raise OptionError(
            f"'{text}' is not an affine expression of the parameters ({known})"
        ) from None


def _instances(
    directory: Directory, loop: Loop, references: tuple[StatementAddress, ...]
) -> isl.UnionSet | None:
    """The instances of `references` in `loop`; `None` for all of them if there are no references.

    Raises `OptionError` for a statement that is not in the loop.
    """
    if not references:
        return None
    instances: list[isl.Set] = []
    for reference in references:
        inside = [part for part in directory.parts_of(reference) if loop.place in part.loops]
        if not inside:
            raise OptionError(f"{reference} is not inside loop {loop}")
        instances += [part.instances for part in inside]
    return union_set(instances, loop.band.domain.get_space())


def _are_whole_statements(instances: isl.UnionSet, loop: Loop) -> bool:
    """Are `instances` all that their statements have in `loop`?"""
    return loop.band.domain.intersect(instances.universe()).is_subset(instances)


def _values(loop: Loop) -> isl.UnionPwAff:
    return loop.band.members[loop.member].function


def _change_some(
    loop: Loop, instances: isl.UnionSet | None, change: _Change, what: str
) -> Schedule:
    """The tree with the values of `loop` changed, for some instances or for all."""
    values = _values(loop)
    if instances is None:
        return _with_values(loop, change(values), what)
    if _are_whole_statements(instances, loop):
        # Whole statements keep functions without conditions on their instances.
        instances = instances.universe()
    changed = change(values.intersect_domain(instances))
    changed = changed.union_add(values.subtract_domain(instances)).coalesce()
    return _with_values(loop, changed, what)


def _with_values(loop: Loop, values: isl.UnionPwAff, what: str) -> Schedule:
    """The tree with other values of `loop`."""
    require_free(loop.band, what)
    members = list(loop.band.members)
    members[loop.member] = members[loop.member].with_function(values)
    return replace_band(loop.band, members).schedule
