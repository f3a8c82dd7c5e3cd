"""Systems of equations as modules, and back."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from equation_systems import random_system
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.equations.ir import module_of, program_of, replace_program
from polyir.equations.reading import alpha_module
from polyir.equations.system import (
    Body,
    Constant,
    Equation,
    Expression,
    Operation,
    Program,
    System,
    Use,
    Variable,
)
from polyir.equations.text import read_program
from polyir.frontend.parse import parse_module
from polyir.universe import new_context

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "equations").glob("*.alpha"))

USES = """
external f(2)
affine total [M] -> {: M > 0}
  inputs
    A : {[i] : 0 <= i < M}
  outputs
    S : {}
  let
    S = reduce(f, (i ->), A);
.
affine rows [N] -> {: N > 0}
  inputs
    B : {[i, j] : 0 <= i < N and 0 <= j < N}
  outputs
    T : {[i] : 0 <= i < N}
  when {: N > 5} let
    over {[r] : 0 <= r < N} : (T) = total[N](B);
  when {: N <= 5} let
    T = f(1, 2.5);
.
"""


def printed(module: ModuleOp, **options: bool) -> str:
    """The text of a module, by xDSL's printer."""
    stream = StringIO()
    Printer(stream=stream, **options).print_op(module)
    return stream.getvalue()


def locations(program: Program) -> list[SourceLocation | None]:
    """The places of all that has one, in order."""
    return list(_locations(program))


def _locations(program: Program) -> Iterator[SourceLocation | None]:
    for system in program.systems:
        yield system.location
        yield from (each.location for each in system.declarations)
        for body in system.bodies:
            for equation in body.equations:
                yield equation.location
                yield from (each.location for each in equation.expression.walk())
            for use in body.uses:
                yield use.location
                for expression in (*use.inputs, *use.outputs):
                    yield from (each.location for each in expression.walk())


@pytest.mark.parametrize("seed", range(40))
def test_random_systems_come_back(seed: int) -> None:
    program = Program((random_system(seed),), {"f": 2})
    module = module_of(program)
    module.verify()
    assert program_of(module) == program
    text = printed(module, print_generic_format=seed % 2 == 1)
    again = parse_module(text, "again.mlir", new_context())
    assert program_of(again) == program


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_come_back_with_their_places(file: Path) -> None:
    program = read_program(file.read_text(), str(file))
    module = module_of(program)
    module.verify()
    text = printed(module, print_debuginfo=True)
    again = program_of(parse_module(text, "again.mlir", new_context()))
    assert again == program
    assert locations(again) == locations(program)
    assert None not in locations(again)


def test_uses_and_external_functions_come_back() -> None:
    program = read_program(USES, "uses.alpha")
    module = alpha_module(USES, "uses.alpha")
    assert program_of(module) == program
    assert program.externals == {"f": 2}
    again = program_of(parse_module(printed(module), "again.mlir", new_context()))
    assert again == program


def test_lines_of_a_part_are_those_of_the_file() -> None:
    program = program_of(alpha_module(USES.lstrip(), "uses.alpha", line_offset=10))
    assert program.systems[0].location == SourceLocation("uses.alpha", 12, 8)


def with_expression(expression: Expression) -> System:
    (declaration,) = (each for each in random_system(1).declarations if each.name == "X0")
    system = random_system(1)
    equation = Equation("X0", expression)
    body = Body(system.context, (equation,))
    return System("s", system.parameters, system.context, (declaration,), (body,))


def test_an_expression_in_two_places_is_one_value() -> None:
    shared = Operation((Constant(1), Constant(2)), "+")
    program = Program((with_expression(Operation((shared, shared), "*")),))
    module = module_of(program)
    assert printed(module).count("equations.apply") == 2
    assert program_of(module) == program


def test_a_module_keeps_what_is_no_equation() -> None:
    text = "func.func @kept() {\n  return\n}\nequations.external @f arguments 1"
    module = parse_module(text, "kept.mlir", new_context())
    replace_program(module, Program((), {"g": 3}))
    assert "@kept" in printed(module)
    assert program_of(module) == Program((), {"g": 3})


def test_what_is_not_declared_is_an_error() -> None:
    system = with_expression(Constant(1))
    wrong = Body(system.context, (Equation("Y", Constant(1)),))
    with pytest.raises(PolyirError, match="defines 'Y', which is not declared"):
        module_of(Program((System("s", ("N",), system.context, (), (wrong,)),)))
    domain = system.variables["X0"].domain
    use = Use("t", domain, None, (), (Variable("X0"),))  # type: ignore[arg-type]
    wrong = Body(system.context, (), (use,))
    with pytest.raises(PolyirError, match="the system 't' is unknown"):
        module_of(Program((System("s", ("N",), system.context, (), (wrong,)),)))
