"""Access control of a page: the rules for accepting and refusing requests.

A browser lets every page that it shows send requests to every server that it can reach. The server of a page therefore
accepts only requests that use a name of its own address, and no requests from pages of other origins. If other machines
can reach the address, a request must also contain the token, which is part of the page's address.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Callable
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "token"
"""Name of the parameter in the page's address that contains the token."""

SECURE_PORT, PLAIN_PORT = 443, 80
"""Default ports of https and http, which addresses omit."""


class Access:
    """Access control for the requests to a page.

    Args:
        host: address at which the page is served.

    Attributes:
        token: token that a request must contain; None if only this machine can reach the page.
    """

    def __init__(self, host: str):
        self.host = host.lower()
        self.token = None if is_loopback(host) else secrets.token_urlsafe(24)

    def url(self, port: int) -> str:
        """Return the address of the page for a browser, including the token."""
        name = "localhost" if self.host in ("0.0.0.0", "127.0.0.1") else self.host
        return f"http://{name}:{port}" + ("" if self.token is None else f"/?{TOKEN}={self.token}")

    def guard(self, answer: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Return a `process_request` function for websockets that passes only accepted requests on to `answer`.

        It is called for HTTP requests and for WebSocket handshakes, before they are processed.
        """

        def process_request(connection: Any, request: Any) -> Any:
            port = connection.local_address[1]
            why = self.refusal(request.path, request.headers, port)
            if why is not None:
                return connection.respond(HTTPStatus.FORBIDDEN, f"{why}\n")
            response = answer(connection, request)
            if response is not None and self.token is not None:
                # set a cookie, because the page opens its WebSocket without the query of its address
                response.headers["Set-Cookie"] = f"{cookie_name(port)}={self.token}; Path=/; HttpOnly; SameSite=Strict"
            return response

        return process_request

    def refusal(self, path: str, headers: Any, port: int) -> str | None:
        """Return the reason for refusing a request, or None."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or len(origins) > 1:
            return "a request names one host and at most one origin"
        if self.token is None and not self.is_named(hosts[0]):
            return f"this page is not served as {hosts[0]!r}: open it as localhost"
        if origins and not is_same_origin(origins[0], hosts[0]):
            return f"pages from {origins[0]!r} may not access this page"
        if self.token is not None and not self.is_known(path, headers, port):
            return f"the address of this page has a token: open the printed address, including ?{TOKEN}="
        return None

    def is_named(self, host: str) -> bool:
        """Return True if `host`, named in a request, is a name that always refers to this machine.

        The owner of any other name could make it point to this machine (DNS rebinding).
        """
        name = place(f"//{host}")[0]
        return name in ("localhost", self.host) or is_loopback_number(str(name))

    def is_known(self, path: str, headers: Any, port: int) -> bool:
        """Return True if a request contains the token, in its address or in the cookie that the page has set."""
        given = list(parse_qs(urlsplit(path).query).get(TOKEN, ()))
        for line in headers.get_all("Cookie"):
            try:
                cookies = SimpleCookie(line)
            except CookieError:
                continue
            if cookie_name(port) in cookies:
                given.append(cookies[cookie_name(port)].value)
        expected = str(self.token).encode()
        return any(hmac.compare_digest(text.encode("utf-8", "replace"), expected) for text in given)


def cookie_name(port: int) -> str:
    """Return the cookie name of a page; it contains the port because cookies do not distinguish ports."""
    return f"conjoint_{TOKEN}_{port}"


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach the address `host`."""
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        return False
    return bool(host) and all(is_loopback_number(str(address[0])) for *_, address in found)


def is_loopback_number(text: str) -> bool:
    """Return True if a text is a numeric IP address of the machine itself (loopback)."""
    try:
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return False


def place(url: str) -> tuple[str | None, int | None]:
    """Return host and port of an address; (None, None) if the address is invalid."""
    try:
        parts = urlsplit(url)
        usual = SECURE_PORT if parts.scheme == "https" else PLAIN_PORT
        return parts.hostname, parts.port or usual
    except ValueError:
        return None, None


def is_same_origin(origin: str, host: str) -> bool:
    """Return True if the page at `origin` was served by the host named in a request."""
    scheme = origin.partition("://")[0].lower()
    return scheme in ("http", "https") and place(origin)[0] is not None and place(origin) == place(f"{scheme}://{host}")
