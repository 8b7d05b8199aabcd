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
"""Values of an actuator that `set_to_...` resets to their defaults in edition 4.0."""


def _pair(name: str, value: Any) -> tuple[float, float]:
    """Return two numbers for a muscle. Raises TypeError if `value` is anything else."""
    try:
        first, second = (float(number) for number in value)
    except (TypeError, ValueError):
        raise TypeError(f"set_to_muscle: {name} should be two numbers, not {value!r}") from None
    return first, second


@with_members("actuator")
class MjsActuator(Classed, Plugged, ElementHandle):
    """An actuator."""

    def set_to_motor(self) -> None:
        """Make the actuator a motor: force = control."""
        self._shortcut("motor", {})

    @checked
    def set_to_position(
        self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: bool = False
    ) -> None:
        """Make the actuator a position servo; `kv` or `dampratio` damps it, `timeconst` filters its control.

        Args:
            kp: force per position (N/m or N m/rad).
            kv: force per velocity; -1 leaves it unchanged.
            dampratio: damping ratio, instead of kv; 1 is critical damping at the reference configuration.
            timeconst: time constant of the control filter (s); -1 leaves it unchanged.
            inheritrange: take the range of the control from that of the target.
        """
        options = _servo(kp, kv, dampratio)
        self._check_inherited("ctrlrange", inheritrange)
        self._shortcut("position", {**options, **({"timeconst": timeconst} if timeconst != -1 else {})})
        self.inheritrange: float = inheritrange

    @checked
    def set_to_intvelocity(
        self, kp: float, kv: float = -1, dampratio: float = -1, timeconst: float = -1, inheritrange: bool = False
    ) -> None:
        """Make the actuator a position servo whose set point is the integral of the control.

        Args:
            kp, kv, dampratio, timeconst: as in `set_to_position`.
            inheritrange: take the range of the set point (actrange) from that of the target.
        """
        self._check_inherited("actrange", inheritrange)
        self._shortcut("intvelocity", _servo(kp, kv, dampratio))
        if timeconst != -1:
            self.dynprm[0] = timeconst
        self.inheritrange = inheritrange

    @checked
    def set_to_orientation(self, kp: float, kv: float = -1, dampratio: float = -1, ctrlspec: int = 0) -> None:
        """Make the actuator an orientation servo of a ball joint, or of a site in the frame of its refsite.

        Args:
            kp: torque per angle.
            kv: torque per angular velocity.
            dampratio: damping ratio, instead of kv.
            ctrlspec: form of the orientation (mjtCtrlChart); 0 is a rotation vector.
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
        """Make the actuator a controller of position and velocity, with an integral; -1 leaves a number unchanged.

        Args:
            kp, kv, ki: gains of position, velocity and the integral.
            dampratio: damping ratio, instead of kv.
            imax: maximum integral; 0 for no limit.
            slewmax: maximum rate of the position set point; 0 for no limit.
            inheritrange: factor of the target's range, which becomes the range of positions.
            ctrlspec: its controls (mjtCtrlInput); 0 is position and velocity.
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
        """Make the actuator a DC motor; properties that are all zero are ignored.

        Args:
            motorconst: torque per current and voltage per velocity, which are equal in SI units. If two nonzero values
                differ, their geometric mean is used; a zero is ignored.
            resistance: in Ohm.
            nominal: voltage, stall torque and no-load velocity; resistance and motor constant can be computed from
                them.
            saturation: maximum torque, current, and rate of the current.
            inductance: inductance, or the time constant of the current.
            cogging: amplitude, number of poles and phase of the torque of cogging.
            controller: gains kp, ki, kd, maximum rate of the set point, maximum integral, maximum voltage.
            thermal: thermal resistance, capacitance and time constant; temperature coefficient of the resistance, its
                reference temperature, and the ambient temperature.
            lugre: stiffness and damping of bristles, Coulomb and static friction, Stribeck velocity.
            ctrlspec: its controls (mjtCtrlInput); 0 is the voltage.
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
        """Make the actuator a velocity servo: force = kv (control - velocity).

        Args:
            kv: force per velocity.
        """
        self._shortcut("velocity", {"kv": float(kv)})

    @checked
    def set_to_damper(self, kv: float) -> None:
        """Make the actuator a damper: force = -kv velocity control.

        Args:
            kv: force per velocity at a control of 1.
        """
        self._shortcut("damper", {"kv": float(kv)})

    @checked
    def set_to_cylinder(self, timeconst: float, bias: float, area: float, diameter: float = -1) -> None:
        """Make the actuator a cylinder: force = area pressure + bias; the pressure follows the control.

        Args:
            timeconst: time constant of the pressure (s).
            bias: force without pressure (N).
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
        """Make the actuator a muscle; negative numbers leave values unchanged, or at the muscle's defaults.

        Args:
            timeconst: time constants of activation and deactivation (s), or one for both.
            tausmooth: width of the transition between them.
            range: operating range of lengths, in units of the optimal length.
            force: peak active force at rest (N); if negative, it is computed from `scale`.
            scale: peak force times acc0 of the actuator; used if `force` is negative.
            lmin, lmax: minimum and maximum length at which it pulls, in units of the optimal length.
            vmax: shortening velocity at which it no longer pulls, in optimal lengths per second.
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
        """Make the actuator an adhesion: force = gain control, on the contacts of a body.

        Args:
            gain: force per control (N).
        """
        self._shortcut("adhesion", {"gain": float(gain)})

    def _check_inherited(self, name: str, inheritrange: float) -> None:
        """Raise ValueError if a range is both given and inherited."""
        low, high = getattr(self, name).tolist()
        if inheritrange and low != high:
            raise ValueError(f"{name} and inheritrange cannot both be given: remove one of them")

    def _shortcut(self, tag: str, options: dict[str, Any]) -> None:
        """Set the values of a shortcut, starting from the current ones.

        In edition 4.0, values of shortcuts start from their defaults.
        """
        self.lender.store_of(self)
        known = fields("actuator")
        # the shortcut determines which of its numbers are lengths
        self.values["shortcut"] = tag
        newer = self.spec.spec.edition == EDITION_4
        own: dict[str, Any] = {}
        if newer:
            reset = (*RESET, "inheritrange") if tag in ("position", "intvelocity", "pid") else RESET
            own = {name: defaults("actuator")[name] for name in reset} | {"dyntype": mjtDyn.mjDYN_NONE}
        values = own | actuator_values(tag, options, self.values | own)
        if newer:
            # the range determines whether the activation is clamped
            values["actlimited"] = defaults("actuator")["actlimited"]
        for name, value in values.items():
            if name in known:
                setattr(self, name, value)


def _servo(kp: float, kv: float, dampratio: float) -> dict[str, Any]:
    """Return the options of a servo that are given; -1 means not given."""
    given = {"kv": float(kv), "dampratio": float(dampratio)}
    return {"kp": float(kp), **{name: value for name, value in given.items() if value != -1}}


_SENSORS = {
    sensor_type(tag): (count, int(datatype), int(stage)) for tag, (_, count, datatype, stage) in SENSOR_TYPES.items()
}
"""Count, data type and stage of the sensors with a fixed number of values."""

_ACC = 3
"""mjSTAGE_ACC."""


@with_members("sensor")
class MjsSensor(Plugged, ElementHandle):
    """A sensor; its type determines dimension, data type and stage, except for user sensors."""

    def get_data_size(self) -> int:
        """Return the number of values that the sensor outputs."""
        self.lender.store_of(self)
        complete_sensor(self.values)
        return int(self.values["dim"])


def complete_sensor(values: dict[str, Any]) -> None:
    """Set the values that the type of a sensor determines."""
    kind = values["type"]
    if kind in _SENSORS:
        values["dim"], values["datatype"], values["needstage"] = _SENSORS[kind]
        if kind == mjtSensor.mjSENS_RANGEFINDER and (bits := int(values["intprm"][0])) > 0:
            # with `data`, it has any numbers, along each ray
            values["dim"] = sum(count for i, count in enumerate(RAY_DATA.values()) if bits >> i & 1)
            values["datatype"] = int(mjtDataType.mjDATATYPE_REAL)
        if kind == mjtSensor.mjSENS_INSIDESITE and values["intprm"][0]:
            # protrusions have a sign
            values["datatype"] = int(mjtDataType.mjDATATYPE_REAL)
    elif kind == mjtSensor.mjSENS_CONTACT:
        bits, _, number = values["intprm"]
        size = sum(count for i, count in enumerate(CONTACT_DATA.values()) if bits >> i & 1)
        values.update(dim=size * max(number, 0), datatype=0, needstage=_ACC)
