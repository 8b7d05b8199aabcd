"""MkDocs hook that completes the pages of the site: descriptions, sizes of pictures, names for screen readers.

A page without a description gets its first sentences as description. A picture gets its width and height, so that text
does not jump when the picture has loaded. The first picture of a page is loaded at once; the other pictures are loaded
when the reader scrolls near them. A still represents the film (`pictures/film.webp`) until the page is complete.
"""

from __future__ import annotations

import io
import itertools
import posixpath
import re
from html import unescape

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from PIL import Image

LENGTH = 155
"""Largest length of a description in characters: search engines show no more."""

SHORT = 60
"""Number of characters that a description should exceed."""

STILL = 0.3
"""Time at which the still is taken from a film, as a fraction of the film's duration."""

FILM = "pictures/film.webp"
"""Path of the front page's film, relative to docs/."""


def on_files(files: Files, config: MkDocsConfig) -> None:
    """Add the film's still to the files of the site."""
    if (film := files.get_file_from_path(FILM)) is not None:
        files.append(File.generated(config, still_of(FILM), content=still(film.content_bytes)))


def still_of(uri: str) -> str:
    """Return the file name of the still of a film."""
    return f"{posixpath.splitext(uri)[0]}-still.webp"


def still(film: bytes) -> bytes:
    """Return the still of an animation, as a WebP file."""
    with Image.open(io.BytesIO(film)) as animation:
        animation.seek(int(STILL * (getattr(animation, "n_frames", 1) - 1)))
        stream = io.BytesIO()
        animation.convert("RGB").save(stream, "WEBP", quality=80)
    return stream.getvalue()


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Set the description of a page; return the page's HTML with completed image tags."""
    if not page.meta.get("description"):
        page.meta["description"] = description(html)
    count = itertools.count()
    return re.sub(r"<img\b[^>]*>", lambda tag: picture(tag.group(), page, files, next(count) == 0), html)


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Return the page's HTML with accessible names for elements that the theme leaves unnamed."""
    return output.replace(
        'data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"'
    )


def description(html: str) -> str:
    """Return the first sentences of a page as plain text, shortened to `LENGTH` characters."""
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
    """Return an image tag with size and loading priority added."""
    source = re.search(r'\bsrc="([^":]+)"', tag)
    if source is None:
        return tag
    uri = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), unescape(source.group(1))))
    added = ' fetchpriority="high"' if first else ' loading="lazy" decoding="async"'
    file = files.get_file_from_path(uri)
    if file is not None and " width=" not in tag and (size := size_of(file)) is not None:
        added += f' width="{size[0]}" height="{size[1]}"'
    if uri == FILM:
        tag = tag.replace(source.group(), f'src="{still_of(source.group(1))}" data-film="{source.group(1)}"')
    return f"{tag.removesuffix('>').removesuffix('/').rstrip()}{added}>"


def size_of(file: File) -> tuple[int, int] | None:
    """Return width and height of a picture in pixels, or None for an SVG without a view box."""
    if file.src_uri.endswith(".svg"):
        found = re.search(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"', file.content_string)
        return (round(float(found.group(1))), round(float(found.group(2)))) if found else None
    with Image.open(io.BytesIO(file.content_bytes)) as image:
        return image.size
