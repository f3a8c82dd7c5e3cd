"""isl's objects as they are written in systems of equations, with given names for dimensions.

All names are distinct from each other and from the parameters.
"""

from __future__ import annotations

import islpy as isl

from polyir.equations.points import named
from polyir.equations.text.names import Names


def set_text(domain: isl.Set, names: Names) -> str:
    """`{ [i, j] : 0 <= j < i }`; `{}` for the only point of no dimensions."""
    condition = condition_text(domain, names)
    if not names and not condition:
        return "{}"
    return f"{{ [{', '.join(names)}] : {condition}{' ' if condition else ''}}}"


def array_set_text(domain: isl.Set, names: Names) -> str:
    """`{ : 0 <= j < i }`."""
    condition = condition_text(domain, names)
    return f"{{ : {condition}{' ' if condition else ''}}}"


def condition_text(domain: isl.Set, names: Names) -> str:
    """`0 <= j < i`; empty if it always holds."""
    if domain.is_params():
        domain = isl.Set.from_params(domain)
    domain = named(domain, names)
    parameters = domain.dim(isl.dim_type.param)
    # isl writes conditions on dimensions into the tuple, and those on parameters behind the colon.
    condition = domain.move_dims(
        isl.dim_type.param, parameters, isl.dim_type.set, 0, len(names)
    ).params()
    return _inside(str(condition.coalesce())).removeprefix(":").strip()


def values_text(function: isl.MultiAff, names: Names) -> str:
    """`i, j - 1`."""
    count = function.dim(isl.dim_type.out)
    return ", ".join(affine_text(function.get_at(position), names) for position in range(count))


def function_text(function: isl.MultiAff, names: Names) -> str:
    """`(i, j -> i, j - 1)`."""
    return f"({', '.join(names)} -> {values_text(function, names)})".replace("( ", "(").replace(
        " )", ")"
    )


def affine_text(value: isl.Aff, names: Names) -> str:
    """`2i - floor((j)/2) + 1`."""
    denominator = value.get_denominator_val()
    scaled = value.scale_val(denominator)
    terms: list[tuple[int, str]] = []
    parameters = scaled.dim(isl.dim_type.param)
    for position in range(parameters):
        name = scaled.get_dim_name(isl.dim_type.param, position)
        terms.append((_coefficient(scaled, isl.dim_type.param, position), str(name)))
    for position, name in enumerate(names):
        terms.append((_coefficient(scaled, isl.dim_type.in_, position), name))
    for position in range(scaled.dim(isl.dim_type.div)):
        factor = _coefficient(scaled, isl.dim_type.div, position)
        if factor:
            terms.append((factor, f"*floor({affine_text(scaled.get_div(position), names)})"))
    text = _sum(terms, scaled.get_constant_val().to_python())
    return text if denominator.is_one() else f"({text})/{denominator}"


def polynomial_text(value: isl.PwQPolynomial, names: Names, head: str = "") -> str:
    """`{ i^2 + j : i > 0 }`, with `head` before each of its pieces."""
    for position, name in enumerate(names):
        value = value.set_dim_name(isl.dim_type.in_, position, name)
    parameters = value.dim(isl.dim_type.param)
    moved = value.move_dims(isl.dim_type.param, parameters, isl.dim_type.in_, 0, len(names))
    # The pieces have tuples without dimensions; a polynomial has no semicolon in it.
    pieces = _inside(str(moved)).split(";")
    plain = [piece.strip().removeprefix("[] ->").strip() for piece in pieces]
    return "{ " + "; ".join(head + piece for piece in plain) + " }"


def _inside(text: str) -> str:
    return text[text.index("{") + 1 : text.rindex("}")].strip()


def _coefficient(value: isl.Aff, kind: isl.dim_type, position: int) -> int:
    found = value.get_coefficient_val(kind, position).to_python()
    assert isinstance(found, int)
    return found


def _sum(terms: list[tuple[int, str]], constant: int) -> str:
    """A sum of factors and what they are multiplied with, positive terms first."""
    parts = [(factor, _product(abs(factor), name)) for factor, name in terms if factor]
    if constant or not parts:
        parts.append((constant, str(abs(constant))))
    ordered = [part for part in parts if part[0] >= 0] + [part for part in parts if part[0] < 0]
    first, *rest = ordered
    text = first[1] if first[0] >= 0 else f"-{first[1]}"
    return text + "".join(f" {'+' if sign >= 0 else '-'} {part}" for sign, part in rest)


def _product(factor: int, name: str) -> str:
    return name.removeprefix("*") if factor == 1 else f"{factor}{name}"
