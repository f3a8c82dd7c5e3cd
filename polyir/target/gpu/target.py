"""The targets `cuda` and `opencl`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from polyir.loops.levels import lower_for_target, outline_kernels
from polyir.target.gpu import Language, gpu_text


@dataclass(frozen=True)
class GpuTarget(Target):
    """Kernels and the functions that launch them: what is still poly is lowered and outlined."""

    language: ClassVar[Language]

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lower_for_target(ctx, module)
        outline_kernels(ctx, module)
        output.write(gpu_text(module, self.language))


@dataclass(frozen=True)
class CudaTarget(GpuTarget):
    """One CUDA C++ file, for nvcc."""

    name = "cuda"
    language = Language.CUDA


@dataclass(frozen=True)
class OpenclTarget(GpuTarget):
    """One C99 file that has its kernels, in OpenCL C 1.2, as a string."""

    name = "opencl"
    language = Language.OPENCL
