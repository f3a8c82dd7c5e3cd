"""Runs the tools of polyir, and filecheck, without the time that Python takes to import them.

lit's tests and the listings of the documentation run a thousand short commands. A server imports
the tools once; a command is a small client, which sends its arguments, environment, folder and
standard streams. A fork of the server runs the tool with them, as a process of its own would.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp

TOOLS = {
    "polyir-opt": "polyir.tools.polyir_opt",
    "polyir-alpha": "polyir.tools.polyir_alpha",
    "polyir-cc": "polyir.tools.polyir_cc",
    "polyir-machine": "polyir.tools.polyir_machine",
    "polyir-run": "polyir.tools.polyir_run",
    "polyir-tune": "polyir.tools.polyir_tune",
    "filecheck": "filecheck.main",
}

EXAMPLE = Path(__file__).parents[1] / "examples" / "stencil-1d.mlir"

LIMITS = "POLYIR_TEST_LIMITS"
"""Commands with this variable have a time limit, and a supervisor, as users have by default."""

SUPERVISED = ("polyir-opt", "polyir-cc")

CLIENT = """\
#!{python} -IS
import array, json, os, sys
from _socket import AF_UNIX, SCM_RIGHTS, SHUT_WR, SOCK_STREAM, SOL_SOCKET, socket
server = socket(AF_UNIX, SOCK_STREAM)
server.connect({address!r})
streams = array.array("i", (0, 1, 2))
server.sendmsg([b"x"], [(SOL_SOCKET, SCM_RIGHTS, streams)])
server.send(json.dumps([{name!r}, sys.argv[1:], os.getcwd(), dict(os.environ)]).encode())
server.shutdown(SHUT_WR)
code = server.recv(1)
os._exit(code[0] if code else 134)
"""


def start() -> str:
    """Start a server, which ends with this process; the `PATH` on which its clients come first.

    The other tools of the environment of this process come next, then those of the system.
    """
    folder = mkdtemp(prefix="polyir-")
    command = [sys.executable, __file__, folder]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    if not server.stdout.readline():
        raise SystemExit("the server of the tools did not start")
    # Its input would be closed when nothing refers to it.
    atexit.register(server.stdin.close)
    return os.pathsep.join([folder, str(Path(sys.executable).parent), os.environ["PATH"]])


def main() -> None:
    """Write the clients into the folder that the argument names, and serve them.

    That ends with the standard input; the folder is removed then.
    """
    folder = Path(sys.argv[1])
    address = folder / "socket"
    tools = {name: import_module(module).main for name, module in TOOLS.items()}
    import polyir

    for module in pkgutil.walk_packages(polyir.__path__, "polyir."):
        import_module(module.name)
    for name in tools:
        client = folder / name
        text = CLIENT.format(python=sys.executable, address=str(address), name=name)
        client.write_text(text)
        client.chmod(client.stat().st_mode | stat.S_IXUSR)
    # Parsers and passes make tables at their first use.
    sys.argv = ["polyir-opt", "--time-limit=0", "--pluto-schedule", "--emit=none", str(EXAMPLE)]
    tools["polyir-opt"]()
    # The garbage collector must not write to pages that the forks share.
    gc.collect()
    gc.freeze()
    # Nobody waits for the forks.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(address))
        listener.listen(64)
        print("serving", flush=True)
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            connection = listener.accept()[0]
            if os.fork() == 0:
                listener.close()
                _serve(connection, tools)
            connection.close()
    shutil.rmtree(folder)


def _serve(connection: socket.socket, tools: dict[str, Callable[[], object]]) -> None:
    """Run the tool that a client asks for, and end this process."""
    from polyir.base.supervisor import supervised
    from polyir.tools import command_line

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    # The streams of the server know whether its own files can seek.
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False, errors="backslashreplace", buffering=1)
    request = bytearray()
    while part := connection.recv(1 << 16):
        request += part
    name, arguments, folder, environment = json.loads(request)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [name, *arguments]
    if LIMITS not in environment:
        command_line.DEFAULT_TIME_LIMIT = 0  # type: ignore[misc]
    elif name in SUPERVISED:
        supervised()
    code: object = 1
    try:
        code = tools[name]()
    except SystemExit as stop:
        code = stop.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        connection.send(bytes([code if isinstance(code, int) else int(code is not None)]))
        os._exit(0)


if __name__ == "__main__":
    main()
