"""A rank that dies ends the run of all ranks with an error, however they were started."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from faulty_ranks import FAULTS, PIPELINE, STENCIL, environment, with_faults
from rank_programs import RankProgram, build, missing_mpi
from ranks import needs_mpi4py, python_on_ranks

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import ranks
from polyir.runtime.functions import public_signatures
from polyir.runtime.rank_program import rank_program
from polyir.runtime.ranks import RanksError
from polyir.tools.polyir_run import main

pytestmark = pytest.mark.skipif(bool(missing_mpi()), reason=missing_mpi())

SECONDS = 30
"""What hangs takes longer."""

EVERY = [(fault, 1) for fault in FAULTS] + [("kill", 0), ("exit-as-if-well", 0), ("memory", 2)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> RankProgram:
    """The stencil with a main program of its own."""
    with remarks_to(lambda remark: None):
        module = api.parse(STENCIL)
        signature = public_signatures(module)[0]
        source = with_faults(api.emit(api.run_pipeline(module, PIPELINE), "c"))
    return build(source, signature, tmp_path_factory.mktemp("stencil") / "program")


def run(program: RankProgram) -> None:
    program.run([[3, 12, np.arange(12.0), np.zeros(12)]], 3, SECONDS)


def test_no_fault(program: RankProgram) -> None:
    run(program)


@pytest.mark.parametrize(("fault", "rank"), EVERY)
def test_plain_mpiexec(
    fault: str, rank: int, program: RankProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_fault(monkeypatch, fault, rank)
    # MPICH ends all ranks when one exits without MPI_Finalize, but may not call it an error. At
    # times it does not notice; then the others wait until their time is over.
    said = "failed with code|gave no result" + "|took longer" * fault.startswith("exit")
    with pytest.raises(RanksError, match=said) as caught:
        run(program)
    if fault == "memory":
        assert f"error: rank {rank}: malloc: there is no memory" in str(caught.value)


def set_fault(monkeypatch: pytest.MonkeyPatch, fault: str, rank: int) -> None:
    for name, value in environment(fault, rank).items():
        monkeypatch.setenv(name, value)


SAID = {
    "kill": r"3 ranks failed with code 9\b",
    "memory": r"3 ranks failed with code (.|\n)*rank 1: malloc: there is no memory for \d+ bytes",
    "exit-as-if-well": "3 ranks (gave no result|failed with code|took longer)",
}
"""What an error of polyir has."""


@pytest.mark.parametrize("fault", SAID)
def test_polyir_run(
    fault: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    set_fault(monkeypatch, fault, 1)
    monkeypatch.setattr(
        ranks, "rank_program", lambda source, kernel: rank_program(with_faults(source), kernel)
    )
    file = tmp_path / "stencil.mlir"
    file.write_text(STENCIL)
    flags = ["--feautrier-schedule", "--distribute-memory", "--ranks=3", "--default-size=12"]
    assert main([*flags, "--repeat=1", f"--run-limit={SECONDS}", str(file)]) == 1
    output = capsys.readouterr()
    assert re.search(f"error: {SAID[fault]}", output.err)
    assert "identical" not in output.out


SCRIPT = f"""
import numpy as np
import polyir
from faulty_ranks import with_faults
from mpi4py import MPI
from polyir.runtime import distributed
from polyir.target.c import c_text

distributed.c_text = lambda *arguments: with_faults(c_text(*arguments))
smooth = polyir.compile('''{STENCIL}''', "{PIPELINE}").smooth
rank = MPI.COMM_WORLD.rank
smooth(MPI.COMM_WORLD, *(() if rank else (3, 12, np.arange(12.0), np.zeros(12))))
if rank == 0:
    print("an end", flush=True)
"""


@needs_mpi4py
@pytest.mark.parametrize("fault", ["kill", "memory"])
def test_python(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"{Path(__file__).parents[1]}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    monkeypatch.setenv("PYTHONPATH", path)
    set_fault(monkeypatch, fault, 1)
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with pytest.raises(RanksError, match=SAID[fault]) as caught:
        python_on_ranks(script, 3)
    assert "an end" not in caught.value.message
