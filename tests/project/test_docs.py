"""Every program in the documentation runs as it stands there, and every link leads somewhere."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import conjoint
from hatch_build import with_whole_addresses
from places import ROOT
from sweeps import mostly_nightly
from tools.check_wheels import complaints_about_placeholders, relative_links

FRONT = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
PAGES = [*FRONT, *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"\{ #(\S+) \}|\bid=\"([^\"]+)\"|^::: (\S+)$", re.MULTILINE)


def programs(page: Path) -> list[str]:
    """The programs of a page, in order; one goes on where the one before it ended."""
    return CODE.findall(page.read_text(encoding="utf-8"))


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


# tutorials are executed as notebooks by make docs
RUN = [page for page in PAGES if programs(page) and page.parent.name != "tutorials"]


EVERY_CHANGE = ("README", "index", "installation", "batches", "model-editing", "scenes", "your-own-physics")
"""Pages whose programs run with every change."""


@pytest.mark.parametrize("page", mostly_nightly(RUN, [page for page in RUN if page.stem in EVERY_CHANGE]), ids=name)
def test_programs_of_a_page_run(page, tmp_path) -> None:
    # a file of its own, since kernels are compiled from their source; a process of its own, since some change the engine
    script = tmp_path / "page.py"
    script.write_text("\n".join(programs(page)), encoding="utf-8")
    for folder in ("models", "examples"):
        if (ROOT / folder).is_dir():
            (tmp_path / folder).symlink_to(ROOT / folder)
    result = subprocess.run([sys.executable, script.name], cwd=tmp_path, env=os.environ, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def places(page: Path) -> set[str]:
    """Anchors of a page: of its headings, as Git hosts and the site make them, and those that are written out."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*?)(?: \{.*\})?$", FENCED.sub("", text), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    slugs = {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}
    return slugs | {place for found in PLACE.findall(text) for place in found if place}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere_in_the_repository(page) -> None:
    """Without internet: links to own pages are relative, and places inside of pages exist."""
    lost = []
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        file, _, place = link.partition("#")
        target = page.parent / file if file else page
        outside = (
            link.startswith(("https://", "mailto:")) and "conjoint" not in link.partition("://")[2].partition("/")[0]
        )
        inside = target.exists() and (not place or target.suffix != ".md" or place in places(target))
        lost += [] if outside or inside else [link]
    assert lost == []


def test_nothing_points_at_a_home_that_does_not_exist() -> None:
    """Only placeholders, which `make release` refuses."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert all("placeholder.invalid" in url for url in project["urls"].values())
    for file in ("mkdocs.yml", "CITATION.cff", "README.md", "docs/index.md", "docs/installation.md", "Makefile"):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert "git clone ADDRESS" not in text and "https://conjoint" not in text, file
    told = list(complaints_about_placeholders("CITATION.cff", (ROOT / "CITATION.cff").read_text(encoding="utf-8")))
    assert len(told) == 2 and "still has a placeholder: - name: PLACEHOLDER" in told[0]


def test_the_readme_is_short_and_an_index_gets_whole_addresses() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 600
    assert "make demo" in text and "make test" in text
    links = LINK.findall(text)
    assert len(links) > 10 and any(link.endswith((".gif", ".png")) for link in links)
    shown = with_whole_addresses(text, "https://example.org/conjoint/", "v1.0")
    assert relative_links(shown) == []
    assert "](https://example.org/conjoint/blob/v1.0/docs/batches.md)" in shown
    assert "](https://example.org/conjoint/raw/v1.0/docs/pictures/demo.gif)" in shown
    # others are as they were
    assert "](https://mujoco.readthedocs.io)" in shown


def test_first_steps_do_not_ask_an_index_for_the_package() -> None:
    """It is on none."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"pip install '?conjoint|pip install \./conjoint", text), page


def test_simulation_functions_are_in_the_order_of_the_pipeline() -> None:
    text = (ROOT / "docs/reference/simulation-functions.md").read_text(encoding="utf-8")
    found = re.findall(r"^::: conjoint\.(\w+)$", text, re.MULTILINE)
    order = [
        "mj_step",
        "mj_step1",
        "mj_checkPos",
        "mj_forward",
        "mj_fwdPosition",
        "mj_kinematics",
        "mj_comPos",
        "mj_tendon",
        "mj_makeM",
        "mj_collision",
        "mj_makeConstraint",
        "mj_transmission",
        "mj_sensorPos",
        "mj_fwdVelocity",
        "mj_passive",
        "mj_sensorVel",
        "mj_fwdActuation",
        "mj_fwdAcceleration",
        "mj_fwdConstraint",
        "mj_sensorAcc",
        "mj_Euler",
        "mj_inverse",
    ]
    assert [name for name in found if name in order] == order


def test_every_page_is_in_the_navigation() -> None:
    """Under a title of one level; `mkdocs build` checks that what is listed is there."""
    listed = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:")[1]
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if not re.search(rf"[ ]{re.escape(page)}$", listed, re.MULTILINE)] == []


def test_every_public_name_is_in_the_reference() -> None:
    """`make docs` looks whether its entry in the built site has a signature, too."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/reference").glob("*.md"))
    entries = set(
        re.findall(r"^::: conjoint\.(\S+)$|\{ #conjoint\.(\w+) \}|id=\"conjoint\.(\w+)\"", pages, re.MULTILINE)
    )
    named = {name for entry in entries for name in entry if name}
    assert set(dir(conjoint)) - named == set()
    inside = {"batch.cluster.ClusterBatch", "envs.Task", "rollout.Rollout", "viewer.launch_passive", "viewer.web.Crowd"}
    assert inside <= named
