"""`make fuzz-inputs`: mutated inputs and options end in a result or in a diagnostic.

Inputs are programs in MLIR, schedules of programs as `poly` text, C files and systems of equations;
options are pipelines. Every other text is cut or garbled byte by byte, the rest token by token.
Programs are raised and lowered again, or go through the passes of a tool. No input may take more
than ten seconds of processor time or the process more than a gigabyte.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import os
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from polyir import api
from polyir.base.diagnostics import InputSyntaxError, PolyirError, remarks_to
from polyir.base.limits import time_limited_to
from polyir.frontend.parse import parse_module
from polyir.pipeline import passes_of_pipeline, split_pass_flags
from polyir.target.mlir import print_module
from polyir.tools import polyir_alpha, polyir_cc, polyir_opt
from polyir.universe import POLYIR_UNIVERSE

ROOT = Path(__file__).parent.parent.parent


def _texts(pattern: str, *folders: str) -> tuple[str, ...]:
    return tuple(
        path.read_text() for folder in folders for path in sorted((ROOT / folder).glob(pattern))
    )


REGRESSIONS = "tests/differential/regressions"
INPUTS = _texts("*.mlir", "tests/frontend_inputs", "benchmarks/polybench", REGRESSIONS)
C_INPUTS = _texts("*.c", "tests/cc/programs", "tests/cc/forms", "benchmarks/polybench_c")
EQUATIONS = _texts(
    "*.alpha", "examples/equations", "benchmarks/equations", "tests/filecheck/equations/text"
)
OPTIONS = (
    "pluto-schedule{fuse=max input-dependences=true},tile{sizes=32,8 levels=2},mark-parallel",
    "wavefront{degrees=2},fuse{statements=S0,S1 depth=2},distribute{statements=S0 keep=1}",
    "poly-dependences{value-based=false input=true},tile{min-width=1 ratio=3},lower-poly",
    "isl-schedule{fusion=typed outer-coincidence=true},feautrier-schedule{serialize=true},expand",
    "isl-builtin-schedule{algorithm=feautrier max-coefficient=3 treat-coalescing=false},contract",
    "diamond-tile{size=8 degrees=all},intra-tile-order{max-stride=2 distribute=false}",
    "hexagonal-tile{height=4 width=32 sizes=16,8 loop=S0.0},mark-parallel",
    "full-tile-separation{points=separate},privatize{arrays=a,b loops=all},check-schedule",
    "interchange{loops=S0.0,S0.1},skew{loop=S0.1 by=S0.0 factor=-2},reverse{loop='S1[2].0'}",
    "shift{loop=S0.0 by='n - 1' statements=S0},scale{loop=S0.0 factor=2 statements=S0,S1}",
    "strip-mine{loop=S0.0 size=16},unroll{loop=S0.0 factor=4},unroll-jam{loop=S0.0 factor=2}",
    "split{statements=S0 condition='i < floor(n/2)' loop=S0.1},mark-parallel{which=inner}",
    "apply-schedule{schedule='[n] -> { S0[i, j] -> [j, i]; S1[i] -> [n - i, 0] }'}",
    "tile-shape{sizes=32 shape='1,0;1,1'},tile{sizes=4,4,4 levels=3 ratio=2},convert-affine-to-scf",
)
PASSES = (
    *("--poly-raise --convert-affine-to-scf", "--pluto-schedule --tile=4 --mark-parallel --emit=c"),
    *("--isl-schedule --lower-poly", "--optimize --emit=c", "--privatize --expand --emit=llvm"),
    *("--pluto-schedule --map-to-gpu --emit=opencl", "--scop-to-equations"),
)
POLY_PASSES = (
    *("--lower-poly", "--check-schedule", "--emit=c", "--tile=3 --mark-parallel --emit=c"),
    *("--print-schedule --emit=none", "--poly-dependences --pluto-schedule", "--emit=loops"),
)
EQUATION_PASSES = (
    *("--check-equations", "--normalize-equations", "--equations-to-scop --emit=c"),
    *("--simplify-reductions", "--equations-to-scop --pluto-schedule --lower-poly", ""),
)
C_PASSES = (
    *("--poly-raise", "--poly-raise", "--poly-raise --detect", "--pluto-schedule --tile=4", ""),
    "--isl-schedule --mark-parallel --remarks",
)
TOKEN = re.compile(r"\s+|[\w.$]+|[%@#!^][\w.$-]+|->|.")
EXTRAS = ("", "0", "-1", "99999999999999999999", "{", "}", "(", '"', "é", "\0", ",", "=", "%x")
SECONDS, MEGABYTES = 10, 1024
BATCH = 250
STEP_SECONDS = 2.0
"""Processor time for a step, as in the tester of programs."""


def mutated(text: str, random: Random) -> str:
    """The text with one to four changes, mostly one."""
    is_raw = random.random() < 0.5
    parts = list(text) if is_raw else TOKEN.findall(text)
    for _ in range(random.choice((1, 1, 1, 2, 3, 4))):
        place = random.randrange(len(parts))
        other = random.randrange(len(parts))
        match random.randrange(9):
            case 0:
                del parts[place : place + random.randint(1, 5)]
            case 1:
                parts[place:place] = parts[other : other + random.randint(1, 40)]
            case 2:
                parts[place], parts[other] = parts[other], parts[place]
            case 3:
                parts[place] = random.choice(EXTRAS)
            case 4:
                parts[place] = parts[other]
            case 5:
                del parts[place + 1 :]
            case _:
                # Another word or number of the same kind often leaves a text that can be read.
                kind = _kind(parts[place])
                parts[place] = random.choice([part for part in parts if _kind(part) == kind])
        if not parts:
            break
    return "".join(parts)


def _kind(part: str) -> str:
    """What kind of a token or character it is: a space, a number, a word, another name."""
    if not part or part[0].isspace():
        return "space"
    if part[0].isdigit():
        return "number"
    if part[0] in "%@#!^" and len(part) > 1:
        return part[0]
    return "word" if part[0].isalpha() else "sign"


def try_text(text: str) -> str:
    """What becomes of a program's text."""
    try:
        module = parse_module(text, "mutated.mlir")
    except InputSyntaxError as error:
        error.render()
        return "refused"
    module.verify()
    print_module(module, io.StringIO())
    try:
        with remarks_to(lambda remark: None), time_limited_to(STEP_SECONDS):
            lowered = api.lower(api.run_pipeline(module, "poly-raise"))
    except PolyirError as error:
        error.render()
        return "refused later"
    print_module(lowered, io.StringIO())
    return "read"


def try_passes(text: str) -> str:
    """What becomes of a program that goes through polyir-opt."""
    return _after(polyir_opt.main, text, "mlir", *_drawn(text, PASSES))


def try_poly(text: str) -> str:
    """What becomes of the text of a schedule."""
    return _after(polyir_opt.main, text, "mlir", *_drawn(text, POLY_PASSES))


def try_equations(text: str) -> str:
    """What becomes of systems of equations: they are checked and printed, and transformed."""
    if len(text) % 3 == 0:
        return _after(polyir_alpha.main, text, "alpha", "--check", "--show", output=False)
    return _after(polyir_opt.main, text, "alpha", *_drawn(text, EQUATION_PASSES))


def try_c(text: str) -> str:
    """What becomes of a C file."""
    headers = f"-I{ROOT / 'benchmarks/polybench_c'}"
    return _after(polyir_cc.main, text, "c", headers, *_drawn(text, C_PASSES))


def _drawn(text: str, lines: Sequence[str]) -> list[str]:
    """One of several lines of flags, always the same one for a text."""
    return Random(text).choice(lines).split()


def _after(
    main: Callable[[Sequence[str]], int],
    text: str,
    ending: str,
    *flags: str,
    output: bool = True,
) -> str:
    """What a tool makes of a text; its messages go nowhere, a defect is raised."""
    messages = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        redirect_stderr(messages),
        redirect_stdout(io.TextIOWrapper(io.BytesIO())),
    ):
        source = Path(folder) / f"mutated.{ending}"
        source.write_text(text)
        arguments = [str(source), *flags, f"--time-limit={STEP_SECONDS}"]
        if output:
            arguments += ["-o", str(source.with_suffix(".out"))]
        code = main(arguments)
    if "internal error" in messages.getvalue():
        raise AssertionError(f"{' '.join(flags)}: {messages.getvalue()}")
    return ("read", "refused", "left")[code]


def try_options(text: str) -> str:
    """What becomes of a pipeline's text, as a pipeline and as flags."""
    passes = POLYIR_UNIVERSE.all_passes
    flags = [f"--{part.rstrip('}').replace('{', '=', 1)}" for part in re.split(r"(?<=}),", text)]
    outcome = "read"
    for attempt in (
        lambda: passes_of_pipeline(text, passes),
        lambda: split_pass_flags(flags, passes),
    ):
        try:
            attempt()
        except PolyirError as error:
            error.render()
            outcome = "refused"
    return outcome


@cache
def poly_texts() -> tuple[str, ...]:
    """Some of the programs as `poly` text: as they are raised, and after passes."""
    texts: list[str] = []
    with remarks_to(lambda remark: None), time_limited_to(STEP_SECONDS):
        for text in INPUTS[::3]:
            for passes in ("poly-raise", "pluto-schedule,tile{sizes=4},mark-parallel"):
                stream = io.StringIO()
                print_module(api.run_pipeline(parse_module(text, "input.mlir"), passes), stream)
                texts.append(stream.getvalue())
    return tuple(texts)


@dataclass(frozen=True)
class Kind:
    """What is mutated, how often in a hundred, and what is done with it."""

    often: int
    texts: Callable[[], tuple[str, ...]]
    attempt: Callable[[str], str]


KINDS = {
    "program": Kind(30, lambda: INPUTS, try_text),
    "program and passes": Kind(15, lambda: INPUTS, try_passes),
    "poly text": Kind(15, poly_texts, try_poly),
    "C file": Kind(15, lambda: C_INPUTS, try_c),
    "equations": Kind(10, lambda: EQUATIONS, try_equations),
    "options": Kind(15, lambda: OPTIONS, try_options),
}


def try_number(number: int) -> tuple[str, float]:
    """What becomes of the input of a number, which is always the same, and how long it takes."""
    random = Random(number)
    name, kind = random.choices([*KINDS.items()], [kind.often for kind in KINDS.values()])[0]
    text = mutated(random.choice(kind.texts()), random)
    begin = time.process_time()
    try:
        outcome = kind.attempt(text)
    except Exception:
        outcome = "failed"
        print(f"input {number}, {name}:\n{traceback.format_exc()}\n{text[:2000]}", flush=True)
    seconds = time.process_time() - begin
    if seconds > SECONDS:
        outcome = "failed"
        print(f"input {number}, {name}, took {seconds:.1f} s:\n{text}", flush=True)
    return f"{name} {outcome}", seconds


def run_in_child(numbers: range, done: Callable[[str, float], None]) -> int:
    """Try inputs in a child process; returns how many it tried before it died, or all of them."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(writer, "w", buffering=1) as stream:
            # Defects are raised. The traceback of a hang is printed, then the default action ends
            # the process.
            os.environ["POLYIR_TRACEBACK"] = "1"
            faulthandler.register(signal.SIGPROF, chain=True)
            for number in numbers:
                signal.setitimer(signal.ITIMER_PROF, 3 * SECONDS)
                outcome, seconds = try_number(number)
                print(outcome, seconds, sep="\t", file=stream)
        os._exit(0)
    os.close(writer)
    tried = 0
    with os.fdopen(reader) as stream:
        for line in stream:
            outcome, _, seconds = line.rpartition("\t")
            done(outcome, float(seconds))
            tried += 1
    _, status = os.waitpid(child, 0)
    if tried == len(numbers) and status != 0:
        raise RuntimeError(f"the child ended with status {status}")
    return tried


def main() -> int:
    """Run; the exit code is 1 if anything was neither read nor refused."""
    parser = argparse.ArgumentParser(prog="make fuzz-inputs", description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    times = [0.0]

    def done(outcome: str, seconds: float) -> None:
        outcomes[outcome] += 1
        times.append(seconds)

    poly_texts()
    end = options.seed + options.count
    begin = options.seed
    while begin < end:
        numbers = range(begin, min(begin + BATCH, end))
        tried = run_in_child(numbers, done)
        if tried < len(numbers):
            outcomes["hang or crash: failed"] += 1
            print(f"input {begin + tried} hangs or crashes", flush=True)
            tried += 1
        begin += tried
        print(f"up to input {begin - 1}: {dict(outcomes)}", flush=True)
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"inputs tried: {options.count} (numbers {options.seed} on)")
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    print(f"slowest: {max(times):.2f} s; memory: {megabytes} MB")
    failed = any(outcome.endswith("failed") for outcome in outcomes) or megabytes > MEGABYTES
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
