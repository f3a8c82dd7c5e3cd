"""Reading, checking, merging and inlining systems of equations: what no printed text shows."""

from __future__ import annotations

import io
from itertools import product
from pathlib import Path

import islpy as isl
import pytest

from polyir.base.diagnostics import InputSyntaxError, PolyirError
from polyir.equations.checks import check_program
from polyir.equations.cycles import cycles, direct_dependences
from polyir.equations.inlining import inlined, merged_bodies
from polyir.equations.polynomials import pulled_back
from polyir.equations.system import Constant, Dependence, Program, Restrict, Variable
from polyir.equations.text import Form, program_text, read_program
from polyir.equations.text import source as source_text
from polyir.tools.polyir_alpha import main


def program(text: str) -> Program:
    return read_program(text, "test.alpha")


def body(expression: str, more: str = "") -> str:
    return f"""
affine s [N] -> {{: N > 0}}
    inputs A : [N, N] as [i, j]
    outputs Y : [N]
    {more}
    let Y[i] = {expression};
.
"""


def test_an_identity_and_a_constant_are_read_as_they_are_written() -> None:
    (system,) = program(body("{: i = 0} : 3[]")).systems
    expression = system.body.equations[0].expression
    assert isinstance(expression, Restrict)
    function = isl.MultiAff("[N] -> { [i] -> [] }")
    assert expression.operand == Dependence(Constant(3), function)
    assert expression.operand != Dependence(Variable("A"), function)
    assert expression.domain == isl.Set("[N] -> { [i] : i = 0 }")
    location = expression.operand.location
    assert location is not None
    assert (location.line, location.column) == (6, 28)


def test_a_name_stays_with_its_value_behind_a_function() -> None:
    first = program(body("(i -> 0, i)@(A[i0, i])"))
    second = program(body("(i -> 0, i)@((a, b -> a, b)@A)"))
    assert first == second


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (body("A[i, k]"), (6, 21), "'k' is neither a parameter nor a dimension here"),
        (body("A[i, i*i]"), (6, 17), "isl does not read '[i, i*i]'"),
        (body("reduce(+, [i], A[i, i])"), (6, 26), "two dimensions are called 'i'"),
        (
            body("reduce(+, [N], A[i, i])"),
            (6, 27),
            "'N' is a parameter, not a name for a dimension",
        ),
        (
            body("reduce(+, [mod], A[i, i])"),
            (6, 27),
            "'mod' is a word of isl's notation, not a name",
        ),
        (body("reduce(+, [Max], A[i, i])"), (6, 27), "'Max' is a word of isl's notation"),
        (body("h(A[i, i])"), (6, 16), "there is no external function 'h'"),
        (body("val[i, i]"), (6, 16), "'val' is one value, and this function has 2"),
        (body("[[i]]"), (6, 16), "indirect accesses ([[...]]) are not supported"),
        (body("argreduce(max, [k], A[i, k])"), (6, 16), "argreduce is not supported"),
        (body("conv(C, A, A)"), (6, 21), "'C' is not defined"),
        (body("conv((i -> i), A, A)"), (6, 21), "a set is needed here, and this is a function"),
        (body("conv({[i] : i > 0}, A[i, i], 1)"), (6, 21), "two dimensions are called 'i'"),
        (body("select [N] from A"), (6, 23), "a relation is needed here, and this is a set"),
        (body("select {[a, b] -> [a] : } from 1"), (6, 23), "this relation is from 2 dimensions"),
        (body("select {[a] -> [b] : b > a} from 1"), (6, 23), "leads from one point to several"),
        (body("{: i === 2} : 1"), (6, 16), "isl does not read '{: i === 2}'"),
        (body("A[i, i]", "locals fuzzy B : [N] -> [N]"), (5, 12), "indirect accesses (fuzzy"),
        (body("A[i, i]", "over [N] while (Y)"), (5, 5), "systems that are repeated until"),
        (body("A[i, i]", "locals A : [N]"), (5, 12), "there is already a 'A' in this system"),
        (body("A[i, i]", "locals B : {C}"), (5, 17), "there is no variable 'C'"),
        (body("A[i, i]", "locals B : C"), (5, 16), "'C' is not defined"),
        (body("A[i, i]", "locals B : {C} C : {B}"), (5, 17), "is defined by itself"),
        (body("A[i, i]", "locals B : [N] @ [N]"), (5, 16), "'@' cannot be applied to a set and a"),
        (body("A[i, i]", "locals B : [N] + [N, N]"), (5, 16), "'+' needs operands of the same"),
        (body("A[i, i]", "locals B : domain [N]"), (5, 16), "'domain' cannot be applied to a set"),
        (body("A[i, i]", "locals B : (i -> i)"), (5, 16), "a set is needed here, and this is a f"),
        (body("A[i, i]", "locals B : [N] as [i, j]"), (5, 23), "there are 1 bound and 2 names"),
        (
            body("{[i] : q > 0} : A[i, i]"),
            (6, 23),
            "'q' is neither a parameter nor a dimension here",
        ),
        (
            body("{[i]: i > 0; [j]: j > q} : 1"),
            (6, 38),
            "'q' is neither a parameter nor a dimension",
        ),
        (body("{[i] : i > } : A[i, i]"), (6, 16), "isl does not read '{[i] : i > }'"),
        (body("1e9999"), (6, 16), "this number is too large"),
        (body("9" * 2000), (6, 16), "this number is too large"),
        (body("case { }"), (6, 23), "unexpected '}', expected"),
        (body("auto"), (6, 20), "unexpected ';', expected ':'"),
        ("affine s", (1, 9), "unexpected end of the file"),
        ("affine let [N] -> {:} .", (1, 8), "'let' is a keyword; as a name, it is written '^let'"),
        ("affine s [N] -> {[i]:} .", (1, 17), "conditions on parameters are needed here"),
        ("affine s {:} let Z[i] = 3; .", (1, 18), "there is no variable 'Z'"),
        ("affine s {:} let () = t[](); .", (1, 23), "there is no system 't'"),
        ("affine s {:} let () = s[3](); .", (1, 24), "'s' has 0 parameters, and 1 are given"),
        ("external f(1) external f(2)", (1, 24), "there is already a 'f'"),
        ("package p { constant a = 1 constant a = 2 }", (1, 37), "there is already a 'p.a'"),
    ],
)
def test_refused_texts(text: str, place: tuple[int, int], message: str) -> None:
    with pytest.raises(InputSyntaxError) as refused:
        program(text)
    assert message in refused.value.message
    location = refused.value.location
    assert location is not None
    assert (location.line, location.column) == place
    assert refused.value.source_line == text.split("\n")[place[0] - 1]


def test_a_parser_from_the_cache_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = []
    for files in (0, 1):
        source_text._parser.cache_clear()
        assert len(list(tmp_path.rglob("alpha-*.tables"))) == files
        with pytest.raises(InputSyntaxError) as refused:
            program(body("A[i, i] )"))
        found.append((program(USED), refused.value.render()))
    assert found[0] == found[1]
    assert ":6:24: error: unexpected ')', expected" in found[0][1]


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(PolyirError, match="nested too deeply"):
        program(body("-(" * 5000 + "A[i, i]" + ")" * 5000))


USED = """
affine total [M] -> {: M > 0}
    inputs X : [M]
    outputs s, t : {}
    when {: M > 2} let
        s = reduce(+, [i], X[i] * val[i + M] * val{i^2 + M*floor(i/2)});
        t = 0;
    else let
        s = X[0];
        t = s;
.
affine rows [N] -> {: N > 0}
    inputs A : [N, N]
    outputs Y, Z : [N]
    let over [N] as [k] with [i] : (Y[k], Z[k]) = total[k + 1](A[k, i]);
.
"""


def test_merged_bodies_have_the_context_of_the_system() -> None:
    used, _ = program(USED).systems
    merged = merged_bodies(used)
    assert merged.body.context == used.context
    text = program_text(Program((merged,)), Form.ARRAY)
    assert "s = case {" in text
    assert "{ : 0 < M <= 2 } : X[0];" in text
    assert check_program(Program((merged,))) == []


SHIPPED = [
    file
    for folder in ("examples/equations", "benchmarks/equations")
    for file in sorted((Path(__file__).parents[2] / folder).glob("*.alpha"))
]


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: f"{file.parent.parent.name}-{file.stem}")
def test_what_is_shipped_is_right(file: Path) -> None:
    """Red-black relaxation has no schedule in which a variable has one function."""
    assert check_program(read_program(file.read_text(), str(file))) == []


def test_instances_have_the_dimensions_of_their_domain_first() -> None:
    source = program(USED)
    assert check_program(source) == []
    system = inlined(source, "rows")
    assert check_program(Program((system,))) == []
    assert system.variables["total0_X"].domain == isl.Set(
        "[N] -> { [k, i] : 0 <= k < N and 0 <= i <= k }"
    )
    text = program_text(Program((system,)), Form.ARRAY)
    assert "{ : 2 <= k < N } : reduce(+, [i1], total0_X[k, i1] * val[k + i1 + 1]" in text
    assert "Y[i0] = total0_s;" in text


def test_names_of_copies_are_read_again() -> None:
    source = program(
        "affine 'a-b' [M] -> {: M > 0} inputs 'x-y' : [M] outputs z : [M] let z[i] = 'x-y'[i]; ."
        "affine s [N] -> {: N > 0} inputs A : [N] outputs 'y-z', a_b0_z : [N]"
        " when {: N > 3} let ('y-z') = 'a-b'[N](A); a_b0_z = A; else let 'y-z' = A; a_b0_z = A; ."
    )
    system = inlined(source, "s")
    names = ["A", "'y-z'", "a_b0_z", "y_z", "a_b0_x_y", "a_b0_z_0"]
    assert list(system.variables) == names
    for form in Form:
        (read,) = read_program(program_text(Program((system,)), form)).systems
        assert list(read.variables) == names


def test_a_system_that_uses_itself_is_not_inlined() -> None:
    source = program(
        "affine s [N] -> {: N > 0} inputs A : {} outputs Y : {}"
        " when {: N = 1} let Y = A; else let (Y) = s[N - 1](A); ."
    )
    assert check_program(source) == []
    with pytest.raises(PolyirError, match="a system cannot use itself: 's' uses 's'"):
        inlined(source, "s")


def test_polynomials_are_pulled_back_exactly() -> None:
    polynomial = isl.PwQPolynomial(
        "[N] -> { [i, j] -> (i^2 * j + N * floor(i/3) + 1/2 * j) : i > j; [i, j] -> 7 : i < j }"
    )
    function = isl.MultiAff("[N] -> { [a] -> [2a + N, floor(a/2) - 1] }")
    composed = pulled_back(polynomial, function)
    for parameter, a in product((0, 3), range(-4, 5)):
        point = isl.Set(f"[N] -> {{ [{a}] : N = {parameter} }}")
        at = point.sample_point()
        image = point.apply(isl.Map.from_multi_aff(function)).sample_point()
        assert composed.eval(at).eq(polynomial.eval(image)), (parameter, a)


def test_the_lattices_of_a_stencil_depend_on_each_other() -> None:
    (system,) = program(
        "affine s [N] -> {: N > 0} inputs A : [N] outputs X : [N]"
        " let X[i] = case { {: i mod 2 = 0} : A[i]; auto : X[i - 1] + reduce(+, [k],"
        " {: k < i and k mod 2 = 0} : X[k]); }; ."
    ).systems
    found = [(each.user, each.used, each.relation) for each in direct_dependences(system)]
    assert [(user, used) for user, used, _ in found] == [("X", "A"), ("X", "X"), ("X", "X")]
    assert found[1][2] == isl.Map("[N] -> { [i] -> [i - 1] : 0 < i < N and i mod 2 = 1 }")
    assert found[2][2] == isl.Map(
        "[N] -> { [i] -> [k] : 0 <= k < i < N and i mod 2 = 1 and k mod 2 = 0 }"
    )
    assert cycles(system) == []


def test_long_cycles_are_found() -> None:
    (exact, not_exact) = program(
        "affine s [N] -> {: N > 9} outputs X : [8]"
        " let X[i] = case { {: i = 0} : X[7]; auto : X[i - 1]; }; ."
        "affine t [N] -> {: N > 9} outputs X : [N]"
        " let X[i] = case { {: i = 0} : X[N - 1]; auto : X[i - 1]; }; ."
    ).systems
    (found,) = cycles(exact)
    assert found.points == isl.Set("[N] -> { [i] : 0 <= i < 8 and N > 9 }")
    # The closure is not exact in all versions of isl: then nothing is said, and nothing wrong.
    for each in cycles(not_exact):
        assert each.points.is_subset(isl.Set("[N] -> { [i] : 0 <= i < N and N > 9 }"))


def test_standard_input_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(body("A[i, 0]")))
    assert main(["--ashow", "--check", "--system=s", "-"]) == 0
    assert "Y[i] = A[i, 0];" in capsys.readouterr().out


def test_options_and_files_that_are_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["missing.alpha"]) == 1
    assert "error: cannot read 'missing.alpha'" in capsys.readouterr().err
    assert main(["--show", "--ashow", "x.alpha"]) == 1
    assert "not allowed with argument" in capsys.readouterr().err
