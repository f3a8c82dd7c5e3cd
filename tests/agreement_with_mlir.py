"""How far polyir and mlir-opt agree on which programs are valid.

    python tests/agreement_with_mlir.py FOLDER...

Every `.mlir` file of the folders is split at lines `// -----`. Each part is read by
`mlir-opt-19 --allow-unregistered-dialect` and by polyir, which also prints it. The summary counts
the parts that both accept, one or none, and those that polyir prints as a text that mlir-opt
refuses; each disagreement is listed with its place.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from polyir.diagnostics import PolyirError
from polyir.frontend.parse import parse_module
from polyir.target.mlir import print_module
from polyir.universe import new_context

MLIR_OPT = shutil.which("mlir-opt-19")
SPLIT_MARKER = "// -----"


@dataclass(frozen=True)
class Part:
    """A part of a file; `line` is the number of its first line."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Verdict:
    """Why each tool refuses a part; `None` where it accepts it."""

    part: Part
    mlir: str | None
    polyir: str | None
    # Why mlir-opt refuses what polyir prints.
    printed: str | None

    @property
    def kind(self) -> str:
        if self.mlir is None and self.polyir is None:
            return "both accept" if self.printed is None else "printed text refused"
        if self.mlir is None:
            return "only mlir-opt accepts"
        return "only polyir accepts" if self.polyir is None else "both refuse"


KINDS = (
    "both accept",
    "both refuse",
    "only mlir-opt accepts",
    "only polyir accepts",
    "printed text refused",
)


def parts_of(files: Iterable[Path]) -> Iterator[Part]:
    """The parts of the files that are not empty."""
    for file in files:
        line = 1
        for text in file.read_text().split(SPLIT_MARKER):
            code = [each for each in text.splitlines() if each.split("//")[0].strip()]
            if code:
                yield Part(file, line, text)
            line += text.count("\n")


def verdict(part: Part) -> Verdict:
    """What the two tools say about a part."""
    mlir = refusal_by_mlir(part.text)
    printed = None
    try:
        context = new_context()
        context.allow_unregistered = True
        output = StringIO()
        print_module(parse_module(part.text, str(part.file), context, part.line - 1), output)
        polyir = None
    except PolyirError as error:
        polyir = error.message
    except Exception as error:
        polyir = f"internal error: {type(error).__name__}: {error}"
    if mlir is None and polyir is None:
        printed = refusal_by_mlir(output.getvalue())
    return Verdict(part, mlir, polyir, printed)


def refusal_by_mlir(text: str) -> str | None:
    """The first error of mlir-opt, if it refuses `text`."""
    assert MLIR_OPT is not None
    command = [MLIR_OPT, "--allow-unregistered-dialect", "-o", "/dev/null"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    return done.stderr.partition("error: ")[2].partition("\n")[0] or "it crashed"


def main(folders: Iterable[str]) -> None:
    files = sorted(file for folder in folders for file in Path(folder).rglob("*.mlir"))
    verdicts = [verdict(part) for part in parts_of(files)]
    for found in verdicts:
        if found.kind not in ("both accept", "both refuse"):
            reason = found.polyir or found.mlir or found.printed
            print(f"{found.part}: {found.kind}: {reason}")
    for kind in KINDS:
        print(f"{sum(found.kind == kind for found in verdicts):6} {kind}")


if __name__ == "__main__":
    main(sys.argv[1:])
