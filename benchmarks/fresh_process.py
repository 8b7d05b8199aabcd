"""Measuring in a process of its own: start-up time and memory are those of a program that has done nothing else.

Python keeps what it makes of source files, as it does for users, whatever the environment says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any


def run_fresh(code: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """Run `code`, whose last line printed is JSON; its facts, and `wall`, the seconds from its start to its end."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(done.stderr)
    return {**json.loads(done.stdout.splitlines()[-1]), "wall": wall}
