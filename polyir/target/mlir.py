"""MLIR text: xDSL's printer, corrected where mlir-opt refuses or misreads what it prints.

What is corrected, and why:

- the subscripts of `affine.load` and its kin: xDSL prints the first operands for the symbols;
- the attributes of these and of some other operations, which xDSL drops;
- `affine.if`, `affine.parallel` and others that xDSL can only print in the generic form, and
  there with properties that mlir-opt does not know;
- operations of the gpu dialect, which xDSL can only print in the generic form, too;
- `omp.wsloop`, which has a terminator in MLIR 19, and not in xDSL, and fewer operand segments;
- affine maps and sets, which are printed with no more parentheses than they need, and
  constraints as a person writes them.

Printing changes nothing in the IR.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Final, cast

from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    UnregisteredOp,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.printer import Printer

from polyir.dialects.affine_extra import (
    DelinearizeIndexOp,
    DmaStartOp,
    DmaWaitOp,
    PrefetchOp,
    RankOp,
)
from polyir.dialects.affine_semantics import REDUCTION_KINDS, atomic_kind, is_valid_symbol
from polyir.model.affine_bounds import counter_bounds
from polyir.model.memory_accesses import accesses_of
from polyir.target.affine_text import expression_text, map_text, set_text
from polyir.target.errors import operation_name
from polyir.target.gpu_text import GPU_TEXT, gpu_dictionaries

if TYPE_CHECKING:
    # It takes a while to import, and few modules have operations of it: these go by their names.
    from xdsl.dialects import omp

_TEAM: Final = "omp.parallel"
_WORKSHARING_LOOP: Final = "omp.wsloop"
_LOOP_NEST: Final = "omp.loop_nest"


def print_module(
    module: ModuleOp, stream: IO[str], generic: bool = False, locations: bool = False
) -> None:
    """Print `module` and a line end to `stream`, in a form that mlir-opt reads.

    With `generic`, every operation is in the generic form; otherwise in its own syntax. With
    `locations`, each one has its place in the source.
    """
    printer = MlirPrinter(stream=stream, print_generic_format=generic, print_debuginfo=locations)
    printer.print_op(module)
    printer.print_string("\n")


def module_text(module: ModuleOp) -> str:
    """What `print_module` prints."""
    stream = StringIO()
    print_module(module, stream)
    return stream.getvalue()


class MlirPrinter(Printer):
    """xDSL's printer with the corrections of this module."""

    def print_op(self, op: Operation) -> None:
        form = _FORMS.get(op.name)
        if form is not None and not self.print_generic_format and not _is_only_generic(op):
            self._print_results(op)
            self.print_string(op.name)
            form(self, op)
            if self.print_debuginfo:
                self.print_string(" ")
                self.print_attribute(op.location)
        elif isinstance(op, UnregisteredOp) or self._has_hidden_attributes(op):
            self._print_results(op)
            self.print_string(f'"{operation_name(op)}"')
            self.print_op_with_default_format(op)
        else:
            super().print_op(op)

    def _has_hidden_attributes(self, op: Operation) -> bool:
        """Whether xDSL's own syntax would leave out attributes of an operation."""
        named = op.name in _WITHOUT_ATTRIBUTES
        return named and bool(op.attributes) and not self.print_generic_format

    def print_op_with_default_format(self, op: Operation) -> None:
        """Print the generic form, with the properties and attributes that MLIR 19 has."""
        properties, attributes = _dictionaries(op)
        self.print_operands(op.operands)
        self.print_successors(op.successors)
        self._print_op_properties(properties)
        self.print_regions(op.regions)
        self.print_op_attributes(attributes)
        self.print_string(" : ")
        self.print_operation_type(op)

    def print_block(
        self,
        block: Block,
        print_block_args: bool = True,
        print_block_terminator: bool = True,
    ) -> None:
        """Print a block, with the terminator that it has in MLIR 19, and not in xDSL."""
        super().print_block(block, print_block_args, print_block_terminator)
        parent = block.parent_op()
        name = None if parent is None else parent.name
        terminator = "omp.terminator" if name == _WORKSHARING_LOOP else None
        if name == "gpu.module" and self.print_generic_format:
            terminator = "gpu.module_end"
        if terminator is not None:
            with self.indented():
                self._print_new_line()
                self.print_string(f'"{terminator}"() : () -> ()')

    def print_attribute(self, attribute: Attribute) -> None:
        if isinstance(attribute, AffineMapAttr):
            self.print_string(f"affine_map<{map_text(attribute.data)}>")
        elif isinstance(attribute, AffineSetAttr):
            self.print_string(f"affine_set<{set_text(attribute.data)}>")
        elif isinstance(attribute, DenseIntOrFPElementsAttr):
            self.print_dense_literal(attribute)
            self.print_string(" : ")
            self.print_attribute(attribute.get_type())
        else:
            super().print_attribute(attribute)

    def print_dense_literal(self, attribute: DenseIntOrFPElementsAttr) -> None:
        """Print `dense<...>` without the type.

        xDSL prints many booleans as the bytes it keeps them in; MLIR packs eight a byte.
        """
        if attribute.get_element_type() == i1 and len(attribute) and not attribute.is_splat():
            words = ["true" if value else "false" for value in attribute.iter_values()]
            self.print_string(f"dense<{_nested(words, attribute.get_shape())}>")
        else:
            attribute.print_without_type(self)

    # ---------------------------------------------------------------- parts of several forms

    def print_names(self, values: Sequence[SSAValue]) -> None:
        """Print `(%a, %b)`."""
        with self.in_parens():
            self.print_list(values, self.print_operand)

    def print_map_operands(self, values: Sequence[SSAValue], dimensions: int) -> None:
        """Print `(%i, %j)[%n]`."""
        self.print_names(values[:dimensions])
        if len(values) > dimensions:
            with self.in_square_brackets():
                self.print_list(values[dimensions:], self.print_operand)

    def operand_expressions(self, affine_map: AffineMap, operands: Sequence[SSAValue]) -> list[str]:
        """The results of a map with the names of its operands in it."""
        dimensions = [f"%{self._name(value)}" for value in operands[: affine_map.num_dims]]
        symbols = [
            f"symbol(%{self._name(value)})" if is_valid_symbol(value) else f"%{self._name(value)}"
            for value in operands[affine_map.num_dims :]
        ]
        return [expression_text(result, dimensions, symbols) for result in affine_map.results]

    def _name(self, value: SSAValue) -> str:
        """The name of `value`, which gets one if it has not been printed yet."""
        if value not in self._ssa_values:
            stream, self.stream = self.stream, StringIO()
            self.print_ssa_value(value)
            self.stream = stream
        return self._ssa_values[value]

    def print_access(
        self, base: SSAValue, affine_map: AffineMap, operands: Sequence[SSAValue]
    ) -> None:
        """Print `%A[%i + 1, %j]`."""
        self.print_operand(base)
        self.print_string(f"[{', '.join(self.operand_expressions(affine_map, operands))}]")

    def print_result_types(self, types: Sequence[Attribute]) -> None:
        """Print ` -> (f32, f64)`; nothing for no types."""
        if types:
            self.print_string(" -> ")
            with self.in_parens():
                self.print_list(types, self.print_attribute)

    def print_typed_part(self, part: tuple[Attribute, DictionaryAttr]) -> None:
        """Print `f64 {a = 1}`."""
        part_type, attributes = part
        self.print_attribute(part_type)
        self.print_op_attributes(attributes.data)

    def print_body(self, op: Operation, region_number: int) -> None:
        """Print a region without its arguments, and without an empty terminator."""
        self.print_string(" ")
        self.print_region(
            op.regions[region_number],
            print_entry_block_args=False,
            print_empty_block=False,
            print_block_terminators=bool(op.results),
        )


def _is_only_generic(op: Operation) -> bool:
    """Whether the syntax that `op` has in MLIR has no place for all its attributes."""
    return isinstance(op, DmaStartOp | DmaWaitOp) and len(op.attributes) > len(op.MAPS)


def _dictionaries(op: Operation) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The properties and the attributes of an operation, as MLIR 19 has them."""
    properties, attributes = op.properties, op.attributes
    match op:
        case UnregisteredOp():
            named = {name: value for name, value in attributes.items() if name != "op_name__"}
            return properties, named
        case affine.IfOp():
            # The condition is an attribute, and there are no properties.
            return {}, attributes | properties
        case affine.ParallelOp():
            return properties | {"reductions": _reduction_numbers(op)}, attributes
        case _ if op.name in (_TEAM, _WORKSHARING_LOOP) and not op.operands:
            # Their segment sizes are not those of MLIR 19, and are not needed here.
            return _without_segments(properties), attributes
        case _ if op.name in GPU_TEXT:
            return gpu_dictionaries(op)
        case _:
            return properties, attributes


def _without_segments(properties: dict[str, Attribute]) -> dict[str, Attribute]:
    return {name: value for name, value in properties.items() if name != "operandSegmentSizes"}


def _reduction_numbers(op: affine.ParallelOp) -> Attribute:
    return ArrayAttr(IntegerAttr(REDUCTION_KINDS.index(kind.data), i64) for kind in op.reductions)


def _nested(words: Sequence[str], shape: Sequence[int]) -> str:
    """The words as nested lists of this shape."""
    if len(shape) <= 1:
        return f"[{', '.join(words)}]"
    size = len(words) // shape[0]
    rows = (words[start : start + size] for start in range(0, len(words), size))
    return f"[{', '.join(_nested(row, shape[1:]) for row in rows)}]"


# -------------------------------------------------------------------- one function a form


def _print_func(printer: MlirPrinter, op: Operation) -> None:
    """As xDSL, which drops the attributes of the arguments of a declaration."""
    assert isinstance(op, func.FuncOp)
    if not (op.is_declaration and op.arg_attrs):
        op.print(printer)
        return
    printer.print_string("" if op.sym_visibility is None else f" {op.sym_visibility.data}")
    printer.print_string(" ")
    printer.print_symbol_name(op.sym_name.data)
    function_type = op.function_type
    with printer.in_parens():
        printer.print_list(
            zip(function_type.inputs, op.arg_attrs, strict=True), printer.print_typed_part
        )
    if function_type.outputs.data:
        none = DictionaryAttr({})
        attributes = op.res_attrs or [none] * len(function_type.outputs)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(
                zip(function_type.outputs, attributes, strict=True), printer.print_typed_part
            )
    printer.print_op_attributes(op.attributes, print_keyword=True)


def _print_access(printer: MlirPrinter, op: Operation) -> None:
    (access,) = accesses_of(op)
    assert access.map is not None
    printer.print_string(" ")
    if access.is_write:
        printer.print_operand(access.value)
        printer.print_string(", ")
    printer.print_access(access.memref, access.map, access.indices)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(access.memref.type)
    if access.extents:
        printer.print_string(", ")
        printer.print_attribute(access.value.type)


def _print_prefetch(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, PrefetchOp)
    printer.print_string(" ")
    printer.print_access(op.memref, op.map.data, op.indices)
    direction = "write" if op.is_write.value.data else "read"
    cache = "data" if op.is_data_cache.value.data else "instr"
    printer.print_string(f", {direction}, locality<{op.locality_hint.value.data}>, {cache}")
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.memref.type)


def _print_delinearize(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, DelinearizeIndexOp)
    printer.print_string(" ")
    printer.print_operand(op.linear_index)
    printer.print_string(" into ")
    printer.print_names(op.basis)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_list(op.result_types, printer.print_attribute)


def _print_if(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, affine.IfOp)
    printer.print_string(" ")
    printer.print_attribute(op.condition)
    printer.print_map_operands(op.args, op.condition.data.num_dims)
    printer.print_result_types(op.result_types)
    printer.print_body(op, 0)
    if op.else_region.blocks:
        printer.print_string(" else")
        printer.print_body(op, 1)
    printer.print_op_attributes(op.attributes)


def _print_parallel(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, affine.ParallelOp)
    printer.print_string(" ")
    printer.print_names(op.body.block.args)
    counters = counter_bounds(op)
    for word, extremum, bounds in (
        ("=", "max", [each.lower for each in counters]),
        ("to", "min", [each.upper for each in counters]),
    ):
        texts = (_extremum_text(extremum, printer.operand_expressions(*each)) for each in bounds)
        printer.print_string(f" {word} ({', '.join(texts)})")
    steps = [each.step for each in counters]
    if any(step != 1 for step in steps):
        printer.print_string(f" step ({', '.join(map(str, steps))})")
    if op.results:
        printer.print_string(" reduce ")
        with printer.in_parens():
            printer.print_list(op.reductions, printer.print_attribute)
        printer.print_result_types(op.result_types)
    printer.print_body(op, 0)
    printer.print_op_attributes(op.attributes)


def _extremum_text(extremum: str, expressions: Sequence[str]) -> str:
    if len(expressions) == 1:
        return expressions[0]
    return f"{extremum}({', '.join(expressions)})"


def _print_scf_parallel(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, scf.ParallelOp)
    printer.print_string(" ")
    printer.print_names(op.body.block.args)
    for word, values in (
        ("=", op.lowerBound),
        ("to", op.upperBound),
        ("step", op.step),
        ("init", op.initVals),
    ):
        if values or word != "init":
            printer.print_string(f" {word} ")
            printer.print_names(values)
    printer.print_result_types(op.result_types)
    printer.print_body(op, 0)
    printer.print_op_attributes(op.attributes)


def _print_scf_reduce(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, scf.ReduceOp)
    if op.args:
        with printer.in_parens():
            printer.print_list(op.args, printer.print_operand)
            printer.print_string(" : ")
            printer.print_list(op.args.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_list(op.reductions, printer.print_region)


def _print_openmp(printer: MlirPrinter, op: Operation) -> None:
    """Print `omp.parallel` or `omp.wsloop`; only the generic form has their clauses."""
    if op.operands or _without_segments(op.properties):
        printer.print_op_with_default_format(op)
        return
    printer.print_string(" ")
    printer.print_region(op.regions[0])
    printer.print_op_attributes(op.attributes)


def _print_loop_nest(printer: MlirPrinter, op: Operation) -> None:
    nest = cast("omp.LoopNestOp", op)
    arguments = nest.body.block.args
    printer.print_string(" ")
    printer.print_names(arguments)
    printer.print_string(" : ")
    printer.print_attribute(arguments[0].type)
    for word, values in (("=", nest.lowerBound), ("to", nest.upperBound)):
        printer.print_string(f" {word} ")
        printer.print_names(values)
    if nest.loop_inclusive is not None:
        printer.print_string(" inclusive")
    printer.print_string(" step ")
    printer.print_names(nest.step)
    printer.print_string(" ")
    printer.print_region(nest.body, print_entry_block_args=False)
    printer.print_op_attributes(nest.attributes)


def _print_conversion(printer: MlirPrinter, op: Operation) -> None:
    printer.print_string(" ")
    printer.print_operand(op.operands[0])
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.operands[0].type)
    printer.print_string(" to ")
    printer.print_attribute(op.results[0].type)


def _print_copy(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, memref.CopyOp)
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_operand)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.source.type)
    printer.print_string(" to ")
    printer.print_attribute(op.destination.type)


def _print_rank(printer: MlirPrinter, op: Operation) -> None:
    printer.print_string(" ")
    printer.print_operand(op.operands[0])
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.operands[0].type)


def _print_global(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, memref.GlobalOp)
    printer.print_string(" ")
    if op.sym_visibility.data != "public":
        printer.print_attribute(op.sym_visibility)
        printer.print_string(" ")
    if op.constant is not None:
        printer.print_string("constant ")
    printer.print_symbol_name(op.sym_name.data)
    printer.print_string(" : ")
    printer.print_attribute(op.type)
    initial = op.properties.get("initial_value")
    if isinstance(initial, UnitAttr):
        printer.print_string(" = uninitialized")
    elif isinstance(initial, DenseIntOrFPElementsAttr):
        printer.print_string(" = ")
        printer.print_dense_literal(initial)
    alignment = {} if op.alignment is None else {"alignment": op.alignment}
    printer.print_op_attributes(alignment | op.attributes)


def _print_transfer(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, DmaStartOp | DmaWaitOp)
    accesses = op.accesses()
    printer.print_string(" ")
    for base, affine_map, operands in accesses:
        printer.print_access(base, affine_map.data, operands)
        printer.print_string(", ")
    printer.print_list(op.sizes(), printer.print_operand)
    printer.print_string(" : ")
    printer.print_list([base.type for base, _, _ in accesses], printer.print_attribute)


def _print_atomic(printer: MlirPrinter, op: Operation) -> None:
    assert isinstance(op, memref.AtomicRMWOp)
    printer.print_string(f" {atomic_kind(op)} ")
    printer.print_operand(op.value)
    printer.print_string(", ")
    printer.print_operand(op.memref)
    with printer.in_square_brackets():
        printer.print_list(op.indices, printer.print_operand)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    with printer.in_parens():
        printer.print_list([op.value.type, op.memref.type], printer.print_attribute)
    printer.print_string(" -> ")
    printer.print_attribute(op.result.type)


def _print_execute_region(printer: MlirPrinter, op: Operation) -> None:
    """As xDSL, which leaves out the terminator, which MLIR needs."""
    printer.print_result_types(op.result_types)
    printer.print_string(" ")
    printer.print_region(op.regions[0])
    printer.print_op_attributes(op.attributes)


_FORMS: Mapping[str, Callable[[MlirPrinter, Operation], None]] = MappingProxyType(
    {
        func.FuncOp.name: _print_func,
        affine.LoadOp.name: _print_access,
        affine.VectorLoadOp.name: _print_access,
        affine.StoreOp.name: _print_access,
        affine.VectorStoreOp.name: _print_access,
        PrefetchOp.name: _print_prefetch,
        DelinearizeIndexOp.name: _print_delinearize,
        DmaStartOp.name: _print_transfer,
        DmaWaitOp.name: _print_transfer,
        affine.IfOp.name: _print_if,
        affine.ParallelOp.name: _print_parallel,
        scf.ParallelOp.name: _print_scf_parallel,
        scf.ReduceOp.name: _print_scf_reduce,
        scf.ExecuteRegionOp.name: _print_execute_region,
        memref.AtomicRMWOp.name: _print_atomic,
        **GPU_TEXT,
        _TEAM: _print_openmp,
        _WORKSHARING_LOOP: _print_openmp,
        _LOOP_NEST: _print_loop_nest,
        memref.CastOp.name: _print_conversion,
        memref.MemorySpaceCastOp.name: _print_conversion,
        memref.CopyOp.name: _print_copy,
        RankOp.name: _print_rank,
        memref.GlobalOp.name: _print_global,
    }
)

# xDSL's own syntax of these has no place for attributes.
_WITHOUT_ATTRIBUTES = (
    arith.CmpiOp.name,
    arith.CmpfOp.name,
    affine.ApplyOp.name,
    affine.MinOp.name,
)
