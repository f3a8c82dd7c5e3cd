"""A cost model: what comes from memory is all that counts."""

from __future__ import annotations

from dataclasses import replace

from polyir.choose.loop_tree import Node
from polyir.choose.model import Cost, CostModel


class MemoryModel(CostModel):
    """The time that the traffic of memory takes, as the roofline counts it."""

    @property
    def least_cycles(self) -> float:
        """Arithmetic takes no time here: there is always something left to save."""
        return 0.0

    def cost(self, tree: Node) -> Cost:
        return _of_memory(super().cost(tree))


def _of_memory(cost: Cost) -> Cost:
    *caches, memory = cost.times
    return replace(
        cost,
        compute=0.0,
        times=(*(0.0 for _ in caches), memory),
        starts=0.0,
        why=(f"{cost.traffic[-1]:.3g} bytes from memory",),
        nests=tuple(map(_of_memory, cost.nests)),
    )
