"""CUDA and OpenCL from kernels as IR."""

from polyir.target.gpu.emitter import gpu_text, kernel_source
from polyir.target.gpu.kernels import launch_memory
from polyir.target.gpu.language import Language

__all__ = ["Language", "gpu_text", "kernel_source", "launch_memory"]
