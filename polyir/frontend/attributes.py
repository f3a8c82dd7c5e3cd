"""Attributes, locations and aliases: from syntax tree to xDSL attribute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lark import Token, Tree
from xdsl.context import Context
from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    AnyFloat,
    ArrayAttr,
    CallSiteLoc,
    DenseArrayBase,
    DictionaryAttr,
    FileLineColLoc,
    FloatAttr,
    FusedLoc,
    IndexType,
    IntAttr,
    IntegerAttr,
    IntegerType,
    LocationAttr,
    NameLoc,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.utils.exceptions import ParseError

from polyir.base.diagnostics import nearest
from polyir.frontend.affine_expressions import read_map, read_set
from polyir.frontend.dense import read_dense
from polyir.frontend.dialect_text import VerbatimParser
from polyir.frontend.literals import floating, integer_literal, magnitude, string, symbol, word
from polyir.frontend.source import Branch, SourceText, one_line, token, tree
from polyir.frontend.types import TypeReader


class AttributeReader(TypeReader):
    """Reads the attribute, type and location nodes of one text.

    Aliases are read when they are first used, so they may be defined after their use, as in the
    output of mlir-opt.
    """

    def __init__(self, source: SourceText, context: Context) -> None:
        super().__init__(source)
        self._context = context
        self._alias_definitions: dict[str, Tree[Token]] = {}
        self._aliases: dict[str, Attribute] = {}
        self._being_read: list[str] = []
        self._dialect_texts: dict[str, Attribute] = {}
        self._attribute_readers: Mapping[str, Callable[[Tree[Token]], Attribute]] = {
            "number": self._number,
            "boolean": lambda node: IntegerAttr.from_bool(node.children[0] == "true"),
            "string": lambda node: StringAttr(string(source, token(node.children[0]))),
            "unit": lambda node: UnitAttr(),
            "array": lambda node: ArrayAttr(map(self.attribute, node.children)),
            "dictionary": lambda node: DictionaryAttr(self.dictionary(node)),
            "alias": lambda node: self.alias(token(node.children[0])),
            "dialect_attribute": lambda node: self._dialect_text(token(node.children[0])),
            "symbol_reference": self._symbol_reference,
            "dense": self._dense,
            "dense_array": self._dense_array,
            "map": lambda node: AffineMapAttr(read_map(source, node)),
            "set": lambda node: AffineSetAttr(read_set(source, node)),
            "strided": self._strided,
            "location": self.location,
        }

    # ---------------------------------------------------------------- aliases

    def define_alias(self, definition: Tree[Token]) -> None:
        """Declare the alias of an `attribute_alias` or `type_alias` node."""
        name = token(definition.children[0])
        if name.value in self._alias_definitions:
            self.source.fail(name, f"redefinition of the alias '{name}'")
        self._alias_definitions[name.value] = definition

    def alias(self, name: Token) -> Attribute:
        """The attribute or type that an alias stands for."""
        if name.value in self._aliases:
            return self._aliases[name.value]
        definition = self._alias_definitions.get(name.value)
        if definition is None:
            kind = "type" if name.startswith("!") else "attribute"
            hint = nearest(name.value, self._alias_definitions)
            self.source.fail(name, f"undefined {kind} alias '{name}'{hint}")
        if name.value in self._being_read:
            self.source.fail(name, f"the alias '{name}' is defined in terms of itself")
        self._being_read.append(name.value)
        value = self.attribute(definition.children[1])
        self._being_read.pop()
        self._aliases[name.value] = value
        return value

    def read_all_aliases(self) -> None:
        """Read the aliases that were not used: they must be valid too."""
        for definition in self._alias_definitions.values():
            self.alias(token(definition.children[0]))

    def type_alias(self, name: Token) -> Attribute:
        return self.alias(name)

    # ---------------------------------------------------------------- attributes

    def attribute(self, branch: Branch) -> Attribute:
        node = tree(branch)
        reader = self._attribute_readers.get(node.data)
        if reader is None:
            return self.type(node)
        with self.source.refusing(node):
            return reader(node)

    def dictionary(self, branch: Branch) -> dict[str, Attribute]:
        """The entries of a `dictionary`, or of the node of an optional one."""
        node = tree(branch)
        if node.data != "dictionary":
            return self.dictionary(node.children[0]) if node.children else {}
        entries: dict[str, Attribute] = {}
        for entry in node.children:
            name_node, value = tree(entry).children
            name_token = token(name_node)
            name = (
                string(self.source, name_token) if name_token.type == "STRING" else str(name_token)
            )
            if name in entries:
                self.source.fail(name_token, f"the attribute '{name}' is given twice")
            entries[name] = UnitAttr() if value is None else self.attribute(value)
        return entries

    def affine_map(self, branch: Branch) -> AffineMapAttr:
        """The map of a `map` node or of an alias token."""
        value = self._map_or_set(branch)
        if not isinstance(value, AffineMapAttr):
            self.source.fail(branch, "expected an affine map")
        return value

    def affine_set(self, branch: Branch) -> AffineSetAttr:
        """The set of a `set` node or of an alias token."""
        value = self._map_or_set(branch)
        if not isinstance(value, AffineSetAttr):
            self.source.fail(branch, "expected an affine set")
        return value

    def _map_or_set(self, branch: Branch) -> Attribute:
        return self.alias(branch) if isinstance(branch, Token) else self.attribute(branch)

    def symbol_name(self, branch: Branch) -> StringAttr:
        """The name of a SYMBOL token."""
        return StringAttr(symbol(self.source, token(branch)))

    def _symbol_reference(self, node: Tree[Token]) -> Attribute:
        root, *nested = (symbol(self.source, token(name)) for name in node.children)
        return SymbolRefAttr(root, nested)

    def _number(self, node: Tree[Token]) -> Attribute:
        scalar, type_node = node.children
        literal = token(tree(scalar).children[0])
        if type_node is not None:
            number_type = self.type(type_node)
        else:
            number_type = builtin.f64 if literal.type == "FLOAT" else builtin.i64
        if isinstance(number_type, AnyFloat):
            return FloatAttr(floating(self.source, scalar, number_type), number_type)
        if not isinstance(number_type, IntegerType | IndexType):
            self.source.fail(type_node, f"a number cannot have the type {number_type}")
        if literal.type == "FLOAT":
            self.source.fail(scalar, f"expected an integer, as the type is {number_type}")
        if isinstance(number_type, IndexType):
            return IntegerAttr(word(self.source, scalar), number_type)
        return IntegerAttr(integer_literal(self.source, scalar), number_type)

    def _dense(self, node: Tree[Token]) -> Attribute:
        literal, type_node = node.children
        return read_dense(self.source, literal, self.type(type_node), type_node)

    def dense_of_type(self, literal: Branch, literal_type: Attribute) -> Attribute:
        """The value of a `dense_literal` node whose type the context gives."""
        with self.source.refusing(literal):
            return read_dense(self.source, literal, literal_type, literal)

    def _dense_array(self, node: Tree[Token]) -> Attribute:
        type_node, values = node.children
        element_type = self.type(type_node)
        elements = [] if values is None else [tree(value) for value in tree(values).children]
        if isinstance(element_type, AnyFloat):
            return DenseArrayBase.from_list(
                element_type, [floating(self.source, value, element_type) for value in elements]
            )
        if not isinstance(element_type, IntegerType) or element_type.width.data > 64:
            self.source.fail(type_node, "expected an integer or floating-point type")
        return DenseArrayBase.from_list(
            element_type, [self._array_integer(value, element_type) for value in elements]
        )

    def _array_integer(self, node: Tree[Token], element_type: IntegerType) -> int:
        if node.data == "boolean":
            if element_type.width.data != 1:
                self.source.fail(node, f"expected an integer, as the type is {element_type}")
            return int(node.children[0] == "true")
        if token(node.children[0]).type == "FLOAT":
            self.source.fail(node, f"expected an integer, as the type is {element_type}")
        return word(self.source, node)

    def _strided(self, node: Tree[Token]) -> Attribute:
        extents, offset = node.children
        strides = [self._extent_or_dynamic(tree(extent)) for extent in tree(extents).children]
        return StridedLayoutAttr(
            strides, 0 if offset is None else self._extent_or_dynamic(tree(offset))
        )

    def _extent_or_dynamic(self, node: Tree[Token]) -> int | None:
        return None if node.data == "dynamic" else word(self.source, node)

    # ---------------------------------------------------------------- what xDSL reads

    def dialect_type(self, text: Token) -> Attribute:
        value = self._dialect_text(text)
        if not isinstance(value, TypeAttribute):
            self.source.fail(text, f"expected a type, not the attribute {text}")
        return value

    def _dialect_text(self, text: Token) -> Attribute:
        """The attribute or type of a dialect, in the dialect's own syntax."""
        if text.value not in self._dialect_texts:
            self._dialect_texts[text.value] = self._parse_dialect_text(text)
        return self._dialect_texts[text.value]

    def _parse_dialect_text(self, text: Token) -> Attribute:
        parser = VerbatimParser(self._context, text.value)
        try:
            value = parser.parse_attribute()
            if parser.pos < len(text):
                self.source.fail(text, f"unexpected text after {value}")
        except ParseError as error:
            raise self.source.error(text, f"{one_line_of(error)} in '{text}'") from error
        except (NotImplementedError, AssertionError, TypeError, LookupError) as error:
            raise self.source.error(text, f"cannot read '{text}': {one_line(error)}") from error
        return value

    # ---------------------------------------------------------------- locations

    def location(self, branch: Branch) -> LocationAttr:
        """The location of a `location` node."""
        return self._location_body(tree(tree(branch).children[0]))

    def _location_body(self, node: Tree[Token]) -> LocationAttr:
        parts: Sequence[Branch] = node.children
        match node.data:
            case "file_location":
                name, line, column = map(token, parts)
                return FileLineColLoc(
                    StringAttr(string(self.source, name)),
                    IntAttr(magnitude(self.source, line)),
                    IntAttr(magnitude(self.source, column)),
                )
            case "named_location":
                inner = NoneAttr() if parts[1] is None else self._location_body(tree(parts[1]))
                return NameLoc(StringAttr(string(self.source, token(parts[0]))), inner)
            case "location_alias":
                value = self.alias(token(parts[0]))
                if not isinstance(value, LocationAttr):
                    self.source.fail(node, f"'{parts[0]}' is not a location")
                return value
            case "callsite_location":
                callee, caller = (self._location_body(tree(part)) for part in parts)
                return CallSiteLoc(callee, caller)
            case "fused_location":
                metadata, *locations = parts
                return FusedLoc(
                    ArrayAttr([self._location_body(tree(location)) for location in locations]),
                    NoneAttr() if metadata is None else self.attribute(tree(metadata).children[0]),
                )
            case _:
                return UnknownLoc()


def one_line_of(error: ParseError) -> str:
    """The bare message of a parse error of xDSL."""
    return one_line(ValueError(error.msg))
