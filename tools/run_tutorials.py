"""MkDocs hook that executes the programs of docs/tutorials/ as notebooks; pages show their output.

A tutorial is a page of Markdown. Its Python blocks are the cells of a notebook, which run in order in one kernel when
the site is built. If a cell fails, the build fails. Below each block, the page shows the text, plots and films that the
block produced. The notebook with its results can be downloaded from the page.
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
"""Folder of the tutorials, relative to docs/."""

CODE = re.compile(r"^```python\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
"""Pattern of a code block in a page that becomes a cell of the notebook."""

PICTURES = {"image/gif": "gif", "image/png": "png", "image/svg+xml": "svg"}
"""File suffixes of the outputs that are saved as files, by MIME type."""

SLOWEST = 600
"""Longest duration of a cell (s); a cell that takes longer fails."""

PREVIEW = "The result of this page's program"
"""Alternative text of the picture at the beginning of a page."""

DOWNLOAD = "[Download this page as a notebook]({name}){{ download={name} }}\n\n"

DRAFT = "CONJOINT_SITE_DRAFT"
"""Environment variable that disables the execution of tutorials, for a quick preview of the pages."""

Running = dict[str, Future[NotebookNode]]

running: Running = {}
"""Notebooks that are being executed, by page."""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Start executing all tutorials, two at a time, unless the site is a draft."""
    running.clear()
    if os.environ.get(DRAFT):
        return
    pool = ThreadPoolExecutor(2)
    for file in files.documentation_pages():
        if file.src_uri.startswith(FOLDER) and CODE.search(file.content_string):
            running[file.src_uri] = pool.submit(executed, notebook(file.content_string))
    pool.shutdown(wait=False)


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str | None:
    """Return a tutorial with the results of its programs, and add its notebook and pictures to the site's files."""
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
    """Return the notebook of a page, with a cell for each code block and for each text between code blocks."""
    cells = []
    for number, part in enumerate(CODE.split(text)):
        if part.strip():
            cells.append((v4.new_code_cell if number % 2 else v4.new_markdown_cell)(part.strip()))
    return v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})


def executed(book: NotebookNode) -> NotebookNode:
    """Execute a notebook; return it with the results of its cells.

    Raises:
        CellExecutionError: a cell failed.
    """
    # one thread suffices because matrices are small; two notebooks run at the same time
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            book, timeout=SLOWEST, resources={"metadata": {"path": folder}}, extra_arguments=["--log-level=ERROR"]
        )
        return client.execute(env=env)


def shown(book: NotebookNode, stem: str) -> tuple[str, dict[str, bytes]]:
    """Return the page of a notebook as Markdown, and the files that the page shows; their names start with `stem`."""
    pictures: dict[str, bytes] = {}
    parts: list[str] = []
    for cell in book.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source + "\n")
            # the first part contains the title and the goals
            if len(parts) == 1:
                parts.append(DOWNLOAD.format(name=f"{stem}.ipynb"))
            continue
        for output in cell.outputs:
            # the HTML output contains the film a second time
            if "image/gif" in output.get("data", {}):
                output.data.pop("text/html", None)
        parts.append(f"```python\n{cell.source}\n```\n")
        parts += [result(output, stem, pictures) for output in joined(cell.outputs)]
    # show readers the result at the beginning of the page
    if (preview := previewed(list(pictures))) is not None:
        parts.insert(1, f"![{PREVIEW}]({preview})\n")
    return "\n".join(part for part in parts if part), pictures


def previewed(pictures: list[str]) -> str | None:
    """Return the picture to show at the beginning of a page: its last film, or else its last picture, or None."""
    films = [name for name in pictures if name.endswith(".gif")]
    return (films or pictures or [None])[-1]


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Return the outputs of a cell, with consecutive pieces of printed text joined."""
    found: list[NotebookNode] = []
    for output in outputs:
        if found and output.output_type == found[-1].output_type == "stream" and output.name == found[-1].name:
            found[-1] = v4.new_output("stream", name=output.name, text=found[-1].text + output.text)
        else:
            found.append(output)
    return found


def result(output: NotebookNode, stem: str, pictures: dict[str, bytes]) -> str:
    """Return an output of a cell as Markdown; if it is a picture, add its file to `pictures`."""
    if output.output_type == "stream":
        return f"```text\n{output.text.rstrip()}\n```\n" if output.text.strip() else ""
    data: Any = output.data
    for kind, ending in PICTURES.items():
        if kind in data:
            name = f"{stem}-{len(pictures) + 1}.{ending}"
            pictures[name] = data[kind].encode() if ending == "svg" else b64decode(data[kind])
            return f"![What the program shows]({name})\n"
    if data.get("text/html", "").strip():
        # in Markdown, empty lines would end the HTML element
        html = "\n".join(line for line in data["text/html"].splitlines() if line.strip())
        return f"<div>\n{html}\n</div>\n"
    text = data.get("text/plain", "").strip()
    return f"```text\n{text}\n```\n" if text else ""
