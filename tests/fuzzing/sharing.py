"""Programs in which stores of one iteration need the same work, so that they are one statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from fuzzing.program import (
    FLOATS,
    Binary,
    Constant,
    Guard,
    Let,
    Load,
    Loop,
    Node,
    Program,
    Reference,
    Store,
    Value,
)

NAME = "shared"


def with_shared_work(program: Program) -> Program:
    """The program, or, at times, one in which two stores use a value that takes some work."""
    random = Random(f"shared {program.seed}")
    stores = list(_stores(program.body, inside=False))
    if not stores or random.random() > 0.25:
        return program
    chosen = random.choice(stores)
    body = _changed(program.body, chosen, _sharing(chosen, program, random))
    return replace(program, body=body)


def _stores(body: tuple[Node, ...], inside: bool) -> Iterator[Store]:
    """The stores in loops, but for those under conditions on data."""
    for node in body:
        match node:
            case Loop():
                yield from _stores(node.body, True)
            case Guard():
                yield from _stores((*node.body, *node.otherwise), inside)
            case Store() if inside:
                yield node


def _sharing(store: Store, program: Program, random: Random) -> tuple[Node, ...]:
    """The store of a value that takes some work, and another one, which may update an element."""
    type = program.array(store.array).type
    add, most = (
        ("arith.addf", "arith.maximumf") if type in FLOATS else ("arith.addi", "arith.minsi")
    )
    one = Constant(type, "1.5" if type in FLOATS else "1")
    work = Binary(type, add, Binary(type, most, store.value, one), one)
    shared = Reference(type, NAME)
    rank = len(store.subscripts)
    others = [each.name for each in program.arrays if each.type == type and each.rank == rank]
    array = random.choice(others)
    subscripts = tuple(each.shifted(random.choice((0, 0, 1))) for each in store.subscripts)
    if len(subscripts) > 1 and random.random() < 0.3:
        subscripts = (*subscripts[1:], subscripts[0])
    value: Value = Binary(type, add, shared, one)
    if random.random() < 0.4:
        value = Binary(type, add, Load(type, array, subscripts), value)
    pair = [replace(store, value=shared), Store(array, subscripts, value)]
    random.shuffle(pair)
    return Let(NAME, work), *pair


def _changed(body: tuple[Node, ...], chosen: Store, instead: tuple[Node, ...]) -> tuple[Node, ...]:
    """A block with other nodes in the place of a store."""
    found: list[Node] = []
    for node in body:
        match node:
            case Loop():
                found.append(replace(node, body=_changed(node.body, chosen, instead)))
            case Guard():
                own, other = (
                    _changed(each, chosen, instead) for each in (node.body, node.otherwise)
                )
                found.append(replace(node, body=own, otherwise=other))
            case _ if node is chosen:
                found += instead
            case _:
                found.append(node)
    return tuple(found)
