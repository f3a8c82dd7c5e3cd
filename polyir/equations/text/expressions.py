"""From syntax trees to expressions, in either notation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from types import MappingProxyType

import islpy as isl
from lark import Token

from polyir.base.diagnostics import nearest
from polyir.equations.points import counted
from polyir.equations.system import (
    AutoRestrict,
    Case,
    Constant,
    Dependence,
    Expression,
    If,
    Index,
    Operation,
    Polynomial,
    Reduce,
    Restrict,
    Variable,
)
from polyir.equations.text.calculator import Calculator
from polyir.equations.text.isl_text import IslText, plain_name
from polyir.equations.text.names import Names, names_behind, names_of
from polyir.equations.text.source import Branch, Source, children, name_tokens, token, tree

_MAXIMUM_DIGITS = 1000

_SPELLINGS = MappingProxyType({"sum": "+", "prod": "*"})


@dataclass(frozen=True)
class Externals:
    """The external functions and what names mean where they are used.

    `arities` has the numbers of arguments by qualified names; `scopes` are the prefixes, innermost
    first, with which a name is looked up.
    """

    arities: Mapping[str, int]
    scopes: tuple[str, ...]


class ExpressionReader:
    """Reads the expressions of a system. `names` are always those of the point at hand.

    All methods raise `InputSyntaxError`. Whether variables exist, and dimensions fit, is for
    `check_system`.
    """

    def __init__(
        self,
        source: Source,
        isl_text: IslText,
        calculator: Calculator,
        variables: Mapping[str, object],
        constants: Mapping[str, int],
        externals: Externals,
    ) -> None:
        self._source = source
        self._isl = isl_text
        self._calculator = calculator
        self._variables = variables
        self._constants = constants
        self._externals = externals

    def read(self, at: Branch, names: Names) -> Expression:
        """An expression at points of those dimensions."""
        return replace(self._read(at, names), location=self._source.location(at))

    def _read(self, at: Branch, names: Names) -> Expression:
        parts = tree(at).children
        match tree(at).data:
            case "name":
                return self._name(token(parts[0]))
            case "number":
                return Constant(self._number(at))
            case "boolean":
                return Constant(parts[0] == "true")
            case "dependence":
                return self._dependence(self._isl.function(tree(parts[0])), tree(parts[2]), names)
            case "array_dependence":
                function = self._isl.array_function(token(parts[1]), names)
                return self._dependence(function, tree(parts[0]), names)
            case "index" | "array_index" | "polynomial":
                return self._index(at, names)
            case "reduce":
                return self._reduce(at, names)
            case "convolution":
                return self._convolution(at, names)
            case "select":
                return self._select(at, names)
            case "restrict" | "restrict_to":
                return self._restrict(at, names)
            case "auto":
                return AutoRestrict(self.read(tree(parts[0]), names))
            case "case":
                name = None if parts[0] is None else plain_name(parts[0])
                return Case(self._all(children(at), names), name)
            case "if_":
                return If(self._all(children(at), names))
            case _:
                return self._operation(at, names)

    def _all(self, branches: Sequence[Branch], names: Names) -> tuple[Expression, ...]:
        return tuple(self.read(each, names) for each in branches)

    def _number(self, at: Branch) -> int | float:
        text = "".join(token(each) for each in tree(at).children)
        if text.lstrip("-").isdigit():
            return integer(self._source, at, text)
        value = float(text)
        if not isfinite(value):
            self._source.fail(at, "this number is too large")
        return value

    def _name(self, at: Token) -> Expression:
        name = plain_name(at)
        if name not in self._variables and name in self._constants:
            return Constant(self._constants[name])
        return Variable(name)

    def _dependence(self, function: isl.MultiAff, operand: Branch, names: Names) -> Expression:
        behind = names_behind(function, names_of(function, names), self._isl.parameters)
        return Dependence(self.read(operand, behind), function)

    def _index(self, at: Branch, names: Names) -> Expression:
        (part,) = tree(at).children
        if tree(at).data == "polynomial":
            return Polynomial(self._isl.polynomial(token(part), names))
        if tree(at).data == "index":
            function = self._isl.function(tree(part))
        else:
            function = self._isl.array_function(token(part), names)
        count = function.dim(isl.dim_type.out)
        if count != 1:
            self._source.fail(at, f"'val' is one value, and this function has {count}")
        return Index(function.get_at(0))

    def _reduce(self, at: Branch, names: Names) -> Expression:
        operator, projection, body = tree(at).children
        if isinstance(projection, Token):
            new = self._isl.names_in(projection)
            inner = (*names, *new)
            self._isl.require_distinct(projection, inner)
            function = self._isl.function_of(projection, inner, ", ".join(names))
        else:
            function = self._isl.function(tree(projection))
            inner = names_of(function)
        operand = self.read(tree(body), inner)
        if tree(operator).data == "operator":
            return Reduce(operand, _operator(tree(operator)), function)
        name = self._external(tree(operator), 2)
        return Reduce(operand, name, function, is_external=True)

    def _convolution(self, at: Branch, names: Names) -> Expression:
        """`conv(K, w, x)`: the sum of w * x over the points of K, new dimensions of w and x."""
        domain, weights, data = (tree(each) for each in tree(at).children)
        points = self._calculator.set(domain)
        inner = (*names, *names_of(points))
        self._isl.require_distinct(domain, inner)
        points = points.insert_dims(isl.dim_type.set, 0, len(names))
        for position, name in enumerate(inner):
            points = points.set_dim_name(isl.dim_type.set, position, name)
        products = Operation(self._all((weights, data), inner), "*")
        function = self._isl.function_of(at, inner, ", ".join(names))
        return Reduce(Restrict(products, points), "+", function)

    def _select(self, at: Branch, names: Names) -> Expression:
        """`select R from e`: e at the point to which the relation leads."""
        at_relation, operand = (tree(each) for each in tree(at).children)
        relation = self._calculator.value(at_relation)
        if isinstance(relation, isl.MultiAff):
            return self._dependence(relation, operand, names)
        if not isinstance(relation, isl.Map):
            self._source.fail(at_relation, "a relation is needed here, and this is a set")
        if relation.dim(isl.dim_type.in_) != len(names):
            count = counted(relation.dim(isl.dim_type.in_), "dimension")
            self._source.fail(
                at_relation, f"this relation is from {count}, and points here have {len(names)}"
            )
        if not relation.is_single_valued():
            self._source.fail(at_relation, "this relation leads from one point to several")
        behind = names_of(relation.range())
        pieces: list[tuple[isl.Set, isl.MultiAff]] = []
        isl.PwMultiAff.from_map(relation).foreach_piece(lambda *piece: pieces.append(piece))
        values = [Dependence(self.read(operand, behind), function) for _, function in pieces]
        if len(pieces) == 1 and pieces[0][0].plain_is_universe():
            return values[0]
        branches = [
            Restrict(value, points) for value, (points, _) in zip(values, pieces, strict=True)
        ]
        return branches[0] if len(branches) == 1 else Case(tuple(branches))

    def _restrict(self, at: Branch, names: Names) -> Expression:
        domain, operand = tree(at).children
        if isinstance(domain, Token):
            points = self._isl.set(domain, names)
            inner = names_of(points, names)
        else:
            points = self._calculator.set(tree(domain))
            fits = points.dim(isl.dim_type.set) == len(names)
            inner = names if fits else names_of(points)
        return Restrict(self.read(tree(operand), inner), points)

    def _operation(self, at: Branch, names: Names) -> Expression:
        parts = tree(at).children
        match tree(at).data:
            case "unary":
                return Operation((self.read(tree(parts[1]), names),), str(parts[0]))
            case "binary":
                both = tree(parts[0]), tree(parts[2])
                return Operation(self._all(both, names), str(parts[1]))
        function, arguments = tree(parts[0]), tree(parts[1])
        operands = self._all(children(arguments), names)
        if function.data == "operator":
            return Operation(operands, _operator(function))
        name = self._external(function, len(operands))
        return Operation(operands, name, is_external=True)

    def _external(self, at: Branch, count: int) -> str:
        """The qualified name of an external function that takes so many arguments."""
        name = ".".join(plain_name(each) for each in name_tokens(at))
        found = resolved(name, self._externals.arities, self._externals.scopes)
        if found is None:
            hint = nearest(name, [each.rpartition(".")[2] for each in self._externals.arities])
            self._source.fail(at, f"there is no external function '{name}'{hint}")
        arity = self._externals.arities[found]
        if arity != count:
            self._source.fail(
                at, f"'{name}' takes {counted(arity, 'argument')}, and {count} are given"
            )
        return found


def resolved(name: str, known: Mapping[str, object], scopes: tuple[str, ...]) -> str | None:
    """The first qualified name that is known: with each prefix of `scopes`, then as it stands."""
    candidates = [*(f"{scope}.{name}" for scope in scopes), name]
    return next((each for each in candidates if each in known), None)


def _operator(at: Branch) -> str:
    spelling = str(tree(at).children[0])
    return _SPELLINGS.get(spelling, spelling)


def integer(source: Source, at: Branch, text: str) -> int:
    """The value of a decimal number. Raises `InputSyntaxError` if it has too many digits."""
    if len(text) > _MAXIMUM_DIGITS:
        source.fail(at, "this number is too large")
    return int(text)
