"""Random small regions of C: the same output before and after polyir-cc.

Many regions stand in one file, so that the C compiler runs twice for all of them.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import hypothesis.strategies as st
from c_runs import compiled, output_of, reference
from hypothesis import Phase, given, settings
from suites import examples

from polyir.tools.polyir_cc import LEFT, main

HEAD = """#include <math.h>
#include <stdio.h>
static double A[64][64];
static float F[64][64];
static int B[64], s;
static unsigned char C[64];
static float W[64];

static void fill(void) {
  for (int i = 0; i < 64; i++) {
    B[i] = i * 29 % 17 - 8;
    W[i] = (float)(i * 5 % 13) / 4.0f;
    C[i] = (unsigned char)(i * 57);
    for (int j = 0; j < 64; j++) {
      A[i][j] = (i * 31 + j * 17) % 101 / 8.0 - 3;
      F[i][j] = (float)((i * 13 + j * 7) % 97) / 16.0f;
    }
  }
  s = 3;
}

static int half(int v) {
  if (v < 0)
    return -1;
  return v / 2;
}

static double weighed(const float *p, int from, int to) {
  double sum = 0;
  for (int i = from & 31; i < (to & 31); i++)
    sum += p[i];
  return sum;
}

static void put(double *row, int at, int end, double v) {
  int i;
  if (at > end)
    return;
  for (i = at; i < end; i++) {
    row[i + 9] += v;
    v = v * 0.5;
  }
  s += at;
}

static double next(double *p, double v) {
  *p = *p * 0.5 + v;
  return *p - 1;
}

static void show(const char *name) {
  unsigned long h = 5381;
  const struct { const void *p; unsigned long size; } all[] = {
      {A, sizeof A}, {F, sizeof F}, {B, sizeof B}, {C, sizeof C}, {&s, sizeof s}};
  for (int k = 0; k < 5; k++)
    for (unsigned long i = 0; i < all[k].size; i++)
      h = h * 33 + ((const unsigned char *)all[k].p)[i];
  printf("%s %lx\\n", name, h);
}
"""

COUNTERS = ("i", "j", "k")


@st.composite
def subscripts(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    """A number from 0 to 63 for counters and parameters from -2 to 12."""
    name = draw(st.sampled_from((*names, "n")))
    other = draw(st.sampled_from((*names, "m")))
    form = draw(
        st.sampled_from(("{0} + 9", "{0} + {1} + 8", "2 * {0} + 6", "{0} - {1} + 20", "40"))
    )
    if draw(st.integers(0, 9)) == 0:
        return f"(B[{name} + 5] & 31)"
    return form.format(name, other)


@st.composite
def operands(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    index = draw(subscripts(names))
    second = draw(subscripts(names))
    return draw(
        st.sampled_from(
            (
                f"A[{index}][{second}]",
                f"F[{index}][{second}]",
                f"B[{index}]",
                f"C[{index}]",
                names[-1],
                "n",
                "1.5",
                "0.25f",
                "3",
                "s",
            )
        )
    )


@st.composite
def expressions(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    one, two, three = (draw(operands(names)) for _ in range(3))
    forms = (
        f"{one} * 0.5 + {two}",
        f"{one} - {two} * 0.25f",
        f"({one} > {two} ? {one} : {three} * 0.5)",
        f"fabs({one}) * 0.125 + (int){names[-1]} % 3",
        f"sqrtf({names[-1]} + 4) - {two} * 0.5",
        f"({one} < {two}) + !{names[0]} - 0.5",
        f"half({names[-1]} - 2) * {one} - half((int){two} % 16)",
        f"weighed(W, {names[-1]}, 12) + {one}",
    )
    return draw(st.sampled_from(forms))


@st.composite
def conditions(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    name, other = draw(st.sampled_from(names)), draw(st.sampled_from((*names, "n", "m", "3")))
    data = draw(operands(names))
    forms = (
        f"{name} < {other}",
        f"{name} == {other} || {name} > 4",
        f"!({name} >= 2 && {other} != 5)",
        f"{data} > 1",
        f"{name} >= 1 && {data} <= 2.5",
        f"({name} + 4) % 3 == 1",
    )
    return draw(st.sampled_from(forms))


@st.composite
def statements(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    """A statement inside loops over `names`."""
    kinds = (
        ["assign"] * 3 + (["loop"] * 3 if len(names) < 3 else []) + (["if"] if depth < 4 else [])
    )
    kind = draw(st.sampled_from(kinds)) if names else "loop"
    if kind == "loop":
        return draw(loops(names, depth))
    if kind == "if":
        body = draw(assignments(names))
        other = f" else {draw(assignments(names))}" if draw(st.booleans()) else ""
        return f"if ({draw(conditions(names))}) {body}{other}"
    return draw(assignments(names))


@st.composite
def assignments(draw: st.DrawFn, names: tuple[str, ...]) -> str:
    index, second = draw(subscripts(names)), draw(subscripts(names))
    value = draw(expressions(names))
    whole = draw(
        st.sampled_from(
            (f"B[{index}] = B[{index}] / 3 + {names[-1]};", f"s = s % 7 + B[{index}] % 5;")
        )
    )
    forms = (
        f"A[{index}][{second}] = {value};",
        f"A[{index}][{second}] += 0.125 * ({value});",
        f"F[{index}][{second}] = 0.5f * {draw(operands(names))};",
        f"C[{index}]++;",
        f"put(A[{index}], {names[0]}, {draw(st.sampled_from((*names, 'n', '7')))}, {value});",
        f"A[{index}][3] = next(&A[{second}][{index}], {value});",
        f"{{ if ({draw(conditions(names))}) continue; B[{second}] += {names[-1]}; }}",
        whole,
    )
    return draw(st.sampled_from(forms))


@st.composite
def loops(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    name = COUNTERS[len(names)]
    outer = draw(st.sampled_from((*names, "0", "1")))
    inner = (*names, name)
    heads = (
        f"for (int {name} = {outer}; {name} < n; {name}++)",
        f"for ({name} = m - 1; {name} >= {outer}; {name}--)",
        f"for ({name} = {outer}; {name} <= m; {name} += 2)",
        f"for (long {name} = 0; {name} < (n < m ? n : m); {name}++)",
        f"for (unsigned {name} = 1; {name} < (unsigned)n; {name}++)"
        if not names
        else f"for ({name} = n; {name} > {outer}; {name} -= 3)",
    )
    head = draw(st.sampled_from(heads))
    if head.startswith("for (unsigned"):
        # Unsigned counters would make sums with others wrap around.
        return f"{head} {{ B[{name} + 2] += C[{name}] - {name}; A[{name}][{name} - 1] = {name}; }}"
    body = [draw(statements(inner, depth + 1)) for _ in range(draw(st.integers(1, 2)))]
    return f"{head} {{ {' '.join(body)} }}"


REGIONS = 15
"""In each of the programs."""


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Regions, each in a function of its own that `main` calls."""
    functions, calls = [], []
    for number in range(REGIONS):
        body = "\n  ".join(draw(loops((), 0)) for _ in range(draw(st.integers(1, 2))))
        functions.append(
            f"static int f{number}(int n, int m) {{\n  int i = 0, j = 0, k = 0;\n#pragma scop\n"
            f"  {body}\n#pragma endscop\n  return i + 10 * j + 100 * k + n + m;\n}}\n"
        )
        for sizes in ("10, 8", "5, 11", "0, 0"):
            call = f"f{number}({sizes})"
            calls.append(f'  fill(); printf("%d ", {call}); show("{call}");\n')
    text = "".join(functions) + "int main(void) {\n" + "".join(calls) + "  return 0;\n}\n"
    return HEAD + text


# The first example of hypothesis is the simplest one: all regions equal.
@settings(max_examples=examples(1, 3), deadline=None, phases=[Phase.explicit, Phase.generate])
@given(programs())
def test_same_output(program: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "in.c", Path(folder) / "out.c"
        source.write_text(program)
        flags = ("--pluto-schedule", "--tile=4", "--mark-parallel", "--time-limit=0")
        # A region that writes nothing is left as it was.
        assert main([str(source), "-o", str(target), *flags]) in (0, LEFT)
        assert target.read_text().count("#pragma scop") <= 1
        expected = output_of(reference(source, "-w"))
        assert output_of(compiled(target, "-w"), 2) == expected
