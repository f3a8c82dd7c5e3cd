"""Runs a case in a process of its own, so that a crash or a loop that never ends is its own."""

from __future__ import annotations

import multiprocessing
import resource
import signal
import traceback
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

import numpy as np
from beyond_kernels import ALL_KERNELS
from guarded_arrays import guarded

from kernel_matrix.cases import Case
from kernel_matrix.references import Reference, difference, digests_of, sizes_of
from polyir import api
from polyir.base.diagnostics import PolyirError, Remark, RemarkKind, remarks_to
from polyir.base.limits import ResourceError, time_limited_to
from polyir.runtime import CompiledModule, CompilerOptions
from polyir.runtime.compiler import CompilationError

CHECKED_FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
PASSES, COMPILATION = "passes", "compilation"
PASSES_SECONDS, COMPILATION_SECONDS = 60, 120
"""Processor time. Passes that take longer are given up."""

RUN_SECONDS, TIMES_THE_ORIGINAL = 20, 20
"""Processor time of a run: that many seconds, and so many times what the original takes."""

BYTES = 12 << 30


@dataclass
class Outcome:
    """The data sets on which a case was right, and what went wrong.

    `without_effect` counts the warnings of passes that changed nothing. `given_up` says why there
    is nothing to run: passes refused, or took too long.
    """

    without_effect: int = 0
    right: list[str] = field(default_factory=list)
    given_up: str = ""
    failure: str = ""


def run_case(case: Case, references: dict[str, Reference]) -> Outcome:
    """Compile a case once, run it on the data sets of `references`, and compare."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(case, references, sender))
    process.start()
    sender.close()
    outcome, stage = Outcome(), "start"
    with receiver:
        try:
            while True:
                match receiver.recv():
                    case "stage", text:
                        stage = text
                    case "without effect", count:
                        outcome.without_effect = count
                    case "right", text:
                        outcome.right.append(text)
                    case "given up", text:
                        outcome.given_up = text
                    case "failure", text:
                        outcome.failure = f"{stage}: {text}"
        except EOFError:
            process.join()
    if process.exitcode in (-signal.SIGPROF, -signal.SIGALRM) and stage == PASSES:
        outcome.given_up = f"passes took more than {PASSES_SECONDS} s"
    elif process.exitcode in (-signal.SIGPROF, -signal.SIGALRM):
        outcome.failure = f"{stage} does not end"
    elif process.exitcode != 0:
        outcome.failure = f"{stage}: exit code {process.exitcode}"
    return outcome


def _work(case: Case, references: dict[str, Reference], sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    _begin(sender, PASSES, PASSES_SECONDS)
    remarks: list[Remark] = []
    try:
        with remarks_to(remarks.append), time_limited_to(0):
            text = ALL_KERNELS[case.kernel].path.read_text()
            origin = api.parse(text)
            loops = api.lower(api.run_pipeline(origin, case.pipeline))
    except (ResourceError, PolyirError) as error:
        sender.send(("given up", f"{type(error).__name__}: {error.message}"))
        return
    except Exception:
        sender.send(("failure", traceback.format_exc()))
        return
    missed = sum(each.kind is RemarkKind.MISSED for each in remarks)
    sender.send(("without effect", missed))
    _begin(sender, COMPILATION, COMPILATION_SECONDS)
    try:
        flags = {"flags": CHECKED_FLAGS} if case.backend == "c-checked" else {}
        if case.backend == "llvm":
            module = api.compile_loops(loops, backend="llvm", origin=origin)
        else:
            module = api.compile_loops(loops, CompilerOptions(compiler="gcc", **flags), "c", origin)
        with module.threads(case.threads):
            _compare(case, module, references, sender)
    except CompilationError as error:
        sender.send(("failure", error.message))
    except Exception:
        sender.send(("failure", traceback.format_exc()))


def _compare(
    case: Case, module: CompiledModule, references: dict[str, Reference], sender: Connection
) -> None:
    kernel = ALL_KERNELS[case.kernel]
    for data_set, reference in references.items():
        given = kernel.make_arguments(sizes_of(kernel, data_set))
        arguments = tuple(guarded(a) if isinstance(a, np.ndarray) else a for a in given)
        seconds = RUN_SECONDS + TIMES_THE_ORIGINAL * reference.seconds
        _begin(sender, f"run of {data_set}", int(seconds))
        module[kernel.function](*arguments)
        if digests_of(arguments) == reference.digests:
            sender.send(("right", data_set))
        else:
            signal.setitimer(signal.ITIMER_PROF, 0)
            sender.send(("failure", difference(case.kernel, data_set, arguments)))
            return


def _begin(sender: Connection, stage: str, seconds: int) -> None:
    # Of processor time: a busy machine makes nothing slow. But nothing waits for ever.
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.alarm(20 * seconds)
    sender.send(("stage", stage))
