"""Controls of actuators that may have several: which of them an actuator has, and their values."""

from conjoint.lang import kernel
from conjoint.physics.actuation.forces import clamped_control


@kernel
def has_input(m, u, bit):
    """Whether actuator u has the control that `bit` of mjtCtrlInput stands for."""
    return (m.actuator_ctrlspec[u] & bit) != 0


@kernel
def input_of(m, d, u, bit, checked):
    """Value of that control; 0 if there is none. What dynamics used and checked, or what it would use."""
    if not has_input(m, u, bit):
        return 0.0
    c = m.actuator_ctrladr[u]
    below = 1
    while below < bit:
        if has_input(m, u, below):
            c += 1
        below *= 2
    # whatever a program says that its controls are
    if c >= m.actuator_ctrladr[u] + m.actuator_ctrlnum[u]:
        return 0.0
    if checked:
        return d.ctrl_used[c]
    return clamped_control(m, d, c)
