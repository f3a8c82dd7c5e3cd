"""Entry points of the installed commands: settings of the process, then the tool.

Tools are imported by the entry points, not here: importing is what most of a short run does.
"""

from __future__ import annotations

import gc

YOUNG_OBJECTS = 200_000
"""How many objects are made before Python looks for cycles among them, instead of 700.

Imports and IR make hundreds of thousands of objects that live until the end; looking through them
again and again takes about a twentieth of a run (gemm, lu, covariance; twelve runs each).
"""


def polyir_opt() -> int:
    """`polyir-opt`: returns the exit code."""
    _collect_rarely()
    from polyir.tools.polyir_opt import main

    return main()


def polyir_alpha() -> int:
    """`polyir-alpha`: returns the exit code."""
    _collect_rarely()
    from polyir.tools.polyir_alpha import main

    return main()


def polyir_cc() -> int:
    """`polyir-cc`: returns the exit code."""
    _collect_rarely()
    from polyir.tools.polyir_cc import main

    return main()


def polyir_run() -> int:
    """`polyir-run`: returns the exit code."""
    _collect_rarely()
    from polyir.tools.polyir_run import main

    return main()


def polyir_simulate_ranks() -> int:
    """`polyir-simulate-ranks`: returns the exit code."""
    _collect_rarely()
    from polyir.tools.polyir_simulate_ranks import main

    return main()


def polyir_tune() -> int:
    """`polyir-tune`: returns the exit code."""
    _collect_rarely()
    from polyir.tools.polyir_tune import main

    return main()


def _collect_rarely() -> None:
    gc.set_threshold(YOUNG_OBJECTS, 10, 10)
