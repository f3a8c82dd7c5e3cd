"""No output of `optimize` allocates more than buffers for a tile or a panel of each thread.

All calls of allocators are counted while the program, or the function, runs.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from everyday.kinds import nest_of
from everyday.nests import Array, Nest
from suites import rarely, some

from polyir.choose.machine import machine_of_option
from polyir.tools.polyir_cc import LEFT, main

ROOT = Path(__file__).parents[2]
KERNELS = sorted((ROOT / "benchmarks" / "polybench_c").glob("*.c"))
MACHINE = ROOT / "tests" / "machines" / "512.json"
THREADS = 2
SEED, NESTS, GROUP = 20261128, 200, 10

COUNTER = """
#include <malloc.h>
#include <stdio.h>
static long live, peak;
static void *counted(void *memory) {
  long now = __atomic_add_fetch(&live, malloc_usable_size(memory), __ATOMIC_SEQ_CST);
  long most = __atomic_load_n(&peak, __ATOMIC_SEQ_CST);
  while (now > most && !__atomic_compare_exchange_n(&peak, &most, now, 0, __ATOMIC_SEQ_CST,
                                                    __ATOMIC_SEQ_CST))
    ;
  return memory;
}
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_aligned_alloc(size_t, size_t);
void __real_free(void *);
void *__wrap_malloc(size_t size) { return counted(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return counted(__real_calloc(count, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return counted(__real_aligned_alloc(alignment, size));
}
void __wrap_free(void *memory) {
  __atomic_sub_fetch(&live, malloc_usable_size(memory), __ATOMIC_SEQ_CST);
  __real_free(memory);
}
void start_counting(void) { live = peak = 0; }
__attribute__((destructor)) static void print(void) { fprintf(stderr, "peak %ld\\n", peak); }
"""
WRAPPED = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc,--wrap=free"


def allowed() -> int:
    """The bytes of a tile in the own caches of each thread, and of panels in the shared one."""
    machine = machine_of_option(str(MACHINE))
    own = sum(cache.bytes for cache in machine.caches if cache.shared_by <= 1)
    shared = max(cache.bytes for cache in machine.caches)
    return THREADS * own + shared


def peak(source: Path, folder: Path, *others: Path) -> int:
    """The most bytes that a program has allocated at once."""
    program, counter = folder / f"{source.stem}.out", folder / "counter.c"
    counter.write_text(COUNTER)
    flags = ["-O1", "-w", "-march=native", "-fopenmp", "-DMEDIUM_DATASET", WRAPPED]
    include = ["-I", str(KERNELS[0].parent)]
    files = [str(each) for each in (source, counter, *others)]
    subprocess.run(["gcc", *flags, *include, *files, "-o", str(program), "-lm"], check=True)
    environment = os.environ | {"OMP_NUM_THREADS": str(THREADS)}
    done = subprocess.run([str(program)], capture_output=True, check=True, env=environment)
    return int(done.stderr.split()[-1])


def transformed(source: Path, target: Path) -> Path:
    """The file after the default, for the same machine everywhere."""
    optimize = f"--optimize=threads={THREADS} machine={MACHINE}"
    include = f"-I{KERNELS[0].parent}"
    command = [str(source), optimize, include, "-DMEDIUM_DATASET", "--quiet", "-o", str(target)]
    assert main(command) in (0, LEFT)
    return target


@pytest.mark.parametrize("kernel", some(KERNELS, 5), ids=lambda path: path.stem)
def test_kernels(kernel: Path, tmp_path: Path) -> None:
    before = peak(kernel, tmp_path)
    after = peak(transformed(kernel, tmp_path / "after.c"), tmp_path)
    assert after - before <= allowed()


@pytest.mark.parametrize("group", [0, *(rarely(number) for number in range(1, NESTS // GROUP))])
def test_random_nests(group: int, tmp_path: Path) -> None:
    for seed in range(group * GROUP, (group + 1) * GROUP):
        nest = nest_of(SEED * 1000 + seed, "")
        source, driver = tmp_path / "nest.c", tmp_path / "driver.c"
        source.write_text(nest.text)
        driver.write_text(driver_of(nest))
        target = transformed(source, tmp_path / "after.c")
        assert peak(target, tmp_path, driver) <= allowed(), seed


def driver_of(nest: Nest) -> str:
    """A program that calls a nest once, with arrays of zeros."""
    declared, given = [], []
    for number, each in enumerate(nest.arguments):
        if isinstance(each, Array):
            declared.append(f"static {each.type} a{number}[{each.count}];")
            given.append(f"a{number}")
        else:
            given.append(str(each))
    lines = ["void kernel();", "void start_counting(void);", *declared]
    return "\n".join(
        [*lines, f"int main(void) {{ start_counting(); kernel({', '.join(given)}); }}"]
    )
