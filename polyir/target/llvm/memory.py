"""Memrefs as pointers with sizes: the memory operations of memref and vector in LLVM's terms.

A memref becomes a pointer and one index for each dynamic extent, by the calling convention of
`polyir/target/abi.py`: `memref<?x4xf64>` is `!llvm.ptr, index`. Pointers that are arguments do not
alias. Indices keep the type index, so that the operations that compute them stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, func, llvm, memref, vector
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    UnitAttr,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from polyir.dialects.allocation_checks import AllocatedOp
from polyir.dialects.memory_extra import PrefetchOp
from polyir.dialects.shaped_operations import conversion
from polyir.dialects.strided_views import parts
from polyir.target.abi import array_type, extent_name, scalar_type, symbol_name, symbol_of
from polyir.target.errors import unsupported
from polyir.target.llvm.addresses import (
    Buffer,
    Extent,
    as_i64,
    buffer_at,
    carries_integers,
    element_address,
    index_value,
    multiplied,
    with_signed_strides,
)
from polyir.target.llvm.arithmetic import intrinsic, type_suffix
from polyir.target.llvm.atomics import converted_atomic
from polyir.target.llvm.symbols import ARRAY_ALIGNMENT, convert_global, declare_function
from polyir.target.llvm.types import (
    byte_size,
    element_type,
    stored_type,
    stored_type_of,
    with_element,
)

POINTER: Final = llvm.LLVMPointerType()

STACK_LIMIT: Final = 1 << 18
"""The largest array, in bytes, that `memref.alloca` puts on the stack: stacks are small."""


def convert_memref_to_pointers(module: ModuleOp) -> None:
    """Replace every memref in `module` by a pointer and sizes.

    Affine operations must have been lowered. Raises `TargetError` for layouts other than the
    row-major one, for memrefs that functions return or control flow passes, and for operations on
    memrefs that are not supported.
    """
    conversion = _MemrefConversion()
    for op in tuple(module.body.block.ops):
        match op:
            case memref.GlobalOp():
                convert_global(op)
            case func.FuncOp():
                conversion.convert_function(op)
            case _:
                pass


class _MemrefConversion:
    """The state of the conversion: the buffers of the memrefs seen so far."""

    def __init__(self) -> None:
        self._buffers: dict[SSAValue, Buffer] = {}
        self._finished: list[Operation] = []

    def convert_function(self, op: func.FuncOp) -> None:
        """Give the function its new arguments, then convert its body."""
        if any(isinstance(type, MemRefType) for type in op.function_type.outputs.data):
            raise unsupported(op, "functions that return a memref are not supported")
        block = op.body.blocks.first
        inputs: list[Attribute] = []
        attributes: list[DictionaryAttr] = []
        for type in op.function_type.inputs.data:
            parts = _argument_types(type, op)
            inputs += parts
            is_array = isinstance(type, MemRefType)
            noalias = DictionaryAttr({"llvm.noalias": UnitAttr()} if is_array else {})
            attributes += [noalias, *(DictionaryAttr({}) for _ in parts[1:])]
        if block is not None:
            for argument in tuple(block.args):
                if isinstance(argument.type, MemRefType):
                    self._replace_argument(op, block, argument)
        op.function_type = FunctionType.from_lists(inputs, op.function_type.outputs.data)
        op.arg_attrs = ArrayAttr(attributes)
        for inner in tuple(op.body.blocks):
            self._convert_block(inner)
        for finished in reversed(self._finished):
            finished.erase()
        self._finished.clear()
        if block is not None:
            for position in reversed(range(len(block.args))):
                if isinstance(block.args[position].type, MemRefType):
                    block.erase_arg(block.args[position])

    def _replace_argument(self, op: func.FuncOp, block: Block, argument: BlockArgument) -> None:
        """Insert a pointer and sizes after a memref argument, which is erased when it is unused."""
        array = array_type(argument.type, op)
        place = argument.index + 1
        pointer = block.insert_arg(POINTER, place)
        pointer.name_hint = argument.name_hint
        known: list[Extent] = []
        for dimension, extent in enumerate(array.extents):
            if extent is not None:
                known.append(extent)
                continue
            place += 1
            size = block.insert_arg(IndexType(), place)
            if argument.name_hint is not None:
                size.name_hint = extent_name(argument.name_hint, dimension)
            known.append(size)
        builder = Builder(InsertPoint.at_start(block))
        self._buffers[argument] = buffer_at(pointer, array.element, known, builder)

    def _convert_block(self, block: Block) -> None:
        for argument in block.args:
            if isinstance(argument.type, MemRefType) and argument not in self._buffers:
                raise unsupported(
                    block.parent_op(), "control flow that passes memrefs is not supported"
                )
        for op in tuple(block.ops):
            self._convert(op)

    def _convert(self, op: Operation) -> None:
        builder = Builder(InsertPoint.before(op))
        match op:
            case memref.LoadOp():
                address = self._address(op.memref, op.indices, builder)
                self._finish(op, [_load(op, address, op.res.type, builder)])
            case memref.StoreOp():
                address = self._address(op.memref, op.indices, builder)
                _store(op, op.value, address, builder)
                self._finish(op)
            case memref.AtomicRMWOp():
                address = self._address(op.memref, op.indices, builder)
                self._finish(op, [converted_atomic(op, address, builder)])
            case vector.LoadOp():
                address = self._address(op.base, op.indices, builder)
                self._finish(op, [_load_vector(op, address, builder)])
            case vector.StoreOp():
                address = self._address(op.base, op.indices, builder)
                _store_vector(op, address, builder)
                self._finish(op)
            case vector.MaskedLoadOp():
                # The first lane may be one that is not loaded.
                address = self._address(op.base, op.indices, builder, in_bounds=False)
                self._finish(op, [_masked_load(op, address, builder)])
            case vector.MaskedStoreOp():
                address = self._address(op.base, op.indices, builder, in_bounds=False)
                _masked_store(op, address, builder)
                self._finish(op)
            case PrefetchOp():
                address = self._address(op.memref, op.indices, builder)
                _prefetch(op, address, builder)
                self._finish(op)
            case memref.AllocaOp() | memref.AllocOp():
                self._allocate(op, builder)
            case AllocatedOp():
                self._check(op, builder)
            case memref.DeallocOp():
                _free(op, self._buffer(op.memref, op).pointer, builder)
                self._finish(op)
            case memref.CopyOp():
                self._copy(op, builder)
            case memref.DimOp():
                self._dimension(op, builder)
            case memref.CastOp():
                self._cast(op, builder)
            case memref.ReinterpretCastOp() | memref.ViewOp():
                self._view(op, builder)
            case memref.GetGlobalOp():
                self._global(op, builder)
            case func.CallOp():
                self._call(op, builder)
            case _:
                self._keep(op)

    def _keep(self, op: Operation) -> None:
        """Keep an operation that uses no memrefs, and convert what is inside it."""
        values = (*op.operands, *op.results)
        if any(isinstance(value.type, MemRefType) for value in values):
            raise unsupported(op, f"{op.name} on memrefs is not supported by the LLVM target")
        for region in op.regions:
            for block in tuple(region.blocks):
                self._convert_block(block)

    def _finish(self, op: Operation, results: Sequence[SSAValue] = ()) -> None:
        """Erase an operation whose results are replaced by `results`, unless they are memrefs."""
        for old, new in zip(op.results, results, strict=True):
            if new.name_hint is None:
                new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        Rewriter.erase_op(op)

    def _finish_buffer(self, op: Operation, buffer: Buffer) -> None:
        """Remember the buffer that the result of `op` is; its users are converted later."""
        result = op.results[0]
        self._buffers[result] = buffer
        if buffer.pointer.name_hint is None:
            buffer.pointer.name_hint = result.name_hint
        # It is erased at the end: its users still refer to the value.
        op.detach()
        self._finished.append(op)

    def _buffer(self, value: SSAValue, op: Operation) -> Buffer:
        buffer = self._buffers.get(value)
        if buffer is None:
            raise unsupported(op, f"{op.name} on this memref is not supported by the LLVM target")
        return buffer

    def _address(
        self,
        array: SSAValue,
        indices: Sequence[SSAValue],
        builder: Builder,
        in_bounds: bool = True,
    ) -> SSAValue:
        owner = array.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        assert op is not None
        buffer = self._buffer(array, op)
        if carries_integers(builder):
            buffer = with_signed_strides(buffer, builder)
        return element_address(buffer, indices, builder, in_bounds)

    def _allocate(self, op: memref.AllocOp | memref.AllocaOp, builder: Builder) -> None:
        """Use `llvm.alloca` for a small local array of constant size, and `malloc` for all others.

        A local array from `malloc` is freed at the end of its block.
        """
        type = array_type(op.memref.type, op)
        stored, bytes = stored_type(type.element), byte_size(type.element)
        sizes = iter(op.dynamic_sizes)
        known: list[Extent] = [next(sizes) if extent is None else extent for extent in type.extents]
        count: Extent = 1
        for extent in known:
            count = multiplied(count, extent, builder)
        size = multiplied(count, bytes, builder)
        asked = 0 if op.alignment is None else op.alignment.value.data
        is_local = isinstance(op, memref.AllocaOp)
        if is_local and isinstance(size, int) and size <= STACK_LIMIT:
            assert isinstance(count, int)
            alignment = max(ARRAY_ALIGNMENT if known else bytes, asked)
            one = builder.insert(arith.ConstantOp(IntegerAttr(1, i64))).result
            array = llvm.LLVMArrayType(IntAttr(count), stored) if known else stored
            pointer: SSAValue = builder.insert(llvm.AllocaOp(one, array, alignment)).res
        else:
            pointer = _malloc(op, as_i64(size, builder), asked, builder)
            block = op.parent_block()
            if is_local and block is not None and block.last_op is not None:
                _free(op, pointer, Builder(InsertPoint.before(block.last_op)))
        self._finish_buffer(op, buffer_at(pointer, type.element, known, builder))

    def _check(self, op: AllocatedOp, builder: Builder) -> None:
        """Whether no pointer is null."""
        null = builder.insert(arith.ConstantOp(IntegerAttr(0, i64))).result
        holds: SSAValue | None = None
        for memory in op.memories:
            pointer = self._buffer(memory, op).pointer
            address = builder.insert(llvm.PtrToIntOp(pointer)).output
            each = builder.insert(arith.CmpiOp(address, null, "ne")).result
            holds = each if holds is None else builder.insert(arith.AndIOp(holds, each)).result
        assert holds is not None
        self._finish(op, [holds])

    def _copy(self, op: memref.CopyOp, builder: Builder) -> None:
        """Copy one block of memory: all arrays are contiguous."""
        source, target = self._buffer(op.source, op), self._buffer(op.destination, op)
        size: Extent = byte_size(source.element)
        for extent in source.extents:
            size = multiplied(size, extent, builder)
        volatile = builder.insert(arith.ConstantOp(IntegerAttr(0, i1))).result
        arguments = (target.pointer, source.pointer, as_i64(size, builder), volatile)
        call = llvm.CallIntrinsicOp("llvm.memmove.p0.p0.i64", arguments, [])
        builder.insert(call)
        self._finish(op)

    def _dimension(self, op: memref.DimOp, builder: Builder) -> None:
        extents = self._buffer(op.source, op).extents
        position = const_evaluate_operand(op.index)
        if position is None:
            raise unsupported(op, "expected a constant index of a dimension in memref.dim")
        if not 0 <= position < len(extents):
            raise unsupported(
                op, f"dimension {position} is out of range: the rank is {len(extents)}"
            )
        self._finish(op, [index_value(extents[position], builder)])

    def _cast(self, op: memref.CastOp, builder: Builder) -> None:
        """The result is the same memory, with the extents that its type gives."""
        source = self._buffer(op.source, op)
        extents = array_type(op.results[0].type, op).extents
        known = [
            old if new is None else new for old, new in zip(source.extents, extents, strict=True)
        ]
        self._finish_buffer(op, buffer_at(source.pointer, source.element, known, builder))

    def _view(self, op: memref.ReinterpretCastOp | memref.ViewOp, builder: Builder) -> None:
        """Memory of another array, with extents or elements of its own."""
        source, type = self._buffer(op.source, op), array_type(op.result.type, op)
        if isinstance(op, memref.ReinterpretCastOp):
            (offset,) = parts(op.static_offsets, op.offsets)
            sizes: Sequence[Extent] = parts(op.static_sizes, op.sizes)
        else:
            offset, dynamic = op.byte_shift, iter(op.sizes)
            sizes = [next(dynamic) if extent is None else extent for extent in type.extents]
        row = replace(source, extents=(0,), strides=(1,))
        pointer = source.pointer
        if offset != 0:
            pointer = element_address(row, [index_value(offset, builder)], builder)
        self._finish_buffer(op, buffer_at(pointer, type.element, sizes, builder))

    def _global(self, op: memref.GetGlobalOp, builder: Builder) -> None:
        type = array_type(op.memref.type, op)
        name = symbol_name(symbol_of(op.name_))
        pointer = builder.insert(llvm.AddressOfOp(name, POINTER)).result
        known = [extent for extent in type.extents if extent is not None]
        if type.dynamic_dimensions:
            raise unsupported(op, "globals with dynamic extents are not supported")
        self._finish_buffer(op, buffer_at(pointer, type.element, known, builder))

    def _call(self, op: func.CallOp, builder: Builder) -> None:
        """Pass pointers, and the extents that are dynamic in the type of the argument."""
        arguments: list[SSAValue] = []
        for argument in op.arguments:
            if not isinstance(argument.type, MemRefType):
                arguments.append(argument)
                continue
            buffer = self._buffer(argument, op)
            arguments.append(buffer.pointer)
            arguments += [
                index_value(buffer.extents[dimension], builder)
                for dimension in array_type(argument.type, op).dynamic_dimensions
            ]
        call = builder.insert(func.CallOp(op.callee, arguments, op.result_types))
        call.location = op.location
        self._finish(op, call.results)


def _argument_types(type: Attribute, op: func.FuncOp) -> list[Attribute]:
    """The types of the arguments that replace one of type `type`."""
    if not isinstance(type, MemRefType):
        return [type]
    return [POINTER, *(IndexType() for _ in array_type(type, op).dynamic_dimensions)]


def _load(op: Operation, address: SSAValue, type: Attribute, builder: Builder) -> SSAValue:
    stored = stored_type_of(type, op)
    value = builder.insert(llvm.LoadOp(address, stored)).dereferenced_value
    if type == i1:
        return builder.insert(arith.TruncIOp(value, i1)).result
    if isinstance(type, IndexType):
        return builder.insert(arith.IndexCastOp(value, type)).result
    return value


def _store(op: Operation, value: SSAValue, address: SSAValue, builder: Builder) -> None:
    stored_type_of(value.type, op)
    if value.type == i1:
        value = builder.insert(arith.ExtUIOp(value, i8)).result
    elif isinstance(value.type, IndexType):
        value = builder.insert(arith.IndexCastOp(value, i64)).result
    builder.insert(llvm.StoreOp(value, address))


def _vector_alignment(type: Attribute, op: Operation) -> int:
    """The alignment of a vector in memory: that of an element, because it starts at any element."""
    if not isinstance(type, VectorType) or len(type.get_shape()) != 1:
        raise unsupported(op, f"type '{type}' is not supported by the LLVM target")
    if type.element_type == i1:
        raise unsupported(op, f"type '{type}' is not supported in memory by the LLVM target")
    return byte_size(scalar_type(type.element_type, op))


def _load_vector(op: vector.LoadOp, address: SSAValue, builder: Builder) -> SSAValue:
    type = op.result.type
    load = llvm.LoadOp(address, _stored_vector(type), _vector_alignment(type, op))
    return _from_memory(builder.insert(load).dereferenced_value, type, builder)


def _store_vector(op: vector.StoreOp, address: SSAValue, builder: Builder) -> None:
    alignment = _vector_alignment(op.vector.type, op)
    # llvmlite takes the address for one of an element; the cast does nothing else.
    pointer = builder.insert(llvm.BitcastOp(address, POINTER)).result
    value = _to_memory(op.vector, builder)
    builder.insert(llvm.StoreOp(value, pointer, alignment))


def _stored_vector(type: Attribute) -> Attribute:
    """The type of a vector in memory."""
    return with_element(type, i64) if isinstance(element_type(type), IndexType) else type


def _from_memory(value: SSAValue, type: Attribute, builder: Builder) -> SSAValue:
    if value.type == type:
        return value
    return builder.insert(conversion(arith.IndexCastOp, value, type)).results[0]


def _to_memory(value: SSAValue, builder: Builder) -> SSAValue:
    type = _stored_vector(value.type)
    if value.type == type:
        return value
    return builder.insert(conversion(arith.IndexCastOp, value, type)).results[0]


def _masked_load(op: vector.MaskedLoadOp, address: SSAValue, builder: Builder) -> SSAValue:
    """LLVM's intrinsic function, which does not touch what the mask leaves out."""
    type = _stored_vector(op.result.type)
    alignment = _alignment_value(op.result.type, op, builder)
    otherwise = _to_memory(op.pass_thru, builder)
    pointer = builder.insert(llvm.BitcastOp(address, POINTER)).result
    name = f"llvm.masked.load.{type_suffix(type)}.p0"
    loaded = intrinsic(name, [pointer, alignment, op.mask, otherwise], type, builder)
    return _from_memory(loaded, op.result.type, builder)


def _masked_store(op: vector.MaskedStoreOp, address: SSAValue, builder: Builder) -> None:
    if _may_be_truncated(op):
        _scatter(op, address, builder)
        return
    value = _to_memory(op.value_to_store, builder)
    alignment = _alignment_value(op.value_to_store.type, op, builder)
    pointer = builder.insert(llvm.BitcastOp(address, POINTER)).result
    name = f"llvm.masked.store.{type_suffix(value.type)}.p0"
    builder.insert(llvm.CallIntrinsicOp(name, [value, pointer, alignment, op.mask], []))


_NARROWING: Final = (
    "arith.trunci",
    "llvm.trunc",
    "arith.index_cast",
    "arith.fptosi",
    "arith.fptoui",
)


def _may_be_truncated(op: vector.MaskedStoreOp) -> bool:
    """Whether LLVM may compute the stored vector, by whatever way, as a truncation."""
    type = op.value_to_store.type
    element = element_type(type)
    if not isinstance(element, IntegerType):
        return False
    # In registers, shorter elements may be computed with 32 bits.
    return element.width.data < 32 or any(
        each.name in _NARROWING and each.results[0].type == type
        for each in op.get_toplevel_object().walk()
    )


def _scatter(op: vector.MaskedStoreOp, address: SSAValue, builder: Builder) -> None:
    """Store each lane at an address of its own.

    LLVM 22.1.0 makes one store of a truncation and a masked store, and with AVX-512, that writes
    the whole element that was truncated where the mask is a constant of one lane
    (github.com/llvm/llvm-project, issue 179489).
    """
    value = op.value_to_store
    assert isinstance(value.type, VectorType)
    element, lanes = element_type(value.type), value.type.get_shape()[0]
    pointers: SSAValue = builder.insert(llvm.UndefOp(VectorType(POINTER, [lanes]))).res
    for lane in range(lanes):
        place = builder.insert(arith.ConstantOp(IntegerAttr(lane, i64))).result
        step = llvm.GEPOp.from_mixed_indices(address, [place], element)
        pointer = builder.insert(llvm.BitcastOp(builder.insert(step).result, POINTER)).result
        pointers = builder.insert(llvm.InsertElementOp(pointers, pointer, place)).res
    alignment = _alignment_value(value.type, op, builder)
    name = f"llvm.masked.scatter.{type_suffix(value.type)}.v{lanes}p0"
    builder.insert(llvm.CallIntrinsicOp(name, [value, pointers, alignment, op.mask], []))


def _prefetch(op: PrefetchOp, address: SSAValue, builder: Builder) -> None:
    pointer = builder.insert(llvm.BitcastOp(address, POINTER)).result
    flags = bool(op.is_write.value.data), bool(op.is_data_cache.value.data)
    numbers = int(flags[0]), op.locality_hint.value.data, int(flags[1])
    constants = [llvm.ConstantOp(IntegerAttr(each, i32), i32) for each in numbers]
    arguments = [builder.insert(each).result for each in constants]
    builder.insert(llvm.CallIntrinsicOp("llvm.prefetch.p0", [pointer, *arguments], []))


def _alignment_value(type: Attribute, op: Operation, builder: Builder) -> SSAValue:
    alignment = IntegerAttr(_vector_alignment(type, op), i32)
    return builder.insert(llvm.ConstantOp(alignment, i32)).result


def _malloc(op: Operation, size: SSAValue, alignment: int, builder: Builder) -> SSAValue:
    """Memory of so many bytes; an alignment of 0 is that of `malloc`."""
    if alignment:
        # The size must be a multiple of the alignment.
        mask, ones = (
            builder.insert(arith.ConstantOp(IntegerAttr(number, i64))).result
            for number in (-alignment, alignment - 1)
        )
        size = builder.insert(arith.AddiOp(size, ones)).result
        size = builder.insert(arith.AndIOp(size, mask)).result
        aligned = builder.insert(arith.ConstantOp(IntegerAttr(alignment, i64))).result
        declare_function(op, "aligned_alloc", [i64, i64], POINTER)
        call = builder.insert(llvm.CallOp("aligned_alloc", aligned, size, return_type=POINTER))
    else:
        declare_function(op, "malloc", [i64], POINTER)
        call = builder.insert(llvm.CallOp("malloc", size, return_type=POINTER))
    assert call.returned is not None
    return call.returned


def _free(op: Operation, pointer: SSAValue, builder: Builder) -> None:
    declare_function(op, "free", [POINTER])
    builder.insert(llvm.CallOp("free", pointer))
