"""The schedule tree as nested operations that mirror isl's node types.

A node's region holds its child; the region of a node above a leaf is empty, and not printed.
A sequence or set holds its filters. Verifiers check the shape of the tree, that filters are
disjoint and cover what reaches them, and that a band is defined on all that reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import islpy as isl
from xdsl.dialects.builtin import ArrayAttr, BoolAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.isl_attributes import (
    IslAttribute,
    MultiUnionPwAffAttr,
    SetAttr,
    UnionMapAttr,
    UnionPwMultiAffAttr,
    UnionSetAttr,
)
from polyir.dialects.loop_attributes import LoopAttributes, verify_loop_attributes
from polyir.dialects.mark_attributes import (
    parse_attributes_of_loops,
    print_attributes_of_loops,
    verify_mark,
)
from polyir.sets.lists import maps_of

LOOP_KINDS = ("default", "atomic", "separate", "unroll")
"""How isl's AST builder is to generate the loop of a band member."""


class Remembering(Operation):
    """An operation with what is known of it beside its text, which its copies have too."""

    @property
    def known(self) -> dict[str, object]:
        """What is known: whoever uses it must see whether the operation has changed since."""
        known: dict[str, object] = self.__dict__.setdefault("_known", {})
        return known

    def clone_without_regions(self, *arguments: Any, **options: Any) -> Self:
        copy = super().clone_without_regions(*arguments, **options)
        copy.known.update(self.known)
        return copy


class TreeOp(IRDLOperation):
    """A node of the schedule tree.

    The text of a node is its name, its isl objects in quotes (`HEAD`), its flags, its children.
    """

    HEAD: ClassVar[dict[str, type[IslAttribute[Any]]]] = {}
    """The properties that hold the node's isl objects, in the order of the text."""

    body = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(
        self,
        properties: dict[str, Attribute | None] | None = None,
        children: Sequence[Operation] = (),
    ) -> None:
        super().__init__(properties=properties or {}, regions=[Region(Block(children))])

    @property
    def children(self) -> tuple[TreeOp, ...]:
        """The nodes below, in order; none above a leaf."""
        return tuple(op for op in self.body.block.ops if isinstance(op, TreeOp))

    def verify_(self) -> None:
        operations = tuple(self.body.block.ops)
        if len(operations) != len(self.children):
            raise VerifyException("must contain only schedule tree nodes")
        if not isinstance(self, SequenceOp | SetOp) and len(operations) > 1:
            raise VerifyException("must have at most one child")
        parent = self.parent_op()
        if isinstance(parent, SequenceOp | SetOp) and not isinstance(self, FilterOp):
            raise VerifyException("must not be a direct child of a sequence or set")
        if not isinstance(self, DomainOp) and not isinstance(parent, TreeOp):
            raise VerifyException("must be inside a schedule tree")

    @classmethod
    def parse(cls, parser: Parser) -> TreeOp:
        properties: dict[str, Attribute | None] = {}
        for name, attribute in cls.HEAD.items():
            properties[name] = attribute(attribute.parse_text(parser))
        properties |= cls.parse_flags(parser, properties)
        attributes = parse_attributes(parser)
        node = cls(properties)
        region = parse_body(parser)
        node.detach_region(node.body)
        node.add_region(region)
        node.attributes |= attributes
        return node

    def print(self, printer: Printer) -> None:
        for name in self.HEAD:
            attribute = self.properties[name]
            assert isinstance(attribute, IslAttribute)
            printer.print_string(" ")
            attribute.print_text(printer)
        self.print_flags(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        if self.children:
            print_body(printer, self.body)

    @classmethod
    def parse_flags(
        cls, parser: Parser, head: Mapping[str, Attribute | None]
    ) -> dict[str, Attribute | None]:
        """Read what stands between the isl objects, in `head`, and the children."""
        return {}

    def print_flags(self, printer: Printer) -> None:
        """Print what stands between the isl objects and the children."""


@irdl_op_definition
class DomainOp(Remembering, TreeOp):
    """The root: the statement instances that the tree schedules."""

    name = "poly.domain"
    HEAD: ClassVar[dict[str, type[IslAttribute[Any]]]] = {"instances": UnionSetAttr}

    instances = prop_def(UnionSetAttr)


@irdl_op_definition
class BandOp(TreeOp):
    """Loops: a partial schedule with one member a loop.

    `permutable` allows any order and rectangular tiling of the members. `coincident` has one
    flag a member: true where the member is parallel within the band; the text leaves it out if no
    member is. `loop_kinds` has one of
    `LOOP_KINDS` a member, `loop_attributes` the attributes of each member. `options` are the
    other AST build options of isl (isolation).
    """

    name = "poly.band"
    HEAD: ClassVar[dict[str, type[IslAttribute[Any]]]] = {"schedule": MultiUnionPwAffAttr}

    schedule = prop_def(MultiUnionPwAffAttr)
    permutable = opt_prop_def(UnitAttr)
    coincident = prop_def(ArrayAttr[BoolAttr])
    loop_kinds = opt_prop_def(ArrayAttr[StringAttr])
    loop_attributes = opt_prop_def(ArrayAttr[ArrayAttr[Attribute]])
    options = opt_prop_def(UnionSetAttr)

    @property
    def members(self) -> int:
        """The number of loops in the band."""
        return self.schedule.data.dim(isl.dim_type.set)

    @property
    def attributes_of_members(self) -> tuple[LoopAttributes, ...]:
        """The attributes of each member."""
        if self.loop_attributes is None:
            return ((),) * self.members
        return tuple(tuple(attributes) for attributes in self.loop_attributes)

    def verify_(self) -> None:
        super().verify_()
        if len(self.coincident) != self.members:
            raise VerifyException("needs one coincident flag per member")
        if self.loop_kinds is not None:
            if len(self.loop_kinds) != self.members:
                raise VerifyException("needs one loop kind per member")
            for kind in self.loop_kinds:
                if kind.data not in LOOP_KINDS:
                    raise VerifyException(f"has the unknown loop kind '{kind.data}'")
        if len(self.attributes_of_members) != self.members:
            raise VerifyException("needs one list of loop attributes per member")
        for attributes in self.attributes_of_members:
            verify_loop_attributes(attributes)
        # A band without members is defined everywhere, whatever isl says of its domain.
        if self.members and not reaching(self).is_subset(self.schedule.data.domain()):
            raise VerifyException("is not defined on all instances that reach it")

    @classmethod
    def parse_flags(
        cls, parser: Parser, head: Mapping[str, Attribute | None]
    ) -> dict[str, Attribute | None]:
        flags: dict[str, Attribute | None] = {}
        if parser.parse_optional_keyword("permutable") is not None:
            flags["permutable"] = UnitAttr()
        schedule = head["schedule"]
        assert isinstance(schedule, MultiUnionPwAffAttr)
        coincident = [BoolAttr.from_bool(False)] * schedule.data.dim(isl.dim_type.set)
        if parser.parse_optional_keyword("coincident") is not None:
            coincident = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: BoolAttr.from_bool(parser.parse_boolean())
            )
        flags["coincident"] = ArrayAttr(coincident)
        if parser.parse_optional_keyword("loops") is not None:
            kinds = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: StringAttr(parser.parse_identifier("loop kind"))
            )
            flags["loop_kinds"] = ArrayAttr(kinds)
        if parser.parse_optional_keyword("loop_attributes") is not None:
            flags["loop_attributes"] = ArrayAttr(map(ArrayAttr, parse_attributes_of_loops(parser)))
        if parser.parse_optional_keyword("options") is not None:
            flags["options"] = UnionSetAttr(UnionSetAttr.parse_text(parser))
        return flags

    def print_flags(self, printer: Printer) -> None:
        if self.permutable is not None:
            printer.print_string(" permutable")
        if any(flag.value.data for flag in self.coincident):
            flags = ("true" if flag.value.data else "false" for flag in self.coincident)
            printer.print_string(f" coincident [{', '.join(flags)}]")
        if self.loop_kinds is not None:
            kinds = ", ".join(kind.data for kind in self.loop_kinds)
            printer.print_string(f" loops [{kinds}]")
        if self.loop_attributes is not None:
            printer.print_string(" loop_attributes ")
            print_attributes_of_loops(printer, self.attributes_of_members)
        if self.options is not None:
            printer.print_string(" options ")
            self.options.print_text(printer)


@irdl_op_definition
class SequenceOp(TreeOp):
    """Its filters run one after the other."""

    name = "poly.sequence"

    def verify_(self) -> None:
        super().verify_()
        _verify_filters(self)


@irdl_op_definition
class SetOp(TreeOp):
    """Its filters run in any order."""

    name = "poly.set"

    def verify_(self) -> None:
        super().verify_()
        _verify_filters(self)


@irdl_op_definition
class FilterOp(TreeOp):
    """Only these instances reach the node below."""

    name = "poly.filter"
    HEAD: ClassVar[dict[str, type[IslAttribute[Any]]]] = {"instances": UnionSetAttr}

    instances = prop_def(UnionSetAttr)


@irdl_op_definition
class MarkOp(TreeOp):
    """What an attribute says of all that is below: `poly.mark #poly.tile<outset [T0]>`."""

    name = "poly.mark"

    mark = prop_def()

    def verify_(self) -> None:
        super().verify_()
        verify_mark(self.mark)

    @classmethod
    def parse_flags(
        cls, parser: Parser, head: Mapping[str, Attribute | None]
    ) -> dict[str, Attribute | None]:
        return {"mark": parser.parse_attribute()}

    def print_flags(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.mark)


@irdl_op_definition
class ContextOp(TreeOp):
    """Constraints on parameters and outer schedule dimensions that are known to hold."""

    name = "poly.context"
    HEAD: ClassVar[dict[str, type[IslAttribute[Any]]]] = {"context": SetAttr}

    context = prop_def(SetAttr)


@irdl_op_definition
class GuardOp(TreeOp):
    """Constraints on parameters and outer schedule dimensions that are to be tested."""

    name = "poly.guard"
    HEAD: ClassVar[dict[str, type[IslAttribute[Any]]]] = {"guard": SetAttr}

    guard = prop_def(SetAttr)


@irdl_op_definition
class ExtensionOp(TreeOp):
    """Adds instances, from outer schedule dimensions, that the domain does not have.

    Each instance is added in one iteration of the loops around, which its tuple usually names:
    `{ [t] -> C[t, x] }`.
    """

    name = "poly.extension"
    HEAD: ClassVar[dict[str, type[IslAttribute[Any]]]] = {"extension": UnionMapAttr}

    extension = prop_def(UnionMapAttr)

    def verify_(self) -> None:
        super().verify_()
        for part in maps_of(self.extension.data):
            if not part.reverse().is_single_valued():
                name = part.get_tuple_name(isl.dim_type.out)
                raise VerifyException(
                    f"adds instances of {name} in several iterations of the loops around it"
                )


@irdl_op_definition
class ExpansionOp(TreeOp):
    """Each instance above stands for a group of instances below."""

    name = "poly.expansion"
    HEAD: ClassVar[dict[str, type[IslAttribute[Any]]]] = {
        "contraction": UnionPwMultiAffAttr,
        "expansion": UnionMapAttr,
    }

    contraction = prop_def(UnionPwMultiAffAttr)
    expansion = prop_def(UnionMapAttr)


def walk_tree(root: TreeOp) -> Iterator[TreeOp]:
    """All nodes from `root` down, parents first."""
    yield root
    for child in root.children:
        yield from walk_tree(child)


def reaching(node: TreeOp) -> isl.UnionSet:
    """The instances that reach `node` from the root, before its own filter.

    Extension nodes add all instances in the range of their relation: more than what reaches
    the node for given outer schedule dimensions, never less.
    """
    parent = node.parent_op()
    if not isinstance(parent, TreeOp):
        assert isinstance(node, DomainOp)
        return node.instances.data
    instances = reaching(parent)
    match parent:
        case FilterOp():
            return instances.intersect(parent.instances.data)
        case ExtensionOp():
            return instances.union(parent.extension.data.range())
        case ExpansionOp():
            return instances.apply(parent.expansion.data)
        case _:
            return instances


def _verify_filters(node: SequenceOp | SetOp) -> None:
    """The children are filters; each instance that reaches the node is in exactly one.

    What does not reach the node may be in several: isl's `gist` makes filters simpler that way.
    """
    filters = [child for child in node.children if isinstance(child, FilterOp)]
    if not filters or len(filters) != len(node.children):
        raise VerifyException("must contain one or more poly.filter operations and nothing else")
    instances = reaching(node)
    covered = filters[0].instances.data
    for child in filters[1:]:
        both = covered.intersect(child.instances.data)
        if not both.is_disjoint(instances):
            raise VerifyException("has filters that overlap")
        covered = covered.union(child.instances.data)
    if not instances.is_subset(covered):
        raise VerifyException(f"the filters of {node.name} do not cover all instances")


def print_body(printer: Printer, body: Region) -> None:
    """Print a region whose block arguments, if it has any, are told elsewhere."""
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False, print_empty_block=False)


def parse_attributes(parser: Parser) -> dict[str, Attribute]:
    """Read the attributes that an operation has besides its properties, if there are any."""
    attributes = parser.parse_optional_attr_dict_with_keyword()
    return {} if attributes is None else dict(attributes.data)


def parse_body(parser: Parser, arguments: Sequence[Parser.Argument] = ()) -> Region:
    """Read a region of one block; without braces, or with empty ones, the block is empty."""
    region = parser.parse_optional_region(arguments) or Region()
    if not region.blocks:
        region.add_block(Block(arg_types=[argument.type for argument in arguments]))
    return region
