"""Settings of all tests.

Hypothesis takes the same examples in every run: `make fuzz` and its kin are for new ones. It goes
on where a busy machine is slow. PoCL keeps the kernels that it compiled in the folder `build`, and
pyopencl keeps nothing.
"""

import os
from pathlib import Path

from hypothesis import HealthCheck, settings

settings.register_profile("suite", derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

_CACHE = Path(__file__).parents[1] / "build" / "pocl"
_CACHE.mkdir(parents=True, exist_ok=True)
os.environ.setdefault("POCL_CACHE_DIR", str(_CACHE))
os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
