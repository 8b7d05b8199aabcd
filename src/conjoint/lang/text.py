"""Texts and paths that users give: strings, or bytes in UTF-8, as the official package takes them."""

import os
from typing import Any, TypeGuard

BYTES = (bytes, bytearray)


def in_utf8(text: str) -> bool:
    """Return False for strings with half a character (a lone surrogate), which no file or name of a model can hold."""
    # most are ASCII, which is quickly seen
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def is_text(value: Any) -> TypeGuard[str | bytes | bytearray]:
    """Return True for strings and for bytes that stand for one."""
    return isinstance(value, str | bytes | bytearray)


def as_text(value: Any, what: str) -> str:
    """Return the text of `value`, called `what` in messages.

    Raises:
        TypeError: it is no text, or a string with half a character.
        ValueError: it is bytes that are not UTF-8.
    """
    if isinstance(value, str):
        if not in_utf8(value):
            raise TypeError(f"{what} should be a string of whole characters, not {value!r}, which has half of one")
        return str(value)
    if not isinstance(value, BYTES):
        raise TypeError(f"{what} should be a string, not {value!r}")
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{what} should be a string, or bytes in UTF-8, not {bytes(value)!r}") from None


def sought(name: str | bytes | bytearray) -> str:
    """Return the text of a name to look up; bytes that are not UTF-8 are escaped, and so match no name.

    Raises TypeError: it is no text.
    """
    if not is_text(name):
        raise TypeError(f"a name should be a string, not {name!r}")
    if isinstance(name, str) and not in_utf8(name):
        name = name.encode(errors="surrogatepass")
    return name.decode(errors="backslashreplace") if isinstance(name, BYTES) else name


def is_path(value: Any) -> bool:
    """Return True if a value may be the path of a file."""
    return is_text(value) or isinstance(value, os.PathLike)


def written(path: Any) -> str:
    """Return the `path` of a file to be written, which may have any bytes in its name."""
    return os.fsdecode(bytes(path) if isinstance(path, bytearray) else path)


def as_written(path: Any, what: str) -> str:
    """Return the `path` of a file to be written, called `what` in messages.

    Raises:
        TypeError: it is no path.
        ValueError: it holds a zero or half a character, which no path can.
    """
    if not is_path(path):
        raise TypeError(f"{what} should be the path of a file, not {path!r}")
    return _possible(written(path), what)


def _possible(path: str, what: str) -> str:
    """Return `path`, if a file can have it. Raises ValueError: it holds a zero, or half a character."""
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ValueError(f"{what} should be the path of a file: {path!r} has half a character in it") from None
    if "\0" in path:
        raise ValueError(f"{what} should be the path of a file: {path!r} has a zero character in it")
    return path


def as_path(value: Any, what: str) -> str:
    """Return the path that `value` is: a string, bytes in UTF-8 or an object with `__fspath__`, such as `pathlib.Path`.

    Raises:
        TypeError: it is no path.
        ValueError: it is bytes that are not UTF-8, or holds a zero or half a character, which no path can.
    """
    if not is_path(value):
        raise TypeError(f"{what} should be the path of a file, not {value!r}")
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    return _possible(path if isinstance(path, str) else as_text(path, what), what)
