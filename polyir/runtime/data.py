"""Generated arguments for a function: sizes, scalars, and arrays that are large enough.

The extents of a dynamic array are those that the function's scops access for the chosen sizes. Data
is pseudo-random from a seed. Square matrices are diagonally dominant, so that factorisations stay
finite.
"""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl
import numpy as np
import numpy.typing as npt
from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from polyir.diagnostics import PolyirError, location_of, nearest
from polyir.isl_lists import maps_of, parameters_of
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind
from polyir.runtime.functions import numpy_type
from polyir.target.abi import ArrayParameter, Parameter, Scalar, ScalarParameter, signature_of

Value = int | float | npt.NDArray[np.generic]


def make_arguments(
    function: FuncOp,
    scops: tuple[Scop, ...],
    sizes: Mapping[str, int],
    default_size: int,
    seed: int = 0,
) -> tuple[Value, ...]:
    """Arguments for `function`, whose raised form holds `scops`.

    `sizes` gives index arguments by name. All others, and extents that nothing determines, are
    `default_size`. Raises `PolyirError` for a name in `sizes` that is not an index argument.
    """
    signature = signature_of(function)
    arguments = dict(zip(function.body.blocks[0].args, signature.parameters, strict=True))
    indices = [p.name for p in signature.parameters if _is_size(p)]
    for name in sizes:
        if name not in indices:
            hint = nearest(name, indices) or f"; known sizes: {', '.join(indices) or 'none'}"
            raise PolyirError(f"no size argument named '{name}'{hint}", location_of(function))
    known: dict[SSAValue, int] = {
        argument: sizes.get(parameter.name, default_size)
        for argument, parameter in arguments.items()
        if _is_size(parameter)
    }
    extents = _accessed_extents(scops, known, default_size)
    generator = np.random.default_rng(seed)
    values: list[Value] = []
    for argument, parameter in arguments.items():
        if isinstance(parameter, ArrayParameter):
            needed = extents.get(argument, (default_size,) * len(parameter.type.extents))
            values.append(_random_array(parameter, needed, generator))
        elif argument in known:
            values.append(known[argument])
        else:
            values.append(_random_number(parameter, generator))
    return tuple(values)


def _is_size(parameter: Parameter) -> bool:
    return isinstance(parameter, ScalarParameter) and parameter.type is Scalar.INT64


def _accessed_extents(
    scops: tuple[Scop, ...], known: Mapping[SSAValue, int], default_size: int
) -> dict[SSAValue, tuple[int, ...]]:
    """The extents that cover all accesses: at least one element in each dimension."""
    extents: dict[SSAValue, tuple[int, ...]] = {}
    for scop in scops:
        sizes = {
            name: _parameter_value(value, known, default_size)
            for name, value in scop.op.parameter_values.items()
        }
        relation = scop.accesses(*AccessKind)
        for part in maps_of(relation):
            array = scop.arrays[part.get_tuple_name(isl.dim_type.out)]
            needed = _bounding_extents(part.range(), sizes, default_size)
            before = extents.get(array, (1,) * len(needed))
            extents[array] = tuple(max(pair) for pair in zip(before, needed, strict=True))
    return extents


def _parameter_value(value: SSAValue, known: Mapping[SSAValue, int], default_size: int) -> int:
    """The value of a size argument, or of a `memref.dim` whose type gives the extent."""
    if value in known:
        return known[value]
    owner = value.owner
    if isinstance(owner, memref.DimOp) and isinstance(owner.source.type, MemRefType):
        index = owner.index.owner
        constant = getattr(index, "value", None)
        if isinstance(constant, IntegerAttr):
            extent = owner.source.type.get_shape()[constant.value.data]
            return default_size if extent < 0 else extent
    return default_size


def _bounding_extents(
    elements: isl.Set, sizes: Mapping[str, int], default_size: int
) -> tuple[int, ...]:
    for position, name in enumerate(parameters_of(elements.get_space())):
        elements = elements.fix_val(isl.dim_type.param, position, isl.Val(sizes[name]))
    extents: list[int] = []
    for position in range(elements.dim(isl.dim_type.set)):
        if elements.is_empty():
            extents.append(1)
        elif not elements.dim_has_upper_bound(isl.dim_type.set, position):
            extents.append(default_size)
        else:
            extents.append(int(elements.dim_max_val(position).to_python()) + 1)
    return tuple(extents)


def _random_array(
    parameter: ArrayParameter, needed: tuple[int, ...], generator: np.random.Generator
) -> npt.NDArray[np.generic]:
    pairs = zip(parameter.type.extents, needed, strict=True)
    shape = tuple(size if extent is None else extent for extent, size in pairs)
    dtype = numpy_type(parameter.type.element)
    if dtype.kind != "f":
        return generator.integers(0, 2 if dtype.kind == "b" else 4, shape).astype(dtype)
    array = generator.uniform(0.1, 1.0, shape)
    if len(shape) == 2 and shape[0] == shape[1]:
        array[np.diag_indices(shape[0])] += shape[0]
    return array.astype(dtype)


def _random_number(parameter: ScalarParameter, generator: np.random.Generator) -> int | float:
    if parameter.type.is_float:
        return float(generator.uniform(0.5, 1.5))
    return int(generator.integers(0, 2))
