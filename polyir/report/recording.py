"""What a compilation did, pass by pass, kept while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from typing import Final

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass, PassPipeline, PassPipelineCallbackType

from polyir.base.diagnostics import Remark, RemarkSink, ViolatedPair, remarks_to
from polyir.base.inner_steps import inner_steps_to
from polyir.universe import new_context

PREPARATIONS: Final = ("equations-to-scop", "poly-raise", "poly-dependences")
"""What passes do first where nothing has: nobody asks for it."""


CWriter = Callable[[ModuleOp], tuple[str, list[tuple[int, Operation]]]]
"""Makes of loops, which it may change, the text that the compilation writes of them.

With it are lines, from 0, and the operations that they were made for. Raises `PolyirError`.
"""


@dataclass(frozen=True)
class Step:
    """The program after a pass, or as it was read.

    `name` is the pass with its options as a pipeline writes it, or "" for the program as it was
    read; `seconds` is the time of the pass alone. `module` is a copy. `region` names the part of
    the source that the program is made of, or is "" where that is all of it. `write_c` writes it,
    or `None` writes it as a file.
    """

    name: str
    seconds: float
    module: ModuleOp
    remarks: tuple[Remark, ...]
    region: str = ""
    write_c: CWriter | None = None


@dataclass(frozen=True)
class Left:
    """Why a part of the source, named as a region is, was left as it was."""

    part: str
    reason: str


@dataclass
class Recording:
    """The steps of a compilation so far, the text that was compiled, and the error that ended it.

    `violated` is the pair of instances that the error is about, if it is about one.

    `around` makes the callback of a pipeline that records its passes; remarks, and the steps that
    passes consist of, are recorded inside of `in_force`, as if they had been asked for. Without
    these, nobody would see the schedule tree that a first pass begins with, and what `optimize`
    does. `region` and `write_c` are those of the steps to come.
    """

    source: str = ""
    filename: str = "<string>"
    error: str = ""
    violated: ViolatedPair | None = None
    region: str = ""
    write_c: CWriter | None = None
    steps: list[Step] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    """Those since the last step: by a pass that runs or failed, or by the target."""
    _started: float = 0.0
    _module: ModuleOp | None = None
    """What the pass that runs works on; it may try things on copies."""

    def around(self, callback: PassPipelineCallbackType) -> PassPipelineCallbackType:
        """A callback that records a step, then does what `callback` does, outside of any time."""

        def between(
            previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
        ) -> None:
            seconds = time.perf_counter() - self._started
            if previous is None:
                self.add("", 0.0, module)
            else:
                self.add(str(previous.pipeline_pass_spec()), seconds, module)
            callback(previous, module, following)
            self._module = None if following is None else module
            self._started = time.perf_counter()

        return between

    def add(self, name: str, seconds: float, module: ModuleOp, first_remark: int = 0) -> None:
        """Record the program after a pass, with the remarks since the last step.

        Those before the `first_remark` are not its own.
        """
        remarks = tuple(self.remarks[first_remark:])
        step = Step(name, seconds, module.clone(), remarks, self.region, self.write_c)
        self.steps.append(step)
        del self.remarks[first_remark:]

    @contextmanager
    def _inside(self, name: str, module: ModuleOp) -> Iterator[None]:
        """Record a step inside of a pass, whose time and remarks are not those of the pass."""
        if module is not self._module:
            yield
            return
        outer, begun, first = self._started, time.perf_counter(), len(self.remarks)
        self._started = begun
        try:
            yield
            self.add(name, time.perf_counter() - self._started, module, first)
        finally:
            self._started = outer + (time.perf_counter() - begun)

    @contextmanager
    def in_force(self, sink: RemarkSink) -> Iterator[None]:
        """Record what passes say and do inside the `with` block; `sink` gets the remarks, too."""

        def keep(remark: Remark) -> None:
            self.remarks.append(remark)
            sink(remark)

        with remarks_to(keep), inner_steps_to(self._inside, shows_programs=True):
            yield


def recorded(
    module: ModuleOp,
    passes: Sequence[ModulePass],
    source: str,
    filename: str = "<string>",
) -> Recording:
    """What `passes` do to a copy of `module`, which `source` says. What they print goes nowhere."""
    recording = Recording(source, filename)

    def verified(_: ModulePass | None, current: ModuleOp, __: ModulePass | None) -> None:
        current.verify()

    pipeline = PassPipeline(tuple(passes), recording.around(verified))
    with redirect_stdout(StringIO()), recording.in_force(lambda remark: None):
        pipeline.apply(new_context(), module.clone())
    return recording
