"""Expressions of C as operations: the same operations in the same order, typed as C types them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Final

from pycparser import c_ast
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.frontend.c.builder import Builder
from polyir.frontend.c.calls import Calls
from polyir.frontend.c.conditions import (
    NEVER,
    Condition,
    DataTest,
    Junction,
    Test,
    alternatives,
    comparison,
    is_static,
    negation,
)
from polyir.frontend.c.errors import refuse
from polyir.frontend.c.names import nodes_below
from polyir.frontend.c.scopes import integer_constant
from polyir.frontend.c.types import (
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    Arithmetic,
    common_type,
    promoted,
)
from polyir.frontend.c.values import Conversions, Value
from polyir.frontend.c.variables import Local, Variables
from polyir.model.index_expressions import Constraint, IndexExpression

_COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
_OPPOSITES: Final = MappingProxyType(
    {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
)
_MOST_CASES: Final = 6
"""Conditions with more cases than this are not compared with minima."""
_NO_SIGNED_WRAP: Final = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])

_FLOAT_OPERATIONS: Final = MappingProxyType(
    {"+": arith.AddfOp, "-": arith.SubfOp, "*": arith.MulfOp, "/": arith.DivfOp}
)
_FLOAT_PREDICATES: Final = MappingProxyType(
    {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
)
_WRAPPING: Final = MappingProxyType({"+": arith.AddiOp, "-": arith.SubiOp, "*": arith.MuliOp})
_BITWISE: Final = MappingProxyType({"&": arith.AndIOp, "|": arith.OrIOp, "^": arith.XOrIOp})
_DIVISIONS: Final = MappingProxyType(
    {
        ("/", True): arith.DivSIOp,
        ("/", False): arith.DivUIOp,
        ("%", True): arith.RemSIOp,
        ("%", False): arith.RemUIOp,
    }
)
_PREDICATES: Final = MappingProxyType({"<": "lt", "<=": "le", ">": "gt", ">=": "ge"})


class Expressions:
    """Translates expressions at the builder's current place."""

    def __init__(self, builder: Builder, variables: Variables, calls: Calls) -> None:
        self._builder = builder
        self._variables = variables
        self._calls = calls
        self.conversions = Conversions(builder)

    def value(self, node: c_ast.Node) -> Value:
        """The value of an expression; raises `NotModelledError`."""
        with self._builder.at(node):
            return self._value(node)

    def index(self, node: c_ast.Node) -> IndexExpression:
        """The value of an integer expression as an index."""
        value = self.value(node)
        if value.type.is_float:
            raise refuse(node, f"a subscript of type {value.type.name}")
        return self.conversions.index(value)

    def _value(self, node: c_ast.Node) -> Value:
        match node:
            case c_ast.Constant():
                return self._constant(node)
            case c_ast.ID():
                known = self._variables.known(node)
                return self._load(node) if known is None else known
            case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
                fixed = self._variables.constant_element(node)
                return self._load(node) if fixed is None else fixed
            case c_ast.StructRef():
                member = self._variables.constant_member(node)
                return self._load(node) if member is None else member
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp(op=operator) if operator in (*_COMPARISONS, "&&", "||"):
                return self.of_truth(self.truth(self.condition(node)))
            case c_ast.BinaryOp():
                return self.binary(node, node.op, self.value(node.left), self.value(node.right))
            case c_ast.TernaryOp():
                return self._ternary(node)
            case c_ast.Cast():
                return self._cast(node)
            case c_ast.FuncCall():
                expected = _expected(node)
                if expected is not None:
                    return self.conversions.convert(self.value(expected), LONG)
                return self._call(node)
            case c_ast.Assignment():
                raise refuse(node, "an assignment inside an expression")
            case c_ast.ExprList():
                raise refuse(node, "the comma operator")
            case _:
                raise refuse(node, f"an expression of the form {type(node).__name__}")

    # Leaves

    def _constant(self, node: c_ast.Constant) -> Value:
        if "float" in node.type or "double" in node.type:
            text = node.value.lower()
            if text.endswith("l") or "long" in node.type:
                raise refuse(node, "a constant of type long double")
            is_hexadecimal = text.startswith("0x")
            is_single = text.endswith("f") and (not is_hexadecimal or "p" in text)
            digits = text.rstrip("f") if is_single else text
            number = float.fromhex(digits) if is_hexadecimal else float(digits)
            type = FLOAT if is_single else DOUBLE
            return Value(type, self._builder.constant(number, type.ir))
        if node.type == "string":
            raise refuse(node, "a string")
        number, suffix = integer_constant(node)
        is_decimal = not node.value.startswith("0")
        return Value(_constant_type(number, suffix, is_decimal), index=IndexExpression((), number))

    def _load(self, node: c_ast.Node) -> Value:
        element = self._variables.element(node, self.index)
        return Value(element.type, self._builder.load(element.memory, element.indices))

    def of_truth(self, truth: SSAValue) -> Value:
        """An `i1` as C's 0 or 1."""
        op = arith.ExtUIOp(truth, INT.ir)  # type: ignore[arg-type]
        return Value(INT, self._builder.insert_invariant(op).result)

    # Operators

    def _unary(self, node: c_ast.UnaryOp) -> Value:
        match node.op:
            case "+":
                value = self.value(node.expr)
                return self.conversions.convert(value, promoted(value.type))
            case "-":
                return self._negated(node)
            case "~":
                value = self.value(node.expr)
                if value.type.is_float:
                    raise refuse(node, "'~' of a floating-point value")
                minus_one = Value(INT, index=IndexExpression((), -1))
                return self.binary(node, "^", value, minus_one)
            case "!":
                return self.of_truth(self.truth(self.condition(node)))
            case "sizeof":
                size = self._variables.scopes.size_of(node.expr)
                if size is None:
                    raise refuse(node, "this use of sizeof")
                return Value(ULONG, index=IndexExpression((), size))
            case "++" | "--" | "p++" | "p--":
                raise refuse(node, f"'{node.op.removeprefix('p')}' inside an expression")
            case "&":
                raise refuse(node, "the address of an object")
            case _:
                raise refuse(node, f"the operator '{node.op}'")

    def _negated(self, node: c_ast.UnaryOp) -> Value:
        value = self.value(node.expr)
        if value.type.is_float:
            data = self.conversions.data(value)
            return Value(value.type, self._builder.insert(arith.NegfOp(data)).result)
        zero = Value(INT, index=IndexExpression())
        return self.binary(node, "-", zero, value)

    def binary(self, node: c_ast.Node, operator: str, left: Value, right: Value) -> Value:
        """`left operator right` after C's conversions."""
        if operator in ("<<", ">>"):
            return self._shift(node, operator, left, right)
        type = common_type(left.type, right.type)
        left, right = (self.conversions.convert(value, type) for value in (left, right))
        if type.is_float:
            if operator not in _FLOAT_OPERATIONS:
                raise refuse(node, f"'{operator}' of floating-point values")
            kind = _FLOAT_OPERATIONS[operator]
            op = kind(self.conversions.data(left), self.conversions.data(right))
            return Value(type, self._builder.insert(op).result)
        exact = self._exact(operator, left, right)
        if exact is not None and operator == "*" and type.width == 64 and not type.is_signed:
            # Both factors are exact, and nothing is as large as 2**63.
            self._builder.assume_everywhere(exact)
        if exact is not None and self.conversions.is_exact(type, exact):
            return Value(type, index=exact)
        operands = (self.conversions.data(left), self.conversions.data(right))
        return self.conversions.of_data(type, self._integer(node, operator, type, *operands))

    def _exact(self, operator: str, left: Value, right: Value) -> IndexExpression | None:
        """The result as an index, if both operands and the result are indices."""
        if left.index is None or right.index is None:
            return None
        match operator:
            case "+":
                return left.index + right.index
            case "-":
                return left.index - right.index
            case "*":
                return self._builder.product(left.index, right.index)
            case "/" | "%":
                divisor = right.constant
                if divisor is None or divisor <= 0:
                    return None
                if not self._builder.proves_nonnegative(left.index):
                    return None
                is_quotient = operator == "/"
                kind = AffineBinaryOpKind.FloorDiv if is_quotient else AffineBinaryOpKind.Mod
                return left.index.divide(kind, divisor)
            case _:
                return None

    def _integer(
        self, node: c_ast.Node, operator: str, type: Arithmetic, left: SSAValue, right: SSAValue
    ) -> SSAValue:
        if operator in _WRAPPING:
            kind = _WRAPPING[operator]
            op = (
                kind(left, right, overflow=_NO_SIGNED_WRAP) if type.is_signed else kind(left, right)
            )
            return self._builder.insert_invariant(op).result
        if operator in _BITWISE:
            return self._builder.insert_invariant(_BITWISE[operator](left, right)).result
        division = _DIVISIONS.get((operator, type.is_signed))
        if division is None:
            raise refuse(node, f"the operator '{operator}'")
        quotient = division(left, right)
        divisor = right.owner.value if isinstance(right.owner, arith.ConstantOp) else None
        if isinstance(divisor, IntegerAttr) and divisor.value.data not in (0, -1):
            return self._builder.insert_invariant(quotient).result
        return self._builder.insert(quotient).result

    def _shift(self, node: c_ast.Node, operator: str, left: Value, right: Value) -> Value:
        if left.type.is_float or right.type.is_float:
            raise refuse(node, f"'{operator}' of floating-point values")
        type = promoted(left.type)
        left = self.conversions.convert(left, type)
        amount = right.constant
        if operator == "<<" and amount is not None and left.index is not None and type.is_signed:
            return Value(type, index=left.index.scale(1 << amount))
        amounts = self.conversions.convert(
            self.conversions.convert(right, promoted(right.type)), type
        )
        operands = (self.conversions.data(left), self.conversions.data(amounts))
        if operator == "<<":
            op: Operation = arith.ShLIOp(*operands)
        else:
            op = (arith.ShRSIOp if type.is_signed else arith.ShRUIOp)(*operands)
        return self.conversions.of_data(type, self._builder.insert_invariant(op).results[0])

    def _cast(self, node: c_ast.Cast) -> Value:
        type = self._variables.scopes.type_of(node.to_type)
        if not isinstance(type, Arithmetic):
            raise refuse(node, "a cast to an unsupported type")
        return self.conversions.convert(self.value(node.expr), type)

    # Calls

    def _call(self, node: c_ast.FuncCall) -> Value:
        inlined = self._calls.inlined(node)
        if inlined is None:
            return self._operation(node)
        arguments = [self.value(argument) for argument in (node.args.exprs if node.args else ())]
        with self._variables.inside_function():
            for (name, type), argument in zip(inlined.parameters, arguments, strict=True):
                converted = self.conversions.convert(argument, type)
                self._variables.declare(name, Local(type, converted))
            with self._calls.entered(inlined):
                result = self.value(inlined.result)
        return self.conversions.convert(result, inlined.type)

    def _operation(self, node: c_ast.FuncCall) -> Value:
        """A call that is an operation on scalars and on pointers that do not change."""
        callee = self._calls.callee(node)
        operands: list[SSAValue] = []
        arguments: Sequence[c_ast.Node] = node.args.exprs if node.args is not None else ()
        for argument, type in zip(arguments, callee.parameters, strict=True):
            if isinstance(type, Arithmetic):
                value = self.conversions.convert(self.value(argument), type)
                operands.append(self.conversions.data(value))
            else:
                operands.append(self._variables.pointer(argument))
        return self.conversions.of_data(callee.result, self._calls.operation(callee, operands))

    # Conditions

    def condition(self, node: c_ast.Node, negated: bool = False) -> Condition:
        """The condition that an expression is not zero (is zero, if `negated`)."""
        match node:
            case c_ast.UnaryOp(op="!", expr=inner):
                return self.condition(inner, not negated)
            case c_ast.BinaryOp(op="&&" | "||" as operator):
                is_all = (operator == "&&") != negated
                left = self.condition(node.left, negated)
                with self._builder.under(left if is_all else negation(left)):
                    right = self.condition(node.right, negated)
                return Junction(is_all, (left, right))
            case c_ast.BinaryOp(op=operator) if operator in _COMPARISONS:
                return self._comparison(
                    node, _OPPOSITES[operator] if negated else operator, negated
                )
            case c_ast.FuncCall() if (expected := _expected(node)) is not None:
                return self.condition(expected, negated)
            case _:
                value = self._attempt(lambda: self.value(node))
                if value is None or value.index is None:
                    return DataTest(node, negated)
                zero = IndexExpression()
                return comparison("==" if negated else "!=", value.index, zero)

    def _comparison(self, node: c_ast.BinaryOp, operator: str, negated: bool) -> Condition:
        def read() -> tuple[Value, Value]:
            left, right = self.value(node.left), self.value(node.right)
            type = common_type(left.type, right.type)
            convert = self.conversions.convert
            return convert(left, type), convert(right, type)

        pair = self._attempt(read)
        if pair is None or pair[0].index is None or pair[1].index is None:
            return DataTest(node, negated)
        return comparison(operator, pair[0].index, pair[1].index)

    def _attempt(self, read: Callable[[], Value | tuple[Value, Value]]):  # type: ignore[no-untyped-def]
        """The result of `read` if it is affine; otherwise `None`, and nothing is inserted."""
        block = self._builder.block
        last = block.last_op
        found = read()
        values = found if isinstance(found, tuple) else (found,)
        if all(v.index is not None and self._builder.is_affine(v.index) for v in values):
            return found
        # What is invariant stays: it stands before `last`, or at the end of the entry block.
        kept = (last, self._builder.entry_end)
        while (op := block.last_op) is not None and op not in kept:
            block.erase_op(op)
        return None

    def truth(self, condition: Condition) -> SSAValue:
        """An `i1` that says whether a condition holds."""
        match condition:
            case Test(constraint=constraint):
                return self._test(constraint)
            case DataTest(node=node, negated=negated):
                with self._builder.at(node):
                    return self._data_test(node, negated)
            case Junction(is_all=is_all, parts=parts):
                result = self.truth(parts[0])
                for position, part in enumerate(parts[1:], start=1):
                    before = Junction(is_all, parts[:position])
                    with self._builder.under(before if is_all else negation(before)):
                        result = self._joined(is_all, result, part)
                return result

    def _joined(self, is_all: bool, left: SSAValue, part: Condition) -> SSAValue:
        """The conjunction or disjunction of two conditions, with short-circuit evaluation."""
        if _is_safe(part):
            kind = arith.AndIOp if is_all else arith.OrIOp
            return self._builder.insert_invariant(kind(left, self.truth(part))).result

        def known() -> SSAValue:
            return self._builder.constant(0 if is_all else 1, i1)

        def other() -> SSAValue:
            return self.truth(part)

        arms = (other, known) if is_all else (known, other)
        return self._choice(left, i1, *arms)

    def _test(self, constraint: Constraint) -> SSAValue:
        positive = IndexExpression(
            tuple(term for term in constraint.expression.terms if term[1] > 0),
            max(0, constraint.expression.constant),
        )
        negative = positive - constraint.expression
        left, right = self._builder.index_value(positive), self._builder.index_value(negative)
        predicate = "eq" if constraint.is_equality else "sge"
        return self._builder.insert_invariant(arith.CmpiOp(left, right, predicate)).result

    def _data_test(self, node: c_ast.Node, negated: bool) -> SSAValue:
        if isinstance(node, c_ast.BinaryOp) and node.op in _COMPARISONS:
            compared = self._compare(node.op, self.value(node.left), self.value(node.right))
        else:
            compared = self.conversions.truth(self.value(node))
        if not negated:
            return compared
        true = self._builder.constant(1, i1)
        return self._builder.insert_invariant(arith.XOrIOp(compared, true)).result

    def _compare(self, operator: str, left: Value, right: Value) -> SSAValue:
        type = common_type(left.type, right.type)
        convert = self.conversions.convert
        first = self.conversions.data(convert(left, type))
        second = self.conversions.data(convert(right, type))
        if type.is_float:
            predicate = _FLOAT_PREDICATES[operator]
            return self._builder.insert(arith.CmpfOp(first, second, predicate)).result
        if operator in _PREDICATES:
            predicate = ("s" if type.is_signed else "u") + _PREDICATES[operator]
        else:
            predicate = "eq" if operator == "==" else "ne"
        return self._builder.insert_invariant(arith.CmpiOp(first, second, predicate)).result

    def _ternary(self, node: c_ast.TernaryOp) -> Value:
        condition = self.condition(node.cond)
        if _is_safe_node(node.iftrue) and _is_safe_node(node.iffalse):
            return self._selection(node, condition)
        types = [self._type_of(arm) for arm in (node.iftrue, node.iffalse)]
        type = common_type(*types)

        def arm(part: c_ast.Node, reached: Condition) -> Callable[[], SSAValue]:
            def computed() -> SSAValue:
                with self._builder.under(reached):
                    return self.conversions.data(self.conversions.convert(self.value(part), type))

            return computed

        arms = (arm(node.iftrue, condition), arm(node.iffalse, negation(condition)))
        return Value(type, self._choice(self.truth(condition), type.ir, *arms))

    def _selection(self, node: c_ast.TernaryOp, condition: Condition) -> Value:
        """A choice between two values that may both be computed."""
        true, false = self.value(node.iftrue), self.value(node.iffalse)
        type = common_type(true.type, false.type)
        true, false = (self.conversions.convert(value, type) for value in (true, false))
        if true.index is not None and false.index is not None and is_static(condition):
            extremum = self._extremum(condition, true.index, false.index)
            if extremum is not None:
                return Value(type, index=extremum)
            if self._builder.is_affine(true.index) and self._builder.is_affine(false.index):
                return Value(type, index=self._index_selection(condition, true.index, false.index))
        operands = (self.conversions.data(true), self.conversions.data(false))
        op = arith.SelectOp(self.truth(condition), *operands)
        inserted = self._builder.insert(op) if type.is_float else self._builder.insert_invariant(op)
        return self.conversions.of_data(type, inserted.result)

    def _index_selection(
        self, condition: Condition, true: IndexExpression, false: IndexExpression
    ) -> IndexExpression:
        """One of two indices. Affine maps cannot use it, but its cases are known."""
        operands = (self._builder.index_value(true), self._builder.index_value(false))
        op = arith.SelectOp(self.truth(condition), *operands)
        result = self._builder.insert_invariant(op).result
        if not self._builder.is_invariant(result):
            self._builder.note_data(result)
        return IndexExpression.of(result)

    def _extremum(
        self, condition: Condition, true: IndexExpression, false: IndexExpression
    ) -> IndexExpression | None:
        """The minimum or maximum that `condition ? true : false` computes, if it is one.

        So is `v < low ? low : min(v, high)` where `low <= high` is known.
        """
        proves = self._builder.proves_under
        holds, fails = alternatives(condition), alternatives(negation(condition))
        is_affine = self._builder.is_affine(true) and self._builder.is_affine(false)
        if holds is None or fails is None or not is_affine or len(holds) + len(fails) > _MOST_CASES:
            return None
        difference = false - true
        for is_minimum, gain in ((True, difference), (False, difference.scale(-1))):
            if all(proves(case, gain) for case in holds) and all(
                proves(case, gain.scale(-1)) for case in fails
            ):
                return self._builder.extremum((true, false), is_minimum)
        return None

    def constant(self, node: c_ast.Node) -> int | None:
        """The number that an integer expression is wherever it stands in its block, if any."""
        return self._tried(node).constant

    def _type_of(self, node: c_ast.Node) -> Arithmetic:
        return self._tried(node).type

    def _tried(self, node: c_ast.Node) -> Value:
        """What is known about an expression; operations inserted to find it are removed again."""
        block = Block()
        with self._builder.inside(block), self._builder.under(NEVER):
            value = self.value(node)
        for op in reversed(tuple(block.ops)):
            block.erase_op(op)
        return value

    def _choice(
        self,
        condition: SSAValue,
        type: Attribute,
        true: Callable[[], SSAValue],
        false: Callable[[], SSAValue],
    ) -> SSAValue:
        """One of two values; only the chosen one is computed."""
        blocks = (Block(), Block())
        op = self._builder.insert(scf.IfOp(condition, [type], Region(blocks[0]), Region(blocks[1])))
        for block, arm in zip(blocks, (true, false), strict=True):
            with self._builder.inside(block):
                self._builder.insert(scf.YieldOp(arm()))
        return op.results[0]


def _constant_type(number: int, suffix: str, is_decimal: bool) -> Arithmetic:
    """The first type in C's list that can represent the number (C11, 6.4.4.1)."""
    count = suffix.count("l")
    candidates = ((INT, UINT), (LONG, ULONG), (LLONG, ULLONG))[count:]
    for signed, unsigned in candidates:
        if "u" not in suffix and number < 1 << (signed.width - 1):
            return signed
        if ("u" in suffix or not is_decimal) and number < 1 << unsigned.width:
            return unsigned
    return ULLONG


def _expected(node: c_ast.FuncCall) -> c_ast.Node | None:
    """The value of which `__builtin_expect` says what it probably is."""
    arguments: list[c_ast.Node] = node.args.exprs if node.args is not None else []
    is_hint = isinstance(node.name, c_ast.ID) and node.name.name == "__builtin_expect"
    return arguments[0] if is_hint and len(arguments) == 2 else None


def _is_safe(condition: Condition) -> bool:
    """Whether a condition may be evaluated although C would not."""
    match condition:
        case Test():
            return True
        case DataTest(node=node):
            return _is_safe_node(node)
        case Junction(parts=parts):
            return all(_is_safe(part) for part in parts)


def _is_safe_node(node: c_ast.Node) -> bool:
    """Whether an expression reads no array and divides by nothing that may be zero."""
    for inner in nodes_below(node):
        match inner:
            case c_ast.ArrayRef() | c_ast.FuncCall() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return False
            case c_ast.BinaryOp(op="/" | "%"):
                return False
            case _:
                pass
    return True
