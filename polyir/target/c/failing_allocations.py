"""Functions of a region that say whether they got their memory; without it, the original code runs.

A function frees what it has, and returns 0, if an allocation fails:

    static _Bool f_inspector(...) {
      long *restrict x_read = malloc(...);
      long *restrict x_written = malloc(...);
      if (!x_read || !x_written) {
        free(x_written);
        free(x_read);
        return 0;
      }
      ...
      return 1;
    }

The region calls it where it checks its own allocations:

    if (order && starts && f_inspector(...)) {
      f_executor(...);
    } else {
      ... the original code
    }

So all this must come before the region writes to memory of the program. An allocation after that,
or in a loop of a parallel loop, is not checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Final

from polyir.target.abi import PREFIX, Scalar
from polyir.target.c.syntax import (
    Allocation,
    Array,
    ArrayArgument,
    ArrayView,
    Assign,
    AtomicUpdate,
    Binary,
    CallStatement,
    Compound,
    Continue,
    Copy,
    CStatement,
    Declaration,
    Element,
    Expression,
    For,
    Free,
    Function,
    If,
    IntegerLiteral,
    LocalArray,
    Name,
    OriginalCode,
    PartView,
    Pragma,
    Return,
    RowView,
    Succeeds,
    Unary,
    Variable,
    While,
    negate,
)

_NO: Final = IntegerLiteral(Scalar.BOOL, 0)
_YES: Final = IntegerLiteral(Scalar.BOOL, 1)

_BETWEEN: Final = (Allocation, Declaration, LocalArray, RowView)
"""What may come between an allocation and its check."""


@dataclass(frozen=True)
class CheckedRegion:
    """The statements of a region and its functions, with checks.

    `checked` are the arrays of which somebody tests whether they have memory.
    """

    statements: tuple[CStatement, ...]
    functions: tuple[Function, ...]
    checked: frozenset[Variable]


@dataclass(frozen=True)
class RegionFunction:
    """A function that the statements of a region call.

    An inspector writes to nothing but what it is given to fill, which is not memory of the program.
    """

    function: Function
    is_inspector: bool


def check_region(
    statements: Sequence[CStatement],
    functions: Sequence[RegionFunction],
    fresh: Callable[[str], Variable],
    replaced: Callable[[CStatement, CStatement], None],
) -> CheckedRegion:
    """Let the original code run where an allocation of `functions`, or of the region, fails.

    `fresh` makes a variable for the region; `replaced` is called with a statement of it, and the
    one that takes its place.
    """
    known = {each.function.name: each for each in functions}
    fallible = {name for name in _allocating(known) if known[name].function.result is None}
    while True:
        writers = _Writers(known, frozenset(fallible))
        region = _RegionChecker(statements, writers)
        bodies = {name: _FunctionChecker(known[name], writers) for name in fallible}
        left = _called_in(
            *region.unchecked,
            *(each for body in bodies.values() for each in body.unchecked),
            *(
                statement
                for name, each in known.items()
                if name not in fallible
                for statement in each.function.body or ()
            ),
        )
        useless = {name for name, body in bodies.items() if not body.has_checks}
        if not fallible & (left | useless):
            break
        fallible -= left | useless
    checked = {array for body in bodies.values() for array in body.checked}
    return CheckedRegion(
        region.statements(fresh, replaced),
        tuple(
            bodies[each.function.name].result if each.function.name in bodies else each.function
            for each in functions
        ),
        frozenset(checked | region.checked),
    )


def _allocating(functions: Mapping[str, RegionFunction]) -> set[str]:
    """The functions that allocate memory, or call one that does."""
    found: set[str] = set()
    # Callees come first or later, so look again for as long as there are new ones.
    while True:
        new = {
            name
            for name, each in functions.items()
            if name not in found
            and (
                any(isinstance(inner, Allocation) for inner in _walk(each.function.body or ()))
                or _called_in(*(each.function.body or ())) & found
            )
        }
        if not new:
            return found
        found |= new


def _walk(statements: Sequence[CStatement]) -> Iterator[CStatement]:
    """All statements, and those inside of them."""
    for statement in statements:
        yield statement
        match statement:
            case For(body=body) | While(body=body) | Compound(body=body):
                yield from _walk(body)
            case If(then=then, otherwise=otherwise):
                yield from _walk((*then, *otherwise))
            case _:
                pass


def _called_in(*statements: CStatement) -> set[str]:
    return {each.function for each in _walk(statements) if isinstance(each, CallStatement)}


@dataclass(frozen=True)
class _Writers:
    """What writes to memory of the program, and which functions say whether they succeed."""

    functions: Mapping[str, RegionFunction]
    fallible: frozenset[str]

    def writes(self, statements: Sequence[CStatement], own: Collection[Variable]) -> bool:
        """Whether statements may write to other memory than that of the arrays `own`."""
        return any(self._writes(each, own) for each in _walk(statements))

    def _writes(self, statement: CStatement, own: Collection[Variable]) -> bool:
        match statement:
            case Assign(target=Element(array=array)) | AtomicUpdate(target=Element(array=array)):
                return array not in own
            case Copy(target=target):
                return target.variable not in own
            case CallStatement(function=name) if name in self.functions:
                return not self.functions[name].is_inspector
            case CallStatement(function=name):
                return not name.startswith(PREFIX)
            case Assign(target=Name()) | Declaration() | LocalArray() | Allocation() | Free():
                return False
            case RowView() | ArrayView() | PartView():
                return False
            case For() | While() | If() | Compound():
                return False
            case _:
                return True


def _declared_in(statements: Sequence[CStatement]) -> Iterator[Variable]:
    """The variables and arrays of statements, without views of other arrays."""
    for each in _walk(statements):
        match each:
            case Declaration(variable=variable):
                yield variable
            case LocalArray(array=array) | Allocation(array=array):
                yield array.variable
            case _:
                pass


def _all_hold(conditions: Sequence[Expression], operator: str = "&&") -> Expression:
    return reduce(lambda left, right: Binary(Scalar.BOOL, operator, left, right), conditions)


def _has_memory(array: Array) -> Name:
    return Name(Scalar.BOOL, array.variable)


# ------------------------------------------------------------------------------------ functions


@dataclass(frozen=True)
class _Failure:
    """What is done where an allocation fails: arrays `live` are freed, then comes `end`.

    In a loop inside the iterations of a parallel loop there is no such `end`.
    """

    end: tuple[CStatement, ...] | None
    live: list[Array] = field(default_factory=list)

    def statements(self) -> tuple[CStatement, ...]:
        assert self.end is not None
        return (*map(Free, reversed(self.live)), *self.end)

    def without(self, array: Array) -> _Failure:
        """The same where there is no such array."""
        return _Failure(self.end, [each for each in self.live if each is not array])

    def inside(self) -> _Failure:
        """The same in a block of its own."""
        return _Failure(self.end, list(self.live))


class _FunctionChecker:
    """Adds checks to a function: `result` is 1 if it succeeds.

    `unchecked` are the calls of fallible functions that are not checked.
    """

    def __init__(self, given: RegionFunction, writers: _Writers) -> None:
        self.checked: set[Variable] = set()
        self.unchecked: list[CStatement] = []
        self.has_checks = False
        function = given.function
        body = function.body or ()
        self._writers = writers
        self._is_inspector = given.is_inspector
        self._own = {
            *_declared_in(body),
            *(
                parameter.array.variable
                for parameter in function.parameters
                if isinstance(parameter, ArrayArgument) and not parameter.is_plain
            ),
        }
        self._is_written = False
        counters = {each.counter.name for each in _walk(body) if isinstance(each, For)}
        self._names = (
            counters
            | {each.name for each in self._own}
            | {
                parameter.array.variable.name
                if isinstance(parameter, ArrayArgument)
                else parameter.variable.name
                for parameter in function.parameters
            }
        )
        end = (Return(_NO),)
        statements = (*self._block(body, _Failure(end)), Return(_YES))
        self.result = replace(function, result=Scalar.BOOL, body=statements)

    def _block(self, statements: Sequence[CStatement], failure: _Failure) -> tuple[CStatement, ...]:
        found: list[CStatement] = []
        pending: list[Array] = []

        def check() -> None:
            if pending:
                missing = [negate(_has_memory(each)) for each in pending]
                rest = failure.without(pending[0]) if len(pending) == 1 else failure
                found.append(If(_all_hold(missing, "||"), rest.statements(), ()))
                self.checked |= {each.variable for each in pending}
                self.has_checks = True
                pending.clear()

        for statement in statements:
            if not isinstance(statement, _BETWEEN):
                check()
            match statement:
                case Allocation(array=array):
                    if failure.end is not None and not self._is_written:
                        pending.append(array)
                    failure.live.append(array)
                    found.append(statement)
                case Free(array=array):
                    failure.live[:] = [each for each in failure.live if each is not array]
                    found.append(statement)
                case CallStatement(function=name) if name in self._writers.fallible:
                    found.append(self._call(statement, failure))
                    self._note(statement)
                case If(then=then, otherwise=otherwise):
                    found.append(self._branches(statement, then, otherwise, failure))
                case For() | While():
                    found += self._loop(statement, failure)
                case Compound(body=body, pragmas=pragmas):
                    inner = self._block(body, _Failure(None) if pragmas else failure.inside())
                    found.append(replace(statement, body=inner))
                case _:
                    found.append(statement)
                    self._note(statement)
        check()
        return tuple(found)

    def _note(self, *statements: CStatement) -> None:
        """Remember whether statements write."""
        if not (self._is_written or self._is_inspector):
            self._is_written = self._writers.writes(statements, self._own)

    def _call(self, call: CallStatement, failure: _Failure) -> CStatement:
        if failure.end is None or self._is_written:
            self.unchecked.append(call)
            return call
        self.has_checks = True
        return If(negate(Succeeds(Scalar.BOOL, call)), failure.statements(), ())

    def _branches(
        self,
        statement: If,
        then: Sequence[CStatement],
        otherwise: Sequence[CStatement],
        failure: _Failure,
    ) -> If:
        """A conditional: what is written in one branch is not yet written in the other one."""
        before = self._is_written
        first = self._block(then, failure.inside())
        after, self._is_written = self._is_written, before
        second = self._block(otherwise, failure.inside())
        self._is_written = self._is_written or after
        return replace(statement, then=first, otherwise=second)

    def _loop(self, loop: For | While, failure: _Failure) -> list[CStatement]:
        # An iteration comes after what others write.
        self._note(*loop.body)
        if not (isinstance(loop, For) and any(map(_is_of_openmp, loop.pragmas))):
            is_inner = isinstance(failure.end, tuple) and isinstance(failure.end[-1], Continue)
            inner = _Failure(None) if is_inner else failure.inside()
            return [replace(loop, body=self._block(loop.body, inner))]
        if failure.end is None:
            return [replace(loop, body=self._block(loop.body, _Failure(None)))]
        failed = self._fresh("failed")
        flag = Name(Scalar.BOOL, failed)
        had_checks, self.has_checks = self.has_checks, False
        body = self._block(loop.body, _Failure((Assign(flag, _YES), Continue())))
        has_checks, self.has_checks = self.has_checks, self.has_checks or had_checks
        if not has_checks:
            return [replace(loop, body=body)]
        self._names.add(failed.name)
        pragmas = tuple(
            _with_flag(each, failed) if _is_of_openmp(each) else each for each in loop.pragmas
        )
        return [
            Declaration(Scalar.BOOL, failed, _NO),
            replace(loop, body=body, pragmas=pragmas),
            If(flag, failure.statements(), ()),
        ]

    def _fresh(self, name: str) -> Variable:
        number, free = 0, name
        while free in self._names:
            number += 1
            free = f"{name}_{number}"
        return Variable(free)


def _is_of_openmp(pragma: Pragma) -> bool:
    return pragma.directive.startswith("omp ")


def _with_flag(pragma: Pragma, flag: Variable) -> Pragma:
    """The pragma of a loop on threads, one of which may set a flag."""
    return replace(pragma, directive=f"{pragma.directive} reduction(||: {flag.name})")


# ------------------------------------------------------------------------------------ regions


@dataclass
class _CheckedPart:
    """Statements, conditions for the ones that follow, and what comes after these."""

    before: list[CStatement]
    conditions: list[Expression]
    after: list[CStatement]
    guard: If | None = None
    """The conditional that was there."""


class _RegionChecker:
    """Adds checks to the statements of a region.

    `unchecked` are statements that may call functions whose result is not tested.
    """

    def __init__(self, statements: Sequence[CStatement], writers: _Writers) -> None:
        self.checked: set[Variable] = set()
        self.unchecked: list[CStatement] = []
        self._given = tuple(statements)
        self._writers = writers
        self._own = set(_declared_in(statements))
        self._parts: list[_CheckedPart] = []
        self._rest = list(statements)
        self._is_written = False
        while not self._is_written and (part := self._next()) is not None:
            self.unchecked += part.before
            last = self._parts[-1] if self._parts else None
            if last is not None and not part.before:
                last.conditions += part.conditions
                last.after[:0] = part.after
            else:
                self._parts.append(part)
        self.unchecked += self._rest

    def _next(self) -> _CheckedPart | None:
        """Take the statements up to the next check from those that are left."""
        pending: list[Array] = []
        is_guarded = any(map(_is_guard, self._rest))
        for number, statement in enumerate(self._rest):
            match statement:
                case Allocation(array=array):
                    pending.append(array)
                case If(condition=condition, then=then) if _is_guard(statement):
                    after = self._rest[number + 1 :]
                    part = _CheckedPart(self._rest[:number], [condition], after, statement)
                    self._rest = list(then)
                    return part
                case CallStatement(function=name) if name in self._writers.fallible:
                    return self._calls(number, pending)
                case _ if pending and not (is_guarded or isinstance(statement, _BETWEEN)):
                    return self._calls(number, pending)
                case _:
                    pass
            if self._writers.writes((statement,), self._own):
                return None
        return None

    def _calls(self, number: int, pending: Sequence[Array]) -> _CheckedPart:
        """The part up to a statement, and the calls that begin there."""
        before, rest = self._rest[:number], self._rest[number:]
        conditions: list[Expression] = [_has_memory(each) for each in pending]
        while rest and isinstance(call := rest[0], CallStatement):
            if self._is_written or call.function not in self._writers.fallible:
                break
            conditions.append(Succeeds(Scalar.BOOL, call))
            self._is_written = not self._writers.functions[call.function].is_inspector
            rest.pop(0)
        self.checked |= {each.variable for each in pending}
        freed = [each for each in rest if isinstance(each, Free) and each.array in pending]
        self._rest = [each for each in rest if each not in freed]
        return _CheckedPart(before, conditions, list(reversed(freed)))

    def statements(
        self,
        fresh: Callable[[str], Variable],
        replaced: Callable[[CStatement, CStatement], None],
    ) -> tuple[CStatement, ...]:
        """The statements with the checks."""
        if not self._parts or (
            len(self._parts) == 1 and self._parts[0].guard and len(self._parts[0].conditions) == 1
        ):
            return self._given
        if len(self._parts) == 1:
            return self._checked_at_once(self._parts[0], replaced)
        done = Name(Scalar.BOOL, fresh("done"))
        *outer, last = self._parts
        condition = _all_hold(last.conditions)
        inner: list[CStatement] = [Assign(done, condition)]
        if self._rest:
            inner = [If(condition, (*self._rest, Assign(done, _YES)), ())]
        inner = [*last.before, *inner, *last.after]
        for part in reversed(outer):
            new = If(_all_hold(part.conditions), tuple(inner), ())
            if part.guard is not None:
                replaced(part.guard, new)
            inner = [*part.before, new, *part.after]
        return (
            Declaration(Scalar.BOOL, done.variable, _NO),
            *inner,
            If(negate(done), (OriginalCode(),), ()),
        )

    def _checked_at_once(
        self, part: _CheckedPart, replaced: Callable[[CStatement, CStatement], None]
    ) -> tuple[CStatement, ...]:
        """The statements where one condition decides."""
        condition, original = _all_hold(part.conditions), (OriginalCode(),)
        new = If(condition, tuple(self._rest), original)
        if not self._rest:
            new = If(Unary(Scalar.BOOL, "!", condition), original, ())
        if part.guard is not None:
            replaced(part.guard, new)
        return (*part.before, new, *part.after)


def _is_guard(statement: CStatement) -> bool:
    """Whether the original code runs where a condition does not hold."""
    return isinstance(statement, If) and statement.otherwise == (OriginalCode(),)
