"""Run the tests of an installed library."""

import sys
from pathlib import Path

import pytest


def main(written: str, folder: str, *files: str) -> None:
    """Run the test files of a package in `folder`, and write the results as JUnit XML."""
    arguments = ["-q", "-p", "no:cacheprovider", "-c", "/dev/null", f"--rootdir={folder}", f"--junitxml={written}"]
    sys.argv[1:] = []
    pytest.main([*arguments, *(str(Path(folder) / file) for file in files)])
