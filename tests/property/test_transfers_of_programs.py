"""Transfers of random programs against those found by executing the program."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from loop_programs import ARRAYS, SIZE, Mode, Program, Step, execute, poly_text, programs
from poly_text import poly_module, scops_of

from polyir.proofs.transfers import Transfers, transfers

EXTENT = 2
"""The extent of all arrays in each dimension: small, so that programs write all of some arrays."""

bounded = settings(max_examples=150, deadline=None, derandomize=True)


def read_first(steps: list[Step]) -> bool:
    """Whether a step reads an element that none before it has surely written."""
    written = set()
    for step in steps:
        if step.mode is Mode.READ and step.element not in written:
            return True
        if step.mode is Mode.WRITE:
            written.add(step.element)
    return False


def expected(program: Program) -> Transfers:
    """By the definition."""
    copied_in, copied_out = [], []
    for array, rank in ARRAYS.items():
        steps = [step for step in execute(program) if step.element[0] == array]
        is_written = any(step.mode is not Mode.READ for step in steps)
        surely = {step.element for step in steps if step.mode is Mode.WRITE}
        elements = {(array, point) for point in product(range(EXTENT), repeat=rank)}
        if read_first(steps) or (is_written and not elements <= surely):
            copied_in.append(array)
        if is_written:
            copied_out.append(array)
    return Transfers(tuple(copied_in), tuple(copied_out))


@bounded
@given(programs())
def test_transfers(program: Program) -> None:
    text = poly_text(program, context=f"n = {SIZE}").replace("?x", f"{EXTENT}x")
    (scop,) = scops_of(poly_module(text))
    found = transfers(scop)
    assert Transfers(tuple(sorted(found.copied_in)), tuple(sorted(found.copied_out))) == expected(
        program
    )


def test_the_oracle_sees_every_case() -> None:
    """Random programs need not have them all; what is tested must be able to differ."""
    seen = set()

    @bounded
    @given(programs())
    def collect(program: Program) -> None:
        found = expected(program)
        seen.update((name in found.copied_in, name in found.copied_out) for name in ARRAYS)

    collect()
    assert seen == {(False, False), (True, False), (False, True), (True, True)}
