"""What `--print-completion` prints, read by a shell that completes a word."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from polyir.tools import polyir_cc, polyir_opt


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_passes_and_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        polyir_opt.main(["--print-completion=bash"])
    script = capsys.readouterr().out
    for begun, expected in (
        ("--pluto", ["--pluto-schedule"]),
        ("--print-com", ["--print-completion"]),
    ):
        shell = (
            f"{script}\nCOMP_WORDS=(polyir-opt {begun}); COMP_CWORD=1\n"
            f'_shtab_polyir_opt polyir-opt {begun} polyir-opt; echo "${{COMPREPLY[@]}}"'
        )
        done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
        assert done.stdout.split() == expected


def test_without_shtab(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert polyir_cc.main(["--print-completion", "zsh"]) == 1
    assert capsys.readouterr().err == (
        "error: --print-completion needs shtab (pip install 'polyir[completion]') "
        "[missing-package]\n"
    )
