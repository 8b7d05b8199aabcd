"""extension, and plugin elements inside others."""

from typing import Any

from conjoint.mjcf.document import Node
from conjoint.mjcf.elements import ElementReader
from conjoint.schema.mjcf.table import Element as Row
from conjoint.spec import Element


def read_extension(reader: ElementReader, node: Node, row: Row) -> None:
    """extension: the plugins in use, and their named instances."""
    for child, inner in reader.children(node, row):
        plugin_name = reader.values(child, inner).get("plugin", "")
        if plugin_name not in reader.spec.extensions:
            reader.spec.extensions.append(plugin_name)
            reader.spec.places[plugin_name] = child
        for item, item_row in reader.children(child, inner):
            instance = reader.element(item, item_row)
            instance.plugin_name = plugin_name
            instance.config = _config(reader, item, item_row)
            if not instance.name:
                reader.problems.about(instance, "the name is missing", "name")
            reader.spec.plugins.append(instance)


def read_plugin(reader: ElementReader, node: Node, row: Row, values: dict[str, Any]) -> Element:
    """The plugin that an element uses: an instance by name, or one of its own with its settings.

    Its `order` tells in which order a model used plugins, that of their own instances.

    Args:
        node: the element <plugin>, or the actuator or sensor of that name.
        values: what its attributes say.
    """
    found = {"name": values.get("instance", ""), "plugin_name": values.get("plugin", "")}
    return Element("plugin", {**found, "config": _config(reader, node, row), "order": next(reader.order)}, node)


def read_shared(reader: ElementReader, node: Node, row: Row, title: str) -> Element:
    """The plugin that all bodies of a macro use; an instance of their own is saved under the name `title`."""
    plugin = read_plugin(reader, node, row, reader.values(node, row))
    plugin.shared = "" if plugin.name else title
    return plugin


def _config(reader: ElementReader, node: Node, row: Row) -> dict[str, str]:
    """Settings of a plugin, by key."""
    config: dict[str, str] = {}
    for child, inner in reader.children(node, row):
        if child.tag != "config":
            continue
        values = reader.values(child, inner)
        key = values.get("key", "")
        if key in config:
            reader.problems.add(f"<config>: the key '{key}' is given twice", child, "key")
        config[key] = values.get("value", "")
    return config
