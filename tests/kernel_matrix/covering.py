"""Few combinations in which each two settings of different factors occur together.

The greedy method of D. Cohen, S. Dalal, M. Fredman, G. Patton: "The AETG system: an approach to
testing based on combinatorial design" (IEEE Transactions on Software Engineering, 1997).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from random import Random

Row = dict[str, str]
Pair = frozenset[tuple[str, str]]

CANDIDATES = 5
"""How many rows are made for each one that is taken."""


def covering_array(factors: Mapping[str, Sequence[str]], seed: int = 0) -> list[Row]:
    """Rows with a setting of each factor; the first ones have the most pairs that are new."""
    random = Random(seed)
    missing = {
        frozenset(pair)
        for one, other in combinations(factors, 2)
        for pair in product(_settings(factors, one), _settings(factors, other))
    }
    rows: list[Row] = []
    while missing:
        # Sets have no order that is the same in each run.
        first = min(random.sample(sorted(missing, key=sorted), 1), key=sorted)
        made = [_row(factors, first, missing, random) for _ in range(CANDIDATES)]
        best = max(made, key=lambda row: len(missing & set(pairs_of(row))))
        missing -= set(pairs_of(best))
        rows.append(best)
    return rows


def pairs_of(row: Row) -> Iterator[Pair]:
    """The pairs of settings that a row has."""
    return (frozenset(pair) for pair in combinations(row.items(), 2))


def _settings(factors: Mapping[str, Sequence[str]], name: str) -> list[tuple[str, str]]:
    return [(name, setting) for setting in factors[name]]


def _row(
    factors: Mapping[str, Sequence[str]], first: Pair, missing: set[Pair], random: Random
) -> Row:
    """A row with a pair, each other factor set to what gives the most new pairs with the rest."""
    row = dict(first)
    others = [name for name in factors if name not in row]
    random.shuffle(others)
    for name in others:
        settings = random.sample(_settings(factors, name), len(factors[name]))
        chosen = max(
            settings,
            key=lambda new: sum(frozenset((new, old)) in missing for old in row.items()),
        )
        row[name] = chosen[1]
    return {name: row[name] for name in factors}
