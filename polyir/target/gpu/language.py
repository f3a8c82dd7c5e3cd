"""What CUDA and OpenCL spell in different ways: one table for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Final

from polyir.target.abi import LIBRARY_FUNCTIONS, Scalar, library_name
from polyir.target.c.dialect import C99, STANDARD_TYPES, Dialect


class Language(Enum):
    """A language of kernels."""

    CUDA = "cuda"
    OPENCL = "opencl"

    @property
    def words(self) -> Words:
        """How the language says things."""
        return _WORDS[self]


@dataclass(frozen=True)
class Words:
    """The words of a language for kernels and for the code that launches them.

    `device` is the dialect of kernels, `host` that of the functions that launch them.
    `thread_numbers` are the texts of operations like `gpu.block_id`; `{axis}` is `x`, `y` or `z`,
    and `{number}` its position. `barrier` is a statement. `kernel` comes before the result type of
    a kernel, `block_size` before its name, with the sizes `{x}`, `{y}` and `{z}` and their product
    `{threads}`.

    `vector_copy` is a statement that copies a vector of `{width}` elements from `{source}` on to
    `{target}`, of the type `{type}` that `vectors` has for the type of the elements.

    `device_pointer` is the type by which the host names memory of the device; `None` is a pointer
    to the elements. `launch` are the lines of a launch: of `{kernel}` with `{grid}` and `{block}`,
    three sizes each, and `{count}` `{arguments}`, each of which is written as `argument`. A kernel
    can declare `declared_memory` bytes of memory of a block; for more than that, `large_launch` are
    the lines, with all of the memory as `{memory}`.
    `support` is the file with the functions that check what the host does.
    """

    device: Dialect
    host: Dialect
    thread_numbers: Mapping[str, str]
    barrier: str
    kernel: str
    block_size: str
    vectors: Mapping[Scalar, str]
    vector_copy: str
    device_pointer: str | None
    argument: str
    launch: tuple[str, ...]
    large_launch: tuple[str, ...]
    declared_memory: int | None
    support: str


# ------------------------------------------------------------------------------------ CUDA

_CPP_KEYWORDS: Final = [
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "bitand",
    "bitor",
    "catch",
    "char8_t",
    "char16_t",
    "char32_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "decltype",
    "delete",
    "dynamic_cast",
    "explicit",
    "export",
    "friend",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "static_assert",
    "static_cast",
    "template",
    "this",
    "thread_local",
    "throw",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "wchar_t",
    "xor",
    "xor_eq",
]
_CUDA_NAMES: Final = ["blockDim", "blockIdx", "dim3", "gridDim", "threadIdx", "warpSize"]

_MATH_FUNCTIONS: Final = tuple(
    library_name(name, type)
    for name in LIBRARY_FUNCTIONS.values()
    for type in (Scalar.DOUBLE, Scalar.FLOAT)
)

_CUDA_HOST: Final = Dialect(
    target="the CUDA target",
    types=STANDARD_TYPES,
    memory_types=STANDARD_TYPES,
    # Those of C++ cannot be called in kernels.
    functions=MappingProxyType(
        {"isunordered": "polyir_isunordered", "islessgreater": "polyir_islessgreater"}
    ),
    restrict="__restrict__",
    has_variable_extents=False,
    has_array_parameters=False,
    converts_pointers=False,
    linkage='extern "C" ',
    helper="__host__ __device__ ",
    unroll=None,
    reserved=(*_CPP_KEYWORDS, *_CUDA_NAMES),
    declared=("aligned_alloc", *_MATH_FUNCTIONS),
)

_CUDA: Final = Words(
    device=replace(
        _CUDA_HOST,
        has_limit_macros=False,
        shared_space="__shared__ ",
        static="static __device__ ",
        static_array="static __device__ const ",
        unroll="unroll {}",
    ),
    host=_CUDA_HOST,
    thread_numbers=MappingProxyType(
        {
            "gpu.block_dim": "blockDim.{axis}",
            "gpu.block_id": "blockIdx.{axis}",
            "gpu.global_id": "(int64_t)blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}",
            "gpu.grid_dim": "gridDim.{axis}",
            "gpu.thread_id": "threadIdx.{axis}",
        }
    ),
    barrier="__syncthreads()",
    kernel='extern "C" __global__ ',
    block_size="__launch_bounds__({threads}) ",
    vectors=MappingProxyType(
        {
            Scalar.INT32: "int4",
            Scalar.INT64: "longlong2",
            Scalar.FLOAT: "float4",
            Scalar.DOUBLE: "double2",
        }
    ),
    vector_copy="*({type} *)&{target} = *(const {type} *)&{source}",
    device_pointer=None,
    argument="{value}",
    launch=(
        "if (polyir_may_launch({grid})) {{",
        "  {kernel}<<<dim3({grid}), dim3({block})>>>({arguments});",
        '  polyir_check(cudaGetLastError(), "{kernel}");',
        "}}",
    ),
    large_launch=(
        "if (polyir_may_launch({grid})) {{",
        "  const cudaFuncAttribute size = cudaFuncAttributeMaxDynamicSharedMemorySize;",
        '  polyir_check(cudaFuncSetAttribute({kernel}, size, {memory}), "{kernel}");',
        "  {kernel}<<<dim3({grid}), dim3({block}), {memory}>>>({arguments});",
        '  polyir_check(cudaGetLastError(), "{kernel}");',
        "}}",
    ),
    declared_memory=48 * 1024,
    support="support.cu",
)

# ------------------------------------------------------------------------------------ OpenCL

_OPENCL_TYPES: Final = MappingProxyType(
    {
        Scalar.BOOL: "bool",
        Scalar.INT8: "char",
        Scalar.INT16: "short",
        Scalar.INT32: "int",
        Scalar.INT64: "long",
        Scalar.UINT8: "uchar",
        Scalar.UINT16: "ushort",
        Scalar.UINT32: "uint",
        Scalar.UINT64: "ulong",
        Scalar.FLOAT: "float",
        Scalar.DOUBLE: "double",
    }
)

_OPENCL_NAMES: Final = [
    "barrier",
    "bool",
    "cl_mem",
    "constant",
    "event_t",
    "global",
    "half",
    "image1d_t",
    "image2d_t",
    "image3d_t",
    "kernel",
    "local",
    "private",
    "read_only",
    "read_write",
    "sampler_t",
    "uchar",
    "uint",
    "ulong",
    "uniform",
    "ushort",
    "vec_step",
    "write_only",
]

_OPENCL: Final = Words(
    device=Dialect(
        target="the OpenCL target",
        types=_OPENCL_TYPES,
        # `bool` may have any size there, and must not be the type of a parameter.
        memory_types=MappingProxyType({**_OPENCL_TYPES, Scalar.BOOL: "uchar"}),
        # Functions of numbers of both precisions have the same name.
        functions=MappingProxyType(
            {library_name(name, Scalar.FLOAT): name for name in LIBRARY_FUNCTIONS.values()}
        ),
        has_variable_extents=False,
        has_array_parameters=False,
        has_limit_macros=False,
        global_space="__global ",
        shared_space="__local ",
        static_array="__constant ",
        unroll="unroll {}",
        reserved=tuple(_OPENCL_NAMES),
    ),
    host=replace(
        C99, target="the OpenCL target", has_vectors=False, reserved=("cl_mem", "arguments")
    ),
    thread_numbers=MappingProxyType(
        {
            "gpu.block_dim": "get_local_size({number})",
            "gpu.block_id": "get_group_id({number})",
            "gpu.global_id": "get_global_id({number})",
            "gpu.grid_dim": "get_num_groups({number})",
            "gpu.thread_id": "get_local_id({number})",
        }
    ),
    barrier="barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
    kernel="__kernel ",
    block_size="__attribute__((reqd_work_group_size({x}, {y}, {z}))) ",
    vectors=MappingProxyType({}),
    vector_copy="vstore{width}(vload{width}(0, &{source}), 0, &{target})",
    device_pointer="cl_mem",
    argument="POLYIR_ARGUMENT({type}, {value})",
    launch=(
        "{{",
        "  const polyir_argument arguments[] = {{{arguments}}};",
        '  polyir_launch("{kernel}", {grid}, {block}, {count}, arguments);',
        "}}",
    ),
    large_launch=(),
    declared_memory=None,
    support="support.c",
)

_WORDS: Final = MappingProxyType({Language.CUDA: _CUDA, Language.OPENCL: _OPENCL})
