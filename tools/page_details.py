"""MkDocs hook that completes the pages of the site: descriptions, and sizes of pictures.

A page without a description gets its first sentences. A picture gets its width and height, so that text does not jump
when it arrives, and is loaded when it comes near. A film (`class="film"`) gets a still, which is shown first.
"""

from __future__ import annotations

import io
import posixpath
import re
from html import unescape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from PIL import Image

LENGTH = 155
"""Largest length of a description: search engines show no more."""

SHORT = 60
"""A description should have more characters than that."""

STILL = 0.3
"""Time of the still of a film, as a fraction of its length."""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add a still of each film in pictures/, `NAME-still.webp`."""
    for file in [f for f in files.media_files() if re.fullmatch(r"pictures/film\.webp", f.src_uri)]:
        files.append(File.generated(config, still_of(file.src_uri), content=still(file.content_bytes)))


def still_of(uri: str) -> str:
    """Return the name of the still of a film."""
    return f"{posixpath.splitext(uri)[0]}-still.webp"


def still(film: bytes) -> bytes:
    """Return one picture of an animation, as WebP."""
    with Image.open(io.BytesIO(film)) as animation:
        animation.seek(int(STILL * (getattr(animation, "n_frames", 1) - 1)))
        stream = io.BytesIO()
        animation.convert("RGB").save(stream, "WEBP", quality=80)
    return stream.getvalue()


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Set the description of a page, and the sizes of its pictures."""
    if not page.meta.get("description"):
        page.meta["description"] = description(html)
    first = True

    def completed(tag: re.Match[str]) -> str:
        nonlocal first
        made = picture(tag.group(), page, files, first)
        first = False
        return made

    return re.sub(r"<img\b[^>]*>", completed, html)


def description(html: str) -> str:
    """Return the first sentences of a page as plain text."""
    text = ""
    for paragraph in re.findall(r"<p\b[^>]*>(.*?)</p>", html, re.DOTALL):
        plain = " ".join(unescape(re.sub(r"<[^>]+>", "", paragraph)).split())
        text = f"{text} {plain}".strip()
        if len(text) > SHORT:
            break
    if len(text) <= LENGTH:
        return text
    return text[: LENGTH - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def picture(tag: str, page: Page, files: Files, first: bool) -> str:
    """Return an image tag with its size; all but the first image of a page wait until they come near."""
    source = re.search(r'\bsrc="([^":]+)"', tag)
    if source is None or "width=" in tag:
        return tag
    uri = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), unescape(source.group(1))))
    file = files.get_file_from_path(uri)
    if file is None:
        return tag
    added = "" if first else ' loading="lazy"'
    if (size := size_of(file)) is not None:
        added += f' width="{size[0]}" height="{size[1]}"'
    return f'{tag.removesuffix(">").removesuffix("/").rstrip()}{added} decoding="async">'


def size_of(file: File) -> tuple[int, int] | None:
    """Return width and height (pixels) of a picture."""
    if file.src_uri.endswith(".svg"):
        found = re.search(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"', file.content_string)
        return (round(float(found.group(1))), round(float(found.group(2)))) if found else None
    with Image.open(io.BytesIO(file.content_bytes)) as image:
        return image.size
