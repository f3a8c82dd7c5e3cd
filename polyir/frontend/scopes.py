"""The SSA names that are visible at a position in the text, and the blocks of a region."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from lark import Token
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.parser import ForwardDeclaredValue

from polyir.base.diagnostics import nearest
from polyir.frontend.source import SourceText


@dataclass(frozen=True)
class _Definition:
    values: tuple[SSAValue, ...]
    place: Token


@dataclass
class _Scope:
    """The names in an operation that is isolated from above, or in the whole text."""

    visible: dict[str, _Definition] = field(default_factory=dict)
    # Uses before the definition, which only the order of several blocks can make right.
    awaited: dict[str, tuple[ForwardDeclaredValue, Token]] = field(default_factory=dict)
    multiple_block_regions: int = 0


class ValueScopes:
    """SSA names: definition and look-up, with a diagnostic for each misuse."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._scope = _Scope()

    @contextmanager
    def region(self, *, isolated: bool, multiple_blocks: bool) -> Iterator[None]:
        """The names defined inside the `with` block are visible only there.

        In an `isolated` region, outer names are not visible. In a region with multiple blocks, a
        value may be used above its definition.
        """
        outer = self._scope
        outer_names = outer.visible
        if isolated:
            self._scope = _Scope()
        else:
            outer.visible = dict(outer_names)
        self._scope.multiple_block_regions += multiple_blocks
        yield
        self._scope.multiple_block_regions -= multiple_blocks
        if isolated:
            self._check_all_defined()
            self._scope = outer
        else:
            outer.visible = outer_names
            if not outer.multiple_block_regions:
                self._check_all_defined()

    def _check_all_defined(self) -> None:
        for name, (_, place) in self._scope.awaited.items():
            self._source.fail(place, f"use of the undefined value '{name}'")

    def define(self, place: Token, values: Sequence[SSAValue]) -> None:
        """Bind the name at `place` to `values`, and keep it as their name hint."""
        name = place.value
        if "#" in name:
            self._source.fail(place, f"'{name}' cannot be defined: expected a name without '#'")
        earlier = self._scope.visible.get(name)
        if earlier is not None:
            line = (earlier.place.line or 1) + self._source.line_offset
            self._source.fail(place, f"redefinition of the value '{name}', defined in line {line}")
        self._scope.visible[name] = _Definition(tuple(values), place)
        if not name[1].isdigit():
            for value in values:
                value.name_hint = name[1:]
        for position, value in enumerate(values):
            spellings = (name, f"{name}#0") if position == 0 else (f"{name}#{position}",)
            for spelling in spellings:
                self._fulfil(spelling, value)

    def _fulfil(self, spelling: str, value: SSAValue) -> None:
        awaited = self._scope.awaited.pop(spelling, None)
        if awaited is None:
            return
        placeholder, place = awaited
        self._check_type(place, value, placeholder.type)
        placeholder.replace_all_uses_with(value)

    def value(self, place: Token) -> SSAValue:
        """The value of the name at `place`, which is defined above."""
        found = self._find(place)
        if found is None:
            name = place.value.partition("#")[0]
            hint = nearest(name, self._scope.visible)
            self._source.fail(place, f"use of the undefined value '{name}'{hint}")
        return found

    def operand(self, place: Token, expected_type: Attribute) -> SSAValue:
        """The value of the name at `place`, as an operand of type `expected_type`."""
        found = self._find(place)
        if found is None and self._scope.multiple_block_regions:
            return self._await(place, expected_type)
        value = self.value(place) if found is None else found
        self._check_type(place, value, expected_type)
        return value

    def _find(self, place: Token) -> SSAValue | None:
        name, _, position = place.value.partition("#")
        definition = self._scope.visible.get(name)
        if definition is None:
            return None
        index = int(position[:9]) if position else 0
        if index >= len(definition.values):
            self._source.fail(
                place, f"'{name}' has only {len(definition.values)} results, numbered from 0"
            )
        return definition.values[index]

    def _await(self, place: Token, expected_type: Attribute) -> SSAValue:
        if place.value not in self._scope.awaited:
            self._scope.awaited[place.value] = (ForwardDeclaredValue(expected_type), place)
        placeholder, _ = self._scope.awaited[place.value]
        self._check_type(place, placeholder, expected_type)
        return placeholder

    def _check_type(self, place: Token, value: SSAValue, expected_type: Attribute) -> None:
        if value.type != expected_type:
            self._source.fail(
                place, f"type mismatch: '{place}' has type {value.type}, expected {expected_type}"
            )


class BlockScope:
    """The blocks of one region, by label."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._blocks: dict[str, Block] = {}
        self._defined: dict[str, Token] = {}
        self._used: dict[str, Token] = {}

    def define(self, label: Token) -> Block:
        """The new block with this label."""
        if label.value in self._defined:
            self._source.fail(label, f"redefinition of the block '{label}'")
        self._defined[label.value] = label
        block = self._blocks.setdefault(label.value, Block())
        name = label.value[1:]
        if Block.is_valid_name(name) and not Block.is_default_block_name(name):
            block.name_hint = name
        return block

    def use(self, label: Token) -> Block:
        """The block with this label, which may be defined later."""
        self._used.setdefault(label.value, label)
        return self._blocks.setdefault(label.value, Block())

    def check_all_defined(self) -> None:
        """Refuse a label that is used and not defined."""
        for name, label in self._used.items():
            if name not in self._defined:
                hint = nearest(name, self._defined)
                self._source.fail(label, f"use of the undefined block '{name}'{hint}")
