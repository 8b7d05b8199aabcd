"""Keyboard shortcuts. Letters toggle visualization and rendering flags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import glfw

from conjoint.schema.constants import mjNGROUP, mjRNDSTRING, mjVISSTRING
from conjoint.schema.enums_visual import mjtCamera, mjtFrame, mjtLabel
from conjoint.viewer import actions
from conjoint.viewer.simulation import Simulation, faster, slower

if TYPE_CHECKING:
    from conjoint.viewer.desk import Desk

Action = Callable[["Desk"], object]

CONTROL, SHIFT = glfw.MOD_CONTROL, glfw.MOD_SHIFT


@dataclass(frozen=True)
class Shortcut:
    """A key and its action.

    Attributes:
        label: name of the key.
        meaning: short description of the action.
        key: GLFW key code.
        action: function that is called with the desk.
        modifiers: modifier keys that must be held, as GLFW bits.
        simulates: whether the shortcut requires a window that runs its own simulation.
    """

    label: str
    meaning: str
    key: int
    action: Action
    modifiers: int = 0
    simulates: bool = False


def toggled(name: str) -> Action:
    """Return an action that toggles a display setting."""
    return lambda desk: desk.toggle(name)


def simulated(command: Callable[[Simulation], object]) -> Action:
    """Return an action that sends a command to the window's simulation, if it has one."""
    return lambda desk: command(desk.simulation) if desk.simulation is not None else None


def changed_rate(change: Callable[[float], float]) -> Action:
    """Return an action that changes the speed of the simulation."""
    return simulated(lambda simulation: setattr(simulation.pace, "rate", change(simulation.pace.rate)))


def pause(simulation: Simulation) -> None:
    simulation.running = not simulation.running


def both_panels(desk: Desk) -> None:
    """Hide the panels of both sides, or show them if they are hidden."""
    desk.settings.left = desk.settings.right = not (desk.settings.left or desk.settings.right)


SHORTCUTS = (
    Shortcut("F1", "help", glfw.KEY_F1, toggled("help")),
    Shortcut("F2", "information", glfw.KEY_F2, toggled("info")),
    Shortcut("F3", "profiler", glfw.KEY_F3, toggled("profiler")),
    Shortcut("F4", "sensors", glfw.KEY_F4, toggled("sensors")),
    Shortcut("F5", "full screen", glfw.KEY_F5, lambda desk: desk.window.toggle_fullscreen()),
    Shortcut("F6", "next frames", glfw.KEY_F6, lambda desk: actions.cycle(desk, "frame", mjtFrame.mjNFRAME)),
    Shortcut("F7", "next labels", glfw.KEY_F7, lambda desk: actions.cycle(desk, "label", mjtLabel.mjNLABEL)),
    Shortcut("F8", "plots", glfw.KEY_F8, toggled("plots")),
    Shortcut("Tab", "left panels", glfw.KEY_TAB, toggled("left")),
    Shortcut("Shift Tab", "right panels", glfw.KEY_TAB, toggled("right"), SHIFT),
    Shortcut("Ctrl Tab", "all panels", glfw.KEY_TAB, both_panels, CONTROL),
    Shortcut("Space", "run or pause", glfw.KEY_SPACE, simulated(pause), simulates=True),
    Shortcut("Right", "step forward", glfw.KEY_RIGHT, simulated(Simulation.step), simulates=True),
    Shortcut("Left", "step back", glfw.KEY_LEFT, simulated(Simulation.back), simulates=True),
    Shortcut("=", "faster", glfw.KEY_EQUAL, changed_rate(faster), simulates=True),
    Shortcut("-", "slower", glfw.KEY_MINUS, changed_rate(slower), simulates=True),
    Shortcut("Backspace", "reset", glfw.KEY_BACKSPACE, simulated(Simulation.reset), simulates=True),
    Shortcut("Ctrl L", "reload the file", glfw.KEY_L, simulated(Simulation.load), CONTROL, simulates=True),
    Shortcut("Esc", "free camera", glfw.KEY_ESCAPE, lambda desk: actions.choose(desk, mjtCamera.mjCAMERA_FREE)),
    Shortcut("[", "previous camera", glfw.KEY_LEFT_BRACKET, lambda desk: actions.next_camera(desk, -1)),
    Shortcut("]", "next camera", glfw.KEY_RIGHT_BRACKET, lambda desk: actions.next_camera(desk, 1)),
    Shortcut("Ctrl A", "reset the camera", glfw.KEY_A, actions.align, CONTROL),
    Shortcut("Page Up", "select the parent", glfw.KEY_PAGE_UP, actions.select_parent),
    Shortcut("Ctrl C", "copy the pose as XML", glfw.KEY_C, actions.copy_pose, CONTROL),
    Shortcut("Ctrl S", "save the model as XML", glfw.KEY_S, actions.save_xml, CONTROL),
    Shortcut("Ctrl P", "screenshot", glfw.KEY_P, actions.screenshot, CONTROL),
    Shortcut("Ctrl R", "start or stop a recording", glfw.KEY_R, actions.toggle_video, CONTROL),
    Shortcut("Ctrl Q", "quit", glfw.KEY_Q, lambda desk: desk.quit(), CONTROL),
)

MOUSE = (
    ("left drag", "turn the camera"),
    ("right drag", "move the camera (Shift: level)"),
    ("wheel, middle drag", "zoom"),
    ("left double click", "select a body"),
    ("right double click", "look at that point (Ctrl: follow the body)"),
    ("Ctrl right drag", "pull a body (Shift: level)"),
    ("Ctrl left drag", "turn a body"),
    ("drop a file", "load the model"),
)
"""Mouse actions and their descriptions."""

LETTERS: dict[str, tuple[str, int]] = {
    letter: (target, number)
    for target, strings in (("scene", mjRNDSTRING), ("option", mjVISSTRING))
    for number, (_, _, letter) in enumerate(strings)
    if letter
}
"""Flags that letter keys toggle, by letter: the flag's owner (scene or options) and its index."""


NAMES = {letter: name for strings in (mjRNDSTRING, mjVISSTRING) for name, _, letter in strings if letter}
"""Names of the flags that letter keys toggle, by letter."""

OFTEN = "CFTJMIUS"
"""Letters of flags that the help lists: contacts, contact forces, transparency, joints, centers of mass and more."""


def act(desk: Desk, key: int, modifiers: int) -> None:
    """Run the action of a key, if it has one."""
    held = modifiers & (CONTROL | SHIFT)
    for shortcut in SHORTCUTS:
        if shortcut.key == key and shortcut.modifiers == held and not (shortcut.simulates and desk.simulation is None):
            shortcut.action(desk)
            return
    if desk.picture is None or held & CONTROL or not 0 <= key < 128:
        return
    letter, exchange = chr(key), desk.picture.exchange
    with exchange.lock:
        if letter in LETTERS and not held:
            target, number = LETTERS[letter]
            flags = desk.picture.scn.flags if target == "scene" else exchange.opt.flags
            flags[number] = not flags[number]
        elif letter.isdigit() and int(letter) < mjNGROUP:
            groups = exchange.opt.sitegroup if held else exchange.opt.geomgroup
            groups[int(letter)] = not groups[int(letter)]


def help_rows() -> list[tuple[str, str]]:
    """Return the help: all actions of keys and of the mouse, as pairs of texts."""
    rows = [(shortcut.label, shortcut.meaning) for shortcut in SHORTCUTS]
    rows += [(f"0 ... {mjNGROUP - 1}", "groups of geoms (Shift: sites)")]
    letters = [(letter, NAMES[letter].lower()) for letter in OFTEN]
    return [*rows, *letters, ("other letters", "see panel View"), *MOUSE]
