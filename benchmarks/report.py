"""Output of measurements: JSON lines for programs, a table for people."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from conjoint.cli.doctor import processor_name


def machine_facts() -> dict[str, Any]:
    """Return the facts on which a measurement depends apart from the code: processor, cores, versions and date."""
    versions = {name: metadata.version(name) for name in ("mujoco", "numpy", "llvmlite")}
    return {
        "cpu": processor_name(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        **versions,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def write_report(title: str, rows: list[dict[str, Any]], columns: list[str], path: Path | None) -> None:
    """Print some columns of the rows as a table, and append all columns to the JSON Lines file `path`."""
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, justify="right" if isinstance(rows[0].get(name), int | float) else "left")
    for row in rows:
        table.add_row(*(text(row.get(name)) for name in columns))
    Console(highlight=False, width=140).print(table)
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        facts = machine_facts()
        with path.open("a") as stream:
            for row in rows:
                stream.write(json.dumps({**row, **facts}) + "\n")


def text(value: Any) -> str:
    """Return the text of a table cell; floats have two decimal places, or none if they are 1000 or larger."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value)
