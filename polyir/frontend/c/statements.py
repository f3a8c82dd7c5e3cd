"""Statements of C as affine IR."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from pycparser import c_ast
from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, IndexType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.frontend.c import functions
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.conditions import (
    Condition,
    Junction,
    Test,
    conjunction,
    constraints_hold,
    is_static,
    opposite,
    parts_of_conjunction,
)
from polyir.frontend.c.errors import NotModelledError, refuse
from polyir.frontend.c.expressions import Expressions
from polyir.frontend.c.loops import (
    Counter,
    CounterRange,
    CountingLoop,
    Header,
    counter_range,
    header_of,
    may_change,
    start_of,
)
from polyir.frontend.c.names import (
    STEPS,
    LoopParts,
    assigned_in,
    chosen_value,
    has_effects,
    identifiers_in,
    key_of,
    name_set_by,
    names_assigned_in,
    nodes_below,
    parts_of,
    step_of,
    steps_below,
)
from polyir.frontend.c.scopes import DeclaredVariable
from polyir.frontend.c.side_effects import with_steps_apart
from polyir.frontend.c.sums import Update, extremum_in, sums_in, update_of
from polyir.frontend.c.types import INT, Arithmetic, CArrayType, CType, unsigned
from polyir.frontend.c.values import Value, amid_range
from polyir.frontend.c.variables import (
    Branches,
    Cell,
    ElementInMemory,
    Local,
    NotTrackedError,
    Variables,
    give_name,
    is_trackable,
)
from polyir.model.index_expressions import Constraint, IndexExpression, map_of, set_of


class Statements:
    """Translates statements at the builder's current place.

    With `takes_data`, the bounds of loops may come out of memory, and there may be `while` loops.
    """

    def __init__(
        self,
        builder: Builder,
        variables: Variables,
        expressions: Expressions,
        takes_data: bool = False,
    ) -> None:
        self.leaves_loops = False
        """Whether there are loops under conditions on data, which are only part of a nest with
        `takes_data`."""
        self._takes_data = takes_data
        self._builder = builder
        self._variables = variables
        self._expressions = expressions
        self._is_in_data_if = False
        self._adds_apart = False
        self._changes: dict[tuple[int, str], IndexExpression | None] = {}

    def translate(self, items: Sequence[c_ast.Node]) -> None:
        """Translate the items of a block in order; raises `NotModelledError`."""
        for position, item in enumerate(items):
            with self._builder.at(item):
                if isinstance(item, c_ast.Decl):
                    self._declare(item, items[position + 1 :])
                else:
                    self._statement(item)

    def _statement(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.For():
                self._loop(node)
            case c_ast.If():
                self._conditional(node)
            case c_ast.While() | c_ast.DoWhile() if self._takes_data:
                self._while(node)
            case c_ast.Compound():
                with self._variables.nested():
                    self.translate(node.block_items or ())
            case c_ast.Assignment():
                self._assign(node)
            case c_ast.UnaryOp(op=operator, expr=target) if operator in STEPS:
                one = Value(INT, index=IndexExpression((), 1))
                self._store(target, one, STEPS[operator])
            case c_ast.EmptyStatement() | c_ast.FuncCall(name=c_ast.ID(name=functions.BARRIER)):
                pass
            case c_ast.Cast(to_type=type) if not isinstance(
                self._variables.scopes.type_of(type), Arithmetic
            ):
                # `(void)x` does nothing.
                if has_effects(node.expr):
                    self._statement(node.expr)
            case c_ast.Pragma(string=text):
                hint = ": regions must not be nested, and each needs '#pragma endscop'"
                is_nested = (text or "").split()[:1] == ["scop"]
                raise refuse(
                    node,
                    f"'#pragma {text}' inside the region{hint if is_nested else ''}",
                    name="region-pragma",
                )
            case _:
                self._refuse(node)

    def _refuse(self, node: c_ast.Node) -> None:
        known = {
            c_ast.While: ("a while loop", "loop-form"),
            c_ast.DoWhile: ("a do-while loop", "loop-form"),
            c_ast.Goto: ("goto", "jump"),
            c_ast.Label: ("a label", "jump"),
            c_ast.Break: ("break", "jump"),
            c_ast.Continue: ("continue", "jump"),
            c_ast.Return: ("'return' before the end", "jump"),
            c_ast.Switch: ("switch", "jump"),
            c_ast.ExprList: ("the comma operator", ""),
        }
        if isinstance(node, c_ast.FuncCall):
            self._expressions.value(node)
            return
        other = (f"a statement of the form {type(node).__name__}", "")
        message, name = known.get(type(node), other)
        raise refuse(node, message, name=name)

    # Declarations

    def _declare(self, node: c_ast.Decl, following: Sequence[c_ast.Node]) -> None:
        type = self._variables.scopes.type_of(node.type)
        if set(node.storage or ()) & {"static", "extern"}:
            raise refuse(
                node,
                f"the {node.storage[0]} variable '{node.name}' in the region",
                name="volatile-or-static",
            )
        if "volatile" in (node.quals or ()):
            raise refuse(node, f"the volatile variable '{node.name}'", name="volatile-or-static")
        if isinstance(type, CArrayType):
            self._declare_array(node, type)
            return
        if not isinstance(type, Arithmetic):
            raise refuse(
                node, f"'{node.name}', whose type is not supported", name="unsupported-type"
            )
        initial = None
        if node.init is not None:
            if isinstance(node.init, c_ast.InitList):
                raise refuse(node.init, "an initialiser in braces", name="unsupported-type")
            initial = self._assigned(node.init, type)
        self._declare_scalar(node.name, type, initial, following)

    def _declare_scalar(
        self, name: str, type: Arithmetic, initial: Value | None, following: Sequence[c_ast.Node]
    ) -> None:
        if name in self._variables.tracked and is_trackable(type):
            self._variables.declare(name, Local(type, None, is_tracked=True))
            if initial is not None:
                self._track(name, initial)
        elif _is_set_in_nested(name, following):
            cell = self._builder.new_cell(type.ir, name)
            self._variables.declare(name, Cell(type, cell))
            if initial is not None:
                data = self._expressions.conversions.data(initial)
                self._builder.store(data, cell, ())
                self._note_value(name, initial)
        else:
            self._variables.declare(name, Local(type, initial))

    def _declare_array(self, node: c_ast.Decl, type: CArrayType) -> None:
        if node.init is not None:
            raise refuse(
                node, f"the array '{node.name}' has an initialiser", name="unsupported-type"
            )
        shape: list[int] = []
        sizes: list[IndexExpression] = []
        element: object = type
        declared = node.type
        while isinstance(element, CArrayType):
            shape.append(DYNAMIC_INDEX if element.extent is None else element.extent)
            if element.extent is None:
                sizes.append(self._extent(node, declared.dim))
            element, declared = element.element, declared.type
        if not isinstance(element, Arithmetic):
            raise refuse(
                node,
                f"the array '{node.name}', whose element type is not supported",
                name="unsupported-type",
            )
        if sizes:
            memory = self._builder.new_array(element.ir, node.name, shape, sizes)
        else:
            memory = self._builder.new_cell(element.ir, node.name, shape)
        self._variables.declare(node.name, Cell(element, memory, len(shape)))

    def _extent(self, node: c_ast.Decl, extent: c_ast.Node) -> IndexExpression:
        """The extent of an array, which must be known before the region."""
        found = self._expressions.index(extent)
        if not self._builder.is_parametric(found):
            raise refuse(
                node,
                f"the size of the array '{node.name}' is not constant",
                name="unsupported-type",
            )
        return found

    # Assignments

    def _assign(self, node: c_ast.Assignment) -> None:
        if node.op == "=":
            self._store(node.lvalue, self._source(node.rvalue), None)
        else:
            self._store(node.lvalue, self._expressions.value(node.rvalue), node.op[:-1])

    def _source(self, node: c_ast.Node) -> Value:
        """The value of a right-hand side, which may be an assignment itself."""
        if isinstance(node, c_ast.Assignment):
            self._assign(node)
            return self._expressions.value(node.lvalue)
        return self._expressions.value(node)

    def _assigned(self, node: c_ast.Node, type: Arithmetic) -> Value:
        return self._expressions.conversions.convert(self._source(node), type)

    def _store(self, target: c_ast.Node, operand: Value, operator: str | None) -> None:
        """`target = operand`, or `target = target operator operand`, evaluating `target` once."""
        own = self._variables.own(target.name) if isinstance(target, c_ast.ID) else None
        if isinstance(own, Local):
            self._set_local(target, own, operand, operator)
            return
        element = self._variables.element(target, self._expressions.index)
        if operator is not None:
            known = self._variables.known(target) if isinstance(target, c_ast.ID) else None
            old = known or Value(element.type, self._builder.load(element.memory, element.indices))
            operand = self._expressions.operators.binary(target, operator, old, operand)
        stored = self._store_element(element, operand)
        if isinstance(target, c_ast.ID):
            self._note_value(target.name, stored)

    def _store_element(self, element: ElementInMemory, value: Value) -> Value:
        conversions = self._expressions.conversions
        converted = conversions.convert(value, element.type)
        self._builder.store(conversions.data(converted), element.memory, element.indices)
        return converted

    def _note_value(self, name: str, value: Value) -> None:
        """Use the value of a scalar in memory instead of reading it, if bounds may use it."""
        is_affine = value.index is not None and self._builder.is_affine(value.index)
        self._variables.set_known(name, value if is_affine else Value(value.type))

    def _set_local(
        self, target: c_ast.Node, own: Local, operand: Value, operator: str | None
    ) -> None:
        if own.is_counter:
            raise refuse(
                target,
                f"the counter '{getattr(target, 'name', '')}' is changed inside its loop",
                name="loop-counter",
            )
        if operator is not None:
            operand = self._expressions.operators.binary(
                target, operator, self._expressions.value(target), operand
            )
        value = self._expressions.conversions.convert(operand, own.type)
        if own.is_tracked:
            self._track(getattr(target, "name", ""), value)
        else:
            own.value = value
            give_name(value, getattr(target, "name", ""))

    def _track(self, name: str, value: Value) -> None:
        """Set a tracked variable; raises `NotTrackedError` if its value depends on data."""
        own = self._variables.own(name)
        assert isinstance(own, Local)
        if value.index is None:
            raise NotTrackedError(name)
        # An operation that computes it may be in another block than its uses.
        own.value = Value(value.type, index=value.index, pieces=value.pieces)

    # Control

    def _conditional(self, node: c_ast.If) -> None:
        condition = self._expressions.condition(node.cond)
        name = next((key[0] for each in assigned_in(node) if (key := key_of(each))), "")
        own = self._variables.own(name)
        if isinstance(own, Local) and own.is_tracked and own.value is not None:
            # `if (i < 0) i += n;` is `i = i < 0 ? i + n : i;`.
            value = chosen_value(node, name)
            if value is not None and is_static(condition):
                self._store(c_ast.ID(name, node.coord), self._expressions.value(value), None)
                return
        constraints = conjunction(condition)
        if self._is_in_data_if:
            # One statement: its conditions are all computed in it.
            self._data_if(node, condition)
            return
        if constraints is not None:
            self._affine_if(node, constraints)
            return
        split = None if node.iffalse is not None else _static_front(condition)
        if split is not None:
            first, rest = split
            self._data_if_within(node, first, rest)
            return
        self._data_if(node, condition)

    def _affine_if(self, node: c_ast.If, constraints: Sequence[Constraint]) -> None:
        true, false = self._insert_affine_if(constraints, node.iffalse is not None)
        branches = Branches(self._variables)
        holds = constraints_hold(constraints)
        with self._builder.inside(true), self._builder.under(holds), branches.one():
            self._assume(constraints)
            self._arm(node.iftrue)
            self._builder.insert(affine.YieldOp.get())
        if false is not None:
            reached = self._builder.under(opposite(holds))
            with self._builder.inside(false), reached, branches.one():
                if len(constraints) == 1 and not constraints[0].is_equality:
                    self._builder.assume(constraints[0].expression.scale(-1).shift(-1))
                self._arm(node.iffalse)
                self._builder.insert(affine.YieldOp.get())
        branches.join(has_other=false is None)

    def _data_if_within(
        self, node: c_ast.If, constraints: Sequence[Constraint], condition: Condition
    ) -> None:
        """`if (constraints && condition)`; the second part is tested only if the first holds."""
        block, _ = self._insert_affine_if(constraints, has_else=False)
        with self._builder.inside(block), self._builder.under(constraints_hold(constraints)):
            self._assume(constraints)
            self._data_if(node, condition)
            self._builder.insert(affine.YieldOp.get())

    def _insert_affine_if(
        self, constraints: Sequence[Constraint], has_else: bool
    ) -> tuple[Block, Block | None]:
        """An `affine.if` with empty branches."""
        true, false = Block(), Block() if has_else else None
        condition, operands = set_of(constraints)
        self._builder.insert(
            affine.IfOp.build(
                operands=[operands],
                result_types=[[]],
                properties={"condition": condition},
                regions=[Region(true), Region([] if false is None else [false])],
            )
        )
        return true, false

    def _assume(self, constraints: Sequence[Constraint]) -> None:
        for constraint in constraints:
            self._builder.assume_constraint(constraint)

    def _data_if(self, node: c_ast.If, condition: Condition) -> None:
        update = None if self._adds_apart else self._update_in(node)
        if update is not None:
            # What adds nothing is an update, too: then all of them may run in any order.
            operand = self._expressions.where(condition, update.operand)
            self._store(update.target, operand, update.operator)
            return
        extremum = None if self._adds_apart else extremum_in(node)
        if extremum is not None and self._type_of_own(extremum.lvalue.name) is not None:
            choice = c_ast.TernaryOp(node.cond, extremum.rvalue, extremum.lvalue, node.coord)
            self._store(extremum.lvalue, self._expressions.value(choice), None)
            return
        has_loop = any(isinstance(inner, c_ast.For) for inner in nodes_below(node))
        self.leaves_loops |= has_loop and not self._takes_data
        truth = self._expressions.truth(condition)
        constraints = conjunction(condition) or ()
        branches = [branch for branch in (node.iftrue, node.iffalse) if branch is not None]
        with self._sums_apart(node):
            blocks = [Block() for _ in branches]
            self._builder.insert(scf.IfOp(truth, [], Region(blocks[0]), Region(blocks[1:])))
            outer, self._is_in_data_if = self._is_in_data_if, True
            values = Branches(self._variables)
            for branch, block in zip(branches, blocks, strict=True):
                reached = condition if branch is node.iftrue else opposite(condition)
                with self._builder.inside(block), self._builder.under(reached), values.one():
                    if branch is node.iftrue:
                        self._assume(constraints)
                    self._arm(branch)
                    self._builder.insert(scf.YieldOp())
            values.join(has_other=len(branches) == 1)
            self._is_in_data_if = outer

    def _update_in(self, node: c_ast.If) -> Update | None:
        """What a conditional adds to an integer variable of the function, if it does only that."""
        update = update_of(node.iftrue)
        if node.iffalse is not None or update is None or has_effects(update.operand):
            return None
        type = self._type_of_number(update.target.name)
        is_integer = type is not None and self._expressions.is_integer(update.operand)
        return update if is_integer else None

    def _type_of_own(self, name: str) -> Arithmetic | None:
        """The type of a number in memory that belongs to the function."""
        own, scopes = self._variables.own(name), self._variables.scopes
        type: CType | None = own.type if isinstance(own, Cell) and not own.rank else None
        if own is None and scopes.is_local(name) and self._variables.is_memory(name):
            type = scopes.type_of_variable(name)
        return type if isinstance(type, Arithmetic) else None

    def _type_of_number(self, name: str) -> Arithmetic | None:
        """The type of an integer variable in memory that belongs to the function."""
        type = self._type_of_own(name)
        return type if type is not None and is_trackable(type) else None

    @contextmanager
    def _sums_apart(self, node: c_ast.Node) -> Iterator[None]:
        """Let what a statement only adds to integers be added up first, and then to these.

        if (c) { count++; sum += x; }    =>    int a = 0, b = 0;
                                               if (c) { a++; b += x; }
                                               count += a; sum += b;
        """
        sums: dict[str, Cell] = {}
        variables = self._variables
        found = () if self._adds_apart else sums_in(node, variables.scopes, variables.type_of)
        outer, self._adds_apart = self._adds_apart, True
        with variables.nested():
            for name in found:
                type = self._type_of_number(name)
                if type is not None:
                    # Part of a sum may overflow where none of it does.
                    type = unsigned(type)
                    sums[name] = Cell(type, self._builder.new_cell(type.ir, name))
                    zero = self._builder.constant(0, type.ir)
                    self._builder.store(zero, sums[name].memory, ())
            for name, cell in sums.items():
                variables.declare(name, cell)
            yield
        self._adds_apart = outer
        for name, cell in sums.items():
            added = Value(cell.type, self._builder.load(cell.memory, ()))
            self._store(c_ast.ID(name, node.coord), added, "+")

    def _arm(self, node: c_ast.Node) -> None:
        """A statement that is executed under a condition."""
        self._branch(node)
        self._variables.forget(node)

    def _branch(self, node: c_ast.Node) -> None:
        with self._variables.nested():
            self.translate([node])

    def _loop(self, node: c_ast.For) -> None:
        try:
            parts = parts_of(node)
            header = header_of(node, parts, self._expressions)
            if self._integer_type(header.name, parts) is None:
                raise refuse(
                    node, f"the counter '{header.name}' is not an integer", name="loop-counter"
                )
        except NotModelledError:
            if not self._takes_data or node.cond is None:
                raise
            self._loop_without_counter(node)
            return
        block = Block(arg_types=[IndexType()])
        block.args[0].name_hint = header.name
        self._variables.forget(node)
        with self._variables.nested():
            counters = self._start(header, parts)
            main = counters.pop(header.name, None)
            if main is None:
                raise refuse(
                    header.start, f"the start of '{header.name}' is not affine", name="not-affine"
                )
            last = _statements_of(parts, {header.name, *counters})
            loop = CountingLoop(header, main, tuple(counters.values()), (parts.body, *last))
            changed = self._variables.tracked_in(names_assigned_in(node))
            loop = loop.with_others(self._evolving(loop, changed))
            for variable in changed.values():
                variable.value = None
            bounds = self._bounds(loop, block.args[0])
            self._insert_loop(loop, bounds, block)
            if self._takes_data and may_change(bounds, block):
                name = header.name
                raise refuse(
                    header.condition,
                    f"the loop over '{name}' may change its bounds",
                    name="loop-form",
                )
        self._variables.forget(node)
        for variable in changed.values():
            variable.value = None
        count = self._count(bounds, loop.counters)
        if count is not None:
            self._store_last(loop.main, count, header.after_test)
            for other in loop.others:
                self._store_last(other, count)

    def _loop_without_counter(self, node: c_ast.For) -> None:
        """`for (p = first[i]; p >= 0; p = next[p])`, for instance, as a `while` loop."""
        first = node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init]
        last = [] if node.next is None else [node.next]
        body = c_ast.Compound(with_steps_apart([node.stmt, *last]), node.coord)
        loop = c_ast.While(node.cond, body, node.coord)
        items = with_steps_apart([each for each in first if each is not None])
        with self._variables.nested():
            self.translate([*items, loop])

    def _while(self, node: c_ast.While | c_ast.DoWhile) -> None:
        """An `scf.while`, whose variables are in memory.

        C compilers may take it to end (C11, 6.8.5), unless its condition is constant.
        """
        if self._variables.scopes.constant(node.cond) is not None:
            raise refuse(node, "a loop whose condition is constant", name="loop-form")
        if changed := self._variables.tracked_in(names_assigned_in(node)):
            raise NotTrackedError(next(iter(changed)))
        before, after = Block(), Block()
        self._variables.forget(node)
        with self._sums_apart(node):
            self._builder.insert(scf.WhileOp([], [], Region(before), Region(after)))
            with self._builder.inside(before):
                if isinstance(node, c_ast.DoWhile):
                    self._branch(node.stmt)
                    self._variables.forget(node)
                condition = self._expressions.condition(node.cond)
                truth = self._expressions.truth(condition)
                self._builder.insert(scf.ConditionOp(truth))
            with self._builder.inside(after), self._builder.under(condition):
                if isinstance(node, c_ast.While):
                    self._branch(node.stmt)
                self._builder.insert(scf.YieldOp())
        self._variables.forget(node)

    def _evolving(self, loop: CountingLoop, changed: Mapping[str, Local]) -> list[Counter]:
        """The tracked variables to which each iteration of a loop adds the same, as counters."""
        steps = {step.name for item in loop.statements for step in steps_below(item)}
        stepped = {name: own for name, own in changed.items() if name in steps}
        if any((id(loop.header.node), name) not in self._changes for name in stepped):
            self._try_iteration(loop, changed)
        counters: list[Counter] = []
        for name, own in stepped.items():
            change = self._changes[id(loop.header.node), name]
            if change is not None and own.value is not None and own.value.index is not None:
                start = own.value.index
                counters.append(Counter(name, own.type, start, change, None, own, True))
        return counters

    def _try_iteration(self, loop: CountingLoop, changed: Mapping[str, Local]) -> None:
        """Find what an iteration adds to variables, by translating it for unknown values of them.

        What is found is only a guess, which `CountingLoop.check_steps` checks. The operations are
        removed again.
        """
        builder = self._builder
        before = {own: own.value for own in changed.values()}
        block = Block(arg_types=[IndexType()] * len(changed))
        body = Block(arg_types=[IndexType()])
        with builder.inside(block), self._variables.nested():
            for own, argument in zip(changed.values(), block.args, strict=True):
                value = IndexExpression.of(argument)
                own.value = Value(own.type, index=value)
                builder.assume(*amid_range(own.type, value))
            bounds = self._bounds(loop, body.args[0])
            ends = self._insert_loop(loop, bounds, body)
        for (name, own), argument in zip(changed.items(), block.args, strict=True):
            end = ends[own]
            change = None if end is None or end.index is None else end.index
            if change is not None:
                change = change - IndexExpression.of(argument)
            is_same = change is not None and builder.is_parametric(change)
            self._changes[id(loop.header.node), name] = change if is_same else None
        for own, value_before in before.items():
            own.value = value_before
        self._variables.forget(loop.header.node)
        for op in reversed(tuple(block.ops)):
            block.erase_op(op)

    def _start(self, header: Header, parts: LoopParts) -> dict[str, Counter]:
        """Translate what a loop does first; returns its counters.

        A variable that is not a counter is stored, and so are its steps.
        """
        steps = {step.name: step for item in parts.last if (step := step_of(item)) is not None}
        counters: dict[str, Counter] = {}
        for item in parts.first:
            name = name_set_by(item)
            type = None
            size = None
            if name == header.name:
                type, size = self._integer_type(name, parts), header.step
            elif name in parts.counted and name in steps:
                type = self._integer_type(name, parts)
                size = None if type is None else steps[name].size(self._expressions.constant)
            if name is None or type is None or size is None:
                self._first_statement(item, header.node)
                continue
            value = self._assigned(start_of(item), type)
            start = value.index
            if name == header.name and self._takes_data:
                start = self._expressions.conversions.index(value)
                value = Value(type, index=start)
            elif start is None or not self._builder.is_affine(start):
                if name == header.name:
                    break
                if isinstance(item, c_ast.Decl):
                    self._declare_scalar(name, type, value, [header.node])
                else:
                    self._store(item.lvalue, value, None)
                continue
            tracked = self._variables.tracked_in([name]).get(name)
            is_own = isinstance(item, c_ast.Decl)
            kept = None
            if not is_own and tracked is None:
                kept = self._variables.counter_cell(header.node, name)
            variable = None if is_own else tracked
            amount = IndexExpression((), size)
            counters[name] = Counter(name, type, start, amount, kept, variable)
            self._variables.declare(name, Local(type, value, is_counter=True))
        return counters

    def _first_statement(self, item: c_ast.Node, loop: c_ast.For) -> None:
        with self._builder.at(item):
            if isinstance(item, c_ast.Decl):
                self._declare(item, [loop])
            else:
                self._statement(item)

    def _bounds(self, loop: CountingLoop, counter: SSAValue) -> CounterRange:
        """The range of the loop; its condition may use all counters."""
        header, main = loop.header, loop.main
        names = tuple(identifiers_in(header.condition))
        tested = [other for other in loop.others if other.name in names]
        if tested and abs(header.step) != 1:
            raise refuse(
                header.condition,
                "a condition on two counters, of which none steps by 1",
                name="loop-counter",
            )
        value = IndexExpression.of(counter)
        # It is computed at least once, for the first value.
        first = constraints_hold([Constraint(value - main.start, is_equality=True)])
        reached = self._builder.under(first, is_reached=True)
        with self._variables.nested(), self._builder.assuming(), reached:
            self._assume_start(counter, main.start, header.step)
            iteration = (value - main.start).scale(header.step)
            for other in tested:
                self._declare_counter(header.node, other, iteration)
            local = Value(main.type, index=value.shift(header.before_test))
            self._variables.declare(main.name, Local(main.type, local, is_counter=True))
            return counter_range(
                header,
                counter,
                main.type,
                main.start,
                self._expressions,
                self._builder,
                self._takes_data,
            )

    def _declare_counter(
        self, node: c_ast.Node, counter: Counter, iteration: IndexExpression
    ) -> None:
        """Make a counter other than that of the loop's condition a variable of the iteration."""
        change = self._builder.product(iteration, counter.step)
        if not counter.step.is_constant and self._builder.proves_nonnegative(counter.step):
            self._builder.assume(change)
        value = counter.start + change
        if not self._expressions.conversions.is_in_range(counter.type, value):
            if counter.is_stepped_inside:
                raise NotTrackedError(counter.name)
            raise refuse(
                node, f"the counter '{counter.name}', which may wrap around", name="wrap-around"
            )
        local = Value(counter.type, index=value)
        if counter.variable is not None and counter.is_stepped_inside:
            counter.variable.value = local
        else:
            self._variables.declare(counter.name, Local(counter.type, local, is_counter=True))

    def _assume_start(self, counter: SSAValue, start: IndexExpression, step: int) -> None:
        difference = IndexExpression.of(counter) - start
        self._builder.assume(difference.scale(1 if step > 0 else -1))

    def _insert_loop(
        self, loop: CountingLoop, bounds: CounterRange, block: Block
    ) -> dict[Local, Value | None]:
        """An `affine.for`; where the step is not simple, its variable counts the iterations.

        It is an `scf.for` if its bounds come out of memory. Returns the values that tracked
        variables have at the end of an iteration.
        """
        header, main, others = loop.header, loop.main, loop.others
        counter = IndexExpression.of(block.args[0])
        if bounds.step == 1 or (bounds.step > 0 and not others):
            lower: tuple[IndexExpression, ...] = (bounds.start,)
            upper, step, value = bounds.limits, bounds.step, counter
            iteration = counter - bounds.start
        else:
            lower, step, iteration = (IndexExpression(),), 1, counter
            value = bounds.start + counter.scale(bounds.step)
            upper = self._counts(bounds)
        is_affine = bounds.is_affine(self._builder)
        if not is_affine and (abs(bounds.step) != 1 and (bounds.step < 0 or others)):
            raise refuse(
                header.condition,
                f"the bound of '{header.name}' is not affine, nor its step 1",
                name="not-affine",
            )
        local = Value(main.type, index=value.shift(header.after_test))
        self._variables.declare(main.name, Local(main.type, local, is_counter=True))
        self._insert_for(lower, upper, step, block, is_affine)
        within = (
            *(counter - bound for bound in lower),
            *((bound - counter).shift(-1) for bound in upper),
        )
        steps = (counter - lower[0]).divide(AffineBinaryOpKind.Mod, step)
        runs = constraints_hold(
            [*(Constraint(each, False) for each in within), Constraint(steps, True)]
        )
        with self._builder.inside(block), self._builder.under(runs):
            self._builder.assume(*within)
            for other in others:
                self._declare_counter(header.node, other, iteration)
            first = self._variables.tracked_values()
            for statement in loop.statements:
                self._branch(statement)
            ends = self._variables.tracked_values()
            loop.check_steps(first, ends, is_affine)
            self._builder.insert(affine.YieldOp.get() if is_affine else scf.YieldOp())
        return ends

    def _insert_for(
        self,
        lower: Sequence[IndexExpression],
        upper: Sequence[IndexExpression],
        step: int,
        block: Block,
        is_affine: bool,
    ) -> None:
        builder = self._builder
        if not is_affine:
            first = builder.index_value(lower[0])
            end = upper[0] if len(upper) == 1 else builder.extremum(upper, is_minimum=True)
            by = builder.constant(step, IndexType())
            builder.insert(scf.ForOp(first, builder.index_value(end), by, [], Region(block)))
            builder.note_data(block.args[0])
            return
        lower_map, lower_operands = map_of(lower)
        upper_map, upper_operands = map_of(upper)
        builder.insert(
            affine.ForOp.from_region(
                lower_operands,
                upper_operands,
                [],
                [],
                AffineMapAttr(lower_map),
                AffineMapAttr(upper_map),
                Region(block),
                step,
            )
        )

    def _integer_type(self, name: str, parts: LoopParts) -> Arithmetic | None:
        """The type of a variable that a loop sets first, if it is an integer type."""
        scopes = self._variables.scopes
        declared = [
            item for item in parts.first if isinstance(item, c_ast.Decl) and item.name == name
        ]
        type: CType | None
        if declared:
            type = scopes.type_of(declared[0].type)
        else:
            own = self._variables.own(name)
            meaning = scopes.meaning(name)
            if own is None and not isinstance(meaning, DeclaredVariable):
                raise refuse(
                    parts.first[0],
                    f"'{name}', which is not declared as a variable",
                    name="undeclared",
                )
            type = own.type if own is not None else getattr(meaning, "type", None)
        if not isinstance(type, Arithmetic) or type.is_float or type.is_bool:
            return None
        return type

    def _counts(self, bounds: CounterRange) -> tuple[IndexExpression, ...]:
        """The numbers of iterations that each limit allows; not positive without any."""
        step, sign = abs(bounds.step), 1 if bounds.step > 0 else -1
        return tuple(
            (limit - bounds.start).scale(sign).divide(AffineBinaryOpKind.CeilDiv, step)
            for limit in bounds.limits
        )

    def _count(self, bounds: CounterRange, counters: Sequence[Counter]) -> IndexExpression | None:
        """The number of iterations, if the last value of a counter depends on it."""
        if not any(counter.is_needed_after for counter in counters):
            return None
        counts = self._counts(bounds)
        count = counts[0] if len(counts) == 1 else self._builder.extremum(counts, is_minimum=True)
        if not self._builder.proves_nonnegative(count):
            count = self._builder.extremum((count, IndexExpression()), is_minimum=False)
        return count

    def _store_last(self, counter: Counter, count: IndexExpression, after_test: int = 0) -> None:
        """Store the value of a counter after the loop; the last test adds `after_test` to it."""
        if not counter.is_needed_after:
            return
        change = self._builder.product(count, counter.step)
        last = Value(counter.type, index=(counter.start + change).shift(after_test))
        if counter.kept is not None:
            self._note_value(counter.name, self._store_element(counter.kept, last))
        if counter.variable is not None:
            counter.variable.value = last


def _statements_of(parts: LoopParts, counters: Collection[str]) -> tuple[c_ast.Node, ...]:
    """What a loop does last in each iteration, without the steps of its counters."""
    stepped: set[str] = set()
    statements: list[c_ast.Node] = []
    for item in parts.last:
        step = step_of(item)
        if step is not None and step.name in counters:
            stepped.add(step.name)
            continue
        for node in nodes_below(item):
            if isinstance(node, c_ast.ID) and node.name in stepped:
                raise refuse(
                    node, f"the counter '{node.name}' is used after its step", name="loop-counter"
                )
        statements.append(item)
    return tuple(statements)


def _is_set_in_nested(name: str, following: Sequence[c_ast.Node]) -> bool:
    """Whether a variable is set inside a following loop or branch."""
    nests = c_ast.For | c_ast.While | c_ast.DoWhile | c_ast.If
    return any(
        _is_set_in_nested(name, item.block_items or ())
        if isinstance(item, c_ast.Compound)
        else isinstance(item, nests) and any(key_of(each) == (name,) for each in assigned_in(item))
        for item in following
    )


def _static_front(condition: Condition) -> tuple[tuple[Constraint, ...], Condition] | None:
    """The affine tests with which a conjunction begins, and the rest."""
    if not isinstance(condition, Junction) or not condition.is_all:
        return None
    parts = list(parts_of_conjunction(condition))
    front: list[Constraint] = []
    while parts and isinstance(first := parts[0], Test):
        front.append(first.constraint)
        del parts[0]
    if not front or not parts or is_static(condition):
        return None
    rest = parts[0] if len(parts) == 1 else Junction(True, tuple(parts))
    return tuple(front), rest
