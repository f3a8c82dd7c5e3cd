"""What is measured: compilers on the original, external tools, and polyir's pipelines."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from polyir.pipeline import DEFAULT_PIPELINE

INPUT: Final = "{in}"
OUTPUT: Final = "{out}"


class VariantError(Exception):
    """A variant that the user described wrongly, or that does not exist."""


class Language(StrEnum):
    """The form of the original that a tool reads."""

    MLIR = "mlir"
    C = "c"


@dataclass(frozen=True)
class Compiler:
    """A C compiler and its flags, but for those of floating-point contraction."""

    program: str
    flags: tuple[str, ...]
    libraries: tuple[str, ...] = ("-lm",)


@dataclass(frozen=True)
class Variant:
    """One way from the original to machine code.

    `tool` is a command with the words `{in}` and `{out}`; without `{out}` its standard output is
    the result, and `None` stands for the original as it is. A variant that is not `is_parallel`
    runs with one thread only. One that `reassociates` may round differently even without
    contraction, so that its results are compared with a tolerance only.
    """

    name: str
    compiler: Compiler
    tool: tuple[str, ...] | None = None
    reads: Language = Language.C
    is_parallel: bool = False
    is_polyir: bool = False
    reassociates: bool = False

    @property
    def missing_program(self) -> str | None:
        """A program that the variant runs and that is not installed."""
        programs = (self.compiler.program, *(self.tool or ())[:1])
        return next((name for name in programs if shutil.which(name) is None), None)

    def thread_counts(self, wanted: Iterable[int]) -> tuple[int, ...]:
        """The numbers of threads that it is measured with."""
        return tuple(wanted) if self.is_parallel else (1,)


_POLLY: Final = ("-mllvm", "-polly", "-mllvm", "-polly-vectorizer=stripmine")
GCC: Final = Compiler("gcc", ("-O3", "-march=native"))
GCC_OPENMP: Final = Compiler("gcc", (*GCC.flags, "-fopenmp"))
CLANG: Final = Compiler("clang-19", ("-O3", "-march=native"))
POLLY: Final = Compiler("clang-19", (*CLANG.flags, *_POLLY))
POLLY_PARALLEL: Final = Compiler(
    "clang-19", (*POLLY.flags, "-mllvm", "-polly-parallel"), ("-lm", "-lgomp")
)

BASE: Final = Variant("gcc", GCC)
"""What every ratio is relative to."""

COMPILERS: Final = (
    BASE,
    Variant("clang", CLANG),
    Variant("polly", POLLY),
    Variant("polly-parallel", POLLY_PARALLEL, is_parallel=True),
)

REASSOCIATED: Final = "optimize+reassociate"
"""The pipeline whose results are compared with a tolerance."""

PIPELINES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "optimize": DEFAULT_PIPELINE,
        REASSOCIATED: "optimize{reassociate=true}",
        "pluto": "pluto-schedule,tile,mark-parallel",
        "pluto+wavefront": "pluto-schedule,tile,wavefront,mark-parallel",
        "spatial": "spatial-schedule,tile,wavefront,intra-tile-order,mark-parallel",
        "blocks": "pluto-schedule{fuse=none},tile{sizes=96,96,256},mark-parallel,"
        "full-tile-separation,register-tile,vectorize",
        "shared": "privatize{loops=all},spatial-schedule,tile{sizes=48,48,240},wavefront,"
        "mark-parallel{schedule=balanced},register-tile,vectorize",
        "stencils": "pluto-schedule,intra-tile-order{distribute=false},tile{sizes=16,32,256},"
        "wavefront,intra-tile-order,wavefront{which=inner},mark-parallel,register-tile,vectorize",
        "sweeps": "tile{sizes=32 min-width=1},wavefront{which=inner},mark-parallel,"
        "register-tile,vectorize",
        "pack": "pluto-schedule{fuse=none},register-tile{masked=true tiles=96,192,384},"
        "mark-parallel,vectorize,pack{ahead=true}",
    }
)
"""polyir's pipelines that `--variants` can name; new ones are added here."""

MEASURED: Final = ("optimize", "pluto", "pluto+wavefront")
"""The pipelines of the table that are measured unless `--variants` chooses."""


def pipeline_variant(name: str, passes: str) -> Variant:
    """A pipeline of polyir, run by `polyir-opt` in a process of its own."""
    opt = (sys.executable, "-m", "polyir.tools.polyir_opt")
    tool = (*opt, "-p", passes, "--emit=c", INPUT, "-o", OUTPUT)
    return Variant(
        name,
        GCC_OPENMP,
        tool,
        Language.MLIR,
        is_parallel=True,
        is_polyir=True,
        reassociates=name == REASSOCIATED,
    )


def peer_variant(name: str, command: str) -> Variant:
    """An external source-to-source tool; raises `VariantError` for a command without `{in}`."""
    words = tuple(shlex.split(command))
    if not any(INPUT in word for word in words):
        raise VariantError(f"the command of peer '{name}' has no {INPUT}: {command}")
    return Variant(name, GCC_OPENMP, words, is_parallel=True)


def named(text: str) -> tuple[str, str]:
    """The two parts of `NAME=REST`; raises `VariantError` if one is empty."""
    name, _, rest = text.partition("=")
    if not name or not rest:
        raise VariantError(f"expected NAME=..., not '{text}'")
    return name, rest


def all_variants(peers: Iterable[str], pipelines: Iterable[str]) -> tuple[Variant, ...]:
    """The tables' variants and the user's, each given as `NAME=COMMAND` or `NAME=PASSES`.

    Raises `VariantError` if a description is wrong or a name is used twice.
    """
    variants = [*COMPILERS]
    variants += [peer_variant(*named(peer)) for peer in peers]
    variants += [pipeline_variant(name, passes) for name, passes in PIPELINES.items()]
    variants += [pipeline_variant(*named(pipeline)) for pipeline in pipelines]
    names = [variant.name for variant in variants]
    for name in names:
        if names.count(name) > 1:
            raise VariantError(f"two variants are named '{name}'")
    return tuple(variants)


def measured_by_default(variants: Iterable[Variant]) -> tuple[Variant, ...]:
    """All of them but the pipelines of the table that are not in `MEASURED`."""
    return tuple(v for v in variants if v.name not in PIPELINES or v.name in MEASURED)


def choose(variants: Iterable[Variant], names: Iterable[str]) -> tuple[Variant, ...]:
    """The variants of those names, the base always; raises `VariantError` for an unknown name."""
    by_name = {variant.name: variant for variant in variants}
    for name in names:
        if name not in by_name:
            raise VariantError(f"no variant '{name}' (there are: {', '.join(by_name)})")
    chosen = dict.fromkeys((BASE.name, *names))
    return tuple(by_name[name] for name in chosen)
