"""Nested modules as one: C and LLVM IR have one name space for the functions of a file."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import PolyirError, location_of


def flatten_modules(module: ModuleOp) -> None:
    """Move what modules inside `module` hold into it; references to it follow.

    Raises `PolyirError` where two symbols have the same name.
    """
    inner = [op for op in module.walk() if isinstance(op, ModuleOp) and op is not module]
    if not inner:
        return
    # Innermost first: what they hold moves outwards step by step.
    for nested in reversed(inner):
        for op in tuple(nested.body.block.ops):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(nested))
        Rewriter.erase_op(nested)
    _require_different_symbols(module)
    names = {nested.sym_name.data for nested in inner if nested.sym_name is not None}
    for op in module.walk():
        for attributes in (op.properties, op.attributes):
            for name, value in attributes.items():
                attributes[name] = _flat_reference(value, names)


def _require_different_symbols(module: ModuleOp) -> None:
    symbols: dict[str, Operation] = {}
    for op in module.body.block.ops:
        name = op.properties.get("sym_name")
        if isinstance(name, StringAttr) and symbols.setdefault(name.data, op) is not op:
            raise PolyirError(
                f"another module has the symbol '{name.data}' too, and targets have no modules",
                location_of(op),
                name="unsupported-by-target",
            )


def _flat_reference(value: Attribute, modules: set[str]) -> Attribute:
    """`@f` for `@inner::@f`."""
    if isinstance(value, SymbolRefAttr) and value.root_reference.data in modules:
        nested = value.nested_references.data
        if nested:
            return SymbolRefAttr(nested[-1].data)
    return value
