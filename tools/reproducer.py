"""Crash reproducers, in mlir-opt's form: a program with the pipeline that fails on it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipelineCallbackType

from polyir.base.diagnostics import PolyirError, print_diagnostic
from polyir.pipeline import nested_pipeline
from polyir.tools.command_line import require_writable, write_output


class Reproducer:
    """Keeps the program as it was before the pass that runs, and writes it if that fails."""

    def __init__(self, file: str, verifies_each: bool) -> None:
        """Raises `PolyirError` if `file` cannot be written."""
        require_writable(file)
        self._file = file
        self._verifies_each = verifies_each
        self._passes: list[ModulePass] = []
        self._before: ModuleOp | None = None

    def around(
        self, passes: Sequence[ModulePass], callback: PassPipelineCallbackType
    ) -> PassPipelineCallbackType:
        """The callback of a pipeline of `passes`, which does what `callback` does, too."""

        def between(
            previous: ModulePass | None, module: ModuleOp, following: ModulePass | None
        ) -> None:
            if previous is None:
                self._passes = list(passes)
            callback(previous, module, following)
            if previous is not None:
                del self._passes[0]
            self._before = module.clone()

        return between

    @contextmanager
    def written_on_failure(self) -> Iterator[None]:
        """Write the file if a pass, or what follows the passes, raises in the `with` block."""
        try:
            yield
        except Exception:
            if self._before is not None:
                self._write(self._before)
            raise

    def _write(self, module: ModuleOp) -> None:
        from polyir.target.mlir import module_text

        pipeline = nested_pipeline(self._passes)
        resources = _RESOURCES.format(
            pipeline=json.dumps(pipeline, ensure_ascii=False),
            verify_each=str(self._verifies_each).lower(),
        )
        try:
            write_output(self._file, (module_text(module) + resources).encode())
        except PolyirError as error:
            print_diagnostic(error.render())
            return
        failed = self._passes[0].name if self._passes else "the target"
        print_diagnostic(f"note: {failed} failed: reproducer generated at '{self._file}'")


_RESOURCES: Final = """
{{-#
  external_resources: {{
    mlir_reproducer: {{
      pipeline: {pipeline},
      disable_threading: true,
      verify_each: {verify_each}
    }}
  }}
#-}}
"""


@dataclass(frozen=True)
class Reproduced:
    """What a reproducer says: the program, the pipeline, whether each result is verified."""

    program: str
    pipeline: str
    verifies_each: bool


def reproduced(text: str) -> Reproduced | None:
    """The parts of a reproducer; `None` for a text that is none."""
    end = _END.search(text)
    pipeline = _PIPELINE.search(end[0]) if end is not None else None
    if end is None or pipeline is None:
        return None
    try:
        passes: str = json.loads(pipeline[1])
    except ValueError:
        return None
    return Reproduced(text[: end.start()], passes, not _UNVERIFIED.search(end[0]))


_END: Final = re.compile(r"\{-#\s*external_resources\s*:(?:(?!\{-#).)*#-\}\s*\Z", re.DOTALL)
_PIPELINE: Final = re.compile(
    r'\bmlir_reproducer\s*:\s*\{[^"]*\bpipeline\s*:\s*("(?:\\.|[^"\\])*")', re.DOTALL
)
_UNVERIFIED: Final = re.compile(r"\bverify_each\s*:\s*false\b")
