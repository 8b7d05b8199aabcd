"""Availability of OpenGL, for tests that render."""

from __future__ import annotations

import subprocess
import sys

from waiting import PATIENCE


def why_not() -> str:
    """Return the reason why OpenGL cannot render here, determined in a separate process, or "" if it can."""
    code = "import conjoint.render.context as c\ntry: c.make_context()\nexcept Exception as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    return done.stdout.strip() if done.returncode == 0 else f"opening OpenGL ended the process ({done.returncode})"
