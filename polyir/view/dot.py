"""Graphs as text for Graphviz: the dependences between statements, and the schedule tree."""

from __future__ import annotations

import json
from collections.abc import Mapping

import islpy as isl

from polyir.dialects.dependence import DependenceKind, Dependences
from polyir.dialects.schedule_tree import BandOp, DomainOp, FilterOp, MarkOp, TreeOp
from polyir.model.distance import common_loops, vectors_of
from polyir.model.scop import Scop
from polyir.sets.lists import functions_of, sets_of

_STYLES: Mapping[DependenceKind, str] = {
    DependenceKind.FLOW: "solid",
    DependenceKind.ANTI: "dashed",
    DependenceKind.OUTPUT: "dotted",
    DependenceKind.REDUCTION: "bold",
    DependenceKind.INPUT: "dotted",
}


def dependence_graph(scop: Scop, dependences: Dependences, name: str) -> str:
    """A node for each statement, an edge for each dependence.

    Edges are labelled with the array and the distance vectors in the common loops of the current
    tree; flow is solid, anti dashed, output dotted, reduction bold.
    """
    lines = [f"digraph {_quoted(name)} {{", "  node [shape=box];"]
    for statement in scop.statements:
        names = _iterators(statement.domain)
        lines.append(f"  {_quoted(statement.name)} [label={_quoted(statement.name + names)}];")
    for dependence in dependences.items:
        vectors = vectors_of(dependence.relation, common_loops(scop.schedule, dependence))
        label = " ".join([dependence.array, *map(str, vectors)])
        lines.append(
            f"  {_quoted(dependence.source)} -> {_quoted(dependence.target)} "
            f"[label={_quoted(label)}, style={_STYLES[dependence.kind]}];"
        )
    return "\n".join([*lines, "}"]) + "\n"


def schedule_graph(scop: Scop, name: str) -> str:
    """The current schedule tree, with a box for each node.

    A band shows its functions, and a `*` for each coincident member.
    """
    nodes: list[str] = []
    edges: list[str] = []

    def add(node: TreeOp, parent: int | None) -> None:
        number = len(nodes)
        nodes.append(f"  n{number} [label={_quoted(_label(node))}];")
        if parent is not None:
            edges.append(f"  n{parent} -> n{number};")
        for child in node.children:
            add(child, number)

    add(scop.op.tree, None)
    lines = [f"digraph {_quoted(name)} {{", "  node [shape=box];", *nodes, *edges, "}"]
    return "\n".join(lines) + "\n"


def _label(node: TreeOp) -> str:
    """The contents of a node of the tree, in short lines."""
    match node:
        case BandOp():
            return _band_label(node)
        case MarkOp():
            return f"mark {node.mark}"
        case FilterOp() | DomainOp():
            kind = node.name.removeprefix("poly.")
            return f"{kind} {', '.join(_names(node.instances.data))}"
        case _:
            return node.name.removeprefix("poly.")


def _band_label(band: BandOp) -> str:
    """`band, permutable`, then a line for each member."""
    schedule = band.schedule.data
    lines = ["band, permutable" if band.permutable is not None else "band"]
    for position, coincident in enumerate(band.coincident):
        parts = sorted(map(_function, functions_of(schedule.get_at(position))))
        lines.append(f"{'*' if coincident.value.data else ' '} {'; '.join(parts)}")
    return "\n".join(lines)


def _function(piece: isl.PwAff) -> str:
    """A member of one statement without parameters' names: `S0[i] -> [(i)]`."""
    _, _, text = str(piece).rpartition("{")
    return text.removesuffix("}").strip()


def _names(instances: isl.UnionSet) -> list[str]:
    names = [part.get_tuple_name() or "" for part in sets_of(instances)]
    return sorted(names, key=lambda name: (len(name), name))


def _iterators(domain: isl.Set) -> str:
    count = domain.dim(isl.dim_type.set)
    names = (domain.get_dim_name(isl.dim_type.set, position) for position in range(count))
    return f"[{', '.join(name or '_' for name in names)}]"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
