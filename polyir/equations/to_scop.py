"""A system of equations as a function with a `poly.scop`.

The function takes the parameters, then memory for the inputs, then for the outputs. Each variable
has memory of its own, of which `polyir.equations.layout` describes the elements, and each element
is written once, or by the statements of one reduction in order. So the dependences that polyir
computes from the accesses are those of the equations.
"""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from polyir.diagnostics import OptionError, PolyirError, nearest
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences
from polyir.dialects.isl_attributes import DependencesAttr
from polyir.dialects.pure_functions import declare_pure
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.equations.element_types import ElementType
from polyir.equations.first_schedule import first_schedule
from polyir.equations.flow import flows_of
from polyir.equations.inlining import inlined
from polyir.equations.operations import Storage, add_body, builtin_type
from polyir.equations.pieces import definitions_of
from polyir.equations.statements import Computation, Computations, computations_of
from polyir.equations.system import Declaration, Program, Role, System
from polyir.isl_hulls import coalesced
from polyir.limits import within_operations
from polyir.model.analysis import arrays_in_order
from polyir.model.legality import require_legal
from polyir.model.proof import remember_proof
from polyir.model.scop import scop_of
from polyir.model.tree import tree_from_schedule
from polyir.transform.expansion.box import Allocator, NoBoxError, Side, box_of

FLOW_OPERATIONS = 20_000_000
"""How many operations isl may take for the dependences that follow from the equations."""


def add_functions(
    module: ModuleOp,
    program: Program,
    names: Sequence[str] = (),
    element_type: ElementType = ElementType.F64,
) -> None:
    """Add the functions of the systems of these names to a module, or of all if there are none.

    Systems that they use are copied into them. Raises what `add_function` raises, and `OptionError`
    for a name that no system has.
    """
    known = {each.name: each for each in program.systems} | {
        function_name(each): each for each in program.systems
    }
    for name in names:
        if name not in known:
            hint = nearest(name, known) or f" (systems: {', '.join(known)})"
            raise OptionError(f"there is no system '{name}'{hint}")
    wanted = [known[name] for name in names] if names else program.systems
    for system in wanted:
        add_function(module, inlined(program, system.name), element_type)


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
    context = system.context.intersect(system.body.context)
    definitions = definitions_of(system)
    computations = computations_of(definitions, context)
    computations, schedule = first_schedule(computations, context)
    written = _FunctionWriter(module, system, context, element_type)
    locals = [each.variable for each in definitions if each.variable.role is Role.LOCAL]
    return written.write(locals, computations, schedule)


class _FunctionWriter:
    """Makes the function of one system."""

    def __init__(
        self, module: ModuleOp, system: System, context: isl.Set, element_type: ElementType
    ) -> None:
        self._module = module
        self._system = system
        self._context = context
        self._element_type = element_type
        self._type = builtin_type(element_type)
        self._storage: dict[str, Storage] = {}
        self.function = self._empty_function()
        self._block = self.function.body.block

    def write(
        self, locals: Sequence[Declaration], computations: Computations, schedule: isl.Schedule
    ) -> func.FuncOp:
        """The function with all that it does."""
        names = self._system.parameters
        parameters = self._block.args[: len(names)]
        scop = ScopOp(parameters, names, self._context, Region(Block()))
        self._block.add_ops([scop, func.ReturnOp()])
        allocator = Allocator(scop)
        for each in locals:
            box = self._box(each)
            memory = allocator.memory(self._type, each.name, allocator.extents(box))
            self._storage[each.name] = Storage(memory, tuple(side.lower for side in box))
        for statement in computations.statements:
            scop.body.block.add_op(self._statement(statement, parameters))
        scop.body.block.add_op(tree_from_schedule(schedule))
        self._add_dependences(scop, computations)
        self._module.body.block.add_op(self.function)
        return self.function

    def _add_dependences(self, op: ScopOp, computations: Computations) -> None:
        """Add the dependences that the equations say, unless isl takes too many operations.

        Raises `LegalityError` if the schedule does not respect them: a fault of ours.
        """
        flows = within_operations(FLOW_OPERATIONS, lambda: tuple(flows_of(computations)))
        if flows is None:
            return
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
        order = scop.schedule.get_map().intersect_domain(scop.domain).gist_domain(scop.domain)
        dependences = Dependences(True, items, order)
        require_legal(dependences, scop.schedule, "the order of the equations")
        op.dependences = DependencesAttr(dependences)
        remember_proof(op)

    def _empty_function(self) -> func.FuncOp:
        arguments = [*self._system.of_role(Role.INPUT), *self._system.of_role(Role.OUTPUT)]
        boxes = [self._box(each) for each in arguments]
        index: list[Attribute] = [IndexType() for _ in self._system.parameters]
        memory = [MemRefType(self._type, [_constant(side) for side in box]) for box in boxes]
        types = [*index, *memory]
        block = Block(arg_types=types)
        hints = [*self._system.parameters, *(each.name for each in arguments)]
        for argument, hint in zip(block.args, hints, strict=True):
            argument.name_hint = hint
        values = block.args[len(index) :]
        for each, box, value in zip(arguments, boxes, values, strict=True):
            self._storage[each.name] = Storage(value, tuple(side.lower for side in box))
        return func.FuncOp(function_name(self._system), (types, []), Region(block))

    def _box(self, variable: Declaration) -> tuple[Side, ...]:
        try:
            return box_of(variable.domain, self._context)
        except NoBoxError as error:
            message = f"'{variable.name}' needs memory, and {error}: {variable.domain}"
            raise PolyirError(message, variable.location) from None

    def _statement(self, statement: Computation, parameters: Sequence[SSAValue]) -> StmtOp:
        count = statement.domain.dim(isl.dim_type.set)
        block = Block(arg_types=[IndexType()] * count)
        for place, argument in enumerate(block.args):
            argument.name_hint = statement.domain.get_dim_name(isl.dim_type.set, place)
        add_body(block, statement, parameters, self._storage, self._element_type, self)
        return StmtOp(statement.name, statement.domain, Region(block))

    def declare(self, name: str, inputs: Sequence[Attribute], result: Attribute) -> None:
        """Declare an external function, which only computes."""
        declare_pure(self._module, name, list(inputs), [result])


def _constant(side: Side) -> int:
    """An extent for a type: dynamic unless it is the same for all parameters."""
    pieces = [piece for _, piece in side.extent.get_pieces()]
    if len(pieces) == 1 and pieces[0].is_cst() and side.extent.is_cst():
        return max(0, int(pieces[0].get_constant_val().to_python()))
    return DYNAMIC_INDEX
