"""Touch grids: contact forces sorted into bins by their direction from a site.

The field of view is centered on the negative z axis of the site, and divided into bins by azimuth and elevation. A
positive `gamma` makes bins finer in the middle (github.com/google-deepmind/mujoco/blob/3.3.5/plugin/sensor/README.md).
Channels are the normal force (along z), two tangential forces (x, y), and torques about the same axes.
"""

from __future__ import annotations

from math import radians
from typing import Any

import numpy as np

from conjoint.lang import atan2, kernel, norm, sqrt
from conjoint.physics.motion.support import contact_wrench
from conjoint.physics.plugin.plugin import Config, mjpPlugin, number, plugin_integer, plugin_number
from conjoint.schema.enums import mjtPluginCapabilityBit, mjtSensor

CHANNELS, WIDTH, HEIGHT, EDGES = range(4)
"""Indices of a plugin instance's parameters: channels, bins by azimuth, bins by elevation, then all bin edges."""


def grid_numbers(m: Any, instance: int, config: Config) -> list[float]:
    """Return the parameters of a plugin instance: numbers of channels and bins, and the edges between bins (rad)."""
    width, height = _size(config)
    gamma = number(config, "gamma")
    found: list[float] = [_channels(config), width, height]
    for count, half in zip((width, height), config["fov"].split(), strict=True):
        # edges are accumulated as in MuJoCo, because rounding decides the bin on an edge
        even = np.cumsum(np.concatenate([[-1.0], np.full(count, 2 / count)]))
        found += (radians(float(half)) * (gamma * even**5 + (1 - gamma) * even)).tolist()
    return found


def grid_readings(config: Config) -> int:
    """Return the number of readings of a sensor: the number of bins in all channels."""
    width, height = _size(config)
    return _channels(config) * width * height


def _size(config: Config) -> tuple[int, int]:
    width, height = (int(float(word)) for word in config["size"].split())
    return width, height


def _channels(config: Config) -> int:
    return int(number(config, "nchannel")) or 1


@kernel
def touch_grid(m, d, i):
    """Set the readings of all sensors of plugin instance i to the contact forces in each bin.

    All contacts of the body that carries the sensor's site are included.
    """
    for s in range(m.nsensor):
        if is_grid(m, i, s):
            for a in range(m.sensor_adr[s], m.sensor_adr[s] + m.sensor_dim[s]):
                d.sensordata[a] = 0.0
            for_touches(m, d, i, s, add_force, d.sensordata)


@kernel
def is_grid(m, i, s):
    """Return True if sensor s belongs to plugin instance i."""
    return m.sensor_type[s] == mjtSensor.mjSENS_PLUGIN and m.sensor_plugin[s] == i


@kernel
def for_touches(m, d, i, s, add, sums):
    """Call the kernel `add` for every contact, of the body that carries sensor s's site, that falls into a bin."""
    weld = m.body_weldid[m.site_bodyid[m.sensor_objid[s]]]
    for c in range(d.ncon):
        g1 = d.contact_geom[c, 0]
        g2 = d.contact_geom[c, 1]
        if g1 >= 0 and g2 >= 0:
            body1 = m.geom_bodyid[g1]
            body2 = m.geom_bodyid[g2]
            if m.body_weldid[body1] == weld or m.body_weldid[body2] == weld:
                # forces act on the second geom
                if weld < body1 or weld < body2:
                    add_touch(m, d, i, s, c, -1.0, add, sums)
                else:
                    add_touch(m, d, i, s, c, 1.0, add, sums)


@kernel
def add_touch(m, d, i, s, c, sign, add, sums):
    """Call the kernel `add` with the bin of sensor s that contains contact c, if there is one."""
    site = m.sensor_objid[s]
    at = d.site_xmat[site].T @ (d.contact_pos[c] - d.site_xpos[site])
    width = plugin_integer(m, i, WIDTH)
    height = plugin_integer(m, i, HEIGHT)
    column = bin_of(m, i, EDGES, width, atan2(at.x, -at.z))
    row = bin_of(m, i, EDGES + width + 1, height, atan2(at.y, sqrt(at.x * at.x + at.z * at.z)))
    if column >= 0 and row >= 0:
        add(m, d, i, s, c, sign, at, row * width + column, sums)


@kernel
def add_force(m, d, i, s, c, sign, at, place, readings):
    """Add the force and torque of contact c to the readings of a bin, normal component first."""
    frame = d.site_xmat[m.sensor_objid[s]]
    wrench = contact_wrench(m, d, c)
    force = frame.T @ (d.contact_frame[c].T @ wrench.linear)
    torque = frame.T @ (d.contact_frame[c].T @ wrench.angular)
    bins = plugin_integer(m, i, WIDTH) * plugin_integer(m, i, HEIGHT)
    for k in range(plugin_integer(m, i, CHANNELS)):
        a = m.sensor_adr[s] + k * bins + place
        if k < 3:
            readings[a] = readings[a] + sign * force[(k + 2) % 3]
        else:
            readings[a] = readings[a] + sign * torque[(k + 2) % 3]


@kernel
def add_distance(m, d, i, s, c, sign, at, place, sums):
    """Add the distance of contact c from the site to the sum of a bin, and one to its count."""
    sums[2 * place] = sums[2 * place] + norm(at)
    sums[2 * place + 1] = sums[2 * place + 1] + 1.0


@kernel
def touch_distances(m, d, i, s, sums):
    """Compute the sum and the number of contact distances from the site in each bin, row by row.

    Return False if sensor s does not belong to instance i.
    """
    if not is_grid(m, i, s):
        return False
    for_touches(m, d, i, s, add_distance, sums)
    return True


@kernel
def bin_of(m, i, first, count, angle):
    """Return the bin of an angle among `count` bins whose edges start at parameter `first`, or -1 if it is outside."""
    for k in range(count):
        if angle > plugin_number(m, i, first + k) and angle <= plugin_number(m, i, first + k + 1):
            return k
    return -1


TOUCH_GRID = mjpPlugin(
    "mujoco.sensor.touch_grid",
    mjtPluginCapabilityBit.mjPLUGIN_SENSOR,
    ("nchannel", "size", "fov", "gamma"),
    nsensordata=grid_readings,
    init=grid_numbers,
    compute=touch_grid,
)
