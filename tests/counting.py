"""Counts what runs of polyir-opt do more than once, and the lines of polyir.

    python tests/counting.py [FILE.mlir [OPTION...]]

Without arguments, it counts for the runs in `RUNS`. Worker processes count, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("polyir", "passes", "dialects", "tools")
PROGRAM = ROOT / "benchmarks" / "polybench" / "gemm.mlir"

RUNS = (
    ("--tile=32",),
    ("--pluto-schedule", "--tile=32"),
    ("--isl-schedule=outer-coincidence", "--map-to-gpu", "--emit=cuda"),
)

COUNTED = {
    "polyir/tree/operations.py:_node": "trees read from operations",
    "polyir/tree/operations.py:operations_of": "operations made of a tree",
    "polyir/tree/isl_border.py:to_isl": "isl schedules made",
    "polyir/tree/isl_border.py:from_isl": "isl schedules read",
    "polyir/base/limits.py:limited": "steps with a limit",
    "polyir/proofs/remembered.py:_content": "contents of scops read, for what is proved",
}
"""Functions, each with what a call of it means, unless it calls itself."""

COUNTS = "POLYIR_COUNTS"
"""The variable that names the folder for the counts of each process."""

_IS_FUNCTION = 1
"""The flag `CO_OPTIMIZED` of code: bodies of modules and classes do not have it."""


class _Counter:
    """Notes the calls of functions of polyir in a process and those that it forks."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.places: set[str] = set()
        self._files: dict[str, str] = {}
        self._imports = 0
        self._exit = os._exit
        os.register_at_fork(after_in_child=self.calls.clear)
        os._exit = self._leave  # type: ignore[assignment]

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """What `sys.setprofile` calls."""
        if event not in ("call", "return"):
            return
        code = frame.f_code
        if code.co_name == "<module>":
            self._imports += 1 if event == "call" else -1
        elif event == "call" and not self._imports and code.co_flags & _IS_FUNCTION:
            place = self._files.get(code.co_filename)
            if place is None:
                place = self._files[code.co_filename] = _place(code.co_filename)
            if place:
                self.places.add(place)
                name = f"{place}:{code.co_name}"
                if name in COUNTED and (frame.f_back is None or frame.f_back.f_code is not code):
                    self.calls[name] += 1

    def write(self) -> None:
        """Write a file for this process into the folder that the environment names."""
        sys.setprofile(None)
        modules = [name for name in sys.modules if name.partition(".")[0] == "polyir"]
        counts = {"calls": self.calls, "places": sorted(self.places), "modules": modules}
        Path(os.environ[COUNTS], f"{os.getpid()}.json").write_text(json.dumps(counts))

    def _leave(self, code: int) -> None:
        self.write()
        self._exit(code)


def _place(file: str) -> str:
    """The path of a file of polyir from the root on; empty for others."""
    path = Path(file)
    inside = path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in ROOMS
    return path.relative_to(ROOT).as_posix() if inside else ""


def count(program: Path, options: tuple[str, ...]) -> dict[str, int]:
    """What one run does, by what it is. Raises `CalledProcessError` if the run fails."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, __file__, "--run", str(program), *options]
        environment = {**os.environ, COUNTS: folder}
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        parts = [json.loads(path.read_text()) for path in Path(folder).iterdir()]
    counts = {
        what: sum(part["calls"].get(name, 0) for part in parts) for name, what in COUNTED.items()
    }
    for key, what in (("modules", "modules imported"), ("places", "modules that did something")):
        counts[what] = len({each for part in parts for each in part[key]})
    return counts


def lines() -> dict[str, int]:
    """The lines of each room."""
    found: Counter[str] = Counter()
    for folder in ROOMS:
        for path in (ROOT / folder).rglob("*.py"):
            parts = path.relative_to(ROOT).parts
            room = "/".join(parts[: 2 if folder == "polyir" and len(parts) > 2 else 1])
            found[room] += path.read_bytes().count(b"\n")
    return dict(sorted(found.items()))


def _run(arguments: list[str]) -> None:
    """Run polyir-opt in this process, and write what it did."""
    from polyir.base import limits
    from polyir.tools.polyir_opt import main

    in_order = limits.in_order

    def patiently(step, computations, location=None, patience=0.0, known=tuple):  # type: ignore[no-untyped-def]
        # What is begun beside the first computation depends on the time that this one takes.
        return in_order(step, computations, location, patience and 600.0, known)

    limits.in_order = patiently
    counter = _Counter()
    sys.argv = ["polyir-opt", *arguments]
    sys.setprofile(counter.note)
    try:
        main()
    finally:
        counter.write()


def _print(counts: dict[str, int]) -> None:
    for what, number in counts.items():
        print(f"{number:8}  {what}")


def _main() -> None:
    arguments = sys.argv[1:]
    if arguments[:1] == ["--run"]:
        _run(arguments[1:])
        return
    program = Path(arguments[0]) if arguments else PROGRAM
    for options in (tuple(arguments[1:]),) if arguments else RUNS:
        print("polyir-opt", *options, program.name)
        _print(count(program, options))
    print("lines of code")
    sizes = lines()
    _print({**sizes, "all": sum(sizes.values())})


if __name__ == "__main__":
    _main()
