"""Binary model files (MJB): a header, then the memory of the model.

The format is Conjoint's own, little-endian:

    8 bytes   magic number of the format
    uint32    version of the format
    uint32    size of the header in bytes
    uint64    size of the model's memory in bytes
    uint32    CRC-32 of header and memory
    header    JSON: byte order, digest of the model fields, model sizes
    memory    all fields, in the layout that the sizes define

Files of package versions with different fields are rejected, like files of other programs.
"""

import hashlib
import json
import struct
import sys
import zlib
from functools import cache
from io import BufferedReader, BytesIO

from conjoint.api.objects.binary_check import first_wrong_id
from conjoint.lang.errors import ModelError
from conjoint.lang.memory.layout import Buffer, Layout
from conjoint.schema.memory import layout_of, written_sizes
from conjoint.schema.model import MODEL_FIELDS
from conjoint.schema.sizes import SIZE_FIELDS
from conjoint.spec.filename import check_regular

MARK = b"\x93CJMODEL"
"""Magic number: the first bytes of a file. The first byte is not a text character, so no text file starts with it."""
VERSION = 1
PREFIX = struct.Struct("<8sIIQI")
MOST_HEADER = 1 << 16
"""Maximum size of a header in bytes."""
MOST_OF_A_SIZE = 2**31 - 1
"""Greatest valid model size, because ids are 32-bit numbers."""


def binary_size(model: Buffer) -> int:
    """Return the size in bytes of the binary file of a model."""
    return PREFIX.size + len(_header(model)) + model.layout.nbytes


def binary_parts(model: Buffer) -> tuple[bytes, bytes, memoryview]:
    """Return the parts of the binary file of a model: prefix, header and memory."""
    header, memory = _header(model), model.bytes.data
    prefix = PREFIX.pack(MARK, VERSION, len(header), len(memory), zlib.crc32(memory, zlib.crc32(header)))
    return prefix, header, memory


def _header(model: Buffer) -> bytes:
    """Return the JSON header of the binary file of a model."""
    return json.dumps({"byteorder": sys.byteorder, "fields": _digest(), "sizes": written_sizes(model)}).encode()


@cache
def _digest() -> str:
    """Return a digest of the names, kinds and shapes of a model's fields."""
    rows = "".join(f"{field.name} {field.kind} {field.shape};" for field in MODEL_FIELDS)
    return hashlib.sha256(rows.encode()).hexdigest()


def load_binary(filename: str, given: bytes | None = None) -> Buffer:
    """Load a binary file and return the memory of the model.

    Args:
        filename: path of the file, and its name in messages.
        given: contents of the file, or None to read the file from disk.

    Raises:
        ModelError: the file cannot be read, is not a binary model, was written by another version, is truncated or
            damaged.
    """
    if given is not None:
        return _read(filename, BytesIO(given), len(given))
    try:
        size = check_regular(filename).st_size
        with open(filename, "rb") as file:
            return _read(filename, file, size)
    except OSError as error:
        raise ModelError(f"{filename}: cannot read the model: {error.strerror}") from None


def _read(filename: str, file: BytesIO | BufferedReader, size: int) -> Buffer:
    """Read the memory of the model from an open file of `size` bytes, without an extra copy."""
    begin = memoryview(file.read(PREFIX.size + MOST_HEADER))
    layout, start, checksum = _check(filename, begin, size)
    model = Buffer(layout)
    file.seek(start)
    if file.readinto(model.bytes.data) != layout.nbytes or file.read(1):
        raise ModelError(f"{filename}: the file changed while it was read")
    if zlib.crc32(model.bytes.data, zlib.crc32(begin[PREFIX.size : start])) != checksum:
        raise ModelError(f"{filename}: the file is damaged: its checksum is wrong")
    written = written_sizes(model)
    for name, value in layout.sizes.items():
        if written[name] != value:
            raise ModelError(f"{filename}: the file is damaged: {name} does not agree with the header")
    wrong = first_wrong_id(model)
    if wrong:
        raise ModelError(f"{filename}: the file is damaged: {wrong}")
    return model


def _check(filename: str, data: memoryview, size: int) -> tuple[Layout, int, int]:
    """Check the prefix and the header; return the model's layout, the file offset of its memory, and the checksum.

    `data` may end after the header. Everything is checked before memory is allocated.
    """
    if bytes(data[: len(MARK)]) != MARK:
        raise ModelError(f"{filename}: not a binary model of Conjoint; save it again from its XML")
    if len(data) < PREFIX.size:
        raise ModelError(f"{filename}: the file is truncated: {size} bytes")
    _, version, header_size, memory_size, checksum = PREFIX.unpack(data[: PREFIX.size])
    if version != VERSION:
        raise ModelError(f"{filename}: version {version} of the binary format, expected {VERSION}")
    if header_size > MOST_HEADER:
        raise ModelError(f"{filename}: the header is damaged")
    start = PREFIX.size + header_size
    if size != start + memory_size:
        state = "truncated" if size < start + memory_size else "too long"
        raise ModelError(f"{filename}: the file is {state}: {size} bytes, expected {start + memory_size}")
    sizes = _sizes(filename, bytes(data[PREFIX.size : start]))
    layout = layout_of(MODEL_FIELDS, sizes)
    if layout.nbytes != memory_size:
        raise ModelError(f"{filename}: the file is damaged: its sizes do not fit its length")
    return layout, start, checksum


def _sizes(filename: str, header: bytes) -> dict[str, int]:
    """Check the JSON header and return the model sizes that it contains."""
    try:
        found = json.loads(header)
        order, fields, sizes = found["byteorder"], found["fields"], dict(found["sizes"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelError(f"{filename}: the header is damaged") from None
    if fields != _digest() or order != sys.byteorder:
        raise ModelError(f"{filename}: written by another version of Conjoint; save the model again from its XML")
    for field in SIZE_FIELDS:
        size = sizes.get(field.name)
        most = 2**63 - 1 if field.unit == "bytes" else MOST_OF_A_SIZE
        if type(size) is not int or not -1 <= size <= most:
            raise ModelError(f"{filename}: the header is damaged: {field.name} is {size}")
        if size < 0 and field.default != -1:
            raise ModelError(f"{filename}: the header is damaged: {field.name} is negative")
    return sizes
