"""Count what ranks would compute and send, and predict the time, without running anything.

Passes are flags, as for polyir-opt; the options of --distribute-memory say how the program is
divided. Without passes, the pipeline of polyir-run --ranks is used. Counts are exact unless a line
says otherwise; the time is that of a model.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir import api
from polyir.base.diagnostics import OptionError, PolyirError, print_missed, remarks_to
from polyir.base.limits import time_limited_to
from polyir.choose.network import CLUSTER, Network
from polyir.dialects.scop import ScopOp
from polyir.distributed.options import DistributionOptions
from polyir.distributed.simulation import Simulation
from polyir.distributed.sized_program import SizedProgram
from polyir.distributed.tile_choice import best_tiles
from polyir.distributed.time_model import predicted
from polyir.model.scop import Scop, scop_of
from polyir.passes.distribute_memory import DistributeMemoryPass
from polyir.pipeline import (
    RANKS_PIPELINE,
    AvailablePasses,
    passes_of_pipeline,
    split_pass_flags,
)
from polyir.tools.command_line import (
    ArgumentParser,
    add_sizes,
    add_time_limit,
    exit_code_of,
    parsed_counts,
    read_text,
)
from polyir.tools.pass_help import add_information
from polyir.transform.new_dependences import find_reductions
from polyir.universe import available_passes

DEFAULT_RANKS = (2, 4, 8, 64, 1024, 100_000)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool. Returns 0, or 1 after a diagnostic."""
    return exit_code_of(_run, arguments)


def _parse_options(arguments: Sequence[str], available: AvailablePasses) -> argparse.Namespace:
    parser = ArgumentParser(prog="polyir-simulate-ranks", description=__doc__, allow_abbrev=False)
    parser.add_argument("file", nargs="?", default="-", help="affine MLIR (default: stdin)")
    parser.add_argument(
        "--ranks",
        type=parsed_counts,
        default=DEFAULT_RANKS,
        metavar="N,...",
        help="numbers of ranks (default: %(default)s)",
    )
    add_sizes(parser)
    parser.add_argument("--function", help="the function, if the file has several with loops")
    for name, unit in (
        ("alpha", "of a call that sends or receives a message"),
        ("beta", "of a byte in a message"),
        ("iteration", "of a statement instance"),
    ):
        parser.add_argument(
            f"--{name}",
            type=float,
            default=getattr(CLUSTER, name),
            metavar="SECONDS",
            help=f"the time {unit} (default: %(default)s)",
        )
    parser.add_argument(
        "--by-rank", action="store_true", help="print what each rank does, for few ranks"
    )
    parser.add_argument(
        "--by-step", action="store_true", help="print what each rank does in each step, too"
    )
    parser.add_argument(
        "--best-tiles",
        action="store_true",
        help="print tile sizes and a grid of ranks instead, for passes that do not tile: those of "
        "least time by the geometric program of a pipeline of ranks",
    )
    add_time_limit(parser)
    add_information(parser, available)
    return parser.parse_args(arguments)


def _run(arguments: Sequence[str]) -> int:
    available = available_passes()
    passes, others = split_pass_flags(arguments, available)
    options = _parse_options(others, available)
    if min(options.alpha, options.beta, options.iteration) < 0:
        raise OptionError("a time cannot be negative")
    before, division = _divided(passes or passes_of_pipeline(RANKS_PIPELINE, available))
    text = read_text(options.file)
    with remarks_to(print_missed), time_limited_to(options.time_limit):
        module, _ = api.run_passes(api.parse(text, options.file), before)
        scop = _only_scop(module, options.function)
        if division.reassociate:
            find_reductions(scop.op, DistributeMemoryPass.name)
            scop = scop_of(scop.op)
        names = scop.op.parameter_values
        for name, _ in options.size:
            if name not in names:
                raise OptionError(f"no size named '{name}'; known sizes: {', '.join(names)}")
        sizes = dict.fromkeys(names, options.default_size) | dict(options.size)
        network = Network(options.alpha, options.beta, options.iteration)
        if options.best_tiles:
            for line in _best_tiles(scop, sizes, options.ranks, network, division.grid):
                print(line, flush=True)
            return 0
        program = SizedProgram(scop, sizes, division)
    shown = ", ".join(f"{name}={value}" for name, value in program.sizes.items())
    print(f"sizes: {shown}")
    for line in _table(program, options.ranks, network):
        print(line, flush=True)
    if options.by_rank or options.by_step:
        for ranks in options.ranks:
            for line in _details(Simulation(program, ranks), options.by_step):
                print(line)
    return 0


def _divided(
    passes: Sequence[ModulePass],
) -> tuple[tuple[ModulePass, ...], DistributionOptions]:
    """The passes before `distribute-memory`, and its options; those after it change no message."""
    for place, each in enumerate(passes):
        if isinstance(each, DistributeMemoryPass):
            if each.data != "first-rank":
                raise OptionError("only data=first-rank is simulated")
            return tuple(passes[:place]), each
    return tuple(passes), DistributionOptions()


def _only_scop(module: ModuleOp, function: str | None) -> Scop:
    found = [op for op in module.walk() if isinstance(op, ScopOp)]
    if function is not None:
        found = [op for op in found if op.function and op.function.sym_name.data == function]
    if len(found) != 1:
        raise PolyirError(
            f"expected one scop, and there are {len(found)}: see --function", name="bad-option"
        )
    return scop_of(found[0])


def _table(program: SizedProgram, counts: Sequence[int], network: Network) -> Iterator[str]:
    yield (
        f"{'ranks':>7} {'messages':>14} {'bytes':>18} {'most instances':>18} {'scattered':>16} "
        f"{'gathered':>16} {'seconds':>11} {'efficiency':>10}"
    )
    for ranks in counts:
        simulation = Simulation(program, ranks)
        totals = simulation.totals()
        scattered, gathered, is_exact = simulation.first_and_last()
        prediction = predicted(program, ranks, network)
        note = "" if totals.is_exact and is_exact else "  (counts are estimated)"
        yield (
            f"{ranks:>7} {totals.all.sent.messages:>14} {totals.all.sent.bytes:>18} "
            f"{totals.most.instances:>18} {scattered.bytes:>16} {gathered.bytes:>16} "
            f"{prediction.time:>11.4g} {prediction.efficiency:>10.3f}{note}"
        )


def _best_tiles(
    scop: Scop, sizes: Mapping[str, int], counts: Sequence[int], network: Network, grid: int
) -> Iterator[str]:
    yield f"{'ranks':>7} {'grid':>12} {'tile':>20} {'seconds':>11} {'efficiency':>10}"
    for ranks in counts:
        found = best_tiles(scop, sizes, ranks, network, grid)
        if found is None:
            yield f"{ranks:>7} {'more ranks than columns of tiles':>12}"
            continue
        sides = " x ".join(map(str, found.sides))
        tile = " x ".join(map(str, (found.height, *found.widths)))
        yield (f"{ranks:>7} {sides:>12} {tile:>20} {found.time:>11.4g} {found.efficiency:>10.3f}")


MOST_DETAILS = 64
"""The ranks that `--by-rank` prints, at most."""


def _details(simulation: Simulation, by_step: bool) -> Iterator[str]:
    """What the ranks do, a line each, the first ones if there are many."""
    for rank in range(min(simulation.ranks, MOST_DETAILS)):
        work = simulation.of_rank(rank)
        yield (
            f"rank {rank} of {simulation.ranks}: {work.instances} instances, sends "
            f"{work.sent.messages} messages of {work.sent.bytes} bytes, receives "
            f"{work.received.messages} of {work.received.bytes}"
        )
        for phase in simulation.program.phases if by_step else ():
            for step in simulation.steps(phase):
                here = simulation.in_step(rank, phase, step)
                where = ", ".join(map(str, step))
                yield (
                    f"  {phase.name}[{where}]: {here.instances} instances, sends "
                    f"{here.sent.messages} of {here.sent.bytes}, receives "
                    f"{here.received.messages} of {here.received.bytes}"
                )
