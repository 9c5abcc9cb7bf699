"""The notebook of the examples is executed."""

import os

import heatsolve
import pytest
from conftest import TOP


def test_the_notebook(monkeypatch, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    for module in ("ipykernel", "matplotlib"):
        pytest.importorskip(module)
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(heatsolve.__path__[0]))  # for the kernel, whichever Python it is of
    monkeypatch.setenv("HOME", str(tmp_path))
    notebook = nbformat.read(TOP / "examples" / "python.ipynb", as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells)  # as it is kept
    client.NotebookClient(notebook, timeout=100, resources={"metadata": {"path": TOP / "examples"}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    printed = "".join(output["text"] for output in shown if output["output_type"] == "stream")
    assert "2 mm, 100,701 nodes: 27.65" in printed and "% gravel: the whole conducts as 1." in printed
    assert sum("image/png" in output.get("data", {}) for output in shown) == 3
    assert "A floor through an insulated wall" in shown[0]["data"]["text/html"]
    assert not [output for output in shown if output["output_type"] == "stream" and output["name"] == "stderr"]
    if "HS_KEEP_NOTEBOOK" in os.environ:
        nbformat.write(notebook, os.environ["HS_KEEP_NOTEBOOK"])
