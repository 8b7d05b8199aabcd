"""Time and memory needed to reject malicious input (limits: 1 s, 200 MB).

python -m benchmarks.hostile [--grep TEXT] [--rounds 3] [--json out/hostile.jsonl]

Every case is loaded in a separate process that has already loaded a small model. A test checks the rejection and the
memory; only this benchmark measures the time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

from benchmarks.report import write_report
from conjoint.mjcf.document import MOST_BYTES

SECONDS, MEGABYTES = 1.0, 200
HANGS = 60
"""Time in seconds after which a case counts as hanging."""

PROGRAM = """
import sys, time
import lxml.etree, numpy
import conjoint, conjoint.compiler
conjoint.MjModel.from_xml_string("<mujoco/>")
def peak():
    # what getrusage says survives the start of a program: it is that of the parent, too
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
before, start = peak(), time.process_time()
try:
    conjoint.MjModel.from_xml_path(sys.argv[1])
    print("loaded")
except conjoint.ConjointError as error:
    print("refused", error)
print(time.process_time() - start, (peak() - before) / 1024)
"""


def world(inside: str, more: str = "") -> str:
    return f"<mujoco><worldbody>{inside}</worldbody>{more}</mujoco>"


def entities(count: int) -> str:
    """Return the XML of a model with `count` nested entities, each of which repeats the previous entity ten times."""
    names = "abcdefghij"[:count]
    lines = [f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names)]
    return f'<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa">{"".join(lines)}]><mujoco model="&{names[-1]};"/>'


def asset(inside: str) -> str:
    return f"<mujoco><asset>{inside}</asset></mujoco>"


BILLION = "1000000000"
MOVING = '<body><joint name="j"/><geom size="1"/></body>'
HOSTILE: dict[str, str | bytes] = {
    "bomb": entities(10),
    "bomb in another encoding": ('<?xml version="1.0" encoding="utf-16"?>' + entities(10)).encode("utf-16"),
    "external entity": '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><mujoco model="&x;"/>',
    "deep tree": world("<body>" * 20000 + "</body>" * 20000),
    "deep tree of nothing known": "<a>" * 100000 + "</a>" * 100000,
    "many attributes": world("<body " + " ".join(f'a{i}="1"' for i in range(100000)) + "/>"),
    "many elements that are not allowed": world("<bdy/>" * 100000),
    "many numbers": world(f'<geom size="{"1 " * 1000000}"/>'),
    "texture": asset(f'<texture name="t" type="2d" builtin="flat" width="{BILLION}" height="{BILLION}"/>'),
    "height field": asset(f'<hfield name="h" nrow="{BILLION}" ncol="{BILLION}" size="1 1 1 1"/>'),
    "face": asset(f'<mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 1 {BILLION}"/>'),
    "user parameters": f'<mujoco><size nuser_body="{BILLION}"/><worldbody><body/><body/></worldbody></mujoco>',
    "keyframes": f'<mujoco><size nkey="{BILLION}"/></mujoco>',
    "many names that are not found": world(
        "".join(f'<geom name="geom_number_{i}" size="1"/>' for i in range(9000)),
        "<sensor>" + '<distance geom1="geom_numbr" geom2="geom_number_1"/>' * 400 + "</sensor>",
    ),
    "numbers of the user": f'<mujoco><size nuserdata="{BILLION}"/></mujoco>',
    "digits": f'<mujoco><size memory="{"9" * 5000}"/></mujoco>',
    "numeric": f'<mujoco><custom><numeric name="n" size="{BILLION}"/></custom></mujoco>',
    "copies": world(f'<replicate count="{BILLION}"><geom size="1"/></replicate>'),
    "copies of copies": world('<replicate count="9999">' * 2 + '<geom size="1"/>' + "</replicate>" * 2),
    "copies of copies of copies": world('<replicate count="99">' * 6 + '<geom size="1"/>' + "</replicate>" * 6),
    "a copy doubled sixty times": world('<replicate count="2">' * 60 + '<geom size="1"/>' + "</replicate>" * 60),
    "single copies in single copies": world('<replicate count="1">' * 600 + '<geom size="1"/>' + "</replicate>" * 600),
    "many keyframes": '<mujoco><size nkey="1000000"/></mujoco>',
    "inline data": asset('<mesh name="m" vertex="' + "0.1 0.2 0.3 " * (MOST_BYTES // 12) + '"/>'),
    "inline data of half the limit": asset('<mesh name="m" vertex="' + "0.1 " * (MOST_BYTES >> 3) + '"/>'),
    "points": world(f'<flexcomp name="f" dim="3" count="{BILLION} {BILLION} {BILLION}"/>'),
    "cable": world(
        f'<composite type="cable" prefix="c" count="{BILLION} 1 1" size="1" curve="s">'
        '<geom type="capsule" size=".1"/></composite>'
    ),
    "memory": '<mujoco><size memory="1000000000000G"/></mujoco>',
    "numbers of a sensor": f'<mujoco><sensor><user dim="{BILLION}"/></sensor></mujoco>',
    "device": '<mujoco><asset><mesh name="m" content_type="model/stl" file="/dev/zero"/></asset></mujoco>',
    "activations": world(
        MOVING, f'<actuator><general joint="j" dyntype="user" actdim="{BILLION}"/></actuator>'
    ),
    "includes itself": '<mujoco><include file="model.xml"/></mujoco>',
    "not a number of memory": f'<mujoco><size memory="{"9" * 100000}X"/></mujoco>',
    "comments that do not end": "<mujoco>" + "<!--" * (MOST_BYTES >> 3),
    "values that do not end": "<mujoco>" + "<text a='" * 20000,
    "undeclared prefixes": "<mujoco>" + "".join(f"<a{i}:b/>" for i in range(20000)),
    "zeros": b"\0" * 1000000,
    "binary": bytes(range(256)) * 1000,
    "nothing": b"",
}  # fmt: skip


def refuse(path: Path) -> tuple[str, float, float]:
    """Load a file in a new process; return the error message, the CPU time (s), and the growth of its memory (MB)."""
    program = [sys.executable, "-c", PROGRAM, str(path)]
    result = subprocess.run(program, capture_output=True, text=True, timeout=HANGS, check=False)
    if result.returncode:
        raise RuntimeError(f"{path}: crashed: {result.stderr[-500:]}")
    *lines, figures = result.stdout.splitlines()
    seconds, megabytes = map(float, figures.split())
    return lines[0], seconds, megabytes


def write(data: str | bytes, path: Path) -> Path:
    """Write a case to `path`, and return `path`."""
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grep", default="", help="only cases whose name contains this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, data in HOSTILE.items():
            if options.grep in name:
                path = write(data, Path(folder, "model.xml"))
                rounds = [refuse(path) for _ in range(options.rounds)]
                seconds, megabytes = min(one[1] for one in rounds), max(one[2] for one in rounds)
                over = "over" if seconds >= SECONDS or megabytes >= MEGABYTES else ""
                rows.append({"benchmark": "hostile", "case": name, "s": seconds, "MB": megabytes, "bars": over})
    write_report("refusing hostile input", rows, ["case", "s", "MB", "bars"], options.json)


if __name__ == "__main__":
    main()
