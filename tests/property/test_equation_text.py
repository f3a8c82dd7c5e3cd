"""What is printed is read as the same program, in both forms; no text ends in a traceback."""

from __future__ import annotations

from pathlib import Path
from random import Random

import islpy as isl
import pytest
from equation_systems import without_names
from hypothesis import given, settings
from hypothesis import strategies as st

from polyir.base.diagnostics import PolyirError
from polyir.equations.checks import check_program
from polyir.equations.system import (
    AutoRestrict,
    Body,
    Case,
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    If,
    Index,
    Operation,
    Polynomial,
    Program,
    Reduce,
    Restrict,
    Role,
    System,
    Use,
    Variable,
)
from polyir.equations.text import Form, program_text, read_program

ROOT = Path(__file__).parents[2]
PARAMETERS = "[N, M]"
NAMES = ("i", "j", "k", "l", "m", "n", "p", "q", "r", "s", "t")
VARIABLES = ("A", "let", "'B-1'", "C_", "when")
EXTERNALS = {"f": 1, "tools.near": 2, "tools.deep.g": 3}

CONDITIONS = ("", "{0} >= 0", "0 <= {0} < N", "{0} mod 2 = 0", "{0} = M or {0} > 2N", "{0} = 3")
VALUES = ("{0}", "{0} + 1", "N - {0}", "2*{0} - M", "floor(({0} + N)/3)", "-{0}", "0", "M + 4")


def names_of(count: int) -> str:
    return ", ".join(NAMES[:count])


@st.composite
def domains(draw: st.DrawFn, count: int) -> isl.Set:
    """Sets of so many dimensions; with none, of parameters."""
    about = NAMES[:count] or ("N",)
    parts = [draw(st.sampled_from(CONDITIONS)).format(name) for name in about]
    condition = " and ".join(f"({part})" for part in parts if part)
    return isl.Set(f"{PARAMETERS} -> {{ [{names_of(count)}] : {condition} }}")


@st.composite
def functions(draw: st.DrawFn, count: int, results: int) -> isl.MultiAff:
    about = NAMES[:count] or ("N",)
    values = [
        draw(st.sampled_from(VALUES)).format(draw(st.sampled_from(about))) for _ in range(results)
    ]
    text = f"{PARAMETERS} -> {{ [{names_of(count)}] -> [{', '.join(values)}] }}"
    return isl.MultiAff(text)


@st.composite
def polynomials(draw: st.DrawFn, count: int) -> isl.PwQPolynomial:
    about = draw(st.sampled_from(NAMES[:count] or ("N",)))
    power = draw(st.integers(1, 3))
    body = f"(1/2*{about}^{power} + N*{about} - floor({about}/2)*M)"
    condition = draw(st.sampled_from(("", f" : {about} > 0", f" : {about} > 0 or {about} < -M")))
    return isl.PwQPolynomial(f"{PARAMETERS} -> {{ [{names_of(count)}] -> {body}{condition} }}")


def constants() -> st.SearchStrategy[Constant]:
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    return (st.booleans() | st.integers(-99, 99) | numbers).map(Constant)


@st.composite
def expressions(draw: st.DrawFn, count: int, depth: int) -> Expression:
    """Expressions at points of so many dimensions. Not all have a meaning."""
    leaves = ("constant", "variable", "index", "polynomial")
    inner = ("dependence", "restrict", "case", "if", "reduce", "unary", "binary", "operation")
    kind = draw(st.sampled_from((*leaves, *inner, "call") if depth else leaves))

    def some(dimensions: int = count) -> Expression:
        return draw(expressions(dimensions, depth - 1))

    def several(fewest: int, most: int) -> tuple[Expression, ...]:
        return tuple(some() for _ in range(draw(st.integers(fewest, most))))

    match kind:
        case "constant":
            return draw(constants())
        case "variable":
            return Variable(draw(st.sampled_from(VARIABLES)))
        case "index":
            return Index(draw(functions(count, 1)).get_at(0))
        case "polynomial":
            return Polynomial(draw(polynomials(count)))
        case "dependence":
            results = draw(st.integers(0, 3))
            return Dependence(some(results), draw(functions(count, results)))
        case "restrict":
            return Restrict(some(), draw(domains(count)))
        case "case":
            branches = several(1, 3)
            if draw(st.booleans()):
                branches = (*branches, AutoRestrict(some()))
            return Case(branches, draw(st.sampled_from((None, "both", "auto"))))
        case "if":
            return If((some(), some(), some()))
        case "reduce":
            more = count + draw(st.integers(0, 2))
            kept = names_of(count)
            projection = isl.MultiAff(f"{PARAMETERS} -> {{ [{names_of(more)}] -> [{kept}] }}")
            if draw(st.booleans()):
                projection = draw(functions(more, count))
            body = some(more)
            if draw(st.booleans()):
                return Reduce(body, "tools.near", projection, is_external=True)
            return Reduce(body, draw(st.sampled_from(("+", "*", "min", "or", "xor"))), projection)
        case "unary":
            return Operation((some(),), draw(st.sampled_from(("-", "not"))))
        case "binary":
            both = (some(), some())
            return Operation(both, draw(st.sampled_from(("-", "/", "+", "<", "=", "!=", "and"))))
        case "operation":
            parts = several(1, 4)
            return Operation(parts, draw(st.sampled_from(("+", "*", "min", "max", "and", "or"))))
    name, arity = draw(st.sampled_from(sorted(EXTERNALS.items())))
    return Operation(tuple(some() for _ in range(arity)), name, is_external=True)


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A system of one input, output and local, and one that uses it."""
    context = isl.Set(f"{PARAMETERS} -> {{ : N > 0 }}")
    roles = dict(zip(VARIABLES, (Role.INPUT, Role.OUTPUT, *[Role.LOCAL] * 3), strict=True))
    counts = {name: draw(st.integers(0, 2)) for name in VARIABLES}
    declarations = tuple(
        Declaration(name, draw(domains(counts[name])), role) for name, role in roles.items()
    )
    equations = tuple(
        Equation(name, draw(expressions(counts[name], 3)), None) for name in VARIABLES[1:]
    )
    split = draw(st.booleans())
    first = context.intersect(isl.Set(f"{PARAMETERS} -> {{ : M > 3 }}")) if split else context
    bodies = [Body(first, equations)]
    if split:
        bodies.append(Body(context.subtract(first), equations[:1]))
    used = System("tools.used", ("N", "M"), context, declarations, tuple(bodies))
    over = draw(st.integers(0, 2))
    use = Use(
        "tools.used",
        draw(domains(over)),
        draw(functions(over, 2)),
        (draw(expressions(over + counts["A"], 1)),),
        (draw(expressions(over + counts["let"], 1)),),
    )
    user = System("user", ("N", "M"), context, declarations, (Body(context, (), (use,)),))
    return Program((used, user), EXTERNALS)


@settings(deadline=None)
@given(programs())
@pytest.mark.parametrize("form", list(Form))
def test_what_is_printed_is_read_as_the_same(form: Form, program: Program) -> None:
    text = program_text(program, form)
    assert without_names(read_program(text)) == program, text


def texts() -> list[str]:
    examples = sorted((ROOT / "examples" / "equations").glob("*.alpha"))
    tests = sorted((ROOT / "tests" / "filecheck" / "equations" / "text").glob("*.alpha"))
    return [path.read_text() for path in [*examples, *tests]]


PIECES = (
    *"()[]{}:;,.@=+-*/<>^'",
    *("->", "[[", "0", "7", "99999999999999999999", "1e999", "i", "N", "{}", "{:}", "case", "auto"),
    *("reduce", "let", "when", "over", "with", "val", "if", "fuzzy", "/*", "//", "\n", "é", "\0"),
)


def mutated(text: str, random: Random) -> str:
    """The text after a few deletions, insertions, exchanges and copies."""
    for _ in range(random.randint(1, 4)):
        start = random.randrange(len(text) + 1)
        end = min(len(text), start + random.choice((0, 1, 1, 3, 20)))
        other = random.randrange(len(text) + 1)
        new = random.choice((*PIECES, "", "", text[other : other + 8]))
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize("seed", range(300))
def test_mutated_texts_are_read_or_refused_with_a_place(seed: int) -> None:
    random = Random(seed)
    text = mutated(random.choice(texts()), random)
    refused: PolyirError | None = None
    try:
        program = read_program(text, "mutated")
    except PolyirError as error:
        refused = error
    if refused is not None:
        assert refused.location is not None, refused
        assert refused.location.file == "mutated"
        assert "\n" not in refused.message
        return
    for error in check_program(program):
        assert error.location is not None, error
    for form in Form:
        printed = program_text(program, form)
        assert without_names(read_program(printed)) == without_names(program), printed
