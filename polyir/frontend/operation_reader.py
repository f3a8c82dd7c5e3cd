"""From syntax tree to operations: what all syntax classes share.

Each syntax class has a handler in one of the `operations_*` modules; it gets the node of the
operation's body and this reader, and returns the new operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn, TypeAlias

from lark import Token, Tree
from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i32
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation

from polyir.base.diagnostics import InputSyntaxError
from polyir.frontend.attributes import AttributeReader
from polyir.frontend.scopes import BlockScope, ValueScopes
from polyir.frontend.source import Branch, token, tree

Handler: TypeAlias = "Callable[[OperationReader, Tree[Token]], Operation]"

# Deeper than any program, and shallow enough for what recurses over the operations later.
_MAXIMUM_NESTING = 64

INDEX = IndexType()


class OperationReader:
    """Reads the operations of one text."""

    def __init__(
        self,
        context: Context,
        handlers: Mapping[str, Handler],
        attributes: AttributeReader,
        values: ValueScopes,
    ) -> None:
        self.source = attributes.source
        self.context = context
        self.attributes = attributes
        self.values = values
        self._handlers = handlers
        self._blocks: list[BlockScope] = []
        self._places: dict[Operation, Token] = {}

    # ---------------------------------------------------------------- operations

    def operation(self, branch: Branch) -> Operation:
        """The operation of an `operation` node, its results named and its location set."""
        results, body, location = tree(branch).children
        body = tree(body)
        operation = self._handlers[body.data](self, body)
        location = tree(location)
        if location.children:
            operation.location = self.attributes.location(location.children[0])
        else:
            operation.location = self.source.location(token(body.children[0]))
        self._places[operation] = token(body.children[0])
        self._name_results(operation, results)
        return operation

    def _name_results(self, operation: Operation, branch: Branch | None) -> None:
        if branch is None:
            return
        named: list[tuple[Token, int]] = []
        for result in tree(branch).children:
            name, count = tree(result).children
            named.append((token(name), 1 if count is None else int(token(count)[:9], 0)))
        total = sum(size for _, size in named)
        if total != len(operation.results) or any(size < 1 for _, size in named):
            self.source.fail(
                branch,
                f"'{operation.name}' has {plural(len(operation.results), 'result')}, "
                f"{total} named here",
            )
        values = operation.results
        for place, size in named:
            self.values.define(place, values[:size])
            values = values[size:]

    def fail_at(self, operation: Operation, message: str) -> NoReturn:
        """Raise a diagnostic that points at an operation that has been read."""
        raise self.error_at_operation(operation, message)

    def error_at_operation(self, operation: Operation, message: str) -> InputSyntaxError:
        """A diagnostic that points at an operation that has been read."""
        return self.source.error(self._places.get(operation), message)

    # ---------------------------------------------------------------- operands, attributes

    def operand(self, branch: Branch, expected_type: Attribute) -> SSAValue:
        """The value of a VALUE token as an operand of that type."""
        return self.values.operand(token(branch), expected_type)

    def operands(
        self, branch: Branch, expected_types: Sequence[Attribute], place: Branch | None = None
    ) -> list[SSAValue]:
        """The values of the VALUE tokens of a node, as operands of these types."""
        names = tree(branch).children
        if len(names) != len(expected_types):
            self.source.fail(
                place if place is not None else branch,
                f"expected {plural(len(expected_types), 'operand')}, found {len(names)}",
            )
        return [
            self.operand(name, expected)
            for name, expected in zip(names, expected_types, strict=True)
        ]

    def index_operands(self, branch: Branch) -> list[SSAValue]:
        """The values of the VALUE tokens of a node, all of type index."""
        return [self.operand(name, INDEX) for name in tree(branch).children]

    def dictionary(self, branch: Branch) -> dict[str, Attribute]:
        """The attributes of a node of an optional dictionary."""
        return self.attributes.dictionary(branch)

    def type(self, branch: Branch) -> Attribute:
        """The type of a type node."""
        return self.attributes.type(branch)

    def types(self, branch: Branch) -> tuple[Attribute, ...]:
        """The types of a list of types."""
        return self.attributes.types(branch)

    # ---------------------------------------------------------------- regions

    def region(
        self,
        branch: Branch,
        arguments: Sequence[tuple[Branch, Attribute]] = (),
        *,
        isolated: bool = False,
    ) -> Region:
        """The region of a `region` node; its first block has the named `arguments`.

        A name is a VALUE token or a `named_value` or `argument` node, which may have a location.
        """
        operations, *labelled = tree(branch).children
        if len(self._blocks) >= _MAXIMUM_NESTING:
            self.source.fail(branch, f"regions are nested more than {_MAXIMUM_NESTING} levels deep")
        scope = BlockScope(self.source)
        self._blocks.append(scope)
        blocks: list[Block] = []
        has_entry = bool(tree(operations).children or arguments)
        multiple = has_entry + len(labelled) > 1
        with self.values.region(isolated=isolated, multiple_blocks=multiple):
            if has_entry:
                entry = Block(arg_types=[argument_type for _, argument_type in arguments])
                for (name, _), argument in zip(arguments, entry.args, strict=True):
                    self._define_argument(name, argument)
                blocks.append(entry)
                self._fill(entry, operations)
            blocks.extend(self._labelled_block(tree(node), scope) for node in labelled)
            scope.check_all_defined()
        self._blocks.pop()
        return Region(blocks)

    def _define_argument(self, branch: Branch, argument: BlockArgument) -> None:
        place = branch if isinstance(branch, Token) else token(branch.children[0])
        self.values.define(place, [argument])
        location = None
        if isinstance(branch, Tree) and tree(branch.children[-1]).children:
            location = self.attributes.location(tree(branch.children[-1]).children[0])
        argument.location = location or self.source.location(place)

    def _labelled_block(self, node: Tree[Token], scope: BlockScope) -> Block:
        label, arguments, operations = node.children
        block = scope.define(token(label))
        for argument in [] if arguments is None else tree(arguments).children:
            _, type_node, attributes, _ = tree(argument).children
            if tree(attributes).children:
                self.source.fail(attributes, "a block argument cannot have attributes")
            value = block.insert_arg(self.type(type_node), len(block.args))
            self._define_argument(argument, value)
        self._fill(block, operations)
        return block

    def _fill(self, block: Block, operations: Branch) -> None:
        for operation in tree(operations).children:
            block.add_op(self.operation(operation))

    def single_block(
        self,
        branch: Branch,
        arguments: Sequence[tuple[Branch, Attribute]] = (),
        *,
        isolated: bool = False,
    ) -> Region:
        """As `region`, for an operation whose region is exactly one block without a label."""
        _, *labelled = tree(branch).children
        if labelled:
            self.source.fail(labelled[0], "expected a region of one block without a label")
        region = self.region(branch, arguments, isolated=isolated)
        if region.first_block is None:
            region.add_block(Block())
        return region

    def successors(self, branch: Branch) -> list[Block]:
        """The blocks that the labels of a `successors` node stand for."""
        labels = tree(branch).children
        if labels and not self._blocks:
            self.source.fail(labels[0], "a label can only be used inside a region")
        return [self._blocks[-1].use(token(label)) for label in labels]


def segments(*counts: int) -> Attribute:
    """The sizes of the operand groups of an operation that has several."""
    return DenseArrayBase.from_list(i32, counts)


def plural(count: int, noun: str) -> str:
    """`1 operand`, `2 operands`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def property_names(operation_type: type[Operation]) -> tuple[str, ...]:
    """The names of the attributes that are properties of an operation."""
    if not issubclass(operation_type, IRDLOperation):
        return ()
    return (
        *operation_type.get_irdl_definition().properties,
        "operandSegmentSizes",
        "resultSegmentSizes",
    )


def split_properties(
    operation_type: type[Operation], attributes: Mapping[str, Attribute]
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The properties and the other attributes of an operation, both from `attributes`."""
    names = property_names(operation_type)
    properties = {name: value for name, value in attributes.items() if name in names}
    others = {name: value for name, value in attributes.items() if name not in names}
    return properties, others
