"""CPU time of a call to every public function that can be called repeatedly, compared with MuJoCo.

python -m benchmarks.functions [--model models/humanoid.xml] [--only mj_ mju_] [--above 0] [--json FILE]

Arguments are chosen according to MuJoCo's signatures. Arrays of three numbers are vectors, arrays of four are
quaternions, and arrays of nine are rotations. Other arrays have a number for each dof. `GIVEN` lists exceptions. Each
function is called on a separate world, in its state after a second of random controls.
"""

from __future__ import annotations

import argparse
import re
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import mujoco
import numpy as np

import conjoint
from benchmarks.report import write_report

ROUNDS, SECONDS = 5, 0.004
"""Number of rounds for each engine (the best one counts), and approximate duration of a round (s)."""

LEFT_OUT = re.compile(
    r"mj_(print|save|load|defaultSolRefImp|setLengthRange)|mju_(print|write|rayFlex|raySkin)|mjv_updateSkin"
)
"""Pattern for the names of functions that are not measured.

They use files and logs, are slow, or cannot be called through MuJoCo's binding without an error or a warning.
"""

KINDS = {
    "[3]": lambda n: np.array([0.1, 0.2, 0.9]),
    "[4]": lambda n: np.array([0.6, 0.0, 0.8, 0.0]),
    "[9]": lambda n: np.array([0.6, 0.0, 0.8, 0.0, 1.0, 0.0, -0.8, 0.0, 0.6]),
    "[m]": lambda n: np.linspace(0.1, 1.0, n),
    "[mxn]": lambda n: 2.0 * np.eye(n) + 0.01,
}
"""Functions that create an example array for a model with n dofs, by the array shape in a signature."""

STATE = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)

GIVEN: dict[str, str] = {
    "axis": "unit",
    "body": "m.nbody - 1",
    "catmask": "7",
    "cost": "np.zeros(1)",
    "dist": "np.zeros(50)",
    "dt": "0.01",
    "geomid": "np.zeros(1, np.int32)",
    "flexid": "np.zeros(1, np.int32)",
    "skinid": "np.zeros(1, np.int32)",
    "id": "0",
    "fromto": "np.zeros(6)",
    "geomgroup": "None",
    "jacp": "np.zeros((3, n))",
    "jacr": "np.zeros((3, n))",
    "N": "4",
    "jacPoint": "np.zeros((3, n))",
    "jacAxis": "np.zeros((3, n))",
    "qpos": "m.qpos0.copy()",
    "qpos1": "m.qpos0.copy()",
    "qpos2": "m.qpos0.copy()",
    "state": "full_state",
    "spec": f"{STATE}",
    "skipstage": "0",
    "index": "3",
    "base": "2",
    "geom1": "1",
    "geom2": "2",
    "distmax": "1.0",
    "objtype": "1",
    "objid": "m.nbody - 1",
    "eps": "1e-6",
    "name": "m.body(m.nbody - 1).name",
    "prm": "m.actuator_gainprm[0, :9].copy()",
    "seq": "'xyz'",
    "k": "0",
    "lengthrange": "np.array([0.5, 1.5])",
    "ntotal": "n",
    "nband": "1",
    "ndense": "0",
    "nvec": "1",
    "bodyexclude": "-1",
    "vec2": "np.linspace(0.2, 1.0, n)",
    "newmass": "40.0",
    "action": "1",
    "aspectratio": "1.5",
    "nray": "50",
    "cutoff": "100.0",
    "sameframe": "0",
    "geom": "1",
    "geomtype": "6",
    "nbytes": "5000",
    "scn": "scene",
    "key": "0",
    "opt": "package.MjvOption()",
    "vopt": "package.MjvOption()",
    "pert": "package.MjvPerturb()",
    "num2": "None",
    "cam": "camera",
    "cam1": "package.MjvGLCamera()",
    "cam2": "package.MjvGLCamera()",
    "fig": "package.MjvFigure()",
    "vis": "m.vis",
    "str": "'body'",
    "con": "package.MjContact()",
    "jar": "np.zeros(d.nefc)",
    "rgba": "np.ones(4, np.float32)",
    "mindiag": "1e-9",
    "warning": "1",
}
"""Expressions for arguments, by "argument" or "function.argument"."""

GIVEN |= {
    "mj_addM.dst": "np.zeros(m.nC)",
    "mj_addM.rownnz": "m_rownnz",
    "mj_addM.rowadr": "m_rowadr",
    "mj_addM.colind": "m_colind",
    "mj_angmomMat.mat": "np.zeros((3, n))",
    "mj_fullM.M": "d.qM",
    "mj_contactForce.result": "np.zeros(6)",
    "mj_defaultLROpt.opt": "package.MjLROpt()",
    "mj_defaultOption.opt": "m.opt",
    "mj_mulJacTVec.vec": "np.zeros(d.nefc)",
    "mj_mulJacVec.res": "np.zeros(d.nefc)",
    "mj_multiRay.vec": "rays",
    "mj_multiRay.geomid": "np.zeros(50, np.int32)",
    "mj_ray.vec": "down",
    "mj_rayHfield.geomid": "1",
    "mj_rayMesh.geomid": "1",
    "mj_jacSite.site": "0",
    "mj_solveM.x": "one_row",
    "mj_solveM.y": "one_row.copy()",
    "mj_solveM2.x": "one_row",
    "mj_solveM2.y": "one_row.copy()",
    "mj_solveM2.sqrtInvD": "one_row.copy()",
    "mju_band2Dense.mat": "np.ones(n)",
    "mju_cholFactorBand.mat": "np.ones(n)",
    "mju_cholSolveBand.mat": "np.ones(n)",
    "mju_dense2Band.res": "np.ones(n)",
    "mju_bandMulMatVec.mat": "np.ones((n, 1))",
    "mju_bandMulMatVec.vec": "np.ones((n, 1))",
    "mju_boxQP.R": "np.zeros((n, n + 7))",
    "mju_boxQP.index": "np.zeros(n, np.int32)",
    "mju_boxQP.lower": "-np.ones(n)",
    "mju_boxQP.upper": "np.ones(n)",
    "mju_dense2sparse.res": "np.zeros(n * n)",
    "mju_dense2sparse.rownnz": "np.zeros(n, np.int32)",
    "mju_dense2sparse.rowadr": "np.zeros(n, np.int32)",
    "mju_dense2sparse.colind": "np.zeros(n * n, np.int32)",
    "mju_sparse2dense.mat": "np.ones(n)",
    "mju_sparse2dense.rownnz": "np.ones(n, np.int32)",
    "mju_sparse2dense.rowadr": "np.arange(n, dtype=np.int32)",
    "mju_sparse2dense.colind": "np.arange(n, dtype=np.int32)",
    "mju_decodePyramid.force": "np.zeros(3)",
    "mju_decodePyramid.pyramid": "np.ones(4)",
    "mju_decodePyramid.mu": "np.ones(2)",
    "mju_encodePyramid.force": "np.ones(3)",
    "mju_encodePyramid.pyramid": "np.zeros(4)",
    "mju_encodePyramid.mu": "np.ones(2)",
    "mju_f2n.vec": "np.ones(n, np.float32)",
    "mju_n2f.res": "np.ones(n, np.float32)",
    "mju_insertionSortInt.list": "np.arange(n, dtype=np.int32)",
    "mju_muscleDynamics.prm": "np.array([0.01, 0.04, 0.0])",
    "mju_rayGeom.size": "np.ones(3)",
    "mju_type2Str.type": "1",
    "mju_muscleGain.len": "1.0",
    "mjv_connector.type": "100",
    "mjv_initGeom.type": "2",
    "mjd_subQuat.qa": "quat",
    "mjd_subQuat.qb": "quat",
    "mjd_subQuat.Da": "np.zeros((3, 3))",
    "mjd_subQuat.Db": "np.zeros((3, 3))",
    "mjd_transitionFD.A": "np.zeros((2 * n + m.na, 2 * n + m.na))",
    "mjd_transitionFD.B": "np.zeros((2 * n + m.na, m.nu))",
    "mjd_transitionFD.C": "None",
    "mjd_transitionFD.D": "None",
    "mjd_inverseFD.DsDq": "None",
    "mjd_inverseFD.DsDv": "None",
    "mjd_inverseFD.DsDa": "None",
    "mjd_inverseFD.DmDq": "None",
}

SIGNATURE = re.compile(r'(\w+): (?:typing\.Annotated\[numpy\.typing\.NDArray\[numpy\.\w+\], "(\[[^]]*\])"|([\w.]+))')


def parameters(name: str) -> list[tuple[str, str]]:
    """Return the parameters of a MuJoCo function: name, and the shape of an array or the type of another argument."""
    head = getattr(mujoco, name).__doc__.split("\n")[0].rpartition(" -> ")[0]
    return [
        (given, shape.replace(", 1]", "]").replace(", ", "x") or kind) for given, shape, kind in SIGNATURE.findall(head)
    ]


def fixture(package: ModuleType, path: str) -> dict[str, Any]:
    """Return a model, its data after a second of simulation, and other values that expressions of `GIVEN` use."""
    m = package.MjModel.from_xml_path(path)
    d = package.MjData(m)
    rng = np.random.default_rng(0)
    for _ in range(int(1 / m.opt.timestep)):
        d.ctrl[:] = rng.uniform(-1, 1, m.nu)
        package.mj_step(m, d)
    package.mj_forward(m, d)
    package.mj_subtreeVel(m, d)
    scene, camera = package.MjvScene(m, maxgeom=1000), package.MjvCamera()
    package.mjv_defaultFreeCamera(m, camera)
    full_state = np.zeros(package.mj_stateSize(m, STATE))
    package.mj_getState(m, d, full_state, STATE)
    package.mjv_updateScene(m, d, package.MjvOption(), None, camera, 7, scene)
    rays = rng.standard_normal((50, 3))
    rays /= np.linalg.norm(rays, axis=1)[:, np.newaxis]
    return {
        "package": package,
        "m": m,
        "d": d,
        "n": m.nv,
        "np": np,
        "scene": scene,
        "camera": camera,
        "rays": rays.ravel(),
        "full_state": full_state,
        "unit": np.array([0.0, 0.0, 1.0]),
        "down": np.array([0.0, 0.0, -1.0]),
        "quat": np.array([0.6, 0.0, 0.8, 0.0]),
        "one_row": np.ones((1, m.nv)),
        "m_rownnz": d.M_rownnz.copy(),
        "m_rowadr": d.M_rowadr.copy(),
        "m_colind": d.M_colind.copy(),
    }


def argument(function: str, name: str, kind: str, values: dict[str, Any]) -> Any:
    """Return a value for a parameter of a function."""
    if name in ("m", "d"):
        return values[name]
    # a fixed shape determines the argument; other arguments are chosen by name
    by_name = kind not in KINDS or kind in ("[m]", "[mxn]")
    text = GIVEN.get(f"{function}.{name}") or (GIVEN.get(name) if by_name else None)
    if text:
        return eval(text, values)
    if kind in KINDS:
        return KINDS[kind](values["n"])
    if kind.startswith("["):
        return np.ones(int(kind[1:-1]))
    return 1 if "Int" in kind or "bool" in kind else 0.5


def call(package: ModuleType, path: str, name: str) -> Callable[[], Any]:
    """Return a function without parameters that calls a function of a package."""
    values = fixture(package, path)
    function, arguments = getattr(package, name), [argument(name, *each, values) for each in parameters(name)]
    return lambda: function(*arguments)


def nanoseconds(function: Callable[[], Any]) -> Callable[[], float]:
    """Return a function that measures the CPU time of a call in nanoseconds."""
    timer = timeit.Timer(function, timer=time.process_time)
    # the first call loads machine code
    timer.timeit(2)
    once = max(timer.timeit(3) / 3, 1e-7)
    number = max(1, int(SECONDS / once))
    return lambda: timer.timeit(number) / number * 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="models/humanoid.xml")
    parser.add_argument("--only", nargs="*", default=["mj_", "mju_", "mjd_", "mjv_"], help="beginnings of names")
    parser.add_argument("--above", type=float, default=0.0, help="the least ratio to show")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for name in sorted(name for name in dir(mujoco) if name.startswith(tuple(options.only))):
        if LEFT_OUT.match(name) or not hasattr(conjoint, name):
            continue
        try:
            timers = [nanoseconds(call(package, options.model, name)) for package in (conjoint, mujoco)]
        except (TypeError, ValueError, mujoco.FatalError, conjoint.FatalError) as error:
            print(f"{name}: {error}")
            continue
        ours, official = (
            min(times) for times in zip(*[[timer() for timer in timers] for _ in range(ROUNDS)], strict=True)
        )
        rows.append({"benchmark": "functions", "model": options.model, "function": name, "ns": round(ours),
                     "official ns": round(official), "ratio": round(ours / official, 2)})  # fmt: skip
    shown = [row for row in rows if row["ratio"] >= options.above]
    write_report(f"{len(rows)} functions, {Path(options.model).name}", shown, list(rows[0])[2:], options.json)


if __name__ == "__main__":
    main()
