"""Check the release files in dist/: each file must be complete and match its name.

    python -m tools.check_wheels [FOLDER]

The check compiles and installs nothing. docs/releasing.md describes the other steps of a release.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

from conjoint.lang.objects.shipped_objects import KINDS, unpacked
from conjoint.lang.objects.unit import Description
from conjoint.lang.routines.addresses import python
from hatch_build import RELEASES
from hatch_stubs import STUBS
from tools.object_symbols import read_object

ROOT = Path(__file__).parents[1]
FORMATS = {"linux": "elf", "macos": "mach-o", "windows": "coff"}
LIBRARY = {
    "linux": {"memcpy", "memmove", "memset"},
    "macos": {"memcpy", "memmove", "memset", "bzero"},
    "windows": {"memcpy", "memmove", "memset", "__chkstk", "_fltused"},
}
"""Functions of the C library that compiled kernels may call.

On every processor, the first version of glibc already had the Linux functions, so the tag manylinux_2_17 is correct.
`_fltused` is an unused marker.
"""

MODELS = ("conjoint/models/humanoid.xml", "conjoint/models/assets/hand/palm.obj")
"""Sample models that a wheel must contain: a model file and a mesh file."""

NATIVE = (".so", ".dll", ".pyd", ".dylib", ".exe", ".o", ".a")
"""Suffixes of files that a system loads or links by itself; a wheel must not contain them."""


def complaints_about_wheel(path: Path) -> Iterator[str]:
    """Yield the faults of a wheel."""
    platform = path.stem.rpartition("-")[2]
    system = next((name for name, tag in RELEASES.items() if tag == platform), None)
    if system is None:
        yield f"its name has the platform {platform}; there are {', '.join(RELEASES.values())}"
        return
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        info = f"{'-'.join(path.stem.split('-')[:2])}.dist-info"
        wheel = Parser().parsestr(archive.read(f"{info}/WHEEL").decode())
        if wheel["Root-Is-Purelib"] != "false":
            yield "it says that it is for every system (Root-Is-Purelib)"
        tags = {f"py3-none-{tag}" for tag in platform.split(".")}
        if set(wheel.get_all("Tag")) != tags:
            yield f"its tags are {wheel.get_all('Tag')}, its name says {sorted(tags)}"
        for name in names:
            if name.endswith(NATIVE) or "__pycache__" in name or not name.startswith(("conjoint/", f"{info}/")):
                yield f"it has {name}"
        for name in ("conjoint/py.typed", *STUBS, *MODELS, f"{info}/licenses/LICENSE"):
            if name not in names:
                yield f"it has no {name}"
        archives = {Path(name).stem: archive.read(name) for name in names if name.endswith(".objects")}
        yield from complaints_about_objects(system, archives)
        yield from complaints_about_sbom(json.loads(archive.read(f"{info}/sboms/conjoint.cdx.json")), archive)
        yield from complaints_about_metadata(archive.read(f"{info}/METADATA").decode())


def complaints_about_objects(system: str, archives: dict[str, bytes]) -> Iterator[str]:
    """Yield the faults of a system's compiled kernels: missing processor kinds, wrong formats, unknown functions."""
    kinds = {name for name, kind in KINDS.items() if kind.system == system}
    if set(archives) != kinds:
        yield f"it has compiled kernels for {sorted(archives)}, not for {sorted(kinds)}"
    family, machine = system.split("-")
    allowed = LIBRARY[family] | set(python.members)
    counts = {}
    for kind, data in archives.items():
        objects = unpacked(data)
        counts[kind] = len(objects)
        for key, packed in objects.items():
            found = read_object(Description.unpacked(packed)[1])
            if (found.format, found.machine) != (FORMATS[family], machine):
                yield f"{kind}, {key}: it is {found.format} for {found.machine or 'another processor'}"
            missing = {name for name in found.missing if not name.startswith("slot.")} - allowed
            if missing:
                yield f"{kind}, {key}: it calls {sorted(missing)}"
    if len(set(counts.values())) > 1:
        yield f"processors have different numbers of kernels: {counts}"


def complaints_about_sbom(found: dict, archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield the faults of the software bill of materials, which must list exactly the archives of compiled kernels."""
    listed = {part["name"]: part["hashes"][0]["content"] for part in found["components"] if part["type"] == "file"}
    there = {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist() if ".objects" in name}
    if found["bomFormat"] != "CycloneDX" or listed != there:
        yield f"its list of contents has {listed}, and there is {there}"


def complaints_about_metadata(text: str) -> Iterator[str]:
    """Yield the faults of the metadata: placeholders, missing URLs, and links that fail outside the repository."""
    metadata = Parser().parsestr(text)
    urls = {line.partition(",")[0] for line in metadata.get_all("Project-URL") or []}
    if ".invalid" in text:
        yield "it has a placeholder for its authors or addresses, which ends in .invalid (pyproject.toml, CITATION.cff)"
    for name in ("Repository", "Documentation"):
        if name not in urls:
            yield f"its metadata have no URL {name} (pyproject.toml, [project.urls])"
    for link in relative_links(metadata.get_payload()):
        yield f"its readme has the link {link}, which leads nowhere outside of the repository"


def relative_links(text: str) -> list[str]:
    """Return the relative links and images of a Markdown text."""
    found = re.findall(r"\]\(([^)\s]+)", text) + re.findall(r"(?:src|href)=[\"']([^\"']+)", text)
    return [link for link in found if not link.startswith(("https://", "#", "mailto:"))]


def complaints_about_source(path: Path) -> Iterator[str]:
    """Yield a line for each file of the repository that the sdist lacks.

    The sdist must be complete because `make test` and `make wheels` run from it.
    """
    with tarfile.open(path) as archive:
        there = {name.partition("/")[2] for name in archive.getnames()}
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    for name in sorted({name for name in done.stdout.split("\0") if name} - there):
        yield f"it has no {name}"


def main() -> None:
    """Check all release files in a folder, print the faults, and exit with status 1 if there are any."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"
    wheels, sources = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    reported = 0
    for path in (*wheels, *sources):
        check = complaints_about_wheel if path.suffix == ".whl" else complaints_about_source
        complaints = list(check(path))
        reported += len(complaints)
        print(f"{path.name}, {path.stat().st_size / 2**20:.1f} MiB: {'good' if not complaints else ''}")
        print("".join(f"  {line}\n" for line in complaints[:20]), end="")
    built = {path.stem.rpartition("-")[2] for path in wheels}
    for system in sorted(name for name, tag in RELEASES.items() if tag not in built):
        reported += 1
        print(f"no wheel for {system} in {folder}")
    if len(sources) != 1:
        reported += 1
        print(f"{len(sources)} sdists in {folder}, not one")
    sys.exit(1 if reported else 0)


if __name__ == "__main__":
    main()
