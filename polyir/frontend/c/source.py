"""A C file with its regions, each translated to a function of affine IR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pycparser import c_ast
from pycparser.c_parser import Coord
from xdsl.dialects.builtin import UnitAttr

from polyir.base.diagnostics import InputSyntaxError, PolyirError, SourceLocation
from polyir.base.internal_errors import InternalError, internal_errors_of, wants_traceback
from polyir.dialects.expected_sizes import REPEATED
from polyir.frontend.c.advice import advised
from polyir.frontend.c.effects import Functions
from polyir.frontend.c.errors import NotModelledError, location_of_node
from polyir.frontend.c.expected_sizes import is_expectation
from polyir.frontend.c.layout import lines_of_statement, starting_lines
from polyir.frontend.c.names import nodes_below
from polyir.frontend.c.parsing import parsed
from polyir.frontend.c.preprocess import Chunk, Declarations, Directive
from polyir.frontend.c.region_pragmas import (
    UnreadFileError,
    has_own_line,
    lost_regions,
    region_pragmas,
)
from polyir.frontend.c.scopes import Scopes
from polyir.frontend.c.size_bounds import bounds_where
from polyir.frontend.c.stated import Stated, is_stating
from polyir.frontend.c.translation import RegionTranslator, TranslatedRegion
from polyir.frontend.c.types import SCHAR, UCHAR


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
    refused: PolyirError | None = None
    """Why bounds of loops must be allowed to come out of memory, where `content` needs that."""

    @property
    def statement_lines(self) -> slice:
        """The lines of the statements, among those of the file."""
        pragma = 0 if self.is_part else 1
        return slice(self.first_line - 1 + pragma, self.last_line - pragma)


@dataclass(frozen=True)
class SourceFile:
    """The regions of a file in order, and the functions that cannot be parsed, as errors.

    `left` says for the loops that were tried without pragmas why they cannot be modelled, and
    `left_nests` are those of them that are in no other loop. `lost`
    are pragmas that no region was made of. `ranges` are the lines from `#pragma scop` to
    `#pragma endscop` of what was read, and `asked` is how many regions there are to read.
    """

    regions: tuple[SourceRegion, ...]
    skipped: tuple[InputSyntaxError, ...]
    left: tuple[PolyirError, ...]
    lost: tuple[PolyirError, ...] = ()
    ranges: tuple[tuple[int, int], ...] = ()
    asked: int = 0
    left_nests: tuple[SourceLocation | None, ...] = ()
    is_complete: bool = True
    """Whether the file ends after a declaration, as valid C does."""
    unused: tuple[PolyirError, ...] = ()
    """Pragmas about what no region has."""
    data_regions: tuple[SourceRegion, ...] = ()
    """What can be modelled only if bounds of loops may come out of memory; outer loops first."""


def read_regions(
    text: str, path: str, macros: Sequence[str], source: str, takes_data: bool = False
) -> SourceFile:
    """The regions between pragmas of the file `path` with the text `source`.

    `text` is its preprocessed text. With `takes_data`, the bounds of loops may come out of memory,
    and variables that are local to a loop are in it.
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
    declarations = Declarations(text, path)
    tree, promises, skipped = parsed(declarations, path, is_detecting)
    plain_char = UCHAR if "__CHAR_UNSIGNED__" in macros else SCHAR
    whole = Scopes(plain_char)
    definitions: dict[str, c_ast.FuncDef] = {}
    for item in tree.ext:
        if isinstance(item, c_ast.FuncDef):
            definitions[item.decl.name] = item
        whole.declare(item)
    functions = Functions(whole, definitions, promises, macros)
    scopes = Scopes(plain_char)
    reader = _RegionFinder(path, scopes, functions, source, is_detecting, takes_data)
    for item in tree.ext:
        reader.read(item, _sizes_before(item, declarations.chunks))
    pragmas = region_pragmas(text, declarations.chunks)
    errors = [each.content for each in reader.regions if isinstance(each.content, PolyirError)]
    named = [error.location for error in errors]
    if is_detecting:
        pragmas = tuple(pragma for pragma in pragmas if pragma.location.file != path)
    return SourceFile(
        tuple(reader.regions),
        tuple(skipped.values()),
        tuple(reader.left.values()),
        tuple(lost_regions(pragmas, path, reader.ranges, skipped, named)),
        tuple(reader.ranges),
        sum(pragma.is_start for pragma in pragmas),
        tuple(reader.left_nests),
        declarations.is_complete,
        tuple(reader.unused()),
        tuple(reader.data_regions),
    )


def cxx_file(text: str, path: str) -> SourceFile:
    """A file in C++, of which nothing is read; `text` is its preprocessed text."""
    message = "C++ is not read: move its loops to a C file"
    starts = [each for each in region_pragmas(text, ()) if each.is_start]
    places = [each.location for each in starts if each.location.file == path]
    lost = [NotModelledError(message, place) for place in places]
    whole = UnreadFileError(message, SourceLocation(path, 1, 1))
    return SourceFile((), (), (), tuple(lost or [whole]), asked=len(places))


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
        self.data_regions: list[SourceRegion] = []
        self.left: dict[SourceLocation | None, PolyirError] = {}
        self.left_nests: list[SourceLocation | None] = []
        self.ranges: list[tuple[int, int]] = []
        self._path = path
        self._scopes = scopes
        self._functions = functions
        self._source = source
        self._lines = source.splitlines()
        self._is_detecting = is_detecting
        self._outer_lines: list[int] = []
        self._loops_around = 0
        self._translator = RegionTranslator(scopes, functions, takes_data)
        self._data_translator = None
        if not takes_data:
            self._data_translator = RegionTranslator(scopes, functions, True)
            self._data_translator.expected = self._translator.expected
        self._stated = Stated()

    def unused(self) -> list[InputSyntaxError]:
        """Pragmas about what no region has."""
        return self._translator.expected.unused()

    def read(self, item: c_ast.Node, pragmas: Sequence[c_ast.Pragma] = ()) -> None:
        """Add an external declaration, with the pragmas in front of a function."""
        self._scopes.declare(item)
        if isinstance(item, c_ast.FuncDef):
            with self._scopes.nested():
                self._scopes.declare_parameters(item)
                self._stated = Stated()
                for pragma in pragmas:
                    self._stated = self._stated.after(pragma, self._scopes)
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
            is_loop = isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile)
            self._loops_around += is_loop
            outer = self._stated
            for number, items in enumerate(_blocks_of(node)):
                if isinstance(node, c_ast.If):
                    holds = node.iftrue is not None and number == 0
                    self._stated = outer.within(bounds_where(node.cond, holds, self._scopes))
                self._search_items(function, items, is_detecting)
            self._stated = outer
            self._loops_around -= is_loop
            if place is not None:
                self._outer_lines.pop()

    def _search_items(
        self, function: c_ast.FuncDef, items: list[c_ast.Node], is_detecting: bool
    ) -> None:
        outer = self._stated
        self._search_in_order(function, items, is_detecting)
        self._stated = outer

    def _search_in_order(
        self, function: c_ast.FuncDef, items: list[c_ast.Node], is_detecting: bool
    ) -> None:
        position = 0
        while position < len(items):
            item = items[position]
            if is_detecting and _follows_pragma(items, position):
                # The pragma is about the statement as it is.
                place = location_of_node(item)
                if isinstance(item, c_ast.For) and place is not None and place.file == self._path:
                    self._leave(
                        place,
                        PolyirError(
                            "the pragma before it is about this loop", place, name="region-pragma"
                        ),
                    )
            elif isinstance(item, c_ast.Pragma) and is_stating(item):
                self._stated = self._stated.after(item, self._scopes)
            elif isinstance(item, c_ast.Case | c_ast.Default):
                # Its declarations are those of the block of the `switch`.
                self._search_items(function, list(item.stmts or ()), is_detecting)
            elif is_detecting and isinstance(item, c_ast.For):
                position = self._detected(function, items, position)
            elif not is_detecting and _is_pragma(item, "scop"):
                outer = self._stated
                position = self._region(function, items, position)
                self._stated = outer
            else:
                if isinstance(item, c_ast.Decl | c_ast.Typedef):
                    self._scopes.declare(item)
                self._search(function, item, is_detecting)
            self._stated = self._stated.after_statement(item, self._scopes)
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
            return start
        last = location_of_node(items[end])
        assert last is not None
        self.ranges.append((location.line, last.line))
        head = location_of_node(function.decl)
        assert head is not None
        following = items[end + 1 :]
        statements = items[start + 1 : end]
        while statements and isinstance(first := statements[0], c_ast.Pragma) and is_stating(first):
            self._stated = self._stated.after(first, self._scopes)
            statements.pop(0)
        content = self._content(function, statements, following)
        shared = [line for line in (location.line, last.line) if not self._has_own_line(line)]
        if shared:
            message = "other code is on the same line as the pragma: give it a line of its own"
            content = NotModelledError(message, replace(location, line=shared[0], column=1))
        is_body = _is_body(function, items, start, following)
        whole = SourceRegion(
            location, head.line, location.line, last.line, content, is_body=is_body
        )
        if shared or not isinstance(content, PolyirError):
            self.regions.append(whole)
            return end
        self._add_with_data(whole, function, statements, following)
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

    def _has_own_line(self, line: int) -> bool:
        """Whether a line with a pragma has nothing else, and can go."""
        return line <= len(self._lines) and has_own_line(self._lines[line - 1], self._source)

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
            following = items[position + 1 :]
            one = self._content(function, items[position : position + 1], following, False)
            if isinstance(one, PolyirError):
                if position == start:
                    self._leave(location_of_node(items[start]), one)
                break
            if one.leaves_loops and found:
                break
            found.append(lines)
            if one.leaves_loops:
                break
        # Together they may have aliases that none of them has alone.
        for count in dict.fromkeys((len(found), 1)) if found else ():
            loops, rest = items[start : start + count], items[start + count :]
            content = self._content(function, loops, rest, drops_pragmas=False)
            if not isinstance(content, PolyirError):
                location = location_of_node(loops[0])
                assert location is not None
                lines = (found[0][0], found[count - 1][1])
                is_body = _is_body(function, items, start, rest)
                region = SourceRegion(location, head.line, *lines, content, True, is_body)
                self.regions.append(region)
                if content.leaves_loops:
                    why = NotModelledError("a loop under a condition on data", location)
                    region = replace(region, content=why)
                    self._add_with_data(region, function, loops, rest, drops_pragmas=False)
                return start + count - 1
        lines, place = self._lines_of(items[start]), location_of_node(items[start])
        refused = self.left.get(place)
        if lines is not None and place is not None and refused is not None:
            rest = items[start + 1 :]
            is_body = _is_body(function, items, start, rest)
            region = SourceRegion(place, head.line, *lines, refused, True, is_body)
            self._add_with_data(region, function, items[start : start + 1], rest, False)
        self._search(function, items[start], is_detecting=True)
        return start

    def _add_with_data(
        self,
        region: SourceRegion,
        function: c_ast.FuncDef,
        statements: Sequence[c_ast.Node],
        following: Sequence[c_ast.Node],
        drops_pragmas: bool = True,
    ) -> None:
        """Add a region that was refused to the `data_regions` if it is one of these."""
        if self._data_translator is None or not isinstance(region.content, PolyirError):
            return
        content = self._content(
            function, statements, following, drops_pragmas, self._data_translator
        )
        if not isinstance(content, PolyirError):
            self.data_regions.append(replace(region, content=content, refused=region.content))

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
            error = PolyirError(
                "other code or a directive is on the same lines", location, name="shared-line"
            )
            self._leave(location, error)

    def _leave(self, location: SourceLocation | None, error: PolyirError) -> None:
        """Note why a loop stays as it is."""
        if not self._outer_lines and location not in self.left:
            self.left_nests.append(location)
        self.left.setdefault(location, error)

    def _content(
        self,
        function: c_ast.FuncDef,
        statements: Sequence[c_ast.Node],
        following: Sequence[c_ast.Node],
        drops_pragmas: bool = True,
        translator: RegionTranslator | None = None,
    ) -> TranslatedRegion | PolyirError:
        """Statements translated, or why they cannot be.

        Between pragmas for polyir, other pragmas are dropped. A loop that nobody named keeps them.
        """
        try:
            with internal_errors_of(None):
                content = (translator or self._translator).translate(
                    function, statements, following, self._stated, drops_pragmas
                )
                if self._loops_around:
                    content.function.attributes[REPEATED] = UnitAttr()
                return content
        except NotModelledError as error:
            error.message = advised(error.message)
            return error
        except InternalError as error:
            if wants_traceback():
                raise
            found = error.as_error()
            found.location = found.location or location_of_node(statements[0])
            return found

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
                    self._add_with_data(region, function, part, (*rest, *following))
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

    def _has_loop(self, statements: Sequence[c_ast.Node]) -> bool:
        """Whether statements, or the functions that they call, have a `for` loop."""
        below = [node for item in statements for node in nodes_below(item)]
        called = (node.name for node in below if isinstance(node, c_ast.FuncCall))
        names = dict.fromkeys(name.name for name in called if isinstance(name, c_ast.ID))
        definitions = self._functions.definitions
        found = (definitions[name] for name in names if name in definitions)
        below += [node for definition in found for node in nodes_below(definition)]
        return any(isinstance(node, c_ast.For) for node in below)


def _sizes_before(item: c_ast.Node, chunks: Sequence[Chunk]) -> list[c_ast.Pragma]:
    """The pragmas in front of a function that are about sizes, and no promises."""
    place = location_of_node(item.decl) if isinstance(item, c_ast.FuncDef) else None
    if place is None:
        return []
    before = [each for each in chunks if each.file == place.file and each.line <= place.line]
    nodes = [_pragma(each) for each in before[-1].pragmas] if before else []
    return [node for node in nodes if is_expectation(node)]


def _pragma(directive: Directive) -> c_ast.Pragma:
    """A pragma as the parser gives those in functions."""
    place = directive.location
    return c_ast.Pragma(directive.text, Coord(place.file, place.line, place.column))


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
    if not all(isinstance(item, c_ast.Decl | c_ast.Typedef) or is_stating(item) for item in before):
        return False
    return all(
        isinstance(item, c_ast.Return) and isinstance(item.expr, c_ast.Constant | None)
        for item in following
    )


def _follows_pragma(items: Sequence[c_ast.Node], position: int) -> bool:
    before = items[position - 1] if position > 0 else None
    is_own = any(_is_pragma(before, word) for word in ("scop", "endscop"))
    is_own |= is_stating(before)
    return isinstance(before, c_ast.Pragma) and not is_own


def _is_pragma(node: c_ast.Node | None, word: str) -> bool:
    return isinstance(node, c_ast.Pragma) and (node.string or "").split()[:1] == [word]
