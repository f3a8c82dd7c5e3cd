"""The machine that code is to run on, as far as the cost model needs it.

Sizes are read from Linux's /sys and /proc/cpuinfo, or from a JSON file; packages can register
machines by name. What none of them says, and all speeds, are the defaults of `Machine` and
`Cache`: a server core of the years 2020 to 2025
(Fog, "Instruction tables" and "The microarchitecture of Intel, AMD and VIA CPUs").
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from polyir.base.diagnostics import OptionError, nearest
from polyir.universe import registered, registered_machines


class MachineError(OptionError):
    """A description of a machine that cannot be used."""

    name = "bad-machine"


@dataclass(frozen=True)
class Cache:
    """One level of cache.

    `bytes` is the size of one cache, which `shared_by` cores use together. `bandwidth` is how
    many bytes a cycle one core gets out of it, and `latency` how many cycles a load waits for it.
    """

    bytes: int
    line_bytes: int = 64
    shared_by: int = 1
    bandwidth: float = 32.0
    latency: float = 14.0


DEFAULT_CACHES: Final = (
    Cache(32 * 1024, bandwidth=64.0, latency=4.0),
    Cache(1024 * 1024, bandwidth=32.0, latency=14.0),
    Cache(16 * 1024 * 1024, shared_by=4, bandwidth=10.0, latency=50.0),
)
"""What is taken for granted of the first, second and third level."""


@dataclass(frozen=True)
class Machine:
    """The machine: sizes in bytes, times in cycles, rates in bytes or operations a cycle.

    `caches` are the data caches, the fastest one first. `memory_bandwidth` is what one core gets
    from memory, `memory_bandwidth_all` what all cores get together. A line that is written takes
    `write_back` times as long again. `tlb_bytes` is how much
    memory the second level of the TLB reaches. A core starts `vector_fma` multiply-adds, or
    additions, or multiplications, and `vector_loads` loads and `vector_stores` stores of
    `vector_bits` each cycle, has `vector_registers` of them, and runs `issue_width` operations of
    any kind, of which `reorder_operations` are in flight. C compilers make vectors of
    `compiler_vector_bits` at most. A division occupies the divider for `division_cycles`, for up
    to `division_bits` of a vector, and a root for `root_cycles`; an elementary function such as
    exp takes `function_cycles`, and an integer division, of which there are no vectors,
    `integer_division_cycles`.
    Each start and end of an innermost loop costs `loop_cycles`, or `predicted_loop_cycles`, and
    `tile_row_cycles` more where it runs over a row of a tile, whose ends are minima and maxima, and
    `overlap_cycles` for each test that two rows of arrays do not overlap, which a C compiler puts
    before vector loops; `entry_cycles` are for tests and allocations before all loops. A mask for
    the end of a row costs `mask_cycles`, and a load of a part of what was just stored
    `stalled_load_cycles`.
    `region_cycles` is what it costs to start and end a parallel region, and `wake_cycles` what the
    first one costs on top of that, after threads have slept; `barrier_cycles` one barrier in it;
    `thread_cycles` what each further thread adds to both. `gigahertz` only turns cycles into
    seconds.
    """

    # Linux says them (`machine_of_system`); these are for where it does not.
    caches: tuple[Cache, ...] = DEFAULT_CACHES
    cores: int = 2
    gigahertz: float = 3.0
    # Estimates: bytes a cycle of the memory of a server, of which a core alone gets half.
    memory_bandwidth: float = 6.0
    memory_bandwidth_all: float = 12.0
    memory_latency: float = 300.0
    write_back: float = 1.0
    # Fog, "Microarchitecture": about 2048 entries for pages of 4 KiB.
    tlb_bytes: int = 8 * 1024 * 1024
    page_bytes: int = 4096
    # AVX, unless Linux says what the processor has.
    vector_bits: int = 256
    vector_registers: int = 16
    # gcc's and clang's -mprefer-vector-width for most processors with AVX-512.
    compiler_vector_bits: int = 256
    # Fog, "Instruction tables".
    vector_fma: float = 2.0
    vector_loads: float = 2.0
    vector_stores: float = 1.0
    issue_width: float = 4.0
    # Zen 4; 224 of Skylake, 512 of Golden Cove.
    reorder_operations: float = 320.0
    add_latency: float = 3.0
    multiply_latency: float = 4.0
    integer_latency: float = 1.0
    division_latency: float = 13.0
    division_cycles: float = 5.0
    division_bits: int = 256
    root_cycles: float = 9.0
    integer_division_cycles: float = 14.0
    # Estimates; `benchmarks/cost_model.py` compares what they lead to with measured times.
    function_cycles: float = 20.0
    loop_cycles: float = 12.0
    predicted_loop_cycles: float = 4.0
    # Measured: rows of 32 floats of eight stages, as parts of tiles and whole, on a Zen 4.
    tile_row_cycles: float = 30.0
    overlap_cycles: float = 6.0
    entry_cycles: float = 300.0
    mask_cycles: float = 10.0
    stalled_load_cycles: float = 20.0
    region_cycles: float = 8000.0
    wake_cycles: float = 20000.0
    barrier_cycles: float = 2000.0
    thread_cycles: float = 200.0

    def seconds(self, cycles: float) -> float:
        """The time that so many cycles take."""
        return cycles / (self.gigahertz * 1e9)

    def to_json(self) -> str:
        """The machine as a JSON object that `machine_from_json` reads."""
        return json.dumps(asdict(self), indent=2) + "\n"


def machine_of_option(text: str) -> Machine:
    """The machine that is registered by a name, or that a JSON file or the text itself describes.

    It is the one that this runs on if `text` is empty. A name is preferred: write `./name` for a
    file. A text in braces is JSON, whose keys need no quotes. Raises `OptionError` as
    `machine_from_json` does.
    """
    if text.startswith("{"):
        return _machine_of_json(_KEY.sub(r'"\1":', text), f"the machine '{text}'")
    known = registered_machines()
    if not text or text in known:
        return registered("machine", text or "this", known, Machine)
    hint = nearest(text, known)
    if hint and not Path(text).exists():
        raise MachineError(f"unknown machine '{text}'{hint}")
    return machine_from_json(text)


def machine_from_json(path: str | os.PathLike[str]) -> Machine:
    """The machine that a JSON file describes; what it does not say has its default.

    Raises `OptionError`, which names the key, for a file that is not JSON, an unknown key, and a
    value that is not a number above 0.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise MachineError(f"cannot read the machine '{path}': {error.strerror}") from None
    except ValueError as error:
        raise MachineError(f"the machine '{path}' is not JSON: {error}") from None
    return _machine_of_json(text, f"the machine '{path}'")


_KEY: Final = re.compile(r"([A-Za-z_]\w*)\s*:")


def _machine_of_json(text: str, where: str) -> Machine:
    """The machine that a JSON text describes."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MachineError(f"{where} is not JSON: {error}") from None
    values = _checked(data, Machine, where)
    if "caches" in values:
        values["caches"] = _checked_caches(values["caches"], where)
    return Machine(**values)


def _checked_caches(data: object, where: str) -> tuple[Cache, ...]:
    if not isinstance(data, list) or not data:
        raise MachineError(f"{where}: 'caches' must be a list of one or more objects")
    caches: list[Cache] = []
    for position, item in enumerate(data):
        here = f"{where}: 'caches[{position}]'"
        values = _checked(item, Cache, here)
        if "bytes" not in values:
            raise MachineError(f"{here} has no 'bytes'")
        base = DEFAULT_CACHES[min(position, len(DEFAULT_CACHES) - 1)]
        caches.append(replace(base, **values))
    return tuple(caches)


def _checked(data: object, kind: type[Cache] | type[Machine], where: str) -> dict[str, Any]:
    """The entries of a JSON object, each the field of a dataclass and of its type."""
    if not isinstance(data, Mapping):
        raise MachineError(f"{where} must be an object")
    types = {field.name: str(field.type) for field in fields(kind)}
    for key, value in data.items():
        if key not in types:
            raise MachineError(f"{where} has an unknown key '{key}'{nearest(key, tuple(types))}")
        check = _CHECKS.get(types[key])
        if check is not None and not check(value):
            what = "a whole number" if types[key] == "int" else "a number"
            raise MachineError(f"{where}: '{key}' must be {what} above 0, not {json.dumps(value)}")
    return dict(data)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e18


_CHECKS: Final[Mapping[str, Callable[[object], bool]]] = {"int": _is_whole, "float": _is_number}


def describe(machine: Machine) -> str:
    """The machine in one line, for a remark."""
    caches = _listed([byte_text(cache.bytes) for cache in machine.caches])
    return (
        f"{machine.cores} cores, caches of {caches}, {machine.vector_registers} vector registers "
        f"of {machine.vector_bits} bits"
    )


def machine_text(machine: Machine) -> str:
    """The machine in one line that `machine_of_option` reads: what is not as by default.

    The clock is left out, which decides nothing and changes all the time.
    """
    caches = [
        {"bytes": cache.bytes}
        | _changed(cache, DEFAULT_CACHES[min(level, len(DEFAULT_CACHES) - 1)])
        for level, cache in enumerate(machine.caches)
    ]
    default = Machine()
    others = replace(machine, caches=default.caches, gigahertz=default.gigahertz)
    changed = _changed(others, default)
    if machine.caches != DEFAULT_CACHES:
        changed["caches"] = caches
    return json.dumps(changed).replace('"', "")


def _changed(given: Cache | Machine, default: Cache | Machine) -> dict[str, Any]:
    """The fields that are not as by default."""
    return {
        field.name: getattr(given, field.name)
        for field in fields(given)
        if getattr(given, field.name) != getattr(default, field.name)
    }


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts)


def byte_text(amount: float) -> str:
    """Bytes as people say it: `32 KiB`."""
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.3g} {unit}"
        amount /= 1024
    return f"{amount:.3g} GiB"
