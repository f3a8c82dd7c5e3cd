"""A C file with its regions, each translated to a function of affine IR."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

from polyir.diagnostics import InputSyntaxError, PolyirError, SourceLocation
from polyir.frontend.c.builder import Builder
from polyir.frontend.c.calls import Calls
from polyir.frontend.c.delinearise import delinearise
from polyir.frontend.c.errors import NotModelledError, location_of_node, refuse
from polyir.frontend.c.expressions import Expressions
from polyir.frontend.c.layout import lines_of_statement, starting_lines
from polyir.frontend.c.live import is_read_outside
from polyir.frontend.c.names import nodes_below, region_names
from polyir.frontend.c.overlaps import PossibleOverlap, overlaps
from polyir.frontend.c.places import SourceArgument
from polyir.frontend.c.points_to import PointsTo
from polyir.frontend.c.preprocess import function_around, needed_text
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

    @property
    def statement_lines(self) -> slice:
        """The lines of the statements, among those of the file."""
        pragma = 0 if self.is_part else 1
        return slice(self.first_line - 1 + pragma, self.last_line - pragma)


def read_regions(
    text: str, path: str, macros: Sequence[str] = (), source: str = ""
) -> tuple[SourceRegion, ...]:
    """The regions of the file `path`, whose preprocessed text is `text`, in order.

    `source` is the text of the file; without it, a region is never divided into parts. Raises
    `InputSyntaxError` if the parser cannot read the text.
    """
    needed = needed_text(text)
    if not needed:
        return ()
    try:
        tree = CParser().parse(needed, path)
    except ParseError as error:
        raise _syntax_error(str(error)) from None
    return _regions_of(tree, path, macros, source, is_detecting=False)


def detect_regions(
    text: str, path: str, macros: Sequence[str], source: str
) -> tuple[tuple[SourceRegion, ...], tuple[InputSyntaxError, ...]]:
    """The loops of the file `path` that can be modelled, without pragmas, in order.

    Consecutive loops are one region. Functions that the parser cannot read have none; their errors
    are returned too. Raises `InputSyntaxError` for one outside functions.
    """
    unreadable: dict[int, InputSyntaxError] = {}
    while True:
        needed = needed_text(text, path, tuple(unreadable))
        if not needed:
            return (), tuple(unreadable.values())
        try:
            tree = CParser().parse(needed, path)
        except ParseError as parse_error:
            error = _syntax_error(str(parse_error))
            place = error.location
            is_own = place is not None and place.file == path
            line = function_around(text, path, place.line) if place and is_own else None
            if line is None or line in unreadable:
                raise error from None
            unreadable[line] = error
            continue
        regions = _regions_of(tree, path, macros, source, is_detecting=True)
        return regions, tuple(unreadable.values())


def _regions_of(
    tree: c_ast.FileAST, path: str, macros: Sequence[str], source: str, is_detecting: bool
) -> tuple[SourceRegion, ...]:
    scopes = Scopes(UCHAR if "__CHAR_UNSIGNED__" in macros else SCHAR)
    reader = _RegionFinder(path, scopes, source, is_detecting)
    for item in tree.ext:
        reader.read(item)
    return tuple(reader.regions)


def _syntax_error(message: str) -> InputSyntaxError:
    parts = message.split(":", 3)
    if len(parts) == 4 and parts[1].isdigit() and parts[2].isdigit():
        location = SourceLocation(parts[0], int(parts[1]), int(parts[2]))
        return InputSyntaxError(f"cannot parse this C: {parts[3].strip()}", location)
    return InputSyntaxError(f"cannot parse this C: {message}")


class _RegionFinder:
    """Finds regions, with the declarations in scope at each of them."""

    def __init__(self, path: str, scopes: Scopes, source: str, is_detecting: bool) -> None:
        self.regions: list[SourceRegion] = []
        self._path = path
        self._scopes = scopes
        self._source = source
        self._lines = source.splitlines()
        self._is_detecting = is_detecting
        self._names: dict[str, int] = {}

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
            for items in _blocks_of(node):
                self._search_items(function, items, is_detecting)

    def _search_items(
        self, function: c_ast.FuncDef, items: list[c_ast.Node], is_detecting: bool
    ) -> None:
        position = 0
        while position < len(items):
            item = items[position]
            if is_detecting and _follows_pragma(items, position):
                # The pragma is about the statement as it is.
                pass
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
        whole = SourceRegion(location, head.line, location.line, last.line, content)
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
                break
            one = self._content(function, items[position : position + 1], items[position + 1 :])
            if isinstance(one, PolyirError):
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
                self.regions.append(
                    SourceRegion(location, head.line, *lines, content, is_part=True)
                )
                return start + count - 1
        self._search(function, items[start], is_detecting=True)
        return start

    def _lines_of(self, item: c_ast.Node) -> tuple[int, int] | None:
        """The lines of a loop, if they hold nothing else."""
        location = location_of_node(item)
        if not isinstance(item, c_ast.For) or location is None or location.file != self._path:
            return None
        return lines_of_statement(self._source, location.line)

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
                if _has_loop(part) or (is_refused and not isinstance(part[0], c_ast.Decl)):
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
        _check_declarations(statements, following)
        names = region_names(statements, self._scopes)
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
        expressions = Expressions(builder, variables, Calls(builder, self._scopes, module))
        Statements(builder, variables, expressions).translate(statements)
        builder.insert(func.ReturnOp())
        described = variables.arguments.described
        delinearise(builder, described)
        for argument in tuple(entry.args):
            if argument not in described:
                entry.erase_arg(argument)
        operation.update_function_type()
        arguments = tuple(described[argument] for argument in entry.args)
        points_to = PointsTo(function, self._scopes)
        return TranslatedRegion(
            module,
            operation,
            arguments,
            names.mentioned,
            tuple(name for name in names.mentioned if self._may_be_unused(name)),
            overlaps(entry, arguments, self._counters(names.counted), points_to),
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

    def _may_be_unused(self, name: str) -> bool:
        """Whether a compiler may warn if the region no longer uses `name`."""
        meaning = self._scopes.meaning(name)
        is_own = isinstance(meaning, FunctionName) and meaning.definition is not None
        is_constant = isinstance(meaning, DeclaredVariable) and meaning.value is not None
        return is_own or is_constant or self._is_local(name)

    def _name(self, function: c_ast.FuncDef) -> str:
        name = str(function.decl.name)
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return name if count == 0 else f"{name}_{count}"


def _has_loop(statements: Sequence[c_ast.Node]) -> bool:
    return any(isinstance(node, c_ast.For) for item in statements for node in nodes_below(item))


def _blocks_of(node: c_ast.Node) -> Iterator[list[c_ast.Node]]:
    """The lists of statements that a statement consists of."""
    match node:
        case c_ast.Compound():
            yield list(node.block_items or ())
        case c_ast.If():
            yield from ([branch] for branch in (node.iftrue, node.iffalse) if branch is not None)
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.Switch() | c_ast.Label():
            yield [node.stmt]


def _follows_pragma(items: Sequence[c_ast.Node], position: int) -> bool:
    before = items[position - 1] if position > 0 else None
    is_own = any(_is_pragma(before, word) for word in ("scop", "endscop"))
    return isinstance(before, c_ast.Pragma) and not is_own


def _is_pragma(node: c_ast.Node | None, word: str) -> bool:
    return isinstance(node, c_ast.Pragma) and (node.string or "").split()[:1] == [word]


def _check_declarations(statements: Sequence[c_ast.Node], following: Sequence[c_ast.Node]) -> None:
    """Refuse a region whose declarations are used after it."""
    declared = [item for item in statements if isinstance(item, c_ast.Decl)]
    used = {
        node.name: None
        for item in following
        for node in nodes_below(item)
        if isinstance(node, c_ast.ID)
    }
    for item in declared:
        if item.name in used:
            raise refuse(item, f"'{item.name}' is declared in the region and used after it")
