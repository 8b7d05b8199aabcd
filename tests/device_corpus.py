"""Compare one step of public models on a device with float32 worlds in lanes.

    python tests/device_corpus.py corpus/manifest.json [--device opencl] [--out FILE]

Every model runs in its own process, because a driver may crash the process. Each output line contains the path of a
model, its result, and figures. The result is "same" (to the bit), "agrees" (within rounding), "differs" or "fails".
Models that are already in the file of --out are skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import warnings
from collections import Counter
from pathlib import Path

NWORLD = 3
"""Number of worlds that are stepped for each model."""


def compare(path: Path) -> str:
    """Return the result for one model, with its figures, as text separated by tabs."""
    import conjoint
    from device.agreement import DEVICE, ROUNDING, differences, stepped

    warnings.simplefilter("ignore")
    model = conjoint.MjModel.from_xml_path(str(path))
    lanes = stepped(model, NWORLD, 1)
    device = stepped(model, NWORLD, 1, device=DEVICE)
    found = differences(lanes, device)
    worst, contacts = max(found.values(), default=0.0), int((lanes.ncon != device.ncon).sum())
    result = "differs" if worst > ROUNDING or contacts else "agrees" if worst else "same"
    return f"{result}\t{worst:.1e}\tncon {lanes.ncon.max()}, {contacts} differ\tnv {model.nv}"


def result_of(path: Path, device: str, patience: float) -> str:
    """Return the result of `compare`, computed in a new process that may take `patience` seconds."""
    command = [sys.executable, __file__, "--one", str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=patience, env={**os.environ, "CONJOINT_DEVICE": device}
        )
    except subprocess.TimeoutExpired:
        return f"fails\tno result after {patience:.0f} s"
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [""]
        return f"fails\texit status {done.returncode}: {last[0][:300]}"
    return done.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=Path, nargs="?")
    parser.add_argument("--device", default="opencl")
    parser.add_argument("--out", type=Path, default=Path("out/device_corpus.tsv"))
    parser.add_argument("--patience", type=float, default=900, help="seconds for a model")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(compare(given.one))
        return
    models = [entry for entry in json.loads(given.manifest.read_text())["models"] if entry.get("loads")]
    # run small models first, because they compile the kernels that most other models use
    models.sort(key=lambda entry: entry["us_per_step_median"] or 0)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    lines = given.out.read_text().splitlines() if given.out.exists() else []
    known = {line.split("\t")[0] for line in lines}
    with given.out.open("a") as out:
        for entry in models:
            if entry["path"] not in known:
                result = result_of(given.manifest.parent / entry["path"], given.device, given.patience)
                lines.append(f"{entry['path']}\t{result}")
                print(lines[-1], file=out, flush=True)
                print(lines[-1], flush=True)
    counts = Counter(line.split("\t")[1] for line in lines)
    print(f"{counts['same'] + counts['agrees']} of {len(lines)} agree:", dict(counts))


if __name__ == "__main__":
    main()
