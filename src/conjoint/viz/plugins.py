"""Plugins in a scene: their functions `visualize`, and boxes that show touch grids."""

import numpy as np

from conjoint.api.objects.data import MjData
from conjoint.api.objects.model import MjModel
from conjoint.api.objects.visual import MjvOption, MjvScene
from conjoint.lang import Kernel
from conjoint.lang.calls.entry import Entry
from conjoint.physics.forces.cable import color_cable
from conjoint.physics.plugins import PLUGINS
from conjoint.physics.sensor.touch_grid import CHANNELS, EDGES, HEIGHT, TOUCH_GRID, WIDTH, grid_numbers, touch_distances
from conjoint.runtime.entry import entry
from conjoint.runtime.user.plugins import config_of
from conjoint.schema.enums import mjtGeom
from conjoint.schema.enums_visual import mjtCatBit
from conjoint.viz.geom import mjv_initGeom, warn_full

NEARER = 0.98
"""Distance of the boxes from the site, relative to the distance of the contact from the site."""

THICKNESS = 0.02
"""Half thickness of the boxes, relative to their distance."""

COLOURS = 3
"""Maximum number of channels, shown as red, green and blue."""

_distances = entry(touch_distances, "int", "int", "out real[]")


def draw_touch_grid(m: MjModel, d: MjData, opt: MjvOption, scn: MjvScene, instance: int) -> None:
    """Add boxes to the scene that show the nonzero readings of a plugin instance's touch grid sensors."""
    numbers = np.array(grid_numbers(m, instance, config_of(m, instance)))
    width, height = int(numbers[WIDTH]), int(numbers[HEIGHT])
    azimuths = numbers[EDGES : EDGES + width + 1]
    elevations = numbers[EDGES + width + 1 : EDGES + width + height + 2]
    for s in range(m.nsensor):
        sums = np.zeros((height, width, 2))
        if not _distances(m.plans.current, d.world, instance, s, sums.reshape(-1)):
            continue
        start = m.sensor_adr[s]
        readings = d.sensordata[start : start + m.sensor_dim[s]].reshape(int(numbers[CHANNELS]), height, width)
        largest = np.abs(readings[0]).max()
        if largest == 0:
            continue
        strength = np.abs(readings[:COLOURS]) / largest
        site = m.sensor_objid[s]
        for column, row in np.argwhere(sums[..., 1].T > 0):
            if scn.ngeom == scn.maxgeom:
                return warn_full(d, scn)
            distance = sums[row, column, 0] / sums[row, column, 1]
            rgba = np.ones(4, np.float32)
            rgba[: len(strength)] = strength[:, row, column]
            across, up = azimuths[column : column + 2], elevations[row : row + 2]
            _add_box(scn, d.site_xpos[site], d.site_xmat[site].reshape(3, 3), across, up, distance, rgba)


def _add_box(
    scn: MjvScene,
    pos: np.ndarray,
    frame: np.ndarray,
    across: np.ndarray,
    up: np.ndarray,
    distance: float,
    rgba: np.ndarray,
) -> None:
    """Add a box that fills a touch grid bin (ranges of azimuth and elevation) at a distance from the sensor's site."""
    azimuth, elevation = np.mean(across), np.mean(up)
    level = np.array([np.sin(azimuth), 0.0, -np.cos(azimuth)])
    away = np.cos(elevation) * level + np.sin(elevation) * np.array([0.0, 1.0, 0.0])
    x = np.array([np.cos(azimuth), 0.0, np.sin(azimuth)])
    mat = frame @ np.column_stack([x, np.cross(-away, x), -away])
    size = distance * np.array([np.diff(across)[0] / 2, np.diff(up)[0] / 2, THICKNESS])
    geom = scn.geoms[scn.ngeom]
    mjv_initGeom(geom, mjtGeom.mjGEOM_BOX, size, pos + NEARER * distance * frame @ away, mat.reshape(-1), rgba)
    geom.category, geom.segid = mjtCatBit.mjCAT_DECOR, scn.ngeom
    scn.ngeom += 1


def _entry_of(function: Kernel) -> Entry:
    return entry(function, "int", "out float[]")


ENTRIES = {color_cable: _entry_of(color_cable)}
"""Compiled `visualize` functions of plugins, keyed by kernel."""

OURS = {TOUCH_GRID: draw_touch_grid}
"""Python functions that draw built-in plugins without a kernel, keyed by plugin."""


def visualize_plugins(m: MjModel, d: MjData, opt: MjvOption, scn: MjvScene) -> int:
    """Let all plugin instances draw into a scene, which is emptied first; return the number of its geoms."""
    scn.ngeom = 0
    for instance, slot in enumerate(m.plugin):
        function = OURS.get(PLUGINS[slot], PLUGINS[slot].visualize)
        if isinstance(function, Kernel):
            if function not in ENTRIES:
                ENTRIES[function] = _entry_of(function)
            ENTRIES[function](m.plans.current, d.world, instance, m.geom_rgba.reshape(-1))
        elif function is not None:
            function(m, d, opt, scn, instance)
    return int(scn.ngeom)
