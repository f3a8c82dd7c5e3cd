"""Statements: operations that are executed together, and their bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from polyir.dialects.scop import StmtOp
from polyir.model.raising.effects import LOADS
from polyir.model.raising.values import RunValues
from polyir.model.raising.work import is_much_work, is_work


@dataclass(frozen=True)
class Nest:
    """The loops and conditions around a point of a run.

    `domain` is the unnamed set of the values of `iterators`, outer first, at which the point
    is reached; its space has all parameters of the scop. `names` are the isl names of the
    iterators.
    """

    iterators: tuple[SSAValue, ...]
    names: tuple[str, ...]
    domain: isl.Set

    def with_domain(self, domain: isl.Set) -> Nest:
        """The same iterators at fewer points."""
        return Nest(self.iterators, self.names, domain)

    def named_domain(self, statement: str) -> isl.Set:
        """The domain of a statement at this point."""
        domain = self.domain.set_tuple_name(statement)
        for position, name in enumerate(self.names):
            domain = domain.set_dim_name(isl.dim_type.set, position, name)
        return domain


def group_roots(
    roots: Sequence[Operation], values: RunValues, shares_work: bool = True
) -> list[list[Operation]]:
    """The roots of one segment, in order, grouped into statements.

    Every root is a separate statement, unless it uses a value loaded before an earlier root that
    may overwrite the element; then the roots from that one on stay together, and the statement's
    body keeps their order. They also stay together if a root overwrites an element that an earlier
    one has loaded, and both need the same result computed from it: otherwise, it would be computed
    twice, and the two can rarely be reordered.

    With `shares_work`, roots that need the same work of their iteration stay together, too, with
    those between them.
    """
    groups: list[list[Operation]] = []
    order = {root: index for index, root in enumerate(roots)}
    work = {root: _work_for(root, values) if shares_work else frozenset() for root in roots}
    for index, root in enumerate(roots):
        bound = [order[conflict] for conflict in _conflicting_roots(root, values)]
        changed = [each for each in values.slice_of(root) if values.overwrites(root, each)]
        if changed:
            coupled = (each for each in roots[:index] if _is_coupled(each, root, changed, values))
            bound += [order[other] for other in coupled]
        needed = work[root]
        bound += [order[each] for each in roots[:index] if is_much_work(needed & work[each])]
        start = min(bound, default=index)
        group = [root]
        while groups and order[groups[-1][-1]] >= start:
            group = groups.pop() + group
        groups.append(group)
    return groups


def _conflicting_roots(root: Operation, values: RunValues) -> list[Operation]:
    """The earlier roots of its segment that change inputs of `root`."""
    segment = values.segment[root]
    return [
        conflict
        for source in values.slice_of(root)
        if values.segment[source] == segment
        for conflict in values.conflicts(source, root)
    ]


def _is_coupled(
    earlier: Operation, root: Operation, changed: Sequence[Operation], values: RunValues
) -> bool:
    """Whether both need a result computed from loads that `root` overwrites: `changed`."""
    shared = dict.fromkeys(values.slice_of(earlier))
    return any(
        source in shared
        and not isinstance(source, LOADS)
        and any(load in changed for load in values.slice_of(source))
        for source in values.slice_of(root)
    )


def _work_for(root: Operation, values: RunValues) -> frozenset[Operation]:
    """What an iteration has to compute for `root`; not what loops around it have computed."""
    segment = values.segment[root]
    own = (op for op in values.slice_of(root) if values.segment[op] == segment)
    return frozenset(op for op in own if is_work(op))


def build_statement(name: str, nest: Nest, roots: Sequence[Operation], values: RunValues) -> StmtOp:
    """The statement that executes `roots`, with everything that they depend on in its body."""
    needed: dict[Operation, None] = {}
    for root in roots:
        needed |= dict.fromkeys((*values.slice_of(root), root))
    block = Block(arg_types=[IndexType()] * len(nest.iterators))
    copies: dict[SSAValue, SSAValue] = {}
    for iterator, argument in zip(nest.iterators, block.args, strict=True):
        argument.name_hint = iterator.name_hint
        copies[iterator] = argument
    for op in sorted(needed, key=values.position.__getitem__):
        block.add_op(op.clone(copies))
    statement = StmtOp(name, nest.named_domain(name), Region(block))
    statement.location = roots[-1].location
    return statement
