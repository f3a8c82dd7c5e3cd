"""`make fuzz-inputs`: mutated programs and pass options end in a result or a diagnostic.

Every other text is cut or garbled byte by byte, the rest token by token. No input may take more
than ten seconds or the process more than a gigabyte.
"""

from __future__ import annotations

import argparse
import io
import re
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from polyir.diagnostics import InputSyntaxError, OptionError, PolyirError
from polyir.frontend.parse import parse_module
from polyir.pipeline import passes_of_pipeline, split_pass_flags
from polyir.target.mlir import print_module
from polyir.universe import POLYIR_UNIVERSE

ROOT = Path(__file__).parent.parent.parent
INPUTS = tuple(
    path.read_text()
    for folder in (
        "tests/frontend_inputs",
        "benchmarks/polybench",
        "tests/differential/regressions",
    )
    for path in sorted((ROOT / folder).glob("*.mlir"))
)
OPTIONS = (
    "pluto-schedule{fuse=max input-dependences=true},tile{sizes=32,8 levels=2},mark-parallel",
    "wavefront{degrees=2},fuse{statements=S0,S1 depth=2},distribute{statements=S0 keep=1}",
    "poly-dependences{value-based=false input=true},tile{min-width=1 ratio=3},lower-poly",
)
TOKEN = re.compile(r"\s+|[\w.$]+|[%@#!^][\w.$-]+|->|.")
EXTRAS = ("", "0", "-1", "99999999999999999999", "{", "}", "(", '"', "é", "\0", ",", "=", "%x")
SECONDS, MEGABYTES = 10, 1024


def mutated(text: str, random: Random) -> str:
    """The text with one to four changes."""
    is_raw = random.random() < 0.5
    parts = list(text) if is_raw else TOKEN.findall(text)
    for _ in range(random.randint(1, 4)):
        place = random.randrange(len(parts))
        other = random.randrange(len(parts))
        match random.randrange(6):
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
            case _:
                del parts[place + 1 :]
        if not parts:
            break
    return "".join(parts)


def try_text(text: str) -> str:
    """What becomes of a program's text."""
    try:
        module = parse_module(text, "mutated.mlir")
    except InputSyntaxError as error:
        error.render()
        return "refused"
    module.verify()
    print_module(module, io.StringIO())
    return "read"


def try_options(text: str) -> str:
    """What becomes of a pipeline's text, as a pipeline and as flags."""
    passes = POLYIR_UNIVERSE.all_passes
    try:
        split_pass_flags([f"--{part.replace('{', '=')}" for part in text.split(",")], passes)
        passes_of_pipeline(text, passes)
    except (OptionError, PolyirError) as error:
        error.render()
        return "refused"
    return "read"


def main() -> int:
    """Run; the exit code is 1 if anything was neither read nor refused."""
    parser = argparse.ArgumentParser(prog="make fuzz-inputs", description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for number in range(options.seed, options.seed + options.count):
        random = Random(number)
        is_program = random.random() < 0.7
        text = mutated(random.choice(INPUTS if is_program else OPTIONS), random)
        begin = time.monotonic()
        # The default action ends the process: a hang cannot be missed.
        signal.alarm(3 * SECONDS)
        try:
            outcome = try_text(text) if is_program else try_options(text)
        except Exception:
            outcome = "failed"
            print(f"input {number}:\n{traceback.format_exc()}\n{text[:2000]}", flush=True)
        signal.alarm(0)
        seconds = time.monotonic() - begin
        if seconds > SECONDS:
            outcome = "failed"
            print(f"input {number} took {seconds:.1f} s", flush=True)
        slowest = max(slowest, seconds)
        outcomes[f"{'program' if is_program else 'options'} {outcome}"] += 1
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"inputs tried: {options.count} (numbers {options.seed} on)")
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))
    print(f"slowest: {slowest:.2f} s; memory: {megabytes} MB")
    failed = any(outcome.endswith("failed") for outcome in outcomes) or megabytes > MEGABYTES
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
