#!/usr/bin/env python3
"""Check the built site: searches find their pages, public names have entries, links are valid, pages are accessible.

Usage: check_site.py [SITE], after `mkdocs build`

SITE is out/site by default. The exit status is 1 if a check fails.
"""

import re
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
sys.path.insert(0, str(ROOT / "tools"))

from api_pages import api_pages, stub_names  # noqa: E402
from site_quality import faults  # noqa: E402
from site_search import SiteSearch  # noqa: E402

QUERIES = {
    "domain randomization": "domain-randomization",
    "mpc": "control tutorials/mpc",
    "pickle": "saving-and-processes batches",
    "multiprocessing": "saving-and-processes",
    "save state": "saving-and-processes",
    "set_state": "from-gymnasium saving-and-processes",
    "stable-baselines": "learning questions",
    "reinforcement learning": "learning tutorials/learning-to-walk",
    "ppo": "learning",
    "gym": "from-gymnasium learning",
    "windows": "installation",
    "macos": "installation",
    "install": "installation",
    "gpu": "questions from-mjx features",
    "jax": "from-mjx",
    "pytorch": "questions from-mjx",
    "pybullet": "from-pybullet",
    "drake": "from-drake",
    "dm_control": "from-dm-control official-programs",
    "ros": "questions modeling",
    "urdf": "modeling reference/urdf tutorials/urdf-robot",
    "video": "rendering",
    "notebook": "rendering",
    "headless": "rendering",
    "depth image": "rendering",
    "segmentation": "rendering ray-rendering",
    "camera": "rendering ray-rendering scenes reference/worldbody",
    "lidar": "ray-rendering tutorials/pixels-and-lidar",
    "viewer": "viewer web-viewer",
    "lqr": "control tutorials/control-lqr",
    "ilqr": "derivatives tutorials/ilqr",
    "trajectory optimization": "tutorials/ilqr",
    "system identification": "control tutorials/identification",
    "inverse kinematics": "control",
    "inverse dynamics": "control",
    "jacobian": "reference/support-functions control",
    "mass matrix": "reference/support-functions from-drake questions",
    "set position of a body": "questions",
    "license": "questions",
    "cite": "questions",
    "contact force": "modeling tutorials/contacts",
    "friction": "modeling tutorials/contacts",
    "seed": "determinism",
    "determinism": "determinism",
    "threads": "threads batches",
    "keyframe": "modeling reference/keyframe",
    "tendon": "modeling reference/tendon",
    "muscle": "modeling reference/actuator",
    "soft body": "modeling tutorials/cloth",
    "cloth": "modeling tutorials/cloth",
    "mesh": "reference/asset",
    "imu": "modeling",
    "timestep": "modeling reference/option",
    "debugging": "kernel-language your-own-physics",
    "mj_step": "reference/simulation-functions",
    "api": "api-in-ten-minutes",
    "conventions": "api-in-ten-minutes",
}
"""Typical search queries, each with the expected pages; one of these must be among the first three results."""

FIRST = 3


def unfound(site: Path) -> Iterator[str]:
    """Yield a line for each query in `QUERIES` whose first three results contain none of the expected pages."""
    search = SiteSearch(site / "search" / "search_index.json")
    for query, wanted in QUERIES.items():
        found = [page.removesuffix(".html") for page in search.pages(query)[:FIRST]]
        if not set(wanted.split()) & set(found):
            yield f"the search for {query!r} finds {', '.join(found) or 'nothing'}, not {wanted.replace(' ', ' or ')}"


def unexplained(site: Path) -> Iterator[str]:
    """Yield a line for each public name without a reference entry, and for each entry without text or signature."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (site / "reference").glob("*.html")}
    named = [f"conjoint.{name}" for names in stub_names().values() for name in names]
    for name in (*named, *re.findall(r"^::: (\S+)$", "\n".join(api_pages().values()), re.MULTILINE)):
        if not any(f'id="{name}"' in text for text in texts.values()):
            yield f"{name} has no entry in the reference"
    for page, text in texts.items():
        for kind, name, rest in re.findall(
            r'<div class="doc doc-object doc-(function|class)">.*?id="([\w.]+)"(.*?)(?=<div class="doc doc-object|$)',
            text,
            re.DOTALL,
        ):
            if "doc-signature" not in rest and kind == "function":
                yield f"{name} on the page {page} has no signature"
            if not re.search(r"<p>\s*\S", rest):
                yield f"{name} on the page {page} has no text"


def broken(site: Path) -> Iterator[str]:
    """Yield a line for each link whose target page or anchor does not exist."""
    places: dict[Path, set[str]] = {}
    for path in site.rglob("*.html"):
        if path.name == "404.html":
            # its links are relative to the server's root
            continue
        text = path.read_text(encoding="utf-8")
        places[path.resolve()] = {unescape(place) for place in re.findall(r'\bid="([^"]*)"', text)}
    for path in places:
        for link in set(re.findall(r'<a [^>]*href="([^":]*)"', path.read_text(encoding="utf-8"))):
            page, _, place = unescape(link).partition("#")
            target = (path.parent / page).resolve() if page else path
            if not target.exists() or (place and target in places and place not in places[target]):
                yield f"{path.relative_to(site.resolve())} links to {link}, which is not there"


def main(site: Path) -> int:
    """Check a site and print the faults; return the exit status."""
    wrong = [*unfound(site), *unexplained(site), *broken(site), *faults(site)]
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print(f"{len(QUERIES)} queries find a fitting page, all public names are in the reference, no link is broken.")
        print("Pages are light; pictures have texts and sizes; links have names; headings are in order.")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "site"))
