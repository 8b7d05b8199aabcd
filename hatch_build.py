"""Build hook: a wheel brings the objects of all stages, so that a first step after installing compiles nothing."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ObjectsHook(BuildHookInterface):
    """Compiles every kernel for every kind of processor; the archives go into the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built; an editable one compiles what it needs when it needs it."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "src"))
        from conjoint.cli.catalogue import objects
        from conjoint.lang.objects.shipped_objects import KINDS, archive_name, store

        self.folder = tempfile.TemporaryDirectory()
        for name, kind in KINDS.items():
            path = Path(self.folder.name) / archive_name(name)
            store(path, dict(objects(kind)))
            self.app.display_info(f"compiled all kernels for {name}: {path.stat().st_size / 2**20:.1f} MiB")
            build_data["force_include"][str(path)] = f"conjoint/objects/{path.name}"
