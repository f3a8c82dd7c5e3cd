"""isl's AST as plain data: the input of code generation, and the result of a worker process.

Each node of isl's AST becomes a frozen dataclass, and so does each expression. Operators with
the same meaning become one: isl has three divisions, all of which round down as it uses them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import cast

import islpy as isl

from polyir.model.index_expressions import require_index_number
from polyir.proofs.generated_code import GeneratedInstance, GeneratedLoop


class Operator(Enum):
    """An operator of AST expressions; integers throughout, conditions are 0 or 1."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    MINUS = "minus"
    FLOORDIV = "floordiv"
    MOD = "mod"
    MIN = "min"
    MAX = "max"
    SELECT = "select"
    AND = "and"
    OR = "or"
    EQ = "=="
    LE = "<="
    LT = "<"
    GE = ">="
    GT = ">"


@dataclass(frozen=True)
class AstNumber:
    """An integer."""

    value: int


@dataclass(frozen=True)
class AstName:
    """A parameter or a loop iterator."""

    name: str


@dataclass(frozen=True)
class AstOperation:
    """An operator and its arguments, in isl's order."""

    operator: Operator
    arguments: tuple[AstExpression, ...]


AstExpression = AstNumber | AstName | AstOperation


@dataclass(frozen=True)
class AstFor:
    """A loop: from `first` in steps of `step`, up to `bound`, which is included if `inclusive`."""

    iterator: str
    first: AstExpression
    bound: AstExpression
    inclusive: bool
    step: int
    body: AstNode


@dataclass(frozen=True)
class AstLet:
    """A loop that runs once: the iterator has this value in `body`."""

    iterator: str
    value: AstExpression
    body: AstNode


@dataclass(frozen=True)
class AstIf:
    """A conditional; `otherwise` is `None` if there is no else branch."""

    condition: AstExpression
    then: AstNode
    otherwise: AstNode | None


@dataclass(frozen=True)
class AstBlock:
    """Nodes one after the other."""

    children: tuple[AstNode, ...]


@dataclass(frozen=True)
class AstMark:
    """A mark of the schedule tree: the object of its identifier, and the node below it."""

    item: object
    body: AstNode


@dataclass(frozen=True)
class LocalAccess:
    """The access number `access` of a statement's body, redirected to a cell of a local array.

    A subscript that is a number is the one of that number in the body, which depends on data.
    """

    access: int
    array: str
    subscripts: tuple[AstExpression | int, ...]


@dataclass(frozen=True)
class AstInstance:
    """One instance of a statement: the values of its iterators, and its redirected accesses.

    `number` is its position in the order in which isl generated the instance nodes.
    """

    statement: str
    arguments: tuple[AstExpression, ...]
    number: int
    local: tuple[LocalAccess, ...] = ()


AstNode = AstFor | AstLet | AstIf | AstBlock | AstMark | AstInstance


class EndlessLoopError(ValueError):
    """A loop of isl's AST has no bound."""


class OwnBoundError(ValueError):
    """The bound of a loop of isl's AST changes with its own iterator."""


def children_of(node: AstNode) -> tuple[AstNode, ...]:
    """The nodes directly below `node`, in the order of execution."""
    match node:
        case AstFor() | AstLet() | AstMark():
            return (node.body,)
        case AstIf():
            return (node.then,) if node.otherwise is None else (node.then, node.otherwise)
        case AstBlock():
            return node.children
        case AstInstance():
            return ()


def ast_nodes(node: AstNode) -> Iterator[AstNode]:
    """All nodes from `node` down, parents first."""
    yield node
    for child in children_of(node):
        yield from ast_nodes(child)


def statements_in(node: AstNode) -> tuple[str, ...]:
    """The names of the statements from `node` down, once for each place where one is executed."""
    return tuple(inner.statement for inner in ast_nodes(node) if isinstance(inner, AstInstance))


def generated_instances(
    node: AstNode,
    dates: Sequence[isl.Map],
    iterators: Sequence[str],
    loops: tuple[GeneratedLoop, ...] = (),
) -> Iterator[GeneratedInstance]:
    """The instances from `node` down, in the order of execution, inside of `loops`.

    `dates` are those of the instance nodes by their numbers, and `iterators` the names of the
    loops by schedule depth.
    """
    match node:
        case AstFor() | AstLet():
            loop = GeneratedLoop(iterators.index(node.iterator))
            yield from generated_instances(node.body, dates, iterators, (*loops, loop))
        case AstInstance():
            yield GeneratedInstance(loops, dates[node.number])
        case _:
            for child in children_of(node):
                yield from generated_instances(child, dates, iterators, loops)


def without_statements(node: AstNode, is_unwanted: Callable[[str], bool]) -> AstNode | None:
    """The tree from `node` down without what executes some statements, given by their names.

    `None` if nothing is left.
    """
    match node:
        case AstFor() | AstLet() | AstMark():
            body = without_statements(node.body, is_unwanted)
            return None if body is None else replace(node, body=body)
        case AstIf(condition, then, otherwise):
            first = without_statements(then, is_unwanted)
            second = None if otherwise is None else without_statements(otherwise, is_unwanted)
            if first is None and second is None:
                return None
            return AstIf(condition, AstBlock(()) if first is None else first, second)
        case AstBlock():
            children = (without_statements(child, is_unwanted) for child in node.children)
            left = tuple(child for child in children if child is not None)
            return AstBlock(left) if left else None
        case AstInstance():
            return None if is_unwanted(node.statement) else node


def parts_of(expression: AstExpression) -> Iterator[AstExpression]:
    """The expression and all expressions in it."""
    yield expression
    if isinstance(expression, AstOperation):
        for argument in expression.arguments:
            yield from parts_of(argument)


def conjuncts(condition: AstExpression) -> tuple[AstExpression, ...]:
    """The conditions that hold together where `condition` does."""
    match condition:
        case AstOperation(Operator.AND, arguments):
            return tuple(part for each in arguments for part in conjuncts(each))
        case _:
            return (condition,)


def variables_in(expression: AstExpression) -> frozenset[str]:
    """The parameters and iterators in an expression."""
    return frozenset(part.name for part in parts_of(expression) if isinstance(part, AstName))


def uses(expression: AstExpression, *operators: Operator) -> bool:
    """Whether one of `operators` occurs in an expression."""
    return any(
        isinstance(part, AstOperation) and part.operator in operators
        for part in parts_of(expression)
    )


def node_from_isl(node: isl.AstNode) -> AstNode:
    """A node of isl's AST as plain data.

    Raises `EndlessLoopError`, `OwnBoundError` and `WideNumberError`.

    The annotation of each user node must be its number, and a tuple of `LocalAccess`.
    """
    match isl.ast_node_type(node.get_type()):
        case kind if kind is _FOR:
            return _loop(node)
        case kind if kind is _IF:
            otherwise = node.if_get_else_node() if node.if_has_else_node() else None
            return AstIf(
                expression_from_isl(node.if_get_cond()),
                node_from_isl(node.if_get_then_node()),
                None if otherwise is None else node_from_isl(otherwise),
            )
        case isl.ast_node_type.block:
            children = node.block_get_children()
            nodes = (children.get_at(position) for position in range(children.n_ast_node()))
            return AstBlock(tuple(map(node_from_isl, nodes)))
        case isl.ast_node_type.mark:
            return AstMark(node.mark_get_id().user, node_from_isl(node.mark_get_node()))
        case _:
            name, *arguments = arguments_of(node.user_get_expr())
            values = tuple(map(expression_from_isl, arguments))
            number, local = cast(tuple[int, tuple[LocalAccess, ...]], node.get_annotation().user)
            return AstInstance(_identifier(name), values, number, local)


def _loop(node: isl.AstNode) -> AstFor | AstLet:
    iterator = _identifier(node.for_get_iterator())
    first = expression_from_isl(node.for_get_init())
    if node.for_is_degenerate():
        return AstLet(iterator, first, node_from_isl(node.for_get_body()))
    condition = expression_from_isl(node.for_get_cond())
    # isl makes no other conditions unless its option `ast_build_atomic_upper_bound` is off.
    match condition:
        case AstOperation((Operator.LT | Operator.LE) as operator, (_, bound)):
            if iterator in variables_in(bound):
                raise OwnBoundError(iterator)
            step = int(node.for_get_inc().get_val().to_python())
            body = node_from_isl(node.for_get_body())
            return AstFor(iterator, first, bound, operator is Operator.LE, step, body)
        case _:
            raise EndlessLoopError("a loop would never end")


def expression_from_isl(expression: isl.AstExpr) -> AstExpression:
    """An expression of isl's AST as plain data."""
    match isl.ast_expr_type(expression.get_type()):
        case isl.ast_expr_type.int:
            return AstNumber(require_index_number(int(expression.get_val().to_python())))
        case isl.ast_expr_type.id:
            return AstName(_identifier(expression))
        case _:
            operator = _OPERATORS[isl.ast_expr_op_type(expression.get_op_type())]
            return AstOperation(operator, tuple(map(expression_from_isl, arguments_of(expression))))


def _identifier(expression: isl.AstExpr) -> str:
    name = expression.get_id().get_name()
    assert name is not None
    return name


def arguments_of(expression: isl.AstExpr) -> tuple[isl.AstExpr, ...]:
    """The arguments of an operation of isl's AST."""
    return tuple(expression.get_op_arg(n) for n in range(expression.get_op_n_arg()))


# Members whose names are Python's own words are missing from islpy's stub.
_FOR, _IF = isl.ast_node_type["for_"], isl.ast_node_type["if_"]

_OPERATORS = {
    isl.ast_expr_op_type.add: Operator.ADD,
    isl.ast_expr_op_type.sub: Operator.SUB,
    isl.ast_expr_op_type.mul: Operator.MUL,
    isl.ast_expr_op_type.minus: Operator.MINUS,
    # Rounded down; rounded towards zero with a dividend that isl knows not to be negative; exact.
    isl.ast_expr_op_type.fdiv_q: Operator.FLOORDIV,
    isl.ast_expr_op_type.pdiv_q: Operator.FLOORDIV,
    isl.ast_expr_op_type.div: Operator.FLOORDIV,
    # The remainder of a dividend that is not negative; one that is only compared with zero.
    isl.ast_expr_op_type.pdiv_r: Operator.MOD,
    isl.ast_expr_op_type.zdiv_r: Operator.MOD,
    isl.ast_expr_op_type.min: Operator.MIN,
    isl.ast_expr_op_type.max: Operator.MAX,
    isl.ast_expr_op_type.cond: Operator.SELECT,
    isl.ast_expr_op_type.select: Operator.SELECT,
    # What is not evaluated has no effect: index arithmetic divides by constants only.
    isl.ast_expr_op_type["and_"]: Operator.AND,
    isl.ast_expr_op_type.and_then: Operator.AND,
    isl.ast_expr_op_type["or_"]: Operator.OR,
    isl.ast_expr_op_type.or_else: Operator.OR,
    isl.ast_expr_op_type.eq: Operator.EQ,
    isl.ast_expr_op_type.le: Operator.LE,
    isl.ast_expr_op_type.lt: Operator.LT,
    isl.ast_expr_op_type.ge: Operator.GE,
    isl.ast_expr_op_type.gt: Operator.GT,
}
