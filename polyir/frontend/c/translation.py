"""A region of a C file as a function of affine IR."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pycparser import c_ast
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Region, SSAValue

from polyir.frontend.c.array_sizes import Sizes, attach_sizes, sizes_of
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.calls import Calls
from polyir.frontend.c.delinearise import delinearise
from polyir.frontend.c.effects import Functions
from polyir.frontend.c.errors import NotModelledError, refuse
from polyir.frontend.c.expressions import Expressions
from polyir.frontend.c.index_arrays import attach_facts
from polyir.frontend.c.inlining import Inliner
from polyir.frontend.c.jumps import without_continue
from polyir.frontend.c.live import is_read_outside
from polyir.frontend.c.names import identifiers_in, region_names
from polyir.frontend.c.overlaps import PossibleOverlap, check_reads, overlaps
from polyir.frontend.c.own_variables import make_own
from polyir.frontend.c.places import SourceArgument
from polyir.frontend.c.points_to import PointsTo
from polyir.frontend.c.reads import Reads
from polyir.frontend.c.scopes import DeclaredVariable, FunctionName, Scopes
from polyir.frontend.c.stated_arrays import StatedArrays
from polyir.frontend.c.statements import Statements
from polyir.frontend.c.types import Arithmetic
from polyir.frontend.c.variables import Variables


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


class RegionTranslator:
    """Translates regions of a file; `scopes` is what is declared where the next one is."""

    def __init__(self, scopes: Scopes, functions: Functions, takes_data: bool) -> None:
        self._scopes = scopes
        self._functions = functions
        self._takes_data = takes_data
        self._names: dict[str, int] = {}

    def translate(
        self,
        function: c_ast.FuncDef,
        statements: Sequence[c_ast.Node],
        following: Sequence[c_ast.Node],
        stated: StatedArrays,
    ) -> TranslatedRegion:
        """The region, with calls inlined; raises `NotModelledError`.

        Calls that only read are operations if possible, and are inlined otherwise.
        """
        _check_declarations(statements, following)
        inliner = self._inliner(function, statements, with_readers=False)
        try:
            return self._translate_with(inliner, function, statements, stated)
        except NotModelledError as inner:
            error = inliner.explained(inner)
        if inliner.has_readers:
            with suppress(NotModelledError):
                other = self._inliner(function, statements, with_readers=True)
                return self._translate_with(other, function, statements, stated)
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
        stated: StatedArrays,
    ) -> TranslatedRegion:
        modelled = [without_continue(item) for item in inliner.expanded(statements)]
        names = region_names(modelled, self._scopes)
        live = frozenset(
            name
            for name in names.counted
            if not self._scopes.is_local(name) or is_read_outside(name, function, statements)
        )
        module = ModuleOp([])
        entry = Block()
        operation = func.FuncOp(self._name(function), ((), ()), Region(entry))
        module.body.block.add_op(operation)
        builder = Builder(entry)
        with builder.at(function.decl):
            builder.locate(operation)
        variables = Variables(builder, self._scopes, names, live)
        calls = Calls(builder, self._scopes, module, self._functions)
        expressions = Expressions(builder, variables, calls)
        Statements(builder, variables, expressions, self._takes_data).translate(modelled)
        described = variables.arguments.described
        sizes: Sizes = {}
        if self._takes_data:
            sizes = sizes_of(described, stated.sizes, expressions, self._scopes)
        builder.insert(func.ReturnOp())
        if self._takes_data:
            make_own(builder, described, self._scopes, function, statements)
        else:
            delinearise(builder, described)
        _erase_unused(entry, described)
        if self._takes_data:
            builder.put_cells_in_scope()
        operation.update_function_type()
        arguments = tuple(described[argument] for argument in entry.args)
        attach_facts(operation, arguments, stated.facts, self._scopes)
        attach_sizes(operation, sizes)
        points_to = PointsTo(function, self._scopes)
        mentioned = tuple(
            dict.fromkeys((*region_names(statements, self._scopes).mentioned, *names.mentioned))
        )
        counters = self._counters(names.counted)
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
        is_constant = isinstance(meaning, DeclaredVariable) and meaning.value is not None
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


def _erase_unused(entry: Block, described: Collection[SSAValue]) -> None:
    """Remove arguments that are not described, and memory that nothing uses."""
    for argument in tuple(entry.args):
        is_unused = isinstance(argument.type, MemRefType) and argument.first_use is None
        if argument not in described or is_unused:
            entry.erase_arg(argument)
    for op in tuple(entry.ops):
        if isinstance(op, memref.AllocaOp) and op.memref.first_use is None:
            # A counter whose last value is not used.
            entry.erase_op(op)


def _check_declarations(statements: Sequence[c_ast.Node], following: Sequence[c_ast.Node]) -> None:
    """Refuse a region whose declarations are used after it."""
    declared = [item for item in statements if isinstance(item, c_ast.Decl)]
    used = {name: None for item in following for name in identifiers_in(item)}
    for item in declared:
        if item.name in used:
            raise refuse(item, f"'{item.name}' is declared in the region and used after it")
