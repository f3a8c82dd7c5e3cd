"""Processor allocation: where the instances of one time run.

Gautam and Rajopadhye, "Computations on Iteration Spaces" (in The Compiler Design Handbook, 2007),
section 15.2.6: an affine function of the iterators is an allocation for a schedule if no two
instances that run at one time have the same processor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import LegalityError, OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.proofs.bands import annotate_bands
from polyir.sets.examples import example_of
from polyir.sets.lists import maps_of, sets_of
from polyir.sets.values import isl_value
from polyir.transform.bands import replace_band, require_free
from polyir.transform.loop_attributes import settled
from polyir.transform.parallel import PARALLEL, mark_parallel
from polyir.transform.walk import BAND
from polyir.tree import BandMember, Kind, Schedule, ScheduleNode, mapped_children
from polyir.tree.names import statements_of
from polyir.tree.nodes import by_statement

_SEQUENCES = (Kind.SEQUENCE, Kind.SET)

Rows = Mapping[str, Sequence[isl.PwAff]]
"""For each statement functions of its instances."""


def allocate_processors(
    schedule: Schedule, dependences: Dependences, allocation: isl.UnionMap | None = None
) -> Outcome:
    """Give each instance a processor, by a function that is given or found.

    The time of an instance is where it is in sequences, and its values of the loops that are not
    parallel. Without an `allocation`, its processor is its values of the parallel loops, which are
    marked: the tree stays. With one, `{ S[i, j] -> [i + j] }`, loops over its values take the place
    of all parallel loops, inside the others, and the outermost is marked.

    Raises `LegalityError` with an example if two instances of a statement have the same time and
    processor, and `OptionError` for an allocation that is not a function of all instances.
    """
    what = "the allocation of processors"
    exact = annotate_bands(schedule, dependences)
    found = _Allocation()
    found.visit(exact.root)
    rows: Rows = found.processors
    if allocation is not None:
        rows = _given_rows(allocation, schedule.domain)
    domains = {each.get_tuple_name(): each for each in sets_of(schedule.domain)}
    for name, domain in domains.items():
        _require_apart(domain, (*found.times[name], *rows[name]))
    texts = [f"{name} on processor {_text(rows[name])}" for name in sorted(domains)]
    if allocation is None:
        marked = mark_parallel(exact, dependences, "all")
        return Outcome(marked.schedule, tuple(texts), (), proved=marked.proved)
    require_free(exact.root, what)
    changed = _with_processors(exact.root, rows).schedule
    return settled(schedule, changed, dependences, what, texts)


@dataclass
class _Allocation:
    """For each statement, its time and its processor under a tree."""

    times: dict[str, tuple[isl.PwAff, ...]] = field(default_factory=dict)
    processors: dict[str, tuple[isl.PwAff, ...]] = field(default_factory=dict)

    def visit(self, node: ScheduleNode) -> None:
        """Add what `node` and those below it say of the statements that reach them."""
        if node.kind is BAND:
            flags = node.coincident
            for function, parallel in zip(node.functions, flags, strict=True):
                table = self.processors if parallel else self.times
                for name, value in by_statement(function).items():
                    table[name] = (*table.get(name, ()), value)
        for position in range(node.n_children):
            child = node.child(position)
            if node.kind in _SEQUENCES:
                for part in sets_of(child.filter):
                    name = part.get_tuple_name()
                    value = isl.PwAff.val_on_domain(part, isl_value(position))
                    self.times[name] = (*self.times.get(name, ()), value)
            self.visit(child)
        for name in statements_of(node):
            self.times.setdefault(name, ())
            self.processors.setdefault(name, ())


def _given_rows(allocation: isl.UnionMap, domain: isl.UnionSet) -> Rows:
    allocation = allocation.intersect_domain(domain)
    missing = domain.subtract(allocation.domain())
    if not missing.is_empty():
        raise OptionError(f"the allocation has no processor for {missing}")
    rows = {}
    for each in maps_of(allocation):
        name = each.get_tuple_name(isl.dim_type.in_)
        if not each.is_single_valued():
            raise OptionError(f"the allocation has several processors for an instance of {name}")
        function = isl.PwMultiAff.from_map(each)
        rows[name] = tuple(function.get_at(n) for n in range(each.dim(isl.dim_type.out)))
    return rows


def _require_apart(domain: isl.Set, functions: Sequence[isl.PwAff]) -> None:
    same = isl.Map.from_domain_and_range(domain, domain)
    for each in functions:
        same = same.intersect(each.eq_map(each))
    same = same.subtract(domain.identity())
    if not same.is_empty():
        example = example_of(same)
        raise LegalityError(
            f"{example.source} and {example.target} run at one time on one processor{example.where}"
        )


def _with_processors(node: ScheduleNode, rows: Rows) -> ScheduleNode:
    """The node with loops over processors in place of all parallel loops, inside the others."""
    if node.kind is BAND:
        members = node.members
        kept = [each for each in members if not each.is_coincident]
        if not kept:
            return _with_processors(node.delete(), rows)
        if len(kept) < len(members):
            node = replace_band(node, kept, node.permutable)
    if node.kind is Kind.LEAF:
        return _loops_over(node, rows)
    return mapped_children(node, lambda child: _with_processors(child, rows))


def _loops_over(leaf: ScheduleNode, rows: Rows) -> ScheduleNode:
    names = statements_of(leaf)
    width = min((len(rows[name]) for name in names), default=0)
    if not width:
        return leaf
    members = []
    for place in range(width):
        functions = [isl.UnionPwAff.from_pw_aff(rows[name][place]) for name in names]
        function = reduce(isl.UnionPwAff.union_add, functions)
        members.append(BandMember(function, True, attributes=() if place else (PARALLEL,)))
    return leaf.insert_band(members, permutable=True)


def _text(functions: Sequence[isl.PwAff]) -> str:
    texts = []
    for each in functions:
        text = str(each)
        texts.append(text[text.rindex("[(") + 2 : text.rindex(")]")] if "[(" in text else text)
    return f"[{', '.join(texts)}]"
