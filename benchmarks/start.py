"""Time from the start of a process to the end of its first step, with an empty cache (cold) and with a full one (warm).

python -m benchmarks.start [--model models/humanoid.xml] [--json out/start.jsonl]
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.fresh_process import run_fresh
from benchmarks.report import write_report

IMPORT = """
import json, time
start = time.perf_counter()
import {package}
print(json.dumps({{"import": time.perf_counter() - start}}))
"""

FIRST_STEP = """
import json, sys, time
start = time.perf_counter()
import conjoint
imported = time.perf_counter()
model = conjoint.MjModel.from_xml_path(sys.argv[1])
loaded = time.perf_counter()
if sys.argv[2] == "one world":
    data = conjoint.MjData(model)
    conjoint.mj_step(model, data)
else:
    from conjoint.batch import Batch
    Batch(model, 32, precision=sys.argv[2], nthread=1).step(1)
stepped = time.perf_counter()
print(json.dumps({"import": imported - start, "load": loaded - imported, "first step": stepped - loaded}))
"""

OFFICIAL = """
import json, sys, time
start = time.perf_counter()
import mujoco
imported = time.perf_counter()
model = mujoco.MjModel.from_xml_path(sys.argv[1])
loaded = time.perf_counter()
mujoco.mj_step(model, mujoco.MjData(model))
print(json.dumps({"import": imported - start, "load": loaded - imported, "first step": time.perf_counter() - loaded}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    rows = []
    for package in ("numpy", "mujoco", "conjoint"):
        # the first run reads the files from disk, and the second one from the system's cache
        run_fresh(IMPORT.format(package=package))
        rows.append({"what": f"import {package}", "cache": "", **run_fresh(IMPORT.format(package=package))})
    rows.append({"what": "mujoco, one world", "cache": "", **run_fresh(OFFICIAL, options.model)})
    for what in ("one world", "float64", "float32"):
        with tempfile.TemporaryDirectory() as folder:
            for cache in ("cold", "warm"):
                facts = run_fresh(FIRST_STEP, options.model, what, CONJOINT_CACHE_DIR=folder)
                rows.append({"what": what if what == "one world" else f"batch, {what}", "cache": cache, **facts})
    rows = [{"benchmark": "start", "model": options.model, **row} for row in rows]
    columns = ["what", "cache", "import", "load", "first step", "wall"]
    write_report(f"seconds to the first step, {Path(options.model).name}", rows, columns, options.json)


if __name__ == "__main__":
    main()
