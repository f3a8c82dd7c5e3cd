"""Generated arguments for a function: sizes, scalars, and arrays that are large enough.

Sizes are within the context (`polyir.model.requirements`), as near to the default as that allows.
The extents of a dynamic array are those that the function's scops access for the chosen sizes. Data
is pseudo-random from a seed. Square matrices are diagonally dominant, so that factorisations stay
finite.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl
import numpy as np
import numpy.typing as npt
from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import PolyirError, location_of, missed, nearest
from polyir.dialects.expected_sizes import SIZE, expected_extents, expected_number
from polyir.model.arguments import Source, source_of
from polyir.model.requirements import Requirement, requirements_of
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind
from polyir.runtime.functions import numpy_type
from polyir.sets.boxes import greatest_of
from polyir.sets.lists import maps_of, parameters_of
from polyir.sets.maps import at_sizes, nearest_value, values_of_parameter
from polyir.target.abi import (
    ArrayParameter,
    Parameter,
    Scalar,
    ScalarParameter,
    extent_name,
    signature_of,
)

Value = int | float | npt.NDArray[np.generic]


def make_arguments(
    function: FuncOp,
    scops: tuple[Scop, ...],
    sizes: Mapping[str, int],
    default_size: int,
    seed: int = 0,
) -> tuple[Value, ...]:
    """Arguments for `function`, whose raised form holds `scops`.

    `sizes` gives index arguments by name. All others are what is expected of them
    (`polyir.dialects.expected_sizes`) or else, as extents that nothing determines, `default_size`;
    or what is nearest to that in the context, and a warning says so. Raises `PolyirError` for a
    name in `sizes` that is not an index argument, and for sizes outside the context.
    """
    signature = signature_of(function)
    names = [parameter.name for parameter in signature.parameters]
    indices = [names[n] for n, each in enumerate(signature.parameters) if _is_size(each)]
    for name in sizes:
        if name not in indices:
            hint = nearest(name, indices) or f"; known sizes: {', '.join(indices) or 'none'}"
            raise PolyirError(
                f"no size argument named '{name}'{hint}", location_of(function), name="sizes"
            )
    wanted = [Source(n) for n, each in enumerate(signature.parameters) if _is_size(each)]
    wanted += [source for source in _parameter_sources(scops) if source not in wanted]
    given = {
        source: sizes[_name(names, source)] for source in wanted if _name(names, source) in sizes
    }
    holders = {scop.op.function for scop in scops}
    requirements = [each for op in holders if op is not None for each in requirements_of(op)]
    preferred = {each: _expected(function, each) or default_size for each in wanted}
    known = _sizes_in_context(function, requirements, names, preferred, given)
    extents = _accessed_extents(scops, known, default_size)
    generator = np.random.default_rng(seed)
    values: list[Value] = []
    for position, parameter in enumerate(signature.parameters):
        if isinstance(parameter, ArrayParameter):
            needed = extents.get(position, (default_size,) * len(parameter.type.extents))
            values.append(_random_array(parameter, needed, generator))
        elif Source(position) in known:
            values.append(known[Source(position)])
        else:
            values.append(_random_number(parameter, generator))
    return tuple(values)


def _name(names: Sequence[str], source: Source) -> str:
    name = names[source.argument]
    return name if source.dimension is None else extent_name(name, source.dimension)


def _expected(function: FuncOp, source: Source) -> int | None:
    """What is expected of a size, or nothing."""
    argument = function.body.block.args[source.argument]
    if source.dimension is None:
        return expected_number(argument, SIZE)
    extents = expected_extents(argument)
    return extents[source.dimension] if extents else None


def _parameter_sources(scops: Sequence[Scop]) -> list[Source]:
    """Where the parameters of `scops` come from, those that a caller chooses."""
    values = (value for scop in scops for value in scop.op.parameters)
    return [source for value in values if (source := source_of(value)) is not None]


def _sizes_in_context(
    function: FuncOp,
    requirements: Sequence[Requirement],
    names: Sequence[str],
    preferred: Mapping[Source, int],
    given: Mapping[Source, int],
) -> dict[Source, int]:
    """A value for each number: as given, or in the context and near the `preferred` one.

    Raises `PolyirError` if the values given are outside the context.
    """
    context = _context(requirements, names, tuple(preferred))
    left = at_sizes(context, {_name(names, source): value for source, value in given.items()})
    if left.is_empty():
        shown = ", ".join(f"{_name(names, source)} = {value}" for source, value in given.items())
        what = f"{shown} {'is' if len(given) == 1 else 'are'} outside the context" if given else ""
        message = f"{what or 'no size is in the context'} {context}"
        raise PolyirError(message, location_of(function), name="sizes")
    for source in preferred:
        left = _preferably_positive(left, _name(names, source))
    chosen = dict(given)
    for source, size in preferred.items():
        if source in given:
            continue
        name = _name(names, source)
        chosen[source] = nearest_value(values_of_parameter(left, name), size)
        left = at_sizes(left, {name: chosen[source]})
        if chosen[source] != size:
            note = f"{name} is {chosen[source]}: {size} is outside the context {context}"
            missed("polyir-run", note, function, name="sizes")
    return chosen


def _context(
    requirements: Sequence[Requirement], names: Sequence[str], wanted: Sequence[Source]
) -> isl.Set:
    """The values of `wanted` that meet the requirements, for arrays of the right extents."""
    context = isl.Set("{ : }")
    for requirement in requirements:
        excluded = requirement.excluded
        for position, source in enumerate(requirement.sources):
            name = _name(names, source)
            excluded = excluded.set_dim_name(isl.dim_type.param, position, name)
        context = context.subtract(excluded)
    kept = {_name(names, source) for source in wanted}
    for name in parameters_of(context.get_space()):
        if name not in kept:
            position = context.find_dim_by_name(isl.dim_type.param, name)
            context = context.project_out(isl.dim_type.param, position, 1)
    return context.coalesce()


def _preferably_positive(points: isl.Set, name: str) -> isl.Set:
    """The points where a parameter is at least 1, if there are any: others give empty loops."""
    position = points.find_dim_by_name(isl.dim_type.param, name)
    if position < 0:
        return points
    positive = points.lower_bound_val(isl.dim_type.param, position, isl.Val(1))
    return points if positive.is_empty() else positive


def _is_size(parameter: Parameter) -> bool:
    return isinstance(parameter, ScalarParameter) and parameter.type is Scalar.INT64


def _accessed_extents(
    scops: Sequence[Scop], known: Mapping[Source, int], default_size: int
) -> dict[int, tuple[int, ...]]:
    """The extents of array arguments that cover all accesses: at least 1 in each dimension."""
    extents: dict[int, tuple[int, ...]] = {}
    for scop in scops:
        sizes: dict[str, int] = {}
        for name, value in scop.op.parameter_values.items():
            source = source_of(value)
            sizes[name] = default_size if source is None else known[source]
        for part in maps_of(scop.accesses(*AccessKind)):
            array = source_of(scop.arrays[part.get_tuple_name(isl.dim_type.out)])
            if array is None:
                continue
            needed = _bounding_extents(part.range(), sizes, default_size)
            before = extents.get(array.argument, (1,) * len(needed))
            extents[array.argument] = tuple(max(pair) for pair in zip(before, needed, strict=True))
    for source, chosen in known.items():
        if source.dimension is not None and source.argument in extents:
            needed = extents[source.argument]
            extents[source.argument] = tuple(
                chosen if n == source.dimension else each for n, each in enumerate(needed)
            )
    return extents


def _bounding_extents(
    elements: isl.Set, sizes: Mapping[str, int], default_size: int
) -> tuple[int, ...]:
    elements = at_sizes(elements, sizes)
    extents: list[int] = []
    for position in range(elements.dim(isl.dim_type.set)):
        last = greatest_of(elements, position)
        if elements.is_empty():
            extents.append(1)
        else:
            extents.append(default_size if last is None else last + 1)
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
