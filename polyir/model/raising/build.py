"""From a run in normal form to a `poly.scop` with the original order as its schedule tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import ArrayAttr, BoolAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from polyir.dialects.isl_attributes import MultiUnionPwAffAttr, SetAttr, UnionSetAttr
from polyir.dialects.loop_attributes import LoopAttributes, rules_of
from polyir.dialects.schedule_tree import BandOp, DomainOp, FilterOp, SequenceOp, TreeOp
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.affine import IndexReader
from polyir.model.raising.context import access_context, shape_context
from polyir.model.raising.control import (
    LOOPS,
    ConditionalOp,
    LoopOp,
    bounds_of,
    branches_of,
    condition_of,
    iterators_of,
)
from polyir.model.raising.parameters import parameter_names
from polyir.model.raising.run import Run
from polyir.model.raising.statements import Nest, build_statement, group_roots
from polyir.model.raising.values import RunValues
from polyir.model.scop import unique_name


def build_scop(run: Run, values: RunValues, sizes: Sequence[SSAValue]) -> ScopOp | None:
    """The scop of `run`, in the original order; `None` if the run does not store anything.

    `sizes` are values that are known to be non-negative.

    Each loop becomes a band of one member whose schedule is its iterator; a block becomes a
    sequence in the order of the text. Conditions restrict the domains.
    """
    finder = run.finder()
    for op in run.walk():
        finder.collect(op)
    parameters = finder.parameters
    names = parameter_names(parameters)
    space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, len(names), 0)
    for position, name in enumerate(names):
        space = space.set_dim_name(isl.dim_type.param, position, name)
    builder = _ScopBuilder(dict(zip(parameters, names, strict=True)), values)
    tree = builder.build(run.operations, Nest((), (), isl.Set.universe(space)))
    if tree is None:
        return None
    instances = reduce(
        isl.UnionSet.union,
        (isl.UnionSet.from_set(statement.domain.data) for statement in builder.statements),
    )
    root = DomainOp({"instances": UnionSetAttr(instances)}, tree.operations)
    body = Region(Block([*builder.statements, root]))
    scop = ScopOp(parameters, names, shape_context(space, parameters, sizes), body)
    scop.context = SetAttr(access_context(scop))
    scop.location = run.first.location
    return scop


@dataclass(frozen=True)
class _Tree:
    """A part of the schedule tree, and the domain spaces of the statements in it, whole.

    `operations` is one node, or empty for a leaf.
    """

    spaces: tuple[isl.Set, ...]
    operations: tuple[TreeOp, ...]

    def filter(self) -> FilterOp:
        """A filter node for these statements, above the tree."""
        instances = reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, self.spaces))
        return FilterOp({"instances": UnionSetAttr(instances)}, self.operations)


class _ScopBuilder:
    """Builds statements and the schedule tree together, from the outer loops inwards."""

    def __init__(self, parameters: dict[SSAValue, str], values: RunValues) -> None:
        self.statements: list[StmtOp] = []
        self._parameters = parameters
        self._values = values

    def build(self, operations: Sequence[Operation], nest: Nest) -> _Tree | None:
        """The tree for consecutive operations; `None` if they do not store anything."""
        children = self._children(operations, nest)
        if len(children) <= 1:
            return children[0] if children else None
        spaces = tuple(space for child in children for space in child.spaces)
        return _Tree(spaces, (SequenceOp({}, [child.filter() for child in children]),))

    def _children(self, operations: Sequence[Operation], nest: Nest) -> list[_Tree]:
        """The trees of loops and statements in the order of the text; none for dead code."""
        if nest.domain.is_empty():
            return []
        children: list[_Tree] = []
        roots: list[Operation] = []
        for op in operations:
            if op in self._values.segment:
                if op in self._values.roots:
                    roots.append(op)
                continue
            children += self._statements(roots, nest)
            roots = []
            children += self._control(op, nest)
        return children + self._statements(roots, nest)

    def _statements(self, roots: Sequence[Operation], nest: Nest) -> list[_Tree]:
        trees = []
        for group in group_roots(roots, self._values):
            name = f"S{len(self.statements)}"
            statement = build_statement(name, nest, group, self._values)
            self.statements.append(statement)
            trees.append(_Tree((isl.Set.universe(statement.domain.data.get_space()),), ()))
        return trees

    def _control(self, op: Operation, nest: Nest) -> list[_Tree]:
        if isinstance(op, affine.IfOp | scf.IfOp):
            return self._conditional(op, nest)
        assert isinstance(op, LOOPS)
        inner = self._enter(op, nest)
        tree = self.build(tuple(op.body.block.ops), inner)
        if tree is None:
            return []
        outermost = len(nest.iterators)
        for depth in reversed(range(outermost, len(inner.iterators))):
            attributes = _loop_attributes(op) if depth == outermost else ()
            tree = _Tree(tree.spaces, (_band(tree, depth, attributes),))
        return [tree]

    def _conditional(self, op: ConditionalOp, nest: Nest) -> list[_Tree]:
        holds = condition_of(op, self._reader(nest))
        true_branch, false_branch = branches_of(op)
        true_nest = nest.with_domain(nest.domain.intersect(holds))
        false_nest = nest.with_domain(nest.domain.subtract(holds))
        children: list[_Tree] = []
        for branch, inner in ((true_branch, true_nest), (false_branch, false_nest)):
            for block in branch.blocks:
                children += self._children(tuple(block.ops), inner)
        return children

    def _enter(self, loop: LoopOp, nest: Nest) -> Nest:
        """The points of the body of `loop`, from those of the loop."""
        iterators, names = nest.iterators, list(nest.names)
        for iterator in iterators_of(loop):
            taken = {*self._parameters.values(), *names}
            names.append(unique_name(iterator.name_hint or f"i{len(names)}", taken))
            iterators = (*iterators, iterator)
        added = len(iterators) - len(nest.iterators)
        inner = Nest(iterators, tuple(names), nest.domain.add_dims(isl.dim_type.set, added))
        reader = self._reader(inner)
        domain = inner.domain
        bounds = bounds_of(loop, reader)
        for iterator, bound in zip(iterators_of(loop), bounds, strict=True):
            domain = domain.intersect(bound.restrict(reader.read(iterator)))
        return inner.with_domain(domain)

    def _reader(self, nest: Nest) -> IndexReader:
        """Reads index values in terms of the iterators of `nest` and the parameters."""
        space = nest.domain.get_space()
        known: dict[SSAValue, isl.PwAff] = {}
        for kind, variables in (
            (isl.dim_type.param, tuple(self._parameters)),
            (isl.dim_type.set, nest.iterators),
        ):
            for position, value in enumerate(variables):
                variable = isl.Aff.var_on_domain(space, kind, position)
                known[value] = isl.PwAff.from_aff(variable)
        return IndexReader(space, known.get)


def _loop_attributes(loop: Operation) -> LoopAttributes:
    """The attributes of a loop that its band keeps: those which no dependence can make false."""
    return tuple(
        attribute
        for name, attribute in loop.attributes.items()
        if name == attribute.name and not rules_of(attribute).requires_parallel()
    )


def _band(tree: _Tree, depth: int, attributes: LoopAttributes) -> BandOp:
    """A band of one member above `tree`: the iterator at `depth`."""
    schedule: isl.UnionPwAff | None = None
    for space in tree.spaces:
        local = space.get_space()
        iterator = isl.Aff.var_on_domain(local, isl.dim_type.set, depth)
        part = isl.UnionPwAff.from_pw_aff(isl.PwAff.from_aff(iterator))
        schedule = part if schedule is None else schedule.union_add(part)
    assert schedule is not None
    properties: dict[str, Attribute | None] = {
        "schedule": MultiUnionPwAffAttr(isl.MultiUnionPwAff.from_union_pw_aff(schedule)),
        "coincident": ArrayAttr([BoolAttr.from_bool(False)]),
    }
    if attributes:
        properties["loop_attributes"] = ArrayAttr([ArrayAttr(attributes)])
    return BandOp(properties, tree.operations)
