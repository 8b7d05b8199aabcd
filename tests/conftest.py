"""Shared setup of all tests: the models of the repository, the corpus, the oracle."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from browsers import CHROMIUM, SOFTWARE
from opengl import why_not
from waiting import PATIENCE

pytest_plugins = ["durations"]

# all ways of compiling give the same bits, so tests do without optimized objects; `make nightly` runs with them
os.environ.setdefault("CONJOINT_OPTIMIZE", "never")

# its assertions report differences
pytest.register_assert_rewrite("compiled")

# a slow machine fails no test: the same examples each time, as many as are asked for, however long one takes;
# `make nightly` draws others, and more of them
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("every change", deadline=None, derandomize=True, suppress_health_check=SLOW)
settings.register_profile("nightly", deadline=None, max_examples=2000, suppress_health_check=SLOW)
settings.load_profile("every change")

MODELS = sorted((Path(__file__).parent.parent / "models").glob("*.xml"))
"""The repository's own models."""

CORPUS = Path(os.environ["CONJOINT_CORPUS"]) if os.environ.get("CONJOINT_CORPUS") else None
"""Folder of public models, where there is one."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests with an argument `model_path` on every model of the repository."""
    if "model_path" in metafunc.fixturenames:
        metafunc.parametrize("model_path", [str(p) for p in MODELS], ids=[p.stem for p in MODELS])


def pytest_configure(config: pytest.Config) -> None:
    """Disable garbage collection while tests are collected, because it took a fifth of that time."""
    # the process that only hands out tests collects none
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Enable garbage collection again, but exempt the objects that exist now."""
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(params=["3.3.5", "4.0"])
def edition(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the test in both editions, which apply to models that choose none.

    `@pytest.mark.usefixtures("edition")` marks tests that need not know it, and files of such tests.
    """
    chosen = str(request.param)
    # the environment, which processes that a test starts have, too
    monkeypatch.setenv("CONJOINT_SEMANTICS", chosen)
    return chosen


@pytest.fixture
def corpus() -> Path:
    """Return the corpus; the test is skipped, visibly, where there is none."""
    if CORPUS is None or not CORPUS.is_dir():
        pytest.skip("CONJOINT_CORPUS names no folder of public models")
    return CORPUS


@pytest.fixture(scope="session")
def opengl() -> None:
    """Skip tests that render if OpenGL is unavailable."""
    # CONJOINT_JIT=0: scenes are made by many kernels
    reason = "scenes are drawn by compiled kernels only" if os.environ.get("CONJOINT_JIT") == "0" else why_not()
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Yield a browser without a screen."""
    api = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM:
        pytest.skip("pages are tested with Chromium (Debian: apt-get install chromium)")
    with api.sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE, timeout=1000 * PATIENCE)
        yield chromium
        chromium.close()
