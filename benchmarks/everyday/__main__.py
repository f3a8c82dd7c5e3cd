"""Measure the choice of `optimize` on random everyday nests that it was not tuned on.

    make bench-model BENCH="--count=500 --seed=20261128"

Each nest is compiled as it is, and as `polyir-cc` leaves it for one and for two threads; with
`--all`, also by each strategy. All versions run in turns in one process. Printed are how often and
by how much the choice is slower than the input, how far the estimates are from the times, and,
with `--all`, the regret: the time of the choice over that of the best version.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import exp, log
from pathlib import Path
from typing import Any

from .kinds import nest_of
from .measure import COMPILERS, MeasureError, compiled, saved, times, transformed
from .nests import STYLES

ROOT = Path(__file__).parents[2]


def measure(seed: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """The results of one nest, for each compiler and number of threads."""
    nest = nest_of(seed, options.style)
    folder = options.output / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "kernel.c"
    source.write_text(nest.text)
    known = {"seed": seed, "kind": nest.kind, "sizes": nest.sizes}
    tool = options.tool or Path(sys.executable).with_name("polyir-cc")
    sizes = nest.parameters if options.stated else {}
    rows: list[dict[str, Any]] = []
    for threads in options.threads:
        try:
            choice = transformed(tool, source, f"threads={threads}", sizes)
            texts = {"original": nest.text, "choice": choice.text}
            if options.all:
                for name in choice.estimates:
                    if name != "original":
                        given = f"threads={threads} strategy={name}"
                        texts[name] = transformed(tool, source, given, sizes).text
            # What is not changed needs no measurement, which would find a difference by chance.
            distinct = dict.fromkeys(texts.values())
            for compiler in options.compilers:
                parts = [(text, folder, f"{number}-{threads}", compiler)
                         for number, text in enumerate(distinct)]  # fmt: skip
                with ThreadPoolExecutor(2) as pool:
                    libraries = list(pool.map(lambda part: compiled(*part), parts))
                found = dict(zip(distinct, times(nest, libraries, folder, threads), strict=True))
                row = known | {
                    "threads": threads, "compiler": compiler, "chosen": choice.chosen,
                    "estimates": dict(choice.estimates), "tool": choice.seconds,
                    "times": {name: found[text][0] for name, text in texts.items()},
                    "off": max(d for _, d in found.values()),
                }  # fmt: skip
                rows.append(row)
        except MeasureError as error:
            rows.append(known | {"threads": threads, "error": str(error)})
    return rows


def line(row: dict[str, Any]) -> str:
    """A result for people."""
    start = f"{row['seed']} {row['kind']:14} {row['threads']}"
    if "error" in row:
        return f"{start} {row['error']}"
    t = row["times"]
    ratio = t["original"] / t["choice"]
    others = {name: time for name, time in t.items() if name not in ("original", "choice")}
    best = min(others, key=lambda name: others[name], default="")
    best = f" best {best} {t['original'] / others[best]:.2f}" if best else ""
    model = row["estimates"].get("original")
    model = f" model {model / t['original']:.2f}" if model else ""
    off = f" OFF {row['off']:.1g}" if row["off"] > 1e-3 else ""
    return (f"{start} {row['compiler']:5} {t['original'] * 1e6:9.1f} us {ratio:6.2f} "
            f"{row['chosen']:17}{model}{best}{off}  {row['sizes']}")  # fmt: skip


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """The table of all results."""
    lines = []
    measured = [row for row in rows if "times" in row]
    failed = len(rows) - len(measured)
    for key in sorted({(row["compiler"], row["threads"]) for row in measured}):
        own = [row for row in measured if (row["compiler"], row["threads"]) == key]
        ratios = sorted(row["times"]["original"] / row["times"]["choice"] for row in own)
        mean = exp(sum(map(log, ratios)) / len(ratios))
        slower = [ratio for ratio in ratios if ratio < 1 / 1.05]
        lines.append(
            f"{key[0]}, {key[1]} threads: {len(own)} nests, geometric mean {mean:.2f}, least "
            f"{ratios[0]:.2f}; slower than the input by more than 5 %: {len(slower)} "
            f"({len(slower) / len(own):.1%}), by more than 1.25 times: "
            f"{sum(ratio < 0.8 for ratio in ratios)}"
        )
        errors = sorted(
            max(e / t, t / e)
            for row in own
            for e, t in ((row["estimates"].get("original"), row["times"]["original"]),
                         (row["estimates"].get(row["chosen"]), row["times"]["choice"]))
            if e
        )  # fmt: skip
        if errors:
            within = sum(error <= 1.5 for error in errors) / len(errors)
            lines.append(
                f"  estimates within a factor of 1.5: {within:.0%}; "
                f"median {_part(errors, 0.5):.2f}, 95th percentile {_part(errors, 0.95):.2f}"
            )
        regrets = sorted(
            row["times"]["choice"] / min(row["times"].values())
            for row in own
            if len(row["times"]) > 2
        )
        if regrets:
            lines.append(
                f"  regret: median {_part(regrets, 0.5):.2f}, "
                f"95th percentile {_part(regrets, 0.95):.2f}"
            )
    return "\n".join([*lines, *([f"failed: {failed}"] if failed else [])])


def _part(values: Sequence[float], part: float) -> float:
    return values[min(len(values) - 1, int(part * len(values)))]


def main() -> None:
    """Measure, and print the table."""
    options = _parse()
    if options.read:
        print(summary(saved(options.read)))
        return
    options.output.mkdir(parents=True, exist_ok=True)
    path = options.output / f"{options.seed}.jsonl"
    rows: list[dict[str, Any]] = []
    seeds = options.seeds or range(options.seed * 1000, options.seed * 1000 + options.count)
    with path.open("w") as file:
        for seed in seeds:
            for row in measure(seed, options):
                rows.append(row)
                file.write(json.dumps(row) + "\n")
                file.flush()
                print(line(row), flush=True)
    print(summary(rows))
    print(f"all times: {path}")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-model", description=__doc__)
    add: Any = parser.add_argument
    numbers = lambda text: tuple(map(int, text.split(",")))  # noqa: E731
    add("--count", type=int, default=100, help="how many nests (100)")
    add("--seed", type=int, default=1, help="what their numbers begin with (1)")
    add("--seeds", type=numbers, help="numbers of nests, separated by commas")
    add("--threads", type=numbers, default=(1, 2), help="numbers of threads (1,2)")
    add("--compilers", type=lambda text: tuple(text.split(",")), default=tuple(COMPILERS)[:1],
        help=f"of {', '.join(COMPILERS)} (gcc)")  # fmt: skip
    add("--all", action="store_true", help="measure each strategy, too")
    add("--style", choices=sorted(set(STYLES)), default="", help="how arrays are declared (any)")
    add("--stated", action="store_true", help="tell polyir-cc the sizes that it cannot know")
    add("--tool", type=Path, help="another polyir-cc")
    add("--read", type=Path, help="print the table of results that were saved")
    add("--output", type=Path, default=ROOT / "build/bench-model", help="folder for all files")
    return parser.parse_args()


if __name__ == "__main__":
    main()
