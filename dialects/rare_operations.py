"""Operations that few programs have: `vector_extra`, `memory_extra`, `llvm_intrinsics`, and so on.

They are added to a context when a text has an operation that the context does not know.
"""

from __future__ import annotations

from xdsl.context import Context

from polyir.dialects.affine_extra import load_missing


def load_rare_operations(context: Context, text: str) -> None:
    """Add to `context` the operations that it does not have yet, and that `text` may need.

    The llvm dialect takes a while to import, and only texts that name an intrinsic function need
    it here.
    """
    from polyir.dialects.memory_extra import MEMORY_EXTRA
    from polyir.dialects.vector_extra import VECTOR_ATTRIBUTES, VECTOR_EXTRA

    load_missing(context, (*VECTOR_EXTRA, *MEMORY_EXTRA), VECTOR_ATTRIBUTES)
    if "llvm.atomicrmw" in text:
        from polyir.dialects.llvm_atomics import AtomicRMWOp

        load_missing(context, (AtomicRMWOp,))
    if "llvm.intr." in text:
        from polyir.dialects.llvm_intrinsics import INTRINSICS

        load_missing(context, INTRINSICS)
