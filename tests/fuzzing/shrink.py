"""Makes a failing case smaller for as long as it fails in the same way.

A case is data, so all there is to try are smaller values of one field somewhere in its tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from fuzzing.program import (
    FLOATS,
    Affine,
    Binary,
    Choice,
    Constant,
    Convert,
    DataGuard,
    Guard,
    Loop,
    Node,
    Program,
    Value,
)
from fuzzing.run import Case

Tree = TypeVar("Tree")

VALUES = Value


def shrunk(case: Case, fails: Callable[[Case], bool], tries: int) -> Case:
    """A case that `fails` too, found with at most that many tries; greedy, largest cuts first."""
    while tries > 0:
        for candidate in _smaller_cases(case):
            tries -= 1
            if fails(candidate):
                case = candidate
                break
            if tries <= 0:
                break
        else:
            break
    return case


def _smaller_cases(case: Case) -> Iterator[Case]:
    for pipeline in _without_one(case.pipeline):
        yield replace(case, pipeline=pipeline)
    for sizes in _without_one(case.program.sizes):
        if sizes:
            yield replace(case, program=replace(case.program, sizes=sizes))
    for program in _smaller_programs(case.program):
        yield replace(case, program=program)
    for position, text in enumerate(case.pipeline):
        name, _, options = text.rstrip("}").partition("{")
        for left in _without_one(tuple(options.split())):
            short = f"{name}{{{' '.join(left)}}}" if left else name
            pipeline = (*case.pipeline[:position], short, *case.pipeline[position + 1 :])
            yield replace(case, pipeline=pipeline)


def _smaller_programs(program: Program) -> Iterator[Program]:
    for body in _smaller_blocks(program.body):
        yield replace(program, body=body)
    for array in program.arrays:
        if array.local or any(array.dynamic):
            plain = replace(array, local=False, dynamic=(False,) * array.rank)
            arrays = tuple(plain if each is array else each for each in program.arrays)
            yield replace(program, arrays=arrays)
    used = tuple(array for array in program.arrays if f"'{array.name}'" in repr(program.body))
    if used != program.arrays:
        yield replace(program, arrays=used)


def _without_one(items: tuple[Tree, ...]) -> Iterator[tuple[Tree, ...]]:
    for position in range(len(items)):
        yield items[:position] + items[position + 1 :]


def _smaller_blocks(body: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Blocks without a node, with a node's body in its place, or with a smaller node."""
    yield from _without_one(body)
    for position, node in enumerate(body):
        before, after = body[:position], body[position + 1 :]
        match node:
            case Guard() | DataGuard():
                yield (*before, *node.body, *after)
                yield (*before, *node.otherwise, *after)
            case Loop():
                # Its iterator starts where it stands: at the first lower bound.
                yield (*before, *_substituted(node.body, node.iterator, node.lowers[0]), *after)
        for smaller in _smaller_nodes(node):
            yield (*before, smaller, *after)


def _smaller_nodes(node: Node) -> Iterator[Node]:
    match node:
        case Loop():
            for body in _smaller_blocks(node.body):
                yield replace(node, body=body)
            for lowers in _without_one(node.lowers):
                if lowers:
                    yield replace(node, lowers=lowers)
            for uppers in _without_one(node.uppers):
                if uppers:
                    yield replace(node, uppers=uppers)
            if node.kind != "for":
                yield replace(node, kind="for")
            if node.step != 1:
                yield replace(node, step=1)
            if node.carried is not None:
                yield replace(node, carried=None)
        case Guard() | DataGuard():
            for body in _smaller_blocks(node.body):
                yield replace(node, body=body)
            for otherwise in _smaller_blocks(node.otherwise):
                yield replace(node, otherwise=otherwise)
        case _:
            pass
    if isinstance(node, Guard):
        for conditions in _without_one(node.conditions):
            if conditions:
                yield replace(node, conditions=conditions)
    yield from _with_smaller_values(node)


def _with_smaller_values(tree: Tree) -> Iterator[Tree]:
    """The tree with one of the values and affine expressions in it made smaller."""
    if isinstance(tree, Affine):
        yield from _smaller_affine(tree)  # type: ignore[misc]
    elif isinstance(tree, VALUES):
        yield from _smaller_values(tree)  # type: ignore[misc]
    if isinstance(tree, tuple):
        for position, item in enumerate(tree):
            if isinstance(item, Loop | Guard | DataGuard):
                continue
            for smaller in _with_smaller_values(item):
                yield (*tree[:position], smaller, *tree[position + 1 :])  # type: ignore[misc]
    elif is_dataclass(tree) and not isinstance(tree, type):
        for field in fields(tree):
            if field.name in ("body", "otherwise"):
                continue
            for smaller in _with_smaller_values(getattr(tree, field.name)):
                yield replace(tree, **{field.name: smaller})


def _smaller_values(value: Value) -> Iterator[Value]:
    match value:
        case Constant():
            return
        case Binary():
            yield from (value.left, value.right)
        case Convert():
            pass
        case Choice():
            yield from (value.first, value.second)
        case _:
            pass
    yield Constant(value.type, "1.5" if value.type in FLOATS else "1")


def _smaller_affine(expression: Affine) -> Iterator[Affine]:
    for terms in _without_one(expression.terms):
        yield replace(expression, terms=terms)
    for quotients in _without_one(expression.quotients):
        yield replace(expression, quotients=quotients)
    if expression.constant:
        yield replace(expression, constant=0)
    for position, (factor, name) in enumerate(expression.terms):
        if factor != 1:
            terms = expression.terms
            yield replace(expression, terms=(*terms[:position], (1, name), *terms[position + 1 :]))


def _substituted(tree: Tree, name: str, by: Affine) -> Tree:
    """The tree with an affine expression in the place of an iterator."""
    if isinstance(tree, Affine):
        kept = tuple(term for term in tree.terms if term[1] != name)
        factor = sum(factor for factor, term in tree.terms if term == name)
        quotients = tuple(_substituted(each, name, by) for each in tree.quotients)
        if factor:
            kept += tuple((factor * inner, term) for inner, term in by.terms)
            quotients += tuple(
                replace(each, coefficient=factor * each.coefficient) for each in by.quotients
            )
        return Affine(kept, quotients, tree.constant + factor * by.constant)  # type: ignore[return-value]
    if isinstance(tree, tuple):
        return tuple(_substituted(item, name, by) for item in tree)  # type: ignore[return-value]
    if is_dataclass(tree) and not isinstance(tree, type):
        changed = {f.name: _substituted(getattr(tree, f.name), name, by) for f in fields(tree)}
        return replace(tree, **changed)
    return tree
