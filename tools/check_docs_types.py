#!/usr/bin/env python3
"""Check every program of the documentation and every example with mypy and pyright.

Usage: check_docs_types.py

The exit status is nonzero if a checker reports errors. Each program of a page continues the programs before it, so
names may be redefined. Both checkers read `mujoco` as this package, because some programs import it after
`install_as_mujoco`.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MYPY = (
    "--ignore-missing-imports", "--explicit-package-bases", "--follow-imports=silent", "--disable-error-code=no-redef"
)  # fmt: skip


PYRIGHT = {"extraPaths": [str(ROOT / "src"), str(ROOT / "examples")], "pythonVersion": "3.11", "stubPath": "stubs"}
"""Settings of pyright."""

STUBS = {
    "__init__.pyi": "from conjoint import *\n__version__: str\n",
    "rollout.pyi": "from conjoint.rollout import *\n",
}
"""Stubs of a package `mujoco` that re-exports this package, by file name."""


def write_programs(folder: Path) -> list[str]:
    """Write the programs of each page, and the examples, to files in a folder; return the names of the files."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        if programs := CODE.findall(page.read_text(encoding="utf-8")):
            name = f"{page.relative_to(ROOT).with_suffix('')}".replace("/", "_").replace("-", "_")
            (folder / f"{name}_page.py").write_text("\n".join(programs), encoding="utf-8")
    for example in (ROOT / "examples").glob("*.py"):
        shutil.copy(example, folder / f"{example.stem}_example.py")
    return sorted(path.name for path in folder.glob("*.py"))


def main() -> int:
    """Run the checkers; return the exit status."""
    with tempfile.TemporaryDirectory() as place:
        names = write_programs(Path(place))
        cache = ROOT / ".mypy_cache" / "docs"
        path = f"{ROOT / 'src'}:{ROOT / 'examples'}"
        mypy = [sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={cache}", *MYPY, *names]
        status = subprocess.run(mypy, cwd=place, env={"MYPYPATH": path, "PATH": ""}).returncode
        (Path(place) / "pyrightconfig.json").write_text(json.dumps(PYRIGHT), encoding="utf-8")
        (stubs := Path(place) / "stubs" / "mujoco").mkdir(parents=True)
        for name, text in STUBS.items():
            (stubs / name).write_text(text, encoding="utf-8")
        pyright = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
        status |= subprocess.run(pyright, cwd=place).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
