# `make help` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
DEMO := benchmarks/polybench/2mm.mlir

.PHONY: help layout bytecode demo demo-distributed docs test test-all filecheck lint types format bench bench-docs bench-limits bench-reductions \
	bench-compile bench-distributed bench-irregular bench-jit bench-report bench-scaling check-interleavings check-kernels count fuzz fuzz-aliases fuzz-c \
	fuzz-distributed fuzz-edits fuzz-equations fuzz-gpu fuzz-inputs fuzz-irregular fuzz-schedules gallery nightly release-check screenshots clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

# The environment is made again when the dependencies change, and only then.
.venv/stamp: pyproject.toml constraints.txt
	@echo "== making .venv"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

# Where PYTHONDONTWRITEBYTECODE is set, each start would compile what was not compiled before it.
bytecode: .venv/stamp
	@$(BIN)/python -m compileall -q polyir dialects passes tools

demo: bytecode  ## optimise a real kernel, compile, run, compare, show the speed-up
	@echo "== the kernel: $(DEMO), D := alpha A B C + beta D"
	@cat $(DEMO)
	@echo "== polyir-opt --pluto-schedule --tile=32 --mark-parallel $(DEMO): for readers"
	@$(BIN)/polyir-opt --pluto-schedule --tile=32 --mark-parallel $(DEMO)
	@echo "== polyir-opt --optimize --remarks --emit=none $(DEMO): what is the fastest, and why"
	@$(BIN)/polyir-opt --optimize --remarks --emit=none $(DEMO) 2>&1
	@echo "== polyir-run --default-size 800 $(DEMO): the result of --optimize beside the original"
	@$(BIN)/polyir-run --default-size 800 $(DEMO)
	@echo "== next: your own program, in C or MLIR"
	@echo "   . $(BIN)/activate"
	@echo "   polyir-cc in.c -o out.c                # then compile out.c instead of in.c:"
	@echo "   gcc -O3 -march=native -fopenmp -ffp-contract=off out.c -lm"
	@echo "   polyir-opt --pluto-schedule --tile=32 in.mlir"
	@echo "   README.md says what else there is; polyir-opt --help lists the passes"

STENCIL := benchmarks/polybench/jacobi-2d.mlir
DISTRIBUTED := --pluto-schedule --tile=32 --wavefront --distribute-memory

demo-distributed: bytecode  ## a real kernel on 1, 2 and 4 ranks of MPI on this machine, compared
	@echo "== the kernel: $(STENCIL)"
	@cat $(STENCIL)
	@echo "== polyir-opt $(DISTRIBUTED) $(STENCIL): its functions and messages"
	@$(BIN)/polyir-opt $(DISTRIBUTED) $(STENCIL) 2>/dev/null | grep -oE 'func.func .*@\w+|"mpi.*'
	@echo "== polyir-run --ranks=1,2,4 $(DISTRIBUTED) $(STENCIL)"
	@$(BIN)/polyir-run --ranks=1,2,4 --default-size=400 --size=tsteps=50 $(DISTRIBUTED) $(STENCIL)
	@echo "== polyir-run --ranks=1,2,4 $(DEMO)"
	@$(BIN)/polyir-run --ranks=1,2,4 --default-size=500 $(DEMO)

# The type checker has one process: lit takes the other core meanwhile.
test: bytecode  ## lint, types and every test but the full kernel matrix
	@$(MAKE) --no-print-directory --jobs=2 --output-sync lint filecheck
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n 2 -m "not matrix"

filecheck: bytecode
	$(BIN)/lit --quiet tests/filecheck

test-all: bytecode filecheck  ## the full kernel matrix, and more random examples
	POLYIR_TEST_ALL=1 $(BIN)/pytest -n 2

# Options: make nightly NIGHTLY="--minutes=30 --only=c,inputs --seed=700"
nightly: bytecode  ## every case, and all random testers with fresh seeds, within two hours
	PYTHONPATH=tests $(BIN)/python -u -m nightly $(NIGHTLY)

lint: .venv/stamp types  ## ruff, the import contract and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell *.md docs polyir passes dialects tools benchmarks/harness
	cd build/layout && ../../$(BIN)/lint-imports --config ../../pyproject.toml

# Type checkers and import-linter look for packages in folders: give them the installed layout.
layout:
	rm -rf build/layout && mkdir -p build/layout
	cp -rs $(CURDIR)/polyir build/layout/polyir
	for folder in dialects passes tools; do cp -rs $(CURDIR)/$$folder build/layout/polyir/$$folder; done

types: .venv/stamp layout  ## mypy --strict
	cd build/layout && MYPYPATH=../../benchmarks ../../$(BIN)/mypy --cache-dir ../mypy \
		--config-file ../../pyproject.toml -p polyir -p harness

format: .venv/stamp  ## sort imports and format
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

# Options: make bench BENCH="--size=medium --kernels=gemm,lu --peer 'pluto=polycc {in} -o {out}'"
bench: .venv/stamp  ## measure compilers, peers and polyir side by side
	PYTHONPATH=benchmarks $(BIN)/python -m harness $(BENCH)

bench-docs: .venv/stamp  ## write docs/performance.md from what was measured last
	PYTHONPATH=benchmarks $(BIN)/python -m harness.performance $(BENCH)

bench-limits: .venv/stamp  ## measure the machine, and how far each kernel is from its limit
	PYTHONPATH=benchmarks $(BIN)/python -m harness.limits $(BENCH)

fuzz-schedules: .venv/stamp  ## N further random sequences of transformations on each kernel
	POLYIR_FUZZ=$(or $(N),1) POLYIR_FUZZ_FIRST=$(or $(FIRST),1) $(BIN)/pytest -n 2 tests/differential/test_random_transformations.py

# Those from seed FIRST on. What is refused is skipped, and counted by its reason at the end.
fuzz-equations: .venv/stamp  ## N further random systems of equations, compiled and evaluated
	POLYIR_FUZZ_EQUATIONS=$(or $(N),300) POLYIR_FUZZ_FIRST=$(or $(FIRST),40) \
		$(BIN)/pytest -n 2 tests/differential/test_random_equations.py

fuzz-edits: .venv/stamp  ## N further random edits of printed schedule trees
	POLYIR_FUZZ_EDITS=$(or $(N),300) POLYIR_FUZZ_FIRST=$(or $(FIRST),1000) \
		$(BIN)/pytest -q tests/differential/test_hand_edits.py \
		-k caught_or_run

# Options: make bench-compile BENCH="--pipeline=optimize --before=build/before.json"
bench-compile: bytecode  ## time polyir-opt on every kernel, and gcc on what it emits
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/compile_time.py $(BENCH)

# Options: make bench-model BENCH="--count=500 --seed=20261128 --compilers=gcc,clang --all"
bench-model: bytecode  ## measure the choice of optimize on random everyday nests
	PYTHONPATH=benchmarks $(BIN)/python -m everyday $(BENCH)

bench-jit: .venv/stamp  ## time LLVM's code against the C compiler's, on one thread
	$(BIN)/python benchmarks/jit_versus_c.py

# Options: make bench-reductions BENCH="--threads=2 --size=2000"
bench-reductions: bytecode  ## time reductions by gcc and by polyir
	$(BIN)/python benchmarks/reductions.py $(BENCH)

# Options: make bench-irregular BENCH="--size=100000 --matrices=grid-3d --write-docs triangular-solve"
bench-irregular: bytecode  ## time inspectors and executors of programs with index arrays
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/irregular.py $(BENCH)

# Options: make bench-distributed BENCH="--write-docs --tables=messages,scaling jacobi-2d"
bench-distributed: bytecode  ## count messages of ranks, time them, and compare with predictions
	PYTHONPATH=benchmarks $(BIN)/python benchmarks/distributed.py $(BENCH)

# Options: make bench-report BENCH="--repeat=3 gemm lu"
bench-report: bytecode  ## time reports and how fast a browser opens them
	PYTHONPATH=benchmarks:tests $(BIN)/python benchmarks/report_time.py $(BENCH)

bench-scaling: .venv/stamp  ## time each stage on chains of statements and on deep nests
	$(BIN)/python benchmarks/scaling.py

# Options: make fuzz N=1000 SEED=1 FUZZ="--shrink-tries=0 --folder=failures"
SEED ?= 1
fuzz: .venv/stamp  ## N random programs from number SEED on through random pipelines
	PYTHONPATH=tests $(BIN)/python -u -m fuzzing $(or $(N),1000) $(SEED) $(FUZZ)

fuzz-gpu: .venv/stamp  ## N random programs as OpenCL kernels on PoCL, from number SEED on
	cd tests && POCL_CACHE_DIR=$(CURDIR)/build/pocl ../$(BIN)/python -u -m fuzzing --gpu $(or $(N),500) $(SEED) $(FUZZ)

# Options: make fuzz-distributed N=500 FIRST=0 FUZZ=--sanitize
fuzz-distributed: .venv/stamp  ## N random programs on ranks of MPI, from number FIRST on
	PYTHONPATH=tests $(BIN)/python -u -m fuzzing.ranks $(or $(N),500) $(or $(FIRST),0) $(FUZZ)

fuzz-inputs: .venv/stamp  ## N mutated inputs and options from number SEED on
	cd tests && ../$(BIN)/python -u -m fuzzing.inputs $(or $(N),20000) $(SEED)

fuzz-aliases: .venv/stamp  ## N random C programs with pointers from number SEED on
	cd tests && ../$(BIN)/python -u -m fuzzing.aliases $(or $(N),1000) $(SEED)

fuzz-c: .venv/stamp  ## N random C functions from number SEED on, under two sanitizers
	cd tests && ../$(BIN)/python -u -m fuzzing.c_files $(or $(N),200) $(SEED) $(FUZZ)

fuzz-irregular: .venv/stamp  ## N random programs with index arrays from number FIRST on
	cd tests && PYTHONPATH=../benchmarks ../$(BIN)/python -u -m fuzzing.irregular $(or $(N),500) $(or $(FIRST),1)

# Options: make check-kernels CHECK="--table=passes --sizes=mini,large --kernels=gemm,lu --each"
check-kernels: .venv/stamp  ## every kernel through pairs of passes, widths, targets and sizes
	PYTHONPATH=tests:benchmarks $(BIN)/python -m kernel_matrix $(CHECK)

# Options: make count COUNT="benchmarks/polybench/lu.mlir --pluto-schedule --tile=32"
count: bytecode  ## count what polyir-opt does more than once, and the lines of polyir
	@$(BIN)/python tests/counting.py $(COUNT)

# The packages of the site are in an environment of their own: no test needs them but its own.
build/docs/stamp: pyproject.toml constraints.txt
	@echo "== making build/docs"
	$(PYTHON) -m venv build/docs
	build/docs/bin/pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	touch $@

build/release/stamp: pyproject.toml constraints.txt
	@echo "== making build/release"
	$(PYTHON) -m venv build/release
	build/release/bin/pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[release]'
	touch $@

release-check: build/release/stamp .venv/stamp  ## build the sdist and the wheel twice, in build/dist, and check them
	PYTHONPATH=tests build/release/bin/python -m release
	$(BIN)/pytest -q tests/packaging

docs: build/docs/stamp layout  ## build the site in build/site, with all links and anchors checked
	NO_MKDOCS_2_WARNING=1 build/docs/bin/mkdocs build --strict
	@echo "== the site: build/site/index.html"

gallery: bytecode  ## write reports of the examples of the papers to build/gallery
	$(BIN)/python examples/gallery.py build/gallery

screenshots: bytecode  ## write the screenshots of the README, with Debian's chromium and chromium-driver
	PYTHONPATH=tests $(BIN)/python examples/screenshots.py docs

check-interleavings: .venv/stamp  ## every kernel under all its legal interleavings, or 200 of them
	POLYIR_TEST_ALL=1 $(BIN)/pytest -n 2 tests/differential/test_interleavings.py

clean:  ## remove what the other targets made
	rm -rf .venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
