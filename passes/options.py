"""Pass options from text, with diagnostics that name the nearest valid choice."""

from __future__ import annotations

import dataclasses
import json
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index
from types import NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Literal,
    NoReturn,
    Protocol,
    Self,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from polyir.base.diagnostics import OptionError, nearest


def pass_with_options(pass_type: type[ModulePass], text: str) -> ModulePass:
    """The pass with the options of a command-line flag's value.

    `text` is either values of the main option (the first field: `32,32,8`) or named options
    separated by spaces (`sizes=32,8 levels=2`). Raises `OptionError`.
    """
    fields = _option_names(pass_type)
    stripped = text.strip()
    # isl's text as a whole needs no quotes.
    stripped = json.dumps(stripped) if stripped[:1] in ("{", "[") else quoted(stripped)
    first = re.split(r"[=\s]", stripped, maxsplit=1)[0].replace("-", "_")
    if stripped and not _NAMED.match(stripped) and first not in fields:
        if not fields:
            raise OptionError(f"pass '{pass_type.name}' takes no options, got '{text}'")
        stripped = f"{fields[0]}={stripped}"
    try:
        # A pipeline of exactly one pass: unlike `parse_spec`, it refuses what is left over.
        pipeline = f"{pass_type.name}{{{stripped}}}" if stripped else pass_type.name
        (spec,) = parse_pipeline(pipeline)
    except (ArgSpecParseError, StopIteration, ValueError):
        raise OptionError(f"malformed options '{text}' of pass '{pass_type.name}'") from None
    return pass_from_spec(pass_type, spec)


def quoted(text: str) -> str:
    """`text` with quotes around all values that xDSL's notation would not accept.

    It accepts numbers, plain words and text in double quotes. Here, `loop=S0.1` and
    `file=new/tree.yaml` need no quotes, and single quotes do as well, within which double quotes
    and line breaks stand for themselves: `condition='i < n'`.
    """

    def rewrite(match: re.Match[str]) -> str:
        single, bare = match["single"], match["bare"]
        if single is not None:
            return json.dumps(single, ensure_ascii=False)
        if bare is not None and not _PLAIN.fullmatch(bare):
            return json.dumps(bare, ensure_ascii=False)
        return match[0]

    return _VALUE.sub(rewrite, text)


_VALUE = re.compile(
    r""""(?:\\.|[^"\\])*" | '(?P<single>[^']*)' | (?P<bare>[^\s,={}"'\[\]]+)""", re.VERBOSE
)
_PLAIN = re.compile(r"[A-Za-z0-9_-]+|[-+]?[0-9]+(\.[0-9]*([eE][-+]?[0-9]+)?)?")
_NAMED = re.compile(r"[A-Za-z][\w-]*=")


def pass_from_spec(pass_type: type[ModulePass], spec: ArgSpec) -> ModulePass:
    """The pass that an xDSL pass specification describes; raises `OptionError`."""
    fields = _option_names(pass_type)
    types = get_type_hints(pass_type)
    options: dict[str, object] = {}
    for name, values in spec.normalize_parameter_names().parameters.items():
        if name not in fields:
            shown = [field.replace("_", "-") for field in fields]
            hint = nearest(name.replace("_", "-"), shown)
            known = f" (options: {', '.join(shown)})" if shown and not hint else hint
            raise OptionError(
                f"pass '{pass_type.name}' has no option '{name.replace('_', '-')}'{known}"
            )
        _check_choice(pass_type.name, name, types[name], values)
        options[name] = _converted(types[name], values)
    for required in pass_type.required_fields():
        if required not in options:
            raise OptionError(f"pass '{pass_type.name}' requires the option '{required}'")
    try:
        return pass_type(**options)
    except ValueError as error:
        raise OptionError(f"bad option of pass '{pass_type.name}': {error}") from None


def pass_from_python(pass_type: type[ModulePass], options: Mapping[str, object]) -> ModulePass:
    """The pass with options as Python gives them.

    Text stands for the value of a `Parsed` class that it is parsed to, and one value for a tuple
    of one. Raises `OptionError` for an unknown option, a value of another type, malformed text,
    and where a required option is missing.
    """
    fields = _option_names(pass_type)
    types = get_type_hints(pass_type)
    values: dict[str, object] = {}
    for name, value in options.items():
        if name not in fields:
            raise OptionError(
                f"pass '{pass_type.name}' has no option '{name}'{nearest(name, fields)}"
            )
        parsed = _parsed_class(types[name])
        is_tuple = isinstance(value, tuple | list)
        items = [
            parsed.parse(item) if parsed is not None and isinstance(item, str) else _plain(item)
            for item in (cast(Sequence[object], value) if is_tuple else [value])
        ]
        takes_tuple = get_origin(types[name]) is tuple
        values[name] = tuple(items) if is_tuple or takes_tuple else items[0]
        if not _fits(types[name], values[name]):
            _refuse(pass_type.name, name, types[name], str(value))
    for required in pass_type.required_fields():
        if required not in values:
            raise OptionError(f"pass '{pass_type.name}' requires the option '{required}'")
    try:
        return pass_type(**values)
    except ValueError as error:
        raise OptionError(f"bad option of pass '{pass_type.name}': {error}") from None


def _plain(value: object) -> object:
    """An integer of NumPy as Python's, which text and attributes need; all else as it is."""
    return value if isinstance(value, bool) or not hasattr(value, "__index__") else index(value)


def _fits(option_type: object, value: object) -> bool:
    """Whether an option of that type may have the value `value`."""
    if get_origin(option_type) in (Union, UnionType):
        return any(_fits(choice, value) for choice in get_args(option_type))
    if option_type is NoneType:
        return value is None
    if get_origin(option_type) is Literal:
        return value in get_args(option_type)
    if get_origin(option_type) is tuple:
        element = get_args(option_type)[0]
        return isinstance(value, tuple) and all(_fits(element, each) for each in value)
    if option_type is float:
        return type(value) in (int, float)
    parsed = _parsed_class(option_type)
    if parsed is not None:
        return isinstance(value, parsed) or not isinstance(value, str | int | float | tuple | None)
    # A Boolean is an integer to Python, not to a user.
    return type(value) is option_type


class Parsed(Protocol):
    """A class of option values that are written as text."""

    WORD: ClassVar[str]
    """The description of such an option's type in the help."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The value that `text` stands for; raises `OptionError`."""


class Named(str):
    """The name of something that packages can add: as a `Literal`, but known when it is read."""

    WORD: ClassVar[str] = "name"

    @classmethod
    @abstractmethod
    def choices(cls) -> tuple[str, ...]:
        """The names that there are."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The name; raises `OptionError` if there is nothing of that name."""
        if text not in (known := cls.choices()):
            hint = nearest(text, known) or f" (one of: {', '.join(known)})"
            raise OptionError(f"unknown {cls.WORD} '{text}'{hint}")
        return str.__new__(cls, text)


@dataclass(frozen=True)
class PassWithOptions(ModulePass):
    """A pass whose options can be of `Parsed` classes too, besides those that xDSL knows."""

    @classmethod
    def from_spec(cls, spec: ArgSpec) -> Self:
        found = pass_from_spec(cls, spec)
        assert isinstance(found, cls)
        return found

    def spec(self, *, include_default: bool = False) -> ArgSpec:
        found = super().spec(include_default=include_default)
        types = get_type_hints(type(self))
        texts = {
            name: _texts(getattr(self, name)) if _parsed_class(types[name]) else values
            for name, values in found.parameters.items()
        }
        return ArgSpec(found.name, texts)


def _texts(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


def _parsed_class(option_type: object) -> type[Parsed] | None:
    """The class with `parse` that is an option's type, or the type of its elements."""
    if hasattr(option_type, "parse"):
        return cast(type[Parsed], option_type)
    found = (_parsed_class(each) for each in get_args(option_type))
    return next((each for each in found if each is not None), None)


@dataclass(frozen=True)
class DescribedOption:
    """An option of a pass as its user writes it; `default` is `None` where there is none."""

    name: str
    type: str
    default: str | None
    is_required: bool

    def __str__(self) -> str:
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.name}: {self.type}{default}"


def describe_options(pass_type: type[ModulePass]) -> list[DescribedOption]:
    """The options of a pass; the first is its main one."""
    types = get_type_hints(pass_type)
    missing = dataclasses.MISSING
    return [
        DescribedOption(
            field.name.replace("_", "-"),
            _describe_type(types[field.name]),
            None if field.default in (missing, None) else _describe_value(field.default),
            field.default is missing and field.default_factory is missing,
        )
        for field in option_fields(pass_type)
    ]


def option_fields(pass_type: type[ModulePass]) -> list[dataclasses.Field[Any]]:
    """The options of a pass; the first is its main one. Those for keywords only come last."""
    fields = [field for field in dataclasses.fields(pass_type) if field.init]
    return sorted(fields, key=lambda field: bool(field.kw_only))


def _option_names(pass_type: type[ModulePass]) -> list[str]:
    return [field.name for field in option_fields(pass_type)]


def _check_choice(
    pass_name: str, name: str, option_type: object, values: tuple[object, ...]
) -> None:
    """Refuse values that are not in a literal type, or not of a simple type."""
    given = ",".join(str(value) for value in values)
    is_choice = get_origin(option_type) is Literal
    choices = [str(choice) for choice in get_args(option_type)] if is_choice else []
    if given not in choices if is_choice else not _accepts(option_type, values):
        _refuse(pass_name, name, option_type, given)


def _refuse(pass_name: str, name: str, option_type: object, given: str) -> NoReturn:
    """Raise `OptionError` for a value that an option of that type does not take."""
    shown = name.replace("_", "-")
    if get_origin(option_type) is Literal:
        choices = [str(choice) for choice in get_args(option_type)]
        hint = nearest(given, choices) or f" (one of: {', '.join(choices)})"
        raise OptionError(f"option '{shown}' of pass '{pass_name}' cannot be '{given}'{hint}")
    expected = _describe_type(option_type)
    raise OptionError(f"option '{shown}' of pass '{pass_name}' must be {expected}, not '{given}'")


def _converted(option_type: object, values: tuple[Any, ...]) -> object:
    """The value of an option, of a type that accepts `values`."""
    if get_origin(option_type) in (Union, UnionType):
        choices = get_args(option_type)
        return _converted(next(each for each in choices if _accepts(each, values)), values)
    if get_origin(option_type) is tuple:
        element = get_args(option_type)[0]
        return tuple(_converted(element, (value,)) for value in values)
    parsed = _parsed_class(option_type)
    if parsed is not None:
        return parsed.parse(values[0])
    if not values:
        # A flag that is named is set.
        return True if option_type is bool else None
    return values[0]


def _accepts(option_type: object, values: tuple[object, ...]) -> bool:
    if get_origin(option_type) in (Union, UnionType):
        return any(_accepts(choice, values) for choice in get_args(option_type))
    if option_type is NoneType:
        return not values
    if get_origin(option_type) is Literal:
        return len(values) == 1 and values[0] in get_args(option_type)
    if get_origin(option_type) is tuple:
        element = get_args(option_type)[0]
        return bool(values) and all(_accepts(element, (value,)) for value in values)
    if option_type is bool and not values:
        return True
    # A Boolean is an integer to Python, not to a user.
    wanted = str if _parsed_class(option_type) is not None else option_type
    return len(values) == 1 and type(values[0]) is wanted


def _describe_type(option_type: object) -> str:
    if get_origin(option_type) is Literal:
        return "|".join(str(choice) for choice in get_args(option_type))
    if get_origin(option_type) in (Union, UnionType):
        parts = [part for part in get_args(option_type) if part is not NoneType]
        return " or ".join(_describe_type(part) for part in parts)
    if get_origin(option_type) is tuple:
        element = _describe_type(get_args(option_type)[0])
        return f"a list of {element}" + ("" if element == "text" else "s")
    parsed = _parsed_class(option_type)
    if parsed is not None:
        return "|".join(parsed.choices()) if issubclass(parsed, Named) else parsed.WORD
    names: dict[object, str] = {int: "integer", str: "text", bool: "true|false", float: "number"}
    return names.get(option_type, str(option_type))


def _describe_value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return ",".join(str(item) for item in value)
        case _:
            return str(value)
