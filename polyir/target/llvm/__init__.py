"""LLVM: conversions to xDSL's llvm dialect, and LLVM IR from it."""
