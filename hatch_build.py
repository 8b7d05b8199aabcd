"""Build hooks: absolute links in the readme, type stubs, and a wheel's compiled kernels and list of contents (SBOM).

If a wheel contains compiled kernels, the first step after installation compiles nothing. The list of contents is
written in the format CycloneDX 1.6 to `*.dist-info/sboms/` (PEP 770).

By default, `pip install .` compiles nothing: kernels are compiled when a model first needs them. The environment
variable CONJOINT_WHEEL requests compiled kernels: "here" for this processor, or the name of a system ("linux-x86_64",
see `RELEASES`) for all its processors. For a quick trial build, CONJOINT_WHEEL_KERNELS lists the only kernels to
compile, separated by commas.
"""

import hashlib
import json
import os
import re
import sys
import sysconfig
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

RELEASES = {
    "linux-x86_64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux-aarch64": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "macos-aarch64": "macosx_11_0_arm64",
    "windows-x86_64": "win_amd64",
}
"""Platform tags of the wheels, by system. Compiled kernels call at most four functions of the C library, which all of
these platforms have (tools/check_wheels.py). Dependencies may require newer systems in their own metadata.
"""

HERE = "here"
"""Value of CONJOINT_WHEEL that requests kernels for this processor."""

STUBS = ("numpy>=1.26",)
"""Packages that every build needs, because type stubs are generated from tables of the package itself."""

COMPILER = ("llvmlite>=0.45,<0.51", "lxml>=5.0", "Pillow>=10.1")
"""Packages that a build needs only if it compiles kernels."""

PATIENCE = 5.0
"""Time between two lines of progress (s)."""


class ReadmeHook(MetadataHookInterface):
    """Hook that makes the readme's links absolute, because a package index shows the readme without the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme in the metadata: README.md, with relative links replaced by links into the repository."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        home = metadata["urls"]["Repository"]
        text = re.sub(r"\]\((?!https?://|#)([^)\s]+)\)", rf"]({home}\1)", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class ObjectsHook(BuildHookInterface):
    """Hook that writes type stubs and, on request, compiles kernels, and adds the files to the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the packages that this build needs besides hatchling."""
        return [*STUBS, *(COMPILER if wanted_kernels() else ())]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add stubs, kernels and the list of contents to a wheel; for an editable install, write stubs into src/."""
        # the package itself generates the stubs and compiles the kernels
        source = Path(self.root) / "src"
        for folder in (self.root, str(source)):
            sys.path.insert(0, folder)
        from hatch_stubs import write_stubs

        if version == "editable":
            write_stubs(source)
            return
        wanted = wanted_kernels()
        # the hook exists until the build ends, and the folder is removed with it
        self.folder = tempfile.TemporaryDirectory()
        for place, path in write_stubs(Path(self.folder.name)).items():
            build_data["force_include"][str(path)] = place
        archives = self.compiled(wanted) if wanted else {}
        for path in archives.values():
            build_data["force_include"][str(path)] = f"conjoint/objects/{path.name}"
        if archives:
            platform = RELEASES.get(wanted) or sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"
        sbom = Path(self.folder.name) / "conjoint.cdx.json"
        system = {"": "any", HERE: "this processor"}.get(wanted, wanted)
        sbom.write_text(contents(self.metadata.core, system, archives), encoding="utf-8")
        build_data["sbom_files"].append(str(sbom))

    def compiled(self, wanted: str) -> dict[str, Path]:
        """Compile kernels for this processor or a system; return the paths of their archives by processor kind."""
        from conjoint.cli.catalogue import objects
        from conjoint.lang.objects.shipped_objects import KINDS, archive_name, kind_here, store

        here = kind_here()
        if wanted == HERE and here is None:
            raise ValueError(f"CONJOINT_WHEEL={HERE}: no kernels can be built for this processor; install without it")
        names = {name for name in os.environ.get("CONJOINT_WHEEL_KERNELS", "").split(",") if name}
        archives: dict[str, Path] = {}
        for name, kind in KINDS.items():
            if name == here if wanted == HERE else kind.system == wanted:
                archives[name] = Path(self.folder.name) / archive_name(name)
                store(archives[name], *objects(kind, names, progress(name, self.app.display_info)))
        return archives


def wanted_kernels() -> str:
    """Return the value of CONJOINT_WHEEL, or "" if it is not set.

    Raises:
        ValueError: the value is neither `HERE` nor a system of `RELEASES`.
    """
    wanted = os.environ.get("CONJOINT_WHEEL", "")
    if wanted not in ("", HERE, *RELEASES):
        raise ValueError(f"CONJOINT_WHEEL={wanted}: it can be {HERE}, {', '.join(RELEASES)} or empty")
    return wanted


def progress(name: str, say: Callable[[str], None]) -> Callable[[int, int], None]:
    """Return a function that reports progress.

    After each kernel, call the function with the finished and the total number of kernels. It writes a line every few
    seconds to the build's output, which pip shows with `-v`. If the process has a terminal, the line goes there, too.
    """
    start = reported = 0.0

    def advance(done: int, count: int) -> None:
        nonlocal start, reported
        now = time.monotonic()
        start = start or now
        if now - reported < PATIENCE and done < count:
            return
        reported = now
        # the kernels that take longest come first, so this is an upper bound
        left = (now - start) / done * (count - done)
        known = 20 * done > count and done < count
        line = f"compiling kernels for {name}: {done} of {count}" + (f", at most {left:.0f} s left" if known else "")
        say(line)
        tell_terminal(line)

    return advance


def tell_terminal(line: str) -> None:
    """Write a line to the terminal of this process, unless it has none or already shows the build's output."""
    if sys.stderr.isatty():
        return
    try:
        with open("CONOUT$" if os.name == "nt" else "/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(f"\r\n  {line}")
    except OSError:
        pass


def contents(core: Any, system: str, archives: Mapping[str, Path]) -> str:
    """Return the list of contents as JSON: the package, its dependencies, and its archives of compiled kernels.

    It contains no time, so equal builds have equal lists.

    Args:
        core: metadata of the project (name, version, license, dependencies), as Hatchling stores them.
        system: name of the system that the wheel is built for.
        archives: paths of the archives of compiled kernels, by processor kind.
    """
    name = f"pkg:pypi/{core.name}@{core.version}"
    needed = [needed_package(requirement) for requirement in core.dependencies]
    kernels = [archive(kind, path) for kind, path in archives.items()]
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([name, system, kernels]))
    found = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library", "bom-ref": name, "name": core.name, "version": core.version, "purl": name,
                "description": core.description, "licenses": [{"expression": core.license_expression}],
            },
            "tools": {"components": [tool(name) for name in ("hatchling", *(["llvmlite"] if archives else []))]},
            "properties": [{"name": "conjoint:system", "value": system}],
        },
        "components": [*needed, *kernels],
        "dependencies": [{"ref": name, "dependsOn": [part["bom-ref"] for part in [*needed, *kernels]]}],
    }  # fmt: skip
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def needed_package(requirement: str) -> dict[str, Any]:
    """Return the SBOM entry of a dependency, with a version range, because the installer chooses the version."""
    specifier, _, marker = (part.strip() for part in requirement.partition(";"))
    name = specifier[: next((i for i, c in enumerate(specifier) if c in "<>=!~[ "), len(specifier))]
    properties = [{"name": "conjoint:versions", "value": specifier[len(name) :].strip()}]
    properties += [{"name": "conjoint:where", "value": marker}] if marker else []
    found = {"type": "library", "bom-ref": f"pkg:pypi/{name.lower()}", "name": name, "scope": "required"}
    return {**found, "purl": f"pkg:pypi/{name.lower()}", "properties": properties}


def archive(kind: str, path: Path) -> dict[str, Any]:
    """Return the SBOM entry of an archive of compiled kernels."""
    data = path.read_bytes()
    count = len(json.loads(data.partition(b"\n")[0]))
    return {
        "type": "file", "bom-ref": f"conjoint/objects/{path.name}", "name": f"conjoint/objects/{path.name}",
        "description": f"{count} kernels of this package, compiled for {kind}",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}],
    }  # fmt: skip


def tool(name: str) -> dict[str, str]:
    """Return the SBOM entry of a tool that built the wheel."""
    return {"type": "application", "name": name, "version": version(name)}
