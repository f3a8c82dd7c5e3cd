"""Array references with affine subscripts, and which of them have the same pattern.

Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial Locality", 2017, section 4.2,
"Access Pattern Separation", and section 4.5, "Access Multiplicity".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.model.scop import Scop
from polyir.model.statements import AccessKind
from polyir.schedule.linear import Row
from polyir.schedule.tree import AffineRow
from polyir.sets.lists import pieces_of


@dataclass(frozen=True)
class ArrayReference:
    """One reference to an array in a statement, with an affine function for each subscript.

    `relation` is `{ S[i] -> A[a] }`. For the pattern, only the linear parts of subscripts count,
    and iterators are known by their place in the loop nest, so references of different statements
    can have the same pattern.
    """

    statement: str
    array: str
    relation: isl.Map
    subscripts: tuple[AffineRow, ...]
    is_write: bool

    @property
    def depth(self) -> int:
        """The number of iterators around the reference."""
        return self.relation.dim(isl.dim_type.in_)

    @property
    def registers(self) -> tuple[object, ...]:
        """Equal for references that can share a register, in whatever statement they are."""
        constants = tuple(row.constant for row in self.subscripts)
        return self.array, self.depth, self.linear_part, constants

    @property
    def linear_part(self) -> tuple[tuple[Row, Row], ...]:
        """The coefficients of iterators, outer ones first, and parameters in each subscript."""
        return tuple((_trimmed(row.coefficients), row.parameters) for row in self.subscripts)

    @property
    def pattern(self) -> tuple[object, ...]:
        """Equal for references that share cache lines in many iterations.

        These are all subscripts; of the last one, only the linear part.
        """
        constants = tuple(row.constant for row in self.subscripts[:-1])
        return self.array, self.linear_part, constants


def references_of(scop: Scop) -> tuple[ArrayReference, ...]:
    """The references of `scop` whose subscripts are affine, in the order of the program."""
    found = []
    for statement in scop.statements:
        for access in statement.accesses:
            subscripts = affine_subscripts(access.relation)
            if subscripts is not None:
                is_write = access.kind is not AccessKind.READ
                found.append(
                    ArrayReference(
                        statement.name, access.array, access.relation, subscripts, is_write
                    )
                )
    return tuple(found)


def affine_subscripts(relation: isl.Map) -> tuple[AffineRow, ...] | None:
    """The subscripts of an access as functions; `None` if they are not affine, or not functions."""
    if relation.is_empty() or not relation.is_single_valued():
        return None
    function = isl.PwMultiAff.from_map(relation).gist(relation.domain()).coalesce()
    pieces = [piece for _, piece in pieces_of(function)]
    if len(pieces) != 1:
        return None
    rows = []
    for place in range(pieces[0].dim(isl.dim_type.out)):
        row = _affine_row(pieces[0].get_at(place))
        if row is None:
            return None
        rows.append(row)
    return tuple(rows)


def _affine_row(function: isl.Aff) -> AffineRow | None:
    if function.dim(isl.dim_type.div) or not function.get_denominator_val().is_one():
        return None

    def coefficients(kind: isl.dim_type) -> Row:
        return tuple(
            int(function.get_coefficient_val(kind, place).to_python())
            for place in range(function.dim(kind))
        )

    return AffineRow(
        coefficients(isl.dim_type.in_),
        int(function.get_constant_val().to_python()),
        coefficients(isl.dim_type.param),
    )


def by_linear_part(references: Iterable[ArrayReference]) -> tuple[tuple[ArrayReference, ...], ...]:
    """Groups of references to one array with equal linear parts: the groups of section 4.5."""
    groups: dict[object, list[ArrayReference]] = {}
    for each in references:
        groups.setdefault((each.array, each.linear_part), []).append(each)
    return tuple(map(tuple, groups.values()))


def by_pattern(references: Iterable[ArrayReference]) -> tuple[tuple[ArrayReference, ...], ...]:
    """Groups of references with equal patterns."""
    groups: dict[object, list[ArrayReference]] = {}
    for each in references:
        groups.setdefault(each.pattern, []).append(each)
    return tuple(map(tuple, groups.values()))


def _trimmed(row: Sequence[int]) -> Row:
    """`row` without the zeros at its end."""
    last = max((place for place, entry in enumerate(row) if entry), default=-1)
    return tuple(row[: last + 1])
