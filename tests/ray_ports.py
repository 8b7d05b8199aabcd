"""Program that creates a `ClusterBatch` without a running Ray, and prints the addresses at which Ray's programs listen."""

import os
import re
from pathlib import Path

import conjoint
from conjoint.batch.cluster import ClusterBatch

LISTENING = "0A"
"""State of a listening socket in /proc/net/tcp."""


def family() -> dict[int, str]:
    """Return the names of this process and of all its descendants, by process id."""
    parents, names = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, tail = path.read_text().rpartition(")")
        except OSError:
            continue
        number, _, name = head.partition(" (")
        parents[int(number)], names[int(number)] = int(tail.split()[1]), name
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return {pid: names[pid] for pid in found}


def sockets(pid: int) -> set[str]:
    """Return the inode numbers of a process's sockets."""
    found = set()
    for path in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            match = re.match(r"socket:\[(\d+)\]", os.readlink(path))
        except OSError:
            continue
        found |= {match[1]} if match else set()
    return found


def listening() -> set[tuple[str, str]]:
    """Return programs and their listening addresses in hexadecimal digits, with the bytes of each word reversed."""
    owner = {number: name for pid, name in family().items() for number in sockets(pid)}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return {(owner[row[9]], row[1].split(":")[0]) for row in rows if row[3] == LISTENING and row[9] in owner}


if __name__ == "__main__":
    ball = "<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>"
    batch = ClusterBatch(conjoint.MjModel.from_xml_string(ball), 1)
    batch.step()
    assert batch.qvel[0, 2] < 0
    for program, at in sorted(listening()):
        print(program, at)
