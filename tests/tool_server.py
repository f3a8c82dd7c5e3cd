"""Runs the tools of polyir, and filecheck, without the time that Python takes to import them.

lit's tests and the listings of the documentation run a thousand short commands. A server imports
the tools once; a command is a small client, which sends its arguments, environment, folder and
standard streams. A fork of the server runs the tool with them, as a process of its own would.
"""

from __future__ import annotations

import atexit
import gc
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
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
}

EXAMPLE = Path(__file__).parents[1] / "examples" / "stencil-1d.mlir"

LIMITS = "POLYIR_TEST_LIMITS"
"""Commands with this variable have a time limit, and a supervisor, as users have by default."""

SUPERVISED = ("polyir-opt", "polyir-cc")

CLIENT = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

static void send_text(int server, const char *text) {
    size_t left = strlen(text) + 1;
    while (left > 0) {
        ssize_t sent = send(server, text, left, MSG_NOSIGNAL);
        if (sent <= 0) _exit(134);
        text += sent;
        left -= (size_t)sent;
    }
}

int main(int count, char **arguments) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = ADDRESS};
    int streams[3] = {0, 1, 2}, server = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(server, (struct sockaddr *)&address, sizeof address)) return 134;
    char control[CMSG_SPACE(sizeof streams)] = {0}, first = 'x', number[16];
    struct iovec data = {&first, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1,
                             .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof streams);
    memcpy(CMSG_DATA(header), streams, sizeof streams);
    if (sendmsg(server, &message, 0) != 1) return 134;
    char *folder = getcwd(NULL, 0);
    send_text(server, folder ? folder : "/");
    snprintf(number, sizeof number, "%d", count);
    send_text(server, number);
    for (int i = 0; i < count; ++i) send_text(server, arguments[i]);
    for (char **variable = environ; *variable; ++variable) send_text(server, *variable);
    shutdown(server, SHUT_WR);
    unsigned char code;
    return recv(server, &code, 1, 0) == 1 ? code : 134;
}
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
    # Every other command is filecheck's, and a fork of a process without polyir takes less time.
    checks = _listener(folder, ["filecheck"])
    commands = _listener(folder, list(TOOLS))
    matcher = import_module("filecheck.main").main
    gc.freeze()
    if os.fork() == 0:
        commands.close()
        _accept(checks, {"filecheck": matcher})
        os._exit(0)
    checks.close()
    tools = {name: import_module(module).main for name, module in TOOLS.items()}
    import polyir

    for module in pkgutil.walk_packages(polyir.__path__, "polyir."):
        import_module(module.name)
    # Parsers and passes make tables at their first use.
    for passes in (["--optimize", "--emit=c"], ["--pluto-schedule", "--map-to-gpu", "--emit=cuda"]):
        sys.argv = ["polyir-opt", "--time-limit=0", *passes, "-o", os.devnull, str(EXAMPLE)]
        tools["polyir-opt"]()
    # The garbage collector must not write to pages that the forks share.
    gc.collect()
    gc.freeze()
    print("serving", flush=True)
    _accept(commands, tools)
    shutil.rmtree(folder)


def _listener(folder: Path, names: Sequence[str]) -> socket.socket:
    """The socket of the clients of these tools, which it writes into the folder."""
    address, source, client = (folder / f"{names[0]}.{end}" for end in ("socket", "c", "client"))
    source.write_text(CLIENT)
    command = ["gcc", f'-DADDRESS="{address}"', str(source), "-o", str(client)]
    subprocess.run(command, check=True)
    for name in names:
        (folder / name).hardlink_to(client)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(address))
    listener.listen(64)
    return listener


def _accept(listener: socket.socket, tools: Mapping[str, Callable[[], object]]) -> None:
    """Serve the clients of a socket until the standard input ends."""
    # Nobody waits for the forks.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
        connection = listener.accept()[0]
        if os.fork() == 0:
            listener.close()
            _serve(connection, tools)
        connection.close()


def _serve(connection: socket.socket, tools: Mapping[str, Callable[[], object]]) -> None:
    """Run the tool that a client asks for, and end this process."""
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
    folder, count, *words = map(os.fsdecode, bytes(request).split(b"\0")[:-1])
    os.chdir(folder)
    environment = dict(word.split("=", 1) for word in words[int(count) :])
    os.environ.clear()
    os.environ.update(environment)
    name = Path(words[0]).name
    sys.argv = [name, *words[1 : int(count)]]
    if name in SUPERVISED and LIMITS in environment:
        import_module("polyir.base.supervisor").supervised()
    elif name in TOOLS and LIMITS not in environment:
        import_module("polyir.tools.command_line").DEFAULT_TIME_LIMIT = 0
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
