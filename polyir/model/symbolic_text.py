"""Dependences through index arrays as text: `{ S0[i] -> S0[i'] : p(i) = q(i') and i < i' }`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import islpy as isl

from polyir.dialects.dependence import Dependence
from polyir.model.statements import Access, SymbolicAccess
from polyir.model.uninterpreted import SymbolicPairs, symbolic_pairs
from polyir.sets.lists import parameters_of
from polyir.sets.names import unique_name


@dataclass(frozen=True)
class PrintedPairs:
    """`{ S[i] -> T[j] }` whose last parameters stand for terms.

    `terms` has the text of each of these parameters; `counters` are those that are counters of
    loops: a pair depends if there is a value of them. The text is that of the exact condition.
    """

    relation: isl.Map
    terms: Mapping[str, str] = field(default_factory=dict)
    counters: tuple[str, ...] = ()

    def body(self, text: str) -> str:
        """What isl's `text` of the relation, or of one that is simpler, says between braces."""
        body = text.partition("{")[2].rpartition("}")[0].strip()
        parts = (self._with_counters(part) for part in body.split("; "))
        return _TERM.sub(lambda found: self.terms.get(found[0], found[0]), "; ".join(parts))

    def _with_counters(self, part: str) -> str:
        """`S[i] -> T[j] : exists k: condition`."""
        counters = [name for name in self.counters if re.search(rf"\b{name}\b", part)]
        pairs, _, condition = part.partition(" : ")
        return f"{pairs} : exists {', '.join(counters)}: {condition}" if counters else part


_TERM = re.compile(r"\bterm\d+_?\d*\b")


def text_of_parts(parts: Sequence[PrintedPairs], write: Callable[[isl.Map], str]) -> str:
    """The union of `parts` as text; `write` gives the text of each relation."""
    texts = [write(part.relation) for part in parts]
    if len(parts) == 1 and not parts[0].terms:
        return texts[0]
    terms = {name for part in parts for name in part.terms}
    names = dict.fromkeys(
        name
        for part in parts
        for name in parameters_of(part.relation.get_space())
        if name not in terms
    )
    bodies = dict.fromkeys(part.body(text) for part, text in zip(parts, texts, strict=True))
    prefix = f"[{', '.join(names)}] -> " if names else ""
    return f"{prefix}{{ {'; '.join(bodies)} }}"


def printed_pairs(
    dependence: Dependence, sources: Iterable[Access], targets: Iterable[Access]
) -> list[PrintedPairs]:
    """The exact relation of a dependence, one part for each two accesses that may meet.

    `sources` and `targets` are the accesses at its ends. Without index arrays, that is the relation
    of the dependence.
    """
    sources, targets = tuple(sources), tuple(targets)
    if all(access.symbolic is None for access in (*sources, *targets)):
        return [PrintedPairs(dependence.relation)]
    parts = [
        _printed(pairs, dependence)
        for pairs in symbolic_pairs(dependence, sources, targets)
        if not pairs.possible().is_empty()
    ]
    affine = [part.relation for part in parts if not part.terms]
    # Where nothing is known of some access, the pairs may meet whatever the functions are.
    if any(dependence.relation.is_subset(relation) for relation in affine):
        return [PrintedPairs(dependence.relation)]
    return parts


def _printed(pairs: SymbolicPairs, dependence: Dependence) -> PrintedPairs:
    if pairs.is_affine:
        return PrintedPairs(pairs.without_terms(pairs.terms.points).coalesce())
    names = _Names(pairs, dependence)
    points = names.with_one_term_each(pairs.terms.points)
    for position, name in enumerate(names.of_dimensions):
        points = points.set_dim_name(isl.dim_type.set, position, name)
    terms = {name: text for name, text in names.texts.items() if name in names.of_dimensions}
    # isl says `rp(i) <= k < rp(i + 1)` where k comes last, and `p(i) = q(i')` where p(i) does.
    order = (*(name for name in reversed(terms) if name not in names.counters), *names.counters)
    for name in (each for each in order if each in terms):
        position = points.find_dim_by_name(isl.dim_type.set, name)
        count = points.dim(isl.dim_type.param)
        points = points.move_dims(isl.dim_type.param, count, isl.dim_type.set, position, 1)
    relation = pairs.between_instances(points)
    for kind, iterators in ((isl.dim_type.in_, names.source), (isl.dim_type.out, names.target)):
        for position, name in enumerate(iterators):
            relation = relation.set_dim_name(kind, position, name)
    return PrintedPairs(relation.coalesce(), terms, tuple(names.counters))


class _Names:
    """Names of the dimensions of pairs: iterators as they are, a stand-in for each term."""

    def __init__(self, pairs: SymbolicPairs, dependence: Dependence) -> None:
        self._pairs = pairs
        relation = dependence.relation
        taken = set(parameters_of(relation.get_space()))
        self.source = _iterators(relation, isl.dim_type.in_, taken)
        self.target = _iterators(relation, isl.dim_type.out, taken)
        self.texts: dict[str, str] = {}
        self.counters: list[str] = []
        source, target = pairs.source, pairs.target
        start = source.rank + source.terms
        self.of_dimensions = [
            *self.source,
            *self._terms(source, source.rank, taken),
            *self.target,
            *self._terms(target, start + target.rank, taken),
        ]
        self._add_counters(source, 0, taken)
        self._add_counters(target, start, taken)
        self._add_applications()

    def _terms(self, access: SymbolicAccess, first: int, taken: set[str]) -> list[str]:
        names: list[str] = []
        for position in range(first, first + access.terms):
            names.append(unique_name(f"term{position}", taken))
            taken.add(names[-1])
        return names

    def _add_counters(self, access: SymbolicAccess, start: int, taken: set[str]) -> None:
        points = self._pairs.terms.points
        for position, wanted in access.counters:
            name = self.of_dimensions[start + position]
            same = (each for each in self.counters if self._are_equal(points, each, name))
            equal = next(same, None)
            self.texts[name] = _primed(wanted, taken) if equal is None else self.texts[equal]
            taken.add(self.texts[name])
            self.counters.append(name)

    def _are_equal(self, points: isl.Set, left: str, right: str) -> bool:
        """Whether two dimensions have equal values at all points."""
        first, second = map(self.of_dimensions.index, (left, right))
        equal = isl.Set.universe(points.get_space())
        return points.is_subset(equal.equate(isl.dim_type.set, first, isl.dim_type.set, second))

    def _add_applications(self) -> None:
        for each in self._pairs.terms.applications:
            arguments = ", ".join(map(self._text, each.arguments))
            self.texts[self.of_dimensions[each.result]] = f"{each.function.name}({arguments})"

    def _text(self, argument: isl.Aff) -> str:
        """`i + 1` for `{ [i, ...] -> [(1 + i)] }`."""
        for position, name in enumerate(self.of_dimensions):
            argument = argument.set_dim_name(isl.dim_type.in_, position, self.texts.get(name, name))
        text = str(argument).rpartition("-> [")[2].rpartition("]")[0]
        return text[1:-1] if text.startswith("(") else text

    def with_one_term_each(self, points: isl.Set) -> isl.Set:
        """Points where terms with one text, which have equal values, are one.

        The dimensions of the others are taken out.
        """
        kept: dict[str, int] = {}
        extra: list[int] = []
        for position, name in enumerate(self.of_dimensions):
            text = self.texts.get(name)
            if text is None:
                continue
            first = kept.setdefault(text, position)
            if first != position:
                points = points.equate(isl.dim_type.set, first, isl.dim_type.set, position)
                extra.append(position)
        for position in reversed(extra):
            points = points.project_out(isl.dim_type.set, position, 1)
            del self.of_dimensions[position]
        return points


def _iterators(relation: isl.Map, kind: isl.dim_type, taken: set[str]) -> list[str]:
    names: list[str] = []
    for position in range(relation.dim(kind)):
        wanted = relation.get_dim_name(kind, position) or f"i{position}"
        names.append(_primed(wanted.rstrip("'"), taken))
        taken.add(names[-1])
    return names


def _primed(name: str, taken: set[str]) -> str:
    """A name with as many primes as it takes to be a new one."""
    while name in taken:
        name += "'"
    return name
