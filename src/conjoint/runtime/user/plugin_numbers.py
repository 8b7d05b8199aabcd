"""Instances of plugins: their settings, and the numbers that they compute with."""

from __future__ import annotations

from typing import Any

import numpy as np

from conjoint.lang.errors import ModelError
from conjoint.physics.plugin.plugin import FUNCTIONS, settings
from conjoint.physics.plugins import PLUGINS


def config_of(m: Any, instance: int) -> dict[str, str]:
    """Settings of an instance of a known plugin, as the model keeps them."""
    plugin = PLUGINS[m.plugin[instance]]
    texts = bytes(m.plugin_attr[m.plugin_attradr[instance] :]).split(b"\0")
    return settings(plugin, dict(zip(plugin.attributes, (text.decode() for text in texts), strict=False)))


def plugin_numbers(m: Any) -> dict[str, np.ndarray]:
    """What instances compute with, as rows of a plan by name; nothing for plugins that are not known.

    Raises:
        ModelError: the settings of an instance make no sense to its plugin.
    """
    found: list[float] = []
    first = []
    for instance, slot in enumerate(m.plugin.tolist()):
        first.append(len(found))
        if slot in range(len(PLUGINS)):
            try:
                found += map(float, PLUGINS[slot].init(m, instance, config_of(m, instance)))
            except ValueError as error:
                raise ModelError(f"instance {instance}, plugin '{PLUGINS[slot].name}': {error}") from error
    integers = np.clip(np.nan_to_num(np.array(found)), -(2**31), 2**31 - 1)
    return {
        "plugin_numberadr": np.array(first, np.int32),
        "plugin_number": np.array(found),
        "plugin_integer": integers.astype(np.int32),
    }


def unknown_plugins(m: Any) -> list[str]:
    """Words for the plugins of a model that nobody has registered, or that do nothing."""
    words = []
    for slot in sorted(set(m.plugin.tolist())):
        if slot not in range(len(PLUGINS)):
            words.append(f"in slot {slot} is not registered (mjp_registerPlugin)")
        elif all(getattr(PLUGINS[slot], function) is None for function in (*FUNCTIONS, "visualize")):
            words.append(f"'{PLUGINS[slot].name}' is only known by name")
    return words
