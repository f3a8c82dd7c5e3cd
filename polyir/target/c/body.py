"""The body of a C function while it is translated: names in scope, values, arrays, statements."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.traits import IsTerminator

from polyir.target.abi import PREFIX, RESERVED, identifier, scalar_type
from polyir.target.c.affine import AffineOperands, linear_index, occurrences
from polyir.target.c.dialect import Dialect
from polyir.target.c.plan import Plan
from polyir.target.c.syntax import (
    Array,
    Assign,
    CStatement,
    Declaration,
    Element,
    Expression,
    IntegerLiteral,
    Name,
    Variable,
    literal,
    variables_of,
)
from polyir.target.c.types import CType, Vector
from polyir.target.errors import unsupported


class NameTable:
    """The names in scope. A name is unique among those of the scopes around it."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._scopes: list[dict[str, None]] = [dict.fromkeys((*RESERVED, *taken))]
        # For each scope, stem and suffixes: the first number that may be free.
        self._numbers: list[dict[tuple[str, ...], int]] = [{}]
        self.in_original: frozenset[str] = frozenset()
        """Names in code that comes into the outermost scope, which no variable of it has."""

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Names made inside the `with` block are free again after it."""
        self._scopes.append({})
        self._numbers.append({})
        try:
            yield
        finally:
            self._scopes.pop()
            self._numbers.pop()

    def fresh(self, hint: str, suffixes: Sequence[str] = ("",)) -> Variable:
        """A variable named `hint`, or `hint_1` and so on.

        The name with each of `suffixes` is free, and is taken now.
        """
        stem = identifier(hint)
        key = (stem, *suffixes)
        count = max(numbers.get(key, 0) for numbers in self._numbers)
        candidate = f"{stem}_{count}" if count else stem
        while any(self._is_taken(candidate + suffix) for suffix in suffixes):
            count += 1
            candidate = f"{stem}_{count}"
        self._numbers[-1][key] = count + 1
        for suffix in suffixes:
            self._scopes[-1][candidate + suffix] = None
        return Variable(candidate)

    def for_value(self, value: SSAValue, default: str) -> Variable:
        """A variable named as `value` is in the source."""
        return self.fresh(value.name_hint or default)

    def _is_taken(self, name: str) -> bool:
        if len(self._scopes) == 1 and name in self.in_original:
            return True
        return name.startswith(PREFIX) or any(name in scope for scope in self._scopes)


class Body:
    """Collects the statements of one function, whose values are written as `plan` says.

    `translate` is called for each operation that the plan does not drop. `updates` are results that
    are assigned to a variable as soon as they are computed.
    """

    def __init__(
        self,
        plan: Plan,
        names: NameTable,
        translate: Callable[[Body, Operation], None],
        dialect: Dialect,
        openmp: bool,
    ) -> None:
        self.plan = plan
        self.names = names
        self.dialect = dialect
        self.openmp = openmp
        self.in_parallel = False
        self.arrays: dict[SSAValue, Array] = {}
        self.statements: list[CStatement] = []
        self.updates: dict[SSAValue, Name] = {}
        self._translate = translate
        self._values: dict[SSAValue, Expression] = {}

    # ---------------------------------------------------------------- values

    def is_live(self, value: SSAValue) -> bool:
        """Whether something depends on a value."""
        return value in self.plan.live

    def bind(self, value: SSAValue, expression: Expression) -> None:
        """Write `value` as `expression`, a name or a literal, wherever it is used."""
        self._values[value] = expression

    def define(self, value: SSAValue, expression: Expression) -> None:
        """Write `value` as `expression`, or as a local that is declared here and holds it."""
        is_copy = isinstance(expression, Name) and expression.variable.declared is not None
        if is_copy or isinstance(expression, IntegerLiteral) or value in self.plan.folded:
            self._values[value] = expression
            return
        variable = self.names.for_value(value, "t")
        self.add(Declaration(expression.type, variable, expression, is_constant=True))
        self._values[value] = Name(expression.type, variable)

    def value(self, value: SSAValue) -> Expression:
        """The expression of a value."""
        known = self._values.get(value)
        if known is None:
            raise unsupported(
                _owner(value), f"values of type '{value.type}' are not supported here"
            )
        return known

    def operands(
        self, expressions: Sequence[AffineExpr], num_dims: int, operands: Sequence[SSAValue]
    ) -> AffineOperands:
        """The operands of affine expressions; one that does not occur is anything."""
        used = occurrences(expressions, num_dims)
        return AffineOperands(
            [
                self.value(operand) if position in used else literal(0)
                for position, operand in enumerate(operands)
            ],
            [operand in self.plan.nonnegative for operand in operands],
            num_dims,
        )

    def map(self, map: AffineMap, operands: Sequence[SSAValue]) -> list[Expression]:
        """The results of an affine map."""
        return self.operands(map.results, map.num_dims, operands).map(map)

    def minimum(self, map: AffineMap, operands: Sequence[SSAValue]) -> Expression:
        """The least result of an affine map."""
        return self.operands(map.results, map.num_dims, operands).minimum(map.results)

    def maximum(self, map: AffineMap, operands: Sequence[SSAValue]) -> Expression:
        """The greatest result of an affine map."""
        return self.operands(map.results, map.num_dims, operands).maximum(map.results)

    # ---------------------------------------------------------------- memory

    def array(self, memref: SSAValue) -> Array:
        """How a memref is accessed."""
        array = self.arrays.get(memref)
        if array is None:
            raise unsupported(
                _owner(memref), f"values of type '{memref.type}' are not supported here"
            )
        return array

    def element(self, memref: SSAValue, indices: Sequence[Expression]) -> Element:
        """The element of a memref at `indices`."""
        array = self.array(memref)
        if array.is_linear:
            indices = (linear_index(indices, array.extents),)
        return Element(array.element, array.variable, tuple(indices), array.is_pointer)

    def type_of(self, value: SSAValue) -> CType:
        """The C type of a value; raises `TargetError` if it has none."""
        if not (isinstance(value.type, VectorType) and self.dialect.has_vectors):
            return scalar_type(value.type, _owner(value))
        from polyir.target.c.masks import vector_type

        return vector_type(value)

    # ---------------------------------------------------------------- statements

    def add(self, statement: CStatement) -> None:
        self.statements.append(statement)

    @contextmanager
    def nested(self) -> Iterator[list[CStatement]]:
        """A scope of its own; the statements that are added in it come in a list of their own."""
        outer, self.statements = self.statements, []
        with self.names.scope():
            yield self.statements
        self.statements = outer

    def translate_block(self, block: Block, done: Container[Operation] = ()) -> Operation | None:
        """Translate all operations that are not `done` but the terminator, which is returned."""
        last = block.last_op
        terminator = last if last is not None and last.has_trait(IsTerminator()) else None
        for op in block.ops:
            if op is not terminator and op not in done and not self.plan.drops(op):
                self._translate(self, op)
                for result in op.results:
                    if (target := self.updates.get(result)) is not None:
                        self.assign([target], [self.value(result)])
                        self.bind(result, target)
        return terminator

    def assign(self, targets: Sequence[Name], values: Sequence[Expression]) -> None:
        """Assign all values to all targets at once: each is read before it is overwritten."""
        left = [
            (target, fitted(target.type, value))
            for target, value in zip(targets, values, strict=True)
            if not (isinstance(value, Name) and value.variable is target.variable)
        ]
        while left:
            free = next((pair for pair in left if not _is_read_by_others(pair, left)), None)
            if free is not None:
                left.remove(free)
                self.add(Assign(*free))
                continue
            # Each target is read by another value: compute one value ahead of its turn.
            target, value = left.pop(0)
            ahead = self.names.fresh(f"next_{target.variable.name}")
            self.add(Declaration(value.type, ahead, value, is_constant=True))
            left.append((target, Name(value.type, ahead)))


BodyMaker = Callable[[Plan, NameTable, Callable[[Body, Operation], None], Dialect, bool], Body]
"""Makes a `Body`, or an object of a class derived from it."""


_Pair = tuple[Name, Expression]


def fitted(type: CType, value: Expression) -> Expression:
    """The value for a variable of a type; masks may have another width."""
    if not isinstance(type, Vector) or value.type == type:
        return value
    from polyir.target.c.vector_operations import as_type

    return as_type(type, value)


def _owner(value: SSAValue) -> Operation | None:
    """The operation that defines a value, or in which it is an argument."""
    owner = value.owner
    return owner if isinstance(owner, Operation) else owner.parent_op()


def _is_read_by_others(pair: _Pair, pairs: Sequence[_Pair]) -> bool:
    """Whether the target of `pair` occurs in the value of another pair."""
    target = pair[0].variable
    return any(target in variables_of(value) for other, value in pairs if other is not pair[0])
