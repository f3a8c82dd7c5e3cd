"""What polyir-cc makes of C programs: each is run before and after, and the results are compared.

    .venv/bin/python tests/report_on_programs.py FOLDER... [-- OPTION...]

Every C file with a `main` in the folders goes through `polyir-cc` with the options. The original
and the result are compiled with `gcc -O1` and run without input; output and exit code must be
the same. The summary counts the programs by what came of them, and the reasons for which regions
(without pragmas, loops) were left. The exit code is 1 if a result differs, does not
compile or does not end, or if polyir fails by itself.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS_FOR_POLYIR = 300
SECONDS_FOR_RUN = 20
TOOL: tuple[str, ...] = (sys.executable, "-m", "polyir.tools.polyir_cc")
COMPILE = ("gcc", "-O1", "-fopenmp", "-ffp-contract=off", "-w")
MAIN = re.compile(r"^[\w\s]*\bmain\s*\(", re.MULTILINE)
REASON = re.compile(
    r"(?:warning: (?:part of the )?region not transformed|remark: loop left"
    r"|warning: (function skipped)): (.*)"
)
NAMES = re.compile(r"'[^']*'|\S+:\d+")

EQUAL = "transformed and equal"
LEFT = "left alone"
NOT_HERE = "not compilable here"
WRONG = "WRONG"


@dataclass(frozen=True)
class Finding:
    """What came of a program, what is wrong with it, and why regions were left."""

    path: Path
    kind: str
    fault: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Run:
    """What a program did; `None` if it did not end in time."""

    result: tuple[int, bytes] | None


def finding(path: Path, options: Sequence[str]) -> Finding:
    """Transform a program, run it before and after, and compare."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before = _run(path, path, folder)
        if not isinstance(before, Run) or before.result is None:
            return Finding(path, NOT_HERE, "", (before if isinstance(before, str) else "no end",))
        written = folder / "written.c"
        command = [*TOOL, str(path), "--remarks", *options]
        try:
            done = subprocess.run(
                [*command, "-o", str(written)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS_FOR_POLYIR,
            )
        except subprocess.TimeoutExpired:
            return Finding(path, WRONG, f"polyir-cc takes more than {SECONDS_FOR_POLYIR} s", ())
        reasons = tuple(_reasons(done.stderr))
        if "internal error" in done.stderr or "Traceback" in done.stderr:
            return Finding(path, WRONG, done.stderr.strip().splitlines()[-1], reasons)
        if done.returncode not in (0, 2):
            error = next((line for line in done.stderr.splitlines() if "error:" in line), "error:")
            return Finding(path, LEFT, "", (error.partition("error:")[2].strip(),))
        if written.read_bytes() == path.read_bytes():
            return Finding(path, LEFT, "", reasons or ("no loop that can be transformed",))
        after = _run(written, path, folder)
        if isinstance(after, str):
            return Finding(path, WRONG, f"does not compile: {after}", reasons)
        if after.result != before.result:
            fault = "does not end" if after.result is None else "the result differs"
            return Finding(path, WRONG, fault, reasons)
        return Finding(path, EQUAL, "", reasons)


def _run(source: Path, original: Path, folder: Path) -> Run | str:
    """What the program `source` does in an empty folder, or why it does not compile."""
    program = folder / f"{source.stem}.out"
    include = ("-iquote", str(original.parent.resolve()))
    command = [*COMPILE, *include, str(source.resolve()), "-o", str(program), "-lm"]
    built = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if built.returncode:
        return next((line for line in built.stderr.splitlines() if "error" in line), "gcc failed")
    place = folder / f"{source.stem}.run"
    place.mkdir()
    try:
        done = subprocess.run(
            [str(program)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS_FOR_RUN,
            cwd=place,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Run(None)
    return Run((done.returncode, done.stdout))


def _reasons(messages: str) -> list[str]:
    """The warnings about what was left, without names and places."""
    found = (REASON.search(line) for line in messages.splitlines())
    return [
        NAMES.sub("...", f"{match[1]}: {match[2]}" if match[1] else match[2])
        for match in found
        if match is not None
    ]


def main(arguments: Sequence[str]) -> int:
    """Report on each program that is wrong, and the counts."""
    split = list(arguments).index("--") if "--" in arguments else len(arguments)
    options = arguments[split + 1 :]
    files = sorted(file for folder in arguments[:split] for file in Path(folder).rglob("*.c"))
    programs = [file for file in files if MAIN.search(file.read_text(errors="replace"))]
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for program in programs:
        found = finding(program, options)
        kinds[found.kind] += 1
        if found.kind is NOT_HERE:
            print(f"{program}: {found.kind}: {found.reasons[0]}", flush=True)
        else:
            reasons.update(found.reasons)
        if found.kind is WRONG:
            print(f"{program}: WRONG: {found.fault}", flush=True)
    print(f"{len(programs)} programs")
    for kind in (EQUAL, LEFT, NOT_HERE, WRONG):
        print(f"{kinds[kind]:6} {kind}")
    if reasons:
        print("left, by reason:")
    for reason, count in reasons.most_common():
        print(f"{count:6} {reason}")
    return 1 if kinds[WRONG] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
