"""What is known of the schedule of a scop: whether it was proved legal, as it is now.

A scop remembers its tree when it was last proved, its dependences, and what its statements said.
It is known to be legal as long as these are the same. So what was read from text is not known, nor
what anyone changed without a proof; a copy of a scop is known if the scop is.

The same holds for its GPU kernels, which are proved on their own: between the passes that map a
schedule to kernels, its order is legal, but barriers may still be missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.base.walks import operations_in
from polyir.dialects.loop_attributes import requires_parallel
from polyir.dialects.mark_attributes import KernelAttr, LocalAttr, TileAttr
from polyir.dialects.schedule_tree import (
    BandOp,
    ContextOp,
    ExpansionOp,
    ExtensionOp,
    GuardOp,
    MarkOp,
    TreeOp,
    walk_tree,
)
from polyir.dialects.scop import ScopOp
from polyir.tree.operations import schedule_of

_SCHEDULE, _KERNELS = "what was proved", "what was proved of kernels"

_is_unchecked: ContextVar[bool] = ContextVar("polyir_is_unchecked", default=False)


@contextmanager
def unchecked() -> Iterator[None]:
    """Inside the `with` block, loops are made of schedules that nobody has proved legal."""
    token = _is_unchecked.set(True)
    try:
        yield
    finally:
        _is_unchecked.reset(token)


def is_unchecked() -> bool:
    """Whether schedules that nobody has proved legal are to be lowered."""
    return _is_unchecked.get()


def is_proved(scop: ScopOp) -> bool:
    """Whether the schedule was proved legal, with all that it claims, and nothing has changed."""
    return _SCHEDULE in scop.known and scop.known[_SCHEDULE] == _content(scop)


def remember_proof(scop: ScopOp) -> None:
    """Note that the schedule, as it is now, is proved legal, with all that it claims."""
    scop.known[_SCHEDULE] = _content(scop)


def kernels_of(scop: ScopOp) -> tuple[MarkOp, ...]:
    """The marks of the GPU kernels of a scop."""
    marks = (node for node in walk_tree(scop.tree) if isinstance(node, MarkOp))
    return tuple(mark for mark in marks if isinstance(mark.mark, KernelAttr))


def are_kernels_proved(scop: ScopOp) -> bool:
    """Whether the GPU kernels of a scop were proved right, and nothing has changed.

    True of a scop without kernels.
    """
    if not kernels_of(scop):
        return True
    return _KERNELS in scop.known and scop.known[_KERNELS] == _content(scop)


def remember_proof_of_kernels(scop: ScopOp) -> None:
    """Note that the GPU kernels of a scop, as it is now, are proved right."""
    scop.known[_KERNELS] = _content(scop)


def needs_proof(scop: ScopOp) -> bool:
    """Whether the schedule may be wrong, for all that is known.

    Without dependences, the tree is the original order, and only what it claims can be false.
    """
    return not is_proved(scop) and (scop.dependences is not None or makes_claims(scop))


def require_proved(scop: ScopOp, pass_name: str) -> None:
    """Check a schedule unless it is known to be legal; raises as `require_correct_schedule`."""
    if needs_proof(scop):
        # Trees that passes made are known to be legal, so that it is not part of every start.
        from polyir.proofs.schedules import require_correct_schedule

        require_correct_schedule(scop, pass_name)


@contextmanager
def keeping_proof(scop: ScopOp) -> Iterator[None]:
    """The changes inside the `with` block keep a scop that is proved legal as legal as it is."""
    known = is_proved(scop)
    yield
    if known:
        remember_proof(scop)


def makes_claims(scop: ScopOp) -> bool:
    """Whether the tree claims more than an order: something that dependences can prove false."""
    return any(map(_makes_claim, walk_tree(scop.tree)))


def _makes_claim(node: TreeOp) -> bool:
    match node:
        case BandOp():
            flags = [flag.value.data for flag in node.coincident]
            is_parallel = any(map(requires_parallel, node.attributes_of_members))
            return node.permutable is not None or any(flags) or is_parallel
        case MarkOp():
            return isinstance(node.mark, LocalAttr | TileAttr)
        case _:
            return isinstance(node, ContextOp | GuardOp | ExtensionOp | ExpansionOp)


def _content(scop: ScopOp) -> tuple[object, ...]:
    """The tree, and all else that a scop says, equal for its copies.

    Values are numbered in the order of their use. Attributes are not copied with an operation, so
    that most comparisons end with their identity.
    """
    numbers: dict[SSAValue, int] = {}

    def number(value: SSAValue) -> int:
        return numbers.setdefault(value, len(numbers))

    def operand(value: SSAValue) -> object:
        # Dependences and marks name an array by its hint.
        is_array = isinstance(value.type, MemRefType)
        return (number(value), value.name_hint) if is_array else number(value)

    def content(op: Operation) -> tuple[object, ...]:
        blocks = (
            (*map(number, block.args), sum(1 for _ in block.ops))
            for region in op.regions
            for block in region.blocks
        )
        return (
            op.name,
            *map(operand, op.operands),
            *((number(result), result.type) for result in op.results),
            *op.properties.items(),
            *op.attributes.items(),
            *blocks,
        )

    tree = scop.tree
    others = (each for op in scop.body.block.ops if op is not tree for each in operations_in(op))
    return (schedule_of(tree), *map(content, (scop, *others)))
