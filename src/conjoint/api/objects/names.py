"""Names of model elements: from name to id and back."""

from conjoint.api.objects.attributes import ModelAttributes
from conjoint.schema.enums import mjtObj

NAME_ADDRESSES: dict[int, str] = {
    mjtObj.mjOBJ_BODY: "name_bodyadr", mjtObj.mjOBJ_XBODY: "name_bodyadr", mjtObj.mjOBJ_JOINT: "name_jntadr",
    mjtObj.mjOBJ_GEOM: "name_geomadr", mjtObj.mjOBJ_SITE: "name_siteadr", mjtObj.mjOBJ_CAMERA: "name_camadr",
    mjtObj.mjOBJ_LIGHT: "name_lightadr", mjtObj.mjOBJ_FLEX: "name_flexadr", mjtObj.mjOBJ_MESH: "name_meshadr",
    mjtObj.mjOBJ_SKIN: "name_skinadr", mjtObj.mjOBJ_HFIELD: "name_hfieldadr", mjtObj.mjOBJ_TEXTURE: "name_texadr",
    mjtObj.mjOBJ_MATERIAL: "name_matadr", mjtObj.mjOBJ_PAIR: "name_pairadr", mjtObj.mjOBJ_EXCLUDE: "name_excludeadr",
    mjtObj.mjOBJ_EQUALITY: "name_eqadr",
    mjtObj.mjOBJ_TENDON: "name_tendonadr", mjtObj.mjOBJ_ACTUATOR: "name_actuatoradr",
    mjtObj.mjOBJ_SENSOR: "name_sensoradr", mjtObj.mjOBJ_NUMERIC: "name_numericadr",
    mjtObj.mjOBJ_TEXT: "name_textadr", mjtObj.mjOBJ_TUPLE: "name_tupleadr",
    mjtObj.mjOBJ_KEY: "name_keyadr", mjtObj.mjOBJ_PLUGIN: "name_pluginadr",
}  # fmt: skip
"""Field with the addresses of the names of each type of element."""


class NameTable:
    """Names of all elements of a model, decoded when first asked for."""

    def __init__(self, model: ModelAttributes):
        self._model = model
        self._names: dict[str, list[str]] = {}
        self._ids: dict[str, dict[str, int]] = {}

    def names(self, field: str) -> list[str]:
        """Names by id, for the type of element whose addresses are in `field`; "" for elements without a name."""
        if field not in self._names:
            text = self._model.names
            addresses = getattr(self._model, field).tolist()
            self._names[field] = [text[a : text.index(b"\0", a)].decode() for a in addresses]
        return self._names[field]

    def ids(self, field: str) -> dict[str, int]:
        """Ids by name; where a name occurs twice, the first."""
        if field not in self._ids:
            named = [(name, i) for i, name in enumerate(self.names(field)) if name]
            self._ids[field] = dict(reversed(named))
        return self._ids[field]
