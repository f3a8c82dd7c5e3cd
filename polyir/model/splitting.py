"""Statements with several stores, cut into statements with one store each.

    poly.stmt @S0 ... (%i) {                   poly.stmt @S0_0 ... (%i) {
      %0 = arith.divf %a, %b : f64               %0 = arith.divf %a, %b : f64
      affine.store %0, %A[%i] : ...              affine.store %0, %A[%i] : ...
      %1 = arith.mulf %0, %c : f64      =>     }
      affine.store %1, %B[%i] : ...            poly.stmt @S0_1 ... (%i) {
    }                                            %0 = arith.divf %a, %b : f64
                                                 %1 = arith.mulf %0, %c : f64
                                                 affine.store %1, %B[%i] : ...
                                               }

What several of them need, each computes for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

import islpy as isl
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.raising.statements import Nest, build_statement, group_roots
from polyir.model.raising.values import RunValues
from polyir.model.scop import statement_reader, unique_name
from polyir.tree import Schedule, nodes
from polyir.tree.nodes import LEAF, Domain, Filter, Node, SequenceNode
from polyir.tree.operations import schedule_of, set_schedule

Parts = Mapping[StmtOp, Sequence[StmtOp]]
"""Statements of a scop, and those that are to take their places, which are in no scop yet."""


def names_taken(scop: ScopOp) -> set[str]:
    """The names that new statements must not have."""
    return {each.sym_name.data for each in scop.statements}


def parts_of(scop: ScopOp, statement: StmtOp, taken: set[str]) -> tuple[StmtOp, ...]:
    """The statements that compute, one after the other, what a statement does; 1 if it must stay.

    Each has one store, or those that must stay together: the value of one was loaded before
    another one changes the element (`group_roots`). Their names become `taken`.
    """
    block = statement.body.block
    domain = statement.domain.data.align_params(scop.context.data.get_space())
    reader = statement_reader(scop, block, domain.get_space())
    values = RunValues(tuple(block.ops), reader)
    if any(op not in values.segment for op in block.ops):
        return (statement,)
    groups = group_roots(values.roots, values, shares_work=False)
    if len(groups) < 2:
        return (statement,)
    names = [domain.get_dim_name(isl.dim_type.set, n) for n in range(len(block.args))]
    known = tuple(name for name in names if name is not None)
    nest = Nest(tuple(block.args), known, statement.domain.data)
    parts: list[StmtOp] = []
    for number, group in enumerate(groups):
        name = unique_name(f"{statement.sym_name.data}_{number}", taken)
        taken.add(name)
        parts.append(build_statement(name, nest, group, values))
    return tuple(parts)


def split_statements(scop: ScopOp, parts: Parts) -> None:
    """Put parts in the places of statements: they run one after the other where these did.

    The scop, which must not have local arrays, loses its dependences, which are of statements that
    it had.
    """
    assert not scop.local_arrays
    schedule = _in_parts(schedule_of(scop.tree), scop.statements, parts)
    scop.dependences = None
    for statement, own in parts.items():
        for part in own:
            Rewriter.insert_op(part, InsertPoint.before(statement))
        Rewriter.erase_op(statement)
    set_schedule(scop, schedule)


def _in_parts(schedule: Schedule, statements: Sequence[StmtOp], parts: Parts) -> Schedule:
    """The tree with parts in the places of statements."""
    whole = isl.UnionPwMultiAff("{ }")
    for statement in statements:
        for part in parts.get(statement, (statement,)):
            instance = isl.MultiAff.identity_on_domain_space(part.domain.data.get_space())
            instance = instance.set_tuple_name(isl.dim_type.out, statement.sym_name.data)
            whole = whole.union_add(isl.UnionPwMultiAff.from_multi_aff(instance))
    own = [[each.domain.data.get_space() for each in group] for group in parts.values()]

    def ordered(node: Node, reaching: isl.UnionSet) -> Node:
        if isinstance(node, Domain | Filter):
            reaching = reaching.intersect(node.instances.universe())
        if node.kind is not nodes.Kind.LEAF:
            return node.with_children(ordered(each, reaching) for each in node.children)
        return _in_turn(own, reaching)

    pulled_back = schedule.pulled_back(whole).tree
    tree = ordered(pulled_back, pulled_back.instances.universe())
    assert isinstance(tree, Domain)
    return Schedule(tree)


def _in_turn(parts: Sequence[Sequence[isl.Space]], reaching: isl.UnionSet) -> Node:
    """What stands in the place of a leaf: the parts of each statement one after the other."""
    others = reaching
    turns: list[isl.UnionSet] = []
    for group in parts:
        own = [isl.UnionSet.from_set(isl.Set.universe(space)) for space in group]
        if own[0].is_subset(reaching):
            turns += own
            others = others.subtract(reduce(isl.UnionSet.union, own))
    if not turns:
        return LEAF
    if not others.is_empty():
        turns.insert(0, others)
    return SequenceNode(tuple(Filter((LEAF,), each) for each in turns))
