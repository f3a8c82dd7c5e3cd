"""The oracle: a program lowered and compiled by MLIR and LLVM, without any code of polyir.

`Oracle` lowers MLIR text with `mlir-opt-19` and `mlir-translate-19`, compiles it with `clang-19`
and calls its functions on NumPy arrays. What polyir makes of the same text must give the same bits.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from xdsl.context import Context
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    Builtin,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
)
from xdsl.dialects.func import Func, FuncOp
from xdsl.ir import Attribute
from xdsl.parser import Parser

if TYPE_CHECKING:
    from ctypes import _CArgObject, _SimpleCData

    _Scalar = type[_SimpleCData[bool]] | type[_SimpleCData[int]] | type[_SimpleCData[float]]
    _Passed = _CArgObject | _SimpleCData[bool] | _SimpleCData[int] | _SimpleCData[float]

MLIR_OPT = "mlir-opt-19"
MLIR_TRANSLATE = "mlir-translate-19"
CLANG = "clang-19"

# Loops have attributes of the poly dialect, which MLIR does not know.
ANY_ATTRIBUTE = "--allow-unregistered-dialect"

# `expand-strided-metadata` makes new affine ops, hence the second `lower-affine`.
LOWERING_PASSES = (
    "--llvm-request-c-wrappers",
    "--lower-affine",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-vector-to-scf",
    "--convert-scf-to-cf",
    "--convert-math-to-funcs",
    # Before the expansion, which takes minus zero for zero in `maximumf` and `minimumf`.
    "--convert-arith-to-llvm",
    "--arith-expand",
    "--memref-expand",
    "--convert-vector-to-llvm",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--convert-index-to-llvm",
    "--finalize-memref-to-llvm",
    # Before the branches: after them, casts of values used in both would be left over.
    "--convert-openmp-to-llvm",
    "--convert-func-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
)

# `-fno-builtin` keeps LLVM from replacing one function of libm by another, pow(2, x) by exp2(x).
CLANG_FLAGS = (
    "-O1",
    "-ffp-contract=off",
    "-fno-builtin",
    "-shared",
    "-fPIC",
    "-Wno-override-module",
    "-lm",
)

FOLDER: Final = Path(__file__).parents[1] / "build" / "oracle"

SPLIT_MARKER = "// -----"
SPLIT_OPTIONS = ("--split-input-file", f"--output-split-marker={SPLIT_MARKER}")

MISSING_TOOLS_REASON = f"needs {MLIR_OPT}, {MLIR_TRANSLATE} and {CLANG} with LLVM's OpenMP"

Array = npt.NDArray[np.generic]
Argument = int | float | Array
Result = int | float | tuple[int | float, ...] | None


@functools.cache
def mlir_opt_available() -> bool:
    """Whether all tools that the oracle runs are installed, and what `omp` is linked with."""
    if not all(shutil.which(tool) for tool in (MLIR_OPT, MLIR_TRANSLATE, CLANG)):
        return False
    command = [CLANG, "-print-file-name=libomp.so"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).is_absolute()


class OracleError(Exception):
    """The program is not accepted by a tool, or a call does not fit its function's signature."""


@dataclass(frozen=True)
class Signature:
    """The argument and result types of a function."""

    arguments: tuple[Attribute, ...]
    results: tuple[Attribute, ...]


class Oracle:
    """A module compiled by MLIR and LLVM, whose functions can be called.

    `folder` keeps the compiled library and the module in generic form under names made from the
    text, so that the same text is compiled once for all tests. Raises `OracleError` if a tool
    rejects the text.
    """

    def __init__(self, text: str, folder: Path = FOLDER) -> None:
        entry = _CacheEntry(folder, text)
        if not entry.exists():
            entry.fill(_lower(text), _print_generic(text))
        self._library = ctypes.CDLL(str(entry.library))
        self.signatures = _read_signatures(entry.generic.read_text())

    def __call__(self, function: str, *arguments: Argument) -> Result:
        """Call `function`; arrays are changed in place, scalar results are returned.

        Returns `None`, a number or, for several results, a tuple. Raises `OracleError` if an
        argument has another type, rank or static extent than the function's parameter, or if an
        array is not contiguous.
        """
        signature = self.signatures.get(function)
        if signature is None:
            known = ", ".join(self.signatures)
            raise OracleError(f"no function '{function}' in the module; it has: {known}")
        if len(arguments) != len(signature.arguments):
            raise OracleError(
                f"'{function}' takes {len(signature.arguments)} arguments, not {len(arguments)}"
            )
        passed = [
            _to_c(value, kind) for value, kind in zip(arguments, signature.arguments, strict=True)
        ]
        entry = self._library[f"_mlir_ciface_{function}"]
        entry.restype = None
        if not signature.results:
            entry(*passed)
            return None
        kinds = [_scalar_type(result) for result in signature.results]
        if len(kinds) == 1:
            entry.restype = kinds[0]
            value: int | float = entry(*passed)
            return value
        # Several results come back through a pointer to a struct, given as the first argument.
        fields: list[tuple[str, type]] = [(f"result{n}", kind) for n, kind in enumerate(kinds)]
        results = _structure("Results", fields)()
        entry(ctypes.byref(results), *passed)
        return tuple(getattr(results, name) for name, _ in fields)


def compile_all(texts: Sequence[str], folder: Path = FOLDER) -> list[Oracle]:
    """An `Oracle` for each text, with one run of the MLIR tools for all that are new.

    Raises `OracleError` with the message for the first text that a tool rejects.
    """
    new = [text for text in dict.fromkeys(texts) if not _CacheEntry(folder, text).exists()]
    if len(new) > 1 and not any(SPLIT_MARKER in text for text in new):
        joined = f"\n{SPLIT_MARKER}\n".join(new)
        try:
            lowered = _split(_lower(joined, *SPLIT_OPTIONS))
            generic = _split(_print_generic(joined, *SPLIT_OPTIONS))
        except OracleError:
            # The message counts lines in the joined text: let each text speak for itself below.
            lowered = generic = []
        # Both are empty, or each has one part for each text.
        for text, llvm_text, generic_text in zip(new, lowered, generic, strict=False):
            _CacheEntry(folder, text).fill(llvm_text, generic_text)
    return [Oracle(text, folder) for text in texts]


class _CacheEntry:
    """The two files kept for one text: the library, and the module in generic form."""

    def __init__(self, folder: Path, text: str) -> None:
        recipe = "\n".join((*LOWERING_PASSES, *CLANG_FLAGS, text))
        stem = hashlib.sha256(recipe.encode()).hexdigest()[:24]
        self.folder = folder
        self.library = folder / f"{stem}.so"
        self.generic = folder / f"{stem}.mlir"

    def exists(self) -> bool:
        return self.library.exists() and self.generic.exists()

    def fill(self, llvm_text: str, generic_text: str) -> None:
        """Compile and write both files, each at once, for several processes may fill one folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            generic = Path(scratch) / "module.mlir"
            generic.write_text(generic_text)
            generic.replace(self.generic)
            library = Path(scratch) / "module.so"
            # The libraries come last, after the module that needs them.
            # Code without OpenMP does not need its runtime library.
            openmp = ("-fopenmp",) if "@__kmpc_" in llvm_text else ()
            flags = (*CLANG_FLAGS, *openmp)
            _run([CLANG, "-x", "ir", "-", *flags, "-o", str(library)], llvm_text)
            library.replace(self.library)


def _lower(text: str, *options: str) -> str:
    """The module as LLVM IR."""
    lowered = _run([MLIR_OPT, ANY_ATTRIBUTE, *options, *LOWERING_PASSES, "-"], text)
    return _run([MLIR_TRANSLATE, ANY_ATTRIBUTE, "--mlir-to-llvmir", *options, "-"], lowered)


def _print_generic(text: str, *options: str) -> str:
    """The module in the generic form, which xDSL reads whatever the dialects are."""
    return _run([MLIR_OPT, ANY_ATTRIBUTE, *options, "--mlir-print-op-generic", "-"], text)


def _split(text: str) -> list[str]:
    return text.split(SPLIT_MARKER)


def _run(command: list[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OracleError(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout


_DEFINITION: Final = re.compile(r'^ *"func.func"\(\) <\{.*\}> \(\{\n(?! *\}\))', re.MULTILINE)
_ALIAS: Final = re.compile(r"^#.*\n", re.MULTILINE)


def _read_signatures(generic_text: str) -> dict[str, Signature]:
    """The signatures of the functions that have a body; bodies are not parsed."""
    definitions = "".join(f"{each}}}) : () -> ()\n" for each in _DEFINITION.findall(generic_text))
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    context.load_dialect(Func)
    module = Parser(context, "".join(_ALIAS.findall(generic_text)) + definitions).parse_module()
    return {
        op.sym_name.data: Signature(
            tuple(op.function_type.inputs.data), tuple(op.function_type.outputs.data)
        )
        for op in module.walk()
        if isinstance(op, FuncOp)
    }


_INTEGERS: Final = MappingProxyType(
    {8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}
)


def _scalar_type(kind: Attribute) -> _Scalar:
    """The C type of a scalar."""
    match kind:
        case IndexType():
            return ctypes.c_int64
        case IntegerType(width=width) if width.data == 1:
            return ctypes.c_bool
        case IntegerType(width=width) if width.data in _INTEGERS:
            return _INTEGERS[width.data]
        case Float32Type():
            return ctypes.c_float
        case Float64Type():
            return ctypes.c_double
        case _:
            raise OracleError(f"a value of type {kind} cannot be passed")


def _to_c(value: Argument, kind: Attribute) -> _Passed:
    """An argument as the C interface of a lowered function takes it."""
    if isinstance(kind, MemRefType):
        if not isinstance(value, np.ndarray):
            raise OracleError(f"{kind} wants an array, not {value!r}")
        _check_array(value, kind)
        return ctypes.byref(_descriptor(value))
    if isinstance(value, np.ndarray):
        raise OracleError(f"{kind} wants a number, not an array")
    if isinstance(kind, IndexType | IntegerType) and not isinstance(value, int):
        raise OracleError(f"{kind} wants an integer, not {value!r}")
    make: Callable[[int | float], _Passed] = _scalar_type(kind)
    return make(value)


def _check_array(array: Array, kind: MemRefType[Attribute]) -> None:
    """Refuse an array that compiled code would read or write wrongly."""
    wanted = np.dtype(_scalar_type(kind.element_type))
    if array.dtype != wanted:
        raise OracleError(f"{kind} wants an array of {wanted}, not of {array.dtype}")
    extents = kind.get_shape()
    if len(extents) != array.ndim or any(
        extent not in (DYNAMIC_INDEX, actual)
        for extent, actual in zip(extents, array.shape, strict=True)
    ):
        raise OracleError(f"{kind} does not fit an array of shape {array.shape}")
    if not (array.flags.c_contiguous and array.flags.writeable):
        raise OracleError(f"{kind} wants a contiguous array that can be written")


def _descriptor(array: Array) -> ctypes.Structure:
    """MLIR's descriptor of a memref: two pointers, offset, extents and strides.

    The pointers are those of `array`, which has to stay alive during the call.
    """
    extents = ctypes.c_int64 * array.ndim
    fields: list[tuple[str, type]] = [
        ("allocated", ctypes.c_void_p),
        ("aligned", ctypes.c_void_p),
        ("offset", ctypes.c_int64),
    ]
    if array.ndim > 0:
        fields += [("extents", extents), ("strides", extents)]
    address = array.ctypes.data
    values: list[object] = [address, address, 0]
    if array.ndim > 0:
        strides = [stride // array.itemsize for stride in array.strides]
        values += [extents(*array.shape), extents(*strides)]
    return _structure("MemRefDescriptor", fields)(*values)


def _structure(name: str, fields: list[tuple[str, type]]) -> type[ctypes.Structure]:
    return type(name, (ctypes.Structure,), {"_fields_": fields})
