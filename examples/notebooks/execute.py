"""Runs the notebooks of this folder from scratch, and writes them with what they display.

    python examples/notebooks/execute.py [NOTEBOOK...]

It takes nbclient and ipykernel, and what the notebooks name. They run in a copy of the examples, which is removed.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def executed(path):
    """A notebook with new outputs, and nothing about the machine or the time."""
    book = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        examples = shutil.copytree(HERE.parent, Path(folder, "examples"))
        place = {"metadata": {"path": examples / "notebooks"}}
        options = {"timeout": 120, "record_timing": False, "coalesce_streams": True}
        client = NotebookClient(book, kernel_name="python3", resources=place, **options)
        client.execute()
    book.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for cell in book.cells:
        cell.metadata = {}
        for output in cell.get("outputs", []):
            output.pop("metadata", None) if output.output_type == "stream" else output.update(metadata={})
            output.get("data", {}).pop("image/svg+xml", None)  # of a picture that is there as HTML, too
    return book


if __name__ == "__main__":
    for name in sys.argv[1:] or sorted(HERE.glob("*.ipynb")):
        nbformat.write(executed(name), name)
