"""Names of files, whatever the system that wrote them."""

from __future__ import annotations

import posixpath


def base_name(name: str) -> str:
    """File name without folders."""
    return posixpath.basename(name.replace("\\", "/"))


def default_name(file: str) -> str:
    """Name of an asset that has none: that of its file, without folders and extension."""
    name = base_name(file)
    return name[: name.rfind(".")] if "." in name else name
