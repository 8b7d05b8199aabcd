"""Copies of parts of a model and of other models, for the elements replicate, attach and asset/model."""

from collections.abc import Callable, Iterator, Mapping

from conjoint.lang.errors import ModelError
from conjoint.mjcf.bodies import BodyReader
from conjoint.mjcf.document import Node
from conjoint.mjcf.elements import ElementReader
from conjoint.schema.mjcf.grammar import defaults
from conjoint.schema.mjcf.table import Element as Row
from conjoint.spec import Body, Element, Spec, suggestion
from conjoint.spec.attach import attach_body, attach_frame, attach_model, replicate
from conjoint.spec.element import bodies
from conjoint.spec.rotation import IDENTITY, orientation, place

MOST_ELEMENTS = 1_000_000
"""Maximum number of elements that one <replicate> may create."""
MODEL_TYPE = "text/xml"
"""Media type of models that can be attached."""
MOST_DEPTH = 64
"""Maximum nesting depth of attached models, and of <replicate>."""


def read_replicate(reader: BodyReader, node: Node, row: Row, body: Body, frame: Element | None, inherited: str) -> None:
    """Read the contents of <replicate> into a temporary body, and add copies of its contents to `body`."""
    values = reader.values(node, row)
    count = values.get("count", 0)
    if "prefix" in values:
        reader.problems.warn("<replicate>: prefix is not used: names of copies have suffixes", node, "prefix")
    # count the copies in nested <replicate> elements before the first copy is created
    total = 0 if reader.replicating else _expanded(node)
    if total > MOST_ELEMENTS:
        reader.problems.add(f"<replicate>: {total:.3g} elements in all copies are more than {MOST_ELEMENTS}", node)
        return
    if reader.replicating >= MOST_DEPTH:
        reader.problems.add(f"<replicate>: over {MOST_DEPTH} are nested", node)
        return
    contents = Body(defaults("body"), node)
    reader.replicating += 1
    # temporarily part of the tree, for lookups of names
    body.bodies.append(contents)
    reader.inside(node, row, contents, None, reader.childclass(node, inherited))
    body.bodies.pop()
    reader.replicating -= 1
    if any(child.tag == "flexcomp" for child in below(node)):
        reader.problems.add("<flexcomp> is not allowed inside <replicate>: names of flexes would repeat", node)
    if reader.problems.messages:
        # stop here, because copies would repeat the problems
        return
    elements = _count(contents)
    if count * elements > MOST_ELEMENTS:
        reader.problems.add(f"<replicate>: {count} copies of {elements} elements are more than {MOST_ELEMENTS}", node)
        return
    offset = values.get("offset", (0.0, 0.0, 0.0))
    euler = values.get("euler", (0.0, 0.0, 0.0))
    try:
        frames = list(_frames(reader, node, frame, count, offset, euler))
    except ValueError as error:
        reader.problems.add(f"<replicate>: {error}", node, "euler")
        return
    digits = len(str(count))
    suffixes = (f"{values.get('sep', '')}{i:0{digits}}" for i in range(count))
    replicate(reader.spec, body, zip(frames, suffixes, strict=False), contents)


def _expanded(node: Node) -> int:
    """Count `node` and its descendants, including the copies that <replicate> creates."""
    count = sum(_expanded(child) for child in node.children)
    if node.tag != "replicate":
        return count + 1
    try:
        return count * max(int(node.attributes.get("count", "0")), 0)
    except ValueError:
        return 0


def _count(body: Body) -> int:
    """Return the number of elements in `body` and its descendants."""
    own = 1 + len(body.joints) + len(body.geoms) + len(body.sites) + len(body.cameras) + len(body.lights)
    return own + sum(_count(child) for child in body.bodies)


def _frames(
    reader: BodyReader, node: Node, outer: Element | None, count: int, offset: tuple, euler: tuple
) -> Iterator[Element]:
    """Yield a frame for each copy.

    Frame i is frame i - 1 shifted by `offset` along its own axes, and is rotated by i times `euler`.
    """
    compiler = reader.spec.compiler
    pos: tuple[float, ...] = (0.0, 0.0, 0.0)
    for i in range(count):
        turned = tuple(i * angle for angle in euler)
        quat = orientation("euler", turned, bool(compiler.degree), compiler.eulerseq) if any(euler) else IDENTITY
        frame = Element("frame", {**defaults("frame"), "pos": pos, "quat": quat}, node)
        frame.frame = outer
        yield frame
        pos = place(pos, quat, offset)


def below(node: Node) -> Iterator[Node]:
    """Yield all elements below `node`."""
    for child in node.children:
        yield child
        yield from below(child)


def read_model(
    reader: ElementReader, node: Node, row: Row, depth: int, read: Callable[[str, str | None], Spec]
) -> None:
    """Read another model for later attachment, and store it under its own name or the name that `node` gives.

    Args:
        reader: reader of the model to which the other model will be attached.
        node, row: the element that refers to the other model, and its row in the grammar.
        depth: nesting depth of the model that contains this element.
        read: function that reads the Spec of a file, relative to a folder.
    """
    values = reader.values(node, row)
    file = values.get("file", "")
    if not file:
        return
    content_type = values.get("content_type", "")
    if content_type not in ("", MODEL_TYPE):
        message = f"<model>: content_type '{content_type}' is not {MODEL_TYPE}: only models in XML can be attached"
        reader.problems.add(message, node, "content_type")
    if depth > MOST_DEPTH:
        raise ModelError(f"{node.at('file')}: <model>: over {MOST_DEPTH} models are attached in a chain")
    try:
        spec = read(file, node.document.folder)
    except ModelError as error:
        raise ModelError(f"{node.at('file')}: <model>: the model '{file}' cannot be read:\n{error}") from None
    name = values.get("name", "") or spec.modelname
    # of two models with the same name, use the first, as in MuJoCo
    reader.spec.models.setdefault(name, spec)


def read_attach(reader: BodyReader, node: Node, row: Row, body: Body, frame: Element | None, _inherited: str) -> None:
    """Attach a body or frame of this or another model, or the contents of another model's world."""
    values = reader.values(node, row)
    models, model, prefix = reader.spec.models, values.get("model"), values.get("prefix", "")
    if model is not None and model not in models:
        reader.problems.add(f"<attach>: there is no model '{model}'{suggestion(model, models)}", node, "model")
        return
    source = reader.spec if model is None else models[model]
    if values.get("body") and values.get("frame"):
        reader.problems.add("<attach>: a body and a frame cannot both be given: remove one of them", node, "frame")
    elif values.get("frame"):
        _attach_frame(reader, node, body, frame, source, values["frame"], prefix)
    elif values.get("body"):
        _attach_body(reader, node, body, frame, source, values["body"], prefix)
    elif model is None:
        reader.problems.add("<attach>: without a model it needs a body or a frame of this model", node)
    else:
        attach_model(reader.spec, body, frame, source, prefix)


def _attach_body(
    reader: BodyReader, node: Node, body: Body, frame: Element | None, source: Spec, name: str, prefix: str
) -> None:
    """Attach the body called `name` of the model `source`."""
    known = {found.name: found for found in bodies(source.worldbody)}
    if name not in known:
        reader.problems.add(_missing("body", name, known, source is reader.spec), node, "body")
    elif source is reader.spec and prefix + name in known:
        reader.problems.add(f"<attach>: there is a body '{prefix + name}' already", node, "prefix")
    elif source is reader.spec or not _move(reader, node, body, frame, prefix + name):
        attach_body(reader.spec, body, frame, source, known[name], prefix)


def _attach_frame(
    reader: BodyReader, node: Node, body: Body, frame: Element | None, source: Spec, name: str, prefix: str
) -> None:
    """Attach the frame called `name` of the model `source`, without its enclosing frames."""
    known = {found.name: (holder, found) for holder in bodies(source.worldbody) for found in _frames_in(holder)}
    if name not in known:
        reader.problems.add(_missing("frame", name, known, source is reader.spec), node, "frame")
    elif prefix + name in reader.frames:
        reader.problems.add(f"<attach>: there is a frame '{prefix + name}' already", node, "prefix")
    else:
        before = len(_frames_in(body))
        attach_frame(reader.spec, body, frame, source, *known[name], prefix)
        reader.frames.update(found.name for found in _frames_in(body)[before:] if found.name)


def _frames_in(body: Body) -> list[Element]:
    """Return the frames of a body."""
    return body.__dict__.get("frames", [])


def _missing(kind: str, name: str, known: Mapping[str, object], own: bool) -> str:
    """Return the error message for a body or frame that does not exist."""
    where = "before this place in this model" if own else "in the other model"
    return f"<attach>: there is no {kind} '{name}' {where}{suggestion(name, known)}"


def _move(reader: BodyReader, node: Node, body: Body, frame: Element | None, name: str) -> bool:
    """Move the existing body called `name` to `frame`, as in MuJoCo. Return False if there is no such body."""
    found = next((each for each in bodies(reader.spec.worldbody) if each.name == name), None)
    if found is None:
        return False
    if all(each is not found for each in body.bodies):
        reader.problems.add(f"<attach>: there is a body '{name}' already, with another parent", node, "body")
    elif frame is not None:
        found.__dict__["frame"] = frame
    return True
