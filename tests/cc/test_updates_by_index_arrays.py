"""C loops that update elements by index arrays compute the same in parallel after polyir-cc.

Arguments are whole numbers, so that no sum is rounded, whatever its order.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from irregular_programs import PROGRAMS, Argument
from sparse_matrices import GENERATORS
from test_index_arrays import both, call

import polyir
from polyir.runtime.functions import public_signatures

METHODS = {
    "irregular-reductions{block=3}": "_inspector(",
    "irregular-reductions{block=2 reassociate=true}": "polyir_cttz",
    "irregular-reductions{method=private-copies copies=3 reassociate=true}": "_copies[2]",
    "irregular-reductions{method=atomics reassociate=true}": "#pragma omp atomic",
}

MIDDLE = """
void f(long n, const long *restrict col, const double *restrict v, double *restrict x,
       int *restrict count) {
  double *middle = x + n / 2;
#pragma scop
  for (long i = 0; i < n; i++) {
    middle[col[i] - n / 2] += v[i];
    count[col[i]] -= 1;
    if (v[i] > 4.0)
      count[col[n - 1 - i]] -= 2;
  }
#pragma endscop
}
"""


def whole(value: Argument) -> Argument:
    """An argument with whole numbers for numbers that are not."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return np.rint(value * 64)
    return value


@pytest.mark.parametrize("pipeline", METHODS)
@pytest.mark.parametrize("name", ["moldyn", "mesh-edges"])
def test_examples(name: str, pipeline: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    assert program.c_path is not None
    original, changed = both(program.c_path, tmp_path, f"--passes={pipeline}")
    assert METHODS[pipeline] in (tmp_path / "transformed.c").read_text()
    (signature,) = public_signatures(polyir.parse(program.path.read_text()))
    for size in (1, 20, 150):
        for number, generator in enumerate(GENERATORS.values()):
            random = np.random.default_rng(number)
            given = program.arguments(generator(size, random), random, 3)
            values = [whole(given[each.name]) for each in signature.parameters]
            expected = call(original, program.function, values, 1, np.int32)
            for threads in (1, 2):
                assert call(changed, program.function, values, threads, np.int32) == expected


@pytest.mark.parametrize("pipeline", METHODS)
def test_a_pointer_into_the_middle(pipeline: str, tmp_path: Path) -> None:
    source = tmp_path / "middle.c"
    source.write_text(MIDDLE)
    original, changed = both(source, tmp_path, f"--passes={pipeline}")
    assert METHODS[pipeline] in (tmp_path / "transformed.c").read_text()
    for number in range(20):
        random = np.random.default_rng(number)
        n = int(random.integers(1, 60))
        arrays = random.integers(0, n, n), random.integers(0, 9, n).astype(float), np.zeros(n)
        values: list[Argument] = [n, *arrays, np.zeros(n, dtype=np.int32)]
        expected = call(original, "f", values, 1, np.int64)
        for threads in (1, 2):
            assert call(changed, "f", values, threads, np.int64) == expected
