"""Where a sequential part between kernels runs: as one thread of the device, or on the host.

A thread alone is slow, as nothing hides the latency of its accesses. The host is fast, but arrays
that the kernels change must be copied to it and back, each time that the part runs:

    device:  runs * launch + accesses * device_access
    host:    runs * (copies * copy + bytes * copied_byte) + accesses * host_access

All times are those of a `Device`, and rough: the part runs where it is estimated to take less.
Sizes that are not known count as `assumed_size`, and domains as the boxes around them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final, Literal

import islpy as isl
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType

from polyir.base.diagnostics import OptionError
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind
from polyir.model.vectors import element_bytes
from polyir.sets.boxes import shape_of
from polyir.sets.lists import parameters_of, sets_of
from polyir.sets.maps import at_sizes
from polyir.transform.gpu.device import Device
from polyir.tree import ScheduleNode

SequentialParts = Literal["auto", "device", "host"]
"""Where sequential parts run: where they are estimated to take less time, or always there."""


@dataclass(frozen=True)
class PlacementOptions:
    """Where sequential parts run, and the size that is assumed where none is known."""

    sequential: SequentialParts
    assumed_size: int

    def __post_init__(self) -> None:
        if self.assumed_size < 1:
            raise OptionError(f"assumed-size must be 1 or more, not {self.assumed_size}")


@dataclass(frozen=True)
class Placement:
    """The decision for a part, with the reason: an estimate, or what the options say."""

    on_host: bool
    reason: str
    is_estimated: bool


class Placer:
    """Decides for the sequential parts of a scop."""

    def __init__(self, scop: Scop, options: PlacementOptions, device: Device) -> None:
        self._machine = device
        self._scop = scop
        self._options = options

    def place(self, part: ScheduleNode, is_everything: bool) -> Placement:
        """Where a part of the tree runs; `is_everything`: there are no kernels beside it."""
        if self._options.sequential != "auto":
            return Placement(self._options.sequential == "host", "as the option says", False)
        device, host = self.times(part, is_everything)
        where = ("the host", "the device") if host <= device else ("the device", "the host")
        first, second = sorted((host, device))
        reason = f"an estimated {_time(first)} on {where[0]}, and {_time(second)} on {where[1]}"
        return Placement(host <= device, reason, True)

    def times(self, part: ScheduleNode, is_everything: bool) -> tuple[float, float]:
        """The estimated times on the device and on the host, in microseconds."""
        domain = part.domain
        around = part.prefix_schedule.intersect_domain(domain)
        runs = sum(self._points(values) for values in sets_of(around.range())) or 1
        accesses, read, written = 0.0, set[str](), set[str]()
        for statement in self._scop.statements:
            own = domain.intersect(isl.UnionSet.from_set(statement.domain))
            if own.is_empty():
                continue
            accesses += len(statement.accesses) * sum(map(self._points, sets_of(own)))
            for access in statement.accesses:
                (written if access.kind in _WRITES else read).add(access.array)
        device = runs * self._machine.launch + accesses * self._machine.device_access
        host = accesses * self._machine.host_access
        changed = self._written_arrays()
        to_host, back = (read | written) & changed, written
        if is_everything:
            # Only the device needs copies.
            return device + self._copies(read | written) + self._copies(written), host
        return device, host + runs * (self._copies(to_host) + self._copies(back))

    def _written_arrays(self) -> set[str]:
        """The arrays that the scop writes to."""
        return {
            access.array
            for statement in self._scop.statements
            for access in statement.accesses
            if access.kind in _WRITES
        }

    def _copies(self, arrays: set[str]) -> float:
        """What copies of some arrays take."""
        machine = self._machine
        return sum(machine.copy + self._bytes(array) * machine.copied_byte for array in arrays)

    def _bytes(self, array: str) -> int:
        type = self._scop.arrays[array].type
        assert isinstance(type, MemRefType)
        sizes = (self._options.assumed_size if n == DYNAMIC_INDEX else n for n in type.get_shape())
        return prod(sizes) * element_bytes(type)

    def _points(self, values: isl.Set) -> int:
        """The points of the box around a set, with the assumed size for all parameters."""
        names = parameters_of(values.get_space())
        values = at_sizes(values, dict.fromkeys(names, self._options.assumed_size))
        if values.is_empty():
            return 0
        if not values.is_bounded():
            return int(self._options.assumed_size ** values.dim(isl.dim_type.set))
        return prod(shape_of(values))


_WRITES: Final = (AccessKind.WRITE, AccessKind.MAY_WRITE)


def _time(microseconds: float) -> str:
    """A time as people write it."""
    for factor, unit in ((1e6, "s"), (1e3, "ms")):
        if microseconds >= factor:
            return f"{microseconds / factor:.3g} {unit}"
    return f"{microseconds:.3g} µs"
