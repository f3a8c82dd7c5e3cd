"""The notebook in examples/, run as Jupyter would."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "report.ipynb"


def shown(cell: nbformat.NotebookNode, kind: str) -> list[str]:
    """What a cell shows in one format."""
    return ["".join(out.data[kind]) for out in cell.outputs if kind in out.get("data", {})]


@pytest.fixture(scope="module")
def cells() -> list[nbformat.NotebookNode]:
    """The cells of code, after they have run; a cell that raises is an error."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    folder = {"metadata": {"path": str(NOTEBOOK.parent)}}
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources=folder).execute()
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_reports_are_shown_in_frames(cells: list[nbformat.NotebookNode]) -> None:
    frames = [frame for cell in cells for frame in shown(cell, "text/html")]
    assert [frame.startswith("<iframe ") for frame in frames] == [True, True]
    for frame, step in zip(frames, ("tile", "wavefront"), strict=True):
        assert f"&lt;h2&gt;{step}&lt;/h2&gt;" in frame


def test_a_report_is_saved(cells: list[nbformat.NotebookNode]) -> None:
    printed = ["".join(out.text) for cell in cells for out in cell.outputs if "text" in out]
    assert printed == ["True\n"]


def test_the_notebook_is_kept_without_outputs() -> None:
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
