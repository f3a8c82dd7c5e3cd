"""The operations of `vector_extra` and `memory_extra`: few programs have them.

They are added to a context when a text has an operation that the context does not know.
"""

from __future__ import annotations

from xdsl.context import Context

from polyir.dialects.affine_extra import load_missing


def load_rare_operations(context: Context) -> None:
    """Add to `context` the operations that it does not have yet."""
    from polyir.dialects.memory_extra import MEMORY_EXTRA
    from polyir.dialects.vector_extra import VECTOR_ATTRIBUTES, VECTOR_EXTRA

    load_missing(context, (*VECTOR_EXTRA, *MEMORY_EXTRA), VECTOR_ATTRIBUTES)
