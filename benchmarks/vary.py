"""Cost of worlds that differ: steps of humanoids with individual masses, frictions and gains.

    python -m benchmarks.vary [--worlds 1024] [--steps 60]

Controls are random and new at every step, on one thread. For comparison, a batch whose worlds share one model takes the
same steps. The two batches run alternately, and times are CPU times. MuJoCo has no batches whose worlds differ, so it
is not measured.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import conjoint
from benchmarks.report import machine_facts
from conjoint.batch import Batch

MODEL = Path(__file__).parent.parent / "models" / "humanoid.xml"
VARY = ("body_mass", "geom_friction", "actuator_gainprm")
WARM = 20
"""Number of steps at the start that are not timed, because first contacts and first blocks cost extra time."""


def differing(model: conjoint.MjModel, nworld: int, precision: str) -> Batch:
    """Return a batch in which every world has its own masses, sliding frictions and gains."""
    rng = np.random.default_rng(1)
    batch = Batch(model, nworld, precision=precision, nthread=1, vary=VARY, keep=["ncon", "nefc", "solver_niter"])
    batch.body_mass *= rng.uniform(0.95, 1.05, batch.body_mass.shape)
    batch.geom_friction[:, :, 0] *= rng.uniform(0.95, 1.05, (nworld, model.ngeom))
    batch.actuator_gainprm[:, :, 0] *= rng.uniform(0.95, 1.05, (nworld, model.nu))
    return batch


def main() -> None:
    """Print the cost of worlds that differ, for each precision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=60)
    args = parser.parse_args()
    model = conjoint.MjModel.from_xml_path(str(MODEL))
    print(f"humanoid, nv {model.nv}, {args.worlds} worlds, one thread, random controls, {machine_facts()}")
    for precision in ("float64", "float32"):
        own = differing(model, args.worlds, precision)
        shared = Batch(model, args.worlds, precision=precision, nthread=1, keep=["ncon", "nefc", "solver_niter"])
        rng, times = np.random.default_rng(0), np.zeros((args.steps, 2))
        for step in range(args.steps):
            controls = rng.uniform(-1, 1, (args.worlds, model.nu))
            for k, batch in enumerate((shared, own)):
                batch.ctrl = controls
                begun = time.process_time()
                batch.step()
                times[step, k] = time.process_time() - begun
        counted = times[WARM:]
        cost = 100 * (np.median(counted[:, 1] / counted[:, 0]) - 1)
        print(
            f"{precision}: {1e6 * np.median(counted[:, 0]) / args.worlds:.2f} us a world and step shared, "
            f"{cost:+.1f} % where they differ; ncon {own.ncon.mean():.1f}, "
            f"nefc {own.nefc.mean():.1f}, iterations {own.solver_niter[:, 0].mean():.1f}"
        )


if __name__ == "__main__":
    main()
