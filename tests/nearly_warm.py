"""Caches that lack a few of a program's objects, so that compilation only takes seconds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from conjoint.lang.objects.disk_cache import cache_folder
from waiting import PATIENCE

OBJECTS = """
from conjoint.lang.calls.compiled import origins
print(*origins)
"""


def nearly_warm_cache(folder: Path, missing: int, text: str, *arguments: str) -> None:
    """Fill a cache folder with a program's objects, except for `missing` ones, evenly spread.

    Args:
        folder: cache folder to create, for CONJOINT_CACHE_DIR.
        missing: number of objects to leave out.
        text: source of the program, which runs once with the ordinary cache.
        arguments: command-line arguments of the program.
    """
    command = [sys.executable, "-c", text + OBJECTS, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=True, env=os.environ, cwd=Path(__file__).parent
    )
    keys = sorted(done.stdout.splitlines()[-1].split())
    assert len(keys) > missing
    left_out = {keys[i * len(keys) // missing] for i in range(missing)}
    (folder / "conjoint").mkdir(parents=True, mode=0o700)
    for key in keys:
        if key not in left_out:
            for path in cache_folder().glob(f"{key}-*.o"):
                shutil.copy2(path, folder / "conjoint")
