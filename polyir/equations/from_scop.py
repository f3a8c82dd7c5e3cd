"""A scop as a system of equations: `polyir.equations.to_scop` backwards.

Each store becomes a local variable over the instances of its statement. A load is the value of the
store that was the last to write the element, or the element as it was before the scop: an input.
Elements that the scop has written are outputs, and have the value of the last store. So order and
memory are gone. Chains of updates (`polyir.equations.scop_reductions`) become reductions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AnyFloat, IntegerType, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from polyir.base import budgets
from polyir.base.diagnostics import PolyirError, SourceLocation, location_of
from polyir.base.limits import within_operations
from polyir.dialects.equation_runs import ComputeOp
from polyir.dialects.equation_systems import ELEMENT_TYPES, SystemOp
from polyir.dialects.scop import ScopOp
from polyir.equations.errors import NoEquationsError
from polyir.equations.ir import program_of, replace_program
from polyir.equations.scop_flow import Read, ScopFlow, Source, Write, scop_flow
from polyir.equations.scop_reductions import Chains, Link, chains_of, contribution
from polyir.equations.scop_tidying import with_fewer_locals
from polyir.equations.scop_values import Values, constant
from polyir.equations.system import (
    Body,
    Case,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Reduce,
    Restrict,
    Role,
    System,
    Variable,
)
from polyir.equations.system import Operation as Applied
from polyir.model.memory_accesses import ElementStore, access_of, accesses_in
from polyir.model.prepared_updates import prepare_updates, split_updates
from polyir.model.scop import Scop, scop_of
from polyir.model.statements import Statement
from polyir.model.temporaries import why_no_temporary
from polyir.sets.hulls import convex_if_possible
from polyir.sets.lists import basic_sets_of, parameters_of, pieces_of
from polyir.sets.names import unique_name
from polyir.transform.expansion.temporaries import remove_unused

_IN, _OUT = isl.dim_type.in_, isl.dim_type.out


@dataclass(frozen=True)
class Converted:
    """A system that computes what a scop does.

    Its parameters are those of the scop. `inputs` and `outputs` are where the inputs are, numbers
    and memory, and the memory in which the outputs are to be. `reductions` says what became one,
    and `reasons` why other updates of an element did not, in words.
    """

    system: System
    inputs: tuple[SSAValue, ...]
    outputs: tuple[SSAValue, ...]
    reductions: tuple[str, ...]
    reasons: tuple[str, ...]


def system_of(op: ScopOp, name: str, reassociate: bool = False) -> Converted:
    """The system of equations, of that name, that computes what a scop does in its order.

    Without `reassociate`, floating-point results have the same bits, and only reductions that do
    not depend on the order are recognised. The bodies of statements may be simplified. Raises
    `PolyirError`, with the place, for what equations cannot say: accesses and control that depend
    on data, values of several types, and operations that they do not have.
    """
    if op.local_arrays:
        raise NoEquationsError("the scop has local arrays", location_of(op))
    type = _element_type(op)
    if reassociate or isinstance(type, IntegerType):
        prepare_updates(op)
    else:
        split_updates(op)
    scop = scop_of(op)
    scop = replace(scop, context=_without_upper_bounds(scop.context))
    visible = [array for array in scop.arrays if why_no_temporary(scop, array) is not None]
    return _Converter(scop, name, type, visible, scop_flow(scop), reassociate).converted()


def _without_upper_bounds(context: isl.Set) -> isl.Set:
    """More parameters than those of a context, without bounds that arrays of constant size give.

    What a scop computes may be said for all of them, and only of numbers that may grow can be said
    how the work grows with them.
    """
    if context.n_basic_set() != 1:
        return context
    (part,) = basic_sets_of(context)
    kept = isl.BasicSet.universe(context.get_space())
    for constraint in part.get_constraints():
        coefficients = [
            constraint.get_coefficient_val(isl.dim_type.param, place)
            for place in range(context.dim(isl.dim_type.param))
        ]
        grows = [each for each in coefficients if each.is_pos()]
        if constraint.is_equality() or grows or constraint.dim(isl.dim_type.div):
            kept = kept.add_constraint(constraint)
    return isl.Set.from_basic_set(kept)


def replace_scop(op: ScopOp, module: ModuleOp, reassociate: bool = False) -> Converted:
    """Let a system of equations, which is added to the module, compute what a scop does.

    The scop and the temporaries that only it used are gone. Raises as `system_of`.
    """
    taken = {each.sym_name.data for each in module.ops if isinstance(each, FuncOp | SystemOp)}
    function = op.function
    name = "scop" if function is None else function.sym_name.data
    name = unique_name(f"{name}_system", taken)
    converted = within_operations(budgets.SCOP_EQUATIONS, lambda: system_of(op, name, reassociate))
    if converted is None:
        raise PolyirError(budgets.SCOP_EQUATIONS.exceeded, location_of(op), name="too-complex")
    system = converted.system
    compute = ComputeOp(system.name, op.parameters, converted.inputs, converted.outputs)
    compute.location = op.location
    memory = [each for each in scop_of(op).arrays.values() if isinstance(each.owner, Operation)]
    Rewriter.replace_op(op, compute)
    for each in memory:
        if isinstance(each.owner, memref.AllocOp | memref.AllocaOp):
            remove_unused(each)
    program = program_of(module)
    externals = program.externals | _externals(system)
    systems = (*program.systems, system)
    replace_program(module, replace(program, systems=systems, externals=externals))
    return converted


def _externals(system: System) -> dict[str, int]:
    """The functions in a system that are defined elsewhere, with their numbers of arguments."""
    return {
        each.operator: len(each.parts)
        for equation in system.body.equations
        for each in equation.expression.walk()
        if isinstance(each, Applied) and each.is_external
    }


def _element_type(op: ScopOp) -> AnyFloat | IntegerType:
    """The type of the elements of all arrays that a scop accesses."""
    found: AnyFloat | IntegerType | None = None
    for statement in op.statements:
        for access in accesses_in(statement):
            if access_of(access.op) is None:
                message = f"there is no equation for '{access.op.name}'"
                raise NoEquationsError(message, location_of(access.op))
            if access.extents:
                raise NoEquationsError("equations have no vectors", location_of(access.op))
            memory = access.memref.type
            assert isinstance(memory, MemRefType)
            element = memory.element_type
            if element not in ELEMENT_TYPES.values():
                raise NoEquationsError(
                    f"values are of type {element}, and those of equations of type "
                    f"{', '.join(ELEMENT_TYPES)}",
                    location_of(access.op),
                )
            if found not in (None, element):
                raise NoEquationsError(
                    f"there are values of type {found} and of type {element}, and all values of "
                    "equations have one type",
                    location_of(access.op),
                )
            found = element
    if found is None:
        raise NoEquationsError("the scop accesses no memory", location_of(op))
    return found


@dataclass(frozen=True)
class _Place:
    """Where the value of a store is: at a point of a variable, `{ W[i] -> [p] }`."""

    variable: str
    points: isl.Map


class _Converter:
    """Makes the system of one scop."""

    def __init__(
        self,
        scop: Scop,
        name: str,
        type: AnyFloat | IntegerType,
        visible: Sequence[str],
        flow: ScopFlow,
        reassociate: bool,
    ) -> None:
        self._scop = scop
        self._name = name
        self._type = type
        self._flow = flow
        self._visible = visible
        self._found = chains_of(flow, visible, reassociate)
        self._space = scop.context.get_space()
        self._taken = {*scop.arrays, *parameters_of(self._space)}
        self._inputs: dict[str, SSAValue] = {}
        self._scalars: dict[SSAValue, str] = {}
        self._outputs: dict[str, SSAValue] = {}
        self._declarations: list[Declaration] = []
        self._equations: list[Equation] = []
        self._places = self._all_places()

    def converted(self) -> Converted:
        """The system, and what it is computed on."""
        self._declare_inputs()
        chained = {link.write: chains for chains in self._found.chains for link in chains.links}
        for write in self._flow.writes:
            if write not in chained:
                self._define_store(write)
            elif write is chained[write].links[0].write:
                self._define_chains(chained[write])
        self._define_outputs()
        roles = list(Role)
        declarations = sorted(self._declarations, key=lambda each: roles.index(each.role))
        system = System(
            self._name,
            parameters_of(self._space),
            self._scop.context,
            tuple(declarations),
            (Body(self._scop.context, tuple(self._equations)),),
            location_of(self._scop.op),
            str(self._type),
        )
        system = with_fewer_locals(system)
        return Converted(
            system,
            tuple(self._inputs[each.name] for each in system.of_role(Role.INPUT)),
            tuple(self._outputs[each.name] for each in system.of_role(Role.OUTPUT)),
            tuple(_described(each) for each in self._found.chains),
            self._found.reasons,
        )

    # -------------------------------------------------------------- variables

    def _all_places(self) -> dict[Write, _Place]:
        """A variable for each store, and one for the stores of chains together."""
        places: dict[Write, _Place] = {}
        for chains in self._found.chains:
            name = self._fresh(chains.links[0].write.statement.name)
            for link in chains.links:
                places[link.write] = _Place(name, link.to_chain)
        for write in self._flow.writes:
            if write not in places:
                statement = write.statement
                several = sum(each.statement is statement for each in self._flow.writes) > 1
                name = f"{statement.name}_{write.array}" if several else statement.name
                points = write.domain.identity().reset_tuple_id(_OUT)
                places[write] = _Place(self._fresh(name), points)
        return places

    def _fresh(self, name: str) -> str:
        name = unique_name(name, self._taken)
        self._taken.add(name)
        return name

    def _declare(
        self, name: str, domain: isl.Set, role: Role, location: SourceLocation | None
    ) -> None:
        domain = convex_if_possible(domain.reset_tuple_id().align_params(self._space))
        self._declarations.append(Declaration(name, domain, role, location))

    def _declare_inputs(self) -> None:
        elements: dict[str, isl.Set] = {}
        for read in self._flow.reads:
            found = read.unwritten.range()
            if not found.is_empty():
                array = read.access.array
                elements[array] = elements[array].union(found) if array in elements else found
        for array, memory in self._scop.arrays.items():
            if array in elements:
                self._inputs[array] = memory
                place = location_of(self._scop.op)
                self._declare(array, elements[array], Role.INPUT, place)

    def _outside(self, value: SSAValue, points: isl.Set) -> Expression:
        """A number that is computed before the scop: a constant, or an input."""
        if isinstance(value.owner, arith.ConstantOp):
            return constant(value.owner)
        if value.type != self._type:
            raise NoEquationsError(
                f"a value of type {value.type} is computed before the scop, and all values of "
                f"equations have the type {self._type}",
                location_of(self._scop.op),
            )
        if value not in self._scalars:
            name = self._fresh(value.name_hint or "value")
            self._scalars[value] = name
            self._inputs[name] = value
            point = isl.Set.universe(self._space.add_unnamed_tuple_ui(0))
            self._declare(name, point, Role.INPUT, location_of(self._scop.op))
        space = points.reset_tuple_id().get_space()
        none = isl.MultiAff.zero(
            space.map_from_domain_and_range(space.params().add_unnamed_tuple_ui(0))
        )
        return Dependence(Variable(self._scalars[value]), none)

    # -------------------------------------------------------------- equations

    def _define(
        self,
        name: str,
        domain: isl.Set,
        role: Role,
        value: Expression,
        location: SourceLocation | None,
    ) -> None:
        self._declare(name, domain, role, location)
        self._equations.append(Equation(name, value, _names(domain), location))

    def _define_store(self, write: Write) -> None:
        """The variable has what a store writes, at each instance of its statement."""
        values = self._values(write.statement)
        store = write.access.operation
        assert isinstance(store, ElementStore)
        value = values.of(store.value)
        self._define(
            self._places[write].variable, write.domain, Role.LOCAL, value, location_of(store)
        )

    def _values(self, statement: Statement) -> Values:
        domain = statement.domain
        loaded: dict[Operation, Expression] = {
            each.access.operation: self._value_at(self._sources(each), domain)
            for each in self._flow.reads_of(statement)
        }
        return Values(
            self._scop.op, statement, self._type, loaded, lambda value: self._outside(value, domain)
        )

    def _sources(self, read: Read) -> list[tuple[str, isl.Map]]:
        """The variables of which a load has a value, `{ S[j] -> [p] }`."""
        return [*self._at_places(read.sources), (read.access.array, read.unwritten)]

    def _at_places(self, sources: Sequence[Source]) -> list[tuple[str, isl.Map]]:
        """Relations to stores, as relations to the points of their variables."""
        places = [(self._places[write], relation) for write, relation in sources]
        return [(place.variable, relation.apply_range(place.points)) for place, relation in places]

    def _define_chains(self, chains: Chains) -> None:
        """The variable has, for each chain, the element after the last update of it."""
        name = self._places[chains.links[0].write].variable
        first = chains.links[0].write
        location = location_of(first.access.operation)
        points = chains.points
        before = [
            (variable, link.to_chain.intersect_domain(link.heads).reverse().apply_range(relation))
            for link in chains.links
            for variable, relation in self._sources(link.load)
        ]
        old = self._value_at(before, points)
        if len(chains.links) == 1:
            (link,) = chains.links
            value: Expression = Applied((old, self._reduced(chains, link)), chains.operator)
        else:
            value = self._combined(chains, old, points)
        self._define(name, points, Role.LOCAL, value, location)

    def _reduced(self, chains: Chains, link: Link) -> Reduce:
        """The values that the updates of one statement combine, for each chain."""
        location = location_of(link.write.access.operation)
        body = contribution(link.update, self._values(link.write.statement))
        restricted = Restrict(body, link.domain.align_params(self._space), location=location)
        return Reduce(restricted, chains.operator, link.projection, location=location)

    def _combined(self, chains: Chains, old: Expression, points: isl.Set) -> Expression:
        """The old value and those of several statements, each of which some chains may not have."""
        parts: list[tuple[isl.Set, tuple[Expression, ...]]] = [(points, (old,))]
        for link in chains.links:
            statement = link.write.statement.name
            name = self._fresh(f"{statement}_{_WORDS[chains.operator]}")
            own = link.to_chain.range()
            reduced = self._reduced(chains, link)
            self._define(name, own, Role.LOCAL, reduced, reduced.location)
            with_it = [(part.intersect(own), (*values, Variable(name))) for part, values in parts]
            without = [(part.subtract(own), values) for part, values in parts]
            parts = [each for each in (*with_it, *without) if not each[0].is_empty()]
        branches = tuple(
            Restrict(Applied(values, chains.operator), part.coalesce()) for part, values in parts
        )
        return branches[0].operand if len(branches) == 1 else Case(branches)

    def _define_outputs(self) -> None:
        for array, sources in self._flow.last.items():
            if array in self._visible:
                relations = self._at_places(sources)
                written = reduce(isl.Set.union, (each.domain() for _, each in relations))
                name = self._fresh(f"{array}_out") if array in self._inputs else array
                self._outputs[name] = self._scop.arrays[array]
                value = self._value_at(relations, written)
                place = location_of(self._scop.op)
                self._define(name, written, Role.OUTPUT, value, place)

    def _value_at(self, sources: Sequence[tuple[str, isl.Map]], points: isl.Set) -> Expression:
        """At each point, the value of the variable to which one of the relations leads."""
        points = points.reset_tuple_id().align_params(self._space)
        parts: list[tuple[isl.Set, Expression]] = []
        for variable, relation in sources:
            relation = relation.reset_tuple_id(_IN).reset_tuple_id(_OUT)
            for domain, function in _pieces(relation.align_params(self._space)):
                parts.append((domain, _at(variable, function.gist(domain.intersect(points)))))
        if len(parts) == 1 and points.is_subset(parts[0][0]):
            return parts[0][1]
        restricted = tuple(Restrict(value, part.gist(points)) for part, value in parts)
        return restricted[0] if len(restricted) == 1 else Case(restricted)


_WORDS = {"+": "sum", "*": "product", "min": "min", "max": "max"}


def _pieces(relation: isl.Map) -> list[tuple[isl.Set, isl.MultiAff]]:
    """The expressions of a relation that is a function, each with the points for which it is."""
    if relation.is_empty():
        return []
    return pieces_of(isl.PwMultiAff.from_map(relation.coalesce()).coalesce())


def _names(domain: isl.Set) -> tuple[str, ...] | None:
    """The names of the dimensions of a set, if all have one."""
    count = domain.dim(isl.dim_type.set)
    names = [domain.get_dim_name(isl.dim_type.set, place) for place in range(count)]
    found = tuple(dict.fromkeys(each for each in names if each is not None))
    return found if len(found) == count else None


def _at(variable: str, function: isl.MultiAff) -> Expression:
    """The variable at another point."""
    space = function.get_space()
    if space.dim(_IN) == space.dim(_OUT) and function.plain_is_equal(isl.MultiAff.identity(space)):
        return Variable(variable)
    return Dependence(Variable(variable), function)


def _described(chains: Chains) -> str:
    statements = " and ".join(each.write.statement.name for each in chains.links)
    return f"{statements}: a reduction by '{chains.operator}' into {chains.links[0].write.array}"
