"""The page server rejects requests from other origins or host names, and requests without the token."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

import conjoint
from browsers import new_page
from waiting import PATIENCE

pytest.importorskip("viser")

from conjoint.viewer.web import server as page_server
from conjoint.viewer.web.server import open_server

HANDSHAKE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
"""Headers of a request that opens a WebSocket connection (RFC 6455)."""


@pytest.fixture(scope="module")
def local() -> Iterator[str]:
    server, url = open_server("127.0.0.1", 8780)
    yield url
    server.stop()


@pytest.fixture(scope="module")
def open_to_all() -> Iterator[str]:
    server, url = open_server("0.0.0.0", 8790)
    yield url
    server.stop()


def status(url: str, path: str, headers: dict[str, str], websocket: bool) -> tuple[int, str]:
    """Send a request with exactly these headers, and return its status and the cookie that the response sets."""
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(url).port or 80, timeout=PATIENCE)
    connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for name, value in (headers | (HANDSHAKE if websocket else {})).items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    found = response.status, response.getheader("Set-Cookie") or ""
    connection.close()
    return found


@pytest.mark.parametrize("websocket", [False, True])
@pytest.mark.parametrize(
    "host, origin",
    [
        ("localhost:{port}", "http://evil.example"),
        ("localhost:{port}", "http://localhost:1"),
        ("localhost:{port}", "http://localhost.evil.example:{port}"),
        ("localhost:{port}", "null"),
        ("localhost:{port}", "file://"),
        ("127.0.0.1:{port}", "http://localhost:{port}"),
        # a foreign host name whose owner points it to this machine, with and without an origin
        ("evil.example:{port}", "http://evil.example:{port}"),
        ("evil.example:{port}", None),
        ("127.0.0.1.evil.example:{port}", None),
        ("192.0.2.1:{port}", None),
        ("[", None),
        (None, None),
    ],
)
def test_requests_of_other_pages_are_refused(local: str, host: str | None, origin: str | None, websocket: bool) -> None:
    port = urlsplit(local).port
    given = {"Host": host, "Origin": origin}
    headers = {name: value.format(port=port) for name, value in given.items() if value is not None}
    assert status(local, "/", headers, websocket)[0] in (400, 403)


@pytest.mark.parametrize("websocket", [False, True])
@pytest.mark.parametrize(
    "host, origin",
    [
        ("localhost:{port}", "http://localhost:{port}"),
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}"),
        # another port and https, as forwarded by SSH or a proxy on this machine
        ("localhost:9000", "http://localhost:9000"),
        ("LOCALHOST", "https://localhost"),
        ("localhost:{port}", None),
    ],
)
def test_the_page_itself_is_answered(local: str, host: str, origin: str | None, websocket: bool) -> None:
    port = urlsplit(local).port
    headers = {"Host": host.format(port=port)} | ({} if origin is None else {"Origin": origin.format(port=port)})
    assert status(local, "/", headers, websocket)[0] == (101 if websocket else 200)
    assert "token" not in local


@pytest.mark.parametrize("websocket", [False, True])
def test_other_machines_must_know_the_token(open_to_all: str, websocket: bool) -> None:
    parts = urlsplit(open_to_all)
    (token,) = parse_qs(parts.query)["token"]
    assert len(token) >= 32
    good = 101 if websocket else 200
    host = {"Host": f"robot.lab:{parts.port}"}
    name = f"conjoint_token_{parts.port}"
    for path, cookie, expected in (
        ("/", None, 403),
        ("/?token=", None, 403),
        (f"/?token={token[:-1]}", None, 403),
        ("/", f"{name}=wrong", 403),
        ("/", f"other={token}", 403),
        (f"/?token={token}", None, good),
        ("/", f"a=b; {name}={token}", good),
    ):
        found = status(open_to_all, path, host | ({} if cookie is None else {"Cookie": cookie}), websocket)[0]
        assert found == expected, (path, cookie)
    foreign = host | {"Origin": "http://evil.example", "Cookie": f"{name}={token}"}
    assert status(open_to_all, "/", foreign, websocket)[0] == 403


def test_a_browser_opens_the_page_with_its_token(open_to_all: str, browser: Any) -> None:
    """A cookie carries the token to viser's WebSocket, whose address has no query."""
    sockets: list[Any] = []
    tab = new_page(browser, 300, 200)
    tab.on("websocket", lambda socket: socket.on("framereceived", lambda _: sockets.append(socket.url)))
    tab.goto(open_to_all)
    for _ in range(100):
        if sockets:
            break
        tab.wait_for_timeout(100)
    assert sockets and "token" not in sockets[0]
    cookies = {cookie["name"]: cookie for cookie in tab.context.cookies()}
    (mine,) = (cookie for name, cookie in cookies.items() if name.startswith("conjoint_token"))
    assert mine["httpOnly"] and mine["sameSite"] == "Strict"
    tab.close()


def test_a_viser_that_cannot_be_guarded_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import contextlib

    monkeypatch.setattr(page_server, "guarded_by", lambda _: contextlib.nullcontext([]))
    with pytest.raises(conjoint.FatalError, match="cannot be protected from pages of other origins"):
        open_server("127.0.0.1", 8800)
