"""Tests of the command line: its output, its files and its exit codes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import conjoint
from conjoint.cli import doctor
from conjoint.cli.app import app
from conjoint.cli.profile import Row, profile_steps, shown_rows
from conjoint.cli.profile import rows_of as profile_rows
from conjoint.cli.stages import rows_of
from conjoint.cli.worlds import make_worlds
from conjoint.runtime.functions import FUNCTIONS
from places import ROOT

MODELS = ROOT / "models"
CARTPOLE = str(MODELS / "cartpole.xml")
HUMANOID = str(MODELS / "humanoid.xml")


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs a command in this process; its result has `output`, `stderr` and `exit_code`."""
    # use a wide terminal, so that messages are not wrapped
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *arguments: CliRunner().invoke(app, [str(a) for a in arguments])


def run_well(run, *arguments):
    """Run a command that must succeed, and return its output."""
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.plain
def test_simulate_tells_what_happened(run):
    output = run_well(run, "simulate", CARTPOLE, "--seconds", 0.2, "--ctrl", "random", "--seed", 3)
    for word in (
        "steps/s",
        "real-time factor",
        "contacts",
        "energy",
        "at the end",
        "warnings",
        "random (seed 3)",
        "20 steps",
    ):
        assert word in output


def test_sample_models_are_named_without_a_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in (("simulate", "cartpole", "--seconds", 0.1), ("stages", "mj_step", "cartpole")):
        assert "cartpole.xml" in run_well(run, *command)
    for wrong in ("cartpol", "cartpole.xml"):
        assert "did you mean cartpole" in run("simulate", wrong).stderr
    Path("cartpole").write_text("<mujoco model='mine'/>")
    assert "cartpole.xml" not in run_well(run, "simulate", "cartpole", "--seconds", 0.1)


def test_simulate_records_and_plots(run, tmp_path):
    record, plot = tmp_path / "new" / "run.npz", tmp_path / "run.png"
    options = ("--seconds", 0.5, "--ctrl", "random", "--key", "test", "--record", record, "--plot", plot, "--every", 2)
    run_well(run, "simulate", HUMANOID, *options)
    with np.load(record) as recording:
        assert recording["qpos"].shape == (50, 28)
        assert recording["qvel"].shape == (50, 27)
        assert recording["ctrl"].shape == (50, 21)
        assert recording["energy"].shape == (50, 2)
        assert recording["ncon"].shape == (50,)
        np.testing.assert_allclose(np.diff(recording["time"]), 0.01)
        assert list(recording["trees"]) == ["torso"]
        assert recording["height"][-1, 0] < recording["height"][0, 0]
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.plain
def test_a_recording_replays_to_the_same_motion(run, tmp_path):
    first, second = tmp_path / "first.npz", tmp_path / "second.npz"
    run_well(run, "simulate", CARTPOLE, "--seconds", 0.2, "--ctrl", "random", "--record", first, "--every", 1)
    run_well(run, "simulate", CARTPOLE, "--seconds", 0.2, "--ctrl", first, "--record", second, "--every", 1)
    with np.load(first) as a, np.load(second) as b:
        assert np.array_equal(a["qpos"], b["qpos"]) and np.abs(a["qpos"]).max() > 0


@pytest.mark.plain
def test_the_seed_decides_the_motion(run, tmp_path):
    motions = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        path = tmp_path / f"{name}.npz"
        run_well(run, "simulate", CARTPOLE, "--seconds", 0.1, "--ctrl", "random", "--seed", seed, "--record", path)
        with np.load(path) as recording:
            motions.append(recording["ctrl"])
    assert np.array_equal(motions[0], motions[1]) and not np.array_equal(motions[0], motions[2])


@pytest.mark.plain
def test_controls_of_a_keyframe_are_held(run, tmp_path):
    path = tmp_path / "run.npz"
    run_well(run, "simulate", MODELS / "quadruped.xml", "--seconds", 0.01, "--ctrl", "keyframe", "--record", path)
    with np.load(path) as recording:
        np.testing.assert_allclose(recording["ctrl"][0], [0, 0.75, -1.5] * 4)
        assert recording["qpos"][0, 2] == pytest.approx(0.33)


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_simulate_many_worlds(run, tmp_path, precision):
    path, plot = tmp_path / "run.npz", tmp_path / "run.svg"
    options = ("--nworld", 5, "--nthread", 2, "--precision", precision, "--record", path, "--plot", plot)
    output = run_well(run, "simulate", HUMANOID, "--seconds", 0.2, "--ctrl", "random", *options)
    assert f"5 on 2 threads, {precision}" in output
    with np.load(path) as recording:
        assert recording["qpos"].shape == (20, 5, 28)
        # every world has its own controls
        assert len({tuple(row) for row in recording["ctrl"][0]}) == 5
        assert np.isfinite(recording["qpos"]).all()
    assert "<svg" in plot.read_text()


def test_a_film_starts_from_the_first_keyframe_for_its_controls(run, tmp_path):
    files = [tmp_path / "held.raw", tmp_path / "key.raw"]
    for path, options in zip(files, (["--ctrl", "keyframe"], ["--ctrl", "keyframe", "--key", 0]), strict=True):
        size = ("--rays", "--seconds", 0.05, "--width", 32, "--height", 24)
        run_well(run, "record", MODELS / "quadruped.xml", path, *size, *options)
    assert files[0].read_bytes() == files[1].read_bytes() != b""


def test_worlds_start_from_a_keyframe(run, tmp_path):
    path = tmp_path / "run.npz"
    run_well(run, "simulate", HUMANOID, "--seconds", 0.02, "--key", "lie", "--nworld", 3, "--record", path)
    with np.load(path) as recording:
        np.testing.assert_allclose(recording["qpos"][0, :, 2], 0.2)


CONTROL_FILES = {
    "controls.csv": "# push\n1\n0.5\n-1\n",
    "controls.txt": "1\n0.5\n-1\n",
}


@pytest.mark.plain
@pytest.mark.parametrize("name", ["controls.csv", "controls.txt", "controls.npy", "flat.npy", "controls.npz"])
def test_controls_come_from_files(run, tmp_path, name):
    path, record = tmp_path / name, tmp_path / "run.npz"
    rows = np.array([[1.0], [0.5], [-1.0]])
    if name in CONTROL_FILES:
        path.write_text(CONTROL_FILES[name])
    elif name.endswith(".npz"):
        np.savez(path, ctrl=rows)
    else:
        np.save(path, rows.ravel() if name == "flat.npy" else rows)
    run_well(run, "simulate", CARTPOLE, "--seconds", 0.05, "--ctrl", path, "--record", record, "--every", 1)
    with np.load(record) as recording:
        # the last row is used for all remaining steps
        np.testing.assert_allclose(recording["ctrl"].ravel(), [1, 0.5, -1, -1, -1])


BAD_MODELS = {
    "broken.xml": ("<mujoco><worldbody>", "broken.xml"),
    "unknown.xml": ("<mujoco>\n<worldbody>\n<bodi/></worldbody></mujoco>", "bodi"),
    "attribute.xml": ('<mujoco>\n<worldbody>\n<geom syze="1"/></worldbody></mujoco>', "syze"),
    "number.xml": ('<mujoco>\n<worldbody>\n<geom size="one"/></worldbody></mujoco>', "one"),
    "empty.xml": ("", "is empty"),
    "other.xml": ("<html/>", "html"),
}


@pytest.mark.plain
@pytest.mark.parametrize("name", BAD_MODELS)
def test_a_bad_model_is_explained(run, tmp_path, name):
    text, word = BAD_MODELS[name]
    path = tmp_path / name
    path.write_text(text)
    result = run("simulate", path)
    assert result.exit_code == 2
    assert word in result.stderr and "Traceback" not in result.output
    assert result.stderr.startswith("error: ")


@pytest.mark.plain
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", MODELS / "humanoit.xml"], ["no model file", "did you mean", "humanoid.xml"]),
        (["simulate", MODELS], ["is a folder with", "models: name one of", "cartpole.xml", " more"]),
        (["simulate", CARTPOLE, "--ctrl", "sine"], ["zero, random, keyframe, or an existing file"]),
        (["simulate", CARTPOLE, "--key", "sideways"], ["sideways", "0: upright", "1: hanging"]),
        (["simulate", MODELS / "boxes.xml", "--key", "3"], ["0: thrown"]),
        (["simulate", CARTPOLE, "--record", "run.txt"], ["--record", ".npz"]),
        (["simulate", CARTPOLE, "--plot", "run.xyz"], ["--plot", ".png"]),
        (["simulate", CARTPOLE, "--seconds", "-1"], ["--seconds"]),
        (["simulate", CARTPOLE, "--nworld", "0"], ["--nworld"]),
        (["simulate", CARTPOLE, "--precision", "float16"], ["float64"]),
        (["testspeed", "nowhere.xml"], ["no model file"]),
        (["warmup", "nowhere.xml"], ["no model file"]),
        (
            ["simulate", CARTPOLE, "--nworld", 10**15],
            ["no memory for 1000000000000000 worlds", "use fewer worlds"],
        ),
        (["simulate", CARTPOLE, "--policy", "nowhere.npz"], ["--policy nowhere.npz: the file does not exist"]),
        (["record", CARTPOLE, "x.png", "--replay", "nowhere.npz"], ["--replay nowhere.npz: the file does not exist"]),
        (["schema", "/nowhere/schema.txt"], ["must end in .xsd"]),
    ],
)
def test_a_bad_request_is_explained(run, arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    assert all(word in result.stderr for word in words), result.stderr


@pytest.mark.plain
@pytest.mark.parametrize(
    ("text", "word"),
    [("1 2\n3 4\n", "(2, 2)"), ("1\nnan\n", "row 1"), ("one\n", "one"), ("", "control file")],
)
def test_a_bad_control_file_is_explained(run, tmp_path, text, word):
    path = tmp_path / "controls.txt"
    path.write_text(text)
    result = run("simulate", CARTPOLE, "--ctrl", path)
    assert result.exit_code == 2
    assert word in result.stderr and "Traceback" not in result.output


@pytest.mark.plain
@pytest.mark.parametrize(
    ("name", "data"), [("c.npy", b"\x93NUMPY\x01"), ("c.npz", b"PK\x03\x04"), ("c.txt", b"\xff\xfe")]
)
def test_a_damaged_control_file_is_explained(run, tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    result = run("simulate", CARTPOLE, "--ctrl", path)
    assert result.exit_code == 2
    assert f"control file {path}: cannot be read" in result.stderr and "one column per actuator" in result.stderr


@pytest.mark.plain
def test_controls_that_are_no_real_numbers_are_refused(run, tmp_path):
    path = tmp_path / "controls.npy"
    np.save(path, np.ones((5, 1)) * 1j)
    result = run("simulate", CARTPOLE, "--ctrl", path)
    assert result.exit_code == 2 and "it contains complex128, not real numbers" in result.stderr


def test_a_damaged_policy_is_explained(run, tmp_path):
    for name, data in (("p.npz", b"PK\x03\x04"), ("p.npy", b"\x93NUMPY\x01"), ("p.txt", b"<mujoco/>"), ("e.npz", b"")):
        path = tmp_path / name
        path.write_bytes(data)
        result = run("simulate", CARTPOLE, "--policy", path)
        assert result.exit_code == 2 and f"--policy {path} is not a policy file" in result.stderr
    layers = {"weight0": np.ones((2, 1)), "bias0": np.ones(1), "mean": np.ones(3), "scale": np.ones(3)}
    np.savez(tmp_path / "p.npz", task="x", **layers)
    result = run("simulate", CARTPOLE, "--policy", tmp_path / "p.npz")
    assert result.exit_code == 2 and "is damaged: the layers of a policy have incompatible shapes" in result.stderr


BAD_RECORDINGS = {
    "no archive": (None, "not a recording of conjoint simulate --record"),
    "other arrays": ({"x": np.zeros(3)}, "not a recording of conjoint simulate --record"),
    "objects": ({"time": np.array([None])}, "not a recording of conjoint simulate --record"),
    "another model": (
        {"qpos": np.zeros((3, 7))},
        "qpos and qvel are (3, 7) and (3, 2), not (samples, 2) and (samples, 2)",
    ),
    "no samples": ({"time": [], "qpos": np.zeros((0, 2)), "qvel": np.zeros((0, 2))}, "it contains no samples"),
    "NaN": ({"qvel": np.array([[0, 0], [0, np.nan], [0, 0]])}, "qvel of sample 1 is not finite"),
    "times": ({"time": np.array([0.0, 2.0, 1.0])}, "its times do not increase"),
}


@pytest.mark.parametrize("case", BAD_RECORDINGS)
def test_a_bad_recording_is_explained(run, tmp_path, case):
    path = tmp_path / "recording.npz"
    arrays, words = BAD_RECORDINGS[case]
    good = {"time": np.arange(3.0), "qpos": np.zeros((3, 2)), "qvel": np.zeros((3, 2))}
    if arrays is None:
        path.write_bytes(b"PK\x03\x04")
    else:
        np.savez(path, **({} if "x" in arrays else good) | arrays)
    result = run("record", CARTPOLE, tmp_path / "film.png", "--rays", "--replay", path)
    assert result.exit_code == 2 and f"--replay {path}: " in result.stderr and words in result.stderr
    assert not list(tmp_path.glob("film*"))


def test_an_array_is_no_recording(run, tmp_path):
    path = tmp_path / "array.npy"
    np.save(path, np.zeros((3, 2)))
    result = run("record", CARTPOLE, tmp_path / "film.png", "--rays", "--replay", path)
    assert result.exit_code == 2 and f"--replay {path}: not a recording" in result.stderr


def test_derivatives_of_what_does_not_move_are_refused(run, tmp_path):
    path = tmp_path / "static.xml"
    path.write_text("<mujoco/>")
    result = run("derivative", path)
    assert result.exit_code == 2 and f"{path}: the model has no degrees of freedom" in result.stderr


def test_warnings_are_printed_without_lines_of_python(run, tmp_path):
    path = tmp_path / "outside.xml"
    path.write_text("<mujoco><body/></mujoco>")
    result = run("compile", path, tmp_path / "inside.xml")
    assert result.exit_code == 0
    assert (
        result.stderr
        == f"warning: {path}:1:9: <body> directly inside <mujoco> has no effect: move it into <worldbody>\n"
    )


@pytest.mark.plain
def test_a_file_that_is_no_model_is_not_taken_for_a_string(run, tmp_path):
    path = tmp_path / "image.xml"
    path.write_bytes(b"\xff\xd8\xff\xe0")
    result = run("simulate", path)
    assert result.exit_code == 2
    assert (
        f"{path}" in result.stderr and "not well-formed XML" in result.stderr and "from_xml_path" not in result.stderr
    )


def test_a_diverging_simulation_has_an_exit_status_of_its_own(run, tmp_path):
    path = tmp_path / "wild.xml"
    path.write_text("""
        <mujoco>
          <option timestep="0.1"/>
          <worldbody><body><joint name="j" type="slide" stiffness="-1e8"/><geom size="0.1"/></body></worldbody>
          <keyframe><key qvel="1"/></keyframe>
        </mujoco>
    """)
    result = run("simulate", path, "--key", "0", "--seconds", 20)
    assert result.exit_code == 3
    assert "the world was reset" in result.output


WRONG_TIMESTEPS = ["0", "-0.002", "inf", "nan"]


@pytest.mark.plain
@pytest.mark.parametrize("command", ["simulate", "testspeed"])
@pytest.mark.parametrize("timestep", WRONG_TIMESTEPS)
def test_a_timestep_that_time_cannot_pass_with_is_refused(run, tmp_path, command, timestep):
    path = tmp_path / "still.xml"
    path.write_text(f'<mujoco><option timestep="{timestep}"/><worldbody><geom size="1"/></worldbody></mujoco>')
    result = run(command, path)
    assert result.exit_code == 2
    assert str(path) in result.stderr and "timestep" in result.stderr and "Traceback" not in result.output


@pytest.mark.plain
@pytest.mark.parametrize("seconds", ["inf", "nan", "1e308"])
def test_a_time_without_end_is_refused(run, seconds):
    result = run("simulate", CARTPOLE, "--seconds", seconds)
    assert result.exit_code == 2
    assert "--seconds" in result.stderr and "Traceback" not in result.output


@pytest.mark.plain
def test_folders_that_are_made_are_told(run, tmp_path):
    record, plot = tmp_path / "new" / "deep" / "run.npz", tmp_path / "run.svg"
    output = run_well(run, "simulate", CARTPOLE, "--seconds", 0.02, "--record", record, "--plot", plot)
    assert f"created the folder {record.parent}" in output and output.count("created the folder") == 1
    assert record.exists() and plot.exists()
    output = run_well(run, "simulate", CARTPOLE, "--seconds", 0.02, "--record", record)
    assert "created the folder" not in output


@pytest.mark.plain
def test_outputs_that_cannot_be_written_are_refused_at_the_start(run, tmp_path):
    file, folder = tmp_path / "file", tmp_path / "folder.npz"
    file.write_text("")
    folder.mkdir()
    for record, words in ((file / "run.npz", f"{file} is not a folder"), (folder, "is a folder")):
        result = run("simulate", CARTPOLE, "--seconds", 0.02, "--record", record)
        assert result.exit_code == 2
        assert "cannot write" in result.stderr and words in result.stderr
    missing = tmp_path / "missing"
    assert run("simulate", "nowhere.xml", "--record", missing / "run.npz").exit_code == 2
    assert not missing.exists(), "nothing is made for a request that is refused"


@pytest.mark.plain
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device on this system")
@pytest.mark.parametrize(("option", "name"), [("--record", "run.npz"), ("--plot", "run.svg")])
def test_a_disk_that_is_full_at_the_end_is_told(run, tmp_path, option, name):
    output = tmp_path / name
    output.symlink_to("/dev/full")
    result = run("simulate", CARTPOLE, "--seconds", 0.02, option, output)
    assert result.exit_code == 2
    assert f"error: cannot write {output}: No space left on device" in result.stderr


def function_rows(output):
    """Return the time (us) of each function in a printed table, without nested rows."""
    cells = [line.split("│")[1:-1] for line in output.splitlines() if "│" in line]
    return {row[0].strip(): float(row[1]) for row in cells if len(row) == 5 and not row[0].startswith("  ")}


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        (HUMANOID, [], ["one world, one thread, stage by stage", "1 x 1, float64", "3.3.5"]),
        (HUMANOID, ["--nworld", 4, "--nthread", 2, "--semantics", "4.0"], ["4 x 2, float64", "4 worlds", "4.0"]),
        (CARTPOLE, ["--nworld", 4, "--precision", "float32"], ["float32", "4 worlds, "]),
    ],
)
def test_testspeed_shows_the_profile(run, model, options, words):
    output = run_well(run, "testspeed", model, "--nstep", 20, *options)
    for word in ("steps per second", "real-time factor", "share", "calls", "mj_kinematics", *words):
        assert word in output
    functions = function_rows(output)
    step = functions.pop("time per step")
    assert len(functions) > 20 and "outside the stages" in functions
    # each time is rounded to thousandths
    assert sum(functions.values()) == pytest.approx(step, abs=0.0005 * (len(functions) + 1))


def test_rows_of_a_profile_add_up():
    model = conjoint.MjModel.from_xml_path(HUMANOID)

    def begin(worlds):
        worlds.reset(None)
        return lambda step: np.zeros((worlds.nworld, model.nu))

    found = profile_steps(make_worlds(model, 3, 1, "float64"), begin, 30)
    rows = [*profile_rows(found)]
    assert sum(row.seconds for row in rows) == pytest.approx(found.whole)
    inside = {}
    while rows:
        row = rows.pop()
        if row.inside:
            assert sum(one.seconds for one in row.inside) == pytest.approx(row.seconds)
            rows += row.inside
            inside[row.name] = {one.name for one in row.inside}
    assert {"broadphase", "make_pairs", "list_contacts", "narrowphase_plane_capsule"} <= inside["mj_collision"]
    assert {"loading rows", "line search", "products", "the rest"} <= inside["mj_fwdConstraint"]


def test_small_rows_are_summed_up():
    row = Row("whole", 10.0, None, (Row("large", 8.0, 1.0), Row("small", 1.5, 1.0), Row("smaller", 0.5, 1.0)))
    shown = [(depth, one.name, one.seconds) for depth, one in shown_rows(row, 2.0)]
    assert shown == [(0, "whole", 10.0), (1, "large", 8.0), (1, "2 more", 2.0)]
    assert len([*shown_rows(row, 9.0)]) == 1


@pytest.mark.plain
def test_stages_of_a_function_are_listed(run):
    everything = run_well(run, "stages", "mj_step")
    order = ["check_state", "make_M", "broadphase", "count_rows", "rne", "fwd_acceleration", "sensor_acc", "rk4_begin"]
    places = [everything.index(f" {name} ") for name in order]
    assert places == sorted(places) and "mjINT_RK4" in everything
    # the inner steps of Runge-Kutta are not listed in detail
    assert everything.count(" make_M ") == 1 and "once more" in everything
    assert " inverse_begin " in run_well(run, "stages", "mj_inverse")


def test_places_are_listed_that_differ_between_worlds(run):
    text = run_well(run, "stages", "mj_step", HUMANOID, "--varying")
    assert "physics/collision/listing.py" in text and "branch" in text and "loop" in text
    # a kernel says why it runs for one world at a time
    assert "one world at a time: worlds together" in text


def test_stages_of_a_model_are_those_that_it_needs(run):
    names = ("kinematics", "solve_newton", "narrowphase_capsule_capsule_3", "euler", "rk4_begin")
    humanoid, cartpole = (run_well(run, "stages", "mj_step", model) for model in (HUMANOID, CARTPOLE))
    assert [f" {name} " in humanoid for name in names] == [True, True, True, True, False]
    assert [f" {name} " in cartpole for name in names] == [True, True, False, False, True]


@pytest.mark.plain
def test_kernels_that_are_made_of_others_are_listed_by_their_own_names():
    rows = list(rows_of(FUNCTIONS["mj_step"]))
    sources = {row.stage: row.source for row in rows}
    assert sources["fill_rows_sparse"] == "physics/constraint/assemble.py `fill_rows_sparse`"
    assert sources["kinematics_awake"] == "physics/motion/kinematics.py `kinematics_awake`"
    assert not any(row.source.endswith(" `stage`") or (row.source and not row.meaning) for row in rows)


def test_stages_of_an_unknown_function_are_refused(run):
    result = run("stages", "mj_stepp")
    assert result.exit_code == 2 and "mj_step" in result.stderr and "mj_stepp" in result.stderr


def test_warmup_reports_each_realisation(run):
    output = run_well(run, "warmup", CARTPOLE)
    for word in ("one world", "float64", "float32"):
        assert word in output


@pytest.mark.plain
def test_doctor_knows_the_machine(run):
    output = run_well(run, "doctor")
    for word in ("conjoint", "llvmlite", "processor", "lanes", "cache", "[viewer]", "OpenGL", "display"):
        assert word in output
    assert "scipy" not in output


def test_doctor_examines_a_model(run, tmp_path):
    assert run_well(run, "doctor", HUMANOID).endswith("no findings\n")
    spec = conjoint.MjSpec.from_file(HUMANOID)
    spec.option.timestep = 0.1
    for geom in list(spec.worldbody.geoms):
        spec.delete(geom)
    spec.to_file(tmp_path / "m.xml")
    result = run("doctor", tmp_path / "m.xml")
    assert result.exit_code == 1 and result.output.endswith("m.xml: 3 findings\n")
    for words in (
        "time-step: ",
        "(m.xml:",
        " more (list them with --all)",
        "  Fix: ",
        "  See: docs/your-robot.md#time-step",
        "no floor",
    ):
        assert words in result.output
    assert "--all" not in run("doctor", tmp_path / "m.xml", "--all").output
    assert run("doctor", "nowhere.xml").exit_code == 2


@pytest.mark.plain
def test_doctor_says_how_to_install_what_is_missing(run, monkeypatch):
    monkeypatch.setitem(doctor.EXTRAS, "web", ("no_such_package",))
    monkeypatch.setenv("MUJOCO_GL", "none-of-these")
    output = " ".join(run_well(run, "doctor").split())
    assert "not installed: pip install 'conjoint[web]'" in output
    assert "none: MUJOCO_GL=none-of-these: the renderer knows egl" in output


@pytest.mark.plain
def test_the_version_is_told(run):
    assert run_well(run, "--version") == f"conjoint {conjoint.__version__}\n"


@pytest.mark.plain
def test_the_module_runs_as_a_program():
    done = subprocess.run([sys.executable, "-m", "conjoint", "--help"], capture_output=True, text=True, check=True)
    assert "simulate" in done.stdout and "doctor" in done.stdout


def test_compile_converts(run, tmp_path):
    binary, text, xml = tmp_path / "m.mjb", tmp_path / "m.txt", tmp_path / "m.xml"
    urdf = tmp_path / "r.urdf"
    urdf.write_text(
        '<robot name="r"><link name="a"><collision><geometry><sphere radius="1"/></geometry></collision></link></robot>'
    )
    for source, target in (
        (CARTPOLE, binary),
        (binary, text),
        (CARTPOLE, xml),
        (xml, tmp_path / "again.mjb"),
        (urdf, xml),
    ):
        output = run_well(run, "compile", source, target)
        assert f"{target}: {target.stat().st_size} bytes" in output
    assert (tmp_path / "again.mjb").read_bytes() == binary.read_bytes()
    assert text.read_text().startswith("MODEL cartpole\n")
    assert "<mujoco" in xml.read_text()


def test_compile_refuses(run, tmp_path):
    binary = tmp_path / "m.mjb"
    run_well(run, "compile", CARTPOLE, binary)
    for source, target, message in (
        (binary, tmp_path / "m.xml", "a binary model cannot be converted to XML"),
        (CARTPOLE, tmp_path / "m.foo", "the name must end in one of .xml, .mjb, .txt"),
        (CARTPOLE, tmp_path / "no" / "m.mjb", "cannot write"),
        (tmp_path / "none.xml", binary, "no model file"),
    ):
        result = run("compile", source, target)
        assert (result.exit_code, message in result.stderr) == (2, True)


def test_testxml(run, tmp_path):
    assert "no differences" in run_well(run, "testxml", HUMANOID)
    fused = tmp_path / "fused.xml"
    fused.write_text("""<mujoco><compiler fusestatic="true"/><worldbody><body><freejoint/><geom size=".1"/>
        <body pos="1 0 0"><geom size=".1"/></body></body></worldbody></mujoco>""")
    # the empty bounding volumes of fused bodies are not saved
    assert "no differences" in run_well(run, "testxml", str(fused))
    binary = tmp_path / "m.mjb"
    run_well(run, "compile", CARTPOLE, binary)
    assert run("testxml", binary).exit_code == 2


@pytest.mark.plain
def test_schema_writes_what_editors_read(run, tmp_path):
    target = tmp_path / "mjcf.xsd"
    assert str(target) in run_well(run, "schema", target)
    assert '<xs:element name="mujoco"' in target.read_text(encoding="utf-8")
    assert "cannot write" in run("schema", tmp_path / "none" / "mjcf.xsd").stderr


def test_derivatives_are_as_accurate_as_they_are(run):
    output = run_well(run, "derivative", CARTPOLE, "--epochs", 2, "--nstep", 20)
    lines = [line for line in output.splitlines() if "error of" in line]
    errors = np.array([[float(found) for found in re.findall(r"[0-9.]+e-[0-9]+", line)] for line in lines])
    assert errors.shape == (7, 2) and errors[:, 0].max() < 1e-5 and "3 x 2 directions" in output
    assert errors[:, 1].max() < 1e-11
    assert float(re.search(r"largest difference between the methods.* ([0-9.]+e-[0-9]+)", output)[1]) < 1e-5


def test_recordings_are_replayed(run, tmp_path):
    record, film = tmp_path / "run.npz", tmp_path / "film.raw"
    run_well(run, "simulate", CARTPOLE, "--seconds", 0.5, "--ctrl", "random", "--record", record)
    size = ("--width", 160, "--height", 120, "--fps", 20, "--rays", "--depth")
    output = run_well(run, "record", CARTPOLE, film, "--replay", record, *size)
    count = int(re.search(r"(\d+) pictures", output)[1])
    assert 8 <= count <= 10
    assert film.stat().st_size == count * 120 * 160 * 3
    assert (tmp_path / "film_depth.raw").stat().st_size == count * 120 * 160 * 4
    pictures = np.fromfile(film, np.uint8).reshape(count, 120, 160, 3)
    assert (pictures[0] != pictures[-1]).any()
    result = run("record", HUMANOID, film, "--replay", record, *size)
    assert result.exit_code == 2 and "a recording of another model" in result.output
    result = run("record", CARTPOLE, tmp_path / "film.gif", "--replay", record, *size)
    assert result.exit_code == 2 and "ends in .raw" in result.output
