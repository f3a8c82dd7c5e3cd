"""`#pragma polyir index_array(p: injective, range(0, n))`: facts about index arrays in C.

A pragma says what holds for the elements of `p` whenever one of the regions that follow in its
block begins. `range(lo, hi)` is half-open: `lo <= p[i] < hi`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast, get_args

import islpy as isl
from pycparser import c_ast
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.dialects.index_arrays import Direction, IndexArrayAttr, IndexArrayFacts
from polyir.frontend.c.array_pragmas import array_pragma, is_array_pragma
from polyir.frontend.c.errors import PragmaError
from polyir.frontend.c.places import SourceArgument, SourceScalar, variable_of
from polyir.frontend.c.scopes import DeclaredVariable, EnumConstant, Meaning, Scopes
from polyir.sets.lists import parameters_of

_RANGE: Final = re.compile(r"range\s*\((?P<low>[^(),]+),(?P<high>[^(),]+)\)")
_BOUND: Final = re.compile(r"[\w\s+*-]+")
_NAME: Final = re.compile(r"\b[A-Za-z_]\w*")


@dataclass(frozen=True)
class StatedFacts:
    """What a pragma says of one array; the parameters of the range are variables of the file.

    `meanings` are what the names of the array and of these variables mean where the pragma is.
    """

    facts: IndexArrayFacts
    location: SourceLocation | None
    meanings: Mapping[str, Meaning | None]


def is_index_array_pragma(node: c_ast.Node | None) -> bool:
    """Whether a node is a pragma with facts about an index array."""
    return is_array_pragma(node, "index_array")


def stated_facts(node: c_ast.Pragma, scopes: Scopes) -> tuple[str, StatedFacts]:
    """The array that a pragma is about, and what it says of it.

    Raises `InputSyntaxError` for a pragma that makes no sense.
    """
    pragma = array_pragma(node, "index_array", "FACT", scopes)
    facts = _Reader(scopes, pragma.location).facts(pragma.text)
    variables = () if facts.range is None else parameters_of(facts.range.get_space())
    return pragma.array, StatedFacts(facts, pragma.location, pragma.meanings(variables, scopes))


class _Reader:
    def __init__(self, scopes: Scopes, location: SourceLocation | None) -> None:
        self._scopes = scopes
        self._location = location

    def facts(self, text: str) -> IndexArrayFacts:
        ranges = list(_RANGE.finditer(text))
        words = [word.strip() for word in _RANGE.sub("range", text).split(",")]
        directions = [word for word in words if word in get_args(Direction)]
        valid = ("injective", *get_args(Direction), "range")
        for word in words:
            if word not in valid or (word == "range" and not ranges):
                self._fail(
                    f"unknown fact '{word}' about an index array: expected injective, "
                    f"{', '.join(get_args(Direction))} or range(LOW, HIGH)"
                )
        if len(directions) > 1 or len(ranges) > 1:
            self._fail("a second fact of the same kind about an index array")
        return IndexArrayFacts(
            "injective" in words,
            cast(Direction, directions[0]) if directions else None,
            self._range(ranges[0]["low"], ranges[0]["high"]) if ranges else None,
        )

    def _range(self, low: str, high: str) -> isl.Set:
        """`{ [x] : low <= x < high }`, whose parameters are variables of the file."""
        names: dict[str, None] = {}
        bounds = [self._bound(each, names) for each in (low, high)]
        # isl's notation has words of its own that C does not have.
        numbered = {name: f"v{number}_" for number, name in enumerate(names)}
        texts = [_NAME.sub(lambda name: numbered.get(name[0], name[0]), each) for each in bounds]
        try:
            found = isl.Set(
                f"[{', '.join(numbered.values())}] -> {{ [x] : ({texts[0]}) <= x < ({texts[1]}) }}"
            )
        except isl.Error:
            self._fail(f"range({low},{high}) is not affine")
        for position, name in enumerate(names):
            found = found.set_dim_name(isl.dim_type.param, position, name)
        return found

    def _bound(self, text: str, names: dict[str, None]) -> str:
        """A bound with the values of constants; adds the variables in it to `names`."""
        if _BOUND.fullmatch(text) is None:
            self._fail(f"the bound '{text.strip()}' of a range is not an affine expression")

        def replacement(name: re.Match[str]) -> str:
            meaning = self._scopes.meaning(name[0])
            if isinstance(meaning, EnumConstant | DeclaredVariable) and meaning.value is not None:
                return f"({meaning.value})"
            if not isinstance(meaning, DeclaredVariable):
                self._fail(
                    f"the range depends on '{name[0]}', which is not a variable "
                    "(macros are not expanded in this pragma)"
                )
            names[name[0]] = None
            return name[0]

        return _NAME.sub(replacement, text)

    def _fail(self, message: str) -> None:
        raise PragmaError(message, self._location)


def attach_facts(
    function: FuncOp,
    arguments: Sequence[SourceArgument],
    stated_before: Mapping[str, StatedFacts],
    scopes: Scopes,
) -> None:
    """Give the arguments of the function of a region what the pragmas before it say of them.

    `scopes` is what names mean in the region. Raises `InputSyntaxError` for facts that do not fit
    an array.
    """
    # Few regions have facts, and start-up is part of every run.
    from polyir.model.index_arrays import require_right_facts

    facts = {name: each for name, each in stated_before.items() if scopes.means(each.meanings)}
    numbers = {
        argument.text: f"arg{number}"
        for number, argument in enumerate(arguments)
        if isinstance(argument, SourceScalar)
    }
    found: list[DictionaryAttr] = []
    location = None
    for argument in arguments:
        stated = facts.get(variable_of(argument) or "")
        if stated is None:
            found.append(DictionaryAttr({}))
            continue
        location = stated.location
        attribute = IndexArrayAttr(_in_terms_of(numbers, stated.facts))
        found.append(DictionaryAttr({IndexArrayAttr.name: attribute}))
    if location is not None:
        function.arg_attrs = ArrayAttr(found)
        try:
            require_right_facts(function)
        except PolyirError as error:
            raise PragmaError(error.message, location) from None


def _in_terms_of(numbers: Mapping[str, str], facts: IndexArrayFacts) -> IndexArrayFacts:
    """Facts whose range has the arguments of a function; others may have any value."""
    range = facts.range
    if range is None:
        return facts
    for name in parameters_of(range.get_space()):
        position = range.find_dim_by_name(isl.dim_type.param, name)
        if name not in numbers:
            range = range.project_out(isl.dim_type.param, position, 1)
    for position, name in enumerate(parameters_of(range.get_space())):
        range = range.set_dim_name(isl.dim_type.param, position, numbers[name])
    return IndexArrayFacts(facts.is_injective, facts.direction, range)
