"""Attributes that hold live isl objects; their text is isl's own notation in quotes."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

import islpy as isl
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.sets.lists import text_of

IslObject = TypeVar(
    "IslObject",
    isl.Set,
    isl.UnionSet,
    isl.UnionMap,
    isl.MultiUnionPwAff,
    isl.UnionPwMultiAff,
    isl.Aff,
    isl.MultiAff,
    isl.PwQPolynomial,
)


class IslAttribute(Data[IslObject], Generic[IslObject]):
    """An attribute around one isl object.

    Two attributes are equal when they print alike: cheap, and stricter than equality of
    the sets, which may take long to decide.
    """

    type_of_data: ClassVar[type[Any]]

    @classmethod
    def parse_text(cls, parser: AttrParser) -> IslObject:
        """Read a string literal in isl's notation, or fail with a diagnostic at the literal."""
        position = parser.pos
        text = parser.parse_str_literal("isl notation in quotes")
        try:
            data: IslObject = cls.type_of_data(text)
        except isl.Error:
            parser.raise_error(f"malformed isl object for {cls.name}", position)
        return data

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> IslObject:
        with parser.in_angle_brackets():
            return cls.parse_text(parser)

    def print_text(self, printer: Printer) -> None:
        """Print isl's notation as a string literal."""
        printer.print_string_literal(text_of(self.data))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            self.print_text(printer)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, IslAttribute)
            and self.name == other.name
            and text_of(self.data) == text_of(other.data)
        )

    def __hash__(self) -> int:
        return hash((self.name, text_of(self.data)))


@irdl_attr_definition
class SetAttr(IslAttribute[isl.Set]):
    """A set of integer points: a domain, a context, a guard."""

    name = "poly.set"
    type_of_data = isl.Set


@irdl_attr_definition
class UnionSetAttr(IslAttribute[isl.UnionSet]):
    """Points of several spaces: the instances of several statements."""

    name = "poly.union_set"
    type_of_data = isl.UnionSet


@irdl_attr_definition
class UnionMapAttr(IslAttribute[isl.UnionMap]):
    """Relations between points of several spaces: an extension, an expansion."""

    name = "poly.union_map"
    type_of_data = isl.UnionMap


@irdl_attr_definition
class MultiUnionPwAffAttr(IslAttribute[isl.MultiUnionPwAff]):
    """The partial schedule of a band: a tuple of quasi-affine functions."""

    name = "poly.multi_union_pw_aff"
    type_of_data = isl.MultiUnionPwAff


@irdl_attr_definition
class UnionPwMultiAffAttr(IslAttribute[isl.UnionPwMultiAff]):
    """A quasi-affine function of several spaces: a contraction."""

    name = "poly.union_pw_multi_aff"
    type_of_data = isl.UnionPwMultiAff


@irdl_attr_definition
class AffAttr(IslAttribute[isl.Aff]):
    """A quasi-affine function of the points of one space."""

    name = "poly.aff"
    type_of_data = isl.Aff


@irdl_attr_definition
class MultiAffAttr(IslAttribute[isl.MultiAff]):
    """A quasi-affine function from the points of one space to those of another."""

    name = "poly.multi_aff"
    type_of_data = isl.MultiAff


@irdl_attr_definition
class PwQPolynomialAttr(IslAttribute[isl.PwQPolynomial]):
    """A piecewise quasi-polynomial of the points of one space."""

    name = "poly.pw_qpolynomial"
    type_of_data = isl.PwQPolynomial


@irdl_attr_definition
class DependencesAttr(Data[Dependences]):
    """The dependences of a scop: `<value, [flow "A" "{ S[i] -> T[i] }", ...] order "...">`."""

    name = "poly.dependences"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Dependences:
        with parser.in_angle_brackets():
            value_based = parser.parse_optional_keyword("value") is not None
            if not value_based:
                parser.parse_keyword("memory")
            parser.parse_punctuation(",")
            items = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: _parse_dependence(parser)
            )
            order = None
            if parser.parse_optional_keyword("order") is not None:
                order = UnionMapAttr.parse_text(parser)
        return Dependences(value_based, tuple(items), order)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("value, " if self.data.value_based else "memory, ")
            with printer.in_square_brackets():
                with printer.indented(2):
                    for position, item in enumerate(self.data.items):
                        printer.print_string("," if position else "")
                        printer.print_string("\n")
                        _print_dependence(printer, item)
                with printer.indented():
                    printer.print_string("\n" if self.data.items else "")
            if self.data.order is not None:
                printer.print_string(" order ")
                printer.print_string_literal(text_of(self.data.order))


def _parse_dependence(parser: AttrParser) -> Dependence:
    position = parser.pos
    kind = parser.parse_identifier("dependence kind")
    array = parser.parse_str_literal("array name")
    try:
        relation = isl.Map(parser.parse_str_literal("dependence relation"))
        return Dependence(DependenceKind(kind), array, relation)
    except (isl.Error, ValueError):
        parser.raise_error("malformed dependence", position)


def _print_dependence(printer: Printer, dependence: Dependence) -> None:
    printer.print_string(f"{dependence.kind.value} ")
    printer.print_string_literal(dependence.array)
    printer.print_string(" ")
    printer.print_string_literal(str(dependence.relation))
