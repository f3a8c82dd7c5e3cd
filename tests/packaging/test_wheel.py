"""The wheel, built from the source distribution, in environments of its own far from the sources.

Each command runs through its default there, in an empty folder, and prints what it prints in the
checkout.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest
from documentation import README, ROOT, listings, run_command, tutorials, write_files

pytestmark = pytest.mark.every_case

HERE = Path(sys.executable).parent
PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
INPUTS = (
    "polybench/gemm.mlir",
    "polybench/mvt.mlir",
    "polybench_c/gemm.c",
    "polybench_c/suite.h",
    "equations/gemm.alpha",
)

IMPORT_ALL = """\
import pkgutil
from importlib import import_module
import polyir
for module in pkgutil.walk_packages(polyir.__path__, "polyir."):
    import_module(module.name)
    print(module.name)
"""


def run(
    *command: str | Path, folder: Path, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The finished command; both of its streams in the message if it fails."""
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that is made of the source distribution."""
    folder = tmp_path_factory.mktemp("wheel")
    # From a copy: setuptools would take what an earlier build left beside the sources.
    skipped = shutil.ignore_patterns(".*", "build", "tests", "benchmarks", "*.egg-info")
    shutil.copytree(ROOT, folder / "sources", ignore=skipped)
    sdist = f"from setuptools.build_meta import build_sdist; build_sdist({str(folder)!r})"
    run(sys.executable, "-c", sdist, folder=folder / "sources")
    (source,) = folder.glob("polyir-*.tar.gz")
    with_registry(*PIP, "wheel", "--no-deps", "--wheel-dir", folder, source, folder=folder)
    (found,) = folder.glob("polyir-*.whl")
    return found


def with_registry(*command: str | Path, folder: Path) -> None:
    """Run a command of pip, which needs the package registry."""
    try:
        run(*command, folder=folder)
    except AssertionError as error:
        if "No matching distribution" in str(error):
            pytest.skip("needs the package registry")
        raise


def environment_of(python: str | Path, wheel: Path, folder: Path, *extras: str) -> Path:
    """The scripts of a fresh environment in which the wheel was installed."""
    # Of the pip that is here: one of its own takes longer than all of the wheel.
    run(python, "-m", "venv", "--without-pip", folder / "environment", folder=folder)
    scripts = folder / "environment" / "bin"
    wanted = f"polyir[{','.join(extras)}] @ {wheel.as_uri()}"
    constraints = ("--constraint", ROOT / "constraints.txt")
    # What is imported is compiled then.
    pip = (*PIP, "--python", scripts / "python", "install", "--no-compile")
    with_registry(*pip, *constraints, wanted, folder=folder)
    return scripts


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an environment: with another Python than the checkout's, if there is one."""
    python = find_python("3.13") or sys.executable
    return environment_of(python, wheel, tmp_path_factory.mktemp("new"), "jit", "report")


def find_python(version: str) -> Path | None:
    """The interpreter of a version, if it is on `PATH` or pyenv has it."""
    installed = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
    on_path = shutil.which(f"python{version}")
    for candidate in (*([Path(on_path)] if on_path else []), *installed):
        # pyenv has a script for each version on `PATH`, which fails where another one is chosen.
        said = subprocess.run((candidate, "-VV"), capture_output=True, text=True, check=False)
        if said.returncode == 0 and said.stdout.startswith(f"Python {version}."):
            return candidate
    return None


def test_all_modules_are_there(scripts: Path, tmp_path: Path) -> None:
    imported = run(scripts / "python", "-I", "-c", IMPORT_ALL, folder=tmp_path).stdout.split()
    folders = {"polyir": "polyir"} | {f"polyir.{n}": n for n in ("dialects", "passes", "tools")}
    sources = {
        ".".join((name, *file.relative_to(ROOT / folder).with_suffix("").parts))
        for name, folder in folders.items()
        for file in (ROOT / folder).rglob("*.py")
    }
    assert set(imported) == {name.removesuffix(".__init__") for name in sources} - {"polyir"}


@pytest.mark.matrix
@pytest.mark.parametrize("version", ["3.11", "3.12", "3.14"])
def test_other_pythons(version: str, wheel: Path, tmp_path: Path) -> None:
    python = find_python(version)
    if python is None:
        pytest.skip(f"there is no Python {version}")
    scripts = environment_of(python, wheel, tmp_path, "report")
    run(scripts / "python", "-I", "-c", IMPORT_ALL, folder=tmp_path)
    gemm = ROOT / "benchmarks" / INPUTS[0]
    here, there = (
        run(each / "polyir-opt", "--optimize", "--emit=c", gemm, folder=tmp_path).stdout
        for each in (HERE, scripts)
    )
    assert here == there


@pytest.mark.parametrize(
    "command",
    [
        "polyir-opt --optimize --emit=c gemm.mlir",
        "polyir-opt --optimize --emit=llvm mvt.mlir",
        "polyir-opt --pluto-schedule --map-to-gpu --emit=cuda mvt.mlir",
        "polyir-opt --pluto-schedule --map-to-gpu --emit=opencl mvt.mlir",
        "polyir-cc gemm.c",
        "polyir-alpha gemm.alpha",
        "polyir-alpha --ashow gemm.alpha",
        "polyir-machine",
        "polyir-cc --explain=call",
        "polyir --help",
        "polyir-explore --help",
        "polyir-opt --pluto-schedule --tile=32 --emit=none --report=/dev/stdout mvt.mlir",
        "xdsl-opt -p pluto-schedule -t c gemm.mlir",
    ],
)
def test_commands_print_the_same(command: str, scripts: Path, tmp_path: Path) -> None:
    for name in INPUTS:
        shutil.copy(ROOT / "benchmarks" / name, tmp_path)
    tool, *arguments = command.split()
    here, there = (run(each / tool, *arguments, folder=tmp_path) for each in (HERE, scripts))
    assert without_times(here.stdout) == without_times(there.stdout)
    assert here.stderr == there.stderr


def without_times(text: str) -> str:
    """The text without the times in a report, and without the present clock of the processor."""
    return re.sub(r'"gigahertz": [0-9.]+|[0-9.]+ m?s\b', "", text)


def test_measuring_commands(scripts: Path, tmp_path: Path) -> None:
    gemm = shutil.copy(ROOT / "benchmarks" / INPUTS[0], tmp_path)
    size = "--default-size=20"
    ran = run(scripts / "polyir-run", size, gemm, folder=tmp_path)
    assert "outputs are bit-identical" in ran.stdout
    tuned = run(scripts / "polyir-tune", size, "--trials=1", "--quiet", gemm, folder=tmp_path)
    assert "written to" in tuned.stdout
    record = tmp_path / "gemm.tuned.json"
    run(scripts / "polyir-opt", f"--tuned={record}", "--emit=c", gemm, folder=tmp_path)


def test_version(scripts: Path, tmp_path: Path) -> None:
    text = run(
        scripts / "python", "-I", "-c", "import polyir; print(polyir.__version__)", folder=tmp_path
    ).stdout
    tools = sorted(each for each in scripts.iterdir() if each.name.startswith("polyir-"))
    for tool in tools:
        said = run(tool, "--version", folder=tmp_path).stdout
        assert said.startswith(f"{tool.name} {text.strip()} (")
    assert len(tools) == 8


def test_readme_example(scripts: Path, tmp_path: Path) -> None:
    write_files(README.read_text(), tmp_path)
    example = re.search(
        r"^```python\n(import numpy.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE
    )
    assert example is not None
    program = f"{example[1]}\nprint(polyir.__file__, A.sum())\n"
    python = (scripts / "python", "-I", "-c", program)
    # Without a C compiler, LLVM compiles.
    environment = {**os.environ, "PATH": str(scripts)}
    file, total = run(*python, folder=tmp_path, environment=environment).stdout.split()
    assert Path(file).is_relative_to(scripts.parent)
    assert 0 < float(total) < 1000


def test_readme_commands(scripts: Path, tmp_path: Path) -> None:
    write_files(README.read_text(), tmp_path)
    environment = {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}"}
    for command, expected in chain.from_iterable(listings(README.read_text())):
        run_command(command, expected, tmp_path, environment)


@pytest.fixture(scope="module")
def path_with_pip(scripts: Path) -> str:
    """The `PATH` of a reader who has an environment, in which pip installs packages."""
    pip = scripts / "pip"
    pip.write_text(f'#!/bin/sh\nexec {shlex.join(PIP)} --python {scripts / "python"} "$@"\n')
    pip.chmod(0o755)
    with_registry(pip, "install", "filecheck", "setuptools", folder=scripts)
    return f"{scripts}:{os.environ['PATH']}"


@pytest.mark.matrix
@pytest.mark.parametrize("page", tutorials(), ids=lambda page: page.stem)
def test_tutorials_are_followed_literally(page: Path, path_with_pip: str, tmp_path: Path) -> None:
    write_files(page.read_text(), tmp_path)
    environment = {name: value for name, value in os.environ.items() if name != "CC"}
    # What the reader has, the registry need not give.
    environment |= {"PATH": path_with_pip, "PIP_NO_BUILD_ISOLATION": "1"}
    for command, expected in chain.from_iterable(listings(page.read_text())):
        missing = [tool for tool in ("cmake",) if tool in command and shutil.which(tool) is None]
        if missing:
            pytest.skip(f"there is no {missing[0]}")
        run_command(command, expected, tmp_path, environment)
    for program in re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.M | re.S):
        run("python", "-c", program, folder=tmp_path, environment=environment)
