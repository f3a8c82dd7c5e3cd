"""lit's configuration: `.venv/bin/lit tests/filecheck`."""

import atexit
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import lit.formats

here = Path(__file__).parent
config.name = "polyir"  # noqa: F821
config.test_format = lit.formats.ShTest()  # noqa: F821
config.suffixes = [".mlir", ".c"]  # noqa: F821
config.test_source_root = str(here)  # noqa: F821
config.test_exec_root = str(here.parents[1] / "build" / "lit")  # noqa: F821
# polyir's tools as clients of a server, which ends with lit; then the other tools of the
# environment that runs lit, and those of the system.
clients = tempfile.mkdtemp(prefix="polyir-")
server = subprocess.Popen(
    [sys.executable, here.parent / "tool_server.py", clients],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
)
if not server.stdout.readline():
    raise SystemExit("the server of the tools did not start")
# Until lit ends: its input would be closed when nothing refers to it.
atexit.register(server.stdin.close)
path = [clients, str(Path(sys.executable).parent), os.environ["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)  # noqa: F821
