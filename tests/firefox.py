"""A headless Firefox for tests of pages: Debian's, driven by Selenium without geckodriver.

Debian has no geckodriver, which does little but hand what it is asked on to Firefox: here Selenium
asks Firefox itself, over Marionette's protocol (a number of bytes, a colon, and a list as JSON).
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

COMMANDS = {
    "actions": "PerformActions",
    "clearElement": "ElementClear",
    "clickElement": "ElementClick",
    "findElements": "FindElements",
    "get": "Navigate",
    "getElementAriaLabel": "GetComputedLabel",
    "getElementTagName": "GetElementTagName",
    "getElementText": "GetElementText",
    "getTitle": "GetTitle",
    "newSession": "NewSession",
    "printPage": "Print",
    "screenshot": "TakeScreenshot",
    "sendKeysToElement": "ElementSendKeys",
    "w3cExecuteScript": "ExecuteScript",
    "w3cGetActiveElement": "GetActiveElement",
}
"""Selenium's names of commands, and Marionette's."""

PREFERENCES = {
    "marionette.port": 0,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}

PATIENCE = 60
"""Seconds until Firefox must have started, or answered."""


class Marionette:
    """What Selenium takes for the connection to a driver."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.stream = self.socket.makefile("rb")
        self.numbers = itertools.count()
        self.receive()

    def receive(self) -> Any:
        """The next message."""
        size = bytearray()
        while (byte := self.stream.read(1)) != b":":
            if not byte:
                raise ConnectionError("Firefox has closed the connection")
            size += byte
        return json.loads(self.stream.read(int(size)))

    def ask(self, name: str, parameters: Mapping[str, object]) -> Any:
        """The answer to a command of Marionette."""
        from selenium.common.exceptions import WebDriverException

        message = json.dumps([0, next(self.numbers), name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.receive()
        if error is not None:
            raise WebDriverException(f"{error['error']}: {error['message']}")
        return result

    def execute(self, command: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """The answer to a command of Selenium."""
        if command == "newSession":
            parameters = parameters["capabilities"]["alwaysMatch"]
        answer = self.ask(f"WebDriver:{COMMANDS[command]}", parameters)
        return answer if isinstance(answer, dict) and "value" in answer else {"value": answer}

    def close(self) -> None:
        """End the connection."""
        self.stream.close()
        self.socket.close()


def wait_for(is_so: Callable[[], bool]) -> None:
    """Return once something is so; raises `TimeoutError` if that takes too long."""
    for _ in range(PATIENCE * 20):
        if is_so():
            return
        time.sleep(0.05)
    raise TimeoutError(f"Firefox has not answered for {PATIENCE} s")


def port_of(profile: Path, process: subprocess.Popen[bytes]) -> int:
    """The port that a Firefox listens to, once it has started."""
    told = profile / "MarionetteActivePort"
    wait_for(lambda: bool(told.exists() and told.read_text()) or process.poll() is not None)
    if process.poll() is not None:
        raise ConnectionError("Firefox does not start")
    return int(told.read_text())


@contextmanager
def started(program: str) -> Iterator[Any]:
    """Selenium's driver of a new Firefox, with a profile of its own."""
    from selenium.webdriver import FirefoxOptions, Remote

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        profile = Path(folder)
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines))
        command = [program, "--headless", "--marionette", "--remote-allow-system-access"]
        process = subprocess.Popen(
            [*command, "--no-remote", "--profile", folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # It refuses to run as root in the home of another user.
            env={**os.environ, "HOME": folder},
        )
        try:
            connection = Marionette(port_of(profile, process))
            yield Remote(connection, options=FirefoxOptions())
            connection.close()
        finally:
            process.terminate()
            process.wait(PATIENCE)


def in_window(driver: Any, script: str, *arguments: object) -> Any:
    """The value of a script of the browser; `browser` and `context` are the page's."""
    ask = driver.command_executor.ask
    page = "const browser = gBrowser.selectedBrowser, context = browser.browsingContext;"
    ask("Marionette:SetContext", {"value": "chrome"})
    try:
        parameters = {"script": f"{page}\n{script}", "args": arguments}
        return ask("WebDriver:ExecuteScript", parameters)["value"]
    finally:
        ask("Marionette:SetContext", {"value": "content"})


def in_page(driver: Any, script: str) -> Any:
    """The value of a script in the page's process, with the browser's rights."""
    parameters = {"script": script, "args": [], "sandbox": "system"}
    return driver.command_executor.ask("WebDriver:ExecuteScript", parameters)["value"]
