"""Cost of user-defined physics relative to the engine's own: a friction law and a force, as single stages.

    python -m benchmarks.own_physics [--calls 20000]

The user's kernels are new implementations of kernels of the engine. Both run alternately on the humanoid on the floor,
in one world and in lanes. The reported time is the CPU time of the best of nine rounds.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np

import conjoint
from benchmarks.report import machine_facts
from conjoint.batch.batch import Batch, worlds_of
from conjoint.batch.pipeline import BlockPipeline
from conjoint.lang import kernel, where
from conjoint.lang.memory.realisation import default_width, lanes, world_view
from conjoint.runtime.run import bound
from conjoint.runtime.stage import Stage

MODEL = Path(__file__).parent.parent / "models" / "humanoid.xml"
ROUNDS = 9


@kernel
def friction_law(m, d):
    """Complete detected contacts as the engine does, with friction coefficients derived from the geoms."""
    for c in range(d.ncon):
        in_gap = d.contact_dist[c] >= d.contact_includemargin[c]
        sticks = d.contact_adhesion[c] > 0.0
        d.contact_exclude[c] = where(in_gap & (not sticks), 1, 0)
        d.contact_dim[c] = where(in_gap & sticks, 1, d.contact_dim[c])
        d.contact_efc_address[c] = -1
        d.contact_mu[c] = 0.0
        if d.contact_geom[c, 1] >= 0:
            for side in range(2):
                d.contact_flex[c, side] = -1
                d.contact_elem[c, side] = -1
                d.contact_vert[c, side] = -1


@kernel
def force(m, d):
    """Set the passive forces to the sum of spring and damper forces, as the engine does."""
    for i in range(m.nv):
        d.qfrc_passive[i] = d.qfrc_spring[i] + d.qfrc_damper[i]


PAIRS = {"finish_contacts": friction_law, "sum_passive": force}
"""User-defined kernels, by the names of the stages that they replace."""


def seconds(run: object, calls: int) -> float:
    begun = time.process_time()
    run.go(calls)
    return time.process_time() - begun


def ratios(runs: tuple[object, object], calls: int) -> tuple[float, float]:
    """Return the time in microseconds of the engine's stage, and the time of the user's stage relative to it."""
    rounds = np.array([[seconds(run, calls) for run in runs] for _ in range(ROUNDS)])
    engine, mine = rounds.min(axis=0)
    return 1e6 * engine / calls, mine / engine


def main() -> None:
    """Print a line for each stage, in one world and in lanes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=20000)
    calls = parser.parse_args().calls
    model = conjoint.MjModel.from_xml_path(str(MODEL))
    data = conjoint.MjData(model)
    conjoint.mj_step(model, data, 400)
    width = default_width("float64")
    batch = Batch(model, width, nthread=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batch.step(400)
    space = worlds_of(batch).work.spaces[0]
    print(f"humanoid, nv {model.nv}, ncon {data.ncon}, nefc {data.nefc}, no controls, {machine_facts()}")
    for name, mine in PAIRS.items():
        stages = [Stage(name, kernel) for kernel in (conjoint.mjSTAGEFUNC[name], mine)]
        single = tuple(bound((stage,), model.plans.current, data.world) for stage in stages)
        wide = lanes("float64", width), world_view("float64", width)
        beside = tuple(BlockPipeline([stage], space, *wide, None).run for stage in stages)
        for where_it_runs, runs in (("one world", single), (f"{width} lanes", beside)):
            cost, ratio = ratios(runs, calls)
            print(f"{name}, {where_it_runs}: {cost:.3f} us, the program's {ratio:.2f} times that")


if __name__ == "__main__":
    main()
