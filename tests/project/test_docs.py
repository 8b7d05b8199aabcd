"""Every program in the documentation runs as written, and every link has a target."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import conjoint
from places import ROOT
from sweeps import mostly_nightly

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINKING = [*PAGES, ROOT / "CHANGELOG.md"]
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def programs(page: Path) -> list[str]:
    """Return the programs of a page in order; each program continues the previous one."""
    return CODE.findall(page.read_text(encoding="utf-8"))


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


# `make docs` executes tutorials as notebooks
RUN = [page for page in PAGES if programs(page) and page.parent.name != "tutorials"]


ANYWHERE = ("README", "index", "api-in-ten-minutes")
"""Pages whose programs need only `pip install` and no source checkout."""

EVERY_CHANGE = (*ANYWHERE, "installation", "batches", "model-editing", "scenes", "your-own-physics", "your-robot")
"""Pages whose programs are tested with every change to the repository."""


@pytest.mark.parametrize("page", mostly_nightly(RUN, [page for page in RUN if page.stem in EVERY_CHANGE]), ids=name)
def test_programs_of_a_page_run(page, tmp_path) -> None:
    # use a file, since kernels are compiled from their source, and a process, since some programs modify the engine
    script = tmp_path / "page.py"
    script.write_text("\n".join(programs(page)), encoding="utf-8")
    for folder in ("models", "examples"):
        if (ROOT / folder).is_dir() and page.stem not in ANYWHERE:
            (tmp_path / folder).symlink_to(ROOT / folder)
    result = subprocess.run([sys.executable, script.name], cwd=tmp_path, env=os.environ, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", LINKING, ids=name)
def test_links_lead_somewhere(page) -> None:
    lost = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert not lost


def test_the_readme_is_short() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 600
    assert "make demo" in text and "make test" in text
    assert re.search(r"!\[[^]]+\]\(docs/pictures/\S+\.(gif|png|webp)\)", text)


FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
WRITTEN = re.compile(r"\{ #(\S+) \}|\bid=\"([^\"]+)\"|^::: (\S+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page: those of headings, as Git hosts and the site create them, and explicit ones."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*?)(?: \{.*\})?$", FENCED.sub("", text), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    slugs = {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}
    return slugs | {anchor for found in WRITTEN.findall(text) for anchor in found if anchor}


@pytest.mark.parametrize("page", LINKING, ids=name)
def test_links_into_pages_find_their_places(page) -> None:
    links = re.findall(r"\]\(([^):\s]*)#([^)\s]+)\)", FENCED.sub("", page.read_text(encoding="utf-8")))
    targets = [(page.parent / file if file else page, anchor) for file, anchor in links]
    lost = [anchor for file, anchor in targets if file.suffix == ".md" and anchor not in anchors(file)]
    assert lost == []


OTHERS = (
    "mujoco.readthedocs.io", "keepachangelog.com", "semver.org", "peps.python.org", "github.com", "doi.org", "ray.io",
    "viser.studio",
)  # fmt: skip
"""External sites to which pages of the documentation may link."""


@pytest.mark.parametrize("page", LINKING, ids=name)
def test_links_need_no_home(page) -> None:
    """All links between pages are relative, so they work on any host and in a checkout."""
    outside = re.findall(r"\]\(https?://([^/)\s]+)", page.read_text(encoding="utf-8"))
    assert [site for site in outside if not site.removeprefix("www.").endswith(OTHERS)] == []


def test_every_page_is_in_the_navigation() -> None:
    """Every page is in the navigation, one level deep; `mkdocs build` checks that listed pages exist."""
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:")[1]
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if not re.search(rf"[ ]{re.escape(page)}$", listed, re.MULTILINE)] == []


def test_every_public_name_is_in_the_reference() -> None:
    """Every public name is in the reference; `make docs` also checks the signatures in the built site."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md"))
    entries = set(
        re.findall(r"^::: conjoint\.(\S+)$|\{ #conjoint\.(\w+) \}|id=\"conjoint\.(\w+)\"", pages, re.MULTILINE)
    )
    named = {name for entry in entries for name in entry if name}
    assert set(dir(conjoint)) - named == set()
    inside = {"batch.cluster.ClusterBatch", "envs.Task", "rollout.Rollout", "viewer.launch_passive", "viewer.web.Crowd"}
    assert inside <= named
