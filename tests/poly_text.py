"""Scops from the text of poly operations, for tests."""

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from polyir.dialects.poly import Poly
from polyir.dialects.scop import ScopOp
from polyir.model.scop import Scop, scop_of


def poly_module(text: str) -> ModuleOp:
    """The verified module that `text` describes."""
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    context.load_dialect(Poly)
    module = Parser(context, text).parse_module()
    module.verify()
    return module


def scops_of(module: ModuleOp) -> tuple[Scop, ...]:
    """The scops of a module, in order."""
    return tuple(scop_of(op) for op in module.walk() if isinstance(op, ScopOp))
