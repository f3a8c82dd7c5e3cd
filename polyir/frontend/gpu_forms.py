"""The operations of the gpu dialect, most of which xDSL's parser can read in the generic form only.

Each function reads what follows the name of the operation, in the syntax of MLIR. The dialect takes
a while to import, and few texts have operations of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    SymbolRefAttr,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.parser import Parser

from polyir.frontend.operation_reader import INDEX, segments

if TYPE_CHECKING:
    from polyir.frontend.xdsl_fallback import MixedParser

# ---------------------------------------------------------------- modules, functions and launches


def _module(parser: MixedParser) -> Operation:
    from xdsl.dialects import gpu

    name = parser.parse_symbol_name()
    attributes = parser.parse_optional_attr_dict_with_keyword()
    body = parser.parse_region()
    if body.first_block is None:
        body.add_block(Block())
    return gpu.ModuleOp.create(
        properties={"sym_name": name},
        attributes={} if attributes is None else attributes.data,
        regions=[body],
    )


def _func(parser: MixedParser) -> Operation:
    from polyir.dialects.gpu_extra import KERNEL, FuncOp

    name = parser.parse_symbol_name()
    arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
    results: Sequence[Attribute] = ()
    if parser.parse_optional_punctuation("->") is not None:
        found = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        results = [parser.parse_type()] if found is None else found
    memory, memory_attributes = _memory(parser)
    kernel = parser.parse_optional_keyword("kernel") is not None
    attributes = parser.parse_optional_attr_dict_with_keyword()
    inputs = [argument.type for argument in arguments]
    return FuncOp.create(
        properties={"function_type": FunctionType.from_lists(inputs, list(results))},
        attributes={
            "sym_name": name,
            **({KERNEL: UnitAttr()} if kernel else {}),
            **memory_attributes,
            **_with_names_of_xdsl({} if attributes is None else attributes.data),
        },
        regions=[parser.parse_region([*arguments, *memory])],
    )


def _memory(parser: MixedParser) -> tuple[list[Parser.Argument], dict[str, Attribute]]:
    """`workgroup(%s : memref<...>) private(%p : memref<...>)`, and attributes for it."""
    found: list[Parser.Argument] = []
    attributes: dict[str, Attribute] = {}
    for word in ("workgroup", "private"):
        if parser.parse_optional_keyword(word) is None:
            continue
        own: list[DictionaryAttr] = []
        for argument, dictionary in parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _memory_argument(parser)
        ):
            found.append(argument)
            own.append(dictionary)
        if word == "workgroup":
            attributes["workgroup_attributions"] = IntegerAttr(len(own), i64)
        if any(each.data for each in own):
            attributes[f"{word}_attrib_attrs"] = ArrayAttr(own)
    return found, attributes


def _memory_argument(parser: Parser) -> tuple[Parser.Argument, DictionaryAttr]:
    """`%s : memref<...> {llvm.align = 16 : i64}`."""
    argument = parser.parse_argument()
    return argument, DictionaryAttr(parser.parse_optional_attr_dict())


def _launch(parser: MixedParser) -> Operation:
    from polyir.dialects.gpu_extra import LaunchOp

    tokens, results = _dependencies(parser)
    indices: list[Parser.Argument] = []
    sizes: list[Parser.Argument] = []
    operands: list[SSAValue] = []
    for word in ("blocks", "threads"):
        parser.parse_keyword(word)
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
        )
        indices += [name.resolve(INDEX) for name in names]
        parser.parse_keyword("in")
        parts = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _assignment(parser)
        )
        sizes += [name for name, _ in parts]
        operands += [value for _, value in parts]
    if len(operands) != 6 or len(indices) != 6:
        parser.raise_error("expected three indices and three sizes of blocks, and of threads")
    dynamic = _dynamic_memory(parser)
    memory, memory_attributes = _memory(parser)
    region = parser.parse_region([*indices, *sizes, *memory])
    return LaunchOp.create(
        operands=[*tokens, *operands, *dynamic],
        result_types=results,
        properties={"operandSegmentSizes": segments(len(tokens), *[1] * 6, 0, 0, 0, len(dynamic))},
        attributes=memory_attributes | parser.parse_optional_attr_dict(),
        regions=[region],
    )


def _assignment(parser: Parser) -> tuple[Parser.Argument, SSAValue]:
    name = parser.parse_argument(expect_type=False).resolve(INDEX)
    parser.parse_punctuation("=")
    return name, parser.parse_operand(INDEX)


def _dynamic_memory(parser: Parser) -> list[SSAValue]:
    if parser.parse_optional_keyword("dynamic_shared_memory_size") is None:
        return []
    return [parser.parse_operand(i32)]


def _launch_func(parser: MixedParser) -> Operation:
    from polyir.dialects.gpu_extra import LaunchFuncOp

    tokens, results = _dependencies(parser)
    position = parser.pos
    kernel = parser.parse_attribute()
    if not isinstance(kernel, SymbolRefAttr):
        parser.raise_error("expected the name of a kernel, such as @kernels::@kernel", position)
    names: list[Sequence[SSAValue]] = []
    unresolved = []
    for word in ("clusters", "blocks", "threads"):
        if word == "clusters":
            is_there = parser.parse_optional_keyword(word) is not None
        else:
            parser.parse_keyword(word)
            is_there = True
        group = []
        if is_there:
            parser.parse_keyword("in")
            position = parser.pos
            group = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )
            if len(group) != 3:
                parser.raise_error("expected three sizes", position)
        unresolved.append(group)
    type = INDEX if parser.parse_optional_punctuation(":") is None else parser.parse_type()
    clusters, blocks, threads = (
        [parser.resolve_operand(name, type) for name in group] for group in unresolved
    )
    dynamic = _dynamic_memory(parser)
    arguments: list[SSAValue] = []
    if parser.parse_optional_keyword("args") is not None:
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _typed_operand(parser)
        )
    names = [tokens, blocks, threads, clusters, dynamic, arguments]
    counts = (len(tokens), *[1] * 6, *[len(clusters) // 3] * 3, len(dynamic), len(arguments), 0)
    return LaunchFuncOp.create(
        operands=[value for group in names for value in group],
        result_types=results,
        properties={"operandSegmentSizes": segments(*counts), "kernel": kernel},
        attributes=parser.parse_optional_attr_dict(),
    )


def _typed_operand(parser: Parser) -> SSAValue:
    name = parser.parse_unresolved_operand()
    parser.parse_punctuation(":")
    return parser.resolve_operand(name, parser.parse_type())


def _return(parser: MixedParser) -> Operation:
    from xdsl.dialects import gpu

    attributes = parser.parse_optional_attr_dict()
    names = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    operands: Sequence[SSAValue] = ()
    if names:
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        operands = parser.resolve_operands(names, types, position)
    return gpu.ReturnOp.create(operands=operands, attributes=attributes)


# ------------------------------------------------------------------------------- inside of kernels


def _index(name: str) -> Callable[[MixedParser], Operation]:
    """`gpu.thread_id x` and its kin."""

    def parse(parser: MixedParser) -> Operation:
        from xdsl.dialects import gpu

        axis = parser.parse_identifier()
        if axis not in ("x", "y", "z"):
            parser.raise_error("expected 'x', 'y' or 'z'")
        bound: dict[str, Attribute] = {}
        if parser.parse_optional_keyword(_BOUND) is not None:
            bound = {_BOUND: IntegerAttr(parser.parse_integer(), INDEX)}
        attributes = bound | parser.parse_optional_attr_dict()
        dimension = gpu.DimensionAttr(gpu.DimensionEnum(axis))
        return parser.ctx.get_op(name).create(
            result_types=[INDEX], properties={"dimension": dimension}, attributes=attributes
        )

    return parse


def plain_form(name: str) -> Callable[[MixedParser], Operation]:
    """An operation that is only its name and attributes."""

    def parse(parser: MixedParser) -> Operation:
        return parser.ctx.get_op(name).create(attributes=parser.parse_optional_attr_dict())

    return parse


# --------------------------------------------------------------------------------------- memory


def _dependencies(parser: MixedParser) -> tuple[list[SSAValue], list[Attribute]]:
    """`async [%a, %b]`: the tokens that an operation waits for, and the type of its own."""
    from xdsl.dialects import gpu

    token = gpu.AsyncTokenType()
    results: list[Attribute] = []
    if parser.parse_optional_keyword("async") is not None:
        results = [token]
    found = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_operand(token)
    )
    return list(found or ()), results


def _wait(parser: MixedParser) -> Operation:
    from xdsl.dialects import gpu

    tokens, results = _dependencies(parser)
    return gpu.WaitOp.create(
        operands=tokens, result_types=results, attributes=parser.parse_optional_attr_dict()
    )


def _alloc(parser: MixedParser) -> Operation:
    from xdsl.dialects import gpu

    tokens, results = _dependencies(parser)
    shared: dict[str, Attribute] = {}
    if parser.parse_optional_keyword("host_shared") is not None:
        shared = {"hostShared": UnitAttr()}
    sizes = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_operand(INDEX)
    )
    symbols = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_operand(INDEX)
    )
    groups: list[Sequence[SSAValue]] = [tokens, sizes, symbols or []]
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return gpu.AllocOp.create(
        operands=[value for group in groups for value in group],
        result_types=[parser.parse_type(), *results],
        properties={"operandSegmentSizes": segments(*map(len, groups)), **shared},
        attributes=attributes,
    )


def _arrays(name: str) -> Callable[[MixedParser], Operation]:
    """`gpu.memcpy` and `gpu.dealloc`: arrays and their types."""

    def parse(parser: MixedParser) -> Operation:
        tokens, results = _dependencies(parser)
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        arrays = parser.resolve_operands(names, types, position)
        return corrected(parser.ctx.get_op(name)).create(
            operands=[*tokens, *arrays],
            result_types=results,
            attributes=attributes | _segments_of_arrays(name, len(tokens) + len(arrays)),
        )

    return parse


# ------------------------------------------------------------------ as xDSL has these operations


def corrected(operation_type: type[Operation]) -> type[Operation]:
    """The class with MLIR's rules for an operation of the dialect."""
    from polyir.dialects.gpu_extra import CORRECTED

    return CORRECTED.get(operation_type, operation_type)


def as_in_xdsl(
    operation_type: type[Operation],
    properties: dict[str, Attribute],
    attributes: dict[str, Attribute],
    operands: int,
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The properties and the attributes that an operation in the generic form has in xDSL."""
    if operation_type.name == "gpu.func":
        names = ("function_type", "kernel")
        own = {name: properties[name] for name in names if name in properties}
        others = {name: value for name, value in properties.items() if name not in names}
        return own, _with_names_of_xdsl(attributes | others)
    if _BOUND in properties:
        own = {name: value for name, value in properties.items() if name != _BOUND}
        return own, attributes | {_BOUND: properties[_BOUND]}
    of_arrays = _segments_of_arrays(operation_type.name, operands)
    own = {name: value for name, value in properties.items() if name not in of_arrays}
    return own, attributes | of_arrays


def _with_names_of_xdsl(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """The attributes of a `gpu.func`: in xDSL, as in old versions of MLIR, sizes have a prefix."""
    sizes = {f"known_{what}_size": f"gpu.known_{what}_size" for what in ("block", "grid")}
    return {sizes.get(name, name): value for name, value in attributes.items()}


def _segments_of_arrays(name: str, operands: int) -> dict[str, Attribute]:
    """The attribute that xDSL's `gpu.memcpy` and `gpu.dealloc` have, and MLIR's do not."""
    arrays = {"gpu.memcpy": 2, "gpu.dealloc": 1}.get(name)
    if arrays is None or operands < arrays:
        return {}
    return {"operandSegmentSizes": segments(operands - arrays, *[1] * arrays)}


def remove_end(module: Operation) -> None:
    """Remove the terminator that a `gpu.module` has in MLIR up to version 19, and not in xDSL."""
    block = module.regions[0].first_block
    if block is not None and block.last_op is not None and block.last_op.name == "gpu.module_end":
        block.erase_op(block.last_op)


_BOUND = "upper_bound"
"""What MLIR says about the numbers of blocks and threads in a property, and xDSL does not have."""

_INDICES = ("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim", "gpu.global_id")

_PLAIN = ("gpu.terminator", "gpu.barrier")

GPU_FORMS: Mapping[str, Callable[[MixedParser], Operation]] = MappingProxyType(
    {
        "gpu.module": _module,
        "gpu.func": _func,
        "gpu.launch": _launch,
        "gpu.launch_func": _launch_func,
        "gpu.return": _return,
        "gpu.wait": _wait,
        "gpu.alloc": _alloc,
        "gpu.memcpy": _arrays("gpu.memcpy"),
        "gpu.dealloc": _arrays("gpu.dealloc"),
        **{name: _index(name) for name in _INDICES},
        **{name: plain_form(name) for name in _PLAIN},
    }
)
"""What follows the names of these operations."""
