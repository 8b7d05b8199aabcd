"""Settings that have another form in XML than in the model: folders, memory, flags."""

import re

from conjoint.mjcf.document import Node
from conjoint.mjcf.elements import ElementReader
from conjoint.schema.mjcf.header import DISABLE_FLAGS, ENABLE_FLAGS, ON_BY_DEFAULT_4
from conjoint.schema.mjcf.table import Element as Row
from conjoint.schema.semantics import EDITION_4

MOST = {"nkey": 1 << 15, "nuserdata": 1 << 26}
"""Maximum values of size attributes, such as the number of keyframes; larger values are rejected."""
LEAST_MEMORY = 120
"""Minimum memory in bytes that MuJoCo's compiler needs for a model without any elements."""
MOST_USER = 1 << 20
"""Maximum number of user parameters of each element of a type."""
NONE = -(1 << 31)
"""Lower bound for size attributes in which any negative value means "not given"."""
MOST_ACTUATOR_GROUPS = 31
"""Number of actuator groups that can be disabled."""


def read_compiler(reader: ElementReader, node: Node, row: Row) -> None:
    """Read <compiler>, including asset folders and the length range options."""
    values = reader.values(node, row)
    compiler = reader.spec.compiler
    both = values.pop("assetdir", None)
    if both is not None:
        compiler.meshdir = compiler.texturedir = both
    if values.get("coordinate"):
        reader.problems.add("<compiler>: global coordinates were removed from the format", node, "coordinate")
    sequence = values.get("eulerseq", "xyz")
    if len(sequence) != 3:
        reader.problems.add(f"<compiler>: eulerseq '{sequence}' is not three of x y z X Y Z", node, "eulerseq")
        del values["eulerseq"]
    compiler.__dict__.update(values)
    compiler.written |= set(values)
    for child, inner in reader.children(node, row):
        reader.spec.lengthrange.__dict__.update(reader.values(child, inner))


def read_option(reader: ElementReader, node: Node, row: Row) -> None:
    """Read <option>, and convert its flags to bits."""
    values = reader.values(node, row)
    option = reader.spec.option
    option.written |= set(values)
    for group in values.pop("actuatorgroupdisable", ()):
        if not 0 <= group < MOST_ACTUATOR_GROUPS:
            reader.problems.add(f"<option>: actuator group {group} is not in 0 to 30", node, "actuatorgroupdisable")
            continue
        option.disableactuator |= 1 << group
    option.__dict__.update(reader.fill(values, row, option.__dict__))
    for child, inner in reader.children(node, row):
        flags = reader.values(child, inner)
        option.written |= set(flags)
        for name, enable in flags.items():
            if name in DISABLE_FLAGS:
                option.disableflags = _with_bit(option.disableflags, DISABLE_FLAGS[name], not enable)
            else:
                option.enableflags = _with_bit(option.enableflags, ENABLE_FLAGS[name], bool(enable))
            if name in ON_BY_DEFAULT_4 and reader.spec.edition == EDITION_4:
                option.disableflags = _with_bit(option.disableflags, ON_BY_DEFAULT_4[name], not enable)


def _with_bit(flags: int, bit: int, on: bool) -> int:
    """Return `flags` with one bit set or cleared."""
    return flags | bit if on else flags & ~bit


def read_size(reader: ElementReader, node: Node, row: Row) -> None:
    """Read <size>, including a memory size with a unit letter."""
    values = reader.values(node, row)
    memory = values.pop("memory", None)
    if memory is not None:
        reader.spec.memory = _bytes(reader, node, memory)
    reader.spec.size.__dict__.update(values)
    size = reader.spec.size
    # sizes set before the memory are not used
    if reader.spec.memory >= 0 and any(values.get(name, -1) != -1 for name in ("njmax", "nstack")):
        reader.problems.add("<size>: memory cannot be used with the legacy njmax or nstack", node, "memory")
    for name, value in values.items():
        most = MOST_USER if name.startswith("nuser_") else MOST.get(name, value)
        if value > most:
            reader.problems.add(f"<size>: {name} is {value}, more than {most}", node, name)
            setattr(size, name, 0)
        least = {"nuserdata": 0, "nkey": NONE, "njmax": NONE, "nstack": NONE}.get(name, -1)
        if value < least:
            reader.problems.add(f"<size>: {name} is {value}, expected {least} or more", node, name)


def _bytes(reader: ElementReader, node: Node, text: str) -> int:
    """Return the number of bytes written as digits and an optional unit letter, or -1 if it is missing or invalid."""
    match = re.fullmatch(r"\s*(-1|\+?\d{1,19})([KMGTPE]?)\s*", text, re.IGNORECASE)
    if not match:
        reader.problems.add(f"<size>: memory '{text:.40}' is not a number of bytes such as 16M", node, "memory")
        return -1
    number = int(match[1])
    size = number << (10 * " KMGTPE".index(match[2].upper() or " "))
    if size >= 1 << 63:
        reader.problems.add(f"<size>: memory '{text}' is more than any machine has", node, "memory")
        return -1
    if 0 <= size < LEAST_MEMORY:
        message = f"memory '{text}' is {size} bytes, less than the {LEAST_MEMORY} that every model needs; write 16M"
        reader.problems.add(f"<size>: {message} for megabytes, or leave it out", node, "memory")
    return size if number >= 0 else -1
