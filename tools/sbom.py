"""The list of contents (SBOM) that a wheel brings: CycloneDX 1.6, in `*.dist-info/sboms/` (PEP 770)."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any


def contents(core: Any, system: str, archives: Mapping[str, Path]) -> str:
    """The list, as JSON: the package, what it needs, and the archives of compiled kernels. It tells no time.

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
    """A package that is installed beside this one; which version, the installer says."""
    specifier, _, marker = (part.strip() for part in requirement.partition(";"))
    name = specifier[: next((i for i, c in enumerate(specifier) if c in "<>=!~[ "), len(specifier))]
    properties = [{"name": "conjoint:versions", "value": specifier[len(name) :].strip()}]
    properties += [{"name": "conjoint:where", "value": marker}] if marker else []
    found = {"type": "library", "bom-ref": f"pkg:pypi/{name.lower()}", "name": name, "scope": "required"}
    return {**found, "purl": f"pkg:pypi/{name.lower()}", "properties": properties}


def archive(kind: str, path: Path) -> dict[str, Any]:
    """A file of compiled kernels of this package."""
    data = path.read_bytes()
    count = len(json.loads(data.partition(b"\n")[0]))
    return {
        "type": "file", "bom-ref": f"conjoint/objects/{path.name}", "name": f"conjoint/objects/{path.name}",
        "description": f"{count} kernels of this package, compiled for {kind}",
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}],
    }  # fmt: skip


def tool(name: str) -> dict[str, str]:
    """What built the wheel."""
    return {"type": "application", "name": name, "version": version(name)}
