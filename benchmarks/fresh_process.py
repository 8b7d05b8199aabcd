"""Measurements in a separate process, whose start-up time and memory do not depend on earlier work.

Python keeps its bytecode cache, as it does for users, even if the environment disables it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any


def run_fresh(code: str, *arguments: str, **environment: str) -> dict[str, Any]:
    """Run `code`, whose last output line is JSON; return this JSON, with the process's duration (s) as `wall`."""
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
