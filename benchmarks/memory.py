"""Memory of a world: growth of the process's memory per world, after some steps.

python -m benchmarks.memory [--model models/humanoid.xml] [--worlds 1024] [--json out/memory.jsonl]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmarks.fresh_process import run_fresh
from benchmarks.report import write_report

PRELUDE = """
import json, sys
path, nworld = sys.argv[1], int(sys.argv[2])
def resident():
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * 4096
"""

OFFICIAL = (
    PRELUDE
    + """
import mujoco
model = mujoco.MjModel.from_xml_path(path)
mujoco.mj_step(model, mujoco.MjData(model), 10)
before = resident()
worlds = [mujoco.MjData(model) for _ in range(nworld)]
for data in worlds:
    mujoco.mj_step(model, data, 10)
print(json.dumps({"bytes": resident() - before}))
"""
)

SINGLE = OFFICIAL.replace("mujoco", "conjoint")

BATCH = (
    PRELUDE
    + """
import conjoint
from conjoint.batch import Batch
model = conjoint.MjModel.from_xml_path(path)
small = Batch(model, 16, precision=sys.argv[3], nthread=1)
small.step(10)
before = resident()
batch = Batch(model, nworld, precision=sys.argv[3], nthread=1)
batch.step(10)
print(json.dumps({"bytes": resident() - before}))
"""
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    contenders: list[tuple[str, str, list[str]]] = [
        ("mujoco MjData", OFFICIAL, []),
        ("conjoint MjData", SINGLE, []),
        ("conjoint Batch, float64", BATCH, ["float64"]),
        ("conjoint Batch, float32", BATCH, ["float32"]),
    ]
    rows: list[dict[str, Any]] = []
    for name, code, arguments in contenders:
        grown = run_fresh(code, options.model, str(options.worlds), *arguments)["bytes"]
        rows.append({
            "benchmark": "memory", "model": options.model, "what": name, "worlds": options.worlds,
            "KiB/world": grown / options.worlds / 1024,
        })  # fmt: skip
    write_report(f"memory per world, {Path(options.model).name}", rows, ["what", "worlds", "KiB/world"], options.json)


if __name__ == "__main__":
    main()
