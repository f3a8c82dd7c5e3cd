"""What `optimize` found of each strategy that it tried, as a table for each function."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from polyir.base.diagnostics import Remark, SourceLocation
from polyir.choose.model import Cost
from polyir.choose.remarks import CHOSEN, StrategyRemark


@dataclass(frozen=True)
class EstimateRow:
    """A strategy: its milliseconds, its cycles in millions, or the `reason` why it is refused.

    `limit` names the largest of the cycles that overlap.
    """

    strategy: str
    is_chosen: bool
    milliseconds: float | None
    cycles: Mapping[str, float]
    limit: str
    reason: str


@dataclass(frozen=True)
class EstimateTable:
    """The strategies for the function at a place; `columns` names the parts of their cycles."""

    location: SourceLocation | None
    columns: tuple[str, ...]
    rows: tuple[EstimateRow, ...]


def estimate_tables(remarks: Sequence[Remark]) -> tuple[EstimateTable, ...]:
    """A table for each function that there are estimates for."""
    tables: list[EstimateTable] = []
    found = (each for each in remarks if isinstance(each, StrategyRemark))
    for location, group in groupby(found, lambda each: each.location):
        here = (each.message for each in remarks if each.location == location)
        chosen = next((each for each in here if each.startswith(CHOSEN)), "")
        name = chosen.removeprefix(CHOSEN).partition(",")[0]
        rows = tuple(_rows(list(group), name))
        columns = dict.fromkeys(part for row in rows for part in row.cycles)
        tables.append(EstimateTable(location, tuple(columns), rows))
    return tuple(tables)


def _rows(remarks: Sequence[StrategyRemark], chosen: str) -> Iterator[EstimateRow]:
    """A row for each strategy, with the sums over the static control parts of the function.

    Of those that were tried again with other sizes, that is what is shown.
    """
    groups = groupby(remarks, lambda each: each.strategy)
    last = {name: list(group) for name, group in groups}
    for name, of_strategy in last.items():
        costs = [each.cost for each in of_strategy if each.cost is not None]
        if len(costs) < len(of_strategy):
            yield EstimateRow(name, False, None, {}, "", of_strategy[0].reason)
            continue
        overlapping = _sums([cost.parts for cost in costs])
        added = _sums([_added(cost) for cost in costs])
        yield EstimateRow(
            name,
            name == chosen,
            1e3 * sum(cost.seconds for cost in costs),
            {part: cycles / 1e6 for part, cycles in (overlapping | added).items()},
            max(overlapping, key=overlapping.__getitem__),
            "",
        )


def _added(cost: Cost) -> Mapping[str, float]:
    """The cycles that nothing overlaps."""
    return {"starts of loops": cost.starts, "parallel regions": cost.overhead}


def _sums(parts: Sequence[Mapping[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for each in parts:
        for name, amount in each.items():
            sums[name] += amount
    return dict(sums)


def number_text(number: float) -> str:
    """A number with three digits that count, or all before the point."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
