"""What the tests of raising share: raise a text, replay both forms, look at the scops."""

from __future__ import annotations

import islpy as isl
from replay import function_of, replay
from xdsl.dialects.builtin import ModuleOp

from polyir.dialects.scop import ScopOp
from polyir.frontend.parse import parse_module
from polyir.model.raising import RaiseOutcome, raise_module
from polyir.model.scop import scop_of
from polyir.model.statements import AccessKind


def raised(text: str) -> tuple[ModuleOp, RaiseOutcome]:
    """The raised module, after a check that it still computes the same."""
    original = parse_module(text, "test.mlir")
    module = original.clone()
    outcome = raise_module(module)
    module.verify()
    for size in (0, 1, 3, 4):
        before = replay(function_of(original), size)
        assert before == replay(function_of(module), size), size
    return module, outcome


def only_scop(text: str) -> ScopOp:
    _, outcome = raised(text)
    (scop,) = outcome.scops
    return scop


def stores(scop: ScopOp) -> list[list[str]]:
    """The arrays that each statement writes, in order."""
    return [
        [access.array for access in statement.accesses if access.kind is not AccessKind.READ]
        for statement in scop_of(scop).statements
    ]


def domains(scop: ScopOp) -> list[isl.Set]:
    return [statement.domain for statement in scop_of(scop).statements]


def function(body: str, arguments: str = "%n: index, %A: memref<?xf64>, %B: memref<?xf64>") -> str:
    """A function without results around `body`."""
    return f"func.func private @g(memref<?xf64>)\nfunc.func @f({arguments}) {{\n{body}\nreturn\n}}"
