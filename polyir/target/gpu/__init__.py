"""CUDA and OpenCL from kernels as IR."""

from polyir.target.gpu.emitter import kernel_source
from polyir.target.gpu.language import Language

__all__ = ["Language", "kernel_source"]
