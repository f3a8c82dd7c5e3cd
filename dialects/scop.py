"""Static control parts: a scop and its statements (`polyir.dialects.poly` has an example)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, cast, get_args

import islpy as isl
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    IndexType,
    IntAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator
from xdsl.utils.exceptions import VerifyException

from polyir.base.walks import outermost
from polyir.dialects.dependence import Dependences
from polyir.dialects.isl_attributes import DependencesAttr, IslAttribute, SetAttr
from polyir.dialects.mark_attributes import LocalAttr
from polyir.dialects.schedule_tree import (
    ContextOp,
    DomainOp,
    ExpansionOp,
    ExtensionOp,
    FilterOp,
    MarkOp,
    Remembering,
    parse_attributes,
    parse_body,
    print_body,
    walk_tree,
)
from polyir.sets.lists import parameters_of, sets_of, union_set

KEEPS_LOOPS = "poly.keeps_loops"
"""A unit attribute of a scop of which passes keep the order: the steps of a distributed program,
whose statements call functions, and its messages. The loops run rarely, or are short."""

PART = "polyir.part"
"""The attribute of a function to whose arrays each rank passes its part: the symbol of the function
that says which part that is."""


@irdl_op_definition
class ScopOp(Remembering, IRDLOperation):
    """A maximal static control part: parameters, context, statements, one schedule tree.

    `parameters` are the SSA values of the isl parameters `parameter_names`, in that order.
    The body holds `poly.local_array` operations, `poly.stmt` operations, then one `poly.domain`.
    """

    name = "poly.scop"

    parameters = var_operand_def(IndexType)
    parameter_names = prop_def(ArrayAttr[StringAttr])
    context = prop_def(SetAttr)
    dependences = opt_prop_def(DependencesAttr)
    body = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(
        self,
        parameters: Sequence[SSAValue],
        parameter_names: Sequence[str],
        context: isl.Set,
        body: Region,
        dependences: Dependences | None = None,
    ) -> None:
        super().__init__(
            operands=[parameters],
            properties={
                "parameter_names": ArrayAttr([StringAttr(name) for name in parameter_names]),
                "context": SetAttr(context),
                "dependences": None if dependences is None else DependencesAttr(dependences),
            },
            regions=[body],
        )

    @property
    def function(self) -> FuncOp | None:
        """The function that the scop is in."""
        parent = self.parent_op()
        while parent is not None and not isinstance(parent, FuncOp):
            parent = parent.parent_op()
        return parent

    @property
    def local_arrays(self) -> tuple[LocalArrayOp, ...]:
        """The arrays that marks of the tree say to be local."""
        return tuple(op for op in self.body.block.ops if isinstance(op, LocalArrayOp))

    @property
    def statements(self) -> tuple[StmtOp, ...]:
        """The statements in program order."""
        return tuple(op for op in self.body.block.ops if isinstance(op, StmtOp))

    @property
    def tree(self) -> DomainOp:
        """The root of the schedule tree."""
        root = self.body.block.last_op
        if not isinstance(root, DomainOp):
            raise VerifyException("must end in a poly.domain")
        return root

    @property
    def parameter_values(self) -> dict[str, SSAValue]:
        """The SSA value of each isl parameter."""
        names = [name.data for name in self.parameter_names]
        return dict(zip(names, self.parameters, strict=True))

    def verify_(self) -> None:
        if len(self.parameter_names) != len(self.parameters):
            raise VerifyException("needs one name for each parameter")
        if len(set(self.parameter_names)) != len(self.parameter_names):
            raise VerifyException("has two parameters with the same name")
        expected = (*self.local_arrays, *self.statements, self.tree)
        if tuple(self.body.block.ops) != expected:
            raise VerifyException(
                "holds poly.local_array operations, then poly.stmt operations, then one poly.domain"
            )
        _verify_names(self)
        _verify_domain(self)
        _verify_local_arrays(self)

    @classmethod
    def parse(cls, parser: Parser) -> ScopOp:
        def parse_parameter() -> tuple[SSAValue, str]:
            value = parser.parse_operand(IndexType())
            parser.parse_keyword("as")
            return value, parser.parse_str_literal()

        parameters = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_parameter)
        context = _no_conditions([name for _, name in parameters])
        if parser.parse_optional_keyword("context") is not None:
            context = SetAttr.parse_text(parser)
        dependences = None
        if parser.parse_optional_keyword("dependences") is not None:
            dependences = DependencesAttr.parse_parameter(parser)
        attributes = parse_attributes(parser)
        scop = cls(
            [value for value, _ in parameters],
            [name for _, name in parameters],
            context,
            parse_body(parser),
            dependences,
        )
        scop.attributes |= attributes
        return scop

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(
                self.parameter_values.items(),
                lambda item: _print_parameter(printer, item[1], item[0]),
            )
        if self.context != SetAttr(_no_conditions(list(self.parameter_values))):
            printer.print_string(" context ")
            self.context.print_text(printer)
        if self.dependences is not None:
            printer.print_string(" dependences ")
            self.dependences.print_parameter(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        print_body(printer, self.body)


def _no_conditions(parameters: Sequence[str]) -> isl.Set:
    """The context that says nothing of the parameters, which the text leaves out."""
    space = isl.Space.params_alloc(isl.DEFAULT_CONTEXT, len(parameters))
    for position, name in enumerate(parameters):
        space = space.set_dim_name(isl.dim_type.param, position, name)
    return isl.Set.universe(space)


Space = Literal["heap", "stack", "register", "workgroup", "private"]
"""Where a local array is: allocated and freed, a variable, or a variable for registers; in a GPU
kernel, memory that the threads of a block share, or a thread's own."""

KERNEL_SPACES: Final[tuple[Space, ...]] = ("workgroup", "private")
"""The spaces that only GPU kernels have."""


@irdl_op_definition
class LocalArrayOp(IRDLOperation):
    """Memory that each iteration of the loops around a mark `#poly.local` has of its own.

        %tile = poly.local_array @tile heap alignment 64 : memref<32x36xf64>
        %rows = poly.local_array @rows heap(%n) : memref<?x8xf64>

    Dynamic sizes are affine functions of the parameters, computed before the scop.
    """

    name = "poly.local_array"

    sym_name = prop_def(SymbolNameConstraint())
    space = prop_def(StringAttr)
    alignment = opt_prop_def(IntAttr)
    dynamic_sizes = var_operand_def(IndexType())
    memory = result_def(MemRefType)

    def __init__(
        self,
        name: str,
        type: MemRefType,
        space: Space = "heap",
        alignment: int | None = None,
        dynamic_sizes: Sequence[SSAValue] = (),
    ) -> None:
        super().__init__(
            operands=[dynamic_sizes],
            properties={
                "sym_name": StringAttr(name),
                "space": StringAttr(space),
                "alignment": None if alignment is None else IntAttr(alignment),
            },
            result_types=[type],
        )
        self.memory.name_hint = name

    def verify_(self) -> None:
        if self.space.data not in get_args(Space):
            raise VerifyException(f"has the unknown space '{self.space.data}'")
        if self.alignment is not None and self.alignment.data.bit_count() != 1:
            raise VerifyException("needs an alignment that is a power of two")
        shape = self.memory.type.get_shape()
        if any(extent < 1 and extent != DYNAMIC_INDEX for extent in shape):
            raise VerifyException("needs extents of 1 or more")
        if shape.count(DYNAMIC_INDEX) != len(self.dynamic_sizes):
            raise VerifyException("needs one operand for each dynamic size")
        if self.dynamic_sizes and self.space.data != "heap":
            raise VerifyException("has dynamic sizes, so it must be on the heap")

    @classmethod
    def parse(cls, parser: Parser) -> LocalArrayOp:
        name = parser.parse_symbol_name().data
        space = cast(Space, parser.parse_identifier("heap, stack, register, workgroup or private"))
        sizes = parser.parse_optional_comma_separated_list(
            parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType())
        )
        alignment = None
        if parser.parse_optional_keyword("alignment") is not None:
            alignment = parser.parse_integer(allow_boolean=False, allow_negative=False)
        attributes = parse_attributes(parser)
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_type()
        if not isinstance(type, MemRefType):
            parser.raise_error("expected a memref type", position)
        array = cls(name, type, space, alignment, sizes or ())
        array.attributes |= attributes
        return array

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(f" {self.space.data}")
        if self.dynamic_sizes:
            with printer.in_parens():
                printer.print_list(self.dynamic_sizes, printer.print_ssa_value)
        if self.alignment is not None:
            printer.print_string(f" alignment {self.alignment.data}")
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" : ")
        printer.print_attribute(self.memory.type)


@irdl_op_definition
class StmtOp(IRDLOperation):
    """A statement: its domain, and a body whose block arguments are the iterators."""

    name = "poly.stmt"

    sym_name = prop_def(SymbolNameConstraint())
    domain = prop_def(SetAttr)
    body = region_def("single_block")

    traits = traits_def(NoTerminator())

    def __init__(self, name: str, domain: isl.Set, body: Region) -> None:
        super().__init__(
            properties={"sym_name": StringAttr(name), "domain": SetAttr(domain)},
            regions=[body],
        )

    def verify_(self) -> None:
        domain = self.domain.data
        if domain.get_tuple_name() != self.sym_name.data:
            raise VerifyException(f"the domain of @{self.sym_name.data} has a different tuple name")
        arguments = self.body.block.args
        if len(arguments) != domain.dim(isl.dim_type.set):
            raise VerifyException(f"@{self.sym_name.data} needs one iterator per domain dimension")
        if any(argument.type != IndexType() for argument in arguments):
            raise VerifyException(f"the iterators of @{self.sym_name.data} must be of type index")

    @classmethod
    def parse(cls, parser: Parser) -> StmtOp:
        name = parser.parse_symbol_name().data
        parser.parse_keyword("domain")
        domain = SetAttr.parse_text(parser)
        iterators = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN,
            lambda: parser.parse_argument(expect_type=False).resolve(IndexType()),
        )
        attributes = parse_attributes(parser)
        statement = cls(name, domain, parse_body(parser, iterators))
        statement.attributes |= attributes
        return statement

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" domain ")
        self.domain.print_text(printer)
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(
                self.body.block.args,
                lambda argument: printer.print_block_argument(argument, print_type=False),
            )
        printer.print_op_attributes(self.attributes, print_keyword=True)
        print_body(printer, self.body)


def _verify_local_arrays(scop: ScopOp) -> None:
    """Every local array has a mark, and every mark `#poly.local` a local array."""
    marks = [
        node.mark.data.array
        for node in walk_tree(scop.tree)
        if isinstance(node, MarkOp) and isinstance(node.mark, LocalAttr)
    ]
    declared = [array.sym_name.data for array in scop.local_arrays]
    for name in declared:
        if name not in marks:
            raise VerifyException(f"has no mark #poly.local for the local array @{name}")
    for name in marks:
        if name not in declared:
            raise VerifyException(f"has a mark for @{name}, but no such local array")


def _print_parameter(printer: Printer, value: SSAValue, name: str) -> None:
    printer.print_ssa_value(value)
    printer.print_string(" as ")
    printer.print_string_literal(name)


def _verify_names(scop: ScopOp) -> None:
    """Every name is said once, and every parameter that an isl object names is declared."""
    names = [statement.sym_name.data for statement in scop.statements]
    own = [*names, *(array.sym_name.data for array in scop.local_arrays)]
    if len(set(own)) != len(own):
        raise VerifyException("has two statements or local arrays with the same name")
    declared = [name.data for name in scop.parameter_names]
    objects: list[Attribute] = [scop.context]
    objects += [statement.domain for statement in scop.statements]
    for node in walk_tree(scop.tree):
        objects += node.properties.values()
        if isinstance(node, ContextOp):
            declared += parameters_of(node.context.data.get_space())
    for item in objects:
        if isinstance(item, IslAttribute):
            for name in parameters_of(item.data.get_space()):
                if name not in declared:
                    raise VerifyException(f"does not declare the parameter '{name}'")
    for node in walk_tree(scop.tree):
        if isinstance(node, FilterOp):
            for part in sets_of(node.instances.data):
                if part.get_tuple_name() not in names:
                    raise VerifyException(f"has a filter for an unknown statement: {part}")
    _verify_dependences(scop)


def _verify_dependences(scop: ScopOp) -> None:
    """They are between instances of statements, in parameters that are declared."""
    if scop.dependences is None:
        return
    known = {each.sym_name.data: each.domain.data for each in scop.statements}
    declared = [name.data for name in scop.parameter_names]
    for item in scop.dependences.data.items:
        for name in parameters_of(item.relation.get_space()):
            if name not in declared:
                raise VerifyException(f"does not declare the parameter '{name}'")
        for end in (isl.dim_type.in_, isl.dim_type.out):
            name = item.relation.get_tuple_name(end) or ""
            if name not in known:
                raise VerifyException(f"has a dependence of an unknown statement '{name}'")
            if item.relation.dim(end) != known[name].dim(isl.dim_type.set):
                raise VerifyException(f"has a dependence with wrong dimensions of @{name}")


def _is_equal(one: isl.UnionSet, another: isl.UnionSet) -> bool:
    """Are two sets equal? Mostly they have the same constraints, which isl compares faster."""
    one = one.align_params(another.get_space())
    another = another.align_params(one.get_space())
    own, other = (
        {part.get_tuple_name(): part for part in sets_of(each)} for each in (one, another)
    )
    return (
        own.keys() == other.keys() and all(own[name].plain_is_equal(other[name]) for name in own)
    ) or one.is_equal(another)


def _verify_domain(scop: ScopOp) -> None:
    """The tree covers every statement's domain, and nothing else; extension nodes add to it."""
    covered = scop.tree.instances.data
    for node in walk_tree(scop.tree):
        if isinstance(node, ExtensionOp):
            added = node.extension.data.range()
            if not added.is_disjoint(covered):
                raise VerifyException(f"executes instances twice: {added.intersect(covered)}")
            covered = covered.union(added)
        elif isinstance(node, ExpansionOp):
            return
    domains = (statement.domain.data for statement in scop.statements)
    declared = union_set(domains, scop.context.data.get_space())
    if not _is_equal(covered, declared):
        missing = declared.subtract(covered)
        extra = covered.subtract(declared)
        detail = f"misses {missing}" if not missing.is_empty() else f"adds {extra}"
        raise VerifyException(f"the schedule tree does not cover the statements: it {detail}")


def scops_in(root: Operation) -> tuple[ScopOp, ...]:
    """The scops of a module or a function in the order of the text; there is none in another."""
    return outermost(root, ScopOp)
