"""Errors about systems of equations."""

from __future__ import annotations

from polyir.base.diagnostics import PolyirError


class EquationFormError(PolyirError):
    """A transformation needs equations of another form."""

    name = "equation-form"


class NoEquationsError(PolyirError):
    """Loops cannot become equations, or equations loops."""

    name = "no-equations"


class NoValueError(PolyirError):
    """The evaluator finds no value, or one of another type."""

    name = "no-value"
