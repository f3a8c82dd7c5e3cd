"""Random programs whose variables may live in array elements print the same before and after."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from c_runs import compiled, output_of, reference, transformed
from suites import some

PIPELINES = (("--delicm",), ("--delicm", "--pluto-schedule", "--tile=3", "--mark-parallel"))
NESTS = 24

HEAD = """
#include <stdio.h>
#define N 11
static double a[N + 4][N + 4], b[N + 4][N + 4], c[N + 4], d[N + 4];
static void set(void) {
  for (int i = 0; i < N + 4; i++) {
    c[i] = i % 5 - 2;
    d[i] = i % 3 + 0.5;
    for (int j = 0; j < N + 4; j++) {
      a[i][j] = (i * 3 + j * 5) % 7 - 3;
      b[i][j] = (i * 2 + j) % 5 * 0.25;
    }
  }
}
static void print(int number) {
  double sum = 0;
  for (int i = 0; i < N + 4; i++) {
    sum = sum * 0.75 + c[i] + 3 * d[i];
    for (int j = 0; j < N + 4; j++)
      sum = sum * 0.875 + a[i][j] + 5 * b[i][j];
  }
  printf("%d %.17g\\n", number, sum);
}
"""


def element(random: Random, counters: str) -> str:
    """An element of an array, with subscripts near the counters of loops."""

    def subscript() -> str:
        return f"{random.choice(counters)} + {random.choice((0, 0, 0, 1, 2))}"

    name = random.choice("abcd")
    return f"{name}[{subscript()}][{subscript()}]" if name in "ab" else f"{name}[{subscript()}]"


def target(random: Random, counters: str) -> str:
    """What a variable is stored to: most often, another element in each iteration."""
    if random.random() < 0.2:
        return element(random, counters)
    if len(counters) == 1:
        return random.choice(("c[i]", "d[i + 1]", "a[i][2]", "b[i][i]"))
    return random.choice(("a[i][j]", "b[j][i]", "a[i + 1][j]", "b[i][j + 2]", "c[j]"))


def nest(random: Random) -> str:
    """Loops that compute something in a variable, and store it."""
    counters = random.choice(("i", "ij"))
    place = target(random, counters)
    lines = [f"for (int i = 0; i < {random.choice(('N', 'n'))}; i++)"]
    if len(counters) > 1:
        lines.append(f"for (int j = {random.choice(('0', 'i', '0'))}; j < N; j++)")
    first = random.choice(("0", "0", place, element(random, counters), f"{place} * 2"))
    body = [f"s = {first};"]
    inner = counters + "k"
    update = random.choice(("s += {0};", "s += {0} * {1};", "s = s * 0.5 + {0};", "s -= {1};"))
    one, other = element(random, inner), random.choice((element(random, inner), place))
    loop = f"for (int k = 0; k < {random.choice(('N', 'i', '3'))}; k++)"
    body.append(f"{loop} {update.format(one, other)}")
    if random.random() < 0.2:
        body.append(f"{element(random, counters)} = s - 1;")
    if random.random() < 0.2:
        body.append(f"if (i > 2) s += {element(random, counters)};")
    last = random.choice(
        ("s", "s", "s", "s * 0.5", f"s + {place}", f"s + {element(random, counters)}")
    )
    guard = random.choice(("", "", "", "", "if (i != 4) ", "if (c[i] > 0) "))
    body.append(f"{guard}{place} = {last};")
    if random.random() < 0.2:
        body.append(f"{element(random, counters)} = s * 0.25;")
    if random.random() < 0.1:
        body.append(f"s = 1; {element(random, counters)} = s;")
    scope = random.choice(("double s;", ""))
    text = " ".join([*lines, "{", scope, *body, "}"])
    return text if scope else f"double s = 0; {text}"


@pytest.mark.parametrize("seed", some(range(40), 40))
def test_random_variables(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    random = Random(seed)
    functions = [
        f"static void f{number}(int n) {{\n#pragma scop\n{nest(random)}\n#pragma endscop\n}}"
        for number in range(NESTS)
    ]
    calls = " ".join(f"set(); f{number}(N); print({number});" for number in range(NESTS))
    source = tmp_path / "in.c"
    source.write_text("\n".join([HEAD, *functions, f"int main(void) {{ {calls} return 0; }}"]))
    expected = output_of(reference(source))
    for number, passes in enumerate(PIPELINES):
        result = tmp_path / f"out{number}.c"
        transformed(source, result, *passes, "--remarks")
        assert " lives in " in capsys.readouterr().err
        assert output_of(compiled(result), 2) == expected, passes
