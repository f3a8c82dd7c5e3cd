"""What polyir-tune shows while it searches: a bar by rich if it is installed, or plain lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from math import isinf
from typing import Final

from polyir.tuning.evaluation import Verdict
from polyir.tuning.search import Budget, Show, State

SHORTEST_PAUSE: Final = 0.1
"""Seconds between two pictures of the bar: drawing it must not disturb what is measured."""


@contextmanager
def progress(budget: Budget, base_seconds: float, is_quiet: bool) -> Iterator[Show]:
    """What is called after each candidate. All goes to standard error."""
    if is_quiet:
        yield lambda state: None
    elif sys.stderr.isatty() and find_spec("rich") is not None:
        with _bar(budget, base_seconds) as show:
            yield show
    else:
        yield _lines(base_seconds)


def summary(state: State, base_seconds: float) -> str:
    """The numbers of candidates, and the best so far."""
    failed = [
        f"{state.counts[each]} {each.value.replace('_', ' ')}"
        for each in Verdict
        if each is not Verdict.MEASURED and state.counts[each]
    ]
    counts = ", ".join([f"{state.tried} tried", *failed])
    best = state.best
    if best is None or best.ratio >= 1:
        return f"{counts}; best so far: the base, {1e3 * base_seconds:.3g} ms"
    return f"{counts}; best so far: {1 / best.ratio:.2f}x, {1e3 * best.seconds:.3g} ms"


def _lines(base_seconds: float) -> Show:
    start = time.monotonic()

    def show(state: State) -> None:
        last = state.last
        assert last is not None
        what = f"{last.ratio:.2f} of the base" if not isinf(last.ratio) else last.reason
        word = last.verdict.value.replace("_", " ")
        print(
            f"{time.monotonic() - start:6.1f} s  {word}: {last.candidate.pipeline} "
            f"[{last.candidate.threads}]: {what}\n          {summary(state, base_seconds)}",
            file=sys.stderr,
            flush=True,
        )

    return show


@contextmanager
def _bar(budget: Budget, base_seconds: float) -> Iterator[Show]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    # Without a thread of its own: workers are forked.
    with Progress(*columns, console=Console(stderr=True), auto_refresh=False) as bar:
        is_timed = not isinf(budget.seconds)
        total = budget.seconds if is_timed else budget.trials
        task = bar.add_task("", total=None if isinf(total) else total)
        start, shown = time.monotonic(), 0.0

        def show(state: State) -> None:
            nonlocal shown
            elapsed = time.monotonic() - start
            if elapsed - shown >= SHORTEST_PAUSE:
                shown = elapsed
                done = elapsed if is_timed else state.tried
                bar.update(task, completed=done, description=summary(state, base_seconds))
                bar.refresh()

        yield show
