"""A program as MLIR text.

Inside an `scf.for` everything is printed with `scf`, `arith` and `memref`, for MLIR takes the
iterator of such a loop in no affine expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from types import MappingProxyType

from fuzzing.program import (
    FLOATS,
    Affine,
    Array,
    Binary,
    Carried,
    Choice,
    Constant,
    Convert,
    DataGuard,
    Guard,
    IndexValue,
    Let,
    Load,
    Loop,
    Node,
    Program,
    Reference,
    Store,
    Value,
)
from fuzzing.trace import Layout

MLIR_OPERATORS = MappingProxyType({"mod": "mod", "floordiv": "floordiv", "ceildiv": "ceildiv"})
WIDTHS = MappingProxyType({"f64": 64, "f32": 32, "i64": 64, "i32": 32, "i8": 8})


def array_type(array: Array, layout: Layout, constant: bool) -> str:
    """The memref type; a local array, or one of a program without sizes, is static."""
    static = constant or array.local
    extents = [
        "?" if dynamic and not static else str(extent)
        for dynamic, extent in zip(array.dynamic, layout.largest(array.name), strict=True)
    ]
    return f"memref<{''.join(f'{extent}x' for extent in extents)}{array.type}>"


def extents_for(program: Program, layout: Layout, array: Array, run: int) -> tuple[int, ...]:
    """The extents of the array that is passed in run number `run`."""
    if program.constant:
        return layout.largest(array.name)
    pairs = zip(
        array.dynamic, layout.extents[run][array.name], layout.largest(array.name), strict=True
    )
    return tuple(own if dynamic else largest for dynamic, own, largest in pairs)


def print_program(program: Program, layout: Layout, name: str) -> str:
    """The program as a function of that name."""
    return _Printer(program, layout).function(name)


class _Printer:
    def __init__(self, program: Program, layout: Layout) -> None:
        self._program = program
        self._layout = layout
        self._lines: list[str] = []
        self._numbers = count()
        self._scf = False
        sizes = dict(program.sizes[0])
        self._constants = sizes if program.constant else {}
        self._sizes = () if program.constant else tuple(sizes)

    def function(self, name: str) -> str:
        passed = [array for array in self._program.arrays if not array.local]
        arguments = [f"%{size}: index" for size in self._sizes]
        arguments += [f"%{array.name}: {self._type(array)}" for array in passed]
        for array in self._program.arrays:
            if array.local:
                self._allocate(array)
        self._block(self._program.body)
        body = "\n".join(f"  {line}" for line in self._lines)
        return f"func.func @{name}({', '.join(arguments)}) {{\n{body}\n  return\n}}"

    def _type(self, array: Array) -> str:
        return array_type(array, self._layout, self._program.constant)

    def _allocate(self, array: Array) -> None:
        """A local array, and loops that fill it, for its first value has to be known."""
        self._lines.append(f"%{array.name} = memref.alloc() : {self._type(array)}")
        value = self._value(Constant(array.type, "1.5" if array.type in FLOATS else "3"))
        iterators = [self._fresh() for _ in range(array.rank)]
        for iterator, extent in zip(iterators, self._layout.largest(array.name), strict=True):
            self._lines.append(f"affine.for {iterator} = 0 to {extent} {{")
        where = f"%{array.name}[{', '.join(iterators)}] : {self._type(array)}"
        self._lines += [f"affine.store {value}, {where}", *["}"] * array.rank]

    def _fresh(self) -> str:
        return f"%v{next(self._numbers)}"

    def _define(self, text: str) -> str:
        name = self._fresh()
        self._lines.append(f"{name} = {text}")
        return name

    # Blocks

    def _block(self, body: tuple[Node, ...]) -> None:
        for node in body:
            match node:
                case Let():
                    self._let(node)
                case Store():
                    self._store(node)
                case Loop():
                    self._loop(node)
                case Guard():
                    self._guard(node)
                case DataGuard():
                    left, right = self._value(node.left), self._value(node.right)
                    condition = self._less(node.left.type, left, right)
                    self._branches("scf.if", condition, node.body, node.otherwise)

    def _let(self, node: Let) -> None:
        value = self._value(node.value)
        # A name of its own, so that references need no table.
        operation = "arith.addf" if node.value.type in FLOATS else "arith.addi"
        self._lines.append(f"%{node.name} = {operation} {value}, {value} : {node.value.type}")

    def _branches(
        self, keyword: str, condition: str, body: tuple[Node, ...], otherwise: tuple[Node, ...]
    ) -> None:
        self._lines.append(f"{keyword} {condition} {{")
        self._block(body)
        if otherwise:
            self._lines.append("} else {")
            self._block(otherwise)
        self._lines.append("}")

    def _guard(self, node: Guard) -> None:
        if self._scf:
            self._branches("scf.if", self._arith_condition(node), node.body, node.otherwise)
            return
        names = self._names_of(tuple(expression for expression, _ in node.conditions))
        dims, symbols, inside = names
        constraints = ", ".join(
            f"{expression.text(inside, MLIR_OPERATORS)} {sign} 0"
            for expression, sign in node.conditions
        )
        signature = _listed([inside[d] for d in dims], [inside[s] for s in symbols])
        operands = _listed([f"%{d}" for d in dims], [f"%{s}" for s in symbols])
        condition = f"affine_set<{signature} : ({constraints})>{operands}"
        self._branches("affine.if", condition, node.body, node.otherwise)

    def _arith_condition(self, node: Guard) -> str:
        zero = self._define("arith.constant 0 : index")
        parts = [
            self._define(
                f"arith.cmpi {'eq' if sign == '==' else 'sge'}, {self._index(e)}, {zero} : index"
            )
            for e, sign in node.conditions
        ]
        whole = parts[0]
        for part in parts[1:]:
            whole = self._define(f"arith.andi {whole}, {part} : i1")
        return whole

    def _loop(self, loop: Loop) -> None:
        initial = None if loop.carried is None else self._value(loop.carried.initial)
        outside = self._scf
        result = "" if loop.carried is None else f"%{loop.carried.name}_last = "
        if loop.kind == "parallel":
            head = self._parallel_head(loop)
        elif loop.kind == "scf" or self._scf:
            head = f"scf.for {self._scf_head(loop)}"
            self._scf = True
        else:
            lower, upper = self._bound(loop.lowers, "max"), self._bound(loop.uppers, "min")
            head = f"affine.for %{loop.iterator} = {lower} to {upper} step {loop.step}"
        keyword = "scf" if self._scf else "affine"
        arguments = "" if loop.carried is None else self._carried(loop.carried, initial)
        self._lines.append(f"{result}{head}{arguments} {{")
        self._block(loop.body)
        if loop.carried is not None:
            value = self._value(loop.carried.yielded)
            self._lines.append(f"{keyword}.yield {value} : {loop.carried.initial.type}")
        self._lines.append("}")
        self._scf = outside
        if loop.carried is not None:
            self._store(loop.carried.result)

    def _carried(self, carried: Carried, initial: str | None) -> str:
        return f" iter_args(%{carried.name} = {initial}) -> ({carried.initial.type})"

    def _parallel_head(self, loop: Loop) -> str:
        def bound(expressions: tuple[Affine, ...], operation: str) -> str:
            text = ", ".join(map(self._subscript, expressions))
            return f"{operation}({text})" if len(expressions) > 1 else text

        lower, upper = bound(loop.lowers, "max"), bound(loop.uppers, "min")
        return f"affine.parallel (%{loop.iterator}) = ({lower}) to ({upper}) step ({loop.step})"

    def _scf_head(self, loop: Loop) -> str:
        def combine(expressions: tuple[Affine, ...], operation: str) -> str:
            values = [self._index(expression) for expression in expressions]
            whole = values[0]
            for value in values[1:]:
                whole = self._define(f"arith.{operation} {whole}, {value} : index")
            return whole

        lower, upper = combine(loop.lowers, "maxsi"), combine(loop.uppers, "minsi")
        step = self._define(f"arith.constant {loop.step} : index")
        return f"%{loop.iterator} = {lower} to {upper} step {step}"

    def _bound(self, expressions: tuple[Affine, ...], operation: str) -> str:
        dims, symbols, inside = self._names_of(expressions)
        results = ", ".join(e.text(inside, MLIR_OPERATORS) for e in expressions)
        signature = _listed([inside[d] for d in dims], [inside[s] for s in symbols])
        operands = _listed([f"%{d}" for d in dims], [f"%{s}" for s in symbols])
        keyword = f"{operation} " if len(expressions) > 1 else ""
        return f"{keyword}affine_map<{signature} -> ({results})>{operands}"

    # Affine expressions

    def _names_of(
        self, expressions: tuple[Affine, ...]
    ) -> tuple[list[str], list[str], Mapping[str, str]]:
        """The dimensions, the symbols and what each name is called inside a map."""
        used = dict.fromkeys(name for expression in expressions for name in expression.names())
        symbols = [name for name in used if name in self._sizes]
        dims = [name for name in used if name not in symbols and name not in self._constants]
        inside = {name: f"d{position}" for position, name in enumerate(dims)}
        inside |= {name: f"s{position}" for position, name in enumerate(symbols)}
        return dims, symbols, inside | {k: str(v) for k, v in self._constants.items()}

    def _subscript(self, expression: Affine) -> str:
        names = {
            name: f"symbol(%{name})" if name in self._sizes else f"%{name}"
            for name in expression.names()
        }
        names |= {name: str(value) for name, value in self._constants.items()}
        return expression.text(names, MLIR_OPERATORS)

    def _index(self, expression: Affine) -> str:
        """The value of an expression by operations on indices."""

        def number(value: int) -> str:
            return self._define(f"arith.constant {value} : index")

        def product(value: str, factor: int) -> str:
            return self._define(f"arith.muli {value}, {number(factor)} : index")

        def named(name: str) -> str:
            return number(self._constants[name]) if name in self._constants else f"%{name}"

        total = number(expression.constant)
        for factor, name in expression.terms:
            total = self._define(f"arith.addi {total}, {product(named(name), factor)} : index")
        for quotient in expression.quotients:
            part = self._quotient(quotient.inner, quotient.operation, number(quotient.divisor))
            part = product(part, quotient.coefficient)
            total = self._define(f"arith.addi {total}, {part} : index")
        return total

    def _quotient(self, inner: Affine, operation: str, divisor: str) -> str:
        value = self._index(inner)
        if operation == "ceildiv":
            return self._define(f"arith.ceildivsi {value}, {divisor} : index")
        quotient = self._define(f"arith.floordivsi {value}, {divisor} : index")
        if operation == "floordiv":
            return quotient
        whole = self._define(f"arith.muli {quotient}, {divisor} : index")
        return self._define(f"arith.subi {value}, {whole} : index")

    def _element(self, name: str, subscripts: tuple[Affine, ...]) -> tuple[str, str]:
        """The dialect of the access, and the element with its type."""
        shifts = self._layout.shifts[name]
        shifted = [s.shifted(amount) for s, amount in zip(subscripts, shifts, strict=True)]
        show: Callable[[Affine], str] = self._index if self._scf else self._subscript
        type = self._type(self._program.array(name))
        text = f"%{name}[{', '.join(map(show, shifted))}] : {type}"
        return ("memref" if self._scf else "affine"), text

    # Values

    def _store(self, store: Store) -> None:
        value = self._value(store.value)
        dialect, element = self._element(store.array, store.subscripts)
        self._lines.append(f"{dialect}.store {value}, {element}")

    def _value(self, value: Value) -> str:
        match value:
            case Load():
                dialect, element = self._element(value.array, value.subscripts)
                return self._define(f"{dialect}.load {element}")
            case Constant():
                return self._define(f"arith.constant {value.text} : {value.type}")
            case Reference():
                return f"%{value.name}"
            case IndexValue():
                return self._index_value(value)
            case Binary():
                left, right = self._value(value.left), self._value(value.right)
                return self._define(f"{value.operation} {left}, {right} : {value.type}")
            case Convert():
                return self._convert(self._value(value.value), value.value.type, value.type)
            case Choice():
                return self._choice(value)

    def _index_value(self, value: IndexValue) -> str:
        index = self._affine_apply(value.expression)
        if value.type in FLOATS:
            integer = self._define(f"arith.index_cast {index} : index to i64")
            return self._define(f"arith.sitofp {integer} : i64 to {value.type}")
        return self._define(f"arith.index_cast {index} : index to {value.type}")

    def _affine_apply(self, expression: Affine) -> str:
        if self._scf:
            return self._index(expression)
        dims, symbols, inside = self._names_of((expression,))
        signature = _listed([inside[d] for d in dims], [inside[s] for s in symbols])
        operands = _listed([f"%{d}" for d in dims], [f"%{s}" for s in symbols])
        result = expression.text(inside, MLIR_OPERATORS)
        return self._define(f"affine.apply affine_map<{signature} -> ({result})>{operands}")

    def _convert(self, value: str, source: str, target: str) -> str:
        if source == target:
            return value
        wider = WIDTHS[target] > WIDTHS[source]
        match source in FLOATS, target in FLOATS:
            case True, True:
                operation = "arith.extf" if wider else "arith.truncf"
            case False, False:
                operation = "arith.extsi" if wider else "arith.trunci"
            case False, True:
                operation = "arith.sitofp"
            case _:
                # Numbers may be out of an integer's range: their bits are not.
                bits = f"i{WIDTHS[source]}"
                cast = self._define(f"arith.bitcast {value} : {source} to {bits}")
                return self._convert(cast, bits, target)
        return self._define(f"{operation} {value} : {source} to {target}")

    def _less(self, type: str, left: str, right: str) -> str:
        if type in FLOATS:
            return self._define(f"arith.cmpf olt, {left}, {right} : {type}")
        return self._define(f"arith.cmpi slt, {left}, {right} : {type}")

    def _choice(self, value: Choice) -> str:
        condition = self._less(value.left.type, self._value(value.left), self._value(value.right))
        if not value.branches:
            first, second = self._value(value.first), self._value(value.second)
            return self._define(f"arith.select {condition}, {first}, {second} : {value.type}")
        result = self._fresh()
        self._lines.append(f"{result} = scf.if {condition} -> ({value.type}) {{")
        self._lines.append(f"scf.yield {self._value(value.first)} : {value.type}")
        self._lines.append("} else {")
        self._lines.append(f"scf.yield {self._value(value.second)} : {value.type}")
        self._lines.append("}")
        return result


def _listed(dims: list[str], symbols: list[str]) -> str:
    return f"({', '.join(dims)})[{', '.join(symbols)}]"
