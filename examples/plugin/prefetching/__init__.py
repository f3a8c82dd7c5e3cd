"""A package of somebody else's: what it adds to polyir, each thing by its name.

What takes time is imported when it is needed.
"""

from __future__ import annotations

from functools import partial
from pkgutil import resolve_name

from polyir.base.plugins import PolyirUniverse

UNIVERSE = PolyirUniverse(
    all_dialects={"prefetching": partial(resolve_name, "prefetching.dialect:PREFETCHING")},
    all_passes={
        "prefetch": partial(resolve_name, "prefetching.prefetch:PrefetchPass"),
        "widest-schedule": partial(resolve_name, "prefetching.scheduler:WidestSchedulePass"),
    },
    all_schedulers={"widest": partial(resolve_name, "prefetching.scheduler:WidestSchedulePass")},
    all_strategies={"widest-tiles": partial(resolve_name, "prefetching.strategy:widest_tiles")},
    all_cost_models={"memory": partial(resolve_name, "prefetching.cost_model:MemoryModel")},
    all_machines={"raspberry-pi-4": partial(resolve_name, "prefetching.machine:RASPBERRY_PI_4")},
    all_targets={"outline": partial(resolve_name, "prefetching.target:OutlineTarget")},
)
