"""Shared setup of all tests: models in the repository, the corpus, editions, OpenGL and a browser."""

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

# all compilation policies give the same bits, so that tests can omit optimized objects; `make nightly` includes them
os.environ.setdefault("CONJOINT_OPTIMIZE", "never")

# assertions in this module report differences
pytest.register_assert_rewrite("compiled")

# a slow machine must not fail a test: every run has the same number of the same examples, however long one takes; `make
# nightly` draws different examples, and more of them
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("every change", deadline=None, derandomize=True, suppress_health_check=SLOW)
settings.register_profile("nightly", deadline=None, max_examples=2000, suppress_health_check=SLOW)
settings.load_profile("every change")

MODELS = sorted((Path(__file__).parent.parent / "models").glob("*.xml"))
"""Model files in the repository."""

CORPUS = Path(os.environ["CONJOINT_CORPUS"]) if os.environ.get("CONJOINT_CORPUS") else None
"""Folder of public models, or None if the environment names none."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests with an argument `model_path` on every model in the repository."""
    if "model_path" in metafunc.fixturenames:
        metafunc.parametrize("model_path", [str(p) for p in MODELS], ids=[p.stem for p in MODELS])


def pytest_configure(config: pytest.Config) -> None:
    """Disable garbage collection during test collection, because it took a fifth of that time."""
    # the process that only distributes tests collects none
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Enable garbage collection again, but exempt the objects that exist now."""
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(params=["3.3.5", "4.0"])
def edition(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run the test in both editions, which apply to models that select none, and return the edition.

    Use `@pytest.mark.usefixtures("edition")` for tests, or files of tests, that do not need the return value.
    """
    chosen = str(request.param)
    # processes that a test starts inherit the environment variable
    monkeypatch.setenv("CONJOINT_SEMANTICS", chosen)
    return chosen


@pytest.fixture
def corpus() -> Path:
    """Return the corpus folder; skip the test if there is none."""
    if CORPUS is None or not CORPUS.is_dir():
        pytest.skip("CONJOINT_CORPUS names no folder of public models")
    return CORPUS


@pytest.fixture(scope="session")
def opengl() -> None:
    """Skip tests that render if OpenGL is unavailable."""
    # with CONJOINT_JIT=0, the many kernels that prepare scenes would be too slow
    reason = "scenes are drawn by compiled kernels only" if os.environ.get("CONJOINT_JIT") == "0" else why_not()
    if reason:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Yield a headless browser."""
    api = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM:
        pytest.skip("pages are tested with Chromium (Debian: apt-get install chromium)")
    with api.sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=SOFTWARE, timeout=1000 * PATIENCE)
        yield chromium
        chromium.close()
