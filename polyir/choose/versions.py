"""For which sizes, and on how many threads, a choice is worth it, where these are not known.

What is chosen is the best for the sizes that the model takes for granted. For small ones, parallel
regions, packed operands and the loops of tiles may take longer than the statements do. So all sizes
that are not known are made smaller together until the original order is as fast by the model; the
work that there is then is what the choice needs. Work is counted in a form that is quick to compute
at the entry of the function: products of sizes, which grow as the number of instances does. Where
only one size is small, such as that of a loop in vectors or of a parallel one, the choice may not
be worth it for the same work; so there is a least value of each size, too. It is found with the
others so much larger that the work stays the same. Of a loop from `k` to `n`, the size is `n - k`.

A program may also be run on one thread, where the original order can be as fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import gcd, log2, prod
from typing import Final

import islpy as isl

from polyir.choose.assumed_sizes import known_sizes
from polyir.choose.candidates import Candidates
from polyir.choose.mixtures import Mixture
from polyir.choose.program import region_of
from polyir.choose.regions import Form, count
from polyir.choose.thresholds import BETTER, KEPT
from polyir.loops.versions import Size
from polyir.model.scop import Scop
from polyir.sets.lists import parameters_of
from polyir.sets.values import isl_value

PRECISION: Final = 0.5
"""Sizes for which a choice is worth it are found up to this power of two."""

Product = tuple[Size, ...]


@dataclass(frozen=True)
class LeastWork:
    """What a choice is worth it for: a sum of products of sizes is `amount` or more.

    A size is in a product as often as it is a factor. Each size of `limits` has its number or more,
    too; `text` is the opposite for people, empty if any work is enough. It may only be worth it on
    `several_threads`. All sizes can be halved together `halvings` times before that is too little.
    """

    products: tuple[Product, ...]
    amount: int
    limits: tuple[tuple[Size, int], ...]
    several_threads: bool
    text: str
    halvings: float | None = field(default=None, compare=False)

    def implies(self, other: LeastWork) -> bool:
        """Whether what has this work has that one, too."""
        limits = dict(self.limits)
        return (
            not other.amount or (self.products == other.products and self.amount >= other.amount)
        ) and all(limits.get(size, 0) >= least for size, least in other.limits)


@dataclass(frozen=True)
class _Sizes:
    """What the parameters of a scop are taken to be.

    Of the `unknown` sizes, nothing is said: each is a parameter, above another one or `""`. Those
    are in front of it. What is an `offset` only says where loops start.
    """

    scop: Scop
    assumed: Mapping[str, int]
    unknown: Mapping[str, str]
    offsets: Sequence[str] = ()

    def numbers(self) -> dict[Size, int]:
        """What the unknown sizes are taken to be."""
        return {
            self._size(name): self.assumed[name] - self.assumed.get(above, 0)
            for name, above in self.unknown.items()
        }

    def texts(self) -> dict[Size, str]:
        """The unknown sizes for people."""
        return {
            self._size(name): f"({name} - {above})" if above else name
            for name, above in self.unknown.items()
        }

    def _size(self, name: str) -> Size:
        values = self.scop.op.parameter_values
        above = self.unknown[name]
        return Size(values[name], values[above] if above else None)

    def halved(self, times: float, only: Size | None = None, others: float = 0.0) -> dict[str, int]:
        """The sizes; the unknown ones, or only that one, are halved, but not to 0.

        The `others` that are unknown are then doubled so often.
        """
        found = dict(self.assumed)
        if only is None:
            found.update({name: _halved(found[name], times) for name in self.offsets})
        for (name, above), (size, number) in zip(
            self.unknown.items(), self.numbers().items(), strict=True
        ):
            is_halved = only in (None, size)
            found[name] = found.get(above, 0) + _halved(number, times if is_halved else -others)
        return found

    def degrees(self, domain: isl.Set) -> Counter[Size]:
        """How often each unknown size is a factor of the number of instances of a domain."""
        found = Counter[Size]()
        whole = _instances(domain, self.assumed)
        for size in self.numbers():
            half = _instances(domain, self.halved(1, size))
            if whole and half and (degree := round(log2(whole / half))) > 0:
                found[size] = degree
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

    def is_worth(times: float, size: Size | None = None) -> bool:
        return after.cycles(times, size) < margin * before.cycles(times, size)

    numbers = _numbers(sizes)
    names = {size: text for each in sizes for size, text in each.texts().items()}
    most = _most_halvings(max(numbers.values()), is_worth) if products else None
    amount = 0
    if most is not None:
        smaller = {size: _halved(number, most) for size, number in numbers.items()}
        amount = _sum(products, smaller)
    limits: dict[Size, int] = {}
    for size, number in numbers.items() if products and len(numbers) > 1 else ():
        halvings = _most_halvings(number, partial(is_worth, size=size))
        if halvings is not None:
            limits[size] = _halved(number, halvings)
    if len(products) == 1 and len(products[0]) == 1 and amount:
        # The work is a size itself.
        amount = max(amount, limits.pop(products[0][0], 0))
    several_threads = False
    if candidates.threads > 1 and chosen.keeps_order:
        # Another order may gain what the model does not see; this one has the same loops.
        alone = after.cycles(0, threads=1), before.cycles(0, threads=1)
        several_threads = chosen.has_parts or alone[0] >= BETTER * alone[1]
    if not amount and not limits and not several_threads:
        return None
    sums = " + ".join(" * ".join(names[size] for size in product) for product in products)
    texts = [f"{sums} below {amount}"] if amount else []
    texts += [f"{names[size]} below {least}" for size, least in limits.items()]
    found = products if amount else ()
    text = " or ".join(texts)
    return LeastWork(found, amount, tuple(limits.items()), several_threads, text, most)


def best_below(
    candidates: Candidates,
    original: Mixture,
    chosen: Mixture,
    least: LeastWork,
    others: Sequence[Mixture],
) -> Mixture | None:
    """What saves the most where there is too little work, or one size is below its least value.

    `None` if that is not much, or not more than what is `chosen` saves there, too.
    """
    sizes = _sizes(candidates)
    numbers = _numbers(sizes)
    places = [(size, log2(numbers[size] / limit)) for size, limit in least.limits if limit > 1]
    too_small: list[tuple[Size | None, float]] = [*places]
    if least.halvings is not None:
        too_small.append((None, least.halvings))
    part, found = KEPT, None
    for size, most in too_small:
        halvings = most + 1
        before, now = (
            _Estimate(candidates, each, sizes).cycles(halvings, size) for each in (original, chosen)
        )
        for each in others:
            after = _Estimate(candidates, each, sizes).cycles(halvings, size)
            if after < part * before and after < BETTER * now:
                part, found = after / before, each
    return found


def _sum(products: Sequence[Product], sizes: Mapping[Size, int]) -> int:
    return sum(prod(sizes[size] for size in product) for product in products)


def _sizes(candidates: Candidates) -> list[_Sizes]:
    return [
        _sizes_of(each.scop, model.values)
        for each, model in zip(candidates.scops, candidates.models, strict=True)
    ]


def _sizes_of(scop: Scop, assumed: Mapping[str, int]) -> _Sizes:
    """The sizes of a scop, of which those are unknown that have no value in the context.

    If a loop from `k` to `n` has no iteration for half of `n`, it is `n - k` that is a size.
    """
    known = known_sizes(scop)
    names = [name for name in parameters_of(scop.context.get_space()) if name not in known]
    names.sort(key=lambda name: assumed[name])
    domains = [each.domain for each in scop.bodies]
    unknown = dict.fromkeys(names, "")
    for place, name in enumerate(names):
        half = {**assumed, name: _halved(assumed[name], 1)}
        empty = [each for each in domains if not _instances(each, half)]
        lower = (other for other in reversed(names[:place]) if _is_above(name, other, empty))
        unknown[name] = next(lower, "")
    sizes = _Sizes(scop, assumed, unknown)
    degrees = Counter[Size]()
    for each in domains if any(unknown.values()) else ():
        degrees.update(sizes.degrees(each))
    offsets = [
        name
        for name, size in zip(names, sizes.numbers(), strict=True)
        if name in unknown.values() and not degrees[size]
    ]
    return _Sizes(scop, assumed, {n: a for n, a in unknown.items() if n not in offsets}, offsets)


def _is_above(name: str, other: str, domains: Iterable[isl.Set]) -> bool:
    """Whether one of the domains is empty unless a parameter is above another one."""
    for domain in domains:
        points = domain.params()
        places = [points.find_dim_by_name(isl.dim_type.param, each) for each in (name, other)]
        if min(places) >= 0:
            below = isl.Constraint.inequality_alloc(isl.LocalSpace.from_space(points.get_space()))
            for place, sign in zip(places, (-1, 1), strict=True):
                below = below.set_coefficient_val(isl.dim_type.param, place, isl_value(sign))
            if points.add_constraint(below).is_empty():
                return True
    return False


def _numbers(sizes: Sequence[_Sizes]) -> dict[Size, int]:
    """What the unknown sizes are taken to be; of several scops, the largest number."""
    numbers: dict[Size, int] = {}
    for each in sizes:
        for size, number in each.numbers().items():
            numbers[size] = max(number, numbers.get(size, 0))
    return numbers


def _products(sizes: Sequence[_Sizes]) -> tuple[Product, ...]:
    """The numbers of instances of statements as products of sizes, without parts of others.

    Of a single one, a root will do: `n` says as much as `n * n * n`.
    """
    found = [each.degrees(body.domain) for each in sizes for body in each.scop.bodies]
    largest: list[Counter[Size]] = []
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
        self._parts = list(zip(scops, mixture.trees, sizes, mixture.best.kept, strict=True))
        self._unknown = len(_numbers(sizes))

    def cycles(
        self, halvings: float, only: Size | None = None, threads: int | None = None
    ) -> float:
        """The cycles with all unknown sizes halved so often, or only that one.

        The others are then so much larger that the work stays the same. `threads` run parallel
        loops instead of those that there are.
        """
        others = 0.0 if only is None else halvings / (self._unknown - 1)
        total = self._entry
        for scheduled, tree, sizes, kept in self._parts:
            model = self._candidates.model(
                scheduled.scop,
                self._is_packed,
                sizes.halved(halvings, only, others),
                kept,
                threads,
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
