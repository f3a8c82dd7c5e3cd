"""Run-time checks that a region reads all numbers in memory that its parameters are.

The check is made before the region, and each of its conditions is on what the ones before it
allow to read (`polyir.frontend.c.reads`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, MemRefType
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.base.diagnostics import SourceLocation
from polyir.codegen.ast import conjuncts, expression_from_isl
from polyir.codegen.ast_expressions import AstExpressionReader
from polyir.dialects.isl_attributes import SetAttr
from polyir.dialects.scop import ScopOp
from polyir.frontend.c.errors import NotModelledError
from polyir.frontend.c.reads import Requirement
from polyir.frontend.c.translation import TranslatedRegion
from polyir.model.index_expressions import IndexExpression
from polyir.model.raising.effects import stores_or_carries


@dataclass(frozen=True)
class ReadCheck:
    """Functions of a region's arguments whose results must all hold, in this order.

    Where one does not hold, the region does nothing if `is_whole`.
    """

    functions: tuple[func.FuncOp, ...]
    is_whole: bool


def read_check(
    content: TranslatedRegion, pointers: Collection[int], location: SourceLocation
) -> ReadCheck | None:
    """The check of a region; `None` if it needs none.

    It is also about the pointers to some arguments, given by their positions. The function has
    been raised or not; the contexts of its scops get what the check has tested. Raises
    `NotModelledError` if it is not known before the region what it reads.
    """
    around = (content.arguments[position].origin.around_pointer for position in pointers)
    return _check_of(content, (each for each in around if each is not None), location)


def copy_check(content: TranslatedRegion, location: SourceLocation) -> ReadCheck | None:
    """The check of a region before which all arguments are copied, as `read_check`."""
    read: list[str | None] = []
    for value, argument in zip(content.function.body.block.args, content.arguments, strict=True):
        read.append(argument.origin.around_pointer)
        if isinstance(value.type, MemRefType) and DYNAMIC_INDEX not in value.type.get_shape():
            read.append(argument.origin.container)
    return _check_of(content, (each for each in read if each is not None), location)


def _check_of(
    content: TranslatedRegion, others: Iterable[str], location: SourceLocation
) -> ReadCheck | None:
    """The check that a region reads its scalars, and from other containers."""
    function, reads = content.function, content.reads
    containers = [
        reads.containers[argument]
        for argument in function.body.block.args
        if argument in reads.containers
    ]
    containers += others
    requirements = reads.requirements(containers)
    if isinstance(requirements, str):
        raise NotModelledError(
            f"whether the region reads from '{requirements}' is not known before it",
            location,
            name="early-read",
        )
    if not requirements:
        return None
    functions = tuple(_condition(function, each) for each in requirements)
    return ReadCheck(functions, _narrow(function, requirements))


def _condition(function: func.FuncOp, requirement: Requirement) -> func.FuncOp:
    """A function that returns conditions which hold together where a requirement does."""
    block = Block(arg_types=[argument.type for argument in function.body.block.args])
    known: dict[SSAValue, SSAValue] = {}
    for argument, new in zip(function.body.block.args, block.args, strict=True):
        new.name_hint = argument.name_hint
        known[argument] = new
    builder = Builder(InsertPoint.at_end(block))
    values = {
        name: IndexExpression.of(_copied(value, known, builder))
        for name, value in requirement.values.items()
    }
    build = isl.AstBuild.from_context(isl.Set.universe(requirement.holds.get_space()))
    condition = expression_from_isl(build.expr_from_set(requirement.holds))
    reader = AstExpressionReader(values)
    results = [reader.condition(each, builder) for each in conjuncts(condition)]
    builder.insert(func.ReturnOp(*results))
    inputs = [argument.type for argument in block.args]
    type = FunctionType.from_lists(inputs, [result.type for result in results])
    return func.FuncOp(function.sym_name.data, type, Region(block))


def _copied(value: SSAValue, known: dict[SSAValue, SSAValue], builder: Builder) -> SSAValue:
    """The value of which `value` is a copy in another function, with what it is computed of."""
    if value not in known:
        assert not isinstance(value.owner, Block)
        for operand in value.owner.operands:
            _copied(operand, known, builder)
        builder.insert(value.owner.clone(known))
    return known[value]


def _narrow(function: func.FuncOp, requirements: Sequence[Requirement]) -> bool:
    """Add requirements to the contexts of scops.

    Returns whether the scops are all that the function does, and do nothing without these.
    """
    is_whole = True
    for op in function.body.block.ops:
        if isinstance(op, ScopOp):
            domains = (statement.domain.data.params() for statement in op.statements)
            executed = reduce(isl.Set.union, domains).intersect(op.context.data.params())
            required = _in_terms_of(op.parameter_values, requirements)
            is_whole &= required is not None and bool(executed.is_subset(required))
            if required is not None:
                context = op.context.data.intersect_params(required).coalesce()
                if context.n_basic_set() == 1:
                    op.context = SetAttr(context)
        else:
            is_whole &= not stores_or_carries(op)
    return is_whole


def _in_terms_of(
    parameters: Mapping[str, SSAValue], requirements: Sequence[Requirement]
) -> isl.Set | None:
    """What requirements say of parameters; `None` if they are about other values, too."""
    names = {value: name for name, value in parameters.items()}
    known = isl.Set.universe(isl.Space.params_alloc(isl.DEFAULT_CONTEXT, 0))
    for requirement in requirements:
        holds = requirement.holds
        for old, value in requirement.values.items():
            if value not in names:
                return None
            position = holds.find_dim_by_name(isl.dim_type.param, old)
            holds = holds.set_dim_name(isl.dim_type.param, position, names[value])
        known = known.intersect(holds)
    return known
