"""The wheel, in an environment of its own and without a C compiler, runs the README's example."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, environment: dict[str, str] | None = None) -> str:
    """What the command prints; both of its streams in the message if it fails."""
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of an empty environment in which the wheel was installed."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    try:
        # From a copy: setuptools would take what an earlier build left beside the sources.
        skipped = shutil.ignore_patterns(".*", "build", "tests", "benchmarks", "*.egg-info")
        shutil.copytree(ROOT, folder / "sources", ignore=skipped)
        run(*pip, "wheel", "--no-deps", "--wheel-dir", folder, folder / "sources")
        # Of the pip that is here: one of its own takes longer than all of the wheel.
        run(sys.executable, "-m", "venv", "--without-pip", folder / "environment")
        (wheel,) = folder.glob("polyir-*.whl")
        python = folder / "environment" / "bin" / "python"
        constraints = ("--constraint", ROOT / "constraints.txt")
        wanted = f"polyir[jit] @ file://{wheel}"
        run(*pip, "--python", python, "install", *constraints, wanted)
    except AssertionError as error:
        if "No matching distribution" in str(error):
            pytest.skip("needs the package registry")
        raise
    return python.parent


def without_compilers(scripts: Path) -> dict[str, str]:
    return {**os.environ, "PATH": str(scripts)}


def test_readme_example(scripts: Path) -> None:
    readme = (ROOT / "README.md").read_text()
    example = re.search(r"^```python\n(import numpy.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    assert example is not None
    program = f"{example[1]}\nprint(polyir.__file__, A.sum())\n"
    environment = without_compilers(scripts)
    file, total = run(scripts / "python", "-I", "-c", program, environment=environment).split()
    assert Path(file).is_relative_to(scripts.parent)
    assert 0 < float(total) < 1000


def test_tool(scripts: Path) -> None:
    command = (scripts / "polyir-opt", "--pluto-schedule", "--emit=c", "examples/stencil-1d.mlir")
    assert "for (" in run(*command, environment=without_compilers(scripts))
