"""Ray, started so that only this machine can reach it: whoever reaches its ports can let it run programs."""

from __future__ import annotations

import os
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray
from ray._private import ray_constants, services

from conjoint.lang import FatalError

LOOPBACK = "127.0.0.1"

PATIENCE = 10.0
"""Seconds that a cluster may take to answer."""

SWITCH = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Variable by which Ray is told whether nodes of other machines may join; on Linux it is on unless it says no."""

QUIET: dict[str, Any] = {"include_dashboard": False, "log_to_driver": False}


def connect(address: str | None) -> None:
    """Connect to a Ray cluster, or start one on the loopback address of this machine.

    Args:
        address: of the cluster; None for that of RAY_ADDRESS, that which `ray start` began on this machine, or else a
            new one; "local" for a new one.
    """
    find: Any = services.canonicalize_bootstrap_address
    named = address if address not in (None, "local") else find(address)
    if named is not None:
        check_reachable(str(named))
        ray.init(address=address, **QUIET)
        return
    with _on_loopback():
        context: Any = ray.init(address="local", **QUIET)
    node = str(context.address_info["node_ip_address"])
    if node != LOOPBACK:
        warnings.warn(f"Ray listens at {node}: other machines may reach it, and run programs by it", stacklevel=3)


def check_reachable(address: str) -> None:
    """Raise FatalError if nothing answers at an address `host:port`: Ray would wait for it, without limit.

    "auto", and addresses with a protocol, are Ray's to understand.
    """
    host, _, port = address.rpartition(":")
    if address == "auto" or "://" in address:
        return
    if not host or not port.isdigit():
        raise FatalError(f"the address of a cluster is host:port, 'auto', 'local' or ray://host:port, not {address!r}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE):
            pass
    except (OSError, OverflowError) as error:
        raise FatalError(
            f"no Ray cluster answers at {address} ({error}): start one there with `ray start --head`, or name another"
        ) from None


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Let Ray take this machine for one without others, as it does on macOS and Windows.

    The argument `_node_ip_address` of `ray.init` does not do so: 127.0.0.1 is replaced by the address to others.
    """
    before, variable = getattr(ray_constants, "ENABLE_RAY_CLUSTER", None), os.environ.get(SWITCH)
    # for this process, which has read the variable, and for those that it starts
    ray_constants.ENABLE_RAY_CLUSTER = False
    os.environ[SWITCH] = "0"
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before
        if variable is None:
            del os.environ[SWITCH]
        else:
            os.environ[SWITCH] = variable
