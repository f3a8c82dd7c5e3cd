"""Every pass as a method: `tile(sizes=(32,))` is the pass `tile{sizes=32}`."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any, Generic, TypeVar, get_type_hints

from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, nearest
from polyir.passes.options import describe_options, option_fields, pass_from_python
from polyir.universe import PASS_NAMES, pass_type

Applied = TypeVar("Applied")


class PassMethods(Generic[Applied]):
    """A class with a method for each pass, which gives what `apply` gives."""

    def apply(self, transformation: ModulePass) -> Applied:
        """What a pass makes of this."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Callable[..., Any]:
        pass_name = name.replace("_", "-")
        if name.startswith("_") or pass_name not in PASS_NAMES:
            known = [known.replace("-", "_") for known in PASS_NAMES]
            raise AttributeError(f"{type(self).__name__} has no '{name}'{nearest(name, known)}")
        bound: Callable[..., Any] = pass_method(pass_name).__get__(self)
        return bound

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name.replace("-", "_") for name in PASS_NAMES)]


@cache
def pass_method(name: str) -> FunctionType:
    """A function of an object with passes and of the options of the pass `name`.

    Its signature and its documentation are those of the pass, so that `help` and completion show
    the options. A single value is as good as a tuple of one: `tile(32)`.
    """
    found = pass_type(name)
    fields = [field.name for field in option_fields(found)]

    def method(self: PassMethods[Any], *values: object, **options: object) -> Any:
        if len(values) > len(fields):
            raise OptionError(f"pass '{name}' takes {len(fields)} options, not {len(values)}")
        given = dict(zip(fields, values, strict=False))
        for option in options:
            if option in given:
                raise OptionError(f"pass '{name}' gets two values for the option '{option}'")
        return self.apply(pass_from_python(found, given | options))

    method.__name__ = method.__qualname__ = name.replace("-", "_")
    method.__doc__ = "\n".join(
        [inspect.cleandoc(found.__doc__ or ""), "", "Options:", *map(str, describe_options(found))]
        if fields
        else [inspect.cleandoc(found.__doc__ or "")]
    )
    setattr(method, "__signature__", _signature(found))  # noqa: B010
    assert isinstance(method, FunctionType)
    return method


def _signature(found: type[ModulePass]) -> inspect.Signature:
    """The options of a pass as parameters."""
    types = get_type_hints(found)
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)]
    for field in option_fields(found):
        default = inspect.Parameter.empty
        if field.default is not dataclasses.MISSING:
            default = field.default
        elif field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        parameters.append(
            inspect.Parameter(
                field.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=default,
                annotation=types[field.name],
            )
        )
    return inspect.Signature(parameters)
