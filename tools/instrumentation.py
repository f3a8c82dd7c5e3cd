"""What polyir-opt shows of its passes on standard error: the IR between them, and their times."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

PassCallback = Callable[[ModulePass | None, ModuleOp, ModulePass | None], None]


def add_instrumentation(parser: argparse.ArgumentParser) -> None:
    """The options, named as those of mlir-opt, that `Instrumentation` reads."""
    for when in ("before", "after"):
        parser.add_argument(
            f"--print-ir-{when}",
            f"--mlir-print-ir-{when}",
            type=_names,
            default=frozenset(),
            metavar="PASS,...",
            help=f"print the IR {when} these passes to standard error",
        )
        parser.add_argument(
            f"--print-ir-{when}-all",
            f"--mlir-print-ir-{when}-all",
            action="store_true",
            help=f"print the IR {when} every pass to standard error",
        )
    parser.add_argument(
        "--print-ir-after-change",
        "--mlir-print-ir-after-change",
        action="store_true",
        help="print the IR after a pass only if it changed; alone, after every such pass",
    )
    parser.add_argument(
        "--timing",
        "--mlir-timing",
        action="store_true",
        help="print the time of each pass to standard error",
    )
    parser.add_argument(
        "--verify-each",
        type=_truth,
        nargs="?",
        const=True,
        default=True,
        metavar="true|false",
        help="verify the IR after each pass (default: true)",
    )


def _names(text: str) -> frozenset[str]:
    return frozenset(filter(None, text.split(",")))


def _truth(text: str) -> bool:
    if text.lower() not in ("0", "1", "false", "true"):
        raise argparse.ArgumentTypeError(f"expected true or false, not '{text}'")
    return text.lower() in ("1", "true")


class Instrumentation:
    """Prints the IR before and after passes, and measures steps, as `arguments` say."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._times: list[tuple[str, float]] = []
        self._started = 0.0
        self._text_before = ""

    def around(self, verify: PassCallback) -> PassCallback:
        """The callback of the pipeline, which calls `verify` too, outside the times of passes."""

        def callback(
            previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
        ) -> None:
            if previous is not None:
                self._times.append((previous.name, time.perf_counter() - self._started))
            verify(previous, module, following)
            if previous is not None:
                self._print_after(previous.name, module)
            if following is not None:
                self._print_before(following.name, module)
            self._started = time.perf_counter()

        return callback

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Measure a step that is no pass."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._times.append((step, time.perf_counter() - start))

    def print_times(self) -> None:
        """The table of `--timing`; nothing without that option."""
        if not self._arguments.timing:
            return
        total = sum(seconds for _, seconds in self._times)
        print(f"{'seconds':>10}  {'share':>6}  step", file=sys.stderr)
        for name, seconds in [*self._times, ("total", total)]:
            share = seconds / total if total else 0.0
            print(f"{seconds:10.4f}  {share:6.1%}  {name}", file=sys.stderr)

    def _print_before(self, name: str, module: ModuleOp) -> None:
        wanted = self._arguments.print_ir_before_all or name in self._arguments.print_ir_before
        if wanted:
            _print_dump(f"Before {name}", _text(module))
        if self._arguments.print_ir_after_change:
            self._text_before = _text(module)

    def _print_after(self, name: str, module: ModuleOp) -> None:
        options = self._arguments
        only_changes = options.print_ir_after_change
        selected = options.print_ir_after_all or name in options.print_ir_after
        if not selected and not (only_changes and not options.print_ir_after):
            return
        text = _text(module)
        if not only_changes or text != self._text_before:
            _print_dump(f"After {name}", text)


def _text(module: ModuleOp) -> str:
    from polyir.target.mlir import print_module

    output = StringIO()
    print_module(module, output)
    return output.getvalue()


def _print_dump(title: str, text: str) -> None:
    print(f"// -----// IR Dump {title} //----- //\n{text}", file=sys.stderr)
