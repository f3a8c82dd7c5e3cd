"""AlphaZ's own programs: what is compiled, and what is simplified, gives what the evaluator gives.

They are not part of this repository. POLYIR_ALPHAZ names a folder with `.alpha` files of
github.com/CSU-CS-Melange/alpha-language, at any depth.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import islpy as isl
import pytest
from equation_runs import Arrays, assert_equal, compiled, run
from equation_systems import random_inputs, without_names

from polyir.base.diagnostics import PolyirError
from polyir.equations.checks import check_system
from polyir.equations.element_types import ElementType
from polyir.equations.evaluation import evaluate
from polyir.equations.inlining import inlined
from polyir.equations.ir import module_of, program_of
from polyir.equations.library import library_functions
from polyir.equations.normal_form import normalized
from polyir.equations.simplification.complexity import number_of_operations
from polyir.equations.simplification.options import Options
from polyir.equations.simplification.simplify import simplify_reductions
from polyir.equations.system import Constant, Operation, Program, Reduce, System
from polyir.equations.text import Form, program_text, read_program

FOLDER = os.environ.get("POLYIR_ALPHAZ")
if not FOLDER:
    pytest.skip("POLYIR_ALPHAZ names no folder of AlphaZ's programs", allow_module_level=True)

MOST_OPERATIONS = 20_000
"""What the evaluator computes in a few seconds."""

REFUSED = {
    "FFT_aabft": "has 10 outputs, and 1 are given",
    "reuse.basic.sr_1": "is used outside its domain",
}
"""Files and systems that are not valid, with a part of the reason."""

DEGREES = {
    "simplification.optimal.ex_2d": (2, 1),
    "simplification.optimal.ex_3d": (3, 2),
    "simplification.optimal.ex_4d": (4, 2),
    "reuse.basic.sr_0": (3, 2),
    "prefix_sum": (2, 1),
    "ex1": (3, 2),
    "reduceExample": (3, 2),
}
"""Systems whose operations become as few as the results are, by degree: before and after."""


def _systems() -> Iterator[tuple[str, Program | PolyirError, str]]:
    """For each system its file, what was read, and its name; an error has the file's name."""
    for file in sorted(Path(FOLDER or "").rglob("*.alpha")):
        try:
            program = read_program(file.read_text(), str(file))
        except PolyirError as error:
            yield file.stem, error, file.stem
        else:
            for system in program.systems:
                yield f"{file.stem}:{system.name}", program, system.name


SYSTEMS = list(_systems())


def test_there_are_programs() -> None:
    assert SYSTEMS


@pytest.mark.parametrize(("read", "name"), [each[1:] for each in SYSTEMS], ids=lambda each: "")
def test_nothing_else_is_refused(read: Program | PolyirError, name: str) -> None:
    if isinstance(read, PolyirError):
        errors = [read]
    else:
        (system,) = (each for each in read.systems if each.name == name)
        errors = check_system(system, read)
    assert [error.message for error in errors if error.location is None] == []
    if name in REFUSED:
        assert any(REFUSED[name] in error.message for error in errors)
    else:
        assert errors == []


ACCEPTED = [each for each in SYSTEMS if isinstance(each[1], Program) and each[2] not in REFUSED]
of_accepted = pytest.mark.parametrize(
    ("program", "name"), [each[1:] for each in ACCEPTED], ids=[each[0] for each in ACCEPTED]
)


@of_accepted
@pytest.mark.parametrize("pipeline", ["", "pluto-schedule,allocate-memory"])
@pytest.mark.parametrize("element_type", [ElementType.I64, ElementType.F64])
def test_compiled_is_evaluated(
    program: Program, name: str, element_type: ElementType, pipeline: str
) -> None:
    system = _of_small_parameters(inlined(program, name), program)
    _require_computable(system, element_type)
    function = compiled(system, element_type, pipeline)
    for parameters in _parameters(system):
        inputs, expected = _evaluated(system, parameters, element_type)
        found = run(function, system, parameters, inputs, expected)
        assert_equal(found, expected, str(parameters))


@of_accepted
def test_simplified_is_evaluated(program: Program, name: str) -> None:
    system = _of_small_parameters(inlined(program, name), program)
    _require_computable(system, ElementType.I64)
    simplified = simplify_reductions(system, Options(is_integer=True))
    print(f"degree {simplified.before} before, {simplified.after} after")
    assert simplified.after <= simplified.before
    if name in DEGREES:
        assert (simplified.before, simplified.after) == DEGREES[name]
    after = simplified.system
    assert check_system(after, Program((after,))) == []
    function = compiled(after, ElementType.I64)
    for parameters in _parameters(system):
        inputs, expected = _evaluated(system, parameters, ElementType.I64)
        found = evaluate(after, parameters, inputs, ElementType.I64).outputs
        assert_equal(found, expected, f"evaluated, {parameters}")
        found = run(function, after, parameters, inputs, expected)
        assert_equal(found, expected, f"compiled, {parameters}")


@of_accepted
def test_normal_form_is_evaluated(program: Program, name: str) -> None:
    system = _of_small_parameters(inlined(program, name), program)
    after = normalized(system)
    assert check_system(after, program) == []
    for parameters in _parameters(system):
        inputs, expected = _evaluated(system, parameters, ElementType.F64)
        found = evaluate(after, parameters, inputs, ElementType.F64).outputs
        assert_equal(found, expected, str(parameters))


@of_accepted
@pytest.mark.parametrize("form", Form)
def test_printed_is_read(program: Program, name: str, form: Form) -> None:
    printed = program_text(program, form)
    assert without_names(read_program(printed)) == without_names(program)
    module = module_of(program)
    module.verify()
    assert program_of(module) == program


def _require_computable(system: System, element_type: ElementType) -> None:
    known = library_functions(element_type)
    for equation in system.body.equations:
        for each in equation.expression.walk():
            is_external = isinstance(each, Operation | Reduce) and each.is_external
            if is_external and each.operator not in known:
                pytest.skip(f"has the external function '{each.operator}'")
            is_fraction = isinstance(each, Constant) and isinstance(each.value, float)
            if is_fraction and element_type.is_integer:
                pytest.skip("has fractions")


def _of_small_parameters(system: System, program: Program) -> System:
    """The system for all parameters from 2 on, if its own are too large for the evaluator."""
    if number_of_operations(system, next(_parameters(system))) <= MOST_OPERATIONS:
        return system
    bounds = " and ".join(f"{name} >= 2" for name in system.parameters)
    context = isl.Set(f"[{', '.join(system.parameters)}] -> {{ : {bounds} }}")
    declarations = tuple(
        replace(each, domain=_widened(each.domain, context, system)) for each in system.declarations
    )
    body = replace(system.body, context=context)
    wider = replace(system, context=context, declarations=declarations, bodies=(body,))
    assert check_system(wider, program) == []
    return wider


def _widened(domain: isl.Set, context: isl.Set, system: System) -> isl.Set:
    """The domain without what follows from the system's context, for the parameters of another."""
    return domain.gist_params(system.context).intersect_params(context)


def _parameters(system: System) -> Iterator[Mapping[str, int]]:
    """The least parameters, and some that are a little larger and different from each other."""
    context = system.context.intersect(system.body.context)
    least = _least(context, system)
    yield least
    bounds = " and ".join(
        f"{name} >= {least[name] + more}" for more, name in enumerate(system.parameters, start=1)
    )
    yield _least(context.intersect(isl.Set(f"[{', '.join(least)}] -> {{ : {bounds} }}")), system)


def _least(context: isl.Set, system: System) -> dict[str, int]:
    count = len(system.parameters)
    points = isl.Set.from_params(context).add_dims(isl.dim_type.set, count)
    for place in range(count):
        points = points.equate(isl.dim_type.set, place, isl.dim_type.param, place)
    values = points.project_out(isl.dim_type.param, 0, count).lexmin().sample_point()
    numbers = (
        int(values.get_coordinate_val(isl.dim_type.set, place).to_python())
        for place in range(count)
    )
    return dict(zip(system.parameters, numbers, strict=True))


def _evaluated(
    system: System, parameters: Mapping[str, int], element_type: ElementType
) -> tuple[Arrays, Arrays]:
    """Random inputs, by which no integer is divided by 0, and the outputs for them."""
    for seed in range(20):
        inputs = random_inputs(system, dict(parameters), element_type, seed)
        try:
            return inputs, evaluate(system, parameters, inputs, element_type).outputs
        except PolyirError as error:
            if "division" not in error.message:
                raise
    pytest.fail("an integer was divided by 0, whatever the inputs were")
