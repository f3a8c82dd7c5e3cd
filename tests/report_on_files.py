"""What polyir makes of each file of a folder: a result, or a diagnostic, and in which time.

    .venv/bin/python tests/report_on_files.py FOLDER

MLIR goes through `polyir-opt` with the default pipeline and the C target, C through `polyir-cc`.
What is written is compiled; a C file with a `main` is run before and after, and the outputs are
compared. The exit code is 1 if polyir fails by itself (an internal error, a limit of time, code
that does not compile) or an output differs: a program that is refused with a diagnostic is none
of these.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 120
COMPILE = ("gcc", "-O1", "-fopenmp", "-ffp-contract=off", "-w")
MAIN = re.compile(r"^\s*(int|void)\s+main\s*\(", re.MULTILINE)


def report(path: Path, folder: Path) -> tuple[bool, str]:
    """Whether polyir is not at fault, and the line for a file."""
    written = folder / f"{path.stem}.c"
    command = [sys.executable, "-m", *_tool(path), str(path), "-o", str(written)]
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False, f"{path.name}: no result after {SECONDS} s"
    seconds = time.monotonic() - begin
    said = next((line for line in done.stderr.splitlines() if ": " in line), "")
    head = f"{path.name}: {seconds:.1f} s, "
    if "internal error" in done.stderr or "Traceback" in done.stderr:
        return False, f"{head}internal error: {said}"
    if not written.exists():
        return bool(said), f"{head}refused: {said or 'without a diagnostic'}"
    fault = _fault(path, written, folder)
    return not fault, f"{head}{fault or 'in order'}{'; ' + said if said else ''}"


def _tool(path: Path) -> tuple[str, ...]:
    if path.suffix == ".c":
        return ("polyir.tools.polyir_cc",)
    passes = ("--pluto-schedule", "--tile=32", "--mark-parallel")
    return ("polyir.tools.polyir_opt", *passes, "--emit=c")


def _fault(path: Path, written: Path, folder: Path) -> str:
    """What is wrong with the C that was written; empty if nothing is."""
    has_main = path.suffix == ".c" and MAIN.search(path.read_text()) is not None
    outputs: list[str] = []
    for source in (path, written) if has_main else (written,):
        program = folder / f"{len(outputs)}.out"
        target = ("-o", str(program), "-lm") if has_main else ("-c", "-o", str(program))
        include = ("-I", str(path.parent))
        built = subprocess.run(
            [*COMPILE, *include, str(source), *target], capture_output=True, text=True
        )
        if built.returncode:
            return "" if source == path else f"does not compile: {built.stderr.splitlines()[0]}"
        if has_main:
            ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=SECONDS)
            outputs.append(f"{ran.returncode}\n{ran.stdout}")
    return "the output differs" if len(set(outputs)) > 1 else ""


def main() -> int:
    """Report on each file, and on how many of them something is wrong."""
    (folder,) = map(Path, sys.argv[1:])
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".mlir", ".c"))
    wrong = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as scratch:
            is_right, line = report(path, Path(scratch))
        print(line if is_right else f"WRONG {line}", flush=True)
        wrong += not is_right
    print(f"{len(paths)} files, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
