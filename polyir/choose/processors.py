"""Processors that are known by name: what Linux does not say of them, from published figures.

Latencies, throughputs and widths: A. Fog, "Instruction tables" and "The microarchitecture of
Intel, AMD and VIA CPUs" (2024); A. Abel and J. Reineke, "uops.info" (ASPLOS 2019); the vendors'
software optimization guides. Bandwidths of caches: the vendors' guides, less what is lost in
measurements that were published. A clock is about the highest one of all cores together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from polyir.choose.machine import Cache, Machine

KIB: Final = 1024


def _caches(first: int, second: int, last: int, *rates: float) -> tuple[Cache, ...]:
    """Three levels: sizes in KiB, and bytes a cycle out of each."""
    latencies = (4.0, 14.0, 50.0)
    return tuple(
        Cache(size * KIB, bandwidth=rate, latency=latency)
        for size, rate, latency in zip((first, second, last), rates, latencies, strict=True)
    )


def _vectors(
    bits: int, registers: int, fma: float, loads: float, stores: float
) -> dict[str, float]:
    return {
        "vector_bits": bits,
        "vector_registers": registers,
        "vector_fma": fma,
        "vector_loads": loads,
        "vector_stores": stores,
        "compiler_vector_bits": min(bits, 256),
    }


@dataclass(frozen=True)
class Processor:
    """A kind of processor, and how /proc/cpuinfo says that it is one.

    On x86, that is by `vendor`, `family` and one of the `models`; on ARM, by the implementer and
    one of the parts, and there is no family.
    """

    machine: Machine
    vendor: str
    family: int
    models: frozenset[int]


def _processor(
    identity: tuple[str, int, range | tuple[int, ...]],
    caches: tuple[Cache, ...],
    vectors: dict[str, float],
    core: tuple[float, ...],
    gigahertz: float,
) -> Processor:
    """A processor of which a `core` has: operations issued and in flight, latencies, dividers."""
    names = (
        *("issue_width", "reorder_operations", "add_latency", "multiply_latency"),
        *("division_latency", "division_cycles", "division_bits", "root_cycles", "write_back"),
        "integer_division_cycles",
    )
    fields = vectors | dict(zip(names, core, strict=True)) | {"gigahertz": gigahertz}
    vendor, family, models = identity
    machine = Machine(caches=caches, **fields)  # type: ignore[arg-type]
    return Processor(machine, vendor, family, frozenset(models))


PROCESSORS: Final[Mapping[str, Processor]] = MappingProxyType(
    {
        "zen2": _processor(
            ("AuthenticAMD", 23, range(0x30, 0x100)),
            _caches(32, 512, 16384, 64, 32, 20),
            _vectors(256, 16, 2, 2, 1),
            (5, 224, 3, 3, 13, 10, 256, 18, 0.25, 20),
            3.3,
        ),
        "zen3": _processor(
            ("AuthenticAMD", 25, (*range(0x00, 0x10), *range(0x20, 0x60))),
            _caches(32, 512, 32768, 64, 32, 24),
            _vectors(256, 16, 2, 2, 1),
            (6, 256, 3, 3, 13.5, 9, 256, 14, 0.25, 12),
            3.4,
        ),
        "zen4": _processor(
            ("AuthenticAMD", 25, (*range(0x10, 0x20), *range(0x60, 0x100))),
            _caches(32, 1024, 32768, 64, 32, 27),
            _vectors(512, 32, 1, 1, 0.5),
            (6, 320, 3, 3, 13, 5, 256, 9, 0.1, 12),
            3.6,
        ),
        "zen5": _processor(
            ("AuthenticAMD", 26, range(0x00, 0x100)),
            _caches(48, 1024, 32768, 128, 64, 27),
            _vectors(512, 32, 2, 2, 1),
            (8, 448, 2, 3, 13, 5, 256, 9, 0.1, 12),
            4.0,
        ),
        "skylake-sp": _processor(
            ("GenuineIntel", 6, (0x55,)),
            _caches(32, 1024, 24576, 128, 40, 10),
            _vectors(512, 32, 1, 2, 1),
            (4, 224, 4, 4, 14, 4, 128, 6, 0.5, 40),
            2.7,
        ),
        "icelake-sp": _processor(
            ("GenuineIntel", 6, (0x6A, 0x6C)),
            _caches(48, 1280, 36864, 128, 48, 11),
            _vectors(512, 32, 1, 2, 1),
            (5, 352, 4, 4, 14, 4, 128, 6, 0.5, 15),
            2.9,
        ),
        "sapphire-rapids": _processor(
            ("GenuineIntel", 6, (0x8F, 0xCF)),
            _caches(48, 2048, 65536, 128, 48, 10),
            _vectors(512, 32, 1, 2, 1),
            (6, 512, 3, 4, 14, 4, 128, 6, 0.5, 15),
            3.0,
        ),
        "alder-lake": _processor(
            ("GenuineIntel", 6, (0x97, 0x9A, 0xB7, 0xBA, 0xBF)),
            _caches(48, 1280, 30720, 96, 48, 16),
            _vectors(256, 16, 2, 3, 2),
            (6, 512, 3, 4, 14, 4, 128, 6, 0.5, 14),
            4.7,
        ),
        "neoverse-n1": _processor(
            ("0x41", 0, (0xD0C,)),
            _caches(64, 1024, 32768, 32, 24, 10),
            _vectors(128, 32, 2, 2, 1),
            (4, 128, 2, 3, 15, 11, 128, 11, 0.5, 14),
            2.6,
        ),
        "neoverse-v1": _processor(
            ("0x41", 0, (0xD40,)),
            _caches(64, 1024, 32768, 48, 32, 12),
            _vectors(128, 32, 4, 3, 2),
            (8, 256, 2, 3, 15, 7, 128, 7, 0.5, 12),
            2.6,
        ),
        "neoverse-v2": _processor(
            ("0x41", 0, (0xD4F,)),
            _caches(64, 2048, 65536, 48, 32, 12),
            _vectors(128, 32, 4, 3, 2),
            (8, 320, 2, 3, 15, 5, 128, 6, 0.5, 10),
            3.1,
        ),
        "apple-m1": _processor(
            ("0x61", 0, (0x22, 0x23, 0x24, 0x25, 0x28, 0x29)),
            _caches(128, 12288, 8192, 48, 32, 16),
            _vectors(128, 32, 4, 3, 2),
            (8, 630, 3, 4, 10, 1, 128, 2, 0.25, 8),
            3.2,
        ),
    }
)


def named_processor(name: str) -> Machine:
    """The machine with processors of a name, of two cores."""
    return PROCESSORS[name].machine


def processor_of(cpuinfo: Mapping[str, str]) -> Machine | None:
    """The machine of the processor that entries of /proc/cpuinfo describe; `None` if unknown."""
    vendor = cpuinfo.get("vendor_id", cpuinfo.get("CPU implementer", ""))
    family = _integer(cpuinfo.get("cpu family", "0"))
    model = _integer(cpuinfo.get("model", cpuinfo.get("CPU part", "")))
    for each in PROCESSORS.values():
        if (each.vendor, each.family) == (vendor, family) and model in each.models:
            return each.machine
    return None


def _integer(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        return -1
