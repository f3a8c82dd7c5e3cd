"""For which sizes, and on how many threads, a choice is worth it, where these are not known.

What is chosen is the best for the sizes that the model takes for granted. For small ones, parallel
regions, packed operands and the loops of tiles may take longer than the statements do. So all sizes
that are not known are made smaller together until the original order is as fast by the model; the
work that there is then is what the choice needs. Work is counted in a form that is quick to compute
at the entry of the function: products of sizes, which grow as the number of instances does. Where
only one size is small, such as that of a loop in vectors or of a parallel one, the choice may not
be worth it for the same work; so there is a least value of each size, too. It is found with the
others so much larger that the work stays the same.

A program may also be run on one thread, where the original order can be as fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import gcd, log2, prod
from typing import Final

import islpy as isl
from xdsl.ir import SSAValue

from polyir.choose.assumed_sizes import known_sizes
from polyir.choose.candidates import Candidates
from polyir.choose.mixtures import Mixture
from polyir.choose.program import region_of
from polyir.choose.regions import Form, count
from polyir.choose.thresholds import BETTER, MOVED
from polyir.model.scop import Scop
from polyir.sets.lists import parameters_of

PRECISION: Final = 0.5
"""Sizes for which a choice is worth it are found up to this power of two."""

Product = tuple[SSAValue, ...]


@dataclass(frozen=True)
class LeastWork:
    """What a choice is worth it for: a sum of products of sizes is `amount` or more.

    A size is in a product as often as it is a factor. Each size of `limits` has its number or more,
    too; `text` is the opposite for people, empty if any work is enough. It may only be worth it on
    `several_threads`.
    """

    products: tuple[Product, ...]
    amount: int
    limits: tuple[tuple[SSAValue, int], ...]
    several_threads: bool
    text: str

    def implies(self, other: LeastWork) -> bool:
        """Whether what has this work has that one, too."""
        limits = dict(self.limits)
        return (
            not other.amount or (self.products == other.products and self.amount >= other.amount)
        ) and all(limits.get(size, 0) >= least for size, least in other.limits)


@dataclass(frozen=True)
class _Sizes:
    """What the parameters of a scop are taken to be; of the `unknown` ones, nothing is said."""

    scop: Scop
    assumed: Mapping[str, int]
    unknown: tuple[str, ...]

    def halved(
        self, times: float, only: SSAValue | None = None, others: float = 0.0
    ) -> dict[str, int]:
        """The sizes; the unknown ones, or only that one, are halved, but not to 0.

        The `others` that are unknown are then doubled so often.
        """
        values = self.scop.op.parameter_values
        found = dict(self.assumed)
        for name in self.unknown:
            is_halved = only in (None, values[name])
            found[name] = _halved(found[name], times if is_halved else -others)
        return found

    def degrees(self, domain: isl.Set) -> Counter[SSAValue]:
        """How often each unknown size is a factor of the number of instances of a domain."""
        values, found = self.scop.op.parameter_values, Counter[SSAValue]()
        whole = _instances(domain, self.assumed)
        for name in self.unknown:
            half = _instances(domain, self.halved(1, values[name]))
            if whole and half and (degree := round(log2(whole / half))) > 0:
                found[values[name]] = degree
        return found


def _halved(size: int, times: float) -> int:
    return max(1, round(size / 2**times))


def _instances(domain: isl.Set, sizes: Mapping[str, int]) -> float:
    """How many instances there are, about."""
    region = region_of(domain, sizes)
    return count(region, [Form(((place, 1.0),)) for place in range(len(region.low))])


def least_work(
    candidates: Candidates, original: Mixture, chosen: Mixture, worth: float
) -> LeastWork | None:
    """The least work for which a choice is worth it; `None` if it always is.

    It then takes at most the part `worth` of the time of the original order.
    """
    sizes = _sizes(candidates)
    products = _products(sizes)
    # What is better than another candidate, or only has nests of others, may save less.
    margin = worth if chosen.cycles < worth * original.cycles else BETTER
    before, after = (_Estimate(candidates, each, sizes) for each in (original, chosen))

    def is_worth(times: float, size: SSAValue | None = None) -> bool:
        return after.cycles(times, size) < margin * before.cycles(times, size)

    numbers = _numbers(sizes)
    names = {each.scop.op.parameter_values[name]: name for each in sizes for name in each.unknown}
    halvings = _most_halvings(max(numbers.values()), is_worth) if products else None
    amount = 0
    if halvings is not None:
        smaller = {size: _halved(number, halvings) for size, number in numbers.items()}
        amount = _sum(products, smaller)
    limits: dict[SSAValue, int] = {}
    for size, number in numbers.items() if products and len(numbers) > 1 else ():
        halvings = _most_halvings(number, partial(is_worth, size=size))
        if halvings is not None:
            limits[size] = _halved(number, halvings)
    several_threads = False
    if candidates.threads > 1 and chosen.keeps_order:
        # Another order may gain what the model does not see; this one has the same loops.
        alone = after.cycles(0, threads=1), before.cycles(0, threads=1)
        several_threads = alone[0] >= BETTER * alone[1]
    if not amount and not limits and not several_threads:
        return None
    sums = " + ".join(" * ".join(names[size] for size in product) for product in products)
    texts = [f"{sums} below {amount}"] if amount else []
    texts += [f"{names[size]} below {least}" for size, least in limits.items()]
    found = products if amount else ()
    return LeastWork(found, amount, tuple(limits.items()), several_threads, " or ".join(texts))


def best_below(
    candidates: Candidates,
    original: Mixture,
    chosen: Mixture,
    least: LeastWork,
    others: Sequence[Mixture],
) -> Mixture | None:
    """What saves the most where one size is below its least value.

    `None` if that is not much, or not more than what is `chosen` saves there, too.
    """
    sizes = _sizes(candidates)
    numbers = _numbers(sizes)
    part, found = MOVED, None
    for size, limit in least.limits:
        if limit <= 1:
            continue
        halvings = log2(numbers[size] / limit) + 1
        before, now = (
            _Estimate(candidates, each, sizes).cycles(halvings, size) for each in (original, chosen)
        )
        for each in others:
            after = _Estimate(candidates, each, sizes).cycles(halvings, size)
            if after < part * before and after < BETTER * now:
                part, found = after / before, each
    return found


def _sum(products: Sequence[Product], sizes: Mapping[SSAValue, int]) -> int:
    return sum(prod(sizes[size] for size in product) for product in products)


def _sizes(candidates: Candidates) -> list[_Sizes]:
    return [
        _Sizes(each.scop, model.values, _unknown(each.scop))
        for each, model in zip(candidates.scops, candidates.models, strict=True)
    ]


def _numbers(sizes: Sequence[_Sizes]) -> dict[SSAValue, int]:
    """What the unknown sizes are taken to be; of several scops, the largest number."""
    numbers: dict[SSAValue, int] = {}
    for each in sizes:
        for name in each.unknown:
            value = each.scop.op.parameter_values[name]
            numbers[value] = max(each.assumed[name], numbers.get(value, 0))
    return numbers


def _unknown(scop: Scop) -> tuple[str, ...]:
    """The parameters that have no value in the context."""
    known = known_sizes(scop)
    return tuple(name for name in parameters_of(scop.context.get_space()) if name not in known)


def _products(sizes: Sequence[_Sizes]) -> tuple[Product, ...]:
    """The numbers of instances of statements as products of sizes, without parts of others.

    Of a single one, a root will do: `n` says as much as `n * n * n`.
    """
    found = [each.degrees(body.domain) for each in sizes for body in each.scop.bodies]
    largest: list[Counter[SSAValue]] = []
    for one in found:
        if one and one not in largest and not any(one < other for other in found):
            largest.append(one)
    root = gcd(*largest[0].values()) if len(largest) == 1 else 1
    return tuple(
        tuple(size for size, times in each.items() for _ in range(times // root))
        for each in largest
    )


class _Estimate:
    """What trees cost for other sizes than those that they were chosen for."""

    def __init__(self, candidates: Candidates, mixture: Mixture, sizes: Sequence[_Sizes]) -> None:
        self._candidates = candidates
        self._is_packed = mixture.is_packed
        self._entry = mixture.best.entry
        scops = candidates.scops_with(mixture.best.memory)
        self._parts = list(zip(scops, mixture.trees, sizes, strict=True))
        self._unknown = len(_numbers(sizes))

    def cycles(
        self, halvings: float, only: SSAValue | None = None, threads: int | None = None
    ) -> float:
        """The cycles with all unknown sizes halved so often, or only that one.

        The others are then so much larger that the work stays the same. `threads` run parallel
        loops instead of those that there are.
        """
        others = 0.0 if only is None else halvings / (self._unknown - 1)
        total = self._entry
        for scheduled, tree, sizes in self._parts:
            model = self._candidates.model(
                scheduled.scop,
                self._is_packed,
                sizes.halved(halvings, only, others),
                threads=threads,
            )
            total += model.estimate(tree.schedule).score
        return total


def _most_halvings(size: int, is_worth: Callable[[float], bool]) -> float | None:
    """How often a size can be halved and a choice be worth it; `None` if always."""
    worth, not_worth = 0.0, log2(max(1, size))
    if is_worth(not_worth):
        return None
    while not_worth - worth > PRECISION:
        middle = (worth + not_worth) / 2
        if is_worth(middle):
            worth = middle
        else:
            not_worth = middle
    return worth
