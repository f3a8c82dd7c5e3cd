"""C99 with OpenMP from loops as IR."""

from polyir.target.c.emitter import COptions, CTarget, c_text, emit_c

__all__ = ["COptions", "CTarget", "c_text", "emit_c"]
