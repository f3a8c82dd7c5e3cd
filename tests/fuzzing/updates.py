"""Programs of integers with many updates: reductions, whose results have no roundings."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import TypeVar

from fuzzing.program import Binary, Constant, Load, Program, Store

Tree = TypeVar("Tree")

INTEGER = {
    "f64": "i64",
    "f32": "i32",
    "arith.addf": "arith.addi",
    "arith.subf": "arith.subi",
    "arith.mulf": "arith.muli",
    "arith.maximumf": "arith.maxsi",
}
"""What types and operations become."""

UPDATES = ("arith.addi", "arith.addi", "arith.muli", "arith.minsi", "arith.maxui", "arith.xori")


def with_updates(program: Program) -> Program:
    """The program with integers for all numbers, where about half of the stores are updates."""
    return _changed(program, Random(f"updates {program.seed}"))


def _changed(tree: Tree, random: Random) -> Tree:
    if isinstance(tree, tuple):
        return type(tree)(_changed(each, random) for each in tree)
    if isinstance(tree, str):
        return type(tree)(INTEGER.get(tree, tree))
    if isinstance(tree, Constant):
        integer = tree.text.partition(".")[0]
        return replace(tree, type=INTEGER.get(tree.type, tree.type), text=integer)
    if not is_dataclass(tree) or isinstance(tree, type):
        return tree
    changes = {each.name: _changed(getattr(tree, each.name), random) for each in fields(tree)}
    changed = replace(tree, **changes)
    if isinstance(changed, Store) and random.random() < 0.5:
        own = Load(changed.value.type, changed.array, changed.subscripts)
        value = Binary(own.type, random.choice(UPDATES), own, changed.value)
        return replace(changed, value=value)
    return changed
