"""The server of the explorer: for this machine and for who knows its address only.

It listens on 127.0.0.1. Each address begins with a random token, and requests that name another
host are refused, so that no page of another site can ask. The requests are answered one after the
other on the thread that serves: isl is not to be called from several.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any, Final

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from polyir.api.sources import read_source
from polyir.base.diagnostics import PolyirError
from polyir.base.internal_errors import internal_error
from polyir.choose.sizes import TILE_SIZE
from polyir.explore.session import PassStep, Session
from polyir.report.page import text_of_template

HOST: Final = "127.0.0.1"

MOST_BYTES: Final = 10_000_000
"""The longest request: a source file and some steps."""

_NO_PICTURES: Final = '{"scenes": [], "arrows": [], "executions": []}'


@dataclass
class _Task:
    """A request that waits for its answer."""

    path: str
    body: bytes
    answer: dict[str, Any] = field(default_factory=dict)
    done: Event = field(default_factory=Event)


class Server:
    """An explorer of one program, which begins with a text; `url` is its address."""

    def __init__(self, session: Session, source: str, port: int = 0) -> None:
        self._session = session
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        token = secrets.token_urlsafe(16)
        handler = partial(_Handler, token, page(session.filename, source), self._tasks)
        self._http = _HttpServer((HOST, port), handler)
        self.url = f"http://{HOST}:{self._http.server_port}/{token}/"

    def serve(self) -> None:
        """Answer requests until `stop` is called, or Ctrl-C."""
        Thread(target=self._http.serve_forever, daemon=True).start()
        try:
            while (task := self._tasks.get()) is not None:
                task.answer = answer(self._session, task.path, task.body)
                task.done.set()
        finally:
            self._http.shutdown()
            self._http.server_close()

    def stop(self) -> None:
        """Let `serve` return."""
        self._tasks.put(None)


def page(filename: str, source: str) -> str:
    """The page; what it shows of the program, its script asks for."""
    folder = files("polyir.explore") / "templates"
    editor = folder / "codemirror"
    own = [editor / "codemirror.js", editor / "clike.js", folder / "explore.js"]
    scripts = [text_of_template(name) for name in ("report.js", "pictures.js")]
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    rendered: str = environment.from_string((folder / "explore.html").read_text("utf-8")).render(
        filename=filename,
        # What ends with a line end is not a name of a file.
        language=read_source(f"{source}\n", filename).language.value,
        source=source,
        size=TILE_SIZE,
        style=Markup(text_of_template("report.css")),
        editor_style=Markup((editor / "codemirror.css").read_text("utf-8")),
        own_style=Markup((folder / "explore.css").read_text("utf-8")),
        scripts=[*map(Markup, scripts), *(Markup(file.read_text("utf-8")) for file in own)],
        pictures=Markup(_NO_PICTURES),
    )
    return rendered


def answer(session: Session, path: str, request: bytes) -> dict[str, Any]:
    """The answer to a request of the page; an error has the text of a diagnostic."""
    try:
        body = json.loads(request)
        source, steps = str(body["source"]), [_step(each) for each in body["steps"]]
        match path:
            case "view":
                return asdict(session.view(source, steps))
            case "actions":
                found = session.actions(source, steps, str(body["loop"]), int(body["size"]))
                return {"actions": [asdict(each) for each in found]}
            case "measure":
                return {"text": session.measured(source, steps, int(body["size"]))}
            case _:
                return {"error": f"there is no '{path}'"}
    except PolyirError as error:
        place = error.location
        if place is None or place.file != session.filename:
            return {"error": error.render()}
        return {"error": error.render(), "line": place.line}
    except Exception as error:
        return {"error": internal_error(None, error).as_error().render()}


def _step(step: Mapping[str, Any]) -> PassStep:
    return PassStep(str(step["name"]), str(step["options"]))


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: a browser that goes away closes its connections."""


class _Handler(BaseHTTPRequestHandler):
    def __init__(
        self, token: str, page: str, tasks: SimpleQueue[_Task | None], *arguments: Any
    ) -> None:
        self._token, self._page, self._tasks = token, page, tasks
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """The page."""
        if self._is_allowed() and self.path == f"/{self._token}/":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self._page.encode())
        else:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"not found\n")

    def do_POST(self) -> None:
        """An answer, as JSON."""
        prefix = f"/{self._token}/"
        length = int(self.headers.get("Content-Length") or 0)
        is_json = self.headers.get_content_type() == "application/json"
        if not (self._is_allowed() and self.path.startswith(prefix) and is_json):
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"not found\n")
        elif length > MOST_BYTES:
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "text/plain", b"too large\n")
        else:
            task = _Task(self.path.removeprefix(prefix), self.rfile.read(length))
            self._tasks.put(task)
            task.done.wait()
            self._send(HTTPStatus.OK, "application/json", json.dumps(task.answer).encode())

    def _is_allowed(self) -> bool:
        """Whether the request is for this host by its name: no other site's page can ask so."""
        host = self.headers.get("Host", "").partition(":")[0]
        return host in (HOST, "localhost")

    def _send(self, status: HTTPStatus, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        # Nothing is loaded from anywhere.
        policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
        self.send_header("Content-Security-Policy", f"{policy}; connect-src 'self'; img-src data:")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing: the terminal is for errors."""
