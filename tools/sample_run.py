"""Short humanoid run whose results are recorded, so that other processors and systems can be compared.

    python tools/sample_run.py                          prints the numbers, as JSON
    python tools/sample_run.py --record FILE            saves them
    python tools/sample_run.py --compare FILE           compares them with saved numbers; the status is 1 if they differ

It needs only the installed package, which contains the model.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from pathlib import Path
from typing import Any

STEPS, WORLDS = 100, 9
TOLERANCES = {"qpos": 1e-9, "qvel": 1e-7, "energy": 1e-7, "batch float64": 1e-9, "batch float32": 1e-3}
"""Largest allowed differences between the results of two machines.

Processors fuse products and sums into single instructions at different points of the program. On x86-64, a change of
1e-15 in the initial state grows to 2e-13 in this run; in float32, differences start at 1e-7.
"""


def sample(model_file: Path) -> dict[str, Any]:
    """Return results of one world and two batches, exceptions for wrong arguments, and the time of the first step."""
    import numpy as np

    import conjoint
    from conjoint.batch import Batch
    from conjoint.lang.calls import argument_guard

    model = conjoint.MjModel.from_xml_path(str(model_file))
    model.opt.enableflags |= int(conjoint.mjtEnableBit.mjENBL_ENERGY)
    data = conjoint.MjData(model)
    # the model's knees and elbows are exactly at their limits, where rounding decides whether the limits are active
    bent = 0.03 + 0.01 * np.sin(np.arange(model.nq - 7))
    data.qpos[7:] += bent
    start = time.perf_counter()
    conjoint.mj_step(model, data)
    first = time.perf_counter() - start
    for step in range(1, STEPS):
        data.ctrl[:] = control(model.nu, step)
        conjoint.mj_step(model, data)
    found: dict[str, Any] = {
        "qpos": data.qpos.tolist(), "qvel": data.qvel.tolist(), "energy": data.energy.tolist(), "ncon": int(data.ncon),
    }  # fmt: skip
    for precision in ("float64", "float32"):
        batch = Batch(model, WORLDS, precision=precision, nthread=2)
        batch.qpos[:, 7:] += bent
        for step in range(20):
            batch.ctrl = np.tile(control(model.nu, step), (WORLDS, 1))
            batch.step(1)
        found[f"batch {precision}"] = np.array(batch.qpos, float)[-1].tolist()
    found["guards"] = argument_guard.available()
    found["refused"] = refused(conjoint, model, data)
    found["first step"] = first
    return found


def model_file() -> Path:
    """Return the path of the humanoid in the installed package, or else in this checkout."""
    import conjoint

    folders = Path(conjoint.__file__).parent, Path(__file__).parents[1]
    return next(path for folder in folders if (path := folder / "models" / "humanoid.xml").exists())


def control(count: int, step: int) -> Any:
    """Return `count` controls between -1 and 1 that depend on the step, without a random generator."""
    import numpy as np

    return ((np.arange(count) * 7 + step * 13) % 19 - 9) / 9.0


def refused(conjoint: Any, model: Any, data: Any) -> list[str]:
    """Return the names of the exceptions that wrong arguments raise."""
    answers = []
    for arguments in ((model,), (model, data, "1"), (data, model)):
        try:
            conjoint.mj_step(*arguments)
            answers.append("nothing")
        except Exception as error:
            answers.append(type(error).__name__)
    return answers


def differences(found: dict[str, Any], kept: dict[str, Any]) -> list[str]:
    """Return a line for each difference from the saved results that exceeds its tolerance."""
    alike = ("ncon", "guards", "refused")
    reported = [f"{name}: {found[name]} for {kept[name]}" for name in alike if found[name] != kept[name]]
    for name, most in TOLERANCES.items():
        worst = max(abs(a - b) for a, b in zip(found[name], kept[name], strict=True))
        print(f"{name:14s} differs by {worst:.1e}, {most:.0e} at most")
        if not worst <= most:
            reported.append(f"{name} differs by {worst:.3e}")
    return reported


def main() -> None:
    """Run the sample, and print, record or compare the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", type=Path)
    parser.add_argument("--compare", type=Path)
    given = parser.parse_args()
    found = sample(model_file())
    first = found.pop("first step")
    print(f"{platform.platform()}, Python {platform.python_version()}: the first step took {first:.2f} s")
    if given.record:
        given.record.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    elif given.compare:
        reported = differences(found, json.loads(given.compare.read_text(encoding="utf-8")))
        print("\n".join(reported) or "the numbers are those recorded")
        sys.exit(1 if reported else 0)
    else:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
