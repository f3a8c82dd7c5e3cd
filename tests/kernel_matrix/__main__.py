"""`make check-kernels`: all kernels through combinations of passes, compared to the bit."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from beyond_kernels import ALL_KERNELS

from kernel_matrix.cases import TABLES, case_of
from kernel_matrix.covering import Row, covering_array, pairs_of
from kernel_matrix.references import Reference, reference_of
from kernel_matrix.run import Outcome, run_case


def main() -> int:
    """Run the cases of a table; the exit code is 1 if any failed."""
    options = _options()
    rows = _rows(options)
    end = time.monotonic() + options.seconds
    done, right, without_effect, given_up, failures = 0, Counter[str](), 0, 0, 0
    for number, row in enumerate(rows[options.first :], options.first):
        if time.monotonic() > end:
            break
        done += 1
        outcome = run_case(case_of(row), _references(row["kernel"], options))
        right.update(outcome.right)
        without_effect += bool(outcome.without_effect)
        given_up += bool(outcome.given_up)
        failures += bool(outcome.failure)
        _say(number, row, outcome, options.verbose)
    last = options.first + done
    tried = {pair for row in rows[:last] for pair in pairs_of(row)}
    pairs = {pair for row in rows for pair in pairs_of(row)}
    print(f"cases: {options.first} to {last - 1} of {len(rows)}")
    print(f"pairs of settings, up to here: {len(tried)} of {len(pairs)}")
    print(f"same bits: {', '.join(f'{count} {name}' for name, count in right.items())}")
    print(f"some pass warned that it changed nothing: {without_effect}")
    print(f"given up: {given_up}")
    print(f"failures: {failures}")
    return 1 if failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make check-kernels", description=__doc__)
    parser.add_argument("--table", choices=TABLES, default="optimize", help="what is combined")
    parser.add_argument("--kernels", help="names between commas; by default, all")
    parser.add_argument(
        "--only", action="append", default=[], metavar="FACTOR=SETTING,...", help="not all settings"
    )
    parser.add_argument("--each", action="store_true", help="all pairs for each kernel alone")
    parser.add_argument("--sizes", default="tiny,odd,mini,small", help="data sets between commas")
    parser.add_argument(
        "--original-limit",
        type=float,
        default=5.0,
        metavar="S",
        help="skip data sets for which the original takes longer",
    )
    parser.add_argument("--first", type=int, default=0, help="the number of the first case")
    parser.add_argument("--seconds", type=float, default=1e9, help="when to stop")
    parser.add_argument("--verbose", action="store_true", help="a line for each case")
    return parser.parse_args()


def _rows(options: argparse.Namespace) -> list[Row]:
    """All rows of the table, of which each has a kernel, too."""
    factors = dict(TABLES[options.table])
    for text in options.only:
        name, _, settings = text.partition("=")
        factors[name] = settings.split(",")
    names = options.kernels.split(",") if options.kernels else list(ALL_KERNELS)
    groups = [[name] for name in names] if options.each else [names]
    return [row for group in groups for row in covering_array({"kernel": group, **factors})]


def _references(kernel: str, options: argparse.Namespace) -> dict[str, Reference]:
    found = {name: reference_of(kernel, name) for name in options.sizes.split(",")}
    limit: float = options.original_limit
    return {name: each for name, each in found.items() if each.seconds <= limit}


def _say(number: int, row: Row, outcome: Outcome, verbose: bool) -> None:
    if outcome.failure:
        print(f"{number}: FAILED {case_of(row)}\n  {outcome.failure}", flush=True)
    elif outcome.given_up:
        print(f"{number}: given up {case_of(row)}\n  {outcome.given_up}", flush=True)
    elif verbose:
        print(f"{number}: {case_of(row)}: {','.join(outcome.right)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
