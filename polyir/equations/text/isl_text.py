"""The parts of a text that are in isl's notation: sets, relations, functions, polynomials."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import TypeVar

import islpy as isl
from lark import Token

from polyir.base.diagnostics import nearest
from polyir.equations.text.names import Names
from polyir.equations.text.source import Branch, Source, name_tokens, token, tree
from polyir.sets.names import is_keyword

Object = TypeVar("Object")

_NAME = re.compile(r"[A-Za-z_]\w*")
_TUPLE = re.compile(r"(?:^\{|;|->)\s*\[([^\[\]]*)\]")
_NUMBER_OR_NAME = re.compile(r"(\d+\s*)?([A-Za-z_]\w*)")
_OPERATORS = MappingProxyType({"==": "=", "&&": " and ", "&": " and ", "||": " or ", "|": " or "})
_OPERATOR = re.compile("==|&&?|[|][|]?")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


class IslText:
    """Reads isl's notation in a system with `parameters`. Names of `constants` are their values.

    Conditions may also have AlphaZ's operators `==`, `&&` and `||`. All methods raise
    `InputSyntaxError` for a text that isl does not read.
    """

    def __init__(self, source: Source, parameters: Names, constants: Mapping[str, int]) -> None:
        self.parameters = parameters
        self._source = source
        self._constants = constants

    def name(self, at: Token) -> str:
        """A new name for a parameter or a dimension."""
        name = plain_name(at)
        self._require_name(at, name, 0)
        return name

    def names_in(self, brackets: Token) -> Names:
        """The names of dimensions in `[i, j]`, distinct, none of them that of a parameter."""
        text = _blanked(brackets[1:-1])
        if not text.strip():
            return ()
        found: list[str] = []
        offset = 1
        for part in text.split(","):
            name = part.strip()
            place = offset + len(part) - len(part.lstrip())
            self._require_name(brackets, name, place)
            self._require_new(brackets, name, found, place)
            found.append(name)
            offset += len(part) + 1
        return tuple(found)

    def require_distinct(self, at: Branch, found: Sequence[str]) -> None:
        """Refuse names of dimensions that are the same, or that of a parameter."""
        for position, name in enumerate(found):
            self._require_new(at, name, found[:position], 0)

    def parameter_set(self, at: Token) -> isl.Set:
        """`{ : N > 0 }`."""
        read = self._read(at, at, isl.Set, ())
        if not read.is_params():
            self._source.fail(at, "conditions on parameters are needed here: '{ : ... }'")
        return read

    def set(self, at: Token, known: Names = ()) -> isl.Set:
        """`{ [i] : ... }`, or in array notation `{ : ... }` with the dimensions `known`."""
        if re.match(r"\{\s*:", at):
            text = f"{{ [{', '.join(known)}] {at[1:]}"
        else:
            text = re.sub(r"^\{\s*\}$", "{ [] }", at)
        read = self._read(at, text, isl.Set, (*known, *_names_in_tuples(text)))
        return isl.Set.from_params(read) if read.is_params() else read

    def relation(self, at: Token) -> isl.Map:
        """`{ [i] -> [j] : ... }`."""
        return self._read(at, at, isl.Map, _names_in_tuples(at))

    def function(self, at: Branch) -> isl.MultiAff:
        """`(i, j -> i, j - 1)`."""
        indices, *_ = tree(at).children
        known = tuple(self.name(each) for each in name_tokens(tree(indices)))
        self.require_distinct(at, known)
        return self.function_of(at, known, self._source.slice(at).partition("->")[2][:-1])

    def array_function(self, at: Token, known: Names) -> isl.MultiAff:
        """`[i, j - 1]` at a point whose dimensions have the names `known`."""
        return self.function_of(at, known, at[1:-1])

    def function_of(self, at: Branch, known: Names, values: str) -> isl.MultiAff:
        """The function from dimensions `known` to the values of that text, rounded down."""
        text = f"{{ [{', '.join(known)}] -> [{values}] }}"
        function = self._read(at, text, isl.MultiAff, known)
        for position in range(function.dim(isl.dim_type.out)):
            value = function.get_at(position)
            if not value.get_denominator_val().is_one():
                function = function.set_at(position, value.floor())
        return function

    def polynomial(self, at: Token, known: Names) -> isl.PwQPolynomial:
        """`{ [i] -> i^2 : ...; ... }`, or in array notation `{ i^2 : ...; ... }`."""
        if re.match(r"\{\s*\[[^\]]*\]\s*->", at):
            return self._read(at, at, isl.PwQPolynomial, _names_in_tuples(at))
        pieces = _blanked(at[1:-1]).split(";")
        head = f"[{', '.join(known)}] -> "
        text = "{ " + "; ".join(head + piece for piece in pieces) + " }"
        return self._read(at, text, isl.PwQPolynomial, known)

    def bounds(self, at: Token) -> list[tuple[str, str]]:
        """The bounds in `[N, M]` and `[1 : N, 0 : M]`: from the first to before the second."""
        found = []
        for part in _blanked(at[1:-1]).split(","):
            first, colon, last = part.partition(":")
            found.append((first, last) if colon else ("0", first))
        return found

    def box(self, at: Token, known: Names) -> isl.Set:
        """The points whose coordinates are within the bounds."""
        within = [f"{a} <= {i} < {b}" for i, (a, b) in zip(known, self.bounds(at), strict=True)]
        text = f"{{ [{', '.join(known)}] : {' and '.join(within)} }}"
        return self._read(at, text, isl.Set, known)

    def _read(
        self, at: Branch, text: str, kind: Callable[[str], Object], known: Sequence[str]
    ) -> Object:
        """What isl reads; `known` are the names of dimensions."""
        shadowed = {*self.parameters, *known}
        constants = {name: self._constants[name] for name in self._constants.keys() - shadowed}

        def valued(match: re.Match[str]) -> str:
            factor, name = match[1] or "", match[2]
            if name not in constants:
                return match[0]
            return f"{factor}{'*' if factor else ''}{constants[name]}"

        plain = _OPERATOR.sub(lambda match: _OPERATORS[match[0]], _blanked(text))
        plain = _NUMBER_OR_NAME.sub(valued, plain)
        try:
            return kind(f"[{', '.join(self.parameters)}] -> {plain}")
        except isl.Error as error:
            self._explain(at, shadowed, str(error))
            raise

    def _explain(self, at: Branch, known: AbstractSet[str], message: str) -> None:
        text = self._source.slice(at)
        plain = _blanked(text)
        if "->" in plain and plain.startswith("("):
            known = known | set(_NAME.findall(plain.partition("->")[0]))
        known = known | set(re.findall(r"\w+", "".join(re.findall(r"exists\s*\(?([^:]*):", plain))))
        for match in _NAME.finditer(plain):
            name = match[0]
            if name not in known and not is_keyword(name) and name not in self._constants:
                hint = nearest(name, known)
                message = f"'{name}' is neither a parameter nor a dimension here{hint}"
                self._source.fail(at, message, match.start())
        reason = re.sub(r"^call to \S+ failed: | in \S+:\d+$", "", message)
        self._source.fail(at, f"isl does not read '{' '.join(plain.split())}': {reason}")

    def _require_name(self, at: Branch, name: str, offset: int) -> None:
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            self._source.fail(at, f"'{name}' is not a name for a parameter or a dimension", offset)
        if is_keyword(name):
            self._source.fail(at, f"'{name}' is a word of isl's notation, not a name", offset)

    def _require_new(self, at: Branch, name: str, others: Sequence[str], offset: int) -> None:
        if name in self.parameters:
            self._source.fail(at, f"'{name}' is a parameter, not a name for a dimension", offset)
        if name in others:
            self._source.fail(at, f"two dimensions are called '{name}'", offset)


def plain_name(at: object) -> str:
    """A name without `^`, which says that it is not a keyword."""
    return token(at).removeprefix("^")


def _names_in_tuples(text: str) -> list[str]:
    """The names that are a whole coordinate of a tuple: isl takes them for dimensions."""
    tuples = _TUPLE.findall(_blanked(text))
    parts = [part.strip() for each in tuples for part in each.split(",")]
    return [part for part in parts if _NAME.fullmatch(part)]


def _blanked(text: str) -> str:
    return _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
