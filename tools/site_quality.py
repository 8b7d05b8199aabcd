"""Checks of the built site that need no internet: size, pictures, headings, link names, colors, files from other sites.

They are the checks of Lighthouse that need only the files of the site: requirements of screen readers, phones and
search engines.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

HEAVIEST = 3_000_000
"""Largest size of a page in bytes, with its styles, scripts and pictures. The film of the front page is not counted,
because it is loaded later.
"""

HTML = 1_600_000
"""Largest size of a page's HTML in bytes."""

DESCRIPTION = 40, 200
"""Smallest and largest length of a page's description, in characters."""

DEEPEST = 4
"""Deepest heading level for which a skipped level is a fault.

Deeper headings are those of class members in the reference, which may skip levels.
"""

CONTRAST = 4.5
"""Smallest contrast between text and background (WCAG 2.2, 1.4.3)."""

PAIRS = {
    "default": (("md-typeset-a-color", "#ffffff"), ("md-accent-fg-color", "#ffffff"),
                ("md-primary-bg-color", "md-primary-fg-color"), ("md-typeset-a-color", "conjoint-card")),
    "slate": (("md-typeset-a-color", "md-default-bg-color"), ("md-accent-fg-color", "md-default-bg-color"),
              ("md-default-fg-color", "md-default-bg-color"), ("md-default-fg-color--light", "md-default-bg-color"),
              ("md-default-fg-color", "conjoint-card"), ("md-typeset-a-color", "conjoint-card"),
              ("md-primary-bg-color", "md-primary-fg-color")),
}  # fmt: skip
"""Pairs of text and background colors for each color scheme, as variables of site.css or as values."""

VOID = {"img", "meta", "link", "input", "br", "hr", "source", "area", "base", "col", "embed", "track", "wbr"}


@dataclass
class Element:
    """An HTML element with its attributes and the text inside it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""

    @property
    def name(self) -> str:
        """Return the accessible name, which a screen reader reads aloud."""
        return (self.text + self.attributes.get("aria-label", "") + self.attributes.get("title", "")).strip()


class Parsed(HTMLParser):
    """HTML elements of a page.

    Attributes:
        elements: lists of the elements, by tag.
        levels: levels of the headings, in page order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.elements: dict[str, list[Element]] = {}
        self.levels: list[int] = []
        self._open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.setdefault(tag, []).append(element)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "img":
            for outer in self._open:
                outer.text += element.attributes.get("alt", "")
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        while self._open and any(element.tag == tag for element in self._open):
            if self._open.pop().tag == tag:
                break

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, *tags: str) -> list[Element]:
        """Return the elements of the page that have one of these tags."""
        return [element for tag in tags for element in self.elements.get(tag, [])]


def parsed(text: str) -> Parsed:
    """Parse the HTML of a page; return its elements and heading levels."""
    page = Parsed()
    page.feed(text)
    return page


def faults(site: Path) -> Iterator[str]:
    """Yield a line for each fault of a site's pages and colors."""
    titles: dict[str, str] = {}
    for path in sorted(site.rglob("*.html")):
        name = path.relative_to(site).as_posix()
        # skip pages of scenes, which show only a picture with a bar
        if name == "404.html" or name.startswith("scenes/"):
            continue
        page = parsed(path.read_text(encoding="utf-8"))
        for fault in (*head_faults(page), *picture_faults(page), *text_faults(page), *weight_faults(path, page)):
            yield f"{name}: {fault}"
        title = page.all("title")[0].text if page.all("title") else ""
        if title in titles:
            yield f"{name}: its title {title!r} is that of {titles[title]}"
        titles[title] = name
    yield from color_faults((site / "site.css").read_text(encoding="utf-8"))


def head_faults(page: Parsed) -> Iterator[str]:
    """Yield a line for each missing or unsuitable piece of metadata, and for each file loaded from another site."""
    metas = {meta.attributes.get("name"): meta.attributes.get("content", "") for meta in page.all("meta")}
    if "width=device-width" not in metas.get("viewport", ""):
        yield "no viewport for phones"
    if not page.all("html")[0].attributes.get("lang"):
        yield "no language"
    if not page.all("title") or not page.all("title")[0].text.strip():
        yield "no title"
    low, high = DESCRIPTION
    if not low <= len(metas.get("description", "")) <= high:
        yield f"its description has {len(metas.get('description', ''))} characters, not {low} to {high}"
    for element in page.all("script", "link", "img", "iframe", "source", "video"):
        place = element.attributes.get("src") or element.attributes.get("href", "")
        if urlsplit(place).scheme in ("http", "https") and element.attributes.get("rel") != "canonical":
            yield f"<{element.tag}> loads {place} from elsewhere"


def picture_faults(page: Parsed) -> Iterator[str]:
    """Yield a line for each picture without text or size, and for each frame without a title."""
    for image in page.all("img"):
        source = image.attributes.get("src", "")
        if not image.attributes.get("alt"):
            yield f"the picture {source} has no alternative text"
        if not {"width", "height"} <= image.attributes.keys():
            yield f"the picture {source} has no size"
    for frame in page.all("iframe"):
        if not frame.attributes.get("title"):
            yield "a frame has no title"


def text_faults(page: Parsed) -> Iterator[str]:
    """Yield a line for each fault of headings and links.

    The faults are a wrong number of main headings, a heading that skips a level, and links without a name.
    """
    levels = page.levels
    if levels.count(1) != 1:
        yield f"{levels.count(1)} main headings"
    for before, after in itertools.pairwise(levels):
        # deeper headings are those of class members in the reference
        if before + 1 < after <= DEEPEST:
            yield f"a heading of level {after} follows one of level {before}"
            break
    for element in page.all("a", "button"):
        if not element.name and element.attributes.get("aria-hidden") != "true" and "href" in element.attributes:
            yield f"a link to {element.attributes['href']} has no name"


def weight_faults(path: Path, page: Parsed) -> Iterator[str]:
    """Yield a line for each size limit that a page exceeds."""
    size = path.stat().st_size
    if size > HTML:
        yield f"its text has {size} bytes, more than {HTML}"
    places = {
        element.attributes.get("src") or element.attributes.get("href", "")
        for element in page.all("img", "script")
        + [link for link in page.all("link") if link.attributes.get("rel") == "stylesheet"]
    }
    for place in places - {""}:
        target = path.parent / unquote(urlsplit(place).path)
        size += target.stat().st_size if target.is_file() else 0
    if size > HEAVIEST:
        yield f"it has {size} bytes with its styles, scripts and pictures, more than {HEAVIEST}"


def color_faults(css: str) -> Iterator[str]:
    """Yield a line for each pair of colors in site.css whose contrast is too low."""
    blocks = dict(re.findall(r'\[data-md-color-(?:scheme|primary|accent)="(\w+)"\] \{([^}]*)\}', css))
    shared = {}
    for block in re.findall(r'\[data-md-color-(?:primary|accent)="custom"\] \{([^}]*)\}', css):
        shared |= variables(block)
    for scheme, pairs in PAIRS.items():
        known = shared | variables(blocks[scheme])
        for text, ground in pairs:
            ratio = contrast(known.get(text, text), known.get(ground, ground))
            if ratio < CONTRAST:
                yield f"site.css: {text} on {ground} in {scheme} has a contrast of {ratio:.2f}, not {CONTRAST}"


def variables(block: str) -> dict[str, str]:
    """Return the colors in a block of CSS, by variable name."""
    return dict(re.findall(r"--([\w-]+): (#[0-9a-fA-F]{6})\b", block))


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colors, which follows from their luminances (WCAG 2.2)."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(color: str) -> float:
    """Return the relative luminance of a color, which is written as `#rrggbb`."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
