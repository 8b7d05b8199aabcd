"""Where Qhull is: in the library of cmeel-qhull, or else in SciPy. Known without loading either."""

import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def library_file() -> Path | None:
    """Where the library is; None if it is not installed, as on Windows, for which there is none."""
    for folder in sys.path:
        for found in sorted(Path(folder).glob("cmeel.prefix/lib/libqhull_r.[sd][oy]*")):
            return found
    return None


@cache
def hull_maker() -> Path | None:
    """A file that changes with what computes hulls: the library, or SciPy's; None if there is neither."""
    scipy = None if library_file() else find_spec("scipy")
    return Path(scipy.origin).with_name("version.py") if scipy and scipy.origin else library_file()
