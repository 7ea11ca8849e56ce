"""Ray, where it is wanted: connecting to a cluster, and what is said where none answers."""

from __future__ import annotations

import logging
import os
import socket
import sys
import time
from typing import Any

#: How long whatever listens at an address may take to say what it is, in seconds.
PATIENCE = 15.0
#: An empty frame of settings: with one, both sides begin a connection of HTTP/2.
SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SETTINGS
EXTRA = "pip install 'likelier[ray]'"


def connected(address: str | None) -> Any:
    """Ray, connected to a cluster; None if the threads of this machine are to do the work."""
    if address is None:
        loaded = sys.modules.get("ray")
        return loaded if loaded is not None and loaded.is_initialized() else None
    if not isinstance(address, str):
        raise TypeError(f'address must be "local", "auto" or the address of a Ray cluster, got {address!r}')
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            f"address={address!r} asks for a Ray cluster, and Ray is not installed: {EXTRA}; without address, the "
            "threads of this machine do the work"
        ) from error
    if ray.is_initialized():
        return ray
    if address == "local":
        ray.init(address="local", include_dashboard=False, log_to_driver=False, logging_level=logging.WARNING)
        return ray
    place = _meant_by_auto() if address == "auto" else address
    if place is not None:
        host, _, port = place.removeprefix("ray://").rpartition(":")
        if not host or not port.isdecimal():
            raise ValueError(f'address must be "local", "auto" or like 10.0.0.1:6379, got {place!r}')
        _greet(place, host.strip("[]"), int(port))
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
    except (ConnectionError, TimeoutError) as error:
        raise ConnectionError(f"no Ray cluster answers at {place or address}. {_right_port(place)}") from error
    except RuntimeError as error:
        # It has another version, for one.
        words = " ".join(str(error).split())
        raise ConnectionError(f"Ray does not connect to {place or address}: {words}") from error
    return ray


def _right_port(address: str | None) -> str:
    if address is not None and address.startswith("ray://"):
        return "The port of ray:// is 10001, unless the head was started with --ray-client-server-port"
    return "Use the address that 'ray start --head' prints: its port is 6379 unless --port says otherwise"


def _meant_by_auto() -> str | None:
    """The address that Ray itself finds; None if this version of Ray does not tell."""
    try:
        from ray._private.services import canonicalize_bootstrap_address as found
    except ImportError:
        return os.environ.get("RAY_ADDRESS") or None
    try:
        place = found("auto")
    except ConnectionError as error:
        raise ConnectionError(
            "no Ray cluster runs on this machine: start one with 'ray start --head', or give the address of another"
        ) from error
    return None if place is None else str(place)


def _greet(address: str, host: str, port: int) -> None:
    """Refuses an address where no server speaks HTTP/2, as all of Ray's do: Ray itself would try for many minutes."""
    until = time.monotonic() + PATIENCE
    said = b""
    try:
        with socket.create_connection((host, port), PATIENCE) as wire:
            if os.environ.get("RAY_USE_TLS", "0").lower() in ("1", "true"):
                return  # What is said is encrypted.
            wire.sendall(GREETING)
            while len(said) < len(SETTINGS):
                wire.settimeout(max(0.01, until - time.monotonic()))
                heard = wire.recv(len(SETTINGS) - len(said))
                if not heard:
                    break
                said += heard
    except TimeoutError as error:
        if not said:
            raise ConnectionError(
                f"nothing at {address} has answered for {PATIENCE:.0f} seconds: the cluster hangs, or it is no Ray "
                f"cluster. {_right_port(address)}"
            ) from error
    except OSError as error:
        # Some hang up in the middle of the greeting, and are not Ray either.
        if not isinstance(error, ConnectionResetError):
            raise ConnectionError(
                f"no Ray cluster answers at {address}: start one with 'ray start --head', or correct the address"
            ) from error
    # The kind of the frame, and the stream that it belongs to: the whole connection.
    if said[3:4] != SETTINGS[3:4] or said[5:] != SETTINGS[5:]:
        kind = "a web server" if said.startswith((b"HTTP/", b"<")) else "something else"
        raise ConnectionError(f"what answers at {address} is {kind}, not a Ray cluster. {_right_port(address)}")
