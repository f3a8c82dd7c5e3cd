"""The listings of docs/simplification.md are what polyir prints."""

from __future__ import annotations

import re
from pathlib import Path

from polyir.base.diagnostics import Remark, remarks_to
from polyir.equations.ir import module_of, program_of
from polyir.equations.text.printer import Form, program_text
from polyir.equations.text.reader import read_program
from polyir.passes.simplify_reductions import SimplifyReductionsPass
from polyir.universe import new_context

PAGE = Path(__file__).parents[2] / "docs" / "simplification.md"


def _simplified(text: str, **options: object) -> tuple[str, list[str]]:
    module = module_of(read_program(text, "example.alpha"))
    module.verify()
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        SimplifyReductionsPass(**options).apply(new_context(), module)  # type: ignore[arg-type]
    module.verify()
    return program_text(program_of(module), Form.ARRAY), [str(each) for each in remarks]


def test_equation_15_1() -> None:
    page = PAGE.read_text()
    listings = re.findall(r"^```\w*\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    before, remarks, after, warning = listings
    text, said = _simplified(before, type="i64")
    assert text.strip() == after.strip()
    assert said == remarks.splitlines()
    text, said = _simplified(before)
    assert said[0] == warning.strip()
