"""Every program in the documentation runs as it stands there, and every link leads somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


def programs(page: Path) -> list[str]:
    """The programs of a page, in order; one goes on where the one before it ended."""
    return CODE.findall(page.read_text(encoding="utf-8"))


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if programs(page)], ids=name)
def test_programs_of_a_page_run(page, tmp_path) -> None:
    # a file of its own, since kernels are compiled from their source; a process of its own, since some change the engine
    script = tmp_path / "page.py"
    script.write_text("\n".join(programs(page)), encoding="utf-8")
    for folder in ("models", "examples"):
        if (ROOT / folder).is_dir():
            (tmp_path / folder).symlink_to(ROOT / folder)
    result = subprocess.run([sys.executable, script.name], cwd=tmp_path, env=os.environ, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page) -> None:
    lost = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert not lost


def test_tests_of_rooms_are_there():
    """The page on tests names tests and rooms that there are."""
    page = (ROOT / "docs/testing.md").read_text()
    table = page.split("## Which tests are of which room")[1].split("\n## ")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    assert len(rows) > 10
    for rooms, tests in rows:
        for room in re.findall("`([^`]+)`", rooms):
            assert (ROOT / "src/conjoint" / room).is_dir(), room
        for name in re.findall("`([^`]+)`", tests):
            assert list((ROOT / "tests").glob(f"test_{name}.py")), name
