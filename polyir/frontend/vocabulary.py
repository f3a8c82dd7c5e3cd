"""The words of the affine text, and the syntax class (so the terminal) of each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from lark import Token


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_ELEMENTWISE = _words("""
    arith.addf arith.addi arith.addui_extended arith.andi arith.ceildivsi arith.ceildivui
    arith.divf arith.divsi arith.divui arith.floordivsi arith.maximumf arith.maxnumf arith.maxsi
    arith.maxui arith.minimumf arith.minnumf arith.minsi arith.minui arith.mulf arith.muli
    arith.mulsi_extended arith.mului_extended arith.negf arith.ori arith.remf arith.remsi
    arith.remui arith.select arith.shli arith.shrsi arith.shrui arith.subf arith.subi arith.xori
    math.absf math.absi math.acos math.acosh math.asin math.asinh math.atan math.atan2 math.atanh
    math.cbrt math.ceil math.copysign math.cos math.cosh math.ctlz math.ctpop math.cttz math.erf
    math.exp math.exp2 math.expm1 math.floor math.fma math.fpowi math.ipowi math.log math.log10
    math.log1p math.log2 math.powf math.round math.roundeven math.rsqrt math.sin math.sinh
    math.sqrt math.tan math.tanh math.trunc
""")
_CONVERSIONS = _words("""
    arith.bitcast arith.extf arith.extsi arith.extui arith.fptosi arith.fptoui arith.index_cast
    arith.index_castui arith.sitofp arith.truncf arith.trunci arith.uitofp
    memref.cast memref.memory_space_cast index.casts index.castu
""")
INDEX_ELEMENTWISE: Mapping[str, str] = MappingProxyType(
    {
        f"index.{name}": f"arith.{arith_name}"
        for name, arith_name in {
            **{name: f"{name}i" for name in _words("add sub mul and or xor")},
            **{f"{name}s": f"{name}si" for name in _words("div ceildiv floordiv rem")},
            **{f"{name}u": f"{name}ui" for name in _words("div ceildiv rem")},
            "shl": "shli",
            "shrs": "shrsi",
            "shru": "shrui",
            **{f"{name}{sign}": f"{name}{sign}i" for name in ("max", "min") for sign in "su"},
        }.items()
    }
)
"""The operations of `index` that `arith` has too, and their names there."""

_SCALAR_TYPES = _words("""
    index none bf16 f16 f32 f64 f80 f128 tf32 f8E5M2 f8E4M3 f8E4M3FN f8E5M2FNUZ f8E4M3FNUZ
    f8E4M3B11FNUZ f8E3M4
""")

OPERATION_TERMINALS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(_ELEMENTWISE, "ELEMENTWISE"),
        **dict.fromkeys(_CONVERSIONS, "CONVERSION"),
        **dict.fromkeys(INDEX_ELEMENTWISE, "INDEX_ELEMENTWISE"),
        "index.constant": "INDEX_CONSTANT",
        "index.bool.constant": "CONSTANT",
        "index.cmp": "INDEX_COMPARE",
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
        "affine.dma_start": "AFFINE_DMA_START",
        "affine.dma_wait": "AFFINE_DMA_WAIT",
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
        "memref.atomic_rmw": "MEMREF_ATOMIC",
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

_WORD_TERMINALS: Mapping[str, str] = MappingProxyType(
    {
        **OPERATION_TERMINALS,
        **dict.fromkeys(_SCALAR_TYPES, "SCALAR_TYPE"),
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
