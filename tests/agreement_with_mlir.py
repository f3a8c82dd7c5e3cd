"""How far polyir and mlir-opt agree on which programs are valid.

    python tests/agreement_with_mlir.py FOLDER...

Every `.mlir` file of the folders is split at lines `// -----`. Each part is read by
`mlir-opt-19 --allow-unregistered-dialect` and by polyir, which also prints it. The summary counts
the parts that both accept, one or none, and those that polyir prints as a text that mlir-opt
refuses; each disagreement is listed with its place. mlir-opt reads all parts in one run, for its
start takes longer than most parts do.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import accumulate
from pathlib import Path

from polyir.base.diagnostics import PolyirError
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


def verdicts(parts: Iterable[Part]) -> list[Verdict]:
    """What the two tools say about each part."""
    parts = list(parts)
    by_polyir = [printed_by_polyir(part) for part in parts]
    by_mlir = refusals_by_mlir([part.text for part in parts])
    both = [
        position
        for position, (text, _) in enumerate(by_polyir)
        if text is not None and by_mlir[position] is None
    ]
    texts = [text for position in both if (text := by_polyir[position][0]) is not None]
    printed = dict(zip(both, refusals_by_mlir(texts), strict=True))
    return [
        Verdict(part, mlir, polyir, printed.get(position))
        for position, (part, mlir, (_, polyir)) in enumerate(
            zip(parts, by_mlir, by_polyir, strict=True)
        )
    ]


def printed_by_polyir(part: Part) -> tuple[str | None, str | None]:
    """What polyir prints of a part, or why it refuses it."""
    try:
        context = new_context()
        context.allow_unregistered = True
        output = StringIO()
        print_module(parse_module(part.text, str(part.file), context, part.line - 1), output)
    except PolyirError as error:
        return None, error.message
    except Exception as error:
        return None, f"internal error: {type(error).__name__}: {error}"
    return output.getvalue(), None


def refusals_by_mlir(texts: Sequence[str]) -> list[str | None]:
    """The first error of mlir-opt for each text that it refuses."""
    assert not any(SPLIT_MARKER in text for text in texts)
    joined = "\n" + "".join(f"{SPLIT_MARKER}\n{text}\n" for text in texts)
    # For mlir-opt, a text starts in the line of the marker before it.
    lengths = [text.count("\n") + 2 for text in texts]
    starts = {line: position for position, line in enumerate(accumulate(lengths, initial=2))}
    code, printed = run_mlir_opt(joined, "--split-input-file")
    if code not in (0, 1):
        # It crashed, and read nothing after that.
        return [refusal_by_mlir(text) for text in texts]
    found: list[str | None] = [None] * len(texts)
    for start, reason in PLACED_ERROR.findall(printed):
        position = starts[int(start)]
        found[position] = found[position] or reason
    assert any(found) == (code == 1), printed
    return found


PLACED_ERROR = re.compile(r"^within split at <stdin>:(\d+) offset .*?error: (.*)$", re.MULTILINE)


def refusal_by_mlir(text: str) -> str | None:
    """The first error of mlir-opt, if it refuses `text`."""
    code, printed = run_mlir_opt(text)
    if code == 0:
        return None
    return printed.partition("error: ")[2].partition("\n")[0] or "it crashed"


def run_mlir_opt(text: str, *options: str) -> tuple[int, str]:
    """The exit code, and what it says."""
    assert MLIR_OPT is not None
    command = [MLIR_OPT, "--allow-unregistered-dialect", "-o", "/dev/null", *options]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main(folders: Iterable[str]) -> None:
    files = sorted(file for folder in folders for file in Path(folder).rglob("*.mlir"))
    given = verdicts(parts_of(files))
    for found in given:
        if found.kind not in ("both accept", "both refuse"):
            reason = found.polyir or found.mlir or found.printed
            print(f"{found.part}: {found.kind}: {reason}")
    for kind in KINDS:
        print(f"{sum(found.kind == kind for found in given):6} {kind}")


if __name__ == "__main__":
    main(sys.argv[1:])
