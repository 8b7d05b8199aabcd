#!/usr/bin/env python3
"""Generate docs/official-names.md, the table of MuJoCo's names and their status in Conjoint.

Usage: make_api_table.py [--check]

The names are read from the installed MuJoCo, so the table is complete. For every name that Conjoint lacks, the reason
is given below. With --check nothing is written, and the exit status is 1 if the page is not up to date or the reason
for a missing name is unknown.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import mujoco

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import conjoint  # noqa: E402
from conjoint.compat.substitute import Substitutes  # noqa: E402

PAGE = ROOT / "docs" / "official-names.md"
NOTE = "<!-- Written by tools/make_api_table.py from the official package: change the tool, not this page. -->\n\n"
MODULES = ("rollout", "minimize", "viewer", "renderer", "gl_context", "egl", "glfw", "osmesa", "msh2obj")
"""Modules of MuJoCo that programs import."""

SCENES = "comes with the visualizer"
POINTERS = "the official binding takes numbers for what are pointers in C and cannot be called"
MEMORY = "NumPy allocates memory"
REASONS: dict[str, str] = {
    **{f"{verb}_mju_user_{name}": MEMORY for verb in ("get", "set") for name in ("malloc", "free")},
    **dict.fromkeys(("MjByteVec",), "only the type of values of `MjSpec`; use `bytes`"),
    **dict.fromkeys(("MjCharVec", "MjStringVec"), "only the type of values of `MjSpec`; use `list`"),
    **dict.fromkeys(
        ("MjDoubleVec", "MjFloatVec", "MjIntVec"), "only the type of values of `MjSpec`; use `numpy.ndarray`"
    ),
    "MjsElement": "has no members in MuJoCo; use the elements themselves",
    **dict.fromkeys(("HEADERS_DIR", "PLUGINS_DIR", "PLUGIN_HANDLES"), "Conjoint has no C files"),
}
"""Reasons why Conjoint lacks names of MuJoCo."""

FAMILIES = {"mjv_": SCENES}
"""Reasons why Conjoint lacks names, by prefix, for names that are not in `REASONS`."""

KINDS = ("Classes", "Functions", "Enumerations", "Constants", "Errors", "Modules")


def reason(name: str) -> str:
    """Return the reason why Conjoint lacks `name`, or "" if no reason is known."""
    return REASONS.get(name) or next((text for start, text in FAMILIES.items() if name.startswith(start)), "")


def kind_of(name: str) -> str | None:
    """Return the section that lists a MuJoCo name, or None for a name that the table leaves out."""
    found = getattr(mujoco, name)
    if name.startswith("_") or isinstance(found, ModuleType) or getattr(found, "__module__", "") == "typing":
        return None
    if isinstance(found, type) and issubclass(found, Exception):
        return "Errors"
    if name.startswith("mjt"):
        return "Enumerations"
    if isinstance(found, type):
        return "Classes" if name.startswith("Mj") or name in REASONS else None
    if callable(found):
        return "Functions"
    return "Constants" if name.startswith("mj") or name in REASONS else None


def names() -> Iterator[tuple[str, str]]:
    """Yield the section and the name of each public function, class, class member, constant and module of MuJoCo."""
    for name in dir(mujoco):
        kind = kind_of(name)
        if kind is not None:
            yield kind, name
        if kind == "Classes" and name.startswith("Mj"):
            yield from (
                (kind, f"{name}.{member}") for member in dir(getattr(mujoco, name)) if not member.startswith("_")
            )
    yield from (("Modules", name) for name in MODULES)


def is_here(name: str) -> bool:
    """Return True if Conjoint also has the MuJoCo name `name`."""
    owner, _, member = name.partition(".")
    if owner in MODULES:
        return Substitutes(conjoint).find_spec(f"mujoco.{owner}") is not None
    found: Any = getattr(conjoint, owner, None)
    return found is not None and (not member or hasattr(found, member))


def missing() -> list[str]:
    """Return the names that Conjoint lacks; if a class is missing, its members are not listed."""
    lost = [name for _, name in names() if not is_here(name)]
    return [name for name in lost if name.partition(".")[0] not in lost or "." not in name]


def rows(kind: str) -> Iterator[str]:
    """Yield the rows of a section's table: one row per name, with the number of members of a class."""
    listed = [name for section, name in names() if section == kind]
    for name in (name for name in listed if "." not in name):
        members = [member for member in listed if member.startswith(f"{name}.")]
        lost = [member for member in members if not is_here(member)]
        said = "yes" if is_here(name) else f"no: {reason(name)}"
        if is_here(name) and lost and len(lost) == len(members):
            said = f"only its name: {reason(lost[0])}"
        elif is_here(name) and lost:
            said = "all but " + "; ".join(f"`{each.partition('.')[2]}` ({reason(each)})" for each in lost)
        counted = f" ({len(members)} members)" if members else ""
        yield f"| `{name}`{counted} | {said} |"


def page() -> str:
    """Return the text of the page docs/official-names.md."""
    lost = set(missing())
    single = [name for _, name in names() if "." not in name]
    lines = [
        "# Official names",
        "",
        f"Conjoint has {sum(name not in lost for name in single)} of the {len(single)} public names of "
        f"MuJoCo {mujoco.__version__}. The tables list all of them, with the reason if one is missing.",
    ]
    for kind in KINDS:
        lines += ["", f"## {kind}", "", "| name | in Conjoint |", "|---|---|", *rows(kind)]
    return NOTE + "\n".join(lines) + "\n"


def main(check: bool) -> int:
    """Write or check the page; return the exit status."""
    status = 0
    for name in missing():
        if not reason(name):
            print(
                f"{name} is missing without a reason: write it, or say why in tools/make_api_table.py", file=sys.stderr
            )
            status = 1
    for name in REASONS:
        if is_here(name):
            print(f"{name} is here: remove the reason from tools/make_api_table.py", file=sys.stderr)
            status = 1
    text = page()
    if not check:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print("docs/official-names.md is not up to date: run tools/make_api_table.py", file=sys.stderr)
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
