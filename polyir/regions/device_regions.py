"""Regions of a C file that run on a GPU: a function with kernels, and the statements that call it.

The function is in a file of its own, in CUDA or OpenCL. It gets each array as a pointer, with its
extents and the number of elements from the first one to the last that the region accesses: these
are copied to the device and back. If pointers lead to one array, or to no element at all, the
original statements are executed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations, count

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import func, gpu, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FunctionType,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import SourceLocation
from polyir.base.limits import limited
from polyir.codegen.ast import AstExpression, conjuncts
from polyir.frontend.c.errors import NotModelledError, location_of_node
from polyir.frontend.c.places import SourceArgument, SourceArray, SourcePointer, SourceScalar
from polyir.frontend.c.translation import TranslatedRegion
from polyir.loops.levels import outline_kernels
from polyir.model.raising.effects import stores_in
from polyir.regions.accessed_elements import (
    AccessedElements,
    Computed,
    bounds_text,
    condition_text,
)
from polyir.target.abi import ArrayParameter, Scalar, Signature, signature_of, symbol_name
from polyir.target.c.printer import wrapped
from polyir.target.c.region import NATIVE, ElementRange, Form, RegionText, range_texts
from polyir.target.gpu import Language, gpu_text
from polyir.universe import new_context


@dataclass(frozen=True)
class AccessedRange:
    """The elements of an array from the first one to the last that a scop accesses.

    The numbers are positions among the values of `DeviceRegion.ranges`: the number of rows up to
    the last one, the subscripts of the last element, and conditions for which there is an element
    and no row before the array.
    """

    rows: int
    last: tuple[int, ...]
    conditions: tuple[int, ...]


@dataclass(frozen=True)
class DeviceRegion:
    """What a call of a region's kernels needs.

    `ranges` computes, from the arguments of the region, the values that `accessed` names, which has
    the ranges of the arrays whose number of elements is not known, by their positions. `zero` is
    the position of the constant 0. `apart` are pairs of arguments whose memory must not overlap.
    """

    ranges: func.FuncOp
    accessed: Mapping[int, tuple[AccessedRange, ...]]
    zero: int
    apart: tuple[tuple[int | str, int | str], ...]


def device_region(
    content: TranslatedRegion, location: SourceLocation, assume_no_alias: bool
) -> DeviceRegion:
    """What a call of a region's kernels needs, from its function after raising.

    Raises `NotModelledError` if the memory of an array cannot be copied.
    """
    for argument in content.arguments:
        if isinstance(argument, SourcePointer):
            message = f"the pointer '{argument.text}', which is passed to a function of the host"
            raise NotModelledError(message, location, name="kernel-form")
        if isinstance(argument, SourceArray) and not has_subscripts_last(argument):
            name = place_text(argument)
            raise NotModelledError(
                f"'{name}' is not contiguous in memory", location, name="kernel-form"
            )
    copy = content.module.clone()
    function = next(op for op in copy.ops if isinstance(op, func.FuncOp) and not op.is_declaration)
    needed = [
        position
        for position, argument in enumerate(content.arguments)
        if isinstance(argument, SourceArray) and _needs_range(function, position)
    ]
    found = limited("the ranges of arrays", lambda: _all_accessed(function, needed), location)
    for position in needed:
        if found[position] is None:
            raise _unknown(content.arguments[position], location)
    computed = Computed(AccessedElements(function))
    accessed = {
        position: tuple(_positions(each, computed) for each in found[position] or ())
        for position in needed
    }
    zero = computed.constant(0)
    computed.finish()
    pairs = () if assume_no_alias else tuple(_pairs(content))
    return DeviceRegion(function, accessed, zero, pairs)


def has_subscripts_last(argument: SourceArray) -> bool:
    """Whether all subscripts stand at the end: elements are not members of structures."""
    numbers = [isinstance(part, int) for part in argument.parts]
    return numbers == sorted(numbers)


def place_text(argument: SourceArray) -> str:
    """An array as messages show it: `s.A[][]`."""
    return "".join(part if isinstance(part, str) else "[]" for part in argument.parts)


def _needs_range(function: func.FuncOp, position: int) -> bool:
    """Whether the type of an array does not say how many rows it has."""
    type = function.body.block.args[position].type
    assert isinstance(type, MemRefType)
    return type.get_shape()[:1] == (DYNAMIC_INDEX,)


def _pairs(content: TranslatedRegion) -> Iterator[tuple[int | str, int | str]]:
    """Arguments that may share memory, and of which one is written.

    All elements between the first and the last are copied back, so that what pointers with
    `restrict` lead to must be apart as a whole.
    """
    written = {store.memref for store in stores_in(content.function)}
    arguments, values = content.arguments, content.function.body.block.args
    # No variable is an element of an array: what is known of pointers to it holds.
    arrays = [n for n in range(len(arguments)) if _rank(values[n]) > 0]
    for one, other in combinations(arrays, 2):
        first, second = arguments[one].origin, arguments[other].origin
        are_objects = first.pointer is None and second.pointer is None
        is_same = (first.root, first.pointer) == (second.root, second.pointer)
        if not (are_objects or is_same) and written & {values[one], values[other]}:
            yield one, other
    for overlap in content.overlaps:
        if not {overlap.first, overlap.second} <= set(arrays):
            yield overlap.first, overlap.second


def _rank(value: SSAValue) -> int:
    """The number of dimensions of an array; 0 for a number."""
    return len(value.type.get_shape()) if isinstance(value.type, MemRefType) else 0


def _unknown(argument: SourceArgument, location: SourceLocation) -> NotModelledError:
    assert isinstance(argument, SourceArray)
    name = place_text(argument)
    return NotModelledError(
        f"which elements of '{name}' the region accesses is not known before it "
        "(declare it as an array with its size)",
        location_of_node(argument.origin.node) or location,
        name="array-size",
    )


def _positions(accessed: _Accessed, computed: Computed) -> AccessedRange:
    return AccessedRange(
        computed.number(accessed.rows),
        tuple(map(computed.number, accessed.last)),
        tuple(map(computed.condition, accessed.conditions)),
    )


@dataclass(frozen=True)
class _Accessed:
    """What `AccessedRange` has, as expressions."""

    rows: AstExpression
    last: tuple[AstExpression, ...]
    conditions: tuple[AstExpression, ...]


def _all_accessed(
    function: func.FuncOp, positions: Sequence[int]
) -> dict[int, tuple[_Accessed, ...] | None]:
    """What a function accesses of arguments; `None` where that is not known."""
    elements = AccessedElements(function)
    found: dict[int, tuple[_Accessed, ...] | None] = {}
    for position in positions:
        parts = elements.parts(function.body.block.args[position])
        accessed = _accessed(parts, elements.context) if parts else None
        found[position] = () if parts == () else None if accessed is None else (accessed,)
    return found


def _accessed(parts: Sequence[isl.Set], context: isl.Set) -> _Accessed | None:
    """What is accessed of an array; `None` if that has no bounds, or complicated ones.

    Rows do not overlap, so that the last element is the lexicographically greatest.
    """
    accessed = reduce(isl.Set.union, parts).intersect_params(context).coalesce()
    if not accessed.is_bounded():
        return None
    greatest = accessed.lexmax_pw_multi_aff()
    count = accessed.dim(isl.dim_type.set)
    known = accessed.params()
    last = [greatest.get_pw_aff(n) for n in range(count)]
    one = isl.PwAff.val_on_domain(known, isl.Val.one(isl.DEFAULT_CONTEXT))
    texts = bounds_text([last[0].add(one), *last], known)
    if texts is None:
        return None
    condition = condition_text(accessed.dim_min(0).nonneg_set(), context)
    return _Accessed(texts[0], tuple(texts[1:]), () if condition is None else conjuncts(condition))


# ------------------------------------------------------------------------------- the function


def add_counts(function: func.FuncOp, region: DeviceRegion) -> None:
    """Copy only the accessed elements of arrays whose number of rows is not known.

    How many these are becomes a parameter:

        gpu.memcpy %A_dev, %A : memref<?x?xf64>, memref<?x?xf64>

    becomes

        %0 = memref.reinterpret_cast %A to offset: [0], sizes: [%A_count], strides: [1]
        %1 = memref.reinterpret_cast %A_dev to offset: [0], sizes: [%A_count], strides: [1]
        gpu.memcpy %1, %0 : memref<?xf64>, memref<?xf64>
    """
    block = function.body.block
    for position in region.accessed:
        array = block.args[position]
        count = block.insert_arg(IndexType(), len(block.args))
        count.name_hint = f"{array.name_hint}_count"
        for copy in [use.operation for use in array.uses]:
            if isinstance(copy, gpu.MemcpyOp):
                target, source = (_first(value, count, copy) for value in (copy.dst, copy.src))
                Rewriter.replace_op(copy, gpu.MemcpyOp(source, target))
    inputs = [argument.type for argument in block.args]
    function.function_type = FunctionType.from_lists(inputs, function.function_type.outputs.data)


def _first(array: SSAValue, count: SSAValue, before: Operation) -> SSAValue:
    """The first `count` elements of an array, in one dimension."""
    assert isinstance(array.type, MemRefType)
    type = MemRefType(array.type.element_type, [DYNAMIC_INDEX])
    cast = memref.ReinterpretCastOp.from_dynamic(array, [0], [count], [1], type)
    Builder(InsertPoint.before(before)).insert(cast)
    return SSAValue.get(cast)


class KernelFile:
    """The file with the kernels of a C file's regions, and with the functions that launch them."""

    def __init__(self, language: Language, prefix: str, taken: Collection[str]) -> None:
        """An empty file; names of functions begin with `prefix`, and none is one of `taken`."""
        self.language = language
        self.names: frozenset[str] = frozenset()
        """The names of the functions that C files may call."""
        self._prefix = prefix
        self._taken = frozenset(taken)
        self._module = ModuleOp([])

    def add(
        self,
        module: ModuleOp,
        function: func.FuncOp,
        region: DeviceRegion,
        location: SourceLocation,
    ) -> None:
        """Add the function of a region after its passes, which is changed and gets a new name.

        Raises `PolyirError` if it has no kernels, or some that the language cannot express.
        """
        if not any(isinstance(op, gpu.LaunchOp) for op in function.walk()):
            raise NotModelledError(
                "no part of it becomes a kernel (--remarks says why)", location, name="kernel-form"
            )
        names = (f"{self._prefix}_{number}" for number in count())
        name = next(each for each in names if each not in self._taken | self.names)
        function.sym_name = StringAttr(name)
        add_counts(function, region)
        whole = module.clone()
        outline_kernels(new_context(), whole)
        gpu_text(whole, self.language)
        for op in tuple(whole.ops):
            op.detach()
            if not (isinstance(op, func.FuncOp) and op.is_declaration):
                self._module.body.block.add_op(op)
        self.names |= {name, error_function(self.language)}

    def alone(self, name: str) -> KernelFile:
        """A file for the one of this file's functions that has a name."""
        return KernelFile(self.language, self._prefix, self._taken | (self.names - {name}))

    def text(self) -> str:
        """The whole file."""
        return gpu_text(self._module, self.language)


def error_function(language: Language) -> str:
    """The function that tells the code of the first error."""
    return f"polyir_{language.value}_error"


# ----------------------------------------------------------------------------------- the call


@dataclass(frozen=True)
class DeviceCall:
    """The statements that call a region's function, and what they need.

    `before` computes what the conditions and the call name. The call is right where `conditions`
    hold and no two ranges of a pair in `apart`, of pointers to their begin and end, overlap.
    `declarations` are the functions that are called, by name.
    """

    before: RegionText
    conditions: tuple[str, ...]
    apart: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]
    declarations: tuple[tuple[str, str], ...]


def device_call(
    region: DeviceRegion,
    function: func.FuncOp,
    arguments: Sequence[SourceArgument],
    forms: Sequence[Form],
    taken: Sequence[str],
    language: Language,
) -> DeviceCall:
    """The call of `function`, which `add_counts` has changed, with `arguments` in these forms."""
    boxes = [
        ElementRange(operand, tuple((region.zero, last) for last in each.last))
        for operand, ranges in region.accessed.items()
        for each in ranges
    ]
    texts = range_texts(region.ranges, forms, boxes, taken)
    remaining = iter(texts.ranges)
    ends = {operand: [next(remaining).end for _ in r] for operand, r in region.accessed.items()}
    every = [each for ranges in region.accessed.values() for each in ranges]
    conditions = [texts.values[condition] for each in every for condition in each.conditions]

    def ranges(operand: int | str) -> list[str]:
        if isinstance(operand, int) and operand in ends:
            first = _first_element(arguments[operand])
            return [f"&{first}, {end}" for end in ends[operand]]
        name = operand if isinstance(operand, str) else forms[operand].text
        return [f"&{name}, &{name} + 1"]

    apart = [
        (one, other)
        for first, second in region.apart
        for one in ranges(first)
        for other in ranges(second)
    ]
    signature = signature_of(function)
    passed: list[str] = []
    for position, argument in enumerate(arguments):
        parameter = signature.parameters[position]
        if isinstance(argument, SourceScalar):
            passed.append(argument.text)
        elif isinstance(argument, SourceArray) and isinstance(parameter, ArrayParameter):
            rows = [texts.values[each.rows] for each in region.accessed.get(position, ())]
            passed.append(f"({NATIVE.types[parameter.type.element]} *)&{_first_element(argument)}")
            passed += [
                extent_text(argument, dimension) if dimension else _greatest(rows)
                for dimension in parameter.type.dynamic_dimensions
            ]
    for operand, found in ends.items():
        first = _first_element(arguments[operand])
        passed.append(_greatest([f"{end} - &{first}" for end in found]))
    name, error = symbol_name(signature.symbol), error_function(language)
    types = ", ".join(parameter_types(signature)) or "void"
    return DeviceCall(
        texts.before,
        tuple(dict.fromkeys(conditions)),
        tuple(dict.fromkeys(apart)),
        (*wrapped(f"  {name}({', '.join(passed)});"), f"  if ({error}()) __builtin_abort();"),
        (
            (name, "\n".join(wrapped(f"void {name}({types});")) + "\n"),
            (error, f"int {error}(void);\n"),
        ),
    )


def _greatest(values: Sequence[str]) -> str:
    """The greatest of some expressions, as an expression; 0 if there is none."""
    if not values:
        return "0"
    return reduce(lambda one, other: f"({one} > {other} ? {one} : {other})", values)


def _first_element(argument: SourceArgument) -> str:
    assert isinstance(argument, SourceArray)
    first = {0: f"[{argument.offset or 0}]"}
    parts = argument.parts
    return "".join(part if isinstance(part, str) else first.get(part, "[0]") for part in parts)


def extent_text(argument: SourceArray, dimension: int) -> str:
    """How many elements a row, a plane and so on has."""
    if argument.strides:
        outer = f"(long)({argument.strides[dimension - 1]})"
        is_last = dimension == len(argument.strides)
        return outer if is_last else f"{outer} / (long)({argument.strides[dimension]})"
    texts = [part if isinstance(part, str) else "[0]" for part in argument.parts]
    first = next(n for n, part in enumerate(argument.parts) if not isinstance(part, str))
    row = "".join(texts[: first + dimension])
    return f"(long)(sizeof({row}) / sizeof({row}[0]))"


def parameter_types(signature: Signature) -> Iterator[str]:
    """The types of a function's parameters in C."""
    for parameter in signature.parameters:
        if isinstance(parameter, ArrayParameter):
            yield f"{NATIVE.types[parameter.type.element]} *"
            yield from [NATIVE.types[Scalar.INT64]] * len(parameter.type.dynamic_dimensions)
        else:
            yield NATIVE.types[parameter.type]
