"""Errors that are no error of the user: defects of polyir, or of a pass of another package."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.exceptions import DiagnosticException, ShrinkException, VerifyException

from polyir.base.diagnostics import PolyirError, place_of
from polyir.base.limits import frames_in_worker, time_errors_raised
from polyir.base.plugins import package_of
from polyir.base.supervisor import doing


def wants_traceback() -> bool:
    """Whether the environment asks for Python's traceback of internal errors."""
    return bool(os.environ.get("POLYIR_TRACEBACK"))


_OWN: Final = ("polyir", "xdsl")


class DefectError(PolyirError):
    """What a user is told of an internal error."""

    name = "internal-error"


class InternalError(Exception):
    """A step of a compilation ended with an error that it must not raise: its `__cause__`.

    `culprit` is the name of the pass, or "" for a step that is none.
    """

    def __init__(self, culprit: str, package: str, cause: Exception, trace: str) -> None:
        said = str(cause) if isinstance(cause, DiagnosticException) else _said(cause)
        if package:
            super().__init__(f"this pass of {package} failed: {said}")
        else:
            super().__init__(f"internal error ({said}); please report it")
        self.culprit = culprit
        self.location = place_of(cause)
        """The place in the input that the step worked on, if it is known."""
        self.trace = trace
        """The traceback in the code of another package; "" where the defect is in polyir."""

    def message(self, kept: str = "") -> str:
        """What is said to the user: what failed, and what was `kept` as it was."""
        text = "; ".join(filter(None, (str(self), kept)))
        return f"{text}\n{self.trace}" if self.trace else text

    def as_error(self) -> DefectError:
        """The error for the user."""
        pass_name = f"[{self.culprit}] " if self.culprit else ""
        return DefectError(f"{pass_name}{self.message()}", self.location)


@contextmanager
def internal_errors_of(step: ModulePass | None) -> Iterator[None]:
    """Turn exceptions that are not diagnostics into `InternalError`: a defect of the step."""
    try:
        yield
    except (DiagnosticException, ShrinkException, BrokenPipeError, InternalError):
        raise
    except Exception as error:
        raise internal_error(step, error) from error


def internal_error(step: ModulePass | None, error: Exception) -> InternalError:
    """The `InternalError` that `error` is, in a pass or elsewhere."""
    if step is None:
        return InternalError("", "", error, "")
    module = type(step).__module__
    if module.partition(".")[0] in _OWN:
        return InternalError(step.name, "", error, "")
    return InternalError(step.name, package_of(module), error, _trace_in(module, error))


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _trace_in(module: str, error: Exception) -> str:
    """The traceback from the first frame in a module's package on; "" if there is none."""
    file = getattr(sys.modules.get(module), "__file__", None)
    top = sys.modules.get(module.partition(".")[0])
    folders = [Path(each) for each in getattr(top, "__path__", ())]
    frames = [*traceback.extract_tb(error.__traceback__), *frames_in_worker(error)]
    for place, frame in enumerate(frames):
        is_in_package = any(folder in Path(frame.filename).parents for folder in folders)
        if frame.filename == file or is_in_package:
            lines = traceback.StackSummary.from_list(frames[place:]).format()
            return f"Traceback (most recent call last):\n{''.join(lines)}{_said(error)}"
    return ""


class Pipeline(PassPipeline):
    """A pipeline of xDSL whose passes raise `InternalError` for their defects.

    So does a pass after which the callback finds that the module is not valid.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        between = self.callback or (lambda previous, module, following: None)
        between(None, op, self.passes[0] if self.passes else None)
        for place, step in enumerate(self.passes):
            following = self.passes[place + 1] if place + 1 < len(self.passes) else None
            with internal_errors_of(step), time_errors_raised(), doing(f"[{step.name}]"):
                step.apply(ctx, op)
            try:
                between(step, op, following)
            except VerifyException as error:
                raise internal_error(step, InvalidModuleError(error)) from error


class InvalidModuleError(Exception):
    """The module is not valid after a pass."""

    def __init__(self, error: VerifyException) -> None:
        # The module follows.
        super().__init__(str(error).strip().split("\n", 1)[0])
