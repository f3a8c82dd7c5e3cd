"""C99 with OpenMP from loops as IR."""

from polyir.target.c.emitter import COptions, emit_c

__all__ = ["COptions", "emit_c"]
