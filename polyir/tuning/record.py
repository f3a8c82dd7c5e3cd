"""What tuning has found, as a JSON file, and whether it is for a kernel and for this machine."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from polyir.base.diagnostics import OptionError, PolyirError, missed, nearest
from polyir.choose.this_machine import machine_of_system
from polyir.pipeline import passes_of_pipeline
from polyir.universe import available_passes

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from polyir.tuning.evaluation import Candidate
    from polyir.tuning.kernel import MeasuredFunction
    from polyir.tuning.search import Found

FORMAT: Final = 1
"""The number of the format that files have."""


class TuningFileError(OptionError):
    """A tuning file that cannot be read."""

    name = "bad-tuning-file"


class TuningError(PolyirError):
    """A file of tuning is not for the kernel at hand."""

    name = "stale-tuning"


@dataclass(frozen=True)
class TunedMachine:
    """The machine on which a kernel was tuned; `caches` are the bytes of its data caches."""

    processor: str
    cores: int
    caches: tuple[int, ...]

    def __str__(self) -> str:
        caches = ", ".join(f"{each // 1024} KiB" for each in self.caches)
        return f"{self.processor}, {self.cores} cores, caches of {caches}"


def this_machine() -> TunedMachine:
    """The machine that this runs on."""
    machine = machine_of_system()
    caches = tuple(cache.bytes for cache in machine.caches)
    return TunedMachine(_processor_name(), machine.cores, caches)


def _processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()


@dataclass(frozen=True)
class TuningRecord:
    """The best pipeline that was found for a kernel.

    `kernel` is its hash (`polyir.tuning.kernel.digest_of`), `sizes` are those that it was measured
    with, `seconds` the shortest time of the pipeline with `threads`, and `base_seconds` that of
    `base`, the pipeline that it was compared with. `counts` says how many candidates were tried,
    and how many of them were refused, wrong, and so on.
    """

    kernel: str
    function: str
    machine: TunedMachine
    pipeline: str
    threads: int
    sizes: Mapping[str, int]
    base: str
    base_seconds: float
    seconds: float
    counts: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        gain = self.base_seconds / self.seconds
        threads = f"{self.threads} thread{'s' if self.threads > 1 else ''}"
        return f"{self.seconds * 1e3:10.3f} ms {gain:7.2f}x {self.pipeline}, {threads}"

    def passes(self, path: str) -> tuple[ModulePass, ...]:
        """The passes of the pipeline. Raises `OptionError` for one that this version lacks."""
        try:
            return passes_of_pipeline(self.pipeline, available_passes())
        except OptionError as error:
            raise TuningFileError(f"the pipeline of '{path}': {error.message}") from None

    def is_for(self, module: ModuleOp) -> bool:
        """Whether a module, as it was read, is the kernel that was tuned."""
        from polyir.tuning.kernel import digest_of

        return digest_of(module) == self.kernel

    def warn_of_machine(self, path: str) -> None:
        """Warn if this machine is not the one of the record, or runs other numbers of threads."""
        here = this_machine()
        if here != self.machine:
            missed(
                "tuned",
                f"'{path}' is of another machine ({self.machine}); this is {here}",
                name="stale-tuning",
            )
            return
        from polyir.runtime.threads import default_thread_count

        if 1 < self.threads != default_thread_count():
            what = f"was the fastest with {self.threads} threads: set OMP_NUM_THREADS"
            missed("tuned", f"the pipeline of '{path}' {what}", name="stale-tuning")


@dataclass(frozen=True)
class TuningFile:
    """The records of a file, each for another kernel."""

    path: str
    records: tuple[TuningRecord, ...]

    def to_json(self) -> str:
        """The text of the file: an object, or a list of several."""
        entries = [{"format": FORMAT, **asdict(each)} for each in self.records]
        return json.dumps(entries[0] if len(entries) == 1 else entries, indent=2) + "\n"

    @property
    def only(self) -> TuningRecord:
        """The record of a file that has one. Raises `OptionError`."""
        if len(self.records) > 1:
            raise TuningFileError(
                f"'{self.path}' is for several regions of C: give it to polyir-cc"
            )
        return self.records[0]

    def find(self, module: ModuleOp) -> TuningRecord | None:
        """The record for a module as it was read, if there is one."""
        return next((each for each in self.records if each.is_for(module)), None)

    def require(self, module: ModuleOp) -> TuningRecord:
        """The record for a module as it was read. Raises `TuningError` if there is none."""
        found = self.find(module)
        if found is None:
            raise self.refusal()
        return found

    def refusal(self) -> TuningError:
        """The error that says that this is not what was tuned."""
        names = ", ".join(f"@{each.function}" for each in self.records)
        return TuningError(
            f"'{self.path}' is for another kernel, or for {names} before it was changed: tune it "
            "again with polyir-tune"
        )


def record_of(kernel: MeasuredFunction, base: Candidate, found: Found) -> TuningRecord:
    """What a search has found for a kernel on this machine."""
    from polyir.tuning.kernel import digest_of

    best = found.comparison.best
    return TuningRecord(
        kernel=digest_of(kernel.module),
        function=kernel.function,
        machine=this_machine(),
        pipeline=best.pipeline,
        threads=best.threads,
        sizes=kernel.sizes,
        base=base.pipeline,
        base_seconds=found.comparison.base_seconds,
        seconds=found.comparison.seconds,
        counts=found.counts,
    )


def read_tuning(path: str) -> TuningFile:
    """The records of a file; raises `OptionError`, which says what is wrong with it."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise TuningFileError(f"cannot read '{path}': {reason}") from None
    return tuning_of_json(text, path)


def tuning_of_json(text: str, path: str = "<text>") -> TuningFile:
    """The records that `to_json` wrote; raises `OptionError`."""
    where = f"the tuning file '{path}'"
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TuningFileError(f"{where} is not JSON: {error}") from None
    entries = data if isinstance(data, list) and data else [data]
    return TuningFile(path, tuple(_record(each, where) for each in entries))


def _record(data: object, where: str) -> TuningRecord:
    """The record that an object is."""
    if not isinstance(data, dict):
        raise TuningFileError(f"{where} must be an object")
    if (number := data.pop("format", None)) != FORMAT:
        raise TuningFileError(f"{where} has the format {number!r}, not {FORMAT}")
    values = _checked(data, TuningRecord, where)
    machine = _checked(values["machine"], TunedMachine, f"{where}: 'machine'")
    values["machine"] = TunedMachine(**machine | {"caches": tuple(machine["caches"])})
    return TuningRecord(**values)


def _checked(data: object, kind: type[TuningRecord] | type[TunedMachine], where: str) -> Any:
    """The entries of an object: the fields of a dataclass, each of its type, and no others."""
    if not isinstance(data, dict):
        raise TuningFileError(f"{where} must be an object")
    types = {each.name: str(each.type) for each in fields(kind)}
    for key in data:
        if key not in types:
            raise TuningFileError(f"{where} has an unknown key '{key}'{nearest(key, tuple(types))}")
    for name, type_name in types.items():
        if name not in data:
            raise TuningFileError(f"{where} has no '{name}'")
        if not _is_valid(data[name], type_name):
            shown = json.dumps(data[name])
            raise TuningFileError(f"{where}: '{name}' cannot be {shown[:60]}")
    return data


def _is_valid(value: object, type_name: str) -> bool:
    match type_name:
        case "str":
            return isinstance(value, str)
        case "int":
            return _is_whole(value) and value > 0  # type: ignore[operator]
        case "float":
            return (
                isinstance(value, float | int)
                and not isinstance(value, bool)
                and (isfinite(value) and value >= 0)
            )
        case "tuple[int, ...]":
            return isinstance(value, list) and all(map(_is_whole, value))
        case "Mapping[str, int]":
            return isinstance(value, dict) and all(map(_is_whole, value.values()))
    return isinstance(value, dict)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
