"""Wrong index arrays are an error for each program, and never a crash.

Each check runs in a process of its own, with arrays that end where memory does. The short selection
runs half of the programs after each of the pipelines, and each program after half of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest
from guarded_arrays import guarded
from irregular_programs import PROGRAMS, Arguments
from kernel_runs import FLAGS
from separate_process import in_process
from sparse_matrices import GENERATORS
from suites import in_turn

import polyir
from polyir.runtime import CompiledModule, CompilerOptions
from polyir.runtime.argument_checks import ArgumentError, ArgumentTypeError
from polyir.runtime.inspected import InspectionError

PIPELINES = (
    "",
    "inspect-wavefronts",
    "reorder-data",
    "reorder-iterations{reassociate=true}",
    "runtime-test{always=true}",
    "sparse-tile{tile=4}",
    "poly-raise{data-loops=true},mark-parallel,inspect-wavefronts",
)

Defect = tuple[str, Arguments]
"""What is wrong, and the arguments."""


@cache
def compiled(name: str, pipeline: str) -> CompiledModule:
    text = PROGRAMS[name].path.read_text()
    return polyir.compile(text, pipeline, CompilerOptions(flags=FLAGS), "c")


def arguments(name: str) -> Arguments:
    random = np.random.default_rng(5)
    return PROGRAMS[name].arguments(GENERATORS["grid-2d-random"](20, random), random, 2)


def in_guarded_memory(given: Arguments) -> Arguments:
    return {
        name: guarded(value) if isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }


def replaced(given: Arguments, name: str, value: object) -> Arguments:
    return {**given, name: value}  # type: ignore[dict-item]


def wrong_elements(name: str) -> Iterator[Defect]:
    """Elements of index arrays that lead out of arrays."""
    given = arguments(name)
    for argument, value in given.items():
        if not isinstance(value, np.ndarray) or value.dtype != np.int64:
            continue
        flat = value.size
        for place in (0, flat // 2, flat - 1):
            for element in (-1, 1000, 2**62, -(2**63), 2**63 - 1):
                changed = value.copy()
                changed.flat[place] = element
                yield f"{argument}[{place}] = {element}", replaced(given, argument, changed)


def wrong_lengths(name: str) -> Iterator[Defect]:
    """Arrays that are too short, and sizes that are too large."""
    given = arguments(name)
    for argument, value in given.items():
        if isinstance(value, np.ndarray):
            for length in (len(value) - 1, 0):
                yield f"{argument} of {length}", replaced(given, argument, value[:length].copy())
        elif isinstance(value, int) and argument not in ("steps", "sweeps"):
            yield f"{argument} = {value + 1}", replaced(given, argument, value + 1)
            yield f"{argument} = 2 ** 40", replaced(given, argument, 2**40)


def wrong_types(name: str) -> Iterator[Defect]:
    """Arrays with other elements or of another rank, and what is not an array."""
    given = arguments(name)
    for argument, value in given.items():
        if isinstance(value, np.ndarray) and value.dtype == np.int64:
            for other in (
                value.astype(np.int32),
                value.astype(np.float64),
                value.astype(object),
                value.tolist(),
                value.reshape(*value.shape, 1),
                None,
            ):
                yield f"{argument} is {type(other).__name__}", replaced(given, argument, other)


def outcome(call: Callable[..., object], given: Arguments) -> str:
    """What a call comes to."""
    try:
        call(**given)
    except (ArgumentError, ArgumentTypeError):
        return "an error"
    except InspectionError:
        return "no inspector"
    return "a result"


# The rows of a matrix may begin where they end: then, these are not subscripts.
MAY_RUN = ("rowptr[",)


def all_are_errors(module: CompiledModule, name: str, defects: list[Defect]) -> str | None:
    """Which defect is no error, of a call and of an inspection."""
    function = module[PROGRAMS[name].function]
    right = in_guarded_memory(arguments(name))
    function(**right)
    for what, given in defects:
        copies = in_guarded_memory(given) if _is_plain(given) else given
        for kind, call in (("call", function), ("inspect", function.inspect)):
            found = outcome(call, copies)
            if found == "a result" and not what.startswith(MAY_RUN):
                return f"{kind}: {what} is no error"
    return None


def _is_plain(given: Arguments) -> bool:
    """Whether all arrays can be copied to guarded memory as they are."""
    arrays = [value for value in given.values() if not isinstance(value, int | float)]
    return all(
        isinstance(each, np.ndarray) and each.dtype != object and each.flags.c_contiguous
        for each in arrays
    )


def test_sizes_that_fit_no_memory() -> None:
    """Not all arrays that a size is about are there when only the inspector runs."""
    given = arguments("moldyn")
    needed = ("steps", "molecules", "pairs", "left", "right", "x", "vx", "fx")
    inspect = compiled("moldyn", "sparse-tile{tile=4}").moldyn.inspect
    with pytest.raises(ArgumentError, match="Unable to allocate"):
        inspect(
            **{each: given[each] for each in needed[1:]} | {"steps": 1, "molecules": 2**40},
            check=False,
        )


@pytest.mark.parametrize(("name", "pipeline"), in_turn(list(PROGRAMS), PIPELINES, 2))
def test_wrong_arguments_are_errors(name: str, pipeline: str) -> None:
    defects = [*wrong_elements(name), *wrong_lengths(name), *wrong_types(name)]
    module = compiled(name, pipeline)
    assert in_process(lambda: all_are_errors(module, name, defects)) is None
