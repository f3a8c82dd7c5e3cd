"""Emitted C reads the return code of each function of MPI that it calls."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from faulty_ranks import PIPELINE, STENCIL

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.target.c.message_helpers import MESSAGE_HELPERS

ROOT = Path(__file__).parents[2]

AT_THE_END = ("MPI_Abort", "MPI_Error_string", "MPI_Comm_rank")
"""What `polyir_mpi_fail` and `polyir_mpi_check` call after an error, which end the program."""


def unchecked(source: str) -> list[str]:
    """The lines of C with a call of MPI that is not an argument of `polyir_mpi_check`."""
    function = ""
    found: list[str] = []
    for line in source.splitlines():
        begin = re.match(r"\w[\w *]*?(\w+)\(", line)
        if begin is not None:
            function = begin[1]
        for call in re.finditer(r"\b(P?MPI_[A-Z][a-z]\w*)\(", line):
            is_checked = line[: call.start()].endswith("polyir_mpi_check(")
            ends = function in ("polyir_mpi_fail", "polyir_mpi_check") and call[1] in AT_THE_END
            if not is_checked and not ends:
                found.append(line.strip())
    return found


@pytest.mark.parametrize("name", MESSAGE_HELPERS)
def test_helper_reads_codes(name: str) -> None:
    assert unchecked(MESSAGE_HELPERS[name].text) == []


def test_program_calls_mpi_in_helpers_only() -> None:
    with remarks_to(lambda remark: None):
        source = api.emit(api.run_pipeline(api.parse(STENCIL), PIPELINE), "c")
    assert unchecked(source) == []
    functions = source[source.index("static void smooth_") :]
    assert "polyir_mpi_isend_f64(" in functions
    assert "MPI_" not in functions
    # The test itself finds what is not checked.
    call = "polyir_mpi_check(MPI_Wait(&requests[k].request, &status), "
    assert call in source
    broken = source.replace(call, "MPI_Wait(&requests[k].request, &status), (void)(")
    assert len(unchecked(broken)) == 1
