"""Texts and paths passed by users: strings, or bytes in UTF-8, as in MuJoCo."""

import os
from typing import Any, TypeGuard

BYTES = (bytes, bytearray)


def in_utf8(text: str) -> bool:
    """Return False for strings with a lone surrogate (half of a character), which no file or model name can contain."""
    # most strings are ASCII, and `isascii` is fast
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def is_text(value: Any) -> TypeGuard[str | bytes | bytearray]:
    """Return True for strings and for bytes that may encode a string."""
    return isinstance(value, str | bytes | bytearray)


def as_text(value: Any, what: str) -> str:
    """Return the text of `value`, which error messages call `what`.

    Raises:
        TypeError: the value is not text, or is a string with half a character (a lone surrogate).
        ValueError: the value is bytes that are not UTF-8.
    """
    if isinstance(value, str):
        if not in_utf8(value):
            raise TypeError(f"{what} should be a string without lone surrogates, not {value!r}")
        return str(value)
    if not isinstance(value, BYTES):
        raise TypeError(f"{what} should be a string, not {value!r}")
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise ValueError(f"{what} should be a string, or bytes in UTF-8, not {bytes(value)!r}") from None


def sought(name: str | bytes | bytearray) -> str:
    """Return the text of a name to look up; bytes that are not UTF-8 are escaped, and so match no name.

    Raises:
        TypeError: the name is not text.
    """
    if not is_text(name):
        raise TypeError(f"a name should be a string, not {name!r}")
    if isinstance(name, str) and not in_utf8(name):
        name = name.encode(errors="surrogatepass")
    return name.decode(errors="backslashreplace") if isinstance(name, BYTES) else name


def is_path(value: Any) -> bool:
    """Return True if a value has a type that can be a file path."""
    return is_text(value) or isinstance(value, os.PathLike)


def written(path: Any) -> str:
    """Convert the path of an output file to a string. The path may contain any bytes."""
    return os.fsdecode(bytes(path) if isinstance(path, bytearray) else path)


def as_written(path: Any, what: str) -> str:
    """Convert the path of an output file to a string. Error messages call the path `what`.

    Raises:
        TypeError: the value is not a path.
        ValueError: the path contains a null character or a lone surrogate, which no file name can contain.
    """
    if not is_path(path):
        raise TypeError(f"{what} should be the path of a file, not {path!r}")
    return _possible(written(path), what)


def _possible(path: str, what: str) -> str:
    """Return `path` if a file can have this path. Error messages call the path `what`.

    Raises:
        ValueError: the path contains a null character or a lone surrogate.
    """
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise ValueError(f"{what} should be the path of a file: {path!r} contains a lone surrogate") from None
    if "\0" in path:
        raise ValueError(f"{what} should be the path of a file: {path!r} contains a zero character")
    return path


def as_path(value: Any, what: str) -> str:
    """Return the path in `value`: a string, bytes in UTF-8 or an object with `__fspath__`, such as `pathlib.Path`.

    Raises:
        TypeError: the value is not a path.
        ValueError: the value is bytes that are not UTF-8, or contains a null character or a lone surrogate.
    """
    if not is_path(value):
        raise TypeError(f"{what} should be the path of a file, not {value!r}")
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    return _possible(path if isinstance(path, str) else as_text(path, what), what)
