"""Dependences as text for people."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, reduce
from typing import Final

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.dialects.dependence import Dependence, Dependences
from polyir.model.analysis import ends_of
from polyir.model.distance import Distance, DistanceVector, common_loops, vectors_of
from polyir.model.scop import Scop
from polyir.model.symbolic_text import printed_pairs, text_of_parts
from polyir.tree import Schedule


@dataclass(frozen=True)
class DependenceText:
    """One line a dependence, perhaps after a line with what all of them assume.

    `unknown` are the dependences whose distances take too long: their vectors have only `*`.
    """

    lines: tuple[str, ...]
    unknown: tuple[Dependence, ...]


def format_dependences(scop: Scop, dependences: Dependences) -> str:
    """The lines of `describe`."""
    return "\n".join(describe(scop, dependences).lines)


def describe(scop: Scop, dependences: Dependences) -> DependenceText:
    """One line a dependence: kind, array, source -> target, vectors, relation.

    `(may)` follows a statement if some of its instances may do without the access: it is under a
    condition on data, or its subscripts are not affine. The vectors are those of the loops common
    to source and target in the tree in force; a dependence without common loops has none.
    Conditions on parameters that the whole scop assumes are stated once, above all lines, where
    that is shorter.
    """
    rows: list[tuple[str, ...]] = []
    unknown: list[Dependence] = []
    for dependence in dependences.items:
        vectors = _vectors(scop.schedule, dependence)
        if vectors is None:
            unknown.append(dependence)
            vectors = (_anything(common_loops(scop.schedule, dependence)),)
        ends = f"{_end(scop, dependence, True)} -> {_end(scop, dependence, False)}"
        written = " ".join(map(str, vectors))
        rows.append((dependence.kind.value, dependence.array, ends, written))
    assumed, relations = _relations(scop, dependences.items)
    complete = [(*row, relation) for row, relation in zip(rows, relations, strict=True)]
    return DependenceText((*assumed, *_aligned(complete)), tuple(unknown))


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return [line.rstrip() for line in lines]


def _vectors(schedule: Schedule, dependence: Dependence) -> tuple[DistanceVector, ...] | None:
    loops = common_loops(schedule, dependence)
    return within_operations(
        budgets.SHOWN_DEPENDENCE, partial(vectors_of, dependence.relation, loops)
    )


def _anything(loops: tuple[object, ...]) -> DistanceVector:
    return DistanceVector(tuple(Distance(None, None) for _ in loops))


def _relations(
    scop: Scop, dependences: tuple[Dependence, ...]
) -> tuple[tuple[str, ...], list[str]]:
    """What all relations assume, if it is said once, and the relations as text."""
    parts = [printed_pairs(each, *ends_of(scop, each)) for each in dependences]
    whole = [text_of_parts(each, relation_text) for each in parts]
    within = partial(_within, scop.context)
    rest = [text_of_parts(each, within) for each in parts]
    assumed = f"assuming {_conditions(scop.context)}:"
    if sum(map(len, rest)) + len(assumed) < sum(map(len, whole)):
        return (assumed,), rest
    return (), whole


def _within(context: isl.Set, relation: isl.Map) -> str:
    """The text of a relation without the conditions of the context, unless that is hard."""
    simpler = within_operations(budgets.SHOWN_DEPENDENCE, partial(relation.gist_params, context))
    return relation_text(relation if simpler is None else simpler)


def _conditions(context: isl.Set) -> str:
    """`n > 0` for `[n] -> { : n > 0 }`."""
    return str(context).partition(" : ")[2].rpartition("}")[0].strip()


def relation_text(relation: isl.Map) -> str:
    """The shortest of isl's texts of a relation: mostly without what other conditions imply."""
    simplifications: list[Callable[[], str]] = [
        lambda: str(isl.Map(str(relation)).remove_redundancies().coalesce()),
        lambda: str(isl.Map(str(relation)).detect_equalities()),
    ]
    texts = [str(relation)]
    for simplify in simplifications:
        text = within_operations(budgets.SHOWN_DEPENDENCE, simplify)
        if text is not None:
            texts.append(text)
    return _ALONE.sub(r"\1\2\3", min(texts, key=len))


_ALONE: Final = re.compile(r"\(([\w']+)\)( mod )|(?<=floor\()\(([\w']+)\)(?=/)")
"""A name in parentheses that isl's notation does not need."""


def _end(scop: Scop, dependence: Dependence, is_source: bool) -> str:
    """The statement at one end of a dependence, marked if it may do without the access."""
    name = dependence.source if is_source else dependence.target
    mine, others = ends_of(scop, dependence)
    if not is_source:
        mine, others = others, mine
    if all(access.certain for access in mine):
        return name
    certain = [access.relation for access in mine if access.certain]
    if not certain:
        return f"{name} (may)"
    whole = reduce(isl.Map.union, [access.relation for access in others])
    pairs = reduce(isl.Map.union, certain).apply_range(whole.reverse())
    ordered = pairs if is_source else pairs.reverse()
    covers = within_operations(
        budgets.SHOWN_DEPENDENCE, partial(dependence.relation.is_subset, ordered)
    )
    return name if covers else f"{name} (may)"
