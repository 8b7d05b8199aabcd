"""Functions that run programs in separate processes."""

from __future__ import annotations

import os
import subprocess
import sys

from conjoint.lang.objects.progress import WORDS
from waiting import PATIENCE


def run_program(text: str, *arguments: str, **environment: str) -> tuple[str, str]:
    """Run a program; return its output and its errors without progress messages. Fail if it does not succeed."""
    command = [sys.executable, "-c", text, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, env=os.environ | environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, without_progress(done.stderr)


def without_progress(text: str) -> str:
    """Return error output without the progress messages of compilation, which appear on slow machines."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(WORDS.partition("{")[0]))
