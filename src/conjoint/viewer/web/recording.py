"""Recordings as web pages that need no server and play in any browser."""

from __future__ import annotations

import html
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from conjoint.api.arguments import FrameRate, given
from conjoint.api.functions.functions import mj_forward
from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvCamera, MjvOption, MjvScene
from conjoint.schema.enums import mjtLightType, mjtTexture
from conjoint.schema.enums_visual import mjtCamera, mjtCatBit, mjtRndFlag
from conjoint.viewer.web.archive import Archive
from conjoint.viewer.web.motion import SKY_SIDE, Motion, written_texture
from conjoint.viz.framing import frame_motion
from conjoint.viz.kernels.elements import GRID_REACH
from conjoint.viz.scene import mjv_updateScene
from conjoint.viz.studio import add_key_light

ROOM = 20000
"""Maximum number of geoms in a scene."""

SMOOTHING = 0.3
"""Standard deviation (s) of the moving average that a tracking camera follows."""

LIGHT = ("type", "pos", "dir", "ambient", "diffuse", "specular", "attenuation", "cutoff", "exponent", "castshadow",
         "headlight")  # fmt: skip
"""Fields of lights that the player reads."""


def export_page(
    model: MjModel,
    states: Iterable[np.ndarray],
    path: str | Path,
    fps: float = 30.0,
    option: MjvOption | None = None,
    camera: MjvCamera | None = None,
    title: str = "Conjoint",
    fog: bool = False,
) -> int:
    """Write a web page that plays a motion in any browser, without a server: the user can orbit, pause and scrub.

    The page is one file of 50 to 500 kB for a robot, and does not load other files. It draws with WebGL 2.

    Args:
        model: the model.
        states: positions `qpos` of each frame, shape (nq,) each, such as the array `qpos` of a recording by `conjoint
            simulate --record`.
        path: file to write (.html).
        fps: frames per second. Browsers interpolate between frames, so 20 are enough for most motions.
        option: visualization options; None for the defaults.
        camera: initial view, a free or a tracking camera; None for a camera that frames the moving parts. A tracking
            camera follows its body smoothly.
        title: title of the page.
        fog: whether to draw the fog of `<visual><map fogstart fogend/><rgba fog/>`, which hides distant objects.

    Returns:
        the number of frames.

    Raises:
        ValueError: there are no states, a state has a wrong shape, NaN or infinity, or `fps` is not positive.
        OSError: the file cannot be written.
    """
    fps = given("export_page: fps", fps, FrameRate)
    data, view, scn, shown = MjData(model), camera, MjvScene(model, ROOM), MjvOption() if option is None else option
    scn.flags[mjtRndFlag.mjRND_FOG] = fog
    motion, targets = Motion(model, 0.5 * GRID_REACH * model.vis.map.zfar * model.stat.extent), []
    header: dict[str, Any] = {}
    for count, state in enumerate(states):
        data.qpos[:] = checked_state(model, state, count)
        mj_forward(model, data)
        if view is None:
            view = MjvCamera()
            frame_motion(model, data, view)
        mjv_updateScene(model, data, shown, None, view, int(mjtCatBit.mjCAT_ALL), scn)
        add_key_light(model, scn)
        motion.add(scn)
        targets.append(target_of(data, view))
        header = header or {**settings(model, scn), "camera": camera_settings(model, view)}
    if not motion.count:
        raise ValueError("there are no states to play")
    archive = Archive()
    header |= {"fps": fps, "count": motion.count, **motion.write(archive)}
    header["targets"] = archive.add_columns(smoothed(np.array(targets), SMOOTHING * fps).T)
    sky = np.flatnonzero(model.tex_type == mjtTexture.mjTEXTURE_SKYBOX)
    if len(sky):
        header["sky"] = written_texture(archive, model, int(sky[0]), SKY_SIDE)
    Path(path).write_text(page(title, archive.text(header)), encoding="utf-8")
    return motion.count


def checked_state(model: MjModel, state: np.ndarray, count: int) -> np.ndarray:
    """Return the positions of frame `count` as an array, after checking them.

    Raises:
        ValueError: the positions have a wrong shape, or contain NaN or infinity.
    """
    row = np.asarray(state, float)
    if row.shape != (model.nq,):
        raise ValueError(f"state {count} has shape {row.shape}, but the model has nq = {model.nq}")
    if not np.isfinite(row).all():
        raise ValueError(f"state {count} is not finite: the simulation diverged before it")
    return row


def target_of(data: MjData, camera: MjvCamera) -> np.ndarray:
    """Return the point (m) at which a camera looks."""
    if camera.type == mjtCamera.mjCAMERA_TRACKING:
        return np.array(data.subtree_com[camera.trackbodyid])
    return np.array(camera.lookat)


def smoothed(rows: np.ndarray, width: float) -> np.ndarray:
    """Return a moving average over rows, with Gaussian weights of standard deviation `width` (rows)."""
    reach = round(2 * width)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(width, 1e-9)) ** 2)
    padded = np.pad(rows, ((reach, reach), (0, 0)), "edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, axis=0)
    return windows @ (weights / weights.sum())


def settings(model: MjModel, scn: MjvScene) -> dict[str, Any]:
    """Return lights, haze, fog and other settings of a scene for the player."""
    count = int(scn.nlight)
    row = {name: scn.memory.view(f"lights.{name}")[:count] for name in LIGHT}
    lights = []
    for k in range(count):
        light = {name: values[k].tolist() for name, values in row.items()}
        light["directional"] = bool(row["type"][k] == mjtLightType.mjLIGHT_DIRECTIONAL)
        light["cone"] = bool(row["type"][k] == mjtLightType.mjLIGHT_SPOT and row["cutoff"][k] <= 90)
        # lights without attenuation coefficients keep a constant intensity
        light["attenuation"] = light["attenuation"] if any(light["attenuation"]) else [1, 0, 0]
        lights.append(light)
    vis, extent = model.vis, float(model.stat.extent)
    return {
        "lights": lights,
        "shadows": bool(scn.flags[mjtRndFlag.mjRND_SHADOW]),
        "haze": {"width": float(vis.map.haze), "color": vis.rgba.haze[:3].tolist()},
        "fog": fog_settings(model, scn),
        "near": float(vis.map.znear) * extent, "far": float(vis.map.zfar) * extent,
        "center": model.stat.center.tolist(), "extent": extent,
        "shadowclip": float(vis.map.shadowclip), "shadowscale": float(vis.map.shadowscale),
    }  # fmt: skip


def fog_settings(model: MjModel, scn: MjvScene) -> dict[str, Any] | None:
    """Return the distances (m) at which fog begins and is complete, and its color; None without fog."""
    vis, extent = model.vis, float(model.stat.extent)
    if not scn.flags[mjtRndFlag.mjRND_FOG] or not vis.map.fogend > vis.map.fogstart:
        return None
    reach = [float(vis.map.fogstart) * extent, float(vis.map.fogend) * extent]
    return {"range": reach, "color": vis.rgba.fog[:3].tolist()}


def camera_settings(model: MjModel, camera: MjvCamera) -> dict[str, float]:
    """Return distance (m), angles and field of view (degrees) of a camera."""
    return {
        "distance": float(camera.distance), "azimuth": float(camera.azimuth), "elevation": float(camera.elevation),
        "fovy": float(model.vis.global_.fovy),
    }  # fmt: skip


@cache
def player_file(name: str) -> str:
    """Return the text of a file of the player."""
    return resources.files("conjoint.viewer.web").joinpath("player", name).read_text(encoding="utf-8")


def page(title: str, motion: str) -> str:
    """Return the HTML of the page that plays a motion."""
    return (
        player_file("player.html")
        .replace("{title}", html.escape(title))
        .replace("{style}", player_file("player.css"))
        .replace("{draw}", player_file("draw.js"))
        .replace("{player}", player_file("player.js"))
        .replace("{motion}", motion)
    )
