"""lit's configuration: `.venv/bin/lit tests/filecheck`."""

import sys
from pathlib import Path

import lit.formats

here = Path(__file__).parent
sys.path.insert(0, str(here.parent))

from tool_server import start  # noqa: E402

config.name = "polyir"  # noqa: F821
config.test_format = lit.formats.ShTest()  # noqa: F821
config.suffixes = [".mlir", ".c", ".alpha"]  # noqa: F821
config.test_source_root = str(here)  # noqa: F821
config.test_exec_root = str(here.parents[1] / "build" / "lit")  # noqa: F821
config.environment["PATH"] = start()  # noqa: F821
# As in the other tests, threads sleep while they wait.
config.environment["OMP_WAIT_POLICY"] = "passive"  # noqa: F821
