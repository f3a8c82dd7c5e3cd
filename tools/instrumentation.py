"""What polyir-opt shows of its passes on standard error: the IR between them, and their times."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipelineCallbackType

from polyir.base.diagnostics import OptionError, nearest
from polyir.base.inner_steps import inner_steps_to


def add_instrumentation(parser: argparse.ArgumentParser) -> None:
    """The options, named as those of mlir-opt, that `Instrumentation` reads."""
    for when in ("before", "after"):
        parser.add_argument(
            f"--print-ir-{when}",
            f"--mlir-print-ir-{when}",
            action="extend",
            type=_names,
            default=[],
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
        "--print-ir-after-failure",
        "--mlir-print-ir-after-failure",
        action="store_true",
        help="print the IR as it was before a pass that fails",
    )
    parser.add_argument(
        "--timing",
        "--mlir-timing",
        action="store_true",
        help="print the time of each pass, and of the passes inside it, to standard error",
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


def _names(text: str) -> list[str]:
    return list(filter(None, text.split(",")))


def _truth(text: str) -> bool:
    if text.lower() not in ("0", "1", "false", "true"):
        raise argparse.ArgumentTypeError(f"expected true or false, not '{text}'")
    return text.lower() in ("1", "true")


@dataclass
class _Step:
    """A step that ran: a pass, or what is done before or after the passes; `inner` are its own."""

    name: str
    seconds: float = 0.0
    inner: list[_Step] = field(default_factory=list)


class Instrumentation:
    """Prints the IR before and after passes, and measures steps, as `arguments` say."""

    def __init__(self, arguments: argparse.Namespace, passes: Iterable[str]) -> None:
        """Raises `OptionError` if a name in an option is not one of `passes`."""
        known = list(passes)
        for name in (*arguments.print_ir_before, *arguments.print_ir_after):
            if name not in known:
                raise OptionError(
                    f"--print-ir-...: unknown pass '{name}'{nearest(name, known)}",
                    name="unknown-pass",
                )
        self._arguments = arguments
        self._all = _Step("Total")
        self._running = [self._all]
        self._begun = time.perf_counter()
        self._pass = ""
        self._pass_ends = ExitStack()
        self._text_before = ""

    def around(self, verify: PassPipelineCallbackType) -> PassPipelineCallbackType:
        """The callback of the pipeline, which calls `verify` too, outside the times of passes."""

        def callback(
            previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
        ) -> None:
            self._pass_ends.close()
            verify(previous, module, following)
            if previous is not None:
                self._print_after(previous.name, module)
            self._pass = ""
            if following is not None:
                self._pass = following.name
                self._print_before(following.name, module)
                self._pass_ends.enter_context(self.timed(following.name))

        return callback

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Measure what passes do inside the `with` block, and print the IR before one that fails.

        Nothing is measured without `--timing`.
        """
        with inner_steps_to(self._timed_inside) if self._arguments.timing else nullcontext():
            try:
                yield
            except Exception:
                if self._pass and self._arguments.print_ir_after_failure:
                    _print_dump(f"Before {self._pass}, which failed", self._text_before)
                raise
            finally:
                self._pass_ends.close()

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Measure a step, which may be inside of another one."""
        measured = _Step(step)
        self._running[-1].inner.append(measured)
        self._running.append(measured)
        start = time.perf_counter()
        try:
            yield
        finally:
            measured.seconds = time.perf_counter() - start
            self._running.pop()

    def _timed_inside(self, step: str, _: ModuleOp) -> AbstractContextManager[None]:
        return self.timed(step)

    def print_times(self) -> None:
        """The table of `--timing`, in mlir-opt's form; nothing without that option."""
        if not self._arguments.timing:
            return
        total = self._all
        total.seconds = time.perf_counter() - self._begun
        rest = _Step("Rest", total.seconds - sum(each.seconds for each in total.inner))
        rule = f"==={'-' * 73}==="
        print(f"{rule}\n{'... Execution time report ...':^79}".rstrip(), file=sys.stderr)
        print(f"{rule}\n  Total Execution Time: {total.seconds:.4f} seconds\n", file=sys.stderr)
        print("  ----Wall Time----  ----Name----", file=sys.stderr)
        for depth, step in (*_lines(total.inner), (0, rest), (0, total)):
            share = step.seconds / total.seconds
            time_and_share = f"{step.seconds:10.4f} ({share:6.1%})"
            print(f"{time_and_share}  {'  ' * depth}{step.name}", file=sys.stderr)

    def _print_before(self, name: str, module: ModuleOp) -> None:
        options = self._arguments
        if options.print_ir_before_all or name in options.print_ir_before:
            _print_dump(f"Before {name}", _text(module))
        if options.print_ir_after_change or options.print_ir_after_failure:
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


def _lines(steps: Sequence[_Step], depth: int = 0) -> Iterator[tuple[int, _Step]]:
    """Steps, each before those inside it; those of one name inside the same one are one."""
    merged: dict[str, _Step] = {}
    for step in steps:
        one = merged.setdefault(step.name, _Step(step.name))
        one.seconds += step.seconds
        one.inner += step.inner
    for step in merged.values() if depth else steps:
        yield depth, step
        yield from _lines(step.inner, depth + 1)


def _print_dump(title: str, text: str) -> None:
    print(f"// -----// IR Dump {title} //----- //\n{text}", file=sys.stderr)


def _text(module: ModuleOp) -> str:
    from polyir.target.mlir import module_text

    return module_text(module)
