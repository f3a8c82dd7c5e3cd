"""A system of equations as a `poly.scop`, in a function of its own or in one that computes it.

A function of its own takes the parameters, then memory for the inputs, then for the outputs, of
which `polyir.equations.layout` describes the elements. `equations.compute` says which memory it is
in another one; an output may be in that of an input there. All else has memory of its own. Each
element is written once, or by the statements of one reduction in order, and one of an input is read
before it is overwritten. So the dependences that polyir computes from the accesses are those of the
equations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FileLineColLoc,
    IndexType,
    IntAttr,
    LocationAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from polyir.base import budgets
from polyir.base.diagnostics import OptionError, PolyirError, SourceLocation, nearest
from polyir.base.limits import within_operations
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.dialects.equation_runs import ComputeOp
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.pure_functions import declare_pure
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.equations.element_types import ElementType, type_of
from polyir.equations.errors import NoEquationsError
from polyir.equations.first_schedule import first_schedule
from polyir.equations.flow import anti_flows, flows_of
from polyir.equations.inlining import inlined
from polyir.equations.operations import Storage, add_body, builtin_type
from polyir.equations.pieces import definitions_of
from polyir.equations.statements import (
    NOTHING_SHARED,
    Computation,
    Computations,
    Shared,
    computations_of,
)
from polyir.equations.system import (
    Declaration,
    Equation,
    Expression,
    Program,
    Role,
    System,
    Variable,
)
from polyir.model.analysis import arrays_in_order
from polyir.model.scop import scop_of
from polyir.proofs.legality import require_legal
from polyir.proofs.remembered import remember_proof
from polyir.sets.boxes import NoBoxError, Side, box_of
from polyir.sets.hulls import coalesced
from polyir.sets.names import unique_name
from polyir.transform.expansion.allocator import Allocator
from polyir.tree import Schedule
from polyir.tree.operations import operations_of


def add_functions(
    module: ModuleOp,
    program: Program,
    names: Sequence[str] = (),
    element_type: ElementType | None = None,
    change: Callable[[System, ElementType], System] = lambda system, _: system,
) -> None:
    """Add the functions of the systems of these names to a module, or of all if there are none.

    A system that functions of the module compute becomes a scop in each of these instead. Systems
    that others use are copied into them, and `change` is applied to what comes out. The elements
    are of the type that a system says, else of `element_type`, else `f64`. Raises what
    `add_function` raises, and `OptionError` for a name that no system has, or another type than a
    system has.
    """
    known = {each.name: each for each in program.systems} | {
        function_name(each): each for each in program.systems
    }
    for name in names:
        if name not in known:
            hint = nearest(name, known) or f" (systems: {', '.join(known)})"
            raise OptionError(f"there is no system '{name}'{hint}", name="unknown-name")
    computed: dict[str, list[ComputeOp]] = {}
    for op in module.walk():
        if isinstance(op, ComputeOp):
            computed.setdefault(op.system.root_reference.data, []).append(op)
    wanted = [known[name] for name in names] if names else program.systems
    others = [each for each in program.systems if each.name in computed and each not in wanted]
    for system in (*wanted, *others):
        type = type_of(system, element_type)
        whole = change(inlined(program, system.name), type)
        for op in computed.get(system.name, ()):
            replace_compute(module, op, whole, type)
        if system.name not in computed:
            add_function(module, whole, type)


def function_name(system: System) -> str:
    """The name of the function of a system: its own, without the packages around it."""
    return system.name.rpartition(".")[2]


def add_function(
    module: ModuleOp, system: System, element_type: ElementType = ElementType.F64
) -> func.FuncOp:
    """Add the function of a system of one body, which uses no other, to a module.

    Raises `PolyirError` where the equations do not define the variables, need each other in a way
    for which no order is found, or a variable has no bounds.
    """
    function, storage = _empty_function(system, element_type)
    end = func.ReturnOp()
    end.location = function.location
    function.body.block.add_op(end)
    parameters = function.body.block.args[: len(system.parameters)]
    ordered = _ordered(system)
    _ScopWriter(module, ordered, element_type, parameters, storage).write_before(end)
    module.body.block.add_op(function)
    return function


def replace_compute(
    module: ModuleOp, op: ComputeOp, system: System, element_type: ElementType
) -> None:
    """Replace the operation that computes a system by a scop. Raises as `add_function`.

    The scop reads an element of an input before it writes an output there. If the equations have no
    such order, the outputs are computed in other memory, and then copied.
    """
    zero = isl.Aff.zero_on_domain(_context(system).get_space())
    storage: dict[str, Storage] = {}
    for role, values in ((Role.INPUT, op.inputs), (Role.OUTPUT, op.outputs)):
        for each, value in zip(system.of_role(role), values, strict=True):
            dimensions = each.domain.dim(isl.dim_type.set)
            storage[each.name] = Storage(value, (zero,) * dimensions)
    shared: dict[str, list[str]] = {}
    for output in system.of_role(Role.OUTPUT):
        for source in system.of_role(Role.INPUT):
            if storage[output.name].memory is storage[source.name].memory:
                shared.setdefault(output.name, []).append(source.name)
    try:
        ordered = _ordered(system, shared)
    except PolyirError:
        if not shared:
            raise
        ordered = _ordered(_with_copies(system, tuple(shared)), shared)
    _ScopWriter(module, ordered, element_type, op.parameters, storage).write_before(op)
    assert op.parent is not None
    op.parent.erase_op(op)


def _with_copies(system: System, names: Sequence[str]) -> System:
    """The system with locals in place of some outputs, whose equations are copies of these."""
    taken = set(system.variables)
    renamed: dict[str, str] = {}
    for name in names:
        renamed[name] = unique_name(name, taken)
        taken.add(renamed[name])

    def rule(each: Expression) -> Expression:
        if isinstance(each, Variable) and each.name in renamed:
            return replace(each, name=renamed[each.name])
        return each

    equations = [
        replace(
            each,
            variable=renamed.get(each.variable, each.variable),
            expression=each.expression.rewritten(rule),
        )
        for each in system.body.equations
    ]
    outputs = [system.variables[name] for name in names]
    locals = [replace(each, name=renamed[each.name], role=Role.LOCAL) for each in outputs]
    equations += [
        Equation(each.name, Variable(renamed[each.name]), None, each.location) for each in outputs
    ]
    return replace(
        system,
        declarations=(*system.declarations, *locals),
        bodies=(replace(system.body, equations=tuple(equations)),),
    )


def _context(system: System) -> isl.Set:
    return system.context.intersect(system.body.context)


@dataclass(frozen=True)
class _Ordered:
    """A system of one body, its statements, and an order in which they may run.

    `shared` has the outputs that are in memory of inputs, with these.
    """

    system: System
    locals: tuple[Declaration, ...]
    computations: Computations
    schedule: Schedule
    shared: Shared


def _ordered(system: System, shared: Shared = NOTHING_SHARED) -> _Ordered:
    """A first order of a system."""
    context = _context(system)
    definitions = definitions_of(system)
    computations = computations_of(definitions, context, shared)
    computations, schedule = first_schedule(computations, context)
    locals = [each.variable for each in definitions if each.variable.role is Role.LOCAL]
    return _Ordered(system, tuple(locals), computations, schedule, shared)


class _ScopWriter:
    """Makes the scop of one system, which computes it into given memory.

    `storage` has the memory of inputs and outputs.
    """

    def __init__(
        self,
        module: ModuleOp,
        ordered: _Ordered,
        element_type: ElementType,
        parameters: Sequence[SSAValue],
        storage: Mapping[str, Storage],
    ) -> None:
        self._module = module
        self._ordered = ordered
        self._context = _context(ordered.system)
        self._element_type = element_type
        self._parameters = parameters
        self._storage = dict(storage)

    def write_before(self, op: Operation) -> None:
        """Add the scop before an operation, with all that it needs."""
        boxes = [(each.name, _box(each, self._context)) for each in self._ordered.locals]
        names = self._ordered.system.parameters
        scop = ScopOp(self._parameters, names, self._context, Region(Block()))
        scop.location = op.location
        assert op.parent is not None
        op.parent.insert_op_before(scop, op)
        allocator = Allocator(scop)
        for name, box in boxes:
            type = builtin_type(self._element_type)
            memory = allocator.memory(type, name, allocator.extents(box))
            self._storage[name] = Storage(memory, tuple(side.lower for side in box))
        computations = self._ordered.computations
        for statement in computations.statements:
            scop.body.block.add_op(self._statement(statement))
        scop.body.block.add_op(operations_of(self._ordered.schedule))
        self._add_dependences(scop)

    def _add_dependences(self, op: ScopOp) -> None:
        """Add the dependences that the equations say, unless isl takes too many operations.

        Raises `LegalityError` if the schedule does not respect them: a fault of ours.
        """
        computations = self._ordered.computations
        antis = tuple(anti_flows(computations, self._ordered.shared))
        found = within_operations(
            budgets.EQUATION_DEPENDENCES, lambda: tuple(flows_of(computations))
        )
        flows = (*antis, *(found or ()))
        scop = scop_of(op)
        names = {memory: name for name, memory in scop.arrays.items()}
        parts: dict[tuple[DependenceKind, str, str, str], isl.Map] = {}
        for flow in flows:
            array = names[self._storage[flow.variable].memory]
            relation = flow.relation.intersect_params(self._context)
            ends = [relation.get_tuple_name(end) for end in (isl.dim_type.in_, isl.dim_type.out)]
            for kind in flow.kinds:
                key = (kind, ends[0], ends[1], array)
                parts[key] = parts[key].union(relation) if key in parts else relation
        statements = [each.name for each in scop.statements]
        kinds, arrays = list(DependenceKind), list(arrays_in_order(scop))

        def place(key: tuple[DependenceKind, str, str, str]) -> tuple[int, ...]:
            kind, source, target, array = key
            numbers = statements.index(source), statements.index(target)
            return (kinds.index(kind), *numbers, arrays.index(array))

        items = tuple(
            Dependence(key[0], key[3], coalesced(parts[key])) for key in sorted(parts, key=place)
        )
        order = scop.schedule.map.intersect_domain(scop.domain).gist_domain(scop.domain)
        dependences = Dependences(True, items, order)
        require_legal(dependences, scop.schedule, "the order of the equations")
        if found is None:
            return
        op.dependences = DependencesAttr(dependences)
        remember_proof(op)

    def _statement(self, statement: Computation) -> StmtOp:
        count = statement.domain.dim(isl.dim_type.set)
        block = Block(arg_types=[IndexType()] * count)
        for place, argument in enumerate(block.args):
            argument.name_hint = statement.domain.get_dim_name(isl.dim_type.set, place)
        add_body(block, statement, self._parameters, self._storage, self._element_type, self)
        return StmtOp(statement.name, statement.domain, Region(block))

    def declare(self, name: str, inputs: Sequence[Attribute], result: Attribute) -> None:
        """Declare an external function, which only computes."""
        declare_pure(self._module, name, list(inputs), [result])


def _empty_function(
    system: System, element_type: ElementType
) -> tuple[func.FuncOp, dict[str, Storage]]:
    """The function of a system, without operations, and where its inputs and outputs are."""
    context = _context(system)
    arguments = [*system.of_role(Role.INPUT), *system.of_role(Role.OUTPUT)]
    boxes = [_argument_box(each, context) for each in arguments]
    index: list[Attribute] = [IndexType() for _ in system.parameters]
    type = builtin_type(element_type)
    types = [*index, *(MemRefType(type, [_constant(side) for side in box]) for box in boxes)]
    block = Block(arg_types=types)
    hints = [*system.parameters, *(each.name for each in arguments)]
    for argument, hint in zip(block.args, hints, strict=True):
        argument.name_hint = hint
    values = block.args[len(index) :]
    storage = {
        each.name: Storage(value, tuple(side.lower for side in box))
        for each, box, value in zip(arguments, boxes, values, strict=True)
    }
    function = func.FuncOp(function_name(system), (types, []), Region(block))
    function.location = _location(system.location)
    return function, storage


def _box(variable: Declaration, context: isl.Set) -> tuple[Side, ...]:
    try:
        return box_of(variable.domain, context)
    except NoBoxError as error:
        message = f"'{variable.name}' needs memory, and {error}: {variable.domain}"
        raise NoEquationsError(message, variable.location) from None


def _argument_box(variable: Declaration, context: isl.Set) -> tuple[Side, ...]:
    """The box of an input or output: it begins right at the least indices."""
    box = _box(variable, context)
    domain = variable.domain.intersect_params(context)
    for place, side in enumerate(box):
        least = domain.dim_min(place)
        if not domain.is_empty() and not least.ne_set(isl.PwAff.from_aff(side.lower)).is_empty():
            raise NoEquationsError(
                f"the least index of '{variable.name}' along dimension {place + 1} is not one "
                f"affine function of the parameters: {least}",
                variable.location,
            )
    return box


def _location(place: SourceLocation | None) -> LocationAttr:
    if place is None:
        return UnknownLoc()
    line, column = IntAttr(place.line), IntAttr(place.column)
    return FileLineColLoc(StringAttr(place.file), line, column)


def _constant(side: Side) -> int:
    """An extent for a type: dynamic unless it is the same for all parameters."""
    return DYNAMIC_INDEX if side.size is None else max(0, side.size)
