"""Entry points of the installed commands: settings of the process, then the tool.

Tools are imported by the entry points, not here: importing is what most of a short run does.
polyir-opt and polyir-cc run under a supervisor (`polyir.base.supervisor`). The other tools run
programs or show their progress, and have none.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from importlib import import_module

from polyir.base.dataclass_code import keep_code_of_dataclasses
from polyir.base.supervisor import supervised

YOUNG_OBJECTS = 200_000
"""How many objects are made before Python looks for cycles among them, instead of 700.

Imports and IR make hundreds of thousands of objects that live until the end; looking through them
again and again takes about a twentieth of a run (gemm, lu, covariance; twelve runs each).
"""


def polyir() -> int:
    """`polyir doctor`: returns the exit code."""
    return _run("doctor")


def polyir_opt() -> int:
    """`polyir-opt`: returns the exit code."""
    supervised()
    return _run("polyir_opt")


def polyir_alpha() -> int:
    """`polyir-alpha`: returns the exit code."""
    return _run("polyir_alpha")


def polyir_cc() -> int:
    """`polyir-cc`: returns the exit code."""
    supervised()
    return _run("polyir_cc")


def polyir_explore() -> int:
    """`polyir-explore`: returns the exit code."""
    return _run("polyir_explore")


def polyir_machine() -> int:
    """`polyir-machine`: returns the exit code."""
    return _run("polyir_machine")


def polyir_run() -> int:
    """`polyir-run`: returns the exit code."""
    return _run("polyir_run")


def polyir_simulate_ranks() -> int:
    """`polyir-simulate-ranks`: returns the exit code."""
    return _run("polyir_simulate_ranks")


def polyir_tune() -> int:
    """`polyir-tune`: returns the exit code."""
    return _run("polyir_tune")


def _run(tool: str) -> int:
    gc.set_threshold(YOUNG_OBJECTS, 10, 10)
    keep_code_of_dataclasses()
    main: Callable[[], int] = import_module(f"polyir.tools.{tool}").main
    return main()
