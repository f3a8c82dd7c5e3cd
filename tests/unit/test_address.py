"""Addresses of loops: reading them, finding the loops, telling what is wrong."""

from __future__ import annotations

import pytest
from execution import schedule

from polyir.base.diagnostics import OptionError
from polyir.transform.outline import outline
from polyir.tree.addresses import (
    Directory,
    LoopAddress,
    LoopPosition,
    StatementAddress,
)

TREE = schedule(
    """{ domain: "{ S[i, j] : 0 <= i, j < 4; T[i] : 0 <= i < 4 }",
  child: { schedule: "[{ S[i, j] -> [i]; T[i] -> [i] }]", child: { sequence: [
  { filter: "{ T[i] }" },
  { filter: "{ S[i, j] : j < 2 }", child: { schedule: "[{ S[i, j] -> [j] }]" } },
  { filter: "{ S[i, j] : j >= 2 }", child: { schedule: "[{ S[i, j] -> [0] }, { S[i, j] -> [j] }]",
    permutable: 1, coincident: [ 0, 1 ] } }
] } } }"""
)


@pytest.mark.parametrize("text", ["S0.1", "S0/2.13", "left_1.0"])
def test_addresses_are_read_and_written(text: str) -> None:
    assert str(LoopAddress.parse(text)) == text


def test_parts_of_an_address() -> None:
    assert LoopAddress.parse("S0/2.13") == LoopAddress(StatementAddress("S0", 2), 13)
    assert StatementAddress.parse("S0") == StatementAddress("S0")
    assert StatementAddress.parse("S0/3") == StatementAddress("S0", 3)


@pytest.mark.parametrize("text", ["", "S0", "S0.", ".1", "S0.-1", "S0/.1", "S0.1.2", "S0 .1"])
def test_malformed_addresses(text: str) -> None:
    with pytest.raises(OptionError, match=r"is not a loop: write S0\.1"):
        LoopAddress.parse(text)


@pytest.mark.parametrize("text", ["", "S0.1", "S0/", "S0/x", "S 0"])
def test_malformed_references(text: str) -> None:
    with pytest.raises(OptionError, match="is not a statement: write S0"):
        StatementAddress.parse(text)


def test_loops_are_found() -> None:
    directory = Directory(TREE)
    outer = LoopPosition((0,), 0)
    assert directory.loop(LoopAddress.parse("S.0")).place == outer
    assert directory.loop(LoopAddress.parse("T.0")).place == outer
    assert directory.loop(LoopAddress.parse("S/1.0")).place == outer
    innermost = directory.loop(LoopAddress.parse("S/1.2"))
    assert innermost.member == 1
    assert len(innermost.band.members) == 2
    assert directory.addresses_of(outer) == ("S.0", "T.0")
    assert directory.addresses_of(innermost.place) == ("S/1.2",)


def test_instances_of_parts() -> None:
    first, second = Directory(TREE).parts["S"]
    assert first.instances.union(second.instances).plain_is_equal(first.instances) is False
    assert first.instances.is_disjoint(second.instances)
    assert str(second.reference) == "S/1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("U.0", r"there is no statement 'U' \(statements: S, T\)"),
        ("T.1", "there is no loop 'T.1': T has 1 loop$"),
        ("S/0.2", "there is no loop 'S/0.2': S/0 has 2 loops"),
        ("S/2.0", "there is no part 'S/2': S has 2 parts"),
        ("T/1.0", "there is no part 'T/1': T has 1 part$"),
        ("S.1", "'S.1' is not one loop: S/0.1, S/1.1"),
    ],
)
def test_loops_that_are_not_there(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Directory(TREE).loop(LoopAddress.parse(text))


def test_outline() -> None:
    assert outline(TREE).splitlines() == [
        "band of 1",
        "  S.0 T.0: { S[i, j] -> [(i)]; T[i] -> [(i)] }",
        "  sequence",
        "    T",
        "    S/0",
        "      band of 1",
        "        S/0.1: { S[i, j] -> [(j)] }",
        "    S/1",
        "      band of 2, permutable",
        "        S/1.1: { S[i, j] -> [(0)] }",
        "        S/1.2: { S[i, j] -> [(j)] } parallel",
    ]


def test_outline_without_loops() -> None:
    assert outline(schedule('{ domain: "{ S[] }" }')) == "S"
