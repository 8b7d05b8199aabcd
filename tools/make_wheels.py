"""Build the release files in dist/: a wheel for each system, and the source.

    python -m tools.make_wheels                        all of it
    python -m tools.make_wheels linux-x86_64 sdist     some of it
    python -m tools.make_wheels --again                builds them a second time, and compares the bits

The same checkout gives the same bits: every file in an archive is of the time of the last commit (SOURCE_DATE_EPOCH),
if that variable names no other.
"""

from __future__ import annotations

import argparse
import filecmp
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hatch_build import RELEASES

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"


def build(what: str, folder: Path) -> Path:
    """Build the wheel of a system, or the "sdist", in a separate process; its path."""
    before = set(folder.glob("*"))
    environment = {**os.environ, "CONJOINT_WHEEL": what, "SOURCE_DATE_EPOCH": commit_time()}
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder), "-t"]
    start = time.monotonic()
    subprocess.run([*command, "sdist" if what == "sdist" else "wheel"], cwd=ROOT, env=environment, check=True)
    made = set(folder.glob("*")) - before
    (path,) = made or {max(folder.glob("*"), key=lambda path: path.stat().st_mtime)}
    size, seconds = path.stat().st_size / 2**20, time.monotonic() - start
    print(f"{path.name}: {size:.1f} MiB in {seconds:.0f} s", flush=True)
    return path


def commit_time() -> str:
    """Return the Unix time of the last commit, or of 2020 outside a repository, as in an unpacked sdist."""
    known = os.environ.get("SOURCE_DATE_EPOCH")
    if known:
        return known
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "1580601600"


def main() -> None:
    """Build the requested files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # nothing is a choice, too: for argparse it is this empty list
    parser.add_argument("what", nargs="*", choices=[*RELEASES, "sdist", []])
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args()
    wanted = given.what or [*RELEASES, "sdist"]
    for old in [] if given.again else DIST.glob("conjoint-*"):
        # one that is not built now would look like a part of this release
        if len(wanted) > len(RELEASES):
            old.unlink()
    with tempfile.TemporaryDirectory() as second:
        for what in wanted:
            path = build(what, Path(second) if given.again else DIST)
            if given.again and not filecmp.cmp(path, DIST / path.name, shallow=False):
                sys.exit(f"{path.name}: built again it has other bits than in dist/")


if __name__ == "__main__":
    main()
