"""Types: from syntax tree to xDSL attribute."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType

from lark import Token
from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BoolAttr,
    ComplexType,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefLayoutAttr,
    MemRefType,
    NoneAttr,
    NoneType,
    Signedness,
    TensorType,
    TupleType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.ir.affine import AffineMap

from polyir.frontend.source import Branch, SourceText, token, tree

_SCALAR_TYPES: Mapping[str, TypeAttribute] = MappingProxyType(
    {
        "index": IndexType(),
        "none": NoneType(),
        "bf16": builtin.bf16,
        "f16": builtin.f16,
        "f32": builtin.f32,
        "f64": builtin.f64,
        "f80": builtin.f80,
        "f128": builtin.f128,
        "tf32": builtin.tf32,
        "f8E5M2": builtin.f8E5M2,
        "f8E4M3": builtin.f8E4M3,
        "f8E4M3FN": builtin.f8E4M3FN,
        "f8E5M2FNUZ": builtin.f8E5M2FNUZ,
        "f8E4M3FNUZ": builtin.f8E4M3FNUZ,
        "f8E4M3B11FNUZ": builtin.f8E4M3B11FNUZ,
        "f8E3M4": builtin.f8E3M4,
    }
)
_SIGNEDNESS: Mapping[str, Signedness] = MappingProxyType(
    {"i": Signedness.SIGNLESS, "s": Signedness.SIGNED, "u": Signedness.UNSIGNED}
)
# The largest width that MLIR allows.
_MAXIMUM_WIDTH = 2**24 - 1


class TypeReader(ABC):
    """Reads the type nodes of a syntax tree."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self._readers: Mapping[str, Callable[[list[Branch]], Attribute]] = {
            "memref_type": self._memref,
            "unranked_memref_type": self._unranked_memref,
            "vector_type": self._vector,
            "tensor_type": self._tensor,
            "unranked_tensor_type": lambda parts: UnrankedTensorType(self.type(parts[1])),
            "complex_type": self._complex,
            "tuple_type": lambda parts: TupleType(ArrayAttr(map(self._component, parts))),
            "function_type": self._function,
            "alias_type": lambda parts: self.type_alias(token(parts[0])),
            "dialect_type": lambda parts: self.dialect_type(token(parts[0])),
        }

    @abstractmethod
    def attribute(self, branch: Branch) -> Attribute:
        """The attribute of an `attribute` node."""

    @abstractmethod
    def type_alias(self, name: Token) -> Attribute:
        """The type that `!name` stands for."""

    @abstractmethod
    def dialect_type(self, text: Token) -> Attribute:
        """The type of a dialect with the syntax `text`."""

    def type(self, branch: Branch) -> Attribute:
        """The type of a `type` node."""
        node = tree(branch)
        if node.data == "scalar_type":
            return self._scalar(token(node.children[0]))
        with self.source.refusing(node):
            return self._readers[node.data](node.children)

    def types(self, branch: Branch) -> tuple[Attribute, ...]:
        """The types of a `types`, `type_tuple`, `one_type` or `result_types` node."""
        node = tree(branch)
        if node.data == "result_types":
            return self.types(node.children[0]) if node.children else ()
        return tuple(map(self.type, node.children))

    def function_type(self, branch: Branch) -> FunctionType:
        """The type of a `function_type` node."""
        inputs, outputs = tree(branch).children
        return FunctionType.from_lists(self.types(inputs), self.types(outputs))

    def _function(self, parts: list[Branch]) -> Attribute:
        return FunctionType.from_lists(self.types(parts[0]), self.types(parts[1]))

    def _scalar(self, name: Token) -> Attribute:
        scalar = _SCALAR_TYPES.get(name.value)
        if scalar is not None:
            return scalar
        width = name.value.lstrip("sui")
        if len(width) > 8 or int(width) > _MAXIMUM_WIDTH:
            self.source.fail(name, f"an integer type must not have more than {_MAXIMUM_WIDTH} bits")
        return IntegerType(int(width), _SIGNEDNESS[name[0]])

    def _shape(self, branch: Branch) -> tuple[int, ...]:
        return tuple(self._extent(token(dimension)) for dimension in tree(branch).children)

    def _extent(self, dimension: Token) -> int:
        digits = dimension.value.rstrip("x").strip().strip("[]")
        if digits == "?":
            return DYNAMIC_INDEX
        if len(digits) > 19 or int(digits) >= 2**63:
            self.source.fail(dimension, "dimension does not fit into 64 bits")
        return int(digits)

    def _refuse_scalable(self, branch: Branch) -> None:
        for dimension in tree(branch).children:
            if token(dimension).startswith("["):
                self.source.fail(dimension, "only a vector has scalable dimensions")

    def _memref(self, parts: list[Branch]) -> Attribute:
        dimensions, element, *extra = parts
        self._refuse_scalable(dimensions)
        layout: MemRefLayoutAttr | NoneAttr = NoneAttr()
        space: Attribute = NoneAttr()
        attributes = [self.attribute(part) for part in extra]
        if attributes and isinstance(attributes[0], MemRefLayoutAttr):
            layout = _simplified_layout(attributes.pop(0))
        if attributes:
            space = _simplified_space(attributes.pop(0))
        if attributes:
            self.source.fail(
                extra[0], "expected a layout (strided<...> or an affine map) and a memory space"
            )
        return MemRefType(self.type(element), self._shape(dimensions), layout, space)

    def _unranked_memref(self, parts: list[Branch]) -> Attribute:
        _, element, space = parts
        memory_space = NoneAttr() if space is None else _simplified_space(self.attribute(space))
        return UnrankedMemRefType.from_type(self.type(element), memory_space)

    def _vector(self, parts: list[Branch]) -> Attribute:
        dimensions, element = parts
        shape = self._shape(dimensions)
        if any(extent <= 0 for extent in shape):
            self.source.fail(dimensions, "the dimensions of a vector must be positive constants")
        scalable = ArrayAttr(
            BoolAttr(token(dimension).startswith("["), 1) for dimension in tree(dimensions).children
        )
        return VectorType(self.type(element), shape, scalable)

    def _tensor(self, parts: list[Branch]) -> Attribute:
        dimensions, element, encoding = parts
        self._refuse_scalable(dimensions)
        return TensorType(
            self.type(element),
            self._shape(dimensions),
            NoneAttr() if encoding is None else self.attribute(encoding),
        )

    def _component(self, branch: Branch) -> TypeAttribute:
        component = self.type(branch)
        assert isinstance(component, TypeAttribute)
        return component

    def _complex(self, parts: list[Branch]) -> Attribute:
        element = self.type(parts[0])
        if not isinstance(element, IntegerType | AnyFloat):
            self.source.fail(parts[0], "expected an integer or floating-point type")
        return ComplexType(element)


def _simplified_layout(layout: Attribute) -> MemRefLayoutAttr | NoneAttr:
    """The identity map is dropped, because it is the default layout, as in MLIR."""
    assert isinstance(layout, MemRefLayoutAttr)
    if isinstance(layout, AffineMapAttr):
        identity = AffineMap.identity(layout.data.num_dims)
        if layout.data.results == identity.results:
            return NoneAttr()
    return layout


def _simplified_space(space: Attribute) -> Attribute:
    """The memory space 0 is the default one, as in MLIR."""
    if isinstance(space, IntegerAttr) and space.value.data == 0:
        return NoneAttr()
    return space
