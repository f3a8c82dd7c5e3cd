"""A C file with its regions, each translated to a function of affine IR."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

from polyir.diagnostics import InputSyntaxError, PolyirError, SourceLocation
from polyir.frontend.c.array_sizes import (
    Sizes,
    StatedSizes,
    attach_sizes,
    is_size_pragma,
    sizes_of,
    stated_sizes,
)
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.calls import Calls
from polyir.frontend.c.delinearise import delinearise
from polyir.frontend.c.effects import Functions
from polyir.frontend.c.errors import NotModelledError, location_of_node, refuse
from polyir.frontend.c.expressions import Expressions
from polyir.frontend.c.index_arrays import (
    StatedFacts,
    attach_facts,
    is_index_array_pragma,
    stated_facts,
)
from polyir.frontend.c.inlining import Inliner
from polyir.frontend.c.jumps import without_continue
from polyir.frontend.c.layout import lines_of_statement, starting_lines
from polyir.frontend.c.live import is_read_outside
from polyir.frontend.c.names import identifiers_in, nodes_below, region_names
from polyir.frontend.c.overlaps import PossibleOverlap, check_reads, overlaps
from polyir.frontend.c.own_variables import make_own
from polyir.frontend.c.places import SourceArgument
from polyir.frontend.c.points_to import PointsTo
from polyir.frontend.c.preprocess import Declarations, Needed, Promise, promises_of
from polyir.frontend.c.scopes import DeclaredVariable, FunctionName, Scopes
from polyir.frontend.c.statements import Statements
from polyir.frontend.c.types import SCHAR, UCHAR, Arithmetic
from polyir.frontend.c.variables import Variables


@dataclass(frozen=True)
class TranslatedRegion:
    """A region as a function: `arguments` has the spelling of each of its arguments in the source.

    `mentioned` are the names in the region, `own` those of local variables and of functions of
    the file. `overlaps` are the pairs of arguments that may share memory, which the translation
    assumes not to.
    """

    module: ModuleOp
    function: func.FuncOp
    arguments: tuple[SourceArgument, ...]
    mentioned: tuple[str, ...]
    own: tuple[str, ...]
    overlaps: tuple[PossibleOverlap, ...]
    explained: Callable[[NotModelledError], NotModelledError]
    """Makes an error in the body of a function that is inlined one of its call."""
    name: str
    """The name of the function before any pass."""


@dataclass(frozen=True)
class SourceRegion:
    """The lines from `#pragma scop` to `#pragma endscop`, counted from 1, and their content.

    If the region cannot be modelled, `content` is the error that says why. A region of which only
    some statements can be modelled is several parts: for such a part, the lines are those of its
    statements, without the pragmas.
    """

    location: SourceLocation
    function_line: int
    first_line: int
    last_line: int
    content: TranslatedRegion | PolyirError
    is_part: bool = False
    is_body: bool = False
    """Whether its function has nothing else than declarations before it and a return after it."""

    @property
    def statement_lines(self) -> slice:
        """The lines of the statements, among those of the file."""
        pragma = 0 if self.is_part else 1
        return slice(self.first_line - 1 + pragma, self.last_line - pragma)


@dataclass(frozen=True)
class SourceFile:
    """The regions of a file in order, and the functions that cannot be parsed, as errors.

    `left` says for the loops that were tried without pragmas why they cannot be modelled.
    """

    regions: tuple[SourceRegion, ...]
    skipped: tuple[InputSyntaxError, ...]
    left: tuple[PolyirError, ...]


def read_regions(
    text: str, path: str, macros: Sequence[str], source: str, takes_data: bool = False
) -> SourceFile:
    """The regions between pragmas of the file `path` with the text `source`.

    `text` is its preprocessed text. With `takes_data`, the bounds of loops may come out of memory,
    and variables that are local to a loop are in it. Raises `InputSyntaxError` for pragmas without
    a partner.
    """
    return _read(text, path, macros, source, False, takes_data)


def detect_regions(
    text: str, path: str, macros: Sequence[str], source: str, takes_data: bool = False
) -> SourceFile:
    """The loops of the file `path` that can be modelled, without pragmas.

    Consecutive loops are one region. `takes_data` is as in `read_regions`.
    """
    return _read(text, path, macros, source, True, takes_data)


def _read(
    text: str,
    path: str,
    macros: Sequence[str],
    source: str,
    is_detecting: bool,
    takes_data: bool,
) -> SourceFile:
    tree, promises, skipped = _parsed(Declarations(text, path), path, is_detecting)
    plain_char = UCHAR if "__CHAR_UNSIGNED__" in macros else SCHAR
    whole = Scopes(plain_char)
    definitions: dict[str, c_ast.FuncDef] = {}
    for item in tree.ext:
        if isinstance(item, c_ast.FuncDef):
            _declare_parameters(item)
            definitions[item.decl.name] = item
        whole.declare(item)
    functions = Functions(whole, definitions, promises, macros)
    scopes = Scopes(plain_char)
    reader = _RegionFinder(path, scopes, functions, source, is_detecting, takes_data)
    for item in tree.ext:
        reader.read(item)
    return SourceFile(tuple(reader.regions), skipped, tuple(reader.left.values()))


def _parsed(
    declarations: Declarations, path: str, is_detecting: bool
) -> tuple[c_ast.FileAST, Mapping[str, Promise], tuple[InputSyntaxError, ...]]:
    """The syntax tree of what the regions need, and an error for each function that is left out.

    Between them, what functions promise. A declaration that the parser cannot read is left out,
    with all functions that need it.
    """
    skipped: dict[int, InputSyntaxError] = {}
    bodiless: dict[int, None] = {}
    unreadable: dict[int, None] = {}
    while True:
        needed = declarations.needed(path if is_detecting else None, bodiless, unreadable)
        try:
            tree = CParser().parse(needed.text(), path)
        except ParseError as parse_error:
            error = _syntax_error(str(parse_error))
            number = _unreadable_number(needed, error)
            if number is None or number in unreadable:
                raise error from None
            chunk = declarations.chunks[number]
            if number in needed.regions:
                start = SourceLocation(chunk.file, chunk.line, 1)
                skipped[chunk.line] = InputSyntaxError(error.message, error.location or start)
            # Another function may need what the definition declares.
            is_first = chunk.body is not None and number not in bodiless
            (bodiless if is_first else unreadable)[number] = None
            continue
        for function, missing in needed.skipped:
            message = f"the declaration at {missing.file}:{missing.line} cannot be parsed"
            location = SourceLocation(function.file, function.line, 1)
            skipped[function.line] = InputSyntaxError(message, location)
        kept = (chunk for _, chunk in needed.declarations)
        promises = dict(promise for chunk in kept for promise in promises_of(chunk))
        return tree, promises, tuple(skipped[line] for line in sorted(skipped))


def _unreadable_number(needed: Needed, error: InputSyntaxError) -> int | None:
    """The number of the declaration with a syntax error."""
    if error.location is not None:
        number = needed.number_at(error.location.file, error.location.line)
        if number is not None:
            return number
    # The first declarations up to it cannot be parsed.
    low, high = 0, len(needed.declarations)
    while low < high:
        middle = (low + high) // 2
        try:
            CParser().parse(needed.text(middle + 1), "")
        except ParseError:
            high = middle
        else:
            low = middle + 1
    return needed.declarations[low][0] if low < len(needed.declarations) else None


def _declare_parameters(function: c_ast.FuncDef) -> None:
    """Give the parameters of an old-style definition their types."""
    arguments = function.decl.type.args
    declared = {item.name: item for item in function.param_decls or ()}
    for position, parameter in enumerate(arguments.params if arguments is not None else ()):
        if isinstance(parameter, c_ast.ID):
            integer = c_ast.TypeDecl(
                parameter.name, [], None, c_ast.IdentifierType(["int"]), parameter.coord
            )
            default = c_ast.Decl(parameter.name, [], [], [], [], integer, None, None)
            arguments.params[position] = declared.get(parameter.name, default)


def _syntax_error(message: str) -> InputSyntaxError:
    parts = message.split(":", 3)
    if len(parts) == 4 and parts[1].isdigit() and parts[2].isdigit():
        location = SourceLocation(parts[0], int(parts[1]), int(parts[2]))
        return InputSyntaxError(f"cannot parse this C: {parts[3].strip()}", location)
    return InputSyntaxError(f"cannot parse this C: {message.partition(': ')[2] or message}")


class _RegionFinder:
    """Finds regions, with the declarations in scope at each of them."""

    def __init__(
        self,
        path: str,
        scopes: Scopes,
        functions: Functions,
        source: str,
        is_detecting: bool,
        takes_data: bool,
    ) -> None:
        self.regions: list[SourceRegion] = []
        self.left: dict[str, PolyirError] = {}
        self._path = path
        self._scopes = scopes
        self._functions = functions
        self._source = source
        self._lines = source.splitlines()
        self._is_detecting = is_detecting
        self._takes_data = takes_data
        self._names: dict[str, int] = {}
        self._outer_lines: list[int] = []
        self._facts: dict[str, StatedFacts] = {}
        self._sizes: dict[str, StatedSizes] = {}

    def read(self, item: c_ast.Node) -> None:
        """Add an external declaration."""
        self._scopes.declare(item)
        if isinstance(item, c_ast.FuncDef):
            with self._scopes.nested():
                self._scopes.declare_parameters(item)
                self._search(item, item.body, self._is_detecting)

    def _search(self, function: c_ast.FuncDef, node: c_ast.Node, is_detecting: bool) -> None:
        """Find the regions in a statement of a function: loops, or what is between pragmas."""
        with self._scopes.nested():
            if isinstance(node, c_ast.For) and isinstance(node.init, c_ast.DeclList):
                for declared in node.init.decls:
                    self._scopes.declare(declared)
            place = location_of_node(node) if isinstance(node, c_ast.For) else None
            if place is not None:
                self._outer_lines.append(place.line)
            for items in _blocks_of(node):
                self._search_items(function, items, is_detecting)
            if place is not None:
                self._outer_lines.pop()

    def _search_items(
        self, function: c_ast.FuncDef, items: list[c_ast.Node], is_detecting: bool
    ) -> None:
        facts, sizes = self._facts, self._sizes
        self._facts, self._sizes = dict(facts), dict(sizes)
        self._search_in_order(function, items, is_detecting)
        self._facts, self._sizes = facts, sizes

    def _search_in_order(
        self, function: c_ast.FuncDef, items: list[c_ast.Node], is_detecting: bool
    ) -> None:
        position = 0
        while position < len(items):
            item = items[position]
            if is_detecting and _follows_pragma(items, position):
                # The pragma is about the statement as it is.
                pass
            elif isinstance(item, c_ast.Pragma) and is_index_array_pragma(item):
                array, facts = stated_facts(item, self._scopes)
                self._facts[array] = facts
            elif isinstance(item, c_ast.Pragma) and is_size_pragma(item):
                array, sizes = stated_sizes(item, self._scopes)
                self._sizes[array] = sizes
            elif isinstance(item, c_ast.Case | c_ast.Default):
                # Its declarations are those of the block of the `switch`.
                self._search_items(function, list(item.stmts or ()), is_detecting)
            elif is_detecting and isinstance(item, c_ast.For):
                position = self._detected(function, items, position)
            elif not is_detecting and _is_pragma(item, "scop"):
                position = self._region(function, items, position)
            else:
                if isinstance(item, c_ast.Decl | c_ast.Typedef):
                    self._scopes.declare(item)
                self._search(function, item, is_detecting)
            position += 1

    def _region(self, function: c_ast.FuncDef, items: list[c_ast.Node], start: int) -> int:
        """Translate the region that begins at `start`; returns the position of its end."""
        location = location_of_node(items[start])
        if location is None or location.file != self._path:
            return start
        end = next(
            (n for n in range(start + 1, len(items)) if _is_pragma(items[n], "endscop")), None
        )
        if end is None:
            raise InputSyntaxError(
                "'#pragma scop' without '#pragma endscop' in its block", location
            )
        last = location_of_node(items[end])
        assert last is not None
        head = location_of_node(function.decl)
        assert head is not None
        following = items[end + 1 :]
        statements = items[start + 1 : end]
        content = self._content(function, statements, following)
        is_body = _is_body(function, items, start, following)
        whole = SourceRegion(
            location, head.line, location.line, last.line, content, is_body=is_body
        )
        if not isinstance(content, PolyirError):
            self.regions.append(whole)
            return end
        position = len(self.regions)
        starts = starting_lines(statements, self._path, self._lines, last.line)
        if starts is None:
            self.regions.append(replace(whole, is_part=True))
            self._search_refused(function, statements, following)
        else:
            self._add_parts(function, statements, following, starts)
        found = self.regions[position:]
        if all(isinstance(part.content, PolyirError) for part in found):
            self.regions[position:] = [whole]
        return end

    def _detected(self, function: c_ast.FuncDef, items: list[c_ast.Node], start: int) -> int:
        """Translate the loops from `start` on; returns the position of the last one."""
        head = location_of_node(function.decl)
        assert head is not None
        found: list[tuple[int, int]] = []
        for position in range(start, len(items)):
            lines = self._lines_of(items[position])
            is_next = not found or (lines is not None and lines[0] > found[-1][1])
            if lines is None or not is_next:
                if position == start:
                    self._note_shared_lines(items[start])
                break
            one = self._content(function, items[position : position + 1], items[position + 1 :])
            if isinstance(one, PolyirError):
                if position == start:
                    self.left.setdefault(str(one), one)
                break
            found.append(lines)
        # Together they may have aliases that none of them has alone.
        for count in dict.fromkeys((len(found), 1)) if found else ():
            loops, rest = items[start : start + count], items[start + count :]
            content = self._content(function, loops, rest)
            if not isinstance(content, PolyirError):
                location = location_of_node(loops[0])
                assert location is not None
                lines = (found[0][0], found[count - 1][1])
                is_body = _is_body(function, items, start, rest)
                self.regions.append(
                    SourceRegion(location, head.line, *lines, content, True, is_body)
                )
                return start + count - 1
        self._search(function, items[start], is_detecting=True)
        return start

    def _lines_of(self, item: c_ast.Node) -> tuple[int, int] | None:
        """The lines of a loop, if they hold nothing else."""
        location = location_of_node(item)
        if not isinstance(item, c_ast.For) or location is None or location.file != self._path:
            return None
        if location.line in self._outer_lines:
            return None
        return lines_of_statement(self._source, location.line)

    def _note_shared_lines(self, loop: c_ast.Node) -> None:
        """Say why a loop of this file is not translated, unless that is said of one around it."""
        location = location_of_node(loop)
        if location is None or location.file != self._path:
            return
        if location.line not in self._outer_lines:
            error = PolyirError("other code or a directive is on the same lines", location)
            self.left.setdefault(str(error), error)

    def _content(
        self,
        function: c_ast.FuncDef,
        statements: Sequence[c_ast.Node],
        following: Sequence[c_ast.Node],
    ) -> TranslatedRegion | PolyirError:
        try:
            return self._translate(function, statements, following)
        except NotModelledError as error:
            return error

    def _add_parts(
        self,
        function: c_ast.FuncDef,
        statements: Sequence[c_ast.Node],
        following: Sequence[c_ast.Node],
        starts: Sequence[int],
    ) -> None:
        """Add the maximal parts of a region that can be modelled, and what is between them.

        Parts without a loop are left out. A statement that cannot be modelled may have loops inside
        that can. `starts` are the lines where the statements begin, and that after the last one.
        """
        head = location_of_node(function.decl)
        assert head is not None
        position = 0
        with self._scopes.nested():
            while position < len(statements):
                first = position
                position = self._end_of_part(function, statements, first)
                part, rest = statements[first:position], statements[position:]
                content = self._content(function, part, (*rest, *following))
                for item in part:
                    if isinstance(item, c_ast.Decl):
                        self._scopes.declare(item)
                # A declaration that is used later stays where it is.
                is_refused = isinstance(content, PolyirError)
                if self._has_loop(part) or (is_refused and not isinstance(part[0], c_ast.Decl)):
                    location = location_of_node(part[0])
                    assert location is not None
                    lines = (starts[first], starts[position] - 1)
                    region = SourceRegion(location, head.line, *lines, content, is_part=True)
                    self.regions.append(region)
                if is_refused:
                    self._search(function, part[0], is_detecting=True)

    def _search_refused(
        self,
        function: c_ast.FuncDef,
        statements: list[c_ast.Node],
        following: Sequence[c_ast.Node],
    ) -> None:
        """Find loops inside those statements that cannot be modelled."""
        with self._scopes.nested():
            for position, item in enumerate(statements):
                rest = (*statements[position + 1 :], *following)
                is_refused = isinstance(self._content(function, [item], rest), PolyirError)
                if isinstance(item, c_ast.Decl):
                    self._scopes.declare(item)
                elif is_refused and not _follows_pragma(statements, position):
                    self._search(function, item, is_detecting=True)

    def _end_of_part(
        self, function: c_ast.FuncDef, statements: Sequence[c_ast.Node], first: int
    ) -> int:
        """The end of the run of statements from `first` on that can be modelled one by one.

        A statement that cannot be is alone.
        """
        for position in range(first, len(statements)):
            alone = statements[position : position + 1]
            content = self._content(function, alone, statements[position + 1 :])
            if isinstance(content, PolyirError):
                return max(position, first + 1)
        return len(statements)

    def _translate(
        self,
        function: c_ast.FuncDef,
        statements: Sequence[c_ast.Node],
        following: Sequence[c_ast.Node],
    ) -> TranslatedRegion:
        """The region, with calls inlined; raises `NotModelledError`.

        Calls that only read are operations if possible, and are inlined otherwise.
        """
        _check_declarations(statements, following)
        inliner = self._inliner(function, statements, with_readers=False)
        try:
            return self._translate_with(inliner, function, statements)
        except NotModelledError as inner:
            error = inliner.explained(inner)
        if inliner.has_readers:
            with suppress(NotModelledError):
                other = self._inliner(function, statements, with_readers=True)
                return self._translate_with(other, function, statements)
        raise error

    def _inliner(
        self, function: c_ast.FuncDef, statements: Sequence[c_ast.Node], with_readers: bool
    ) -> Inliner:
        return Inliner(function, self._scopes, self._functions, statements, with_readers)

    def _translate_with(
        self, inliner: Inliner, function: c_ast.FuncDef, statements: Sequence[c_ast.Node]
    ) -> TranslatedRegion:
        modelled = [without_continue(item) for item in inliner.expanded(statements)]
        names = region_names(modelled, self._scopes)
        live = frozenset(
            name
            for name in names.counted
            if not self._is_local(name) or is_read_outside(name, function, statements)
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
            sizes = sizes_of(described, self._sizes, expressions, self._scopes)
        builder.insert(func.ReturnOp())
        if self._takes_data:
            make_own(builder, described, self._scopes, function, statements)
        else:
            delinearise(builder, described)
        for argument in tuple(entry.args):
            if argument not in described:
                entry.erase_arg(argument)
        for op in tuple(entry.ops):
            if isinstance(op, memref.AllocaOp) and not any(True for _ in op.memref.uses):
                # A counter whose last value is not used.
                entry.erase_op(op)
        if self._takes_data:
            builder.put_cells_in_scope()
        operation.update_function_type()
        arguments = tuple(described[argument] for argument in entry.args)
        attach_facts(operation, arguments, self._facts, self._scopes)
        attach_sizes(operation, sizes)
        points_to = PointsTo(function, self._scopes)
        mentioned = tuple(
            dict.fromkeys((*region_names(statements, self._scopes).mentioned, *names.mentioned))
        )
        counters = self._counters(names.counted)
        check_reads(calls.reads, entry, arguments, counters, points_to)
        return TranslatedRegion(
            module,
            operation,
            arguments,
            mentioned,
            tuple(name for name in mentioned if self._may_be_unused(name)),
            overlaps(entry, arguments, counters, points_to),
            inliner.explained,
            operation.sym_name.data,
        )

    def _counters(self, names: Collection[str]) -> dict[str, Arithmetic]:
        """The counters of the region that are declared outside it, with their types."""
        counters: dict[str, Arithmetic] = {}
        for name in sorted(names):
            meaning = self._scopes.meaning(name)
            if isinstance(meaning, DeclaredVariable) and isinstance(meaning.type, Arithmetic):
                counters[name] = meaning.type
        return counters

    def _is_local(self, name: str) -> bool:
        meaning = self._scopes.meaning(name)
        return isinstance(meaning, DeclaredVariable) and meaning.is_local

    def _has_loop(self, statements: Sequence[c_ast.Node]) -> bool:
        """Whether statements, or the functions that they call, have a `for` loop."""
        below = [node for item in statements for node in nodes_below(item)]
        called = (node.name for node in below if isinstance(node, c_ast.FuncCall))
        names = dict.fromkeys(name.name for name in called if isinstance(name, c_ast.ID))
        definitions = self._functions.definitions
        found = (definitions[name] for name in names if name in definitions)
        below += [node for definition in found for node in nodes_below(definition)]
        return any(isinstance(node, c_ast.For) for node in below)

    def _may_be_unused(self, name: str) -> bool:
        """Whether a compiler may warn if the region no longer uses `name`."""
        meaning = self._scopes.meaning(name)
        is_own = isinstance(meaning, FunctionName) and name in self._functions.definitions
        is_constant = isinstance(meaning, DeclaredVariable) and meaning.value is not None
        return is_own or is_constant or self._is_local(name)

    def _name(self, function: c_ast.FuncDef) -> str:
        name = str(function.decl.name)
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return name if count == 0 else f"{name}_{count}"


def _blocks_of(node: c_ast.Node) -> Iterator[list[c_ast.Node]]:
    """The lists of statements that a statement consists of."""
    match node:
        case c_ast.Compound():
            yield list(node.block_items or ())
        case c_ast.If():
            yield from ([branch] for branch in (node.iftrue, node.iffalse) if branch is not None)
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Switch() | c_ast.Label():
            yield [node.stmt]


def _is_body(
    function: c_ast.FuncDef,
    items: Sequence[c_ast.Node],
    start: int,
    following: Sequence[c_ast.Node],
) -> bool:
    """Whether all but declarations before `start` and a return is between it and `following`."""
    if list(items) != list(function.body.block_items or ()):
        return False
    before = items[:start]
    if not all(
        isinstance(item, c_ast.Decl | c_ast.Typedef) or is_index_array_pragma(item)
        for item in before
    ):
        return False
    return all(
        isinstance(item, c_ast.Return) and isinstance(item.expr, c_ast.Constant | None)
        for item in following
    )


def _follows_pragma(items: Sequence[c_ast.Node], position: int) -> bool:
    before = items[position - 1] if position > 0 else None
    is_own = any(_is_pragma(before, word) for word in ("scop", "endscop"))
    is_own |= is_index_array_pragma(before) or is_size_pragma(before)
    return isinstance(before, c_ast.Pragma) and not is_own


def _is_pragma(node: c_ast.Node | None, word: str) -> bool:
    return isinstance(node, c_ast.Pragma) and (node.string or "").split()[:1] == [word]


def _check_declarations(statements: Sequence[c_ast.Node], following: Sequence[c_ast.Node]) -> None:
    """Refuse a region whose declarations are used after it."""
    declared = [item for item in statements if isinstance(item, c_ast.Decl)]
    used = {name: None for item in following for name in identifiers_in(item)}
    for item in declared:
        if item.name in used:
            raise refuse(item, f"'{item.name}' is declared in the region and used after it")
