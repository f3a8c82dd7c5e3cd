"""The cache of compilations: what counts as the same, damaged entries, directories, processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polyir
from polyir import api
from polyir.api import compilation_cache
from polyir.base import cache
from polyir.base.cache import read_entry, write_entry
from polyir.base.diagnostics import CacheError, PolyirError, Remark, remarks_to
from polyir.base.limits import time_limited_to
from polyir.passes.tile import TilePass
from polyir.runtime import CompilerOptions
from polyir.runtime.compiler import build_library

TEXT = """
func.func @f(%A: memref<?xf64>, %n: index) {
  %z = arith.constant 7.0 : f64
  affine.for %i = 0 to %n {
    affine.store %z, %A[%i] : memref<?xf64>
  }
  return
}
"""
C_TEXT = "void f(double *a, long n) { for (long i = 0; i < n; i++) a[i] = 7; }"
FLAGS = CompilerOptions(flags=("-O0",))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The first text that a process reads leaves the tables of the parser in the cache.
    polyir.parse(TEXT)
    monkeypatch.setattr(compilation_cache, "is_cache_on", cache.is_cache_on)
    monkeypatch.setenv("POLYIR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes each time that passes run."""
    found: list[str] = []
    run = api.run_passes

    def noting(*arguments: Any) -> Any:
        found.append("run")
        return run(*arguments)

    monkeypatch.setattr(api, "run_passes", noting)
    return found


def _works(kernel: Callable[..., Any]) -> None:
    array = np.zeros(4)
    kernel(array, 3)
    assert list(array) == [7, 7, 7, 0]
    with pytest.raises(ValueError, match="is accessed out of bounds"):
        kernel(array, 5)


def _compiled(source: Any = TEXT, passes: Any = "tile{sizes=2}", **options: Any) -> None:
    _works(polyir.compile(source, passes, options.pop("options", FLAGS), **options))


@pytest.mark.parametrize("source", [TEXT, C_TEXT])
def test_passes_run_once(source: str, runs: list[str]) -> None:
    for _ in range(3):
        _compiled(source)
    assert len(runs) == 1


@pytest.mark.parametrize("backend", ["llvm"])
def test_other_backends(backend: Any, runs: list[str]) -> None:
    pytest.importorskip("llvmlite")
    for _ in range(2):
        _works(polyir.compile(TEXT, [], backend=backend))
    assert len(runs) == 1


def test_what_is_the_same(runs: list[str], tmp_path: Path) -> None:
    """The form in which passes are given is not part of the input."""
    for passes in ("tile{sizes=2}", "--tile=2", ["tile{sizes=2}"], [TilePass(sizes=(2,))]):
        _compiled(passes=passes)
    assert len(runs) == 1
    module = polyir.parse(TEXT)
    _compiled(module)
    _compiled(module.clone())
    assert len(runs) == 2


def test_what_is_different(
    runs: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def count(call: Callable[[], object]) -> int:
        runs.clear()
        call()
        return len(runs)

    assert count(_compiled) == 1
    assert count(lambda: _compiled(TEXT.replace("%z =", "%y = arith.constant 1 : i32\n %z ="))) == 1
    assert count(lambda: _compiled(passes="tile{sizes=3}")) == 1
    assert count(lambda: _compiled(passes="tile{sizes=2},mark-parallel")) == 1
    assert count(lambda: _compiled(options=CompilerOptions(flags=("-O1",)))) == 1
    assert count(lambda: _compiled(check_indices=False)) == 1
    with time_limited_to(7):
        assert count(_compiled) == 0
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\nexec cc "$@"\n')
    compiler.chmod(0o755)
    assert count(lambda: _compiled(options=CompilerOptions(str(compiler), ("-O0",)))) == 1
    assert count(lambda: _compiled(options=CompilerOptions(str(compiler), ("-O0",)))) == 0
    # Another version of the compiler, and of polyir.
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] && echo new\nexec cc "$@"\n')
    assert count(lambda: _compiled(options=CompilerOptions(str(compiler), ("-O0",)))) == 1
    monkeypatch.setattr(compilation_cache, "_own_files", lambda: "another version")
    assert count(_compiled) == 1
    assert count(_compiled) == 0


def test_headers_are_part_of_a_c_file(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("#define K 1")
    path = tmp_path / "f.c"
    path.write_text(
        '#include "h.h"\nint f(int *a) { for (int i = 0; i < 3; i++) a[i] = K; return K; }'
    )
    found = []
    for content in ("#define K 1", "#define K 2", "#define K 1"):
        (tmp_path / "h.h").write_text(content)
        array = np.zeros(3, np.int32)
        found.append((polyir.compile(path, [], FLAGS)(array), list(array)))
    assert found == [(1, [1, 1, 1]), (2, [2, 2, 2]), (1, [1, 1, 1])]


def test_files_of_passes_are_read_again(tmp_path: Path, runs: list[str]) -> None:
    tree = tmp_path / "order.isl"
    for schedule in ("{ S0[i] -> [i] }", "{ S0[i] -> [-i] }", "{ S0[i] -> [-i] }"):
        tree.write_text(schedule)
        _compiled(passes=f"apply-schedule{{file='{tree}'}}")
    assert len(runs) == 2


def test_warnings_come_again() -> None:
    def said() -> list[str]:
        remarks: list[Remark] = []
        with remarks_to(remarks.append):
            _compiled(passes="tile{sizes=2},wavefront")
        return list(map(str, remarks))

    first = said()
    assert any("warning" in each for each in first)
    assert said() == first


def test_passes_that_show_something_always_run(
    capsys: pytest.CaptureFixture[str], runs: list[str], tmp_path: Path
) -> None:
    for _ in range(2):
        _compiled(passes="print-schedule")
        assert "S0" in capsys.readouterr().out
    picture = tmp_path / "picture.svg"
    pytest.importorskip("matplotlib")
    for _ in range(2):
        _compiled(passes=f"plot-domain{{file='{picture}' size=2}}")
        picture.unlink()
    assert len(runs) == 4


def test_errors_are_not_kept(runs: list[str]) -> None:
    for _ in range(2):
        with pytest.raises(PolyirError, match="there is no statement 'S9'"):
            polyir.compile(TEXT, "reverse{loop=S9.0}")
    assert len(runs) == 2


def _emptied(content: bytes) -> bytes:
    return b""


def _cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _changed(content: bytes) -> bytes:
    return content[:100] + b"?" + content[101:]


@pytest.mark.parametrize("damage", [_emptied, _cut, _changed])
@pytest.mark.parametrize("kind", ["*.compiled", "*.so", "*"])
def test_damaged_entries_are_made_again(
    folder: Path, kind: str, damage: Callable[[bytes], bytes]
) -> None:
    for source in (TEXT, C_TEXT):
        polyir.compile(source, [], FLAGS)
    entries = list(folder.glob(kind))
    assert len(entries) == (4 if kind == "*" else 2)
    whole = {each: each.read_bytes() for each in entries}
    for each, content in whole.items():
        # A loaded library is another file.
        each.unlink()
        each.write_bytes(damage(content))
    for source in (TEXT, C_TEXT):
        _compiled(source, [])
    assert all(read_entry(each) is not None for each in entries)


def test_entries_that_cannot_be_used_are_made_again(folder: Path, runs: list[str]) -> None:
    _compiled()
    (entry,) = folder.glob("*.compiled")
    for content in (b"not a pickle", b"cno_such_module\nname\n.", b"\x80\x04N."):
        write_entry(entry, content)
        _compiled()
    assert len(runs) == 4


def test_entries_are_for_the_user_only(folder: Path) -> None:
    _compiled()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert all(each.stat().st_mode & 0o077 == 0 for each in folder.glob("*.compiled"))
    for mode in (0o755, 0o770, 0o702, 0o750):
        folder.chmod(mode)
        with pytest.raises(CacheError, match=r"is open to other users: 'chmod 700 .*POLYIR_CACHE"):
            polyir.compile(TEXT, [])
        with pytest.raises(CacheError, match="is open to other users"):
            build_library("int f(void) { return 1; }\n", FLAGS)
    folder.chmod(0o700)
    _compiled()


def test_a_directory_of_another_user_or_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match="cannot create the cache directory"):
        polyir.compile(TEXT, [], cache=tmp_path / "file" / "inside")
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(CacheError, match="belongs to another user"):
        polyir.compile(TEXT, [])


def test_the_cache_can_be_off_or_elsewhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, runs: list[str]
) -> None:
    for _ in range(2):
        _compiled(cache=False)
    assert not folder.exists()
    _compiled(cache=tmp_path / "other")
    _compiled(cache=str(tmp_path / "other"))
    assert len(runs) == 3
    assert len(list((tmp_path / "other").iterdir())) == 2
    monkeypatch.setenv("POLYIR_CACHE", "off")
    for _ in range(2):
        _compiled()
    assert len(runs) == 5
    assert not folder.exists()
    assert not Path("off").exists()


def test_functions_of_python_are_not_kept(runs: list[str]) -> None:
    text = """
    func.func private @g(f64) -> f64
    func.func @f(%x: f64) -> f64 {
      %y = func.call @g(%x) : (f64) -> f64
      return %y : f64
    }
    """
    for factor in (2, 3):
        kernel = polyir.compile(text, [], FLAGS, functions={"g": lambda x, k=factor: k * x})
        assert kernel.f(5.0) == 5.0 * factor
    for factor in (2, 3, 3):
        given = f"static double g(double x) {{ return {factor} * x; }}"
        assert polyir.compile(text, [], FLAGS, functions={"g": given}).f(5.0) == 5.0 * factor
    assert len(runs) == 4


def test_concurrent_processes(folder: Path) -> None:
    program = (
        "import sys, numpy, polyir\n"
        "from polyir.runtime import CompilerOptions\n"
        f"text = {TEXT!r}\n"
        "kernel = polyir.compile(text, 'tile{sizes=2}', CompilerOptions(flags=('-O0',)))\n"
        "array = numpy.zeros(3)\n"
        "kernel(array, 3)\n"
        "print(array.sum())"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [each.communicate()[0] for each in started] == ["21.0\n"] * 2
    # The third one has the tables of the parser.
    found = sorted(each.suffix for each in folder.iterdir())
    assert found == [".compiled", ".so", ".tables"]
