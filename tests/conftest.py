"""Settings of all tests.

`make test` takes an eighth of the cases of each test that has more than four (`suites.thin_out`).
Hypothesis takes the same examples in every run: `make fuzz` and its kin are for new ones. It goes
on where a busy machine is slow. Steps of passes run in the process of the test, also those of the
tools' `main`, for processes of their own take a third of all time; tests of limits and some of
lit's have them. As in the tools, cycles of objects are looked for rarely. PoCL keeps the kernels
that it compiled in the folder `build`, and pyopencl keeps nothing. Threads of OpenMP sleep while
they wait: with more threads than cores, those that wait actively take the time of the others.
"""

import ctypes
import gc
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from suites import thin_out

from polyir.api import compilation_cache
from polyir.base.limits import time_limited_to
from polyir.tools import command_line
from polyir.tools.start import YOUNG_OBJECTS

settings.register_profile("suite", derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

_CACHE = Path(__file__).parents[1] / "build" / "pocl"
_CACHE.mkdir(parents=True, exist_ok=True)
os.environ.setdefault("POCL_CACHE_DIR", str(_CACHE))
os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
# Before any library of OpenMP is loaded, which reads it then.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

gc.set_threshold(YOUNG_OBJECTS, 10, 10)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    thin_out(items)


@pytest.fixture(autouse=True, scope="session")
def _no_worker_processes() -> Iterator[None]:
    with time_limited_to(0), pytest.MonkeyPatch.context() as patch:
        patch.setattr(command_line, "DEFAULT_TIME_LIMIT", 0)
        yield


@pytest.fixture(autouse=True)
def _passes_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile what is compiled again: only libraries of the same C text come from the cache."""
    monkeypatch.setattr(compilation_cache, "is_cache_on", lambda: False)


@pytest.fixture(autouse=True, scope="module")
def _little_memory() -> Iterator[None]:
    """Give memory back after each file: forks of large processes take long."""
    yield
    gc.collect()
    # What is left stays: other collections need not look at it.
    gc.freeze()
    if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
        libc.malloc_trim(0)
