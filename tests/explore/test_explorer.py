"""What the explorer answers, and to whom."""

from __future__ import annotations

import http.client
import json
import re
import shlex
from collections.abc import Iterator
from contextvars import copy_context
from html import escape, unescape
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest

import polyir
from polyir.base.diagnostics import PolyirError
from polyir.explore.session import PassStep, Session
from polyir.tools import polyir_cc

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

from polyir.explore.server import Server, page

GEMM = Path(__file__).parents[2] / "benchmarks" / "polybench" / "gemm.mlir"

SOURCE = """\
void f(int n, double A[n][n], double B[n][n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++)
      A[i][j] = A[i][j - 1] + B[i][j];
#pragma endscop
}
"""


@pytest.fixture
def server() -> Iterator[Server]:
    started = Server(Session("f.c"), SOURCE)
    # The limits of the test hold there, too.
    thread = Thread(target=copy_context().run, args=(started.serve,))
    thread.start()
    yield started
    started.stop()
    thread.join()


def asked(
    server: Server, path: str, body: object = None, headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    """The status and the answer."""
    url = urlsplit(server.url)
    connection = http.client.HTTPConnection(url.netloc)
    method = "GET" if body is None else "POST"
    text = None if body is None else json.dumps(body)
    kind = {"Content-Type": "application/json"}
    connection.request(method, path or url.path, text, {**kind, **(headers or {})})
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_only_who_knows_the_address_gets_an_answer(server: Server) -> None:
    path = urlsplit(server.url).path
    assert urlsplit(server.url).hostname == "127.0.0.1"
    assert asked(server, "")[0] == 200
    assert asked(server, "/")[0] == 404
    assert asked(server, path[:-2] + "/")[0] == 404
    assert asked(server, "", headers={"Host": "example.com"})[0] == 404
    body = {"source": SOURCE, "steps": []}
    assert asked(server, f"{path}view", body)[0] == 200
    assert asked(server, "/view", body)[0] == 404
    assert asked(server, f"{path}view", body, {"Host": "example.com"})[0] == 404
    # What a form of another site can send.
    assert asked(server, f"{path}view", body, {"Content-Type": "text/plain"})[0] == 404


def test_errors_are_diagnostics(server: Server) -> None:
    path = urlsplit(server.url).path
    for step in (
        {"name": "tile", "options": "sizes=0"},
        {"name": "interchange", "options": "loops=S0.0,S9.1"},
        {"name": "no-such-pass", "options": ""},
    ):
        body = {"source": SOURCE, "steps": [step]}
        answer = json.loads(asked(server, f"{path}view", body)[1])
        assert "error: " in answer["error"]
        assert "internal" not in answer["error"]
    assert "error" in json.loads(asked(server, f"{path}none", {"source": "", "steps": []})[1])
    for wrong in (["no", "object"], {"source": SOURCE}):
        assert "error" in json.loads(asked(server, f"{path}view", wrong)[1])


def test_what_cannot_be_read_is_said() -> None:
    said = Session("f.c").view(SOURCE.replace("j++", "j *= 2"), []).remarks
    assert "not transformed" in said[0]
    with pytest.raises(PolyirError, match="unexpected end"):
        Session("f.mlir").view("func.func @f() {", [])


def test_the_source_is_escaped() -> None:
    hostile = "</textarea><script>alert(1)</script>"
    assert hostile not in page("f.c", hostile)
    assert escape(hostile) in page("f.c", hostile)


STEPS = (PassStep("interchange", "loops=S0.0,S0.1"), PassStep("mark-parallel", "loops=S0.1"))


def test_the_command_for_c_prints_what_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "f.c"
    file.write_text(SOURCE)
    view = Session("f.c").view(SOURCE, STEPS)
    tool, *flags, name = shlex.split(view.command)
    assert (tool, name) == ("polyir-cc", "f.c")
    assert polyir_cc.main([*flags, str(file)]) == 0
    printed = capsys.readouterr().out
    assert "#pragma omp parallel for" in printed
    assert printed.strip() in unescape(re.sub("<[^>]+>", "", view.html))


def test_python_gives_the_same_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "f.c"
    file.write_text(SOURCE)
    view = Session("f.c").view(SOURCE, STEPS)
    monkeypatch.chdir(tmp_path)
    program = eval(view.python, {"polyir": polyir})
    assert program.emit("c").strip() in unescape(re.sub("<[^>]+>", "", view.html))


def test_actions_say_why_not() -> None:
    session = Session("f.c")
    actions = {each.title: each for each in session.actions(SOURCE, [], "S0.1")}
    assert actions["Reverse"].instances == ("S0[0, 1]", "S0[0, 2]")
    assert "violates the flow dependence through A" in actions["Reverse"].refusal
    assert not actions["Interchange with S0.0"].refusal
    assert not actions["Strip-mine by 32"].refusal
    whole = {each.title: each for each in session.actions(SOURCE, [])}
    assert not whole["Mark parallel loops"].refusal
    assert "nothing to do" in whole["Privatise temporaries"].refusal


def test_estimates_are_those_of_the_model() -> None:
    session = Session("gemm.mlir")
    source = GEMM.read_text()
    before, same = session.view(source, []).estimates
    assert before == same
    steps = [PassStep("spatial-schedule"), PassStep("mark-parallel")]
    first, now = session.view(source, steps).estimates
    assert before is not None
    assert now is not None
    assert first == before > now


def test_measured_times_are_those_of_polyir_run() -> None:
    text = Session("gemm.mlir").measured(GEMM.read_text(), [PassStep("pluto-schedule")], 20)
    assert "outputs are bit-identical" in text
