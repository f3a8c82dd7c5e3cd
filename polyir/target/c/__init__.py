"""C99 with OpenMP from loops as IR."""

from polyir.target.c.emitter import COptions, c_text, emit_c

__all__ = ["COptions", "c_text", "emit_c"]
