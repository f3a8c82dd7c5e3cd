"""Affine functions given as text, in options."""

from __future__ import annotations

import re

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.equations.system import System
from polyir.sets.lists import parameters_of

_SHORT = re.compile(r"\(\s*(?P<arguments>[^()]*?)\s*->\s*(?P<values>.*)\)", re.DOTALL)


def given_function(text: str, system: System) -> isl.MultiAff:
    """The function `{ [i, j] -> [i + j, j] }`, or `(i, j -> i + j, j)`, of a system's points.

    The system's parameters need not be declared, and names of tuples do not matter. Raises
    `OptionError`.
    """
    shown = text.strip()
    short = _SHORT.fullmatch(shown)
    if short is not None:
        shown = f"{{ [{short['arguments']}] -> [{short['values']}] }}"
    if not shown.startswith("["):
        shown = f"[{', '.join(system.parameters)}] -> {shown}"
    try:
        function = isl.MultiAff(shown)
    except isl.Error:
        example = "{ [i, j] -> [i + j, j] }"
        raise OptionError(
            f"'{text}' is not an affine function in isl's notation, such as {example}"
        ) from None
    function = function.flatten_domain().flatten_range().align_params(system.context.get_space())
    for kind in (isl.dim_type.in_, isl.dim_type.out):
        function = function.reset_tuple_id(kind)
    for name in parameters_of(function.get_domain_space()):
        if name not in system.parameters:
            raise OptionError(f"'{text}' has the parameter '{name}', which is none of the system")
    return function
