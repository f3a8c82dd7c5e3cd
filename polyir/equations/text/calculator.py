"""Sets that are calculated: `{X} + [N] cross domain (i -> i + 1)`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn, TypeAlias, TypeVar

import islpy as isl
from lark import Token

from polyir.base.diagnostics import nearest
from polyir.equations.points import counted, named
from polyir.equations.text.isl_text import IslText, plain_name
from polyir.equations.text.names import names_of, position_names
from polyir.equations.text.source import Branch, Source, token, tree

Value: TypeAlias = isl.Set | isl.Map | isl.MultiAff

Points = TypeVar("Points", isl.Set, isl.Map)

_KINDS = MappingProxyType({isl.Set: "a set", isl.Map: "a relation", isl.MultiAff: "a function"})


class Calculator:
    """The values of calculated sets in a system.

    Defined objects are calculated when they are first used: they may be about variables that are
    declared later. Raises `InputSyntaxError`.
    """

    def __init__(
        self, source: Source, isl_text: IslText, definitions: Mapping[str, Branch]
    ) -> None:
        self._source = source
        self._isl = isl_text
        self._definitions = definitions
        self._defined: dict[str, Value] = {}
        self._pending: list[str] = []
        self._declarations: dict[str, Branch] = {}

    def declare(self, name: str, domain: Branch) -> None:
        """Tell of a variable, whose domain `{name}` then stands for."""
        self._declarations[name] = domain

    def set(self, at: Branch) -> isl.Set:
        """The value of an expression that must be a set."""
        value = self.value(at)
        if not isinstance(value, isl.Set):
            self._source.fail(at, f"a set is needed here, and this is {_KINDS[type(value)]}")
        return value

    def value(self, at: Branch) -> Value:
        """The value of an expression."""
        parts = tree(at).children
        match tree(at).data:
            case "isl_set":
                return self._isl.set(token(parts[0]))
            case "isl_relation":
                return self._isl.relation(token(parts[0]))
            case "function":
                return self._isl.function(at)
            case "box":
                return self._box(*parts)
            case "defined":
                return self._named(token(parts[0]))
            case "domain_of":
                return self._domain_of(token(parts[0]))
            case "unary_set":
                return self._unary(at, token(parts[0]), self.value(tree(parts[1])))
            case _:
                first, operator, second = parts
                values = self.value(tree(first)), self.value(tree(second))
                return self._binary(at, token(operator), *values)

    def _box(self, bounds: object, names: object) -> isl.Set:
        at = token(bounds)
        count = len(self._isl.bounds(at))
        if names is None:
            return self._isl.box(at, position_names(count, self._isl.parameters))
        known = self._isl.names_in(token(names))
        if len(known) != count:
            self._source.fail(
                token(names),
                f"there are {counted(count, 'bound')} and {counted(len(known), 'name')}",
            )
        return self._isl.box(at, known)

    def _named(self, at: Token) -> Value:
        name = plain_name(at)
        if name not in self._definitions:
            self._source.fail(at, f"'{name}' is not defined{nearest(name, self._definitions)}")
        return self._once(at, name, self._definitions[name])

    def _domain_of(self, at: Token) -> Value:
        name = plain_name(at)
        if name in self._declarations:
            domain = self._once(at, f"{{{name}}}", self._declarations[name])
            if not isinstance(domain, isl.Set):
                self._source.fail(at, f"the domain of '{name}' is {_KINDS[type(domain)]}")
            return domain
        if name not in self._definitions:
            known = [*self._declarations, *self._definitions]
            self._source.fail(at, f"there is no variable '{name}'{nearest(name, known)}")
        return self._named(at)

    def _once(self, at: Token, key: str, definition: Branch) -> Value:
        if key in self._pending:
            self._source.fail(at, f"'{key}' is defined by itself")
        if key not in self._defined:
            self._pending.append(key)
            self._defined[key] = self.value(definition)
            self._pending.remove(key)
        return self._defined[key]

    def _unary(self, at: Branch, operator: Token, value: Value) -> Value:
        if isinstance(value, isl.MultiAff):
            value = isl.Map.from_multi_aff(value)
        if isinstance(value, isl.Map):
            return _function_of_relation(str(operator), value)
        found = _function_of_set(str(operator), value)
        if found is None:
            self._refuse(at, operator, value)
        return found

    def _binary(self, at: Branch, operator: Token, first: Value, second: Value) -> Value:
        try:
            found = _combined(str(operator), first, second)
        except isl.Error:
            self._source.fail(at, f"'{operator}' needs operands of the same dimensions")
        if found is None:
            self._refuse(at, operator, first, second)
        return found

    def _refuse(self, at: Branch, operator: Token, *values: Value) -> NoReturn:
        kinds = " and ".join(_KINDS[type(value)] for value in values)
        self._source.fail(at, f"'{operator}' cannot be applied to {kinds}")


def _combined(operator: str, first: Value, second: Value) -> Value | None:
    """The result of an operator, or `None` if it is for operands of other kinds."""
    match operator, first, second:
        case "cross", isl.Set(), isl.Set():
            return _product(first, second)
        case "cross", isl.MultiAff(), isl.MultiAff():
            return first.flat_range_product(second)
        case "@", isl.MultiAff(), isl.MultiAff():
            return second.pullback_multi_aff(first)
        case _, isl.Set(), isl.Set():
            return _combined_alike(operator, first, second)
    left = isl.Map.from_multi_aff(first) if isinstance(first, isl.MultiAff) else first
    right = isl.Map.from_multi_aff(second) if isinstance(second, isl.MultiAff) else second
    match left, right:
        case isl.Map(), isl.Map():
            return _combined_maps(operator, left, right)
        case isl.Map(), isl.Set():
            return _with_set(operator, left, right)
    return None


def _combined_alike(operator: str, first: Points, second: Points) -> Points | None:
    match operator:
        case "+":
            return first.union(second)
        case "-":
            return first.subtract(second)
        case "*":
            return first.intersect(second)
    return None


def _combined_maps(operator: str, first: isl.Map, second: isl.Map) -> isl.Map | None:
    match operator:
        case "cross":
            return first.flat_product(second)
        case "@":
            return second.apply_domain(first)
    return _combined_alike(operator, first, second)


def _with_set(operator: str, relation: isl.Map, domain: isl.Set) -> Value | None:
    match operator:
        case "@":
            return domain.apply(relation)
        case "*":
            return relation.intersect_domain(domain)
        case "-":
            return relation.subtract_domain(domain)
        case "intersectRange":
            return relation.intersect_range(domain)
        case "subtractRange":
            return relation.subtract_range(domain)
    return None


def _function_of_set(operator: str, domain: isl.Set) -> isl.Set | None:
    match operator:
        case "complement":
            return domain.complement()
        case "affine-hull":
            return isl.Set.from_basic_set(domain.affine_hull())
        case "poly-hull":
            return isl.Set.from_basic_set(domain.polyhedral_hull())
    return None


def _function_of_relation(operator: str, relation: isl.Map) -> Value:
    match operator:
        case "complement":
            return relation.complement()
        case "affine-hull":
            return isl.Map.from_basic_map(relation.affine_hull())
        case "poly-hull":
            hull = relation.polyhedral_hull()
            assert isinstance(hull, isl.BasicMap)
            return isl.Map.from_basic_map(hull)
        case "domain":
            return relation.domain()
        case "range":
            return relation.range()
        case _:
            return relation.reverse()


def _product(first: isl.Set, second: isl.Set) -> isl.Set:
    """The product of two sets, with their names for the dimensions where they are distinct."""
    product = first.flat_product(second)
    found = (*names_of(first), *names_of(second))
    return named(product, found) if len(set(found)) == len(found) else product
