"""Grammar of MJCF as MuJoCo prints it."""

from __future__ import annotations

import re

import mujoco


def printed_rows() -> list[tuple[tuple[str, ...], set[str]]]:
    """Return the path of tags and the set of attributes of every element that MuJoCo prints."""
    rows: list[tuple[tuple[str, ...], set[str]]] = []
    path: tuple[str, ...] = ()
    for line in mujoco.mj_printSchema(False, False).splitlines():
        match = re.match(r"^( *)(\S+) \(.\)(.*)$", line)
        if match:
            path = (*path[: len(match[1]) // 3], match[2].replace("(world)", ""))
            rows.append((path, set(match[3].split())))
        elif line.strip():
            rows[-1][1].update(line.split())
    return rows
