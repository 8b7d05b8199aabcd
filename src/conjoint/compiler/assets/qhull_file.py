"""Where Qhull's library is: known without loading it."""

import sys
from functools import cache
from pathlib import Path


@cache
def library_file() -> Path:
    """Where the library is.

    Raises:
        ImportError: it is not installed.
    """
    for folder in sys.path:
        for found in sorted(Path(folder).glob("cmeel.prefix/lib/libqhull_r.[sd][oy]*")):
            return found
    raise ImportError("convex hulls need the library of Qhull, which is not installed: pip install cmeel-qhull")
