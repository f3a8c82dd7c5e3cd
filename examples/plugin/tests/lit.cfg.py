"""lit's configuration: `lit tests`."""

import os
import sys
from pathlib import Path

import lit.formats

config.name = "prefetching"  # noqa: F821
config.test_format = lit.formats.ShTest()  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.test_source_root = str(Path(__file__).parent)  # noqa: F821
config.test_exec_root = str(Path(__file__).parents[1] / "build" / "lit")  # noqa: F821
# polyir-opt and filecheck of the environment that runs lit, then the tools of the system.
tools = str(Path(sys.executable).parent)
config.environment["PATH"] = os.pathsep.join([tools, os.environ["PATH"]])  # noqa: F821
# Where the package is, if it is not installed in that environment.
if "PYTHONPATH" in os.environ:
    config.environment["PYTHONPATH"] = os.environ["PYTHONPATH"]  # noqa: F821
