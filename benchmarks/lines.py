"""Time of a step by source line of the kernels: samples of `perf`, mapped to lines by the objects' line tables.

python -m benchmarks.lines [--model models/humanoid.xml] [--batch float32] [--seconds 5] [--most 30]

Needs Linux with `perf`, and `objdump`.
"""

from __future__ import annotations

import argparse
import bisect
import json
import linecache
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src"


def run(model: str, batch: str, seconds: float, folder: Path) -> None:
    """Step for a while, then write the objects of all kernels and the addresses of their entry points to a folder."""
    import time

    import conjoint
    from conjoint.batch import Batch
    from conjoint.lang.calls import compiled
    from conjoint.lang.calls.compiled import found_object
    from conjoint.lang.objects.unit import Description

    m = conjoint.MjModel.from_xml_path(model)
    if batch == "none":
        d = conjoint.MjData(m)
        step = lambda: conjoint.mj_step(m, d, 20)  # noqa: E731
    else:
        step = Batch(m, 256, precision=batch, nthread=1).step
    step()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        step()
    entries = {}
    for (key, *_), loaded in compiled._loaded.items():
        code = found_object(key)[0]
        if code is not None:
            (folder / f"{key}.o").write_bytes(Description.unpacked(bytes(code))[1])
            entries[key] = loaded.address
    (folder / "entries.json").write_text(json.dumps(entries))


def table_of(path: Path, entry: int) -> list[tuple[int, str]]:
    """Return the instructions of an object file as pairs (address, source line).

    Args:
        path: path of the object file.
        entry: address of the loaded object's entry point.
    """
    command = ["objdump", "--disassemble", "--line-numbers", "--no-show-raw-insn", str(path)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found, place, start = [], "", None
    for line in listing.splitlines():
        if name := re.match(r"([0-9a-f]+) <(.*)>:$", line):
            start = int(name[1], 16) if name[2].endswith(".entry") else start
        elif where := re.match(r"(\S+\.py:\d+)", line):
            place = where[1]
        elif address := re.match(r"\s+([0-9a-f]+):\t", line):
            found.append((int(address[1], 16), place))
    assert start is not None, f"{path} has no entry"
    return [(entry - start + offset, place) for offset, place in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--batch", default="none", help="step 256 worlds of this precision instead of one world")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--most", type=int, default=30, help="lines to print")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.into:
        run(options.model, options.batch, options.seconds, options.into)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        child = [sys.executable, "-m", "benchmarks.lines", *sys.argv[1:], "--into", name]
        command = ["perf", "record", "--quiet", "--freq", "5000", "--output", str(folder / "perf"), *child]
        subprocess.run(command, check=True)
        script = ["perf", "script", "--input", str(folder / "perf"), "--fields", "ip"]
        answer = subprocess.run(script, capture_output=True, text=True, check=True).stdout
        entries = json.loads((folder / "entries.json").read_text())
        table = sorted(row for key, entry in entries.items() for row in table_of(folder / f"{key}.o", entry))
    addresses = [address for address, _ in table]
    samples = [int(ip, 16) for ip in answer.split()]
    lines: Counter[str] = Counter()
    for ip in samples:
        k = bisect.bisect_right(addresses, ip) - 1
        # instructions are short, so an address far behind an object's last instruction belongs to other code
        if k >= 0 and ip - addresses[k] < 16:
            lines[table[k][1] or "no line"] += 1
    print(f"{lines.total()} of {len(samples)} samples are in kernels, of them:")
    for place, count in lines.most_common(options.most):
        file, _, line = place.rpartition(":")
        text = linecache.getline(str(SOURCES / file), int(line)).strip() if line.isdigit() else ""
        print(f"{100 * count / lines.total():5.1f} %  {place:55} {text}")


if __name__ == "__main__":
    main()
