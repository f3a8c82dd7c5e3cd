"""From the affine text to a verified module."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lark import UnexpectedInput
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region

from polyir.base.diagnostics import InputSyntaxError
from polyir.dialects.affine_extra import load_affine_extra
from polyir.dialects.rare_operations import load_rare_operations
from polyir.frontend import (
    operations_affine,
    operations_arith,
    operations_memory,
    operations_scf,
    operations_structure,
)
from polyir.frontend.attributes import AttributeReader
from polyir.frontend.grammar import parse_tree
from polyir.frontend.operation_reader import Handler, OperationReader
from polyir.frontend.scopes import ValueScopes
from polyir.frontend.source import SourceText, tree
from polyir.frontend.syntax_errors import (
    syntax_error,
    unknown_operation,
    unknown_operation_error,
)
from polyir.frontend.verification import verify_operations
from polyir.frontend.vocabulary import OPERATION_TERMINALS
from polyir.frontend.xdsl_fallback import parse_with_xdsl
from polyir.frontend.xdsl_forms import FORMS

_HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        **operations_structure.HANDLERS,
        **operations_affine.HANDLERS,
        **operations_arith.HANDLERS,
        **operations_memory.HANDLERS,
        **operations_scf.HANDLERS,
    }
)


def parse_module(
    text: str,
    filename: str = "<stdin>",
    context: Context | None = None,
    line_offset: int = 0,
) -> ModuleOp:
    """The module that `text` describes, in MLIR's syntax.

    The operations of func, affine, arith, math, memref, scf and the generic form of any
    operation are read by polyir's own grammar; a text with other operations is read by xDSL's
    parser. The dialects are those registered in `context` (by default, all of xDSL). A text without
    a module is the body of one. Unless the text has locations, each operation gets its position in
    the text as its location, where the first line is line `line_offset + 1` of the file
    `filename`. The names of values are kept as hints.

    Raises `InputSyntaxError` if the text is invalid or a verifier refuses an operation.
    """
    context = default_context() if context is None else context
    load_affine_extra(context)
    source = SourceText(text, filename, line_offset)
    if "gpu" in text:
        # It takes a while to import, and few texts have something of it.
        from polyir.dialects.gpu_extra import load_gpu_extra

        load_gpu_extra(context)
    try:
        return _parse(source, context)
    except RecursionError:
        # Not "from": the traceback is thousands of frames long and says nothing.
        raise source.error_at(1, 1, "the program is nested too deeply") from None


def default_context() -> Context:
    """A context that knows every dialect of xDSL."""
    context = Context()
    for name, factory in get_all_dialects().items():
        context.register_dialect(name, factory)
    return context


def _parse(source: SourceText, context: Context) -> ModuleOp:
    try:
        syntax_tree = parse_tree(source.text)
    except UnexpectedInput as error:
        name = unknown_operation(error)
        if name is None:
            raise syntax_error(source, error) from error
        load_rare_operations(context, source.text)
        if context.get_optional_op(name.value) is None and name.value not in FORMS:
            loaded = (operation.name for operation in context.loaded_ops)
            known = tuple(dict.fromkeys((*OPERATION_TERMINALS, *loaded, *FORMS)))
            raise unknown_operation_error(source, name, known) from error
        module, positions = parse_with_xdsl(source, context, _HANDLERS)

        def error_at_operation(operation: Operation, message: str) -> InputSyntaxError:
            return source.error_at(*positions.get(operation, (1, 1)), message)

        verify_operations(module, error_at_operation)
        return module
    reader = OperationReader(
        context, _HANDLERS, AttributeReader(source, context), ValueScopes(source)
    )
    operations: list[Operation] = []
    definitions = [tree(child) for child in syntax_tree.children]
    for definition in definitions:
        if definition.data in ("attribute_alias", "type_alias"):
            reader.attributes.define_alias(definition)
    for definition in definitions:
        if definition.data == "operation":
            operations.append(reader.operation(definition))
    reader.attributes.read_all_aliases()
    module = _module(operations)
    verify_operations(module, reader.error_at_operation)
    return module


def _module(operations: list[Operation]) -> ModuleOp:
    """The only operation, if it is a module; otherwise, a module that contains all of them."""
    if len(operations) == 1 and isinstance(operations[0], ModuleOp):
        return operations[0]
    return ModuleOp(Region(Block(operations)))
