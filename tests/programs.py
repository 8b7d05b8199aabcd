"""Programs that tests run in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys

from conjoint.lang.objects.progress import WORDS
from waiting import PATIENCE


def run_program(text: str, *arguments: str, **environment: str) -> tuple[str, str]:
    """Return the output of a program and its errors without its progress; fail unless it succeeds."""
    command = [sys.executable, "-c", text, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, env=os.environ | environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, without_progress(done.stderr)


def without_progress(text: str) -> str:
    """Return the errors of a program without the progress of compiling, which slow machines show."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(WORDS.partition("{")[0]))
