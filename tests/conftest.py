"""What all tests share: the models of the repository, the corpus, the oracle."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsers import CHROMIUM, SOFTWARE

# its assertions say what differs
pytest.register_assert_rewrite("compiled")

MODELS = sorted((Path(__file__).parent.parent / "models").glob("*.xml"))
"""The repository's own models."""

CORPUS = Path(os.environ["CONJOINT_CORPUS"]) if os.environ.get("CONJOINT_CORPUS") else None
"""Folder of public models, where there is one."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with an argument `model_path` runs on every model of the repository."""
    if "model_path" in metafunc.fixturenames:
        metafunc.parametrize("model_path", [str(p) for p in MODELS], ids=[p.stem for p in MODELS])


def pytest_configure(config: pytest.Config) -> None:
    """Ten thousand tests stay: looking for garbage among them took a fifth of the time in which they are collected."""
    # the process that only hands out tests collects none
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Look for garbage again, but not among what is there by now."""
    gc.enable()
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with tests that take long come first: no process works on one of them alone at the end."""
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture
def corpus() -> Path:
    """The corpus; the test is skipped, visibly, where there is none."""
    if CORPUS is None or not CORPUS.is_dir():
        pytest.skip("CONJOINT_CORPUS names no folder of public models")
    return CORPUS


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser without a screen."""
    api = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM:
        pytest.skip("pages are tested with Chromium (Debian: apt-get install chromium)")
    with api.sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE)
        yield chromium
        chromium.close()
