"""The machine that this runs on, from Linux's /sys and /proc/cpuinfo, and known processors."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from polyir.choose.machine import Cache, Machine
from polyir.choose.processors import processor_of


def machine_of_system(root: Path = Path("/")) -> Machine:
    """The machine that this runs on; what `root` does not tell has its default.

    Processors of `polyir.choose.processors` have their own. `root` has Linux's `sys` and `proc`.
    Reading takes about a millisecond.
    """
    cpu = root / "sys/devices/system/cpu"
    cpuinfo = _first_processor(root / "proc/cpuinfo")
    flags = set(cpuinfo.get("flags", cpuinfo.get("Features", "")).split())
    cores = _count(_text(cpu / "online"))
    known = processor_of(cpuinfo)
    base = known or Machine()
    default = replace(base, caches=_caches(cpu / "cpu0/cache", base.caches))
    if cores is not None:
        default = replace(default, cores=cores)
    megahertz = _float(_text(cpu / "cpu0/cpufreq/cpuinfo_max_freq"))
    if megahertz is not None:
        default = replace(default, gigahertz=megahertz / 1e6)
    elif known is None and (current := _float(cpuinfo.get("cpu MHz"))) is not None:
        default = replace(default, gigahertz=current / 1e3)
    return _with_vectors(default, flags)


_VECTORS: Final = (("avx512f", 512, 32), ("avx", 256, 16), ("sse2", 128, 16), ("asimd", 128, 32))
"""What a flag says of vectors: their bits, and the number of registers."""


def _with_vectors(machine: Machine, flags: set[str]) -> Machine:
    for flag, bits, registers in _VECTORS:
        if flag in flags:
            if bits == machine.vector_bits:
                break
            # What is wider than 256 bits mostly has half the units, or a lower clock.
            units = machine.vector_fma * min(1.0, 256 / bits) / min(1.0, 256 / machine.vector_bits)
            return replace(
                machine, vector_bits=bits, vector_registers=registers, vector_fma=max(1.0, units)
            )
    return machine


def _caches(folder: Path, known: tuple[Cache, ...]) -> tuple[Cache, ...]:
    """The data caches that Linux lists, by level; those that are `known` where it lists none."""
    found: dict[int, Cache] = {}
    for index in range(8):
        each = folder / f"index{index}"
        level, size = _text(each / "level"), _text(each / "size")
        if level is None or size is None:
            break
        amount = _size(size)
        if _text(each / "type") == "Instruction" or not level.isdigit() or not amount:
            continue
        number = int(level)
        base = known[min(number, len(known)) - 1]
        line = _text(each / "coherency_line_size") or ""
        found[number] = replace(
            base,
            bytes=amount,
            line_bytes=int(line) if line.isdigit() and int(line) else base.line_bytes,
            shared_by=_count(_text(each / "shared_cpu_list")) or base.shared_by,
        )
    return tuple(found[level] for level in sorted(found)) or known


def _first_processor(path: Path) -> dict[str, str]:
    """The entries of the first processor of /proc/cpuinfo."""
    found: dict[str, str] = {}
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                name, separator, value = line.partition(":")
                if not separator:
                    break
                found[name.strip()] = value.strip()
    except OSError:
        pass
    return found


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _float(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if value > 0 else None


def _count(text: str | None) -> int | None:
    """How many numbers a list such as `0-3,8` has; `None` where it is none."""
    total = 0
    for part in (text or "").split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if match is None:
            return None
        first, last = int(match[1]), int(match[2] or match[1])
        total += max(0, last - first + 1)
    return total or None


def _size(text: str) -> int | None:
    """Bytes of a size such as `32K`."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text)
    if match is None:
        return None
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]]
