"""The description of the machine: from fake /sys trees, and from JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from polyir.base.diagnostics import OptionError, PolyirError
from polyir.choose.machine import (
    DEFAULT_CACHES,
    Cache,
    Machine,
    machine_from_json,
    machine_of_option,
    machine_text,
)
from polyir.choose.measured_machine import measured_machine
from polyir.choose.processors import PROCESSORS
from polyir.choose.this_machine import machine_of_system


def _fake(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return root


def _cache(index: int, level: int, kind: str, size: str, shared: str) -> dict[str, str]:
    folder = f"sys/devices/system/cpu/cpu0/cache/index{index}"
    return {
        f"{folder}/level": str(level),
        f"{folder}/type": kind,
        f"{folder}/size": size,
        f"{folder}/shared_cpu_list": shared,
        f"{folder}/coherency_line_size": "128",
    }


def test_sizes_are_read_from_the_system(tmp_path: Path) -> None:
    root = _fake(
        tmp_path,
        {
            "sys/devices/system/cpu/online": "0-2,5",
            "proc/cpuinfo": "processor\t: 0\ncpu MHz\t\t: 2500.5\nflags\t\t: sse2 avx avx2\n",
            **_cache(0, 1, "Data", "48K", "0"),
            **_cache(1, 1, "Instruction", "32K", "0"),
            **_cache(2, 2, "Unified", "2M", "0-1"),
        },
    )
    machine = machine_of_system(root)
    assert machine.cores == 4
    assert machine.gigahertz == pytest.approx(2.5005)
    assert (machine.vector_bits, machine.vector_registers) == (256, 16)
    assert [(c.bytes, c.shared_by, c.line_bytes) for c in machine.caches] == [
        (48 * 1024, 1, 128),
        (2 * 1024 * 1024, 2, 128),
    ]


def test_nothing_to_read_gives_the_defaults(tmp_path: Path) -> None:
    assert machine_of_system(tmp_path) == Machine()


def test_text_that_is_no_size_gives_the_default(tmp_path: Path) -> None:
    root = _fake(tmp_path, {**_cache(0, 1, "Data", "many", "0"), "proc/cpuinfo": "what"})
    assert machine_of_system(root).caches == DEFAULT_CACHES


def test_json_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    machine = machine_of_system()
    path.write_text(machine.to_json())
    assert machine_from_json(path) == machine


def test_text_there_and_back() -> None:
    """What a remark prints describes the machine, but for its clock."""
    caches = (Cache(48 * 1024, shared_by=2), Cache(1 << 20, latency=1.5), *[Cache(1 << 25)] * 2)
    for machine in (Machine(), machine_of_system(), Machine(caches, cores=7, root_cycles=1e-3)):
        found = machine_of_option(machine_text(machine))
        assert replace(found, gigahertz=machine.gigahertz) == machine


@pytest.mark.parametrize("name", PROCESSORS)
def test_processors_by_name(name: str, tmp_path: Path) -> None:
    """A processor is a machine by name, and found by what /proc/cpuinfo says of it."""
    known = PROCESSORS[name]
    assert machine_of_option(name) == known.machine
    model = min(known.models)
    x86 = f"vendor_id : {known.vendor}\ncpu family : {known.family}\nmodel : {model}"
    arm = f"CPU implementer : {known.vendor}\nCPU part : {model:#x}"
    flags = {128: "asimd", 256: "sse2 avx", 512: "sse2 avx avx512f"}[known.machine.vector_bits]
    text = f"{x86 if known.family else arm}\nflags : {flags}"
    root = _fake(tmp_path, {"proc/cpuinfo": text})
    assert machine_of_system(root) == known.machine


def test_a_virtual_machine_without_long_vectors(tmp_path: Path) -> None:
    text = "vendor_id : AuthenticAMD\ncpu family : 25\nmodel : 17\nflags : sse2 avx avx2"
    machine = machine_of_system(_fake(tmp_path, {"proc/cpuinfo": text}))
    assert (machine.vector_bits, machine.vector_registers, machine.vector_fma) == (256, 16, 2.0)
    assert machine.issue_width == PROCESSORS["zen4"].machine.issue_width


def test_the_machine_is_measured() -> None:
    """All that is measured is there, and of the right order."""
    measured = measured_machine("gcc")
    assert measured.caches[0].bandwidth > measured.memory_bandwidth > 0.1
    assert 1 <= measured.add_latency <= 20
    assert measured.division_bits in (128, 256)
    assert measured.cores == machine_of_system().cores


def test_a_compiler_that_is_not_there() -> None:
    with pytest.raises(PolyirError, match="there is no 'no-such-compiler'"):
        measured_machine("no-such-compiler")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"core": 4}, "unknown key 'core'"),
        ({"cores": 0}, "'cores' must be a whole number above 0, not 0"),
        ({"gigahertz": "fast"}, "'gigahertz' must be a number above 0, not \"fast\""),
        ({"caches": []}, "'caches' must be a list of one or more objects"),
        ({"caches": [{"line_bytes": 64}]}, "'caches[0]' has no 'bytes'"),
        ({"caches": [{"bytes": True}]}, "'bytes' must be a whole number above 0, not true"),
        ([], "must be an object"),
    ],
)
def test_bad_json_is_named(tmp_path: Path, data: object, message: str) -> None:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(data))
    with pytest.raises(OptionError) as error:
        machine_from_json(path)
    assert message in error.value.message


def test_no_json_and_no_file(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    with pytest.raises(OptionError, match="cannot read"):
        machine_from_json(path)
    path.write_text("{")
    with pytest.raises(OptionError, match="is not JSON"):
        machine_from_json(path)
