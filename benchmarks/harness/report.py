"""The results as a table, with ratios and geometric means, and as JSON."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from math import exp, log
from pathlib import Path
from typing import Any

from .measure import Settings
from .results import Result, Status
from .variants import BASE, Variant


class Ratios:
    """The speed-ups over the base: its shortest time by the shortest time of each."""

    def __init__(self, results: Sequence[Result]) -> None:
        self.kernels = tuple(dict.fromkeys(result.kernel for result in results))
        self.columns = tuple(dict.fromkeys(result.column for result in results))
        self._results = {(result.kernel, result.column): result for result in results}
        self._base = {r.kernel: r.minimum for r in results if r.variant == BASE.name}

    def result(self, kernel: str, column: str) -> Result | None:
        """What is known of a kernel's variant."""
        return self._results.get((kernel, column))

    def base_seconds(self, kernel: str) -> float | None:
        """The shortest time of the base."""
        return self._base.get(kernel)

    def ratio(self, kernel: str, column: str) -> float | None:
        """The speed-up, if both times count."""
        result, base = self.result(kernel, column), self.base_seconds(kernel)
        if result is None or result.minimum is None or base is None:
            return None
        return base / result.minimum

    def best(self, kernel: str, columns: Iterable[str]) -> float | None:
        """The largest speed-up among some columns."""
        ratios = [self.ratio(kernel, column) for column in columns]
        return max((ratio for ratio in ratios if ratio is not None), default=None)

    def valid(self, column: str) -> list[float]:
        """The speed-ups of a column that count."""
        ratios = (self.ratio(kernel, column) for kernel in self.kernels)
        return [ratio for ratio in ratios if ratio is not None]


def geometric_mean(values: Sequence[float]) -> float | None:
    """The geometric mean; `None` of nothing."""
    return exp(sum(log(value) for value in values) / len(values)) if values else None


def table(results: Sequence[Result], variants: Sequence[Variant]) -> str:
    """Speed-ups over the base, kernel by kernel, then means, then every reason for a gap."""
    ratios = Ratios(results)
    ours = {variant.name for variant in variants if variant.is_polyir}
    columns_of = {
        is_ours: [r.column for r in results if (r.variant in ours) is is_ours]
        for is_ours in (False, True)
    }
    rows = [["kernel", "gcc ms", *ratios.columns, "best peer", "best polyir"]]
    for kernel in ratios.kernels:
        cells = [_cell(ratios, kernel, column) for column in ratios.columns]
        best = [_number(ratios.best(kernel, columns_of[is_ours])) for is_ours in (False, True)]
        seconds = ratios.base_seconds(kernel)
        rows.append([kernel, _number(None if seconds is None else seconds * 1e3), *cells, *best])
    rows += _mean_rows(ratios, columns_of)
    lines = [aligned(rows), "", *_reasons(results)]
    return "\n".join(lines).rstrip()


def _mean_rows(ratios: Ratios, columns_of: dict[bool, list[str]]) -> list[list[str]]:
    """The mean of the valid ratios, how many they are, and the mean with 1.0 for the others."""
    lists = [ratios.valid(column) for column in ratios.columns]
    for is_ours in (False, True):
        best = (ratios.best(kernel, columns_of[is_ours]) for kernel in ratios.kernels)
        lists.append([ratio for ratio in best if ratio is not None])
    count = len(ratios.kernels)
    filled = [[*values, *([1.0] * (count - len(values)))] for values in lists]
    return [
        ["geomean, valid", "", *(_number(geometric_mean(values)) for values in lists)],
        ["valid", "", *(str(len(values)) for values in lists)],
        ["geomean, else 1", "", *(_number(geometric_mean(values)) for values in filled)],
    ]


def _cell(ratios: Ratios, kernel: str, column: str) -> str:
    result = ratios.result(kernel, column)
    if result is None:
        return "-"
    return _number(ratios.ratio(kernel, column)) if result.status is Status.RIGHT else result.status


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as columns, the first one to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]))
    return "\n".join(lines)


def _reasons(results: Iterable[Result]) -> list[str]:
    return [
        f"{result.kernel}, {result.column}: {result.status}: {result.reason}"
        for result in results
        if result.status is not Status.RIGHT
    ]


def as_json(results: Sequence[Result], variants: Sequence[Variant], settings: Settings) -> str:
    """Everything that is known, with every single time."""
    ratios = Ratios(results)
    content = {
        "machine": machine(),
        "settings": asdict(settings),
        "variants": [asdict(variant) for variant in variants],
        "results": [
            asdict(result)
            | {
                "minimum": result.minimum,
                "median": result.median,
                "ratio": ratios.ratio(result.kernel, result.column),
            }
            for result in results
        ],
    }
    return json.dumps(content, indent=1)


def saved_results(content: Mapping[str, Any]) -> tuple[Result, ...]:
    """The results in what `as_json` wrote."""
    known = [each.name for each in fields(Result)]
    parsed = (
        {name: item[name] for name in known if name in item}
        | {"status": Status(item["status"]), "times": tuple(item["times"])}
        for item in content["results"]
    )
    return tuple(Result(**item) for item in parsed)


def machine() -> dict[str, str | int]:
    """What the numbers depend on."""
    names = [
        line.partition(":")[2].strip()
        for line in _text(Path("/proc/cpuinfo")).splitlines()
        if line.startswith("model name")
    ]
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": os.cpu_count() or 1,
        "system": platform.platform(),
        "gcc": _first_line(["gcc", "--version"]),
        "clang": _first_line(["clang-19", "--version"]),
        "commit": _first_line(["git", "rev-parse", "HEAD"]),
    }


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.partition("\n")[0] if done.returncode == 0 else ""
