"""Fuzz the API: `python -m fuzz.api --seconds 600`, run in the tests folder; docs/testing.md has details."""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

from fuzz.api_calls import Writer
from fuzz.api_trial import Finding, Trial, written
from fuzz.api_worker import Setup, Worker
from fuzz.seeds import SEEDS

ARM = Setup("""<mujoco><worldbody><geom name="floor" type="plane" size="2 2 2"/><body name="torso" pos="0 0 1">
<joint name="a" axis="0 1 0"/><geom size=".1"/><body pos="0 0 .3"><joint axis="0 1 0"/><geom size=".1"/><site name="s"/></body></body>
<body name="ball" pos="1 0 .2"><freejoint/><geom size=".1"/></body></worldbody>
<actuator><motor joint="a"/></actuator><sensor><gyro site="s"/></sensor><keyframe><key qpos="1 1 1 0 .2 1 0 0 0"/></keyframe></mujoco>""")
"""Default model, which is fast and has limbs, contacts, an actuator, a sensor and a keyframe."""

LEFT_OUT = frozenset({"urdf", "macros"})
"""Names of seeds that are excluded because their compilation takes too long."""

DIFFERENT = (
    *("kitchen_env_model", "cards", "gripper_trilinear", "testdata/flex", "joint_force_clamp", "baxter_arm"),
    *("joint_types", "newton/cartpole", "manip_place_cradle", "fetch/slide", "jaco_three_finger", "collisions"),
    *("hammock", "robot_arm", "planks", "general_dyntype", "island/tendon_wrap"),
)
"""Substrings of the paths of public models whose results differ from MuJoCo's without any edit.

docs/testing.md has the reasons.
"""


def built_in(grep: str = "") -> list[Setup]:
    """Return the built-in models whose names contain `grep`."""
    models = {"arm": ARM, **{name: Setup(xml=xml) for name, xml in SEEDS.items() if name not in LEFT_OUT}}
    return [setup for name, setup in models.items() if grep in name]


def of_corpus(folder: Path, grep: str = "", most: int = 40) -> list[Setup]:
    """Return public models of a corpus with a manifest that have at most `most` dofs and load quickly."""
    rows = json.loads((folder / "manifest.json").read_text())["models"]
    small = [row for row in rows if row.get("loads") and row.get("load_s", 1.0) < 0.2 and row["nv"] <= most]
    return [
        Setup(path=str((folder / row["path"]).resolve()), equal=not any(part in row["path"] for part in DIFFERENT))
        for row in small
        if row.get("oracle_version", "3.3.5") == "3.3.5" and grep in row["path"]
    ]


class ApiCampaign:
    """Runner of random programs that collects the findings; valid and absurd programs alternate."""

    def __init__(self, setups: list[Setup], trial: Trial, seed: int):
        self.setups, self.trial = setups, trial
        self.random, self.writer = random.Random(seed), Writer(seed, specs=bool(setups and setups[0].xml))
        self.executions = self.lines = 0
        self.findings: dict[tuple[str, ...], tuple[Finding, str]] = {}
        self.counts: Counter[tuple[str, ...]] = Counter()

    def run(self, seconds: float, most: int | None = None) -> None:
        """Run programs for `seconds`, or until `most` programs have run."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and (most is None or self.executions < most):
            setup = self.random.choice(self.setups)
            # run ten programs per model, because some models compile much code
            for _ in range(10):
                if time.monotonic() < end and (most is None or self.executions < most):
                    self.once(setup)

    def once(self, setup: Setup) -> None:
        """Run one random program and record its finding, if any."""
        absurd = self.executions % 2 == 1
        lines = self.writer.program(absurd)
        self.executions, self.lines = self.executions + 1, self.lines + len(lines)
        compare = setup.equal and not absurd
        finding = self.trial.judge(setup, lines, compare)
        if finding is None:
            return
        self.counts[finding.key] += 1
        if finding.key not in self.findings:
            fewer = self.trial.shrunk(setup, lines, finding, compare)
            self.findings[finding.key] = finding, written(setup, fewer)
            print(f"--- {' '.join(finding.key)}\n{finding.text}\n{self.findings[finding.key][1]}", flush=True)


def main() -> int:
    """Run the fuzzer with the command-line options; the exit status is 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--count", type=int, help="most programs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--corpus", type=Path, help="folder of models with a manifest.json, instead of built-in ones")
    parser.add_argument("--grep", default="", help="only models whose name holds this")
    parser.add_argument("--alone", action="store_true", help="without the oracle")
    parser.add_argument("--out", type=Path, help="folder for the programs that show what is found")
    arguments = parser.parse_args()
    setups = of_corpus(arguments.corpus, arguments.grep) if arguments.corpus else built_in(arguments.grep)
    with Worker("conjoint") as ours, Worker("mujoco") as theirs:
        campaign = ApiCampaign(setups, Trial(ours, None if arguments.alone else theirs), arguments.seed)
        with contextlib.suppress(KeyboardInterrupt):
            campaign.run(arguments.seconds, arguments.count)
    for number, (key, (_, program)) in enumerate(campaign.findings.items()):
        print(f"{campaign.counts[key]:5d} x {' '.join(key)}")
        if arguments.out:
            arguments.out.mkdir(parents=True, exist_ok=True)
            (arguments.out / f"{number:03d}.py").write_text(program)
    print(f"{campaign.executions} programs, {campaign.lines} lines, {len(campaign.findings)} findings")
    return 1 if campaign.findings else 0


if __name__ == "__main__":
    sys.exit(main())
