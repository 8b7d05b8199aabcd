"""Build hooks: the readme, type stubs, kernels in a wheel, and the wheel's list of contents (SBOM).

With kernels in the wheel, a first step after installing compiles nothing. The list of contents is CycloneDX 1.6, in
`*.dist-info/sboms/` (PEP 770).

`pip install .` compiles nothing: kernels are compiled when a model first needs them. CONJOINT_WHEEL asks for kernels:
"here" for this processor, or a system ("linux-x86_64", `RELEASES`) for all processors of its wheel.
CONJOINT_WHEEL_KERNELS names the kernels, separated by commas, that a trial of the build compiles instead of all.
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
"""Platforms of the wheels, by system. Objects call nothing but four functions of the C library, which all of these
have (tools/check_wheels.py); that the packages it needs ask for newer systems is theirs to say."""

HERE = "here"
"""Value of CONJOINT_WHEEL that asks for the kernels of this processor."""

STUBS = ("numpy>=1.26",)
"""Packages that every build needs: type stubs are made from the package's own tables."""

COMPILER = ("llvmlite>=0.45,<0.51", "lxml>=5.0", "Pillow>=10.1")
"""Packages that a build needs only if it compiles kernels."""

PATIENCE = 5.0
"""Seconds between two lines of progress."""


class ReadmeHook(MetadataHookInterface):
    """Make the links of the readme absolute: a package index shows it where there is no repository around it."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme, from README.md and the address of the repository."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        home = metadata["urls"]["Repository"]
        text = re.sub(r"\]\((?!https?://|#)([^)\s]+)\)", rf"]({home}\1)", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class ObjectsHook(BuildHookInterface):
    """Write type stubs, and compile kernels if they are asked for; all of it goes into the wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the packages that this build needs beside hatchling."""
        return [*STUBS, *(COMPILER if wanted_kernels() else ())]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add stubs, kernels and the list of contents to a wheel; an editable one has its stubs among its source."""
        # stubs are made, and kernels compiled, by the package itself
        source = Path(self.root) / "src"
        for folder in (self.root, str(source)):
            sys.path.insert(0, folder)
        from hatch_stubs import write_stubs

        if version == "editable":
            write_stubs(source)
            return
        wanted = wanted_kernels()
        # the hook lives as long as the build, and takes the files along
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
        """Compile kernels for this processor or a system; return their archives by kind of processor."""
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
    """Return the value of CONJOINT_WHEEL, "" if it is not set; ValueError if it is none of those that there are."""
    wanted = os.environ.get("CONJOINT_WHEEL", "")
    if wanted not in ("", HERE, *RELEASES):
        raise ValueError(f"CONJOINT_WHEEL={wanted}: it can be {HERE}, {', '.join(RELEASES)} or empty")
    return wanted


def progress(name: str, say: Callable[[str], None]) -> Callable[[int, int], None]:
    """Return a function that is called after each kernel, with how many are done and how many there are.

    It writes a line every few seconds: to the build's output, which pip shows with `-v`, and to the terminal if there
    is one.
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
    """Write a line to the terminal of this process; no-op if there is none, or it shows the build's output anyway."""
    if sys.stderr.isatty():
        return
    try:
        with open("CONOUT$" if os.name == "nt" else "/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(f"\r\n  {line}")
    except OSError:
        pass


def contents(core: Any, system: str, archives: Mapping[str, Path]) -> str:
    """Return the list of contents, as JSON without a time: package, dependencies, and archives of compiled kernels.

    Args:
        core: metadata of the project (name, version, license, dependencies), as Hatchling has them.
        system: for which the wheel is.
        archives: of compiled kernels, by kind of processor.
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
    """Return the entry of a dependency; the installer chooses its version."""
    specifier, _, marker = (part.strip() for part in requirement.partition(";"))
    name = specifier[: next((i for i, c in enumerate(specifier) if c in "<>=!~[ "), len(specifier))]
    properties = [{"name": "conjoint:versions", "value": specifier[len(name) :].strip()}]
    properties += [{"name": "conjoint:where", "value": marker}] if marker else []
    found = {"type": "library", "bom-ref": f"pkg:pypi/{name.lower()}", "name": name, "scope": "required"}
    return {**found, "purl": f"pkg:pypi/{name.lower()}", "properties": properties}


def archive(kind: str, path: Path) -> dict[str, Any]:
    """Return the entry of a file of compiled kernels."""
    data = path.read_bytes()
    count = len(json.loads(data.partition(b"\n")[0]))
    return {
        "type": "file", "bom-ref": f"conjoint/objects/{path.name}", "name": f"conjoint/objects/{path.name}",
        "description": f"{count} kernels of this package, compiled for {kind}",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}],
    }  # fmt: skip


def tool(name: str) -> dict[str, str]:
    """Return the entry of a tool that built the wheel."""
    return {"type": "application", "name": name, "version": version(name)}
