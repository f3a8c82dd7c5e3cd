"""Pass options from text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError
from polyir.passes.options import describe_options, pass_from_python, pass_with_options
from polyir.pipeline import passes_of_pipeline, split_pass_flags
from polyir.tree.addresses import LoopAddress
from polyir.universe import available_passes, pass_type


@dataclass(frozen=True)
class ExamplePass(ModulePass):
    """A pass with an option of each type."""

    name = "example"

    sizes: tuple[int, ...] = (32,)
    fuse: Literal["max", "smart"] = "smart"
    min_width: int = 2
    relaxed: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise NotImplementedError


AVAILABLE = {"example": lambda: ExamplePass}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ExamplePass()),
        ("16", ExamplePass(sizes=(16,))),
        ("16,8", ExamplePass(sizes=(16, 8))),
        ("sizes=16,8 min-width=1", ExamplePass(sizes=(16, 8), min_width=1)),
        ("relaxed", ExamplePass(relaxed=True)),
        ("fuse=max relaxed", ExamplePass(fuse="max", relaxed=True)),
        ("min_width=3", ExamplePass(min_width=3)),
    ],
)
def test_options_are_read(text: str, expected: ExamplePass) -> None:
    assert pass_with_options(ExamplePass, text) == expected


@dataclass(frozen=True)
class TextPass(ModulePass):
    """A pass with options that xDSL's notation has no words for."""

    name = "text"

    loops: tuple[str, ...]
    by: int | str = 0
    condition: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S0.1", TextPass(("S0.1",))),
        ("S0/1.2,S1.0", TextPass(("S0/1.2", "S1.0"))),
        ("loops=S0.1 by=-1", TextPass(("S0.1",), -1)),
        ("loops=S0.1 by='2n - 1'", TextPass(("S0.1",), "2n - 1")),
        ('loops=S0.1 condition="i < n"', TextPass(("S0.1",), 0, "i < n")),
        ("loops=S0.1 condition='i = n, \"j\"\n'", TextPass(("S0.1",), 0, 'i = n, "j"\n')),
        ("{ S0[i] : i = 1 }", TextPass(("{ S0[i] : i = 1 }",))),
        ("dir/file.isl by=n", TextPass(("dir/file.isl",), "n")),
    ],
)
def test_text_needs_few_quotes(text: str, expected: TextPass) -> None:
    assert pass_with_options(TextPass, text) == expected
    if not text.startswith("{"):
        named = text if text.startswith("loops=") else f"loops={text}"
        pipeline = passes_of_pipeline(
            f"text{{{named}}},text{{{named}}}", {"text": lambda: TextPass}
        )
        assert pipeline == (expected, expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size=16", "pass 'example' has no option 'size'; did you mean 'sizes'?"),
        ("fuse=maxx", "option 'fuse' of pass 'example' cannot be 'maxx'; did you mean 'max'?"),
        ("sizes=a", "option 'sizes' of pass 'example' must be a list of integers, not 'a'"),
        ("min-width=1,2", "option 'min-width' of pass 'example' must be integer, not '1,2'"),
        ("min-width=true", "option 'min-width' of pass 'example' must be integer, not 'True'"),
        ("sizes=", "malformed options 'sizes=' of pass 'example'"),
        ("sizes=1}", "malformed options 'sizes=1}' of pass 'example'"),
    ],
)
def test_bad_options_are_named(text: str, message: str) -> None:
    with pytest.raises(OptionError) as raised:
        pass_with_options(ExamplePass, text)
    assert raised.value.message == message


@pytest.mark.parametrize(
    "text",
    [
        "interchange{loops=S0.1,S0/2.0}",
        "skew{loop=S0.1 by=S0.0}",
        "shift{loop=S0.1 by='2n - 1' statements=S0,S1/0}",
        "tile{sizes=4,2 loops=S0.0,S0.1}",
        "tile-shape{shape='1,0;-1,2'}",
        "wavefront{loop=S0.0}",
        "promote{arrays=A loop=S0.1 order=1,0}",
        "mark-parallel",
    ],
)
def test_passes_print_as_they_are_read(text: str) -> None:
    (read,) = passes_of_pipeline(text, available_passes())
    (again,) = passes_of_pipeline(str(read), available_passes())
    assert again == read
    assert type(read).from_spec(read.spec()) == read


def test_options_from_python() -> None:
    loop = LoopAddress.parse("S0.1")
    assert pass_from_python(pass_type("reverse"), {"loop": "S0.1"}) == pass_from_python(
        pass_type("reverse"), {"loop": loop}
    )
    tile = pass_from_python(pass_type("tile"), {"sizes": 8, "loops": ["S0.1"]})
    assert tile == passes_of_pipeline("tile{sizes=8 loops=S0.1}", available_passes())[0]
    with pytest.raises(OptionError, match="'x' is not a loop"):
        pass_from_python(pass_type("reverse"), {"loop": "x"})
    with pytest.raises(OptionError, match="has no option 'lop'; did you mean 'loop'"):
        pass_from_python(pass_type("reverse"), {"lop": "S0.1"})


def test_flags_keep_their_order() -> None:
    passes, others = split_pass_flags(
        ["--example=1", "in.mlir", "-p", "example{sizes=2},example", "--example", "-o", "x"],
        AVAILABLE,
    )
    assert passes == (
        ExamplePass((1,)),
        ExamplePass((2,)),
        ExamplePass(),
        ExamplePass(),
    )
    assert others == ("in.mlir", "-o", "x")


def test_unknown_pass_in_a_pipeline() -> None:
    with pytest.raises(OptionError, match="unknown pass 'exampel'; did you mean 'example'"):
        passes_of_pipeline("exampel", AVAILABLE)


def test_description_names_types_and_defaults() -> None:
    assert list(map(str, describe_options(ExamplePass))) == [
        "sizes: a list of integers = 32",
        "fuse: max|smart = smart",
        "min-width: integer = 2",
        "relaxed: true|false = false",
    ]
