"""Numbers in memory that are arguments of a region's function: where the program reads them.

An argument is read before the region. The program may read it later, and where a loop is empty or
a condition does not hold, not at all: a pointer may be null there, or an array too short. So each
read has its path, the conditions under which the program gets to it. That the region certainly
reads a number is then a set of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

import islpy as isl
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from polyir.dialects.affine_extra import MaxOp
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.conditions import Condition, DataTest, Junction, Test
from polyir.model.affine import IndexReader, NotAffineError
from polyir.model.index_expressions import set_of
from polyir.sets.lists import parameters_of

Path = tuple[Condition, ...]
"""Conditions that hold together where the program gets to a place."""


@dataclass(frozen=True)
class Requirement:
    """Something in memory is certainly read where `holds`, a set of parameters.

    `values` has the meaning of the parameters: arguments of the region's function, and what it
    computes of them before its first statement.
    """

    holds: isl.Set
    values: Mapping[str, SSAValue]


@dataclass
class Reads:
    """Where the program reads memory that may not be readable everywhere.

    A container is the text of an object behind a pointer, all of which can be read if a part of it
    can, or of an element of an array that may be too short.
    """

    builder: Builder
    containers: dict[SSAValue, str] = field(default_factory=dict)
    """What the scalar arguments lie in that may not be readable."""
    _paths: dict[str, list[Path]] = field(default_factory=dict)

    def may_precede(self, container: str) -> bool:
        """Whether what lies in `container` can be read before the region, under some condition.

        It cannot if all reads so far, with one at the builder's place, depend on data.
        """
        return container in self._paths or all(map(self._is_static, self.builder.path))

    def note(self, container: str) -> None:
        """The program reads from `container` at the builder's place."""
        path = self.builder.path
        if all(map(self._is_static, path)):
            paths = self._paths.setdefault(container, [])
            if path not in paths:
                paths.append(path)

    def _is_static(self, condition: Condition) -> bool:
        match condition:
            case Test(constraint=constraint):
                return self.builder.is_affine(constraint.expression)
            case Junction(is_all=is_all, parts=parts):
                return (all if is_all else any)(map(self._is_static, parts))
            case DataTest():
                return False

    def requirements(self, containers: Collection[str]) -> tuple[Requirement, ...] | str:
        """What must hold for the region to read from all of `containers`.

        The conditions of one are on what is always read, and on what those before it require to
        be read. The result is a container for which there are no such conditions, if there is one.
        """
        # What is always read needs no condition, and others may need it.
        pending = sorted(
            dict.fromkeys(containers), key=lambda each: () not in self._paths.get(each, ())
        )
        variables = _Variables(self.builder.is_invariant)
        known: set[str] = set()
        required: list[Requirement] = []
        while pending:
            found = next(
                (
                    (each, holds)
                    for each in pending
                    if not (holds := self._certain(each, known, variables)).is_empty()
                ),
                None,
            )
            if found is None:
                return pending[0]
            container, holds = found
            pending.remove(container)
            known.add(container)
            for before in required:
                holds = holds.gist(before.holds)
            if not holds.plain_is_universe():
                required.append(Requirement(holds.coalesce(), variables.values_in(holds)))
        return tuple(required)

    def _certain(self, container: str, known: set[str], variables: _Variables) -> isl.Set:
        """Where a read is certain, by conditions on what is `known` to be readable."""
        certain = isl.Set.empty(isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0))
        for path in self._paths.get(container, ()):
            values = tuple(value for item in path for value in _values_in(item))
            needed = {
                self.containers[source]
                for value in values
                for source in _sources(value)
                if source in self.containers
            }
            if needed <= known:
                certain = certain.union(variables.without_counters(_holds(path, variables)))
        return certain.coalesce()


class _Variables:
    """Values as parameters of isl; those that are not invariant are counters of loops."""

    def __init__(self, is_invariant: Callable[[SSAValue], bool]) -> None:
        self._is_invariant = is_invariant
        self._names: dict[SSAValue, str] = {}
        self.reader = IndexReader(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, 0), self._resolve)

    def _resolve(self, value: SSAValue) -> isl.PwAff | None:
        if isinstance(value.owner, _FOLLOWED) and isinstance(value.type, IndexType):
            return None
        if not (isinstance(value.owner, Block) or self._is_invariant(value)):
            raise NotAffineError("a value that depends on data")
        # No parameter of a scop has such a name.
        name = self._names.setdefault(value, f"#{len(self._names)}")
        space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 1, 0)
        return isl.PwAff.var_on_domain(
            space.set_dim_name(isl.dim_type.param, 0, name), isl.dim_type.param, 0
        )

    def values_in(self, holds: isl.Set) -> dict[str, SSAValue]:
        """The values of the parameters of a set."""
        by_name = {name: value for value, name in self._names.items()}
        return {name: by_name[name] for name in parameters_of(holds.get_space())}

    def without_counters(self, holds: isl.Set) -> isl.Set:
        """The parameters for which there are counters in a set."""
        for name, value in self.values_in(holds).items():
            if not self._is_invariant(value):
                position = holds.find_dim_by_name(isl.dim_type.param, name)
                holds = holds.project_out(isl.dim_type.param, position, 1)
        return holds.params()


_FOLLOWED = (affine.ApplyOp, affine.MinOp, MaxOp, arith.ConstantOp)


def _holds(path: Path, variables: _Variables) -> isl.Set:
    """Where all conditions of a path hold for certain; they may have counters."""
    return _certainly(Junction(True, path), variables)


def _certainly(condition: Condition, variables: _Variables) -> isl.Set:
    """A set of values for which a condition holds, whatever the data is."""
    space = variables.reader.space
    match condition:
        case Test(constraint=constraint):
            attribute, operands = set_of([constraint])
            try:
                return variables.reader.read_set(attribute.data, operands)
            except NotAffineError:
                return isl.Set.empty(space)
        case DataTest():
            return isl.Set.empty(space)
        case Junction(is_all=is_all, parts=parts):
            holds = isl.Set.universe(space) if is_all else isl.Set.empty(space)
            for part in parts:
                other = _certainly(part, variables)
                holds = holds.intersect(other) if is_all else holds.union(other)
            return holds


def _values_in(condition: Condition) -> Iterator[SSAValue]:
    """The values that the affine tests of a condition use."""
    match condition:
        case Test(constraint=constraint):
            yield from constraint.expression.values()
        case Junction(parts=parts):
            for part in parts:
                yield from _values_in(part)
        case DataTest():
            return


def _sources(value: SSAValue) -> Iterator[SSAValue]:
    """The arguments and counters of which a value is computed."""
    if isinstance(value.owner, Block):
        yield value
        return
    for operand in value.owner.operands:
        yield from _sources(operand)
