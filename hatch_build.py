"""Build hook: a wheel brings the objects of all stages, so that a first step after installing compiles nothing.

`pip install .` compiles for the processor at hand. CONJOINT_WHEEL names a system ("linux-x86_64", `RELEASES`) whose
wheel is wanted instead, for all its processors, or "none": no objects, for every system. CONJOINT_WHEEL_KERNELS names
the kernels, separated by commas, that a trial of the build shall have in place of all.
"""

import os
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

RELEASES = {
    "linux-x86_64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux-aarch64": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "macos-aarch64": "macosx_11_0_arm64",
    "windows-x86_64": "win_amd64",
}
"""Platforms of the wheels, by system. Objects call nothing but four functions of the C library, which all of these
have (tools/check_wheels.py); that the packages it needs ask for newer systems is theirs to say."""

PATIENCE = 5.0
"""Seconds between two lines about how far it is."""


class ObjectsHook(BuildHookInterface):
    """Compiles every kernel for the processors of a system; the archives go into the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built; an editable one compiles what it needs when it needs it."""
        if version == "editable":
            return
        for folder in (self.root, str(Path(self.root) / "src")):
            sys.path.insert(0, folder)
        from conjoint.cli.catalogue import objects
        from conjoint.lang.objects.shipped_objects import KINDS, archive_name, kind_here, store
        from tools.sbom import contents

        wanted = os.environ.get("CONJOINT_WHEEL", "")
        if wanted not in ("", "none", *RELEASES):
            raise ValueError(f"CONJOINT_WHEEL={wanted}: there are {', '.join(RELEASES)} and none")
        kernels = {name for name in os.environ.get("CONJOINT_WHEEL_KERNELS", "").split(",") if name}
        # the hook lives as long as the build, and takes the files along
        self.folder = tempfile.TemporaryDirectory()
        archives: dict[str, Path] = {}
        here = kind_here()
        for name, kind in KINDS.items():
            if kind.system == wanted if wanted else name == here:
                path = archives[name] = Path(self.folder.name) / archive_name(name)
                store(path, *objects(kind, kernels, progress(name, self.app.display_info)))
                build_data["force_include"][str(path)] = f"conjoint/objects/{path.name}"
        if archives:
            platform = RELEASES.get(wanted) or sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
        sbom = Path(self.folder.name) / "conjoint.cdx.json"
        sbom.write_text(contents(self.metadata.core, wanted or "this processor", archives), encoding="utf-8")
        build_data["sbom_files"].append(str(sbom))


def progress(name: str, say: Callable[[str], None]) -> Callable[[int, int], None]:
    """What is called after each kernel, with how many are done and how many there are: it says so now and then.

    pip shows what a build prints only if it is asked to (`-v`), so that a terminal is told directly.
    """
    start = told = 0.0

    def advance(done: int, count: int) -> None:
        nonlocal start, told
        now = time.monotonic()
        start = start or now
        if now - told < PATIENCE and done < count:
            return
        told = now
        # those that take longest come first
        left = (now - start) / done * (count - done)
        known = 20 * done > count and done < count
        line = f"compiling kernels for {name}: {done} of {count}" + (f", at most {left:.0f} s left" if known else "")
        say(line)
        tell_terminal(line)

    return advance


def tell_terminal(line: str) -> None:
    """Write a line on the terminal that this process was started from, if there is one and nobody else shows it."""
    if sys.stdout.isatty():
        return
    try:
        with open("CONOUT$" if os.name == "nt" else "/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(f"\r\n  {line}")
    except OSError:
        pass
