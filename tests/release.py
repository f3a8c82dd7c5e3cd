"""`make release-check`: make what is published in `build/dist`, and check it.

The source distribution and the wheel of the last commit are built twice and must be equal, byte for
byte. The types that the wheel promises (`py.typed`) are checked by mypy and pyright on a package
that uses polyir, and the licences of what it depends on are listed. `make release-check` then runs
the tests of the wheel, which install it in empty environments and run the README's commands.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import requires
from pathlib import Path
from re import match
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
DIST = ROOT / "build" / "dist"
TOOLS = Path(sys.executable).parent

USER = """\
import numpy as np

import polyir
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass


class UserPass(ScopPass):
    name = "user"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return Outcome(scop.schedule)


kernel = polyir.compile("void f(int n, double *A) { for (int i = 0; i < n; i++) A[i] *= 2; }")
kernel.f(10, np.zeros(10))
program: polyir.Program = polyir.Program.read("in.mlir")
trees: tuple[polyir.ScheduleTree, ...] = program.schedules
text: str = polyir.emit(program.module, "c")
"""


def main() -> None:
    """All steps; the first that fails ends the run with its output."""
    date = _run("git", "log", "-1", "--format=%ct", folder=ROOT).strip()
    with TemporaryDirectory() as folder:
        first, second = (build(Path(folder) / name, date) for name in ("first", "second"))
        for one, other in zip(first, second, strict=True):
            if one.read_bytes() != other.read_bytes():
                sys.exit(f"error: {one.name} is another file when it is built again")
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir(parents=True)
        for file in first:
            shutil.copy(file, DIST)
    files = sorted(DIST.iterdir())
    print("== built twice, with equal bytes: " + ", ".join(file.name for file in files))
    print(_run(TOOLS / "twine", "check", "--strict", *files, folder=DIST), end="")
    check_types(next(file for file in files if file.suffix == ".whl"))
    print("== licences of what polyir and its extras depend on")
    print(licences())


def build(folder: Path, date: str) -> tuple[Path, Path]:
    """The source distribution of the last commit, and the wheel that is made of it."""
    sources = folder / "sources"
    sources.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extractall(sources, filter="data")
    _run(sys.executable, "-m", "build", "--sdist", "-o", folder, sources, folder=folder, date=date)
    (source,) = folder.glob("*.tar.gz")
    fix_dates(source, int(date))
    unpacked = folder / "unpacked"
    with tarfile.open(source) as tar:
        tar.extractall(unpacked, filter="data")
    (inner,) = unpacked.iterdir()
    _run(sys.executable, "-m", "build", "--wheel", "-o", folder, inner, folder=folder, date=date)
    (wheel,) = folder.glob("*.whl")
    return source, wheel


def fix_dates(archive: Path, date: int) -> None:
    """Give all in a `.tar.gz` one date, one owner and a fixed order, which setuptools does not."""
    with tarfile.open(archive) as old:
        files = [(member, old.extractfile(member)) for member in old.getmembers()]
        text = io.BytesIO()
        with tarfile.open(fileobj=text, mode="w", format=tarfile.PAX_FORMAT) as new:
            for member, content in sorted(files, key=lambda pair: pair[0].name):
                member.mtime, member.pax_headers = date, {}
                member.uid = member.gid = 0
                member.uname = member.gname = ""
                new.addfile(member, content)
    with archive.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=date) as packed:
        packed.write(text.getvalue())


def check_types(wheel: Path) -> None:
    """Check a package that uses polyir, with polyir as it is installed from the wheel."""
    with TemporaryDirectory() as folder:
        python = Path(folder) / "environment" / "bin" / "python"
        _run(sys.executable, "-m", "venv", "--without-pip", python.parents[1], folder=ROOT)
        pip = (sys.executable, "-m", "pip", "-q", "--python", python, "install")
        _run(*pip, "--constraint", ROOT / "constraints.txt", wheel, folder=ROOT)
        (Path(folder) / "user.py").write_text(USER)
        mypy = (TOOLS / "mypy", "--strict", "--python-executable", python, "user.py")
        print("== mypy: " + _run(*mypy, folder=Path(folder)), end="")
        pyright = (TOOLS / "pyright", "--pythonpath", python, "user.py")
        print("== pyright: " + _run(*pyright, folder=Path(folder)), end="")


def licences() -> str:
    """A table of the packages that polyir and its extras name, as far as they are installed."""
    names = {found[0] for each in requires("polyir") or () if (found := match(r"[\w.-]+", each))}
    python = ROOT / ".venv" / "bin" / "python"
    table = ("--format=plain", "--order=license", "--packages", *sorted(names))
    return _run(TOOLS / "pip-licenses", f"--python={python}", *table, folder=ROOT)


def _run(*command: str | Path, folder: Path, date: str | None = None) -> str:
    environment = os.environ | ({} if date is None else {"SOURCE_DATE_EPOCH": date})
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
