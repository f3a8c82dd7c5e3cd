"""lit's configuration: `.venv/bin/lit tests/filecheck`."""

import os
import sys
from pathlib import Path

import lit.formats

config.name = "polyir"  # noqa: F821
config.test_format = lit.formats.ShTest()  # noqa: F821
config.suffixes = [".mlir", ".c"]  # noqa: F821
config.test_source_root = str(Path(__file__).parent)  # noqa: F821
config.test_exec_root = str(Path(__file__).parents[2] / "build" / "lit")  # noqa: F821
# The tools of the environment that runs lit, then those of the system.
tools = str(Path(sys.executable).parent)
config.environment["PATH"] = os.pathsep.join([tools, os.environ["PATH"]])  # noqa: F821
