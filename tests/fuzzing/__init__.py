"""The random tester: programs that nobody picked, against MLIR's own lowering."""
