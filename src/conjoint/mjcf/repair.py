"""Repair of text that is almost XML, as other tools accept it.

An unterminated comment or value extends to the end of the file, without backtracking. So each character is read only a
few times, for any input.
"""

import re

MOST_MARKS = 100_000
"""Maximum number of brackets, quotes and ampersands in a file that is repaired. Larger files must be valid XML."""
MOST_TEXTS = 10_000
"""Maximum number of custom texts whose newlines are preserved."""
UNDECLARED = "undeclared:"
"""Prefix of URIs that are generated for undeclared namespaces."""

_IN_TAG = rb"""(?:[^"'>]++|"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))*+(?:>|\Z)"""
_PIECE = re.compile(
    rb"""(?P<quiet><!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z))"""
    rb"""|(?P<tag><\s*+[/A-Za-z_]""" + _IN_TAG + rb""")|(?P<text>[^<]++)""",
    re.DOTALL,
)
"""Regular expression that matches one comment, tag or text."""
_TEXT_TAG = re.compile(rb"<text\s" + _IN_TAG)
_LATE = re.compile(rb"\A<\s+")
_TOUCHING = re.compile(rb"""(=\s*+(?:"[^"]*+"|'[^']*+'))(?=[A-Za-z_])""")
_QUOTED = re.compile(rb"""=\s*+(?:"[^"]*+"|'[^']*+')""")
_BARE = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)")
_CONTROL = re.compile(rb"\r\n|[\t\n\r]")
_START = re.compile(rb"<[A-Za-z_][^\s/>]*")
_PREFIX = re.compile(rb"""(?:</?|[\s"'])([A-Za-z_][\w.-]*+):[A-Za-z_]""")
_DECLARED = re.compile(rb"xmlns:([\w.-]++)")


def repaired(data: bytes) -> bytes:
    """Return `data` in UTF-8, reduced to repaired tags, without comments (which may be invalid) and text.

    In tags, blanks are added between attributes and removed at the start, and values are escaped. Undeclared prefixes
    are declared. Files with too many tags are returned unchanged.
    """
    if sum(map(data.count, (b"<", b"&", b'"', b"'"))) > MOST_MARKS:
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        data = data.decode("latin-1").encode()
    return _declared(_PIECE.sub(_piece, data))


def with_lines(data: bytes) -> bytes:
    """Escape newlines in <text> elements of `data`, because XML would replace them by blanks."""
    return _TEXT_TAG.sub(_kept, data) if 0 < data.count(b"<text") <= MOST_TEXTS else data


def _piece(match: re.Match[bytes]) -> bytes:
    """Replace a comment or text by a blank, or repair a tag.

    Text after the last tag is kept, so that it causes an error.
    """
    tag = match["tag"]
    if tag is None:
        return match.group() if match["text"] and match.end() == len(match.string) else b" "
    return _QUOTED.sub(_escaped, _TOUCHING.sub(rb"\1 ", _LATE.sub(b"<", tag, count=1)))


def _escaped(match: re.Match[bytes]) -> bytes:
    """Return an attribute value with < and & escaped."""
    return _BARE.sub(b"&amp;", match.group()).replace(b"<", b"&lt;")


def _declared(data: bytes) -> bytes:
    """Declare undeclared namespace prefixes in the first tag of `data`."""
    prefixes = set(_PREFIX.findall(data)) - set(_DECLARED.findall(data)) - {b"xml", b"xmlns"}
    added = b"".join(b' xmlns:%s="%s%s"' % (prefix, UNDECLARED.encode(), prefix) for prefix in sorted(prefixes))
    return _START.sub(lambda match: match.group() + added, data, count=1)


def _kept(match: re.Match[bytes]) -> bytes:
    """Return a tag with the newlines and tabs in its values escaped."""
    return _QUOTED.sub(lambda value: _CONTROL.sub(_reference, value.group()), match.group())


def _reference(match: re.Match[bytes]) -> bytes:
    """Return the character reference of a newline or tab, which XML preserves."""
    return b"&#9;" if match.group() == b"\t" else b"&#10;"
