"""A region of a C file as a function of affine IR."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from pycparser import c_ast
from pycparser.c_generator import CGenerator
from xdsl.dialects import affine, func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from polyir.frontend.c.allocations import without_allocations
from polyir.frontend.c.array_sizes import Sizes, attach_sizes, sizes_of
from polyir.frontend.c.block_copies import without_block_copies
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.calls import Calls
from polyir.frontend.c.constant_tables import with_constant_tables
from polyir.frontend.c.delinearise import delinearise
from polyir.frontend.c.effects import Functions
from polyir.frontend.c.entry_values import function_of_values
from polyir.frontend.c.errors import NotModelledError, refuse
from polyir.frontend.c.expected_sizes import PragmaUses, attach_bounds, attach_declared
from polyir.frontend.c.expressions import Expressions
from polyir.frontend.c.index_arrays import attach_facts
from polyir.frontend.c.inlining import Inliner
from polyir.frontend.c.jumps import without_break, without_continue, without_switch
from polyir.frontend.c.live import is_read_outside
from polyir.frontend.c.loop_pragmas import without_loop_pragmas
from polyir.frontend.c.moving_pointers import MovingPointer, with_offsets
from polyir.frontend.c.names import RegionNames, identifiers_in, region_names
from polyir.frontend.c.overlaps import PossibleOverlap, check_reads, overlaps
from polyir.frontend.c.own_variables import make_own
from polyir.frontend.c.parametric_steps import with_unit_steps
from polyir.frontend.c.places import SourceArgument, SourceArray
from polyir.frontend.c.points_to import PointsTo
from polyir.frontend.c.reads import Reads
from polyir.frontend.c.records import without_records
from polyir.frontend.c.rotations import without_exchanges
from polyir.frontend.c.scopes import DeclaredVariable, FunctionName, Scopes
from polyir.frontend.c.scratch_arrays import make_own_arrays
from polyir.frontend.c.side_effects import with_steps_apart
from polyir.frontend.c.stated import Stated
from polyir.frontend.c.statements import Statements
from polyir.frontend.c.tracking import FinalValues, needed_after, trackable_names
from polyir.frontend.c.types import Arithmetic
from polyir.frontend.c.variables import NotTrackedError, OutsideVariable, Variables
from polyir.model.raising.effects import LOADS, STORES


@dataclass(frozen=True)
class TranslatedRegion:
    """A region as a function: `arguments` has the spelling of each of its arguments in the source.

    `mentioned` are the names in the region, `own` those of local variables and of functions of
    the file that a compiler may find unused without it, `functions` the latter. `overlaps` are the
    pairs of arguments that may share memory, which the translation assumes not to.
    """

    module: ModuleOp
    function: func.FuncOp
    arguments: tuple[SourceArgument, ...]
    mentioned: tuple[str, ...]
    own: tuple[str, ...]
    functions: frozenset[str]
    overlaps: tuple[PossibleOverlap, ...]
    explained: Callable[[NotModelledError], NotModelledError]
    """Makes an error in the body of a function that is inlined one of its call."""
    name: str
    """The name of the function before any pass."""
    reads: Reads
    """Where the program reads what the arguments lie in."""
    assumed: func.FuncOp | None = None
    """With the arguments of `function`, it returns what must be true for that to be the region."""
    final: FinalValues | None = None
    """What is assigned after the region."""
    exchanges: tuple[str, ...] = ()
    """Loops that are executed after the region."""
    own_arrays: Mapping[str, SourceArray] = field(default_factory=dict)
    """The arrays of the source in whose place the function allocates memory."""
    leaves_loops: bool = False
    """Whether it has loops under conditions on data."""

    def in_module(self, module: ModuleOp) -> TranslatedRegion:
        """The region with its function in another module."""
        functions = (op for op in module.ops if isinstance(op, func.FuncOp))
        function = next(each for each in functions if each.sym_name == self.function.sym_name)
        return replace(self, module=module, function=function)


@dataclass(frozen=True)
class _ModelledStatements:
    """The statements of a region as they are translated, and the variables to be tracked.

    These include the counters of `pointers`. `exchanges` are loops that come after the region.
    """

    statements: tuple[c_ast.Node, ...]
    names: RegionNames
    pointers: tuple[MovingPointer, ...]
    tracked: frozenset[str]
    exchanges: tuple[str, ...] = ()


def _modelled(
    items: Sequence[c_ast.Node], scopes: Scopes, excluded: frozenset[str] | None
) -> _ModelledStatements:
    """The statements `items` without changes of pointers and without `continue`.

    Variables in `excluded` are not tracked; none is if that is `None`.
    """
    if excluded is None:
        statements = tuple(without_continue(item) for item in items)
        return _ModelledStatements(statements, region_names(statements, scopes), (), frozenset())
    items, exchanges = without_exchanges(items, scopes)
    items, pointers = with_offsets(items, scopes, excluded)
    statements = tuple(without_continue(item) for item in items)
    names = region_names(statements, scopes)
    tracked = trackable_names(statements, names) - excluded
    counters = frozenset(pointer.counter for pointer in pointers)
    tracked |= counters
    after = tuple(CGenerator().visit(loop) for loop in exchanges)
    return _ModelledStatements(statements, names, pointers, tracked, after)


class RegionTranslator:
    """Translates regions of a file; `scopes` is what is declared where the next one is."""

    def __init__(self, scopes: Scopes, functions: Functions, takes_data: bool) -> None:
        self._scopes = scopes
        self._functions = functions
        self._takes_data = takes_data
        self._names: dict[str, int] = {}
        self.expected = PragmaUses()

    def translate(
        self,
        function: c_ast.FuncDef,
        statements: Sequence[c_ast.Node],
        following: Sequence[c_ast.Node],
        stated: Stated,
        drops_pragmas: bool,
    ) -> TranslatedRegion:
        """The region, with calls inlined; raises `NotModelledError`.

        Calls that only read are operations if possible, and are inlined otherwise. A pragma that
        says how a loop is executed is left out if `drops_pragmas`, and refused otherwise.
        """
        _check_declarations(statements, following)
        inliner = self._inliner(function, statements, with_readers=False)
        try:
            return self._translate_with(inliner, function, statements, stated, drops_pragmas)
        except NotModelledError as inner:
            error = inliner.explained(inner)
        if inliner.has_readers:
            with suppress(NotModelledError):
                other = self._inliner(function, statements, with_readers=True)
                return self._translate_with(other, function, statements, stated, drops_pragmas)
        raise error

    def _inliner(
        self, function: c_ast.FuncDef, statements: Sequence[c_ast.Node], with_readers: bool
    ) -> Inliner:
        return Inliner(function, self._scopes, self._functions, statements, with_readers)

    def _translate_with(
        self,
        inliner: Inliner,
        function: c_ast.FuncDef,
        statements: Sequence[c_ast.Node],
        stated: Stated,
        drops_pragmas: bool,
    ) -> TranslatedRegion:
        items = without_allocations(inliner.expanded(statements), self._scopes)
        items = without_block_copies(items, self._scopes)
        items = with_constant_tables(items, self._scopes, function)
        items = without_records(items, self._scopes)
        expanded = [without_switch(item) for item in items]
        apart = with_steps_apart(without_break(expanded) if self._takes_data else expanded)
        if drops_pragmas:
            apart = [without_loop_pragmas(item) for item in apart]
        apart = with_unit_steps(apart, self._scopes)
        excluded: frozenset[str] | None = frozenset()
        refused: NotModelledError | None = None
        name = self._name(function)
        while True:
            modelled = _modelled(apart, self._scopes, excluded)
            try:
                return self._translate_modelled(
                    inliner, function, statements, stated, modelled, name
                )
            except NotTrackedError as error:
                assert excluded is not None
                excluded = None if error.name in excluded else excluded | {error.name}
            except NotModelledError as error:
                if refused is not None or not modelled.tracked:
                    raise refused or error from None
                # What cannot be a value may be memory.
                refused, excluded = error, None

    def _translate_modelled(
        self,
        inliner: Inliner,
        function: c_ast.FuncDef,
        statements: Sequence[c_ast.Node],
        stated: Stated,
        modelled: _ModelledStatements,
        name: str,
    ) -> TranslatedRegion:
        """The region as a function `name`.

        Raises `NotTrackedError` for a variable that cannot be tracked.
        """
        names = modelled.names
        live = frozenset(
            name
            for name in names.counted
            if not self._scopes.is_local(name) or is_read_outside(name, function, statements)
        )
        module = ModuleOp([])
        entry = Block()
        operation = func.FuncOp(name, ((), ()), Region(entry))
        module.body.block.add_op(operation)
        builder = Builder(entry)
        with builder.at(function.decl):
            builder.locate(operation)
        variables = Variables(builder, self._scopes, names, live, modelled.tracked)
        for each in sorted(modelled.tracked):
            variables.track(each)
        for pointer in modelled.pointers:
            if pointer.is_outside:
                variables.track_pointer(pointer)
        calls = Calls(builder, self._scopes, module, self._functions)
        expressions = Expressions(builder, variables, calls)
        statement_translator = Statements(builder, variables, expressions, self._takes_data)
        statement_translator.translate(modelled.statements)
        described = variables.arguments.described
        sizes: Sizes = {}
        if self._takes_data:
            sizes = sizes_of(described, stated.sizes, expressions, self._scopes)
        builder.insert(func.ReturnOp())
        builder.free_arrays()
        make_own(builder, described, self._scopes, function, statements)
        conditions = delinearise(builder, described)
        assumptions = [expressions.truth(each) for each in conditions]
        after = needed_after(builder, variables, function, statements)
        # Until their functions are made, these values are used.
        Rewriter.replace_op(_end_of(entry), func.ReturnOp(*assumptions, *after.values()))
        _erase_dead(entry)
        _erase_unused(entry, described, variables.from_outside.values())
        builder.define_cells()
        if self._takes_data:
            builder.put_cells_in_scope()
        own_arrays = make_own_arrays(
            module, builder, described, self._scopes, function, statements, self._takes_data
        )
        _erase_unused(entry, described, ())
        arguments = tuple(described[argument] for argument in entry.args)
        assumed = function_of_values(operation, assumptions) if assumptions else None
        final = None
        if after:
            final = FinalValues(tuple(after), function_of_values(operation, tuple(after.values())))
        Rewriter.replace_op(_end_of(entry), func.ReturnOp())
        _erase_dead(entry)
        operation.update_function_type()
        attach_facts(operation, arguments, stated.facts, self._scopes)
        attach_sizes(operation, sizes)
        self.expected.attach(operation, arguments, stated.expected, self._scopes)
        attach_declared(operation, arguments, function, self._scopes)
        attach_bounds(operation, arguments, stated.bounds, self._scopes)
        points_to = PointsTo(function, self._scopes)
        mentioned = tuple(
            dict.fromkeys((*region_names(statements, self._scopes).mentioned, *names.mentioned))
        )
        counters = self._counters({*names.counted, *variables.from_outside})
        check_reads(calls.reads, entry, arguments, counters, points_to)
        functions = frozenset(filter(self._is_own_function, mentioned))
        return TranslatedRegion(
            module,
            operation,
            arguments,
            mentioned,
            tuple(name for name in mentioned if name in functions or self._may_be_unused(name)),
            functions,
            overlaps(entry, arguments, counters, points_to),
            inliner.explained,
            operation.sym_name.data,
            variables.arguments.reads,
            assumed,
            final,
            modelled.exchanges,
            own_arrays,
            statement_translator.leaves_loops,
        )

    def _counters(self, names: Collection[str]) -> dict[str, Arithmetic]:
        """The counters of the region that are declared outside it, with their types."""
        counters: dict[str, Arithmetic] = {}
        for name in sorted(names):
            meaning = self._scopes.meaning(name)
            if isinstance(meaning, DeclaredVariable) and isinstance(meaning.type, Arithmetic):
                counters[name] = meaning.type
        return counters

    def _may_be_unused(self, name: str) -> bool:
        """Whether a compiler may warn if the region no longer uses `name`."""
        meaning = self._scopes.meaning(name)
        is_constant = isinstance(meaning, DeclaredVariable) and (
            meaning.value is not None or meaning.declared is not None
        )
        return is_constant or self._scopes.is_local(name)

    def _is_own_function(self, name: str) -> bool:
        """Whether a name is that of a function which no other file can call."""
        definition = self._functions.definitions.get(name)
        is_function = isinstance(self._scopes.meaning(name), FunctionName)
        return is_function and definition is not None and "static" in definition.decl.storage

    def _name(self, function: c_ast.FuncDef) -> str:
        name = str(function.decl.name)
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return name if count == 0 else f"{name}_{count}"


def _erase_unused(
    entry: Block,
    described: dict[SSAValue, SourceArgument],
    tracked: Iterable[OutsideVariable],
) -> None:
    """Remove arguments that are not described, or start values of variables that nobody reads."""
    for outside in tracked:
        start = None if outside.start is None or outside.start.index is None else outside.start
        argument = None if start is None or start.index is None else start.index.value
        if argument is not None and argument.first_use is None:
            del described[argument]
    for argument in tuple(entry.args):
        is_unused = isinstance(argument.type, MemRefType) and argument.first_use is None
        if argument not in described or is_unused:
            entry.erase_arg(argument)


def _end_of(block: Block) -> Operation:
    last = block.last_op
    assert last is not None
    return last


def _erase_dead(entry: Block) -> None:
    """Remove local memory that nothing reads, and what computes values that nothing uses."""
    for op in tuple(entry.ops):
        if isinstance(op, memref.AllocaOp):
            stores = [use.operation for use in op.memref.uses]
            if all(isinstance(store, STORES) and store.memref is op.memref for store in stores):
                for each in (*stores, op):
                    Rewriter.erase_op(each)
    for op in reversed(tuple(entry.walk())):
        is_removable = is_side_effect_free(op) or isinstance(op, _VALUES)
        if is_removable and op.results and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


_VALUES: Final = (*LOADS, affine.ApplyOp, affine.MinOp)


def _check_declarations(statements: Sequence[c_ast.Node], following: Sequence[c_ast.Node]) -> None:
    """Refuse a region whose declarations are used after it."""
    declared = [item for item in statements if isinstance(item, c_ast.Decl)]
    used = {name: None for item in following for name in identifiers_in(item)}
    for item in declared:
        if item.name in used:
            raise refuse(
                item,
                f"'{item.name}' is declared in the region and used after it",
                name="variable-use",
            )
