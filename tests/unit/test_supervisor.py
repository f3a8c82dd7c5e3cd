"""Tools under a supervisor: what runs again, what is printed, and how it ends."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from polyir.base import supervisor

pytestmark = pytest.mark.skipif(
    not hasattr(os, "memfd_create"), reason="only Linux has a supervisor"
)

TERMINAL = {**os.environ, "TERM": "xterm"}

BEGINNING = """
import os, signal, sys
from polyir.base.supervisor import read_input, supervised
supervised()
from polyir.base.diagnostics import PolyirError
from polyir.base.limits import limited, time_limited_to

def step(name, compute):
    try:
        print(name, limited(name, compute))
    except PolyirError as error:
        print(error.message, file=sys.stderr)

def die(number=signal.SIGSEGV):
    os.kill(os.getpid(), number)

def endless():
    while True:
        pass
"""


def run(program: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BEGINNING + program], input=text, capture_output=True, text=True
    )


def test_steps_run_in_the_process_of_the_tool() -> None:
    result = run("print(limited('a', os.getpid) == os.getpid() != os.getppid())")
    assert (result.stdout, result.returncode) == ("True\n", 0)


def test_what_crashes_is_left_out_and_nothing_is_printed_twice() -> None:
    result = run(
        """
print("begun", file=sys.stderr, flush=True)
step("first", lambda: 1)
sys.stdout.flush()
step("second", die)
step("third", lambda: die(signal.SIGABRT))
step("fourth", lambda: 4)
sys.exit(3)
"""
    )
    assert result.stdout == "first 1\nfourth 4\n"
    assert result.stderr == (
        "begun\n"
        "second fails: isl crashes (segmentation fault)\n"
        "third fails: isl crashes (aborted)\n"
    )
    assert result.returncode == 3


def test_a_step_beyond_the_limit_is_an_error() -> None:
    result = run("with time_limited_to(0.1): step('it', endless)\nstep('next', lambda: 2)")
    assert result.stderr == "it takes more than 0.1 s of processor time (--time-limit)\n"
    assert result.stdout == "next 2\n"


@pytest.mark.parametrize(
    "line",
    [
        'cat "$IN" | "$0" -c "$1" -',
        'cat "$IN" | "$0" -c "$1" /dev/stdin',
        '"$0" -c "$1" - < "$IN"',
        '"$0" -c "$1" <(cat "$IN")',
        '"$0" -c "$1" "$IN"',
    ],
)
def test_the_input_is_read_again(line: str, tmp_path: Path) -> None:
    path, text = tmp_path / "in", "a line\nanother\n" * 10_000
    path.write_text(text)
    program = "text = read_input(sys.argv[1])\nstep('it', die)\nprint(len(text))"
    shell = ["bash", "-c", line, sys.executable, BEGINNING + program]
    environment = {**os.environ, "IN": str(path)}
    done = subprocess.run(shell, capture_output=True, text=True, env=environment)
    assert done.stdout == f"{len(text)}\n"
    assert done.stderr.startswith("it fails")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_without_a_standard_stream_there_is_no_supervisor(closed: str, tmp_path: Path) -> None:
    said = tmp_path / "said"
    program = f"open({str(said)!r}, 'w').write(str(limited('it', lambda: 7)))"
    command = f'"$0" -c "$1" {closed}'
    shell = ["sh", "-c", command, sys.executable, BEGINNING + program]
    assert subprocess.run(shell, stdin=subprocess.DEVNULL).returncode == 0
    assert said.read_text() == "7"


def test_what_dies_outside_a_step_ends() -> None:
    result = run("print('once', flush=True)\ndie()")
    assert (result.stdout, result.returncode) == ("once\n", -signal.SIGSEGV)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, supervisor.INTERRUPTED),
        (signal.SIGTERM, -signal.SIGTERM),
        (signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_the_tool_ends_with_its_supervisor(number: signal.Signals, code: int) -> None:
    # The limit would end it much later.
    program = "print(os.getpid(), flush=True)\nwith time_limited_to(600): step('it', endless)"
    with subprocess.Popen(
        [sys.executable, "-c", BEGINNING + program], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        tool = int(process.stdout.readline())
        process.send_signal(number)
        try:
            # The pipe is open as long as one of the two processes lives.
            assert process.communicate(timeout=30)[0] == ""
        except subprocess.TimeoutExpired:
            os.kill(tool, signal.SIGKILL)
            raise
        assert process.returncode == code


SLOW = """
import sys
from time import sleep
from polyir.base import supervisor

supervisor.PATIENCE = 0.1
supervisor.supervised()
is_terminal = sys.stderr.isatty()

def wait():
    sleep(0.3)
    while is_terminal and not supervisor.process.shared[supervisor._IS_SHOWN]:
        sleep(0.01)

with supervisor.doing("in.c:1:2: "), supervisor.doing("[slow]"):
    wait()
    print("warning: told", file=sys.stderr)
with supervisor.doing("[later]"):
    wait()
"""


def test_a_terminal_shows_what_takes_long() -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run([sys.executable, "-c", SLOW], stderr=theirs, env=TERMINAL)
    os.close(theirs)
    said = b""
    # After all that was written, Linux reports an error.
    with suppress(OSError):
        while part := os.read(ours, 10_000):
            said += part
    assert done.returncode == 0
    clear, text = re.escape("\r\x1b[K"), said.decode()
    whats = (re.escape("in.c:1:2: [slow]"), re.escape("[later]"))
    assert all(re.search(what, text) for what in whats)
    # Between what is done, and before and after it, the tool alone is named; the first step is not
    # over when its warning is printed.
    names = (whats[0], "|".join(whats))
    slow, later = (rf"({clear}-c: (({name}) )?\d+ s)+{clear}" for name in names)
    assert re.fullmatch(rf"{slow}warning: told\r\n{later}", text)


def test_others_do_not() -> None:
    done = subprocess.run([sys.executable, "-c", SLOW], capture_output=True, text=True)
    assert done.stderr == "warning: told\n"
