"""Measures compiled kernels side by side; `docs/benchmarks.md` describes the method.

- `variants`: what is measured: compilers, external tools, polyir's pipelines.
- `originals`: the program that all start from, as MLIR and as C.
- `bridge`: how a program that was written by hand is called.
- `build`: from a variant and a kernel to a shared library.
- `worker`: a process of its own that runs one library; `memory`, `calls` and `compare` help it.
- `measure`: starts the workers, checks every result, then times them in turns.
- `report`, `plot`: tables, JSON and a picture of the results.
- `results`, `client`, `arguments`: what these share.
- `performance`: docs/performance.md, from saved results and limits.
- `machine`, `counts`, `limits`: what the machine can do, and what each kernel needs at least.
"""
