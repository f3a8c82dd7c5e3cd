"""`make fuzz-aliases`: random C programs with pointers, which alias or not, through polyir-cc.

A program is a function with one region and several calls of it: with buffers that are apart, that
overlap and that are the same. Its pointers are parameters, members of structures, and locals that
lead to arrays, to scalars, to loop counters, to each other. What it leaves in memory must be the
same before and after. Many programs stand in one file, so that the C compiler runs twice for all.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from random import Random

from polyir.tools import polyir_cc

BATCH = 25
STEP_SECONDS = 5
"""Processor time for a step of polyir-cc."""
OPTIONS = (
    ("--pluto-schedule", "--tile=4", "--mark-parallel"),
    ("--pluto-schedule=fuse=max", "--mark-parallel"),
    ("--isl-schedule", "--mark-parallel"),
)

HASH = """static unsigned long hash(unsigned long h, const void *p, unsigned long size) {
  for (unsigned long i = 0; i < size; i++) h = h * 33 + ((const unsigned char *)p)[i];
  return h;
}
"""

HEAD = """#include <stdio.h>
HASH
static double D[256], E[256], G[256], R[256], M[4][256];
static int I[256], J[256], X[256], Y[256], N, K;
static signed char C[256];
struct S { int n; double *v, *w, in[256]; };
static struct S S1, S2;
static double *keep;
static void hold(double *x) { keep = x; }

static void fill(void) {
  for (int i = 0; i < 256; i++) {
    D[i] = i % 11; E[i] = i % 13 - 3; G[i] = i % 7 * 0.5; R[i] = i % 5 - 2;
    for (int j = 0; j < 4; j++) M[j][i] = (i * 3 + j) % 17;
    S1.in[i] = i % 3; S2.in[i] = i % 4;
    I[i] = i * 7 % 19; J[i] = i * 5 % 17; X[i] = i % 6; Y[i] = i % 9; C[i] = (signed char)(i % 21);
  }
  N = 12; K = 9; S1.n = 8; S2.n = 11; keep = E;
}

static void show(int number, int call, int result) {
  unsigned long h = 5381;
  h = hash(hash(hash(hash(h, D, sizeof D), E, sizeof E), G, sizeof G), R, sizeof R);
  h = hash(hash(hash(hash(h, M, sizeof M), I, sizeof I), J, sizeof J), X, sizeof X);
  h = hash(hash(hash(h, Y, sizeof Y), C, sizeof C), S1.in, sizeof S1.in);
  printf("%d.%d: %d %d %d %d %lx\\n", number, call, result, N, K, S1.n + S2.n,
         hash(h, S2.in, sizeof S2.in));
}
""".replace("HASH", HASH)

PARAMETERS = (
    "double *a, double *b, double *restrict r, int *p, int *q, int *x, signed char *c, "
    "struct S *s, struct S *t, int n, int which"
)
BUFFERS = ("D", "D", "D + 1", "D + 40", "D + 100", "E", "G", "G + 3", "M[2]", "S1.in")
NUMBERS = ("&N", "&K", "&I[3]", "&I[100]", "&J[5]", "&S1.n", "&S2.n")

POINTERS = (
    *("a", "a + 2", "b", "G", "G + 5", "s->v", "M[3]", "&M[1][4]", "L", "L + 30", "keep", "r"),
    *("which ? a : L", "which ? G + 2 : M[0]", "&s->in[1]", "(double *)a", "s->in", "D"),
)
NUMBER_POINTERS = ("p", "&y", "&N", "q", "q + 3", "&I[2]", "&i", "which ? p : &y", "&s->n", "&n")
COUNTERS = ("i", "j", "k")


@dataclass
class _Writer:
    """Draws the parts of one function."""

    random: Random
    number_pointer: str

    def subscript(self, names: tuple[str, ...]) -> str:
        name, other = self.random.choice(names), self.random.choice(names)
        number = self.random.randrange(9)
        forms = (f"{name}", f"{name} + {number}", f"2 * {name} + {number}", f"{name} + {other}")
        if self.random.random() < 0.08:
            return self.random.choice((f"(I[{name}] & 31)", f"30 - {name}", "0", f"{number}"))
        return self.random.choice(forms)

    def element(self, names: tuple[str, ...], for_store: bool = False) -> str:
        """An element of type `double`."""
        index = self.subscript(names)
        forms = [
            *(f"{array}[{index}]" for array in ("a", "a", "b", "b", "u", "u", "v", "G", "M[2]")),
            *(
                f"{array}[{index}]"
                for array in ("r", "L", "s->v", "t->w", "s->in", "t->in", "M[3]")
            ),
            "*a",
            "z",
        ]
        if not for_store:
            forms += [f"q[{index}]", "*p", "*l", "y", f"x[{index}]", f"c[{index}]", "N", "s->n"]
        return self.random.choice(forms)

    def value(self, names: tuple[str, ...]) -> str:
        one, two = self.element(names), self.element(names)
        return f"{one} * 0.5 + {two} * 0.25 + {self.random.choice((*names, '1'))}"

    def statement(self, names: tuple[str, ...]) -> str:
        index = self.subscript(names)
        number = f"({self.random.choice(names)} * 3 + q[{self.subscript(names)}]) % 17"
        kind = self.random.random()
        if kind < 0.7:
            text = f"{self.element(names, for_store=True)} = {self.value(names)};"
        elif kind < 0.85:
            # A counter that is set in its loop may make it endless.
            targets = ["*p", f"q[{index}]", "y", "N", "s->n", f"I[{index}]"]
            target = self.random.choice(targets + ["*l"] * (self.number_pointer != "&i"))
            text = f"{target} = {number};"
        else:
            text = self.random.choice(
                (f"x[{index}] = {number};", f"c[{index}] = (signed char)({number});")
            )
        if self.random.random() < 0.1:
            text = f"if ({self.element(names)} > 2) {text}"
        return text

    def loop(self, depth: int) -> str:
        name = COUNTERS[depth]
        names = COUNTERS[: depth + 1]
        bound = self.random.choice(("n", "n", "n", "n", "10", "N", "s->n", "*p", "K"))
        start = self.random.choice(("0", "0", "1", *COUNTERS[:depth]))
        declared = "int " if self.random.random() < 0.5 else ""
        head = f"for ({declared}{name} = {start}; {name} < {bound}; {name}++)"
        if depth == 0 and self.random.random() < 0.15:
            head = f"for ({declared}{name} = {bound} - 1; {name} >= 0; {name}--)"
        parts = [self.statement(names) for _ in range(self.random.choice((1, 1, 2, 3)))]
        if depth < 2 and self.random.random() < 0.5:
            parts.insert(self.random.randrange(len(parts) + 1), self.loop(depth + 1))
        return f"{head} {{ {' '.join(parts)} }}"

    def function(self, number: int) -> str:
        random = self.random
        lines = [
            f"static int f{number}({PARAMETERS}) {{",
            "  double L[256], z = 1.5; int y = 4, i = 3, j = 2, k = 1;",
            "  for (int m = 0; m < 256; m++) L[m] = m % 23;",
        ]
        if random.random() < 0.4:
            lines.append("  hold(L);" if random.random() < 0.7 else "  keep = L + 3;")
        first, second = (random.choice(POINTERS) for _ in range(2))
        lines.append(f"  double *u = {first}, *v = {second};")
        lines.append(f"  int *l = {self.number_pointer};")
        if random.random() < 0.2:
            lines.append("  if (which) v = u + 1;")
        lines.append("#pragma scop")
        lines += [f"  {self.loop(0)}" for _ in range(random.choice((1, 1, 2)))]
        lines.append("#pragma endscop")
        lines.append("  for (int m = 0; m < 256; m++) z = z * 0.5 + L[m] + *u + *v;")
        lines.append("  return i + 100 * j + 10000 * k + y + *l + (z > 20) + (keep == L);\n}\n")
        return "\n".join(lines)

    def calls(self, number: int) -> Iterator[str]:
        for call in range(4):
            buffers = [self.random.choice(BUFFERS) for _ in range(6)]
            number_pointer, size = self.random.choice(NUMBERS), self.random.choice((0, 1, 7, 12))
            array = self.random.choice(("I", "I + 2", "J"))
            words = self.random.choice(("X", "Y"))
            bytes_ = self.random.choice(("C", "(signed char *)X", "(signed char *)X + 5"))
            structures = self.random.choice(("&S1, &S2", "&S2, &S1", "&S1, &S1"))
            v, w, other_v, other_w, a, b = buffers
            yield (
                f"  fill(); S1.v = {v}; S1.w = {w}; S2.v = {other_v}; S2.w = {other_w};\n"
                f"  result = f{number}({a}, {b}, R, {number_pointer}, {array}, {words}, {bytes_}, "
                f"{structures}, {size}, {call % 2});\n  show({number}, {call}, result);\n"
            )


def random_file(numbers: range) -> str:
    """A C file with the programs of these numbers."""
    functions, calls = [], []
    for number in numbers:
        random = Random(number)
        writer = _Writer(random, random.choice(NUMBER_POINTERS))
        functions.append(writer.function(number))
        calls += writer.calls(number)
    return f"{HEAD}\n{''.join(functions)}\nint main(void) {{\n  int result;\n{''.join(calls)}}}\n"


@dataclass
class Outcome:
    """What polyir-cc did with the regions of a file, and the programs whose results differ."""

    regions: Counter[str]
    different: tuple[int, ...]


def try_file(numbers: range, folder: Path) -> Outcome:
    """Transform, compile and run the programs of these numbers."""
    source, target = folder / "in.c", folder / "out.c"
    source.write_text(random_file(numbers))
    options = Random(numbers.start).choice(OPTIONS)
    errors = StringIO()
    with redirect_stderr(errors):
        code = polyir_cc.main(
            [str(source), "-o", str(target), *options, f"--time-limit={STEP_SECONDS}"]
        )
    if code not in (0, polyir_cc.LEFT):
        raise RuntimeError(errors.getvalue())
    # Only what polyir-cc wrote has new places where a compiler may rely on what does not alias.
    expected, found = _results(source, "-O0"), _results(target, "-O2")
    different = {line.split(".")[0] for line in {*expected} ^ {*found}}
    text, messages = target.read_text(), errors.getvalue()
    regions: Counter[str] = Counter()
    for number in numbers:
        start = text.index(f"static int f{number}(")
        body = text[start : text.index("\n}\n", start)]
        if "#pragma scop" in body:
            regions["left"] += 1
        else:
            regions["checked" if "polyir_disjoint(" in body else "without a check"] += 1
    regions["shown aliases"] = messages.count("' points to ")
    return Outcome(regions, tuple(sorted(map(int, different))))


def _results(source: Path, level: str) -> list[str]:
    program = source.with_suffix(".exe")
    flags = ["-std=gnu99", "-w", level, "-fopenmp", "-ffp-contract=off"]
    subprocess.run(["gcc", *flags, str(source), "-o", str(program)], check=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [str(program)], check=True, capture_output=True, text=True, env=environment, timeout=120
    )
    return done.stdout.splitlines()


def main() -> int:
    """Run; the exit code is 1 if a result differs."""
    parser = argparse.ArgumentParser(prog="make fuzz-aliases", description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    begin = time.monotonic()
    regions: Counter[str] = Counter()
    different: list[int] = []
    end = options.seed + options.count
    for first in range(options.seed, end, BATCH):
        numbers = range(first, min(first + BATCH, end))
        with tempfile.TemporaryDirectory() as folder:
            outcome = try_file(numbers, Path(folder))
        regions += outcome.regions
        different += outcome.different
        for number in outcome.different:
            print(f"program {number} gives another result", flush=True)
        print(
            f"{numbers.stop - options.seed} programs, {time.monotonic() - begin:.0f} s", flush=True
        )
    print(f"programs tried: {options.count} (numbers {options.seed} to {end - 1})")
    print(f"regions: {', '.join(f'{count} {kind}' for kind, count in sorted(regions.items()))}")
    print(f"different results: {len(different)}")
    return 1 if different else 0


if __name__ == "__main__":
    raise SystemExit(main())
