"""The words of the affine text: which syntax class, so which terminal, a word belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from lark import Token

_ELEMENTWISE = (
    *(
        f"arith.{name}"
        for name in (
            "addf addi addui_extended andi ceildivsi ceildivui divf divsi divui floordivsi "
            "maximumf maxnumf maxsi maxui minimumf minnumf minsi minui mulf muli mulsi_extended "
            "mului_extended negf ori remf remsi remui select shli shrsi shrui subf subi xori"
        ).split()
    ),
    *(
        f"math.{name}"
        for name in (
            "absf absi acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh ctlz "
            "ctpop cttz erf exp exp2 expm1 floor fma fpowi ipowi log log10 log1p log2 powf round "
            "roundeven rsqrt sin sinh sqrt tan tanh trunc"
        ).split()
    ),
)
_CONVERSIONS = (
    *(
        f"arith.{name}"
        for name in (
            "bitcast extf extsi extui fptosi fptoui index_cast index_castui sitofp truncf trunci "
            "uitofp"
        ).split()
    ),
    "memref.cast",
    "memref.memory_space_cast",
    "index.casts",
    "index.castu",
)

OPERATION_TERMINALS: Mapping[str, str] = MappingProxyType(
    {
        **{name: "ELEMENTWISE" for name in _ELEMENTWISE},
        **{name: "CONVERSION" for name in _CONVERSIONS},
        "module": "MODULE",
        "builtin.module": "MODULE",
        "func.func": "FUNC",
        "call": "CALL",
        "func.call": "CALL",
        "return": "TERMINATOR",
        "func.return": "TERMINATOR",
        "affine.yield": "TERMINATOR",
        "scf.yield": "TERMINATOR",
        "affine.for": "AFFINE_FOR",
        "affine.if": "AFFINE_IF",
        "affine.parallel": "AFFINE_PARALLEL",
        "affine.apply": "AFFINE_APPLY",
        "affine.min": "AFFINE_APPLY",
        "affine.max": "AFFINE_APPLY",
        "affine.load": "AFFINE_LOAD",
        "affine.store": "AFFINE_STORE",
        "affine.vector_load": "AFFINE_VECTOR_LOAD",
        "affine.vector_store": "AFFINE_VECTOR_STORE",
        "affine.prefetch": "AFFINE_PREFETCH",
        "affine.delinearize_index": "AFFINE_DELINEARIZE",
        "arith.constant": "CONSTANT",
        "arith.cmpi": "COMPARE",
        "arith.cmpf": "COMPARE",
        "memref.alloc": "MEMREF_ALLOC",
        "memref.alloca": "MEMREF_ALLOC",
        "memref.load": "MEMREF_LOAD",
        "memref.store": "MEMREF_STORE",
        "memref.dim": "MEMREF_DIM",
        "memref.copy": "MEMREF_COPY",
        "memref.global": "MEMREF_GLOBAL",
        "memref.get_global": "MEMREF_GET_GLOBAL",
        "memref.dealloc": "UNARY",
        "memref.rank": "UNARY",
        "scf.reduce.return": "UNARY",
        "scf.for": "SCF_FOR",
        "scf.if": "SCF_IF",
        "scf.parallel": "SCF_PARALLEL",
        "scf.reduce": "SCF_REDUCE",
    }
)
"""The terminal of each operation that has a syntax of its own in the grammar."""

SHORT_NAMES: Mapping[str, str] = MappingProxyType(
    {"module": "builtin.module", "call": "func.call", "return": "func.return"}
)
"""The operations that may be written without their dialect."""

_WORD_TERMINALS: Mapping[str, str] = MappingProxyType(
    {
        **OPERATION_TERMINALS,
        **{
            name: "SCALAR_TYPE"
            for name in (
                "index none bf16 f16 f32 f64 f80 f128 tf32 f8E5M2 f8E4M3 f8E4M3FN f8E5M2FNUZ "
                "f8E4M3FNUZ f8E4M3B11FNUZ f8E3M4"
            ).split()
        },
        "min": "EXTREMUM",
        "max": "EXTREMUM",
        "public": "VISIBILITY",
        "private": "VISIBILITY",
        "nested": "VISIBILITY",
        "overflow": "FLAGS_OF",
        "fastmath": "FLAGS_OF",
        "constant": "CONSTANT_WORD",
        "true": "BOOLEAN",
        "false": "BOOLEAN",
    }
)
_INTEGER_TYPE = re.compile(r"[su]?i[1-9][0-9]*")


def classify_word(token: Token) -> Token:
    """The lexer callback on IDENTIFIER: give a word of the vocabulary its own terminal."""
    terminal = _WORD_TERMINALS.get(token.value)
    if terminal is not None:
        token.type = terminal
    elif _INTEGER_TYPE.fullmatch(token.value):
        token.type = "SCALAR_TYPE"
    return token
