"""Calls the kernel of a program that was written by hand.

Such a program, as in PolyBench, is one file with a `static` kernel function and a `main`. The
kernel takes sizes, scalars and arrays as in `kernels.py`, or uses constants and static arrays
instead of some of them. The bridge is a second file that includes the program and gives it
functions with arguments: one to copy data into static arrays, one to run the kernel, one to copy
the results back. Only the second is timed.
"""

from __future__ import annotations

import re
from typing import Final

from kernels import ArrayArgument, Kernel, ScalarArgument

BEFORE: Final = "bench_before"
RUN: Final = "bench_run"
AFTER: Final = "bench_after"


class BridgeError(Exception):
    """The program has no kernel function that the harness could call."""


def data_set_macro(data_set: str) -> str:
    """What PolyBench defines to choose the sizes."""
    return f"{data_set.upper()}_DATASET"


def bridge_text(kernel: Kernel, program: str, included: str) -> str:
    """The C text of the bridge for the program's text, which is in the file `included`.

    Raises `BridgeError` if the program has no function of the kernel's name, or that takes a
    parameter that the kernel does not have.
    """
    taken = _parameters(kernel, program)
    arrays = [a.name for a in kernel.arguments if isinstance(a, ArrayArgument)]
    static = [name for name in arrays if name not in taken]
    passed = ", ".join(f"given_{name}" for name in taken)
    parameters = ", ".join(_declarations(kernel))
    into = " ".join(f"memcpy({name}, given_{name}, sizeof {name});" for name in static)
    out = " ".join(f"memcpy(given_{name}, {name}, sizeof {name});" for name in static)
    functions = [
        (BEFORE, into),
        (RUN, f"{kernel.function}({passed});"),
        (AFTER, out),
    ]
    lines = [f'#include "{included}"', "#include <string.h>"]
    lines += [f"void {name}({parameters}) {{ {body} }}" for name, body in functions]
    return "\n".join([*lines, ""])


def _declarations(kernel: Kernel) -> list[str]:
    """The parameters of the bridge's functions: an array is whatever pointer the kernel wants."""
    numbers = [*kernel.size_names]
    declared = [f"int given_{name}" for name in numbers]
    for argument in kernel.arguments:
        type = "double " if isinstance(argument, ScalarArgument) else "void *"
        declared.append(f"{type}given_{argument.name}")
    return declared


def _parameters(kernel: Kernel, program: str) -> tuple[str, ...]:
    """The parameters of the program's kernel, under the names of `kernels.py`."""
    pattern = rf"void\s+{kernel.function}\s*\(([^)]*)\)\s*\{{"
    found = re.search(pattern, program)
    if found is None:
        raise BridgeError(f"the program has no function {kernel.function}")
    given = [] if found[1].strip() == "void" else _split(found[1])
    names = tuple(_declared_name(text) for text in given)
    known = kernel.argument_names
    if len(names) == len(known):
        # All of them, whatever they are called.
        return known
    for name in names:
        if name not in known:
            raise BridgeError(f"{kernel.function} takes '{name}', which kernels.py does not know")
    return names


def _split(parameters: str) -> list[str]:
    return [text for text in parameters.split(",") if text.strip()]


def _declared_name(parameter: str) -> str:
    """The name in a declaration such as `double A[n][n]` or `double (*A)[n]`."""
    words = re.findall(r"\w+", parameter.partition("[")[0].replace(")", " "))
    return words[-1] if words else parameter.strip()
