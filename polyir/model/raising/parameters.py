"""Parameters: the index values from outside a run of operations that shape its control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

import islpy as isl
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from polyir.model.affine import IndexReader, NotAffineError
from polyir.model.memory_accesses import accesses_of
from polyir.model.raising.control import (
    LOOPS,
    bounds_of,
    condition_of,
    is_control,
    iterators_of,
)
from polyir.model.raising.effects import is_pure, may_trap
from polyir.model.scop import unique_name


class ParameterFinder:
    """Reads index expressions of a run and collects the parameters that they use.

    A value that does not change within the run is replaced by its computation if that is affine
    (`%n + 1` needs the parameter `%n`); otherwise (`%n * %m`), the value itself is a parameter.
    `reader` reads expressions in which every iterator and every parameter is an isl parameter,
    which is sufficient to decide whether they are affine.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        self._inside = dict.fromkeys(operations)
        self._block = operations[0].parent if operations else None
        self._space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, 0)
        self._variables: dict[SSAValue, isl.PwAff] = {}
        self._parameters: dict[SSAValue, None] = {}
        self._affine: dict[SSAValue, None] = {}
        self.reader = IndexReader(self._space, self._resolve)

    @property
    def parameters(self) -> tuple[SSAValue, ...]:
        """The parameters in the order in which they were found."""
        return tuple(self._parameters)

    def is_inside(self, value: SSAValue) -> bool:
        """Whether `value` is defined in the run."""
        owner = value.owner
        op = owner.parent_op() if isinstance(owner, Block) else owner
        while op is not None and op.parent is not self._block:
            op = op.parent_op()
        return op in self._inside

    def is_invariant(self, value: SSAValue) -> bool:
        """Whether `value` is the same in the whole run, and may be computed before it."""
        if not self.is_inside(value):
            return True
        owner = value.owner
        if isinstance(owner, Block) or not is_pure(owner):
            return False
        if owner.parent is not self._block and may_trap(owner):
            return False
        return all(self.is_invariant(operand) for operand in owner.operands)

    def collect(self, op: Operation) -> None:
        """Collect the parameters in the bounds, the condition or the subscripts of `op`."""
        match op:
            case affine.ForOp() | affine.ParallelOp() | scf.ForOp() | scf.ParallelOp():
                self._attempt(lambda: bounds_of(op, self.reader))
            case affine.IfOp() | scf.IfOp() if is_control(op, self.reader):
                self._attempt(lambda: condition_of(op, self.reader))
            case _:
                for index in chain.from_iterable(each.indices for each in accesses_of(op)):
                    self._attempt(partial(self.reader.read, index))

    def _attempt(self, read: Callable[[], object]) -> bool:
        """Whether `read` succeeds; if not, drop the parameters that it found."""
        variables, parameters = dict(self._variables), dict(self._parameters)
        try:
            read()
        except NotAffineError:
            self._variables, self._parameters = variables, parameters
            return False
        return True

    def _resolve(self, value: SSAValue) -> isl.PwAff | None:
        if value in self._variables:
            return self._variables[value]
        if not isinstance(value.type, IndexType):
            return None
        if self._is_iterator(value):
            return self._add_variable(value)
        if value in self._affine or not self.is_invariant(value):
            return None
        follow = IndexReader(
            self._space, lambda inner: None if inner is value else self._resolve(inner)
        )
        if self._attempt(lambda: follow.read(value)):
            # Remembered, or a chain of n values would be followed 2^n times.
            self._affine[value] = None
            return None
        self._parameters[value] = None
        return self._add_variable(value)

    def _is_iterator(self, value: SSAValue) -> bool:
        loop = value.owner.parent_op() if isinstance(value.owner, Block) else None
        return isinstance(loop, LOOPS) and value in iterators_of(loop) and self.is_inside(value)

    def _add_variable(self, value: SSAValue) -> isl.PwAff:
        name = f"v{len(self._variables)}"
        space = self._space.add_dims(isl.dim_type.param, 1)
        space = space.set_dim_name(isl.dim_type.param, 0, name)
        variable = isl.Aff.var_on_domain(space, isl.dim_type.param, 0)
        self._variables[value] = isl.PwAff.from_aff(variable)
        return self._variables[value]


def parameter_names(parameters: Sequence[SSAValue]) -> tuple[str, ...]:
    """An isl name for each parameter: its name in the source, made unique, or `p0`, `p1`, ..."""
    names: list[str] = []
    for position, parameter in enumerate(parameters):
        wanted = parameter.name_hint or f"p{position}"
        names.append(unique_name(wanted, set(names)))
    return tuple(names)
