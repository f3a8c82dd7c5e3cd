"""docs/performance.md and the table of compile times, made from small saved results."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import compile_time
import pytest
import report_time
from compile_time import CompileTime
from harness.performance import main, summary_of_remarks, write_docs
from harness.plot import NoPlotError, bars_svg
from harness.variants import COMPILERS, MEASURED, PIPELINES, all_variants, measured_by_default
from kernels import Kernel

SVG = "{http://www.w3.org/2000/svg}"
MACHINE = {"processor": "A CPU", "cores": 2, "system": "Linux", "gcc": "gcc 12",
           "clang": "clang 19", "commit": "abc123"}  # fmt: skip


def result(
    kernel: str, variant: str, threads: int, *times: float, **more: str
) -> dict[str, object]:
    status = {"status": "ok", "reason": "", **more}
    return {"kernel": kernel, "variant": variant, "threads": threads, "times": times, **status}


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Path, Path]:
    """Files of results and limits: one right kernel of each suite, and one that is wrong."""
    results = [
        result("gemm", "gcc", 1, 0.4, 0.5),
        result("gemm", "clang", 1, 0.2),
        result("gemm", "fast", 1, 0.1, 0.3),
        result("gemm", "fast", 2, 0.05),
        result("gemm", "slow", 1, 0.8),
        result("lu", "gcc", 1, 1.0),
        result("lu", "fast", 1, status="WRONG", reason="a | b"),
        result("red-black", "gcc", 1, 1.0),
        result("red-black", "fast", 1, 0.25),
    ]
    tool = ["python", "-p", "tile", "{in}"]
    variants = [{"name": name, "tool": tool, "is_polyir": True} for name in ("fast", "slow")]
    variants.append({"name": "clang", "tool": None, "is_polyir": False})
    settings = {"threads": [1, 2], "data_set": "mini", "contraction": "fast"}
    content = {"machine": MACHINE, "settings": settings, "variants": variants, "results": results}
    (tmp_path / "mini.json").write_text(json.dumps(content))
    rates = [
        {"threads": n, "peak": {"double": n * 1e9, "float": n * 2e9}, "copies": {"1": n * 1e9},
         "gemm": 1.0}
        for n in (1, 2)
    ]  # fmt: skip
    kernels = [
        {"kernel": "gemm", "operations": 5e7, "read_bytes": 8, "written_bytes": 8, "footprint": 9},
        {"kernel": "red-black", "operations": 1, "read_bytes": 9e6, "written_bytes": 1e6,
         "footprint": 5000},
    ]  # fmt: skip
    limits = {"limits": rates, "kernels": kernels, "caches": {"L1": 1000, "L2": 10000}}
    (tmp_path / "limits.json").write_text(json.dumps(limits))
    return tmp_path / "mini.json", tmp_path / "limits.json"


def said(kernel: Kernel, tool: object) -> str:
    return f"{kernel.name} was tiled"


def test_page(saved: tuple[Path, Path], tmp_path: Path) -> None:
    write_docs(*saved, tmp_path, said)
    lines = (tmp_path / "performance.md").read_text().splitlines()
    for fact in ("A CPU, 2 cores", "gcc 12; clang 19", "commit: abc123", "data set: mini"):
        assert any(fact in line for line in lines), fact
    rows = {line.split(" | ")[0].strip("| "): line for line in reversed(lines) if " | " in line}
    cells = [cell.strip() for cell in rows["gemm"].strip("|").split("|")]
    assert cells == ["gemm", "400", "100", "4.00", "clang", "2.00", "0.5 GFLOP/s", "2.0", "compute"]
    assert "40.0 GB/s" not in rows["red-black"]
    assert "0.0 GB/s" in rows["red-black"]
    assert "| 25.0 | latency or scalar code, not L2 bandwidth |" in rows["red-black"]
    assert {"- gemm: fast: gemm was tiled", "- lu: WRONG: a | b"} <= set(lines)
    numbers = re.compile(r"(?<![\w-])\d[\d.]*")
    table = [line.strip("|").split("|")[1:] for line in lines if line.startswith("| ")]
    assert not [cell for row in table for cell in row if len(numbers.findall(cell)) > 1]
    # PolyBench: fast is 4 and wrong (1), slow is 0.5 and missing (1); the best of gemm and 1.
    assert "| threads | fast | slow | best polyir | best other |" in lines
    assert "| 1 | 2.00 | 0.71 | 2.00 | 1.41 |" in lines
    assert "| 2 | 2.83 | 1.00 | 2.83 | 1.41 |" in lines
    root = ElementTree.parse(tmp_path / "performance.svg").getroot()
    shown = [element.text for element in root.iter(f"{SVG}title")]
    assert "gemm, polyir, 2 threads: 8.00" in shown
    assert "gemm, best other: 2.00" in shown


def test_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"--results={tmp_path / 'no.json'}"]) == 1
    assert "run `make bench` first" in capsys.readouterr().err


def test_remarks_in_a_line() -> None:
    printed = """
a.mlir:4:3: remark: [pluto-schedule] band of 2 for S0: parallel members 0, 1
a.mlir:4:3: remark: [tile] tiled the band of 3 over S0, S1 by 32 x 32 x 32
a.mlir:4:3: remark: [tile] tiled the band of 3 over S2 by 32 x 32 x 32
a.mlir:4:3: warning: [wavefront] no wavefronts were created
a.mlir:4:3: remark: [mark-parallel] loop 1 around S0, S1, S2 and 3 more is parallel
"""
    done = "tiled the band of 3 by 32 x 32 x 32; loop 1 is parallel"
    assert summary_of_remarks(printed) == done
    assert summary_of_remarks(printed.partition("a.mlir:4:3: remark: [tile]")[0]) == (
        "band of 2: parallel members 0, 1"
    )
    assert summary_of_remarks("") == "nothing"


def test_remarks_of_optimize_in_a_line() -> None:
    printed = """
a.mlir:4:3: remark: [optimize] for 2 cores
a.mlir:4:3: remark: [optimize] tiles: 12.0 Mcycles, at the least 4.0
a.mlir:4:3: remark: [optimize] chosen: tiles
"""
    assert summary_of_remarks(printed) == "chosen: tiles"


def test_bars_stand_on_one() -> None:
    text = bars_svg(["a", "b"], {"x": {"a": 10.0, "b": 0.1}, "y": {"a": None, "b": 1.0}}, "t")
    root = ElementTree.fromstring(text)
    bars = [each for each in root.iter(f"{SVG}rect") if len(each)]
    ends = [(float(r.attrib["x"]), float(r.attrib["width"])) for r in bars]
    # To the right of 1, to its left, and on it; a gap has no bar.
    (base, width), (left, length), (on_base, nothing) = ends
    assert width == pytest.approx(length, abs=0.2)
    assert left + length == pytest.approx(base, abs=0.2)
    assert (on_base, nothing) == (base, 0.5)
    with pytest.raises(NoPlotError):
        bars_svg(["a"], {"x": {"a": None}}, "t")


@pytest.mark.parametrize("number", [1, 5, 12, 13, 40])
def test_a_picture_can_be_read_at_the_width_of_a_page(number: int) -> None:
    """No text is small, is on another one, or is outside; letters are at most 0.62 em wide."""
    names = [f"kernel-number-{each}" for each in range(number)]
    series = {f"polly-parallel@{n}": dict.fromkeys(names, 10.0 ** (n - 1)) for n in range(5)}
    root = ElementTree.fromstring(bars_svg(names, series, "title"))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    size = float(root.attrib["font-size"])
    assert width <= 900
    assert size >= 12
    boxes = []
    for each in root.iter(f"{SVG}text"):
        assert "font-size" not in each.attrib
        long = 0.62 * size * len(each.text or "")
        anchor = each.attrib.get("text-anchor", "start")
        left = float(each.attrib["x"]) - {"start": 0, "middle": long / 2, "end": long}[anchor]
        foot = float(each.attrib["y"])
        boxes.append((left, left + long, foot - size, foot))
    for left, right, top, foot in boxes:
        assert 0 <= left < right <= width
        assert 0 <= top < foot <= height
    for one, other in combinations(boxes, 2):
        assert one[1] <= other[0] or other[1] <= one[0] or one[3] <= other[2] or other[3] <= one[2]


def test_pipelines_of_the_table() -> None:
    """What is measured by default is named in one place; all of the table can be named."""
    everything = all_variants([], ["mine=tile"])
    assert {*PIPELINES, "mine"} < {variant.name for variant in everything}
    default = [variant.name for variant in measured_by_default(everything)]
    assert default == [*(variant.name for variant in COMPILERS), *MEASURED, "mine"]


def test_compile_times(tmp_path: Path) -> None:
    times = {"gemm": CompileTime(1.25, 0.5), "lu": CompileTime(2.0, 3.5)}
    before = {"gemm": CompileTime(0.75, None)}
    assert compile_time.summary(times, before).splitlines() == [
        "sum of 1              1.25      0.50      0.75         -",
        "polyir-opt, gemm: gemm 1.25 s, ABOVE the limit of 1.0 s",
        "polyir-opt, worst: lu 2.00 s, within the limit of 2.5 s",
        "gcc, worst: lu 3.50 s, ABOVE the limit of 3.0 s",
    ]
    compile_time.save(times, "tile", tmp_path / "times.json")
    assert compile_time.load(tmp_path / "times.json") == ("tile", times)


def test_the_worst_report_is_compared_with_its_limit() -> None:
    seconds = {"gemm": 0.5, "lu": 2.25}
    assert report_time.against("report", seconds, 2.5, "s").endswith("lu 2.25 s, within 2.5 s")
    assert report_time.against("report", seconds, 2.0, "s").endswith("lu 2.25 s, ABOVE 2.0 s")
