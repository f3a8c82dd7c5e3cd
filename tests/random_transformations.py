"""Random sequences of transformation passes, as a user would write them on the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import islpy as isl
from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import LegalityError, OptionError, remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.pipeline import passes_of_pipeline
from polyir.sets.lists import parameters_of
from polyir.tree.addresses import Directory, LoopAddress, StatementPart
from polyir.tree.nodes import is_same
from polyir.universe import available_passes, new_context

MOST_LOOPS, DEEPEST = 60, 6
"""A tree with more loops, or with more around one statement, is not cut into more pieces."""


class Journey:
    """A module with one scop on its way through random passes."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module.clone()
        self.scop = self._scop()
        self.applied: list[str] = []
        """The passes that changed the schedule."""
        self.refused: list[str] = []
        """The passes that were illegal or impossible."""

    def attempt(self, text: str) -> None:
        """Run one pass; an illegal or impossible one must leave the module alone.

        Whatever else than `LegalityError` and `OptionError` is raised is a defect, and passes.
        """
        (tree,) = (op.tree for op in scops_in(self.module))
        try:
            (one,) = passes_of_pipeline(text, available_passes())
            with remarks_to(lambda remark: None):
                one.apply(new_context(), self.module)
        except (LegalityError, OptionError):
            (left,) = (op.tree for op in scops_in(self.module))
            assert left is tree, text
            self.refused.append(text)
            return
        scop = self._scop()
        if not is_same(scop.schedule.tree, self.scop.schedule.tree):
            self.module.verify()
            self.scop = scop
            self.applied.append(text)

    def _scop(self) -> Scop:
        (op,) = scops_in(self.module)
        return scop_of(op)


def travel(module: ModuleOp, random: Random, passes: int, attempts: int) -> Journey:
    """Apply random passes until so many changed the schedule, or so many were tried.

    Loops are cut into strips and tiles in the last third: the generation of loops from tiles
    that are skewed, scaled and shifted afterwards takes isl minutes.
    """
    journey = Journey(module)
    for _ in range(attempts):
        cutting = 3 * len(journey.applied) >= 2 * passes
        journey.attempt(random_pass(random, journey.scop, _LATE if cutting else _EARLY))
        if len(journey.applied) == passes:
            break
    return journey


_Maker = Callable[["_Pick"], str]


def random_pass(random: Random, scop: Scop, makers: Sequence[_Maker]) -> str:
    """A pass of one of the given kinds with options that fit the scop's tree, legal or not."""
    directory = Directory(scop.schedule)
    parts = tuple(part for own in directory.parts.values() for part in own)
    loops = [len(part.loops) for part in parts]
    if sum(loops) > MOST_LOOPS or max(loops) > DEEPEST:
        makers = [maker for maker in makers if maker not in _GROWING]
    return random.choice(makers)(_Pick(random, scop, tuple(part for part in parts if part.loops)))


@dataclass(frozen=True)
class _Pick:
    """Draws the words of options."""

    random: Random
    scop: Scop
    parts: tuple[StatementPart, ...]

    def part(self) -> StatementPart:
        return self.random.choice(self.parts)

    def loop_of(self, part: StatementPart) -> LoopAddress:
        # Now and then a loop that is not there.
        beyond = self.random.random() < 0.03
        return LoopAddress(part.reference, self.random.randrange(len(part.loops) + beyond))

    def loop(self) -> LoopAddress:
        return self.loop_of(self.part())

    def pair(self) -> tuple[LoopAddress, LoopAddress]:
        part = self.part()
        other = self.part() if self.random.random() < 0.1 else part
        return self.loop_of(part), self.loop_of(other)

    def number(self, *choices: int) -> int:
        return self.random.choice(choices)

    def statements(self, count: int) -> str:
        names = [part.reference.statement for part in self.parts]
        start = self.random.randrange(len(names))
        return ",".join(names[start : start + count])

    def parameter(self) -> str:
        names = parameters_of(self.scop.context.get_space())
        return self.random.choice(names) if names else "0"

    def condition(self, part: StatementPart) -> str:
        iterators = [
            part.instances.get_dim_name(_SET, position) or f"i{position}"
            for position in range(part.instances.dim(_SET))
        ]
        # Fused, a statement without iterators of its own has loops, too.
        iterators = iterators or [self.parameter()]
        name = self.random.choice(iterators)
        return self.random.choice(
            (
                f"{name} < {self.number(1, 2, 5)}",
                f"{name} >= {self.number(1, 3)}",
                f"{name} < floor({self.parameter()}/2)",
                f"{name} <= {self.random.choice(iterators)}",
            )
        )


def _interchange(pick: _Pick) -> str:
    first, second = pick.pair()
    return f"interchange{{loops={first},{second}}}"


def _skew(pick: _Pick) -> str:
    loop, by = pick.pair()
    return f"skew{{loop={loop} by={by} factor={pick.number(-1, 1, 1, 2)}}}"


def _some(pick: _Pick, loop: LoopAddress) -> str:
    # A shift of one part of a statement in a loop of all makes schedules of ever more pieces.
    likely = 0.6 if loop.reference.part is None else 0.05
    return f" statements={loop.reference}" if pick.random.random() < likely else ""


def _shift(pick: _Pick) -> str:
    loop = pick.loop()
    by = pick.random.choice(("1", "-1", "2", pick.parameter(), f"'1 - {pick.parameter()}'"))
    return f"shift{{loop={loop} by={by}{_some(pick, loop)}}}"


def _scale(pick: _Pick) -> str:
    loop = pick.loop()
    return f"scale{{loop={loop} factor={pick.number(2, 3)}{_some(pick, loop)}}}"


def _reverse(pick: _Pick) -> str:
    return f"reverse{{loop={pick.loop()}}}"


def _strip_mine(pick: _Pick) -> str:
    return f"strip-mine{{loop={pick.loop()} size={pick.number(1, 2, 3, 5)}}}"


def _fuse(pick: _Pick) -> str:
    return f"fuse{{statements={pick.statements(2)} depth={pick.number(1, 1, 2)}}}"


def _distribute(pick: _Pick) -> str:
    return f"distribute{{statements={pick.statements(1)} keep={pick.number(0, 0, 1)}}}"


def _wavefront(pick: _Pick) -> str:
    return f"wavefront{{which={pick.random.choice(('outermost', 'inner'))}}}"


def _mark_parallel(pick: _Pick) -> str:
    return f"mark-parallel{{which={pick.random.choice(('outermost', 'inner'))}}}"


def _split(pick: _Pick) -> str:
    part = pick.part()
    statements = str(part.reference)
    where = f" loop={pick.loop_of(part)}" if pick.random.random() < 0.7 else ""
    return f"split{{statements={statements} condition='{pick.condition(part)}'{where}}}"


def _unroll(pick: _Pick) -> str:
    return f"unroll{{loop={pick.loop()} factor={pick.number(0, 2, 3)}}}"


def _unroll_jam(pick: _Pick) -> str:
    return f"unroll-jam{{loop={pick.loop()} factor={pick.number(2, 3)}}}"


def _tile(pick: _Pick) -> str:
    return f"tile{{sizes={pick.number(3, 4)} min-width={pick.number(1, 2)}}}"


def _promote(pick: _Pick) -> str:
    names = list(pick.scop.arrays)
    arrays = pick.random.sample(names, min(len(names), pick.number(0, 1, 1, 2)))
    options = {
        "arrays": ",".join(arrays),
        "loop": str(pick.loop()) if pick.random.random() < 0.9 else "",
        "footprint": pick.random.choice(("", "box", "exact")),
        "order": pick.random.choice(("", "", "", "0", "1,0", "2,0,1")),
        "reverse": pick.random.choice(("", "", "", "0", "1")),
        "padding": pick.random.choice(("", "", "1", "3")),
        "alignment": pick.random.choice(("", "", "32")),
        "space": pick.random.choice(("", "", "heap", "register")),
    }
    return f"promote{{{' '.join(f'{name}={value}' for name, value in options.items() if value)}}}"


def _annotate(pick: _Pick) -> str:
    attributes = ("parallel", "vector<4>", "unroll<2>", "map<block x>", "map<thread y>")
    attribute = pick.random.choice(attributes)
    return f"annotate-loop{{attribute='#poly.{attribute}' loop={pick.loop()}}}"


_SET = isl.dim_type.set
_EARLY: tuple[_Maker, ...] = (
    *(_interchange, _interchange, _skew, _shift, _shift, _scale, _reverse, _fuse, _distribute),
    *(_split, _split, _mark_parallel),
)
_LATE: tuple[_Maker, ...] = (
    *(_interchange, _interchange, _shift, _reverse, _fuse, _distribute, _mark_parallel),
    *(_strip_mine, _tile, _wavefront, _unroll, _unroll_jam),
)
_GROWING: tuple[_Maker, ...] = (_split, _strip_mine, _tile, _unroll, _unroll_jam)
_ALL = tuple(dict.fromkeys((*_EARLY, *_LATE)))
ANY_TIME: tuple[_Maker, ...] = (*_ALL, _promote, _promote, _promote, _annotate, _annotate)
"""All kinds of passes."""
