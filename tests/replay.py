"""Executes functions on uninterpreted values, before and after raising.

Index values are numbers. All other values are hashes of the operation that made them and of
its operands, so that two executions leave equal memory only if they computed the same. A
condition on data is true where the hash is odd. A `poly.scop` is executed instance by
instance in the order of its schedule.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import islpy as isl
from xdsl.dialects import affine, arith, builtin, func, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.scop import ScopOp, StmtOp
from polyir.model.scop import scop_of

Address = tuple[object, ...]
Memory = dict[Address, int]


def function_of(module: ModuleOp, name: str | None = None) -> func.FuncOp:
    """The function with a body (of the given name)."""
    return next(
        op
        for op in module.ops
        if isinstance(op, func.FuncOp)
        and op.body.blocks
        and (name is None or op.sym_name.data == name)
    )


def replay(function: func.FuncOp, size: int) -> tuple[Memory, list[int]]:
    """What `function` stores to its arguments and returns; index arguments have value `size`."""
    machine, returned = execute(function, size)
    arguments = len(function.body.blocks[0].args)
    stored = {key: value for key, value in machine.memory.items() if key[0] < arguments}  # type: ignore[operator]
    return stored, returned


def loaded(function: func.FuncOp, size: int) -> set[Address]:
    """The elements that `function` loads: where it was not in the original, there may be none."""
    return execute(function, size)[0].loaded


def execute(function: func.FuncOp, size: int) -> tuple[Machine, list[int]]:
    """The machine that has executed `function`, and what that returned."""
    machine = Machine(size)
    for position, argument in enumerate(function.body.block.args):
        machine.values[argument] = (
            size
            if isinstance(argument.type, IndexType)
            else hash(("argument", position))
            if not isinstance(argument.type, MemRefType)
            else position
        )
    return machine, machine.run_block(function.body.blocks[0])


class Machine:
    def __init__(self, size: int) -> None:
        self.size = size
        self.values: dict[SSAValue, int] = {}
        self.memory: Memory = {}
        self.loaded: set[Address] = set()
        self._allocated = 1000

    def run_block(self, block: Block) -> list[int]:
        """Execute a block; what its terminator yields."""
        for op in block.ops:
            match op:
                case func.ReturnOp() | affine.YieldOp() | scf.YieldOp() | scf.ReduceOp():
                    return self._get(op.operands)
                case _:
                    self._run(op)
        return []

    def _get(self, values: Sequence[SSAValue]) -> list[int]:
        return [self.values[value] for value in values]

    def _set(self, op: Operation, values: Sequence[int]) -> None:
        self.values |= dict(zip(op.results, values, strict=True))

    def _map(self, map: AffineMap, operands: Sequence[SSAValue]) -> list[int]:
        values = self._get(operands)
        return list(map.eval(values[: map.num_dims], values[map.num_dims :]))

    def _run(self, op: Operation) -> None:
        match op:
            case ScopOp():
                self._run_scop(op)
            case affine.ForOp():
                lower = max(self._map(op.lowerBoundMap.data, op.lowerBoundOperands))
                upper = min(self._map(op.upperBoundMap.data, op.upperBoundOperands))
                self._loop(op, range(lower, upper, op.step.value.data), op.inits)
            case scf.ForOp():
                lower, upper, step = self._get([op.lb, op.ub, op.step])
                self._loop(op, range(lower, upper, step), op.iter_args)
            case affine.ParallelOp():
                lower_map, upper_map = op.lowerBoundsMap.data, op.upperBoundsMap.data
                split = lower_map.num_dims + lower_map.num_symbols
                lowers = self._map(lower_map, op.map_operands[:split])
                uppers = self._map(upper_map, op.map_operands[split:])
                steps = [attribute.value.data for attribute in op.steps]
                self._parallel(op, lowers, uppers, steps)
            case scf.ParallelOp():
                bounds = (self._get(v) for v in (op.lowerBound, op.upperBound, op.step))
                self._parallel(op, *bounds)
            case affine.IfOp() | scf.IfOp():
                self._conditional(op)
            case affine.LoadOp():
                self._load(op, self._map(op.map.data, op.indices))
            case memref.LoadOp():
                self._load(op, self._get(op.indices))
            case affine.StoreOp():
                self._store(op, self._map(op.map.data, op.indices))
            case memref.StoreOp():
                self._store(op, self._get(op.indices))
            case memref.AllocOp() | memref.AllocaOp():
                self._allocated += 1
                self._set(op, [self._allocated])
            case memref.GetGlobalOp():
                self._set(op, [-1 - sum(op.name_.root_reference.data.encode())])
            case memref.DeallocOp():
                pass
            case _:
                self._set(op, self._compute(op))

    def _load(self, op: affine.LoadOp | memref.LoadOp, subscripts: Sequence[int]) -> None:
        address = (self.values[op.memref], *subscripts)
        self.loaded.add(address)
        value = self.memory.get(address, hash(("initial", address)))
        self._set(op, [value % 5 if isinstance(op.results[0].type, IndexType) else value])

    def _store(self, op: affine.StoreOp | memref.StoreOp, subscripts: Sequence[int]) -> None:
        self.memory[self.values[op.memref], *subscripts] = self.values[op.value]

    def _loop(
        self, op: affine.ForOp | scf.ForOp, iterations: range, inits: Sequence[SSAValue]
    ) -> None:
        carried = self._get(inits)
        block = op.body.block
        for iteration in iterations:
            self.values |= dict(zip(block.args, [iteration, *carried], strict=True))
            carried = self.run_block(block)
        self._set(op, carried)

    def _parallel(
        self,
        op: affine.ParallelOp | scf.ParallelOp,
        lowers: Sequence[int],
        uppers: Sequence[int],
        steps: Sequence[int],
    ) -> None:
        for iterations in product(*map(range, lowers, uppers, steps)):
            self.values |= dict(zip(op.body.block.args, iterations, strict=True))
            self.run_block(op.body.block)

    def _conditional(self, op: affine.IfOp | scf.IfOp) -> None:
        if isinstance(op, scf.IfOp):
            holds = self.values[op.cond] % 2 == 1
        else:
            condition = op.condition.data
            values = self._get(op.args)
            dims, symbols = values[: condition.num_dims], values[condition.num_dims :]
            holds = all(
                {">=": left >= right, "<=": left <= right, "==": left == right}[kind]
                for kind, left, right in (
                    (c.kind.value, c.lhs.eval(dims, symbols), c.rhs.eval(dims, symbols))
                    for c in condition.constraints
                )
            )
        region = op.regions[0 if holds else 1]
        self._set(op, self.run_block(region.block) if region.blocks else [])

    def _compute(self, op: Operation) -> list[int]:
        operands = self._get(op.operands)
        match op:
            case arith.ConstantOp(value=builtin.IntegerAttr(value=number)):
                return [number.data]
            case memref.DimOp():
                shape = op.source.type.get_shape()  # type: ignore[union-attr]
                extent = shape[operands[1]]
                return [self.size if extent < 0 else extent]
            case affine.ApplyOp():
                return self._map(op.map.data, op.mapOperands)
            case affine.MinOp():
                return [min(self._map(op.map.data, op.arguments))]
            case MaxOp():
                return [max(self._map(op.map.data, op.arguments))]
            case arith.MinSIOp():
                return [min(operands)]
            case arith.MaxSIOp():
                return [max(operands)]
            case arith.CmpiOp() if isinstance(op.lhs.type, IndexType):
                left, right = operands
                outcomes = (
                    left == right,
                    left != right,
                    left < right,
                    left <= right,
                    left > right,
                    left >= right,
                )
                return [int(outcomes[op.predicate.value.data])]
            case arith.AddiOp():
                return [operands[0] + operands[1]]
            case arith.SubiOp():
                return [operands[0] - operands[1]]
            case arith.MuliOp():
                return [operands[0] * operands[1]]
            case arith.FloorDivSIOp():
                return [operands[0] // operands[1]]
            case arith.CeilDivSIOp():
                return [-(-operands[0] // operands[1])]
            case arith.AndIOp():
                return [operands[0] & operands[1]]
            case arith.OrIOp():
                return [operands[0] | operands[1]]
            case arith.IndexCastOp():
                return [operands[0] % 7]
            case _:
                what = str(sorted((k, str(v)) for k, v in op.properties.items()))
                return [hash((op.name, what, *operands)) for _ in op.results]

    def _run_scop(self, op: ScopOp) -> None:
        scop = scop_of(op)
        statements = {statement.sym_name.data: statement for statement in op.statements}
        schedule = scop.schedule.map.intersect_domain(scop.domain)
        for name, value in op.parameter_values.items():
            parameters = isl.Set(f"[{name}] -> {{ : {name} = {self.values[value]} }}")
            schedule = schedule.intersect_params(parameters)
        instances: list[tuple[list[int], str, list[int]]] = []

        def collect(point: isl.Point) -> None:
            wrapped = isl.Set.from_point(point).unwrap()
            instance, time = wrapped.domain(), wrapped.range()
            instances.append(
                (_coordinates(time), instance.get_tuple_name(), _coordinates(instance))
            )

        schedule.wrap().foreach_point(collect)
        instances.sort(key=lambda item: item[0])
        assert len({tuple(time) for time, _, _ in instances}) == len(instances)
        for _, name, iterators in instances:
            self._run_statement(statements[name], iterators)

    def _run_statement(self, statement: StmtOp, iterators: Sequence[int]) -> None:
        block = statement.body.block
        self.values |= dict(zip(block.args, iterators, strict=True))
        self.run_block(block)


def _coordinates(point: isl.Set) -> list[int]:
    sample = point.sample_point()
    count = point.dim(isl.dim_type.set)
    return [
        sample.get_coordinate_val(isl.dim_type.set, position).to_python()
        for position in range(count)
    ]
