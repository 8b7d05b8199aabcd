"""Contact, touch and distance sensors agree with the list of contacts, in both editions."""

from typing import Any

import numpy as np
import pytest

import conjoint
from conjoint.batch import Batch
from conjoint.lang.calls.compiled import jit_enabled

pytestmark = [pytest.mark.plain, pytest.mark.usefixtures("edition")]

DATA = "found force dist pos normal tangent"
XML = f"""<mujoco><option cone="elliptic" timestep=".004"/><default><geom friction=".7 .01 .001" condim="4"/></default>
<worldbody><geom name="floor" type="plane" size="3 3 1" margin=".01"/>
<body name="box" pos="0 0 .099"><freejoint/><geom name="box" type="box" size=".2 .15 .1" margin=".01" gap=".005"/>
 <geom type="capsule" size=".05 .1" pos=".3 0 -.05" euler="0 90 0"/><site name="skin" type="box" size=".36 .2 .12"/></body>
<body name="can" pos=".02 .01 .297" euler="0 0 20"><freejoint/><geom name="can" type="cylinder" size=".08 .1"/></body>
<body pos="-.1 .1 .25"><freejoint/><geom name="ball" size=".05"/></body></worldbody>
<sensor><touch site="skin"/>
<contact name="all" body1="box" num="16" reduce="none" data="{DATA}"/><contact name="least" body1="box" reduce="mindist" data="{DATA}"/>
<contact name="most" body1="box" reduce="maxforce" data="{DATA}"/><contact name="sum" body1="box" reduce="netforce" data="{DATA}"/>
<distance geom1="can" geom2="box" cutoff="1"/><fromto geom1="can" geom2="box" cutoff="1"/></sensor></mujoco>"""


def listed(m: Any, d: Any) -> np.ndarray:
    """Return the expected sensor values for the contacts of the box, in list order, as seen from the box."""
    box, wrench, rows = m.body("box").id, np.zeros(6), []
    for i, contact in enumerate(d.contact):
        bodies = m.geom_bodyid[contact.geom].tolist()
        if box in bodies:
            conjoint.mj_contactForce(m, d, i, wrench)
            # seen from the given body, normal and first tangent are reversed, but not the third axis; forces are in
            # that frame
            side = 1.0 if bodies[0] == box else -1.0
            frame = np.ravel(contact.frame)
            force = wrench[:3] * [1, 1, side]
            rows.append([side, contact.dist, *contact.pos, *(side * frame[:3]), *(side * frame[3:6]), *force])
    return np.array(rows)


def readings(m: Any, data: np.ndarray, name: str) -> np.ndarray:
    """Return a sensor's values with a row for each contact: found, force, distance, position, normal, tangent."""
    sensor = m.sensor(name)
    return data[sensor.adr[0] :][: sensor.dim[0]].reshape(-1, 14)


def check(m: Any, d: Any, data: np.ndarray, close: float) -> int:
    """Check the sensor values of a world against its contacts, and return the number of contacts."""
    contacts = listed(m, d)
    number = len(contacts)
    every = readings(m, data, "all")
    assert (every[:, 0] == [number] * number + [0] * (16 - number)).all() and not every[number:].any()
    scale = 1.0 + np.abs(contacts[:, 11:]).max(initial=0)
    np.testing.assert_allclose(every[:number, 1] / scale, contacts[:, 11] / scale, atol=close)
    np.testing.assert_allclose(every[:number, 4:], contacts[:, 1:11], atol=close)
    least, most = (readings(m, data, name)[0] for name in ("least", "most"))
    assert least[4] == every[:number, 4].min(initial=np.inf if number else 0)
    np.testing.assert_allclose(
        most[1:4] / scale, every[np.linalg.norm(every[:, 1:4], axis=1).argmax(), 1:4] / scale, atol=close
    )
    # sums are in the world frame
    total = np.zeros(3)
    for row in every[:number]:
        normal, tangent = row[8:11], row[11:14]
        total += row[1] * normal + row[2] * tangent + row[3] * np.cross(normal, tangent)
    net = readings(m, data, "sum")[0]
    assert net[0] == number
    np.testing.assert_allclose(net[1:4] / scale, total / scale, atol=close)
    # the touch sensor's site encloses all contacts
    assert data[0] == pytest.approx(contacts[:, 11].sum(), rel=10 * close, abs=10 * close)
    distance, ends = data[m.sensor_adr[-2]], data[m.sensor_adr[-1] :]
    pair = [c.dist for c in d.contact if set(c.geom) == {m.geom("can").id, m.geom("box").id}]
    assert distance == pytest.approx(min(pair, default=distance), abs=1e-5)
    assert np.linalg.norm(ends[3:] - ends[:3]) == pytest.approx(abs(distance), abs=1e-5)
    return number


def test_sensors_tell_what_the_list_of_contacts_does() -> None:
    m = conjoint.MjModel.from_xml_string(XML)
    d, numbers = conjoint.MjData(m), set()
    for _ in range(20 if jit_enabled() else 2):
        conjoint.mj_step(m, d, 3 if jit_enabled() else 1)
        conjoint.mj_forward(m, d)
        numbers.add(check(m, d, d.sensordata, 1e-9))
    assert max(numbers) > 4


@pytest.mark.skipif(not jit_enabled(), reason="batches are compiled")
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_sensors_of_worlds_side_by_side(precision: str) -> None:
    m = conjoint.MjModel.from_xml_string(XML)
    # in edition 4.0, a single world solves each island separately, but a batch solves all islands at once
    m.opt.disableflags |= int(conjoint.mjtDisableBit.mjDSBL_ISLAND)
    batch = Batch(m, 9, precision=precision, nthread=1)
    batch.qvel[:] += 0.1 * np.random.default_rng(0).normal(size=batch.qvel.shape)
    batch.step(20)
    batch.forward()
    for k in range(9):
        d = conjoint.MjData(m)
        d.qpos[:], d.qvel[:] = batch.qpos[k], batch.qvel[k]
        conjoint.mj_forward(m, d)
        data = batch.sensordata[k].astype(float)
        if precision == "float64":
            np.testing.assert_allclose(data, d.sensordata, rtol=1e-5, atol=1e-5)
        else:
            all_of_it = readings(m, data, "all")
            assert all_of_it[0, 0] == batch.ncon[k] - len(
                [c for c in batch.contact(k) if not (m.geom_bodyid[c.geom] == 1).any()]
            )
