"""Contraction: a temporary keeps only the cells that are live at once.

Successive modulo mapping (Lefebvre and Feautrier, "Automatic storage management for parallel
programs", 1998, section 4): element `a` goes to cell `(a_1 mod m_1, ..., a_d mod m_d)`, where
`m_k` is one more than the greatest distance, in dimension k, of two elements that are in
conflict and agree in the dimensions before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import islpy as isl
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from polyir.base import budgets
from polyir.base.diagnostics import LegalityError
from polyir.base.limits import limited, within_operations
from polyir.model.affine_maps import Valued
from polyir.model.dataflow import ArrayFlow
from polyir.model.outcome import Rewritten
from polyir.model.scop import Scop
from polyir.sets.boxes import greatest_of
from polyir.sets.lists import maps_of
from polyir.sets.values import isl_value
from polyir.transform.expansion.allocator import Allocator
from polyir.transform.expansion.lifetimes import conflicts, element_conflicts
from polyir.transform.expansion.temporaries import (
    StatementValues,
    extents_of,
    remove_unused,
    temporaries,
)

Moduli = tuple[int | None, ...]
"""For each dimension of an array its modulus; `None` for a dimension that does not change."""


def contract(scop: Scop, arrays: Sequence[str] = (), by_element: bool = False) -> Rewritten:
    """Shrink the temporaries of a scop to what is live at once under its schedule tree.

    `arrays` are the only ones to look at; without them all temporaries are. With `by_element`, an
    element lives from its first write to its last read, and an array for which isl would exceed
    its budget stays as it is.

    The dependences of the scop are out of date after it, and the tree must keep its order: the
    values share memory in that order only.
    """
    plan = limited("contraction", lambda: _plan(scop, arrays, by_element), ir=scop.op)
    allocator = Allocator(scop.op)
    done = tuple(_rewrite(scop, flow, moduli, allocator) for flow, moduli in plan.contracted)
    return Rewritten(done, plan.missed)


@dataclass(frozen=True)
class _ContractionPlan:
    """The flow through each array to contract, with its moduli; what is left, and why."""

    contracted: tuple[tuple[ArrayFlow, Moduli], ...]
    missed: tuple[str, ...]


def _plan(scop: Scop, arrays: Sequence[str], by_element: bool) -> _ContractionPlan:
    flows, missed = temporaries(scop, arrays)
    contracted: list[tuple[ArrayFlow, Moduli]] = []
    for name, flow in flows.items():
        if not by_element:
            moduli: Moduli | None = _moduli(scop, flow, conflicts)
        else:
            compute = partial(_moduli, scop, flow, element_conflicts)
            moduli = within_operations(budgets.LIVE_ELEMENTS, compute)
        if moduli is None:
            missed.append(f"{name} was not contracted: {budgets.LIVE_ELEMENTS.exceeded}")
        elif any(modulus is not None for modulus in moduli):
            contracted.append((flow, moduli))
        elif arrays:
            missed.append(f"{name} was not contracted: all its elements may be live at once")
    return _ContractionPlan(tuple(contracted), tuple(missed))


def _moduli(scop: Scop, flow: ArrayFlow, find: Callable[[Scop, ArrayFlow], isl.UnionMap]) -> Moduli:
    """The moduli for an array, which are proved; `None` for each dimension that must stay."""
    together = find(scop, flow)
    extents = extents_of(scop.arrays[flow.array])
    moduli = _worthwhile(successive_moduli(together, len(extents)), extents)
    if any(modulus is not None for modulus in moduli):
        require_apart(together, moduli, flow.array)
    return moduli


def successive_moduli(together: isl.UnionMap, rank: int) -> Moduli:
    """The moduli for an array with these conflicts; `None` where no constant is enough."""
    relations = maps_of(together)
    if not relations:
        return (1,) * rank
    (relation,) = relations
    distances = relation.deltas()
    moduli: list[int | None] = []
    for position in range(rank):
        greatest = greatest_of(distances, position)
        if distances.is_empty():
            moduli.append(1)
        else:
            moduli.append(None if greatest is None else greatest + 1)
        distances = distances.fix_val(isl.dim_type.set, position, isl.Val(0))
    return tuple(moduli)


def _worthwhile(moduli: Moduli, extents: Sequence[SSAValue | int]) -> Moduli:
    """The moduli without those that save nothing."""
    return tuple(
        None if modulus is not None and isinstance(extent, int) and modulus >= extent else modulus
        for modulus, extent in zip(moduli, extents, strict=True)
    )


def require_apart(together: isl.UnionMap, moduli: Moduli, array: str) -> None:
    """Raise `LegalityError` if two elements that are in conflict would share a cell.

    Exact, and independent of how the moduli were found.
    """
    for relation in maps_of(together):
        sharing = relation
        for position, modulus in enumerate(moduli):
            space = relation.get_space().range()
            element = isl.Aff.var_on_domain(space, isl.dim_type.set, position)
            cell = element if modulus is None else element.mod_val(isl_value(modulus))
            same = isl.PwAff.from_aff(cell)
            sharing = sharing.intersect(same.eq_map(same))
        if not sharing.is_empty():
            raise LegalityError(
                f"contracting {array} would store two live values in one element", name="live-range"
            )


@dataclass(frozen=True)
class _ContractedSubscripts:
    """How the subscripts of an array become those of the contracted one."""

    moduli: Moduli

    def subscripts(self, old: Valued) -> Valued:
        """The new subscripts; a dimension of one cell is none."""
        return tuple(
            _modulo(each, modulus)
            for each, modulus in zip(old, self.moduli, strict=True)
            if modulus != 1
        )

    def extents(self, old: Sequence[SSAValue | int]) -> list[SSAValue | int]:
        """The new extents."""
        pairs = zip(old, self.moduli, strict=True)
        return [extent if modulus is None else modulus for extent, modulus in pairs if modulus != 1]


def _modulo(expression: AffineExpr, modulus: int | None) -> AffineExpr:
    if modulus is None:
        return expression
    return AffineBinaryOpExpr(AffineBinaryOpKind.Mod, expression, AffineConstantExpr(modulus))


def _rewrite(scop: Scop, flow: ArrayFlow, moduli: Moduli, allocator: Allocator) -> str:
    """Let all accesses go to the contracted array; says so."""
    old = scop.arrays[flow.array]
    cell = _ContractedSubscripts(moduli)
    new = allocator.allocate(old, (), cell.extents(extents_of(old)))
    for statement in scop.statements:
        values = StatementValues(scop, statement)
        for access in flow.accesses_of(statement.name):
            subscripts = cell.subscripts(values.subscripts(access.operation))
            values.redirect(access.operation, new, subscripts)
    before = old.type
    remove_unused(old)
    return f"{flow.array} contracted from {before} to {new.type}"
