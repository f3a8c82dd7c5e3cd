"""What a mark `#poly.kernel` claims: that the threads below it compute what the tree says.

Code generation believes the mark. It is true if

- every statement is in a kernel, and its instances are run by a block;
- all threads of a block reach each barrier: none is below a loop that is mapped to threads;
- no access is out of bounds, and vectors are aligned (`vector_alignment`);
- no two blocks, and no two threads without a barrier between them, access one element that one of
  them writes (`races`).

The order of the launches, and of what a thread runs, is the order of the tree, which
`polyir.proofs.legality` checks. What is asked of barriers and shared memory is in: Betts, Chong,
Donaldson, Qadeer, Thomson: GPUVerify, a verifier for GPU kernels (OOPSLA 2012), section 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import islpy as isl
from xdsl.dialects import gpu

from polyir.dialects.mark_attributes import LocalAttr
from polyir.model.gpu import axis_of, barrier_instances, kernel_marks, numbers_of_blocks
from polyir.model.raising.context import outside_of_array
from polyir.model.scop import Scop
from polyir.proofs.claims import FalseClaim
from polyir.proofs.races import races
from polyir.proofs.vector_alignment import misaligned_vectors
from polyir.sets.examples import example_of, instance_in
from polyir.sets.lists import sets_of
from polyir.tree import Kind, ScheduleNode


def false_claims_of_kernels(scop: Scop) -> tuple[FalseClaim, ...]:
    """What the marks of kernels claim and is not true, in the order of the tree.

    The order of the tree must be legal, and its copies right (`polyir.proofs.copies`).
    """
    marks = tuple(kernel_marks(scop.schedule.root))
    if not marks:
        return ()
    found = [*_of_statements(scop, marks), *_of_host_arrays(scop)]
    for mark in marks:
        claims = (
            *_of_blocks(scop, mark),
            *_of_barriers(scop, mark),
            *_of_bounds(scop, mark),
            *misaligned_vectors(scop, mark),
        )
        found += claims or (FalseClaim(mark.path, message) for message in races(scop, mark))
    return tuple(found)


def _of_statements(scop: Scop, marks: Sequence[ScheduleNode]) -> Iterator[FalseClaim]:
    """Statements that are in no kernel, and bodies with more than a barrier."""
    inside = reduce(isl.UnionSet.union, (mark.domain for mark in marks))
    outside = scop.schedule.domain.subtract(inside).intersect_params(scop.context)
    for part in sets_of(outside):
        if not part.is_empty():
            yield FalseClaim((), f"{instance_in(part)} is in no kernel")
    for body in scop.bodies:
        operations = tuple(body.op.body.walk())
        if any(isinstance(op, gpu.BarrierOp) for op in operations) and len(operations) > 1:
            yield FalseClaim(
                (),
                f"@{body.name} has a barrier beside other operations: the threads of a block would "
                "not all reach it, or all run the others",
            )


def _of_host_arrays(scop: Scop) -> Iterator[FalseClaim]:
    """Local arrays of loops around kernels, which are memory of the host."""
    for node in scop.schedule.root.walk():
        item = node.attribute if node.kind is Kind.MARK else None
        if isinstance(item, LocalAttr) and next(kernel_marks(node), None) is not None:
            message = f"the local array @{item.data.array} is memory of the host, which a kernel "
            yield FalseClaim(node.path, f"{message}cannot access")


def _of_blocks(scop: Scop, mark: ScheduleNode) -> Iterator[FalseClaim]:
    """Instances that no block runs, since other loops than those around them are mapped."""
    domain = mark.domain.intersect_params(scop.context)
    for axis, numbers in numbers_of_blocks(mark).items():
        for part in sets_of(domain.subtract(numbers.domain())):
            if not part.is_empty():
                yield FalseClaim(
                    mark.path,
                    f"no block runs {instance_in(part)}: no loop around it is mapped to block "
                    f"{axis}, as for other statements",
                )


def _of_barriers(scop: Scop, mark: ScheduleNode) -> Iterator[FalseClaim]:
    """Barriers that not all threads of a block reach, since another loop is mapped to threads."""
    barriers = barrier_instances(scop).intersect_params(scop.context)
    for node in mark.walk():
        if node.kind is Kind.BAND:
            axes = (axis_of(attributes, "thread") for attributes in node.loop_attributes)
            axis = next(filter(None, axes), None)
            for part in () if axis is None else sets_of(node.domain.intersect(barriers)):
                if not part.is_empty():
                    yield FalseClaim(
                        node.path,
                        f"not all threads of a block reach the barrier {instance_in(part)}: it is "
                        f"below a loop that is mapped to thread {axis}",
                    )


def _of_bounds(scop: Scop, mark: ScheduleNode) -> Iterator[FalseClaim]:
    """Accesses that are out of bounds whatever the parameters are.

    That the program's accesses are in bounds for some values of its parameters is up to the
    program: a kernel makes no others, and the arrays have the same extents on the device. Local
    arrays are checked with the copies.
    """
    domain = mark.domain.intersect_params(scop.context)
    local = {array.sym_name.data for array in scop.op.local_arrays}
    for body in scop.bodies:
        instances = domain.extract_set(body.domain.get_space())
        for access in body.accesses:
            if access.array in local or not access.certain:
                continue
            made = access.relation.intersect_domain(instances)
            beyond = [made.intersect_range(each) for each in outside_of_array(scop, access)]
            wrong = [each for each in beyond if not each.is_empty()]
            if wrong and made.params().is_subset(reduce(isl.Map.union, wrong).params()):
                example = example_of(wrong[0])
                yield FalseClaim(
                    mark.path,
                    f"{example.source} accesses {example.target}, which is outside of "
                    f"{access.array}{example.where}",
                )
