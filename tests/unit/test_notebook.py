"""The notebooks in examples/, run as Jupyter would."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[2] / "examples"


def shown(cell: nbformat.NotebookNode, kind: str) -> list[str]:
    """What a cell shows in one format."""
    return ["".join(out.data[kind]) for out in cell.outputs if kind in out.get("data", {})]


def executed(name: str) -> list[nbformat.NotebookNode]:
    """The cells of code, after they have run; a cell that raises is an error."""
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    folder = {"metadata": {"path": str(EXAMPLES)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=folder).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def printed(cells: list[nbformat.NotebookNode]) -> list[str]:
    """What the cells print."""
    return ["".join(out.text) for cell in cells for out in cell.outputs if "text" in out]


@pytest.fixture(scope="module")
def cells() -> list[nbformat.NotebookNode]:
    return executed("report.ipynb")


def test_reports_are_shown_in_frames(cells: list[nbformat.NotebookNode]) -> None:
    frames = [frame for cell in cells for frame in shown(cell, "text/html")]
    assert [frame.startswith("<iframe ") for frame in frames] == [True, True]
    for frame, step in zip(frames, ("tile", "wavefront"), strict=True):
        assert f"&lt;h2&gt;{step}&lt;/h2&gt;" in frame


def test_a_report_is_saved(cells: list[nbformat.NotebookNode]) -> None:
    assert printed(cells) == ["True\n"]


@pytest.mark.matrix
def test_schedule_trees() -> None:
    cells = executed("schedule-trees.ipynb")
    refused, code, same = printed(cells)
    assert "must run before" in refused
    assert "#pragma omp parallel for" in code
    assert same == "True\n"
    assert [len(shown(cell, "image/svg+xml")) for cell in cells] == [1, 0, 1, 1, 0, 0]


@pytest.mark.parametrize("name", ["report.ipynb", "schedule-trees.ipynb"])
def test_notebooks_are_kept_without_outputs(name: str) -> None:
    for cell in nbformat.read(EXAMPLES / name, as_version=4).cells:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
