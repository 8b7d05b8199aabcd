"""Build the release files in dist/: a wheel for each system, and the source distribution.

    python -m tools.make_wheels                        builds all files
    python -m tools.make_wheels linux-x86_64 sdist     builds only the named files
    python -m tools.make_wheels --again                builds all files again, and compares the bytes

Two builds of the same checkout are identical, because every file in an archive gets the time of the last commit. The
environment variable SOURCE_DATE_EPOCH, if it is set, replaces this time.
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
    """Build the wheel of a system, or the "sdist", in a separate process; return the path of the file."""
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
    """Return the timestamp (Unix seconds) that all files in an archive get.

    This is SOURCE_DATE_EPOCH if it is set, else the time of the last commit. Outside a repository, as in an unpacked
    sdist, it is a time in 2020.
    """
    known = os.environ.get("SOURCE_DATE_EPOCH")
    if known:
        return known
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "1580601600"


def main() -> None:
    """Build the release files that the command line names, or all of them if it names none."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    # an omitted argument must be among the choices, too: argparse represents it by this empty list
    parser.add_argument("what", nargs="*", choices=[*RELEASES, "sdist", []])
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args()
    wanted = given.what or [*RELEASES, "sdist"]
    for old in [] if given.again else DIST.glob("conjoint-*"):
        # an old file that this run does not build again would look like a part of the release
        if len(wanted) > len(RELEASES):
            old.unlink()
    with tempfile.TemporaryDirectory() as second:
        for what in wanted:
            path = build(what, Path(second) if given.again else DIST)
            if given.again and not filecmp.cmp(path, DIST / path.name, shallow=False):
                sys.exit(f"{path.name}: built again it has other bits than in dist/")


if __name__ == "__main__":
    main()
