"""Handles of the actuators and sensors of an editable model."""

import numbers
from collections.abc import Sequence
from typing import Any

from conjoint.api.argument_kinds import REAL
from conjoint.api.arguments import checked
from conjoint.api.spec.base import Classed, ElementHandle, Plugged
from conjoint.api.spec.fields import fields
from conjoint.api.spec.handle import with_members
from conjoint.mjcf.actuators import actuator_values
from conjoint.schema.enums import mjtDataType, mjtDyn, mjtSensor
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.sensor import CONTACT_DATA, RAY_DATA, SENSOR_TYPES, sensor_type
from conjoint.schema.semantics import EDITION_4

RESET = ("gainprm", "biasprm", "dynprm", "actdim", "actearly")
"""Actuator attributes that the methods `set_to_...` reset to their defaults with the semantics of 4.0."""


def _pair(name: str, value: Any) -> tuple[float, float]:
    """Return an argument of `set_to_muscle` as a pair of numbers. Raises TypeError if `value` is not one."""
    try:
        first, second = (float(number) for number in value)
    except (TypeError, ValueError):
        raise TypeError(f"set_to_muscle: {name} should be two numbers, not {value!r}") from None
    return first, second


@with_members("actuator")
class MjsActuator(Classed, Plugged, ElementHandle):
    """Actuator."""

    def set_to_motor(self) -> None:
        """Turn the actuator into a motor: force = control."""
        self._shortcut("motor", {})

    @checked
    def set_to_position(
        self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: bool = False
    ) -> None:
        """Turn the actuator into a position servo. `kv` or `dampratio` adds damping, `timeconst` filters the control.

        Args:
            kp: position gain (N/m or N m/rad).
            kv: velocity gain; -1 leaves it unchanged.
            dampratio: damping ratio, instead of kv; 1 means critical damping at the reference configuration.
            timeconst: time constant of the control filter (s); -1 leaves it unchanged.
            inheritrange: whether the control range is derived from the range of the target.
        """
        options = _servo(kp, kv, dampratio)
        self._check_inherited("ctrlrange", inheritrange)
        self._shortcut("position", {**options, **({"timeconst": timeconst} if timeconst != -1 else {})})
        self.inheritrange: float = inheritrange

    @checked
    def set_to_intvelocity(
        self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: bool = False
    ) -> None:
        """Turn the actuator into a position servo whose set point is the integral of the control.

        Args:
            kp, kv, dampratio, timeconst: as in `set_to_position`.
            inheritrange: whether the range of the set point (actrange) is derived from the range of the target.
        """
        self._check_inherited("actrange", inheritrange)
        self._shortcut("intvelocity", _servo(kp, kv, dampratio))
        if timeconst != -1:
            self.dynprm[0] = timeconst
        self.inheritrange = inheritrange

    @checked
    def set_to_orientation(self, kp: float, kv: float = -1, dampratio: float = -1, ctrlspec: int = 0) -> None:
        """Turn the actuator into an orientation servo for a ball joint, or for a site in the frame of its refsite.

        Args:
            kp: orientation gain: torque per angle (N m/rad).
            kv: angular velocity gain (N m s/rad).
            dampratio: damping ratio, instead of kv.
            ctrlspec: representation of the orientation (mjtCtrlChart); 0 for a rotation vector.
        """
        self._shortcut("orientation", _servo(kp, kv, dampratio))
        self.ctrlspec = ctrlspec

    @checked
    def set_to_pid(
        self,
        kp: float,
        kv: float = -1,
        dampratio: float = -1,
        ki: float = -1,
        imax: float = -1,
        slewmax: float = -1,
        inheritrange: float = 0,
        ctrlspec: int = 0,
    ) -> None:
        """Turn the actuator into a PID controller. Arguments of -1 leave attributes unchanged.

        Args:
            kp, kv, ki: gains of position, velocity and integral.
            dampratio: damping ratio, instead of kv.
            imax: maximum of the integral; 0 for no limit.
            slewmax: maximum rate of the position set point; 0 for no limit.
            inheritrange: factor by which the range of the target is multiplied to obtain the range of positions; 0 for
                none.
            ctrlspec: inputs of the controller (mjtCtrlInput); 0 for position and velocity.
        """
        self._check_inherited("ctrlrange", inheritrange)
        given = {"ki": float(ki), "imax": float(imax), "slewmax": float(slewmax)}
        self._shortcut("pid", {**_servo(kp, kv, dampratio), **{name: x for name, x in given.items() if x != -1}})
        for name, value in (("inheritrange", inheritrange), ("ctrlspec", ctrlspec)):
            setattr(self, name, value)

    def set_to_dcmotor(
        self,
        motorconst: Sequence[float],
        resistance: float,
        nominal: Sequence[float] = (0, 0, 0),
        saturation: Sequence[float] = (0, 0, 0),
        inductance: Sequence[float] = (0, 0),
        cogging: Sequence[float] = (0, 0, 0),
        controller: Sequence[float] = (0, 0, 0, 0, 0, 0),
        thermal: Sequence[float] = (0, 0, 0, 0, 0, 0),
        lugre: Sequence[float] = (0, 0, 0, 0, 0),
        ctrlspec: int = 0,
    ) -> None:
        """Turn the actuator into a DC motor. Properties whose numbers are all zero are ignored.

        Args:
            motorconst: torque per current and voltage per velocity, which are equal in SI units. If two nonzero values
                differ, their geometric mean is used; a zero is ignored.
            resistance: electrical resistance (Ohm).
            nominal: voltage, stall torque and no-load velocity, from which resistance and motor constant can be
                computed.
            saturation: maximum torque, maximum current, and maximum rate of change of the current.
            inductance: inductance, and time constant of the current; one of the two is sufficient.
            cogging: amplitude, number of poles and phase of the cogging torque.
            controller: gains kp, ki and kd, maximum rate of the set point, maximum integral, and maximum voltage.
            thermal: thermal resistance, thermal capacitance, thermal time constant, temperature coefficient of the
                electrical resistance, its reference temperature, and ambient temperature.
            lugre: bristle stiffness, bristle damping, Coulomb friction, static friction, and Stribeck velocity.
            ctrlspec: inputs of the motor (mjtCtrlInput); 0 for the voltage.
        """
        given = {
            "nominal": nominal, "saturation": saturation, "inductance": inductance, "cogging": cogging,
            "controller": controller, "thermal": thermal, "lugre": lugre,
        }  # fmt: skip
        lists = {name: tuple(map(REAL.convert, numbers)) for name, numbers in given.items()}
        options = {name: numbers for name, numbers in lists.items() if any(numbers)}
        self.ctrlspec = ctrlspec
        constants = tuple(map(REAL.convert, motorconst))
        signature = {"ctrlspec": int(ctrlspec)} if ctrlspec else {}
        self._shortcut("dcmotor", {"motorconst": constants, "resistance": resistance, **options, **signature})

    @checked
    def set_to_velocity(self, kv: float) -> None:
        """Turn the actuator into a velocity servo: force = kv (control - velocity).

        Args:
            kv: velocity gain (N s/m or N m s/rad).
        """
        self._shortcut("velocity", {"kv": float(kv)})

    @checked
    def set_to_damper(self, kv: float) -> None:
        """Turn the actuator into a damper: force = -kv velocity control.

        Args:
            kv: damping at a control of 1 (N s/m or N m s/rad).
        """
        self._shortcut("damper", {"kv": float(kv)})

    @checked
    def set_to_cylinder(self, timeconst: float, bias: float, area: float, diameter: float = -1) -> None:
        """Turn the actuator into a cylinder: force = area pressure + bias, where the pressure follows the control.

        Args:
            timeconst: time constant of the pressure (s).
            bias: force at zero pressure (N).
            area: area of the cylinder (m^2).
            diameter: diameter of the cylinder (m), instead of its area; -1 for none.
        """
        options: dict[str, Any] = {"timeconst": float(timeconst), "bias": (float(bias),), "area": float(area)}
        self._shortcut("cylinder", {**options, **({"diameter": float(diameter)} if diameter >= 0 else {})})

    @checked
    def set_to_muscle(
        self,
        timeconst: object = (-1, -1),
        tausmooth: float = 0,
        range: object = (-1, -1),
        force: float = -1,
        scale: float = -1,
        lmin: float = -1,
        lmax: float = -1,
        vmax: float = -1,
        fpmax: float = -1,
        fvmax: float = -1,
    ) -> None:
        """Turn the actuator into a muscle. Negative arguments leave attributes unchanged, or set the muscle's defaults.

        Args:
            timeconst: time constants of activation and deactivation (s), or one number for both.
            tausmooth: width of the smooth transition between the two time constants.
            range: operating range of lengths, in units of the optimal length.
            force: peak active force at rest (N); if negative, it is computed from `scale`.
            scale: if `force` is negative, the peak force is `scale` divided by acc0 of the actuator.
            lmin, lmax: minimum and maximum length at which the muscle pulls, in units of the optimal length.
            vmax: shortening velocity at which the muscle no longer pulls, in optimal lengths per second.
            fpmax: passive force at lmax, relative to the peak force.
            fvmax: active force at saturated lengthening, relative to the peak force.
        """
        both = _pair("timeconst", (timeconst, timeconst) if isinstance(timeconst, numbers.Real) else timeconst)
        self._shortcut("muscle", {
            "timeconst": both, "tausmooth": float(tausmooth), "range": _pair("range", range), "force": force,
            "scale": scale, "lmin": lmin, "lmax": lmax, "vmax": vmax, "fpmax": fpmax, "fvmax": fvmax,
        })  # fmt: skip

    @checked
    def set_to_adhesion(self, gain: float) -> None:
        """Turn the actuator into an adhesion: force = gain control, on the contacts of a body.

        Args:
            gain: force per control (N).
        """
        self._shortcut("adhesion", {"gain": float(gain)})

    def _check_inherited(self, name: str, inheritrange: float) -> None:
        """Raise ValueError if the range `name` is set and should also be inherited from the target."""
        low, high = getattr(self, name).tolist()
        if inheritrange and low != high:
            raise ValueError(f"{name} and inheritrange cannot both be given: remove one of them")

    def _shortcut(self, tag: str, options: dict[str, Any]) -> None:
        """Set the attributes that an MJCF shortcut such as "position" sets, based on their current values.

        With the semantics of 4.0, the new values are based on the attributes' defaults instead.
        """
        self.exposed_lists.store_of(self)
        known = fields("actuator")
        # store the shortcut, because it determines which numbers of the actuator are lengths
        self.values["shortcut"] = tag
        newer = self.spec.spec.edition == EDITION_4
        own: dict[str, Any] = {}
        if newer:
            reset = (*RESET, "inheritrange") if tag in ("position", "intvelocity", "pid") else RESET
            own = {name: defaults("actuator")[name] for name in reset} | {"dyntype": mjtDyn.mjDYN_NONE}
        values = own | actuator_values(tag, options, self.values | own)
        if newer:
            # whether the activation is clamped depends on its range
            values["actlimited"] = defaults("actuator")["actlimited"]
        for name, value in values.items():
            if name in known:
                setattr(self, name, value)


def _servo(kp: float, kv: float, dampratio: float) -> dict[str, Any]:
    """Return the servo options that were passed by the caller. An argument of -1 counts as not passed."""
    given = {"kv": float(kv), "dampratio": float(dampratio)}
    return {"kp": float(kp), **{name: value for name, value in given.items() if value != -1}}


_SENSORS = {
    sensor_type(tag): (count, int(datatype), int(stage)) for tag, (_, count, datatype, stage) in SENSOR_TYPES.items()
}
"""Number of values, data type and stage of the sensor types with a fixed number of values."""

_ACC = 3
"""Value of mjSTAGE_ACC."""


@with_members("sensor")
class MjsSensor(Plugged, ElementHandle):
    """Sensor, whose type determines dimension, data type and stage, except for user sensors."""

    def get_data_size(self) -> int:
        """Return the number of values that the sensor returns."""
        self.exposed_lists.store_of(self)
        complete_sensor(self.values)
        return int(self.values["dim"])


def complete_sensor(values: dict[str, Any]) -> None:
    """Set the attributes that depend on the type of a sensor."""
    kind = values["type"]
    if kind in _SENSORS:
        values["dim"], values["datatype"], values["needstage"] = _SENSORS[kind]
        if kind == mjtSensor.mjSENS_RANGEFINDER and (bits := int(values["intprm"][0])) > 0:
            # with `data`, the sensor returns the selected quantities for each ray
            values["dim"] = sum(count for i, count in enumerate(RAY_DATA.values()) if bits >> i & 1)
            values["datatype"] = int(mjtDataType.mjDATATYPE_REAL)
        if kind == mjtSensor.mjSENS_INSIDESITE and values["intprm"][0]:
            # protrusions are signed, so the data type is real
            values["datatype"] = int(mjtDataType.mjDATATYPE_REAL)
    elif kind == mjtSensor.mjSENS_CONTACT:
        bits, _, number = values["intprm"]
        size = sum(count for i, count in enumerate(CONTACT_DATA.values()) if bits >> i & 1)
        values.update(dim=size * max(number, 0), datatype=0, needstage=_ACC)
