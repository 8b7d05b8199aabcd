"""MkDocs hook that executes the programs of docs/tutorials/ as notebooks; pages show their output.

A tutorial is a page of Markdown. Its Python blocks are the cells of a notebook, and run in order in one kernel when
the site is made; a cell that fails fails the site. Behind each block stands what it printed and showed: text, plots,
films. The notebook with its results can be downloaded from the page.
"""

from __future__ import annotations

import os
import re
import tempfile
from base64 import b64decode
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import PurePosixPath
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode, v4

FOLDER = "tutorials/"
"""Folder of the tutorials, in docs/."""

CODE = re.compile(r"^```python\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
"""A block that is a cell."""

PICTURES = {"image/gif": "gif", "image/png": "png", "image/svg+xml": "svg"}
"""Results that become files: their kinds, and the suffixes of the files."""

SLOWEST = 600
"""A cell that takes longer (s) is an error."""

PREVIEW = "The result of this page's program"
"""Alternative text of the picture at the beginning of a page."""

DOWNLOAD = "[Download this page as a notebook]({name}){{ download={name} }}\n\n"

DRAFT = "CONJOINT_SITE_DRAFT"
"""Variable of the environment that leaves tutorials as they are written, to look at pages quickly."""

Running = dict[str, Future[NotebookNode]]

running: Running = {}
"""Notebooks that are executed, by pages."""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Start to execute all tutorials, two at a time; none in a draft."""
    running.clear()
    if os.environ.get(DRAFT):
        return
    pool = ThreadPoolExecutor(2)
    for file in files.documentation_pages():
        if file.src_uri.startswith(FOLDER) and CODE.search(file.content_string):
            running[file.src_uri] = pool.submit(executed, notebook(file.content_string))
    pool.shutdown(wait=False)


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str | None:
    """Return the page with results."""
    name = page.file.src_uri
    if name not in running:
        return None
    try:
        done = running[name].result()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        raise PluginError(f"{name}: {error}") from error
    text, pictures = shown(done, PurePosixPath(name).stem)
    pictures[f"{PurePosixPath(name).stem}.ipynb"] = nbformat.writes(done).encode()
    for file, content in pictures.items():
        files.append(File.generated(config, FOLDER + file, content=content))
    return text


def notebook(text: str) -> NotebookNode:
    """Return the notebook of a page: code blocks and the text between them are cells."""
    cells = []
    for number, part in enumerate(CODE.split(text)):
        if part.strip():
            cells.append((v4.new_code_cell if number % 2 else v4.new_markdown_cell)(part.strip()))
    return v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})


def executed(book: NotebookNode) -> NotebookNode:
    """Return the notebook with the results of its cells.

    Raises:
        CellExecutionError: a cell failed.
    """
    # matrices are small, and two notebooks run side by side
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            book, timeout=SLOWEST, resources={"metadata": {"path": folder}}, extra_arguments=["--log-level=ERROR"]
        )
        return client.execute(env=env)


def shown(book: NotebookNode, stem: str) -> tuple[str, dict[str, bytes]]:
    """Return the page of a notebook, and the files that it shows, by names that start with `stem`."""
    pictures: dict[str, bytes] = {}
    parts: list[str] = []
    for cell in book.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source + "\n")
            # the first part is the title and the goals
            if len(parts) == 1:
                parts.append(DOWNLOAD.format(name=f"{stem}.ipynb"))
            continue
        for output in cell.outputs:
            # the same film once more
            if "image/gif" in output.get("data", {}):
                output.data.pop("text/html", None)
        parts.append(f"```python\n{cell.source}\n```\n")
        parts += [result(output, stem, pictures) for output in joined(cell.outputs)]
    # readers see first what they will make
    if (preview := previewed(list(pictures))) is not None:
        parts.insert(1, f"![{PREVIEW}]({preview})\n")
    return "\n".join(part for part in parts if part), pictures


def previewed(pictures: list[str]) -> str | None:
    """Return the preview picture of a page: its last film, or else its last picture."""
    films = [name for name in pictures if name.endswith(".gif")]
    return (films or pictures or [None])[-1]


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Return the results, with output printed in pieces joined."""
    found: list[NotebookNode] = []
    for output in outputs:
        if found and output.output_type == found[-1].output_type == "stream" and output.name == found[-1].name:
            found[-1] = v4.new_output("stream", name=output.name, text=found[-1].text + output.text)
        else:
            found.append(output)
    return found


def result(output: NotebookNode, stem: str, pictures: dict[str, bytes]) -> str:
    """Return one result as Markdown."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```\n" if output.text.strip() else ""
    data: Any = output.data
    for kind, ending in PICTURES.items():
        if kind in data:
            name = f"{stem}-{len(pictures) + 1}.{ending}"
            pictures[name] = data[kind].encode() if ending == "svg" else b64decode(data[kind])
            return f"![What the program shows]({name})\n"
    if data.get("text/html", "").strip():
        # lines in between would end the element for Markdown
        html = "\n".join(line for line in data["text/html"].splitlines() if line.strip())
        return f"<div>\n{html}\n</div>\n"
    text = data.get("text/plain", "").strip()
    return f"```text\n{text}\n```\n" if text else ""
