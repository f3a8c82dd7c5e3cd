"""What a report shows of a compilation, as values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import StringIO
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.base import budgets
from polyir.base.diagnostics import PolyirError, Remark, ViolatedPair, remarks_to
from polyir.base.limits import ResourceError, within_operations
from polyir.choose.remarks import StrategyRemark
from polyir.dialects.dependence import Dependence
from polyir.dialects.scop import KEEPS_LOOPS, scops_in
from polyir.loops.levels import lower_scops
from polyir.model.dependence_text import relation_text
from polyir.model.distance import common_loops, vectors_of
from polyir.model.scop import Scop, scop_of
from polyir.model.statements import Statement
from polyir.proofs.remembered import are_kernels_proved, needs_proof
from polyir.report.computations import computed
from polyir.report.estimates import EstimateTable, estimate_tables
from polyir.report.footprints import Estimate, estimate_of
from polyir.report.overview import Features, Row, features_of, overview_of
from polyir.report.pictures import Pictures, largest_stride
from polyir.report.recording import CWriter, Recording, Step
from polyir.report.texts import (
    LEVELS,
    Text,
    c_text,
    file_text,
    key_of,
    lines_of_statement,
    loops_text,
    marked,
    poly_text,
)
from polyir.report.trees import NodeView, tree_view
from polyir.target.mlir import print_module
from polyir.universe import new_context, pass_type


@dataclass(frozen=True)
class StatementView:
    """A statement: the lines of the source (from 1) that it is made of, its domain, its accesses.

    The last line is that of what it writes. There is none if the input does not say.
    """

    name: str
    lines: tuple[int, ...]
    domain: str
    accesses: tuple[tuple[str, str, str], ...]
    """Kind (`read`), array, relation."""

    @property
    def key(self) -> str:
        """What tells it from those of the same name in other parts, in all steps."""
        return key_of(self.name, self.lines)


@dataclass(frozen=True)
class DependenceView:
    """A line of the table of dependences; `vectors` are in the loops of the tree in force."""

    kind: str
    array: str
    source: str
    target: str
    vectors: tuple[str, ...]
    relation: str

    def is_in(self, violated: ViolatedPair | None) -> bool:
        """Whether a pair that the error names may be one of this dependence."""
        ends = self.kind, self.array, self.source, self.target
        return violated is not None and ends == violated.ends


@dataclass(frozen=True)
class ScopView:
    """A static control part after a step."""

    function: str
    tree: NodeView
    statements: tuple[StatementView, ...]
    dependences: tuple[DependenceView, ...]
    estimate: Estimate | None
    picture: int | None = None
    """The number of its picture, if it can be drawn."""

    @property
    def stride(self) -> int:
        """The size of the largest tiles, 1 without tiles."""
        return largest_stride(self.tree)


@dataclass(frozen=True)
class StepView:
    """The program after a pass; `texts` are those of `LEVELS`, or why there is none.

    `region` is the part of the source that the program is made of, or "" for all of it. `remarks`
    are those that are not in the tables of `estimates`.
    """

    name: str
    region: str
    seconds: float
    is_changed: bool
    remarks: tuple[Remark, ...]
    estimates: tuple[EstimateTable, ...]
    scops: tuple[ScopView, ...]
    texts: tuple[Text, ...]

    @property
    def is_told(self) -> bool:
        """Whether there is something new: `optimize` chooses what steps before it have done."""
        return self.is_changed or bool(self.estimates)


@dataclass(frozen=True)
class Contents:
    """All that a report shows."""

    filename: str
    source: str
    error: str
    """The error that ended the compilation, or ""."""
    violated: ViolatedPair | None
    """The pair of instances whose order the error is about."""
    remarks: tuple[Remark, ...]
    """What was said after the last step: by a pass that failed, or by the target."""
    steps: tuple[StepView, ...]
    pictures: Pictures = field(default_factory=Pictures)
    overview: tuple[Row, ...] = ()


def contents_of(recording: Recording) -> Contents:
    """What a report shows of a compilation. What takes isl too long is left out, and says so."""
    # The passes have said all that there is to say of the program.
    with remarks_to(lambda remark: None):
        programs = tuple(_programs(recording.steps))
        lowered, views = _computed(programs)
    steps: list[StepView] = []
    for number, program in enumerate(programs):
        step = program.step
        others = tuple(each for each in step.remarks if not isinstance(each, StrategyRemark))
        said = others, estimate_tables(step.remarks)
        shown = step.name, step.region, step.seconds, program.is_changed, *said
        if program.is_changed:
            lower = lowered[program.lowering].texts
            steps.append(StepView(*shown, views[number], (program.text, *lower)))
        else:
            steps.append(StepView(*shown, steps[-1].scops, steps[-1].texts))
    pictures = Pictures()
    return Contents(
        recording.filename,
        recording.source,
        recording.error,
        recording.violated,
        tuple(recording.remarks),
        tuple(_with_pictures(steps, [each.scops for each in programs], pictures)),
        pictures,
        overview_of(
            recording,
            [each.is_changed for each in programs],
            [lowered[each.lowering].features for each in programs],
        ),
    )


@dataclass(frozen=True)
class _Lowered:
    """The lower texts of a program, and what can be seen of its loops."""

    texts: tuple[Text, ...]
    features: Features


@dataclass(frozen=True)
class _Program:
    """The program after a step; `lowering` is equal for programs with the same lower texts."""

    step: Step
    text: Text
    scops: tuple[Scop, ...]
    is_changed: bool
    lowering: str
    write_c: CWriter


def _programs(steps: Sequence[Step]) -> Iterator[_Program]:
    last: _Program | None = None
    write_file: CWriter | None = None
    for step in steps:
        if not step.name or write_file is None:
            write_file = partial(file_text, step.module)
        text = _emitted(step.module, poly_text)
        # The text of a program that is not raised yet has what it will be raised to.
        is_raised = tuple(scops_in(step.module)) != ()
        if (
            last is not None
            and step.region == last.step.region
            and text.text == last.text.text
            and is_raised == bool(last.scops)
        ):
            last = replace(last, step=step, is_changed=False)
        else:
            scops = tuple(map(scop_of, scops_in(step.module)))
            write_c = step.write_c or write_file
            key = f"{id(write_c)} {lowering_key(step.module)}"
            last = _Program(step, text, scops, True, key, write_c)
        yield last


def lowering_key(module: ModuleOp) -> str:
    """A text that is equal for programs whose lower texts are.

    Dependences only matter to what is lowered if it must be checked first: if isl generates no
    loops, and those of the original order take their place, the order is that of the program.
    """
    copy = module.clone()
    for scop in scops_in(copy):
        if not needs_proof(scop) and are_kernels_proved(scop):
            scop.dependences = None
    stream = StringIO()
    print_module(copy, stream, locations=True)
    return stream.getvalue()


def _computed(
    programs: Sequence[_Program],
) -> tuple[Mapping[str, _Lowered], Mapping[int, tuple[ScopView, ...]]]:
    """The lower texts of programs, and the views of their static control parts, by number."""
    changed = {number: each for number, each in enumerate(programs) if each.is_changed}
    lowered: dict[str, _Program] = {}
    # The last ones mostly take longest.
    for program in reversed(changed.values()):
        lowered.setdefault(program.lowering, program)
    tasks: dict[str | int, Callable[[], Any]] = {
        **{key: partial(_lowered, each.step.module, each.write_c) for key, each in lowered.items()},
        **{number: partial(_scop_views, each.scops) for number, each in changed.items()},
    }
    _load()
    too_long: dict[str | int, Callable[[ResourceError], Any]] = dict.fromkeys(lowered, _not_lowered)
    found = computed(tasks, too_long)
    return {key: found[key] for key in lowered}, {number: found[number] for number in changed}


def _load() -> None:
    """Load what lowers programs and writes C once, and not in each worker process."""
    import polyir.loops.split_loops
    import polyir.target.c  # noqa: F401

    pass_type("lower-poly")


def _scop_views(scops: Sequence[Scop]) -> tuple[ScopView, ...]:
    # A rank runs a part that nobody knows here, and its messages call functions.
    is_shared = any(KEEPS_LOOPS in each.op.attributes for each in scops)
    return tuple(_scop_view(each, not is_shared) for each in scops)


def _with_pictures(
    steps: Sequence[StepView], scops: Sequence[Sequence[Scop]], pictures: Pictures
) -> Iterator[StepView]:
    """The steps with pictures, all with the sizes at which the largest tiles show."""
    strides: dict[str, int] = {}
    for view in (each for step in steps for each in step.scops):
        strides[view.function] = max(strides.get(view.function, 1), view.stride)
    parts: tuple[ScopView, ...] = ()
    for step, own in zip(steps, scops, strict=True):
        if step.is_changed:
            parts = tuple(
                replace(
                    view,
                    picture=pictures.add(scop, view.function, view.tree, strides[view.function]),
                )
                for view, scop in zip(step.scops, own, strict=True)
            )
        yield replace(step, scops=parts)


def _lowered(module: ModuleOp, write_c: CWriter) -> _Lowered:
    """The program at the lower levels, or why it has no such text; it is lowered once for all."""
    lowered = marked(module)
    try:
        lower_scops(new_context(), lowered)
    except PolyirError as error:
        return _not_lowered(error)
    texts = tuple(_emitted(lowered, each) for each in (loops_text, partial(c_text, write=write_c)))
    return _Lowered(texts, features_of(lowered))


def _not_lowered(error: PolyirError) -> _Lowered:
    """Why a program has no text at the lower levels."""
    return _Lowered(tuple(Text(f"// {error.message}") for _ in LEVELS[1:]), {})


def _emitted(module: ModuleOp, text_of: Callable[[ModuleOp], Text]) -> Text:
    """What `text_of` returns, or why there is no such text."""
    try:
        return text_of(module)
    except PolyirError as error:
        return Text(f"// {error.message}")


def _scop_view(scop: Scop, is_estimated: bool) -> ScopView:
    dependences = scop.dependences
    function = scop.op.parent_op()
    tree = tree_view(scop, dependences)
    return ScopView(
        function.sym_name.data if isinstance(function, FuncOp) else "",
        tree,
        tuple(map(_statement_view, scop.statements)),
        tuple(_dependence_view(scop, each) for each in dependences.items) if dependences else (),
        estimate_of(scop, tree) if is_estimated else None,
    )


def _statement_view(statement: Statement) -> StatementView:
    return StatementView(
        statement.name,
        lines_of_statement(statement.op),
        str(statement.domain),
        tuple((each.kind.value, each.array, str(each.relation)) for each in statement.accesses),
    )


def _dependence_view(scop: Scop, dependence: Dependence) -> DependenceView:
    loops = common_loops(scop.schedule, dependence)
    vectors = within_operations(
        budgets.SHOWN_DEPENDENCE, lambda: vectors_of(dependence.relation, loops)
    )
    return DependenceView(
        dependence.kind.value,
        dependence.array,
        dependence.source,
        dependence.target,
        tuple(map(str, vectors)) if vectors is not None else ("not computed: takes too long",),
        relation_text(dependence.relation),
    )
